//! Endpoints of webhooks at simulated receivers.

use std::io::Write;

use reqwest::Method;
use serde_json::{Value, json};

use crate::World;
use crate::steps::worker_program::operator;

/// Runs `webhooks` with these words.
pub async fn webhooks(world: &World, words: &[&str]) -> (bool, String) {
    let settings = ["database-url", "gateway-keys", "webhook-allow-private"];
    let settings = match words.first() {
        Some(&("set" | "rotate" | "test")) => &settings[..],
        _ => &settings[..1],
    };
    operator(world, &[&["webhooks"], words].concat(), settings).await
}

/// Sets an endpoint at a simulated receiver. Returns its id and its secret, which no log may show.
pub async fn endpoint(world: &World, organisation: &str, receiver: &str) -> (String, String) {
    endpoint_at(world, organisation, &format!("/_sim/hook/{receiver}")).await
}

/// Sets an endpoint at a path of the simulators.
pub async fn endpoint_at(world: &World, organisation: &str, path: &str) -> (String, String) {
    let (done, said) = webhooks(world, &["set", organisation, &world.simulators.url(path)]).await;
    assert!(done, "{said}");
    let secret = said.lines().find(|line| line.starts_with("whsec_")).unwrap().to_owned();
    world.secrets.lock().unwrap().push(secret[6..].to_owned());
    let id = said.split_once("endpoint ").unwrap().1[..36].to_owned();
    (id, secret)
}

/// Returns what a receiver has got.
pub async fn received(world: &World, receiver: &str) -> Vec<Value> {
    let got = world.sim(Method::GET, &format!("/_sim/hooks?name={receiver}"), None).await;
    got.as_array().unwrap().clone()
}

/// Leaves what was delivered to `tests/sdks`, which has the published libraries verify it.
pub fn leave_for_libraries(secret: &str, deliveries: &[Value]) {
    let Ok(path) = std::env::var("EVENT_RECORDS") else { return };
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    for delivery in deliveries {
        let record = json!({ "secret": secret, "headers": delivery["headers"], "body": delivery["body"] });
        writeln!(file, "{record}").unwrap();
    }
}
