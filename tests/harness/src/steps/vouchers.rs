//! Vouchers, created with an organisation's key.

use reqwest::Method;
use serde_json::Value;

use crate::{Reply, World};

/// The path of vouchers.
pub const VOUCHERS: &str = "/storeapi/vouchers/";

/// Sends a body with a key.
pub async fn keyed(world: &World, method: Method, path: &str, key: &str, body: &Value) -> Reply {
    let request = world.http.request(method, world.url(path)).header("organisationapikey", key);
    Reply::read(request.json(body)).await
}

/// Creates one voucher. Returns its id.
pub async fn voucher(world: &World, key: &str, terms: Value) -> String {
    let created = keyed(world, Method::POST, VOUCHERS, key, &terms).await;
    assert_eq!(created.status, 201, "{}", created.text);
    created.json["vouchers"][0]["voucher_id"].as_str().unwrap().to_owned()
}
