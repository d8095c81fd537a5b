//! Failed authentication is counted by kind, and logged with the caller's address and never with the credential.

use harness::{Reply, SECRET, Setup, World, logged, unknown_session, world};
use reqwest::Method;

const LIST: &str = "/storeapi/discovery/courses/";

async fn counted(world: &World, kind: &str) -> u32 {
    let metrics =
        Reply::read(world.http.get(format!("http://{}/metrics", world.apis[0].internal))).await.text;
    let name = format!("storefront_failed_authentications_total{{kind=\"{kind}\"}} ");
    metrics.lines().find_map(|line| line.strip_prefix(&name)).map_or(0, |count| count.parse().unwrap())
}

/// The lines about a kind of credential from an address.
fn lines(kind: &str, peer: &str) -> Vec<String> {
    let is_about =
        |line: &String| line.contains(&format!("peer={peer} ")) && line.contains(&format!("kind=\"{kind}\""));
    logged("authentication failed").into_iter().filter(is_about).collect()
}

#[tokio::test]
async fn each_wrong_credential_is_counted_and_logged_with_its_peer() {
    let api_args = vec!["--trusted-proxies=127.0.0.1".to_owned()];
    world(Setup { api_args, ..Setup::without_workers() }, async |world| {
        let cart = format!("/storeapi/payment/status/{}/?token=wrong", harness::steps::demo::UNKNOWN_ID);
        let key = ("organisationapikey", "sk_000000000000_wrong".to_owned());
        let cases = [
            ("client_secret", Method::GET, LIST, Some(("clientapisecret", "wrong-secret".to_owned()))),
            ("organisation_key", Method::GET, "/storeapi/reports/ledger/", Some(key)),
            ("session", Method::GET, LIST, Some(("cookie", unknown_session()))),
            ("session", Method::GET, LIST, Some(("cookie", "sessionid=malformed".to_owned()))),
            ("token", Method::GET, LIST, Some(("authorization", format!("Bearer {}", "x".repeat(30))))),
            ("token", Method::GET, LIST, Some(("authorization", "Basic eDp5".to_owned()))),
            ("jwt", Method::GET, LIST, Some(("authorization", "JWT aa.bb.cc".to_owned()))),
            ("page_token", Method::GET, &cart, None),
            ("registration_link", Method::GET, "/storeapi/registrations/wrong/", None),
            ("hint_token", Method::POST, "/storeapi/platform/registrations/wrong/", None),
            (
                "notification_signature",
                Method::POST,
                "/storeapi/payment/notifications/stripe/northwind/",
                Some(("stripe-signature", "t=1,v1=c0ffee".to_owned())),
            ),
        ];
        for (number, (kind, method, path, header)) in cases.into_iter().enumerate() {
            let (before, peer) = (counted(world, kind).await, format!("192.0.2.{number}"));
            let request = world.http.request(method, world.url(path)).header("x-forwarded-for", &peer);
            let request = match &header {
                Some((name, value)) => request.header(*name, value),
                None => request,
            };
            let status = Reply::read(request).await.status;
            assert!((400..500).contains(&status), "{kind}: {status}");
            assert_eq!(counted(world, kind).await, before + 1, "{kind}");
            let lines = lines(kind, &peer);
            assert_eq!(lines.len(), 1, "{kind}");
            if let Some((_, value)) = header {
                let sent = value.split(['=', ' ']).next_back().unwrap();
                assert!(!lines[0].contains(sent), "{}", lines[0]);
            }
        }
        // Neither a request without a credential nor one that is let in has failed.
        let before = logged("authentication failed").len();
        world.http.get(world.url(LIST)).send().await.unwrap();
        world.http.get(world.url(LIST)).header("clientapisecret", SECRET).send().await.unwrap();
        assert_eq!(logged("authentication failed").len(), before);
    })
    .await;
}

#[tokio::test]
async fn a_flood_of_wrong_secrets_is_counted_in_full_and_logged_in_part() {
    world(Setup::without_workers(), async |world| {
        for _ in 0..200 {
            let request = world.http.get(world.url(LIST)).header("clientapisecret", "wrong");
            assert_eq!(Reply::read(request).await.status, 401);
        }
        assert_eq!(counted(world, "client_secret").await, 200);
        let logged = logged("authentication failed").len();
        assert!((60..100).contains(&logged), "{logged} lines");
    })
    .await;
}
