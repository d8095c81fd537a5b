//! Endpoints for events that managers set up: their secrets are shown once and kept sealed.

use harness::steps::console::{OWN, get, key as form_key, post, with_console};
use harness::steps::events::received;
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::bought;
use harness::steps::staff::{act, look, staff};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

const ENDPOINTS: &str = "/storeapi/support/endpoints/";
const SECRET: &str = "/storeapi/support/endpoints/secret/";
const REMOVAL: &str = "/storeapi/support/endpoints/removal/";

async fn set(world: &World, cookie: &str, body: &Value) -> Reply {
    let request = world.http.request(Method::PUT, world.url(ENDPOINTS)).header("cookie", cookie);
    Reply::read(request.header("origin", "http://store.test").json(body)).await
}

/// The URL of a simulated receiver.
fn receiver(world: &World, name: &str) -> String {
    world.simulators.url(&format!("/_sim/hook/{name}"))
}

/// The sealed secret that signs beside the current one.
async fn previous(world: &World) -> Vec<u8> {
    let sealed = "SELECT sealed FROM webhook_secrets WHERE slot = 'previous'";
    sqlx::query_scalar(sealed).fetch_one(&world.db).await.unwrap()
}

#[tokio::test]
async fn a_manager_sets_an_endpoint_up_and_its_secret_is_shown_once() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let url = receiver(world, "crm");
        let new = set(world, &noor, &json!({ "url": url, "types": ["order.paid"] })).await;
        assert_eq!(new.status, 200, "{}", new.text);
        let secret = new.json["secret"].as_str().unwrap().to_owned();
        assert!(secret.starts_with("whsec_"), "{secret}");
        bought(world, &ORGANISATIONS[0], EMAIL).await;
        world.eventually("the event arrives", async |world| received(world, "crm").await.len() == 1).await;
        let again = set(world, &noor, &json!({ "url": url })).await;
        assert_eq!(
            (&again.json["secret"], &again.json["endpoint_id"]),
            (&Value::Null, &new.json["endpoint_id"])
        );
        let named = json!({ "endpoint_id": new.json["endpoint_id"] });
        let renewed = act(world, &noor, SECRET, &named).await;
        assert!(
            renewed.json["secret"].is_string() && renewed.json["secret"] != json!(secret),
            "{}",
            renewed.text
        );
        // Sent twice, the form does not take the secret away that the receiver has.
        let before = previous(world).await;
        act(world, &noor, SECRET, &named).await;
        assert_eq!(previous(world).await, before);
        // Nothing keeps it in the open.
        for table in ["commands", "audit_log", "outbox"] {
            let leaked = format!("SELECT count(*) FROM {table} t WHERE t::text LIKE '%whsec_%'");
            let leaked: i64 =
                sqlx::query_scalar(sqlx::AssertSqlSafe(leaked)).fetch_one(&world.db).await.unwrap();
            assert_eq!(leaked, 0, "{table}");
        }
        assert_eq!(act(world, &noor, REMOVAL, &named).await.status, 204);
        assert_eq!(look(world, &noor, ENDPOINTS).await.json["endpoints"], json!([]));
        let kept = "SELECT count(*) FROM audit_log WHERE entity = 'endpoint' AND actor LIKE 'staff:%'";
        assert_eq!(count(world, kept).await, 5);
        // A URL may be as long as the schema has it; an organisation has at most twenty.
        let long = format!("{url}?{}", "x".repeat(1_500));
        assert_eq!(set(world, &noor, &json!({ "url": long })).await.status, 200);
        let longer = format!("{url}?{}", "é".repeat(1_500));
        set(world, &noor, &json!({ "url": longer })).await.assert_problem(400, "invalid_request");
        for nth in 1..20 {
            assert_eq!(
                set(world, &noor, &json!({ "url": receiver(world, &format!("r{nth}")) })).await.status,
                200
            );
        }
        let more = set(world, &noor, &json!({ "url": receiver(world, "r20") })).await;
        assert_eq!(more.assert_problem(400, "invalid_request").faulty_fields(), ["url"]);
    })
    .await;
}

#[tokio::test]
async fn an_endpoint_that_is_faulty_or_another_organisations_is_refused() {
    world(Setup::default(), async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["manager"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["support", "finance"]).await;
        let url = receiver(world, "crm");
        for (body, field) in [
            (json!({}), "url"),
            (json!({ "url": "no url" }), "url"),
            (json!({ "url": "ftp://crm.example/" }), "url"),
            (json!({ "url": "https://me:secret@crm.example/" }), "url"),
            (json!({ "url": url, "types": ["order.lost"] }), "types"),
        ] {
            let refused = set(world, &noor, &body).await;
            assert_eq!(
                refused.assert_problem(400, "invalid_request").faulty_fields(),
                [field],
                "{}",
                refused.text
            );
        }
        set(world, &sam, &json!({ "url": url })).await.assert_problem(403, "forbidden");
        let own = set(world, &noor, &json!({ "url": url })).await;
        let named = json!({ "endpoint_id": own.json["endpoint_id"] });
        for path in [SECRET, REMOVAL] {
            let foreign = act(world, &eve, path, &named).await;
            assert_eq!(foreign.assert_problem(400, "invalid_request").faulty_fields(), ["endpoint_id"]);
            act(world, &sam, path, &named).await.assert_problem(403, "forbidden");
        }
        assert_eq!(count(world, "SELECT count(*) FROM webhook_endpoints").await, 1);
    })
    .await;
}

#[tokio::test]
async fn the_console_sets_an_endpoint_up_renews_its_secret_and_removes_it() {
    world(with_console(), async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["support", "finance"]).await;
        let page = get(world, &noor, "/console/northwind/events/").await;
        assert!(page.text.contains("has no endpoint"), "{}", page.text);
        let (key, url) = (form_key(&page), receiver(world, "crm"));
        let fields = [
            ("key", key.as_str()),
            ("url", url.as_str()),
            ("types", "order.paid"),
            ("types", "order.refunded"),
        ];
        let path = "/console/northwind/events/set/";
        assert_eq!(post(world, &sam, path, OWN, &fields).await.status, 403);
        let shown = post(world, &noor, path, OWN, &fields).await;
        assert!(shown.status == 200 && shown.text.contains("whsec_"), "{}", shown.text);
        assert_eq!(shown.header("cache-control"), "no-store");
        let page = get(world, &noor, "/console/northwind/events/").await;
        assert!(
            page.text.contains("Gets order.paid, order.refunded") && !page.text.contains("whsec_"),
            "{}",
            page.text
        );
        let endpoint: Uuid =
            sqlx::query_scalar("SELECT id FROM webhook_endpoints").fetch_one(&world.db).await.unwrap();
        let (key, endpoint) = (form_key(&page), endpoint.to_string());
        let fields = [("key", key.as_str()), ("endpoint_id", endpoint.as_str())];
        let renewed = post(world, &noor, "/console/northwind/events/secret/", OWN, &fields).await;
        assert!(renewed.text.contains("whsec_"), "{}", renewed.text);
        let removed = post(world, &noor, "/console/northwind/events/removal/", OWN, &fields).await;
        assert_eq!(
            (removed.status, removed.header("location")),
            (303, "/console/northwind/events/?done=endpoint-changed")
        );
        let key = Uuid::now_v7().to_string();
        let wrong = [("key", key.as_str()), ("url", "no url"), ("types", "order.paid")];
        let refused = post(world, &noor, path, OWN, &wrong).await;
        assert!(refused.status == 400 && refused.text.contains("URL is not a URL"), "{}", refused.text);
    })
    .await;
}
