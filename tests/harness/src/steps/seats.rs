//! Pools of seats: bought, read and assigned.

use reqwest::Method;
use serde_json::{Value, json};

use crate::steps::organisation_keys::get;
use crate::steps::payments::{cart_id, reference};
use crate::steps::vouchers::keyed;
use crate::{GUEST_CHECKOUT, Organisation, World};

/// The path of pools of seats.
pub const SEATS: &str = "/storeapi/seats/";

/// The path of quotes.
pub const QUOTE: &str = "/storeapi/discovery/quote/";

/// A guest's basket of seats in the organisation's course.
pub async fn basket(world: &World, organisation: &Organisation, email: &str, seats: i32) -> Value {
    let mut body = world.basket(organisation).await;
    body["email"] = json!(email);
    body["items"][0]["seats"] = json!(seats);
    body
}

/// Seats that a guest has bought: the id of the cart.
pub async fn bought(world: &World, organisation: &Organisation, email: &str, seats: i32) -> String {
    let reply = world.post(GUEST_CHECKOUT, &basket(world, organisation, email, seats).await).await;
    let cart = cart_id(&reply).to_owned();
    let payment = world.payment(&cart).await;
    world.at_provider("pay", reference(&payment), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    cart
}

/// The only pool of the organisation of a key.
pub async fn pool(world: &World, key: &str) -> Value {
    let list = get(world, SEATS, key).await;
    assert_eq!((list.status, &list.json["total_count"]), (200, &json!(1)), "{}", list.text);
    list.json["pools"][0].clone()
}

/// The path of a pool, or of an action on it.
pub fn path(pool: &Value, action: &str) -> String {
    format!("{SEATS}{}/{action}", pool["voucher_id"].as_str().unwrap())
}

/// Assigns seats, waits until each address is done, and returns the rows.
pub async fn assigned(world: &World, key: &str, pool: &Value, emails: &[&str]) -> Vec<Value> {
    let reply = keyed(world, Method::POST, &path(pool, "assign/"), key, &json!({ "emails": emails })).await;
    assert_eq!((reply.status, &reply.json["total"]), (202, &json!(emails.len())), "{}", reply.text);
    let batch = reply.json["batch_id"].as_str().unwrap().to_owned();
    let shown = path(pool, &format!("?batch_id={batch}&limit=100"));
    world
        .eventually("the addresses are done", async |world| {
            get(world, &shown, key).await.json["batch"]["status"] == "done"
        })
        .await;
    let detail = get(world, &shown, key).await.json;
    assert!(detail.get("assignments").is_none(), "{detail}");
    detail["batch"]["rows"].as_array().unwrap().clone()
}

/// Seats, used and left of a pool.
pub async fn counts(world: &World, key: &str) -> (i64, i64, i64) {
    let pool = pool(world, key).await;
    let number = |name: &str| pool[name].as_i64().unwrap();
    (number("seats"), number("used"), number("left"))
}

/// A body without its email, as a learner sends it.
pub fn without_email(body: &Value) -> Value {
    let mut body = body.clone();
    body.as_object_mut().unwrap().remove("email");
    body
}
