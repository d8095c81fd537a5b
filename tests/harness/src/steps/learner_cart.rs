//! The learner's cart at one organisation, over HTTP.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{Organisation, Reply, World};

/// The path of the learner's cart.
pub const CART: &str = "/storeapi/payment/cart/";

/// The path of checkouts of a learner's cart.
pub const CHECKOUT: &str = "/storeapi/payment/checkout/";

/// Creates a learner who may buy from every organisation.
pub async fn learner(world: &World, email: &str) -> Value {
    // With a claim on every organisation: one of them is closed to other learners.
    let organisations = json!(["northwind", "lindgren", "saraswati", "kinabalu"]);
    world.new_platform_user(json!({ "email": email, "hint": false, "organisations": organisations })).await
}

/// Sends a request with a learner's JWT.
pub async fn send(
    world: &World,
    user: &Value,
    organisation: &str,
    method: Method,
    path: &str,
    body: Option<Value>,
) -> Reply {
    let jwt = format!("JWT {}", user["jwt"].as_str().unwrap());
    let request = world
        .http
        .request(method, world.url(path))
        .header("orgName", organisation)
        .header("authorization", jwt);
    Reply::read(match body {
        Some(body) => request.json(&body),
        None => request,
    })
    .await
}

/// The body of a cart with these courses and modes.
pub fn items(courses: &[(&str, &str)]) -> Value {
    let items: Vec<Value> =
        courses.iter().map(|(id, mode)| json!({ "type": "course", "id": id, "mode": mode })).collect();
    json!({ "items": items })
}

/// Replaces a learner's cart by the organisation's paid course.
pub async fn put(world: &World, user: &Value, organisation: &Organisation) -> Reply {
    let body = items(&[(organisation.course, organisation.mode)]);
    send(world, user, organisation.short_name, Method::PUT, CART, Some(body)).await
}

/// Checks out a learner's cart.
pub async fn checkout(world: &World, user: &Value, organisation: &Organisation) -> Reply {
    send(world, user, organisation.short_name, Method::POST, CHECKOUT, None).await
}
