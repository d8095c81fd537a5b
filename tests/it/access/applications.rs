//! Tokens of OAuth applications: which of them are the learner, and which may only read for the learner.

use harness::steps::credentials::{session, text};
use harness::steps::demo::{FREE_COURSE, organisation};
use harness::{Reply, SECRET, Setup, World, world};
use jsonwebtoken::Algorithm;
use reqwest::Method;
use serde_json::{Value, json};

use crate::credentials::{forged, jwt_cookies, platform_key};
use crate::sessions::capabilities;

const CART: &str = "/storeapi/payment/cart/";
const REFUND: &str = "/storeapi/payment/orders/00000000-0000-4000-8000-000000000000/refunds/";
/// The password of every learner here.
const PASSWORD: &str = "Edx-Pass-2026!";

async fn send(world: &World, (method, path): (Method, &str), token: &str, body: &Value) -> Reply {
    let request = world.http.request(method.clone(), world.url(path)).header("clientapisecret", SECRET);
    let request = request.header("authorization", format!("JWT {token}")).header("orgName", "northwind");
    Reply::read(if method == Method::GET { request } else { request.json(body) }).await
}

/// Every route on which a learner changes something, with a body that it accepts.
async fn writes(world: &World) -> Vec<((Method, &'static str), Value)> {
    let items = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
    let checkout = json!({ "organisation_id": organisation(world, "northwind").await, "items": items });
    vec![
        ((Method::PUT, CART), json!({ "items": items })),
        ((Method::POST, "/storeapi/discovery/checkout/"), checkout),
        ((Method::POST, REFUND), json!({})),
    ]
}

async fn assert_reads_alone(world: &World, token: &str, name: &str) {
    assert_eq!(send(world, (Method::GET, CART), token, &Value::Null).await.status, 200, "{name} reads");
    for (route, body) in writes(world).await {
        let refused = send(world, route.clone(), token, &body).await;
        assert_eq!(
            (refused.status, &refused.json["code"]),
            (403, &json!("forbidden")),
            "{name} at {route:?}"
        );
    }
    let url = world.url("/storeapi/payment/checkout/");
    let request = world.http.post(url).header("authorization", format!("JWT {token}"));
    Reply::read(request.header("orgName", "northwind")).await.assert_problem(403, "forbidden");
}

async fn assert_acts(world: &World, token: &str, name: &str) {
    for (route, body) in writes(world).await {
        let expected = if route.1 == REFUND { 404 } else { 200 };
        assert_eq!(send(world, route.clone(), token, &body).await.status, expected, "{name} at {route:?}");
    }
}

#[tokio::test]
async fn a_token_of_a_limited_application_reads_for_the_learner_and_changes_nothing() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let token = |claims: Value| forged(&ada, claims, Algorithm::HS256, &platform_key());
        let all = ["read", "write", "email", "profile", "user_id"];
        let own = ["user_id", "email", "profile"];
        for claims in [
            json!({ "is_restricted": true }),
            json!({ "is_restricted": true, "scopes": all, "filters": ["user:me"] }),
            json!({ "scopes": all, "filters": ["content_org:Acme", "user:me"] }),
            json!({ "scopes": all, "filters": ["content_org:Acme"] }),
            json!({ "scopes": ["read", "email", "profile", "user_id"], "grant_type": "password" }),
            json!({ "scopes": ["email", "profile"], "grant_type": "password" }),
            json!({ "scopes": own, "grant_type": "authorization-code", "filters": ["user:me"] }),
            json!({ "scopes": own }),
            json!({ "scopes": [], "grant_type": "password" }),
            // Claims are missing, so the platform is asked, too.
            json!({ "scopes": ["profile"], "user_id": null, "email": null }),
        ] {
            assert_reads_alone(world, &token(claims.clone()), &claims.to_string()).await;
        }
        let enrollments: i64 =
            sqlx::query_scalar("SELECT count(*) FROM enrollments").fetch_one(&world.db).await.unwrap();
        assert_eq!(enrollments, 0);
        for claims in [
            json!({ "scopes": all, "filters": ["user:me"], "grant_type": "authorization-code" }),
            json!({ "scopes": own, "filters": ["user:me"], "grant_type": "password", "is_restricted": false }),
            json!({ "scopes": null, "filters": null, "grant_type": null }),
        ] {
            assert_acts(world, &token(claims.clone()), &claims.to_string()).await;
        }
        // The platform's own sign-in: the token and the cookies that the simulator issues as the platform does.
        assert_acts(world, &text(&ada, "jwt"), "the platform's own token").await;
    })
    .await;
}

/// The JWT that the platform issues when a learner signs in through an application.
async fn issued(world: &World, application: Value, scope: Option<&str>) -> String {
    let id = application["client_id"].as_str().unwrap().to_owned();
    world.sim(Method::POST, "/_sim/clients", Some(application)).await;
    let mut form = vec![
        ("grant_type", "password"),
        ("client_id", &id),
        ("username", "ada"),
        ("password", PASSWORD),
        ("token_type", "jwt"),
    ];
    form.extend(scope.map(|scope| ("scope", scope)));
    let request = world.http.post(world.simulators.url("/platform/oauth2/access_token")).form(&form);
    let answer = Reply::read(request).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json["access_token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn what_the_platform_issues_to_an_application_decides() {
    world(Setup::default(), async |world| {
        let ada =
            json!({ "email": "ada@example.com", "username": "ada", "password": PASSWORD, "hint": false });
        world.new_platform_user(ada).await;
        let client = |id: &str| json!({ "client_id": id, "username": "owner" });
        let full = issued(world, client("mobile"), None).await;
        assert_acts(world, &full, "an application with all scopes").await;
        let mut restricted = client("restricted");
        restricted["restricted"] = json!(true);
        let restricted = issued(world, restricted, None).await;
        assert_reads_alone(world, &restricted, "a restricted application").await;
        let mut partner = client("partner");
        partner["filters"] = json!(["content_org:Acme"]);
        let filtered = issued(world, partner, None).await;
        assert_reads_alone(world, &filtered, "an application of one organisation").await;
        for scope in ["read", "read email profile", "profile"] {
            let narrow = issued(world, client(scope), Some(scope)).await;
            assert_reads_alone(world, &narrow, scope).await;
        }
    })
    .await;
}

#[tokio::test]
async fn claims_of_a_limited_application_add_nothing_to_a_session() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let beside = |claims: Value| {
            let token = forged(&ada, claims, Algorithm::HS256, &platform_key());
            let (head, signature) = token.rsplit_once('.').unwrap();
            format!(
                "{}; edx-jwt-cookie-header-payload={head}; edx-jwt-cookie-signature={signature}",
                session(&ada)
            )
        };
        let member = json!({ "organisations": ["lindgren"] });
        assert_eq!(capabilities(world, &beside(member)).await, 200);
        let limited = json!({ "organisations": ["lindgren"], "is_restricted": true });
        assert_eq!(capabilities(world, &beside(limited)).await, 403);
        assert_eq!(
            capabilities(world, &jwt_cookies(&ada)).await,
            403,
            "the platform's cookies claim no organisation"
        );
    })
    .await;
}
