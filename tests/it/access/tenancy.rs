//! Organisations: a learner's claim on one of them opens no other.

use harness::steps::demo::organisation;
use harness::steps::staff::staff;
use harness::{Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

use crate::callers;
use crate::credentials::bearer;

const CAPABILITIES: &str = "/storeapi/payment/capabilities/";

/// The routes that take an organisation from the request's context, according to the OpenAPI document: those for learners, or those
/// that are open to the organisation's staff alone.
async fn scoped_routes(world: &World, for_staff: bool) -> Vec<(Method, String)> {
    let document = Reply::read(world.http.get(world.url("/storeapi/openapi.json"))).await.json;
    let mut routes = Vec::new();
    let paths = document["paths"].as_object().unwrap();
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let is_scoped = parameters.iter().any(|parameter| parameter["name"] == "orgName");
            if is_scoped && callers::roles(method, path).is_some() == for_staff {
                routes.push((method.to_uppercase().parse().unwrap(), path.clone()));
            }
        }
    }
    assert!(!routes.is_empty());
    routes
}

async fn call(world: &World, route: &(Method, String), authorization: &str, org: &str) -> Reply {
    let request = world.http.request(route.0.clone(), world.url(&route.1)).header("orgName", org);
    let request = request.header("authorization", authorization);
    Reply::read(if route.0 == Method::GET { request } else { request.json(&json!({})) }).await
}

fn jwt(user: &Value) -> String {
    format!("JWT {}", user["jwt"].as_str().unwrap())
}

#[tokio::test]
async fn no_route_lets_a_learner_into_an_organisation_without_a_claim() {
    world(Setup::default(), async |world| {
        let user = async |email: &str, more: Value| {
            let mut user = json!({ "email": email, "hint": false });
            user.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            world.new_platform_user(user).await
        };
        let unclaimed = user("anybody@example.com", json!({})).await;
        let claims = user("claims@example.com", json!({ "organisations": ["Lindgren", "kinabalu"] })).await;
        let none = user("none@example.com", json!({ "organisations": [] })).await;
        let staff = user("staff@example.com", json!({ "staff": true, "organisations": [] })).await;
        for route in scoped_routes(world, false).await {
            // northwind accepts any learner, lindgren only those with a claim.
            for (who, org, allowed) in [
                (jwt(&unclaimed), "northwind", true),
                (bearer(&unclaimed), "northwind", true),
                (jwt(&unclaimed), "lindgren", false),
                (bearer(&unclaimed), "lindgren", false),
                (jwt(&claims), "lindgren", true),
                (jwt(&claims), "LINDGREN", true),
                (jwt(&claims), "kinabalu", true),
                (jwt(&claims), "northwind", false),
                // An opaque token carries no claims.
                (bearer(&claims), "lindgren", false),
                (jwt(&none), "northwind", false),
                (jwt(&staff), "lindgren", true),
                (jwt(&staff), "northwind", true),
            ] {
                let reply = call(world, &route, &who, org).await;
                if allowed {
                    assert!(![401, 403].contains(&reply.status), "{route:?} {org}: {}", reply.text);
                } else {
                    reply.assert_problem(403, "forbidden");
                }
            }
            for unknown in ["nowhere", "", " ", "northwind%", "'; --", "Northwind Academy"] {
                let reply = call(world, &route, &jwt(&unclaimed), unknown).await;
                reply.assert_problem(400, "organisation_not_found");
                assert_eq!(reply.json["detail"], "Organisation not found");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn no_route_lets_the_staff_of_one_organisation_into_another() {
    world(Setup::default(), async |world| {
        let cookie = staff(world, "northwind", "noor@example.com", &["support", "finance", "manager"]).await;
        for (method, path) in scoped_routes(world, true).await {
            let route = format!("{method} {path}");
            let path = callers::filled(&path);
            for (organisation, is_own) in [("Northwind", true), ("lindgren", false), ("nowhere", false)] {
                let request =
                    world.http.request(method.clone(), world.url(&path)).header("orgName", organisation);
                let request = request.header("cookie", &cookie).header("origin", "http://store.test");
                let reply =
                    Reply::read(if method == Method::GET { request } else { request.json(&json!({})) }).await;
                match is_own {
                    true => assert!(![401, 403].contains(&reply.status), "{route}: {}", reply.text),
                    false => drop(reply.assert_problem(403, "forbidden")),
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn the_organisation_is_named_by_cookie_or_header_but_not_by_both_in_two_ways() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let get = async |headers: &[(&str, &str)]| {
            let request = world.http.get(world.url(CAPABILITIES)).header("authorization", bearer(&ada));
            Reply::read(headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)))
                .await
        };
        assert_eq!(get(&[("cookie", "a=b; orgName=northwind")]).await.status, 200);
        assert_eq!(get(&[("orgname", "northwind")]).await.status, 200);
        assert_eq!(get(&[("cookie", "orgName=northwind"), ("orgName", "Northwind")]).await.status, 200);
        for headers in [
            [("cookie", "orgName=northwind"), ("orgName", "kinabalu")],
            [("orgName", "northwind"), ("orgName", "northwind")],
        ] {
            let reply = get(&headers).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["orgName"]);
        }
        get(&[]).await.assert_problem(400, "organisation_not_found");
        // The api checks credentials before the organisation.
        let anonymous = world.http.get(world.url(CAPABILITIES)).header("orgName", "nowhere");
        Reply::read(anonymous).await.assert_problem(401, "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn capabilities_describe_the_gateway_configured_or_not() {
    world(Setup::without_workers(), async |world| {
        let staff = json!({ "email": "staff@example.com", "staff": true, "hint": false });
        let staff = jwt(&world.new_platform_user(staff).await);
        sqlx::query("UPDATE organisations SET configured = true WHERE short_name = 'northwind'")
            .execute(&world.db)
            .await
            .unwrap();
        let get = (Method::GET, CAPABILITIES.to_owned());
        for (org, gateway, currency, portal) in [
            ("northwind", "stripe", "USD", true),
            ("lindgren", "mollie", "EUR", false),
            ("saraswati", "razorpay", "INR", false),
            ("kinabalu", "curlec", "MYR", false),
        ] {
            let reply = call(world, &get, &staff, org).await;
            assert_eq!(reply.header("cache-control"), "no-store");
            let mut expected = json!({ "gateway": gateway, "configured": org == "northwind", "currency": currency,
                "supports_subscriptions": true, "supports_billing_portal": portal });
            // These two charge tax in the demo catalog.
            if ["lindgren", "kinabalu"].contains(&org) {
                expected["prices_include_tax"] = json!(true);
            }
            assert_eq!(reply.json, expected);
        }
        sqlx::query("UPDATE organisations SET gateway = NULL").execute(&world.db).await.unwrap();
        assert_eq!(
            call(world, &get, &staff, "northwind").await.json,
            json!({ "gateway": null, "configured": false, "currency": "USD",
                "supports_subscriptions": false, "supports_billing_portal": false })
        );
    })
    .await;
}

#[tokio::test]
async fn who_is_enrolled_by_an_organisation_is_one_of_its_members() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let get = (Method::GET, CAPABILITIES.to_owned());
        call(world, &get, &bearer(&ada), "lindgren").await.assert_problem(403, "forbidden");
        let (course, mode): (uuid::Uuid, String) = sqlx::query_as(
            "SELECT c.id, m.slug FROM courses c JOIN course_modes m ON m.course_id = c.id
             WHERE c.organisation_id = $1::uuid AND m.expires_at IS NULL ORDER BY 1, 2 LIMIT 1",
        )
        .bind(organisation(world, "lindgren").await)
        .fetch_one(&world.db)
        .await
        .unwrap();
        assert_eq!(world.enroll("ada@example.com", &course.to_string(), &mode).await.status, 200);
        assert_eq!(call(world, &get, &bearer(&ada), "lindgren").await.status, 200);
        let bob = world.platform_user("bob@example.com").await;
        call(world, &get, &bearer(&bob), "lindgren").await.assert_problem(403, "forbidden");
    })
    .await;
}
