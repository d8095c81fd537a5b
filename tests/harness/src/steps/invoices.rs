//! Sales that have an invoice.

use serde_json::{Value, json};

use crate::steps::organisation_keys::get;
use crate::steps::payments::{cart_id, reference};
use crate::steps::tax::{import, rate, seller};
use crate::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, World};

/// The organisation whose invoices are tested.
pub const SHOP: &Organisation = &ORGANISATIONS[0];

/// Makes the shop a seller in Germany, whose prices contain 19 % of tax.
pub async fn sell_with_tax(world: &World) {
    sell_through(world, "own").await;
}

/// The same, with documents that the storefront issues by itself (`own`), that an authority clears, or that another program issues.
pub async fn sell_through(world: &World, issuer: &str) {
    world.sell().await;
    let german = seller(SHOP, "DE", json!({ "footer": "Thank you.", "documents": issuer }));
    import(world, &[german, rate(SHOP, "DE", &[("USt", 19.0)]), rate(SHOP, "FR", &[("TVA", 20.0)])])
        .await
        .unwrap();
}

/// The events that ask another system for documents, oldest first.
pub async fn requested(world: &World, key: &str) -> Vec<Value> {
    let reply = get(world, "/storeapi/events/?types=document.requested", key).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json["events"].as_array().unwrap().iter().map(|event| event["data"].clone()).collect()
}

/// Reports what became of a document.
pub async fn report(world: &World, key: &str, document: &Value, body: &Value) -> Reply {
    let path = format!("/storeapi/payment/documents/{}/report/", document["document_id"].as_str().unwrap());
    Reply::read(world.http.post(world.url(&path)).header("organisationapikey", key).json(body)).await
}

/// A guest's paid and fulfilled order, billed to this address.
pub async fn sold(world: &World, email: &str, address: Value) -> String {
    let mut body = world.basket(SHOP).await;
    body["email"] = json!(email);
    body["billing_address"] = address;
    paid(world, &body).await
}

/// Pays a guest's checkout. Returns the cart's id.
pub async fn paid(world: &World, body: &Value) -> String {
    let begun = world.post(GUEST_CHECKOUT, body).await;
    let cart = cart_id(&begun).to_owned();
    world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    cart
}
