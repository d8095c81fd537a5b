//! Browser sessions: well-formed and malformed cookies, JWT cookies beside them, and a platform that fails.

use harness::steps::credentials::{session, text};
use harness::{Reply, SECRET, Setup, World, unknown_session, world};
use jsonwebtoken::Algorithm;
use reqwest::Method;
use serde_json::{Value, json};

use crate::credentials::{base64, forged, jwt_cookies, platform_key};

const LIST: &str = "/storeapi/discovery/courses/";
const PROBE: &str = "/storeapi/discovery/user/";
const CAPABILITIES: &str = "/storeapi/payment/capabilities/";
const ME: &str = "/api/user/v1/me";

async fn read(world: &World, cookie: &str) -> Reply {
    Reply::read(world.http.get(world.url(LIST)).header("cookie", cookie)).await
}

#[tokio::test]
async fn a_malformed_session_is_refused_without_asking_the_platform() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        // The fault hits the first call that reaches the platform.
        world.fault(json!({ "target": "platform", "path": ME, "kind": "status", "status": 500 })).await;
        let good = text(&ada, "sessionid");
        let [changed, longer, older] = [good.replace('|', "|%"), format!("{good}|d"), format!("0{good}")];
        for value in ["x", "1|a|b", "1|a|b|c", "|||", "1||b|c", "\"", "\"1|a|b|c", &changed, &longer, &older]
        {
            for beside in ["", &jwt_cookies(&ada)] {
                let cookie = format!("{beside}sessionid={value}");
                read(world, &cookie).await.assert_problem(401, "unauthenticated");
                let probe = world.request(Method::GET, PROBE).header("cookie", &cookie);
                let probe = Reply::read(probe).await;
                assert_eq!((probe.status, &probe.json["authenticated"]), (200, &json!(false)), "{value}");
            }
        }
        read(world, &session(&ada)).await.assert_problem(503, "unavailable");
        // Quotes around a cookie's value do not belong to the value.
        for quoted in [session(&ada), format!("sessionid=\"{}\"", text(&ada, "sessionid"))] {
            assert_eq!(read(world, &quoted).await.status, 200);
        }
    })
    .await;
}

#[tokio::test]
async fn a_platform_that_stumbles_over_one_session_answers_for_the_others() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let stumbling =
            json!({ "target": "platform", "path": ME, "kind": "status", "status": 500, "count": 12 });
        world.fault(stumbling).await;
        let odd = unknown_session();
        for _ in 0..12 {
            read(world, &odd).await.assert_problem(503, "unavailable");
        }
        assert_eq!(read(world, &session(&ada)).await.status, 200);
    })
    .await;
}

/// Calls with a browser's cookie, for an organisation that is closed to other learners.
pub async fn capabilities(world: &World, cookie: &str) -> u16 {
    let request = world.http.get(world.url(CAPABILITIES)).header("orgName", "lindgren");
    Reply::read(request.header("cookie", cookie)).await.status
}

fn beside(user: &Value, token: &str) -> String {
    let (head, signature) = token.rsplit_once('.').unwrap();
    format!("{}; edx-jwt-cookie-header-payload={head}; edx-jwt-cookie-signature={signature}", session(user))
}

#[tokio::test]
async fn a_jwt_beside_a_session_brings_the_claims_of_the_same_user_only() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let bob = world.platform_user("bob@example.com").await;
        let token = |user: &Value, change: Value| forged(user, change, Algorithm::HS256, &platform_key());
        let claims = json!({ "organisations": ["lindgren"] });
        assert_eq!(capabilities(world, &session(&ada)).await, 403, "a session alone carries no claims");
        for (token, status) in [
            (token(&ada, claims.clone()), 200),
            // A token without a user id is matched by username.
            (token(&ada, json!({ "organisations": ["lindgren"], "user_id": null })), 200),
            (token(&ada, json!({ "organisations": [], "administrator": true })), 200),
            (token(&ada, json!({ "organisations": ["kinabalu"] })), 403),
            (token(&bob, claims.clone()), 403),
            (token(&bob, json!({ "administrator": true })), 403),
            (token(&bob, json!({ "organisations": ["lindgren"], "user_id": null })), 403),
            (token(&ada, json!({ "organisations": ["lindgren"], "exp": 1_000 })), 403),
            (format!("{}x", token(&ada, claims.clone())), 403),
        ] {
            assert_eq!(capabilities(world, &beside(&ada, &token)).await, status, "{token}");
        }
        // The session, not the token, decides who is signed in.
        let probe = world.http.get(world.url(PROBE)).header("clientapisecret", SECRET);
        let probe = probe.header("cookie", beside(&ada, &token(&bob, claims.clone())));
        assert_eq!(Reply::read(probe).await.json["email"], "ada@example.com");
        let ended = beside(
            &json!({ "sessionid": unknown_session().trim_start_matches("sessionid=") }),
            &token(&ada, claims),
        );
        assert_eq!(
            capabilities(world, &ended).await,
            401,
            "the platform ended the session, so the token does not count"
        );
    })
    .await;
}

#[tokio::test]
async fn claims_beside_a_session_end_with_their_token() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let end = world.clock.now().timestamp() + 20;
        let claims = json!({ "organisations": ["lindgren"], "exp": end });
        let cookie = beside(&ada, &forged(&ada, claims, Algorithm::HS256, &platform_key()));
        assert_eq!(capabilities(world, &cookie).await, 200);
        world.clock.advance(chrono::TimeDelta::seconds(25));
        assert_eq!(capabilities(world, &cookie).await, 403);
        assert_eq!(read(world, &cookie).await.status, 200, "the session stays valid");
    })
    .await;
}

#[tokio::test]
async fn tokens_signed_with_a_secret_as_tutor_makes_it_are_accepted() {
    let secret = "AbCdEfGhIjKlMnOpQrStUvWx";
    let keys = json!({ "keys": [{ "kty": "oct", "k": base64(secret.as_bytes()) }] });
    let file = std::env::temp_dir().join(format!("jwt-keys-{}.json", uuid::Uuid::now_v7()));
    std::fs::write(&file, keys.to_string()).unwrap();
    let mut setup = Setup::without_workers();
    setup.api_args = vec![format!("--jwt-keys-file={}", file.display())];
    world(setup, async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let key = jsonwebtoken::EncodingKey::from_secret(secret.as_bytes()).unwrap();
        let token = forged(&ada, json!({}), Algorithm::HS256, &key);
        let request = world.http.get(world.url(LIST)).header("authorization", format!("JWT {token}"));
        assert_eq!(Reply::read(request).await.status, 200);
    })
    .await;
    std::fs::remove_file(file).unwrap();
}
