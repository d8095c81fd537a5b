//! Refunds over HTTP, and what the ledger and the provider have of them.

use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::steps::demo::{FREE_COURSE, PAID_COURSE, organisation};
use crate::steps::organisation_keys::get;
use crate::steps::payments::{begun, cart_id, reference};
use crate::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, World};

/// The provider's refunds of a cart's payment, oldest first.
pub async fn at_provider(world: &World, cart: &str) -> Vec<Value> {
    let ours = world.payment(cart).await["our_reference"].as_str().unwrap().to_owned();
    let refunds = world.sim(Method::GET, &format!("/_sim/refunds?our_reference={ours}"), None).await;
    refunds.as_array().unwrap().clone()
}

/// The path of an order's refunds.
pub fn path(cart: &str) -> String {
    format!("/storeapi/payment/orders/{cart}/refunds/")
}

/// Asks for a refund with a key, under a new idempotency key.
pub async fn refund(world: &World, key: &str, cart: &str, body: &Value) -> Reply {
    refund_again(world, key, cart, body, &Uuid::now_v7().to_string()).await
}

/// Asks for a refund with a key, under this idempotency key.
pub async fn refund_again(world: &World, key: &str, cart: &str, body: &Value, idempotency: &str) -> Reply {
    let request = world.http.post(world.url(&path(cart))).json(body);
    let request = request.header("organisationapikey", key).header("idempotency-key", idempotency);
    Reply::read(request).await
}

/// A guest's cart that is paid and fulfilled, and the provider's reference of its payment.
pub async fn bought(world: &World, organisation: &Organisation, email: &str) -> (String, String) {
    let (cart, payment) = begun(world, organisation, email).await;
    world.at_provider("pay", reference(&payment), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    (cart, reference(&payment).to_owned())
}

/// The ledger of a cart: kind and signed amount in minor units, in order.
pub async fn ledger(world: &World, cart: &str) -> Vec<(String, i64)> {
    sqlx::query_as("SELECT kind, amount FROM ledger WHERE cart_id = $1::uuid ORDER BY seq")
        .bind(cart)
        .fetch_all(&world.db)
        .await
        .unwrap()
}

/// An entry as [`ledger`] returns it.
pub fn entry(kind: &str, minor: i64) -> (String, i64) {
    (kind.to_owned(), minor)
}

/// An order, read with a key.
pub async fn order(world: &World, key: &str, cart: &str) -> Value {
    let reply = get(world, &format!("/storeapi/payment/orders/{cart}/"), key).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json
}

/// Another course of the organisation that is sold in mode `verified`.
pub async fn other_course(world: &World, organisation: &Organisation) -> String {
    sqlx::query_scalar(
        "SELECT c.id::text FROM courses c JOIN organisations o ON o.id = c.organisation_id
         JOIN course_modes m ON m.course_id = c.id
         WHERE o.short_name = $2 AND m.slug = 'verified' AND m.price > 0 AND c.is_published
           AND NOT c.is_invite_only AND c.id <> $1::uuid AND (c.ends_at IS NULL OR c.ends_at > now())
           AND (c.enrollment_end IS NULL OR c.enrollment_end > now()) AND (c.enrollment_start IS NULL OR c.enrollment_start < now())
         ORDER BY c.id LIMIT 1",
    )
    .bind(organisation.course)
    .bind(organisation.short_name)
    .fetch_one(&world.db)
    .await
    .unwrap()
}

/// A cart of three lines at Stripe: two at a price, one that costs nothing.
pub async fn three_lines(world: &World, email: &str) -> (String, String) {
    let other = other_course(world, &ORGANISATIONS[0]).await;
    let items: Vec<Value> = [(PAID_COURSE, "verified"), (FREE_COURSE, "audit"), (&other, "verified")]
        .iter()
        .map(|(id, mode)| json!({ "type": "course", "id": id, "mode": mode }))
        .collect();
    let seller = organisation(world, "northwind").await;
    let basket = json!({ "organisation_id": seller, "items": items, "email": email });
    let reply = world.post(GUEST_CHECKOUT, &basket).await;
    let cart = cart_id(&reply).to_owned();
    let payment = world.payment(&cart).await;
    world.at_provider("pay", reference(&payment), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    (cart, reference(&payment).to_owned())
}

/// Stripe refuses refunds until the faults are removed. Looks at the list, which webhooks cause, use faults up too.
pub async fn stripe_refuses(world: &World) {
    let fault =
        json!({ "target": "stripe", "path": "refunds", "kind": "status", "status": 402, "count": 50 });
    world.fault(fault).await;
}
