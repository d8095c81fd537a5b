//! The keys that verify JWTs: rotated in a file and at a URL, while the api runs.

use std::path::PathBuf;

use harness::{ApiProcess, Reply, Setup, World, world};
use jsonwebtoken::{Algorithm, EncodingKey};
use reqwest::Method;
use serde_json::{Value, json};

use crate::credentials::{base64, forged, signing_key};

const LIST: &str = "/storeapi/discovery/courses/";
const FIRST: &str = "the first secret of 32 bytes ...";
const SECOND: &str = "another secret of 32 bytes .....";
/// A public key that belongs to no token here: any odd number of 2048 bits will do.
const OTHER_KEY: &str = "3q2-7w";

async fn status(world: &World, token: &str) -> u16 {
    let request = world.http.get(world.url(LIST)).header("authorization", format!("JWT {token}"));
    Reply::read(request).await.status
}

async fn alerts(world: &World) -> u32 {
    let metrics =
        Reply::read(world.http.get(format!("http://{}/metrics", world.apis[0].internal))).await.text;
    let counter = "storefront_alerts_total{what=\"jwt_keys\"} ";
    metrics.lines().find_map(|line| line.strip_prefix(counter)).map_or(0, |count| count.parse().unwrap())
}

/// Has the api read its keys again, and waits until the token gets this answer.
async fn reloaded(world: &World, token: &str, expected: u16) {
    world.apis[0].reload();
    let answered = async |world: &World| status(world, token).await == expected;
    world.eventually("the api has read its keys again", answered).await;
}

/// Has the api read keys that it cannot use, and waits for its alert.
async fn alerted(world: &World) {
    let before = alerts(world).await;
    world.apis[0].reload();
    world.eventually("the api alerts", async |world: &World| alerts(world).await > before).await;
}

fn set_of(secrets: &[&str]) -> String {
    let keys = secrets.iter().map(|secret| json!({ "kty": "oct", "k": base64(secret.as_bytes()) }));
    json!({ "keys": keys.collect::<Vec<_>>() }).to_string()
}

fn key_file() -> PathBuf {
    std::env::temp_dir().join(format!("jwt-keys-{}.json", uuid::Uuid::now_v7()))
}

#[tokio::test]
async fn keys_are_rotated_in_their_file_and_a_broken_file_changes_nothing() {
    let file = key_file();
    std::fs::write(&file, set_of(&[FIRST])).unwrap();
    let api_args = vec![format!("--jwt-keys-file={}", file.display())];
    world(Setup { api_args, ..Setup::without_workers() }, async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let signed = |secret: &str| {
            forged(&ada, json!({}), Algorithm::HS256, &EncodingKey::from_secret(secret.as_bytes()).unwrap())
        };
        let (first, second) = (signed(FIRST), signed(SECOND));
        assert_eq!((status(world, &first).await, status(world, &second).await), (200, 401));
        // During a rotation both count; afterwards the first one is not believed for another second.
        std::fs::write(&file, set_of(&[SECOND, FIRST])).unwrap();
        reloaded(world, &second, 200).await;
        assert_eq!(status(world, &first).await, 200);
        std::fs::write(&file, set_of(&[SECOND])).unwrap();
        reloaded(world, &first, 401).await;
        assert_eq!(status(world, &second).await, 200);
        for broken in ["", "{", r#"{"keys":[]}"#, &set_of(&["short"])] {
            std::fs::write(&file, broken).unwrap();
            alerted(world).await;
            assert_eq!((status(world, &first).await, status(world, &second).await), (401, 200), "{broken}");
        }
        std::fs::remove_file(&file).unwrap();
        alerted(world).await;
        assert_eq!(status(world, &second).await, 200);
    })
    .await;
}

#[tokio::test]
async fn the_program_reads_its_keys_again_on_sighup() {
    let file = key_file();
    std::fs::write(&file, set_of(&[FIRST])).unwrap();
    world(Setup { apis: 0, ..Setup::without_workers() }, async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let keys = format!("--jwt-keys-file={}", file.display());
        let api = ApiProcess::start(world, env!("CARGO_BIN_EXE_storefront-api-under-test"), &[&keys]).await;
        let token =
            forged(&ada, json!({}), Algorithm::HS256, &EncodingKey::from_secret(SECOND.as_bytes()).unwrap());
        let status = async || {
            let request = world.http.get(format!("{}{LIST}", api.base));
            Reply::read(request.header("authorization", format!("JWT {token}"))).await.status
        };
        assert_eq!(status().await, 401);
        std::fs::write(&file, set_of(&[SECOND])).unwrap();
        let sent = std::process::Command::new("kill").args(["-HUP", &api.id().to_string()]).status();
        assert!(sent.unwrap().success());
        world.eventually("the program has read its keys again", async |_| status().await == 200).await;
    })
    .await;
    std::fs::remove_file(&file).unwrap();
}

#[tokio::test]
async fn keys_are_fetched_from_a_url_and_only_public_ones_count() {
    world(Setup { apis: 0, ..Setup::without_workers() }, async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let jwt = &mut world.api_config.identity.jwt;
        jwt.jwt_keys_file = None;
        jwt.jwt_keys_url = Some(world.simulators.url("/_sim/jwks").parse().unwrap());
        // Without an answer the api starts, and cannot tell yet whether a JWT is good.
        world.start_api().await;
        let token = forged(&ada, json!({}), Algorithm::RS512, &signing_key());
        assert_eq!(status(world, &token).await, 503);
        world.eventually("the api alerts", async |world: &World| alerts(world).await > 0).await;
        let published: Value =
            serde_json::from_str(include_str!("../../../deploy/demo-platform-keys.json")).unwrap();
        let rsa = published["keys"].as_array().unwrap().iter().find(|key| key["kty"] == "RSA").unwrap();
        publish(world, &json!({ "keys": [rsa] }).to_string()).await;
        reloaded(world, &token, 200).await;
        let secret =
            forged(&ada, json!({}), Algorithm::HS256, &EncodingKey::from_secret(FIRST.as_bytes()).unwrap());
        for unusable in
            [set_of(&[FIRST]), "<html>".to_owned(), format!("{}{}", set_of(&[]), " ".repeat(70_000))]
        {
            publish(world, &unusable).await;
            alerted(world).await;
            assert_eq!((status(world, &token).await, status(world, &secret).await), (200, 401));
        }
        let mut other = rsa.clone();
        other["n"] = json!(OTHER_KEY.repeat(60));
        publish(world, &json!({ "keys": [other] }).to_string()).await;
        reloaded(world, &token, 401).await;
    })
    .await;
}

async fn publish(world: &World, set: &str) {
    let request = world.http.request(Method::PUT, world.simulators.url("/_sim/jwks")).body(set.to_owned());
    assert_eq!(Reply::read(request).await.status, 204);
}

#[tokio::test]
async fn keys_are_not_fetched_without_tls_from_another_machine() {
    world(Setup::without_workers(), async |world| {
        let mut config = world.api_config.clone();
        config.identity.jwt.jwt_keys_url = Some("http://lms.example/jwks".parse().unwrap());
        let refused = api::start(config, world.clock.clone(), harness::prometheus()).await;
        let refused = refused.err().unwrap().to_string();
        assert!(refused.starts_with("JWT_KEYS_URL: lms.example is another machine"), "{refused}");
    })
    .await;
}
