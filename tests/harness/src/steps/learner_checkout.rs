//! The checkout of a whole basket by a learner.

use reqwest::Method;
use serde_json::Value;

use crate::{Reply, World};

const PATH: &str = "/storeapi/discovery/checkout/";

/// Checks out a basket with a learner's session.
pub async fn checkout(world: &World, user: &Value, body: &Value, headers: &[(&str, &str)]) -> Reply {
    let cookie = format!("sessionid={}", user["sessionid"].as_str().unwrap());
    let request = world.request(Method::POST, PATH).header("cookie", cookie).json(body);
    Reply::read(headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))).await
}
