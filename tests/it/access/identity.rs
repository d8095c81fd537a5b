//! Credentials that the api accepts, for how long, and which of them it checks with the course platform.

use std::time::{Duration, Instant};

use harness::steps::credentials::{session, text};
use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_KEY, organisation};
use harness::{ORGANISATIONS, Reply, SECRET, Setup, unknown_session, world};
use jsonwebtoken::Algorithm;
use reqwest::Method;
use serde_json::json;
use shared::link::{self, Purpose};
use simulators::SimulatorsConfig;
use uuid::Uuid;

use crate::credentials::{base64, bearer, forged, jwt_cookies, platform_key};

const LIST: &str = "/storeapi/discovery/courses/";
const PROBE: &str = "/storeapi/discovery/user/";
const GUEST_CHECKOUT: &str = "/storeapi/discovery/guest/checkout/";
const ORIGIN: &str = "http://store.test";

#[tokio::test]
async fn the_session_probe_tells_who_is_signed_in() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let probe = async |cookie: &str| {
            Reply::read(world.request(Method::GET, PROBE).header("cookie", cookie)).await
        };
        let signed_in = probe(&session(&ada)).await;
        assert_eq!(
            signed_in.json,
            json!({ "authenticated": true, "email": "ada@example.com", "username": ada["username"], "name": ada["name"] })
        );
        assert_eq!(signed_in.header("cache-control"), "no-store");
        let unknown = unknown_session();
        for cookie in ["", "sessionid=", "sessionid=garbage", &unknown, "other=x"] {
            assert_eq!(probe(cookie).await.json, json!({ "authenticated": false }), "{cookie}");
        }
    })
    .await;
}

#[tokio::test]
async fn enrollment_is_checked_by_our_own_records() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let check = async |key: &str, cookie: &str| {
            let path = format!("/storeapi/discovery/check-enrollment/{key}/");
            Reply::read(world.request(Method::GET, &path).header("cookie", cookie)).await
        };
        let cookie = session(&ada);
        let none = json!({ "enrolled": false, "mode": null });
        assert_eq!(check(FREE_KEY, &cookie).await.json, none);
        world.enroll("ada@example.com", FREE_COURSE, "verified").await;
        assert_eq!(check(FREE_KEY, &cookie).await.json, json!({ "enrolled": true, "mode": "verified" }));
        // With the session alone, without a storefront backend.
        let path = format!("/storeapi/discovery/check-enrollment/{FREE_KEY}/");
        let own = Reply::read(world.http.get(world.url(&path)).header("cookie", &cookie)).await;
        assert_eq!(own.json["enrolled"], true);
        assert_eq!(check(FREE_KEY, "").await.json, none, "the secret alone identifies no learner");
        let bob = world.platform_user("bob@example.com").await;
        assert_eq!(check(FREE_KEY, &session(&bob)).await.json, none);
        world.unenroll("ada@example.com", FREE_COURSE).await;
        assert_eq!(check(FREE_KEY, &cookie).await.json, none);
        check("course-v1:no+such+course", &cookie).await.assert_problem(404, "not_found");
        check("abc", &cookie).await.assert_problem(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn what_relies_on_a_cookie_alone_must_come_from_an_allowed_origin() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let effort = "/storeapi/discovery/courses/effort/";
        let send = async |headers: &[(&str, &str)]| {
            let request = world.http.post(world.url(effort)).json(&json!({ "course_ids": [] }));
            Reply::read(headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)))
                .await
        };
        let (by_session, by_jwt) = (session(&ada), jwt_cookies(&ada));
        for cookie in [by_session.as_str(), by_jwt.as_str()] {
            for (name, value) in [("origin", ORIGIN), ("referer", "http://store.test/basket?x=1")] {
                assert_eq!(send(&[("cookie", cookie), (name, value)]).await.status, 200, "{name} {value}");
            }
            for (name, value) in [
                ("x-nothing", "1"),
                ("origin", "http://evil.test"),
                ("origin", "https://store.test"),
                ("origin", "http://store.test:8080"),
                ("origin", "http://store.test.evil.test"),
                ("origin", "null"),
                ("referer", "http://evil.test/http://store.test/"),
                ("referer", "/basket"),
            ] {
                send(&[("cookie", cookie), (name, value)]).await.assert_problem(403, "forbidden");
            }
            // The Origin header takes precedence over the Referer.
            let both = [("cookie", cookie), ("origin", "http://evil.test"), ("referer", ORIGIN)];
            send(&both).await.assert_problem(403, "forbidden");
            // A browser on a foreign page cannot add another proof beside the cookie, so the origin does not matter.
            assert_eq!(send(&[("cookie", cookie), ("clientapisecret", SECRET)]).await.status, 200);
        }
        let token = bearer(&ada);
        assert_eq!(send(&[("authorization", &token)]).await.status, 200);
        let read = world.http.get(world.url(LIST)).header("cookie", by_session);
        assert_eq!(Reply::read(read).await.status, 200, "a read needs no origin check");
    })
    .await;
}

#[tokio::test]
async fn a_learner_cannot_choose_where_it_is() {
    let trusting = Setup {
        workers: 0,
        api_args: vec!["--country-header=CF-IPCountry".into(), "--trusted-proxies=127.0.0.0/8".into()],
        ..Setup::default()
    };
    for (setup, by_proxy) in [(Setup::without_workers(), 0.0), (trusting, 40.0)] {
        world(setup, async |world| {
            let ada = world.platform_user("ada@example.com").await;
            let token = bearer(&ada);
            let discount = async |header: &str, by_learner: bool| {
                let url = world.url(&format!("/storeapi/discovery/course/{PAID_KEY}/"));
                let request = world.http.get(url).header(header, "IN");
                let request = match by_learner {
                    true => request.header("authorization", &token),
                    false => request.header("clientapisecret", SECRET),
                };
                Reply::read(request).await.json["discountPct"].as_f64().unwrap()
            };
            assert_eq!(discount("X-Visitor-Country", false).await, 40.0);
            assert_eq!(discount("X-Visitor-Country", true).await, 0.0);
            // A proxy that appends its header to the client's: which of them is the proxy's own is unknown.
            for (header, name, value) in [
                ("X-Visitor-Country", "clientapisecret", SECRET),
                ("CF-IPCountry", "authorization", token.as_str()),
            ] {
                let url = world.url(&format!("/storeapi/discovery/course/{PAID_KEY}/"));
                let twice = world.http.get(url).header(header, "IN").header(header, "IN");
                let reply = Reply::read(twice.header(name, value)).await;
                assert_eq!((reply.status, &reply.json["discountPct"]), (200, &json!(0)), "{header}");
            }
            assert_eq!(
                discount("CF-IPCountry", false).await,
                0.0,
                "with the client secret, only X-Visitor-Country counts"
            );
            assert_eq!(discount("CF-IPCountry", true).await, by_proxy);
        })
        .await;
    }
}

#[tokio::test]
async fn an_identity_is_believed_for_a_minute_by_every_replica() {
    world(Setup { apis: 2, ..Setup::without_workers() }, async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let read = async |replica: usize| {
            let url = format!("http://{}{LIST}", world.apis[replica].public);
            Reply::read(world.http.get(url).header("cookie", session(&ada))).await.status
        };
        assert_eq!(read(0).await, 200);
        // The platform forgets every session; the second replica learns of this one through the shared cache.
        world.sim(Method::POST, "/_sim/reset", None).await;
        assert_eq!((read(0).await, read(1).await), (200, 200));
        world.clock.advance(chrono::TimeDelta::seconds(61));
        assert_eq!((read(0).await, read(1).await), (401, 401));
        let mut redis = redis::Client::open(harness::redis_url()).unwrap();
        let keys: Vec<String> =
            redis::cmd("KEYS").arg(format!("{}:identity:*", world.name)).query(&mut redis).unwrap();
        assert_eq!(keys.len(), 1);
        let kept: Vec<u8> = redis::cmd("GET").arg(&keys[0]).query(&mut redis).unwrap();
        let kept = String::from_utf8_lossy(&kept);
        for secret in [text(&ada, "sessionid"), text(&ada, "bearer"), text(&ada, "email")] {
            assert!(!keys[0].contains(&secret) && !kept.contains(&secret));
        }
    })
    .await;
}

#[tokio::test]
async fn a_token_is_believed_no_longer_than_it_lasts() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let now = world.clock.now().timestamp();
        let token = forged(&ada, json!({ "exp": now + 20 }), Algorithm::HS256, &platform_key());
        let read = async || {
            let request = world.http.get(world.url(LIST)).header("authorization", format!("JWT {token}"));
            Reply::read(request).await.status
        };
        assert_eq!(read().await, 200);
        world.clock.advance(chrono::TimeDelta::seconds(15));
        assert_eq!(read().await, 200);
        world.clock.advance(chrono::TimeDelta::seconds(10));
        assert_eq!(read().await, 401);
    })
    .await;
}

#[tokio::test]
async fn many_requests_with_one_credential_ask_the_platform_once() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let me = "/api/user/v1/me";
        // The first call fails late; every other one would succeed.
        world
            .fault(json!({ "target": "platform", "path": me, "kind": "delay", "delay_ms": 400, "count": 1 }))
            .await;
        world
            .fault(json!({ "target": "platform", "path": me, "kind": "status", "status": 500, "count": 1 }))
            .await;
        let read = || Reply::read(world.http.get(world.url(LIST)).header("cookie", session(&ada)));
        let replies = futures_util::future::join_all((0..20).map(|_| read())).await;
        for reply in replies {
            reply.assert_problem(503, "unavailable");
            assert_eq!(reply.header("retry-after"), "1");
        }
        assert_eq!(read().await.status, 200);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_slow_platform_stops_learners_alone_and_not_for_long() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let slow = json!({ "target": "platform", "kind": "delay", "delay_ms": 20_000, "count": 1000 });
        world.fault(slow).await;
        let cookie = session(&ada);
        let by_learner = || {
            Reply::read(
                world.http.get(world.url(PROBE)).header("clientapisecret", SECRET).header("cookie", &cookie),
            )
        };
        let start = Instant::now();
        by_learner().await.assert_problem(503, "unavailable");
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        // The client secret alone is enough where the route needs no learner, even beside a cookie.
        let start = Instant::now();
        let by_client = world.request(Method::GET, LIST).header("cookie", &cookie);
        assert_eq!(Reply::read(by_client).await.status, 200);
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        // Different credentials at once: after a few failures the api sends no more requests to the platform.
        let guesses =
            (0..8).map(|_| Reply::read(world.http.get(world.url(LIST)).header("cookie", unknown_session())));
        for reply in futures_util::future::join_all(guesses).await {
            reply.assert_problem(503, "unavailable");
        }
        let start = Instant::now();
        by_learner().await.assert_problem(503, "unavailable");
        assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
        world.no_faults().await;
        world
            .eventually("the api calls the platform again", async |_| by_learner().await.status == 200)
            .await;
    })
    .await;
}

#[tokio::test]
async fn learners_and_buyers_are_held_to_a_rate_and_backends_that_read_are_not() {
    let setup = Setup { api_args: vec!["--rate-limit-per-minute=5".into()], ..Setup::default() };
    world(setup, async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let read = || Reply::read(world.http.get(world.url(LIST)).header("cookie", session(&ada)));
        let check = format!("/storeapi/discovery/check-enrollment/{FREE_KEY}/");
        for _ in 0..3 {
            assert_eq!(read().await.status, 200);
        }
        // One request counts once, however often its route looks up the learner.
        for _ in 0..2 {
            let own = world.http.get(world.url(&check)).header("cookie", session(&ada));
            assert_eq!(Reply::read(own).await.status, 200);
        }
        let limited = read().await;
        limited.assert_problem(429, "rate_limited");
        assert!((1..=13).contains(&limited.header("retry-after").parse::<u64>().unwrap()));
        for _ in 0..20 {
            assert_eq!(world.get(LIST).await.status, 200);
            let probe = world.request(Method::GET, PROBE).header("cookie", session(&ada));
            assert_eq!(Reply::read(probe).await.status, 200);
        }
        for _ in 0..5 {
            assert_eq!(world.enroll("bob@example.com", FREE_COURSE, "audit").await.status, 200);
        }
        world.enroll("Bob@Example.com", FREE_COURSE, "audit").await.assert_problem(429, "rate_limited");
        assert_eq!(world.enroll("carol@example.com", FREE_COURSE, "audit").await.status, 200);
        let northwind = organisation(world, "northwind").await;
        let items = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
        let body = json!({ "email": "bob@example.com", "organisation_id": northwind, "items": items });
        world.post(GUEST_CHECKOUT, &body).await.assert_problem(429, "rate_limited");
    })
    .await;
}

#[tokio::test]
async fn the_links_of_one_carts_page_are_held_to_a_rate() {
    let api_args = vec!["--rate-limit-per-minute=5".into()];
    world(Setup { api_args, ..Setup::selling() }, async |world| {
        world.sell().await;
        let open = async |cart: &str, route: &str| {
            let expires = world.clock.now() + chrono::TimeDelta::minutes(5);
            let token = link::sign(
                &world.api_config.links.link_secret,
                Purpose::Payment,
                cart.parse::<Uuid>().unwrap(),
                expires,
            );
            let path = format!("/storeapi/payment/{route}/{cart}/?token={token}");
            Reply::read(world.http.get(world.url(&path))).await
        };
        let one = world.guest_checkout(&ORGANISATIONS[0], "ada@example.com").await;
        let other = world.guest_checkout(&ORGANISATIONS[0], "bob@example.com").await;
        let (one, other) = (one.json["cart_id"].as_str().unwrap(), other.json["cart_id"].as_str().unwrap());
        for route in ["status", "pay", "status", "pay", "status"] {
            assert_eq!(open(one, route).await.status, 200);
        }
        for route in ["status", "pay"] {
            let limited = open(one, route).await;
            limited.assert_problem(429, "rate_limited");
            assert!((1..=13).contains(&limited.header("retry-after").parse::<u64>().unwrap()));
        }
        assert_eq!(open(other, "status").await.status, 200);
        assert_eq!(world.status(one).await["cart_id"], one, "the backend is not held to it");
    })
    .await;
}

#[tokio::test]
async fn settings_are_printed_without_their_secrets() {
    world(Setup::without_workers(), async |world| {
        let printed = format!("{:?}", world.api_config);
        let key = SimulatorsConfig::default().jwt_secret;
        for secret in
            [SECRET, harness::LINK_SECRET, "guest:guest", "storefront_api:", &key, &base64(key.as_bytes())]
        {
            assert!(!printed.contains(secret), "{secret}");
        }
    })
    .await;
}
