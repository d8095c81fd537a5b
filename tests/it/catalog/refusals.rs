//! Content of refusals: the faulty field, what would be valid, and which cart to query.

use harness::steps::credentials::session;
use harness::steps::demo::{FREE_COURSE, PAID_COURSE, UNKNOWN_ID, organisation};
use harness::{GUEST_CHECKOUT, HINT_TOKEN, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

const ENROLL: &str = "/storeapi/enrollments/client/enroll/";
const CART: &str = "/storeapi/payment/cart/";
const CART_CHECKOUT: &str = "/storeapi/payment/checkout/";

fn messages(reply: &Reply) -> Vec<(&str, &str)> {
    let errors = reply.json["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    errors.iter().map(|e| (e["field"].as_str().unwrap(), e["message"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn a_nul_in_a_path_is_not_found() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        for route in [
            "discovery/course",
            "discovery/course-outline",
            "discovery/check-enrollment",
            "discovery/program",
            "payment/status",
            "payment/pay",
            "registrations",
            "docs",
        ] {
            for value in ["%00", "a%00b", "course-v1:Northwind+DS101+2026%00"] {
                let path = format!("/storeapi/{route}/{value}/");
                let own = world.http.get(world.url(&path)).header("cookie", session(&ada));
                for reply in [world.get(&path).await, Reply::read(own).await] {
                    let is_for_learners = route == "payment/pay" && reply.status == 401;
                    assert!(
                        is_for_learners || reply.assert_problem(404, "not_found").status == 404,
                        "{path}"
                    );
                }
            }
        }
        for path in [
            "/storeapi/payment/notifications/stripe/%00/".to_owned(),
            "/storeapi/payment/notifications/%00/northwind/".to_owned(),
            "/storeapi/platform/registrations/%00/".to_owned(),
            format!("/storeapi/platform/registrations/{HINT_TOKEN}%00/"),
        ] {
            world.post(&path, &json!({})).await.assert_problem(404, "not_found");
        }
    })
    .await;
}

#[tokio::test]
async fn a_nul_in_a_body_is_a_fault_of_its_field() {
    world(Setup::default(), async |world| {
        let northwind = organisation(world, "northwind").await;
        let item = |mode: &str| json!([{ "type": "course", "id": FREE_COURSE, "mode": mode }]);
        let buy = |email: &str, mode: &str, name: &str| {
            json!({ "email": email, "organisation_id": northwind, "items": item(mode),
                "billing_address": { "name": name } })
        };
        for (path, body, field) in [
            (ENROLL, json!({ "email": "a\0@x.com", "course_id": FREE_COURSE, "mode": "audit" }), "email"),
            (ENROLL, json!({ "email": "a@x.com", "course_id": "\0", "mode": "audit" }), "course_id"),
            (ENROLL, json!({ "email": "a@x.com", "course_id": FREE_COURSE, "mode": "audit\0" }), "mode"),
            (GUEST_CHECKOUT, buy("a@x.com\0b", "audit", "Ada"), "email"),
            (GUEST_CHECKOUT, buy("a@x.com", "audit\0", "Ada"), "items[0].mode"),
            (GUEST_CHECKOUT, buy("a@x.com", "audit", "A\0da"), "billing_address.name"),
        ] {
            let reply = world.post(path, &body).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), [field], "{body}");
        }
        let ids = json!({ "course_ids": ["\0", "course-v1:a+b+c\0"] });
        let effort = world.post("/storeapi/discovery/courses/effort/", &ids).await;
        assert_eq!((effort.status, &effort.json["\0"]), (200, &json!(0)), "{}", effort.text);
        for query in ["search=%00", "org=a%00", "tags=%00,b"] {
            let reply = world.get(&format!("/storeapi/discovery/courses/?{query}")).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields().len(), 1, "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_encoded_body_is_not_read() {
    world(Setup::default(), async |world| {
        world.sell().await;
        // A webhook is refused for its body only if it could be genuine.
        let signature = format!("t={},v1={}", world.clock.now().timestamp(), "0".repeat(64));
        let body = json!({ "email": "ada@example.com", "course_id": FREE_COURSE, "mode": "audit" });
        let send = async |path: &str, encoding: &str| {
            let request = world.request(Method::POST, path).header("content-encoding", encoding);
            let request = request.header("stripe-signature", &signature);
            Reply::read(request.json(&body)).await
        };
        for path in [
            ENROLL.to_owned(),
            "/storeapi/payment/notifications/stripe/northwind/".to_owned(),
            format!("/storeapi/platform/registrations/{HINT_TOKEN}/"),
        ] {
            for encoding in ["gzip", "br", "gzip, identity", "x"] {
                let reply = send(&path, encoding).await;
                reply.assert_problem(415, "unsupported_media_type");
                assert_eq!(reply.header("accept-encoding"), "identity");
            }
        }
        assert_eq!(send(ENROLL, "identity").await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_route_without_a_body_refuses_one() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let own = |method, path: &str| {
            let request = world.http.request(method, world.url(path)).header("orgName", "northwind");
            request.header("authorization", format!("JWT {}", ada["jwt"].as_str().unwrap()))
        };
        let item = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
        let filled = Reply::read(own(Method::PUT, CART).json(&json!({ "items": item }))).await;
        assert_eq!(filled.status, 200, "{}", filled.text);
        let chunked = futures_util::stream::iter([Ok::<_, std::io::Error>("{}")]);
        for body in [reqwest::Body::from("{}"), " ".into(), reqwest::Body::wrap_stream(chunked)] {
            let reply = Reply::read(own(Method::POST, CART_CHECKOUT).body(body)).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["body"]);
        }
        let cart = Reply::read(own(Method::GET, CART)).await;
        assert_eq!(cart.json["items"].as_array().unwrap().len(), 1, "nothing was checked out");
        let nothing = futures_util::stream::iter([Ok::<_, std::io::Error>("")]);
        let empty = own(Method::POST, CART_CHECKOUT).body(reqwest::Body::wrap_stream(nothing));
        let reply = Reply::read(empty).await;
        assert_eq!(reply.json["status"], "enrollment_pending", "{}", reply.text);
    })
    .await;
}

#[tokio::test]
async fn an_unsupported_mode_is_answered_with_the_modes_of_the_course() {
    world(Setup::default(), async |world| {
        let modes = [("mode", "must be one of audit, verified")];
        for mode in ["masters", "gold", ""] {
            let reply = world.enroll("ada@example.com", FREE_COURSE, mode).await;
            assert_eq!(messages(reply.assert_problem(400, "unsupported_mode")), modes, "{mode}");
        }
        sqlx::query(
            "UPDATE course_modes SET expires_at = '2020-01-01' WHERE course_id = $1::uuid AND slug = 'audit'",
        )
        .bind(FREE_COURSE)
        .execute(&world.db)
        .await
        .unwrap();
        let expired = world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        assert_eq!(
            messages(expired.assert_problem(400, "unsupported_mode")),
            [("mode", "must be one of verified")]
        );
        world.enroll("ada@example.com", UNKNOWN_ID, "gold").await.assert_problem(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn items_in_several_currencies_are_named_each_with_its_own() {
    world(Setup::default(), async |world| {
        sqlx::query("UPDATE course_modes SET currency = 'EUR' WHERE course_id = $1::uuid")
            .bind(PAID_COURSE)
            .execute(&world.db)
            .await
            .unwrap();
        let items = json!([
            { "type": "course", "id": FREE_COURSE, "mode": "audit" },
            { "type": "course", "id": PAID_COURSE, "mode": "verified" },
        ]);
        let northwind = organisation(world, "northwind").await;
        let body = json!({ "email": "ada@example.com", "organisation_id": northwind, "items": items });
        let reply = world.post(GUEST_CHECKOUT, &body).await;
        let named = messages(reply.assert_problem(400, "invalid_items"));
        let [(first, usd), (second, eur)] = named.as_slice() else { panic!("{named:?}") };
        assert_eq!((*first, *second), ("items[0]", "items[1]"));
        assert!(usd.contains("priced in USD") && eur.contains("priced in EUR"), "{named:?}");
    })
    .await;
}

/// The HTTP status of the status route for this cart, and the cart's status in the answer.
async fn stands(world: &World, cart: &Value) -> (u16, Value) {
    let path = format!("/storeapi/payment/status/{}/", cart.as_str().unwrap());
    let reply = world.get(&path).await;
    (reply.status, reply.json["status"].clone())
}

#[tokio::test]
async fn a_checkout_that_its_provider_refuses_names_its_cart() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        world.fault(json!({ "target": "stripe", "kind": "status", "status": 400, "count": 10 })).await;
        let reply = world.guest_checkout(organisation, "ada@example.com").await;
        reply.assert_problem(502, "gateway_error");
        assert_eq!(stands(world, &reply.json["cart_id"]).await, (200, json!("cancelled")));
        let bob = world.platform_user("bob@example.com").await;
        let own = |method, path: &str| {
            let request = world.request(method, path).header("orgName", organisation.short_name);
            request.header("cookie", session(&bob))
        };
        let item = json!([{ "type": "course", "id": organisation.course, "mode": organisation.mode }]);
        Reply::read(own(Method::PUT, CART).json(&json!({ "items": item }))).await;
        let reply = Reply::read(own(Method::POST, CART_CHECKOUT)).await;
        reply.assert_problem(502, "gateway_error");
        assert_eq!(stands(world, &reply.json["cart_id"]).await.0, 200);
        world.no_faults().await;
    })
    .await;
}

#[tokio::test]
async fn flags_are_words_or_digits_in_any_case() {
    world(Setup::without_workers(), async |world| {
        let tags = async |flag: &str| {
            world.get(&format!("/storeapi/discovery/tags/?include_courses={flag}&include_programs=0")).await
        };
        let (with, without) = (tags("true").await.text, tags("false").await.text);
        assert_ne!(with, without);
        for flag in ["1", "True", "TRUE", "tRuE", ""] {
            assert_eq!(tags(flag).await.text, with, "{flag}");
        }
        for flag in ["0", "False", "FALSE"] {
            assert_eq!(tags(flag).await.text, without, "{flag}");
        }
        for flag in ["yes", "2", "01", "t"] {
            let reply = tags(flag).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["include_courses"]);
        }
    })
    .await;
}
