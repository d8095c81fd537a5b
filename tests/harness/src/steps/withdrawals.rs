//! The right of withdrawal: organisations that offer it, and buyers who agree to its terms and use it.

use serde_json::{Value, json};

use crate::steps::payments::{cart_id, reference};
use crate::{GUEST_CHECKOUT, Organisation, Reply, World};

/// Has an organisation offer a right of withdrawal on these terms.
pub async fn offer(world: &World, organisation: &Organisation, terms: Value) {
    sqlx::query("UPDATE organisations SET withdrawal = $2 WHERE short_name = $1")
        .bind(organisation.short_name)
        .bind(terms)
        .execute(&world.db)
        .await
        .unwrap();
}

/// All that a buyer can agree to.
pub fn all_consents() -> Value {
    json!({ "terms": true, "begin_now": true, "loses_right": true })
}

/// Checks out the organisation's course as a guest who agrees to this.
pub async fn check_out(world: &World, organisation: &Organisation, email: &str, consents: Value) -> Reply {
    let mut body = world.basket(organisation).await;
    (body["email"], body["consents"]) = (json!(email), consents);
    world.post(GUEST_CHECKOUT, &body).await
}

/// A guest's cart that is paid and fulfilled, whose buyer has agreed to this.
pub async fn bought(world: &World, organisation: &Organisation, email: &str, consents: Value) -> String {
    let reply = check_out(world, organisation, email, consents).await;
    let cart = cart_id(&reply).to_owned();
    let payment = world.payment(&cart).await;
    world.at_provider("pay", reference(&payment), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    cart
}

/// The path of declarations.
pub const DECLARE: &str = "/storeapi/payment/withdrawals/";

/// Terms for a service, without a page of terms.
pub fn service() -> Value {
    json!({ "kind": "service", "days": 14 })
}

/// A declaration about an order by this address.
pub fn declaration(order: &str, email: &str) -> Value {
    json!({ "order": order, "email": email, "name": "Ada Lovelace" })
}

/// Declares a withdrawal as a trusted backend does for a guest, without proof.
pub async fn declare(world: &World, body: &Value) -> Reply {
    world.post(DECLARE, body).await
}

/// Declares a withdrawal with the token of a receipt's link.
pub async fn declare_by_link(world: &World, token: &str, body: &Value) -> Reply {
    Reply::read(world.http.post(world.url(&format!("{DECLARE}?token={token}"))).json(body)).await
}

/// The token of the link in the receipt of a cart.
pub async fn token(world: &World, email: &str, cart: &str) -> String {
    let of = async |world: &World| {
        let mails = world.emails(email).await;
        let mut texts =
            mails.iter().filter_map(|mail| mail["text"].as_str()).filter(|text| text.contains(cart));
        texts.find_map(|text| {
            Some(text.split_once("/withdraw/?token=")?.1.split_whitespace().next()?.to_owned())
        })
    };
    world.eventually("a receipt with a link", async |world| of(world).await.is_some()).await;
    of(world).await.unwrap()
}

/// The declarations about a cart, oldest first, by their columns.
pub async fn declared(world: &World, cart: &str) -> Vec<Value> {
    let rows = "SELECT to_jsonb(w) FROM withdrawals w WHERE cart_id = $1::uuid AND state <> 'unmatched' ORDER BY declared_at, id";
    sqlx::query_scalar(rows).bind(cart).fetch_all(&world.db).await.unwrap()
}

/// The mails to an address whose text has all of these words.
pub async fn mails(world: &World, to: &str, words: &[&str]) -> Vec<Value> {
    let all = world.emails(to).await;
    let has =
        |mail: &Value| words.iter().all(|word| mail["text"].as_str().unwrap_or_default().contains(word));
    all.into_iter().filter(|mail| has(mail)).collect()
}

/// Why the oldest declaration about a cart waits for a person, once it does.
pub async fn waits(world: &World, cart: &str) -> String {
    world
        .eventually("the withdrawal waits for a person", async |world| {
            declared(world, cart).await.first().is_some_and(|one| !one["waits_because"].is_null())
        })
        .await;
    declared(world, cart).await[0]["waits_because"].as_str().unwrap().to_owned()
}

/// Declares a withdrawal with a learner's session.
pub async fn declare_as(world: &World, user: &Value, body: &Value) -> Reply {
    let cookie = format!("sessionid={}", user["sessionid"].as_str().unwrap());
    let request =
        world.http.post(world.url(DECLARE)).header("cookie", cookie).header("origin", "http://store.test");
    let reply = Reply::read(request.json(body)).await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    reply
}
