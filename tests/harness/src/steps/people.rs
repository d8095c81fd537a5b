//! A person whose data is all over the database.

use reqwest::Method;
use serde_json::json;

use crate::steps::demo::{FREE_COURSE, FREE_KEY};
use crate::steps::payments::{EMAIL, cart_id, count, reference};
use crate::steps::refunds::{bought, ledger};
use crate::{GUEST_CHECKOUT, ORGANISATIONS, Reply, World};

/// The address of the other buyer.
pub const EVE: &str = "eve@example.com";

/// A guest's purchase with an idempotency key and a billing address: the cart's id.
async fn bought_with_address(world: &World) -> String {
    let mut body = world.basket(&ORGANISATIONS[0]).await;
    body["email"] = json!(EMAIL);
    body["billing_address"] =
        json!({ "name": "Ada Lovelace", "line1": "12 St James's Square", "city": "London", "country": "GB" });
    let request = world.request(Method::POST, GUEST_CHECKOUT).header("idempotency-key", "ada-1").json(&body);
    let cart = cart_id(&Reply::read(request).await).to_owned();
    let payment = world.payment(&cart).await;
    world.at_provider("pay", reference(&payment), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    cart
}

/// A learner who bought with an address, holds a partner's grant, and has an unpaid cart that expired; beside another buyer.
/// Returns the cart that was paid.
pub async fn with_history(world: &World) -> String {
    world.sell().await;
    world.new_platform_user(json!({ "email": EMAIL, "name": "Ada Lovelace" })).await;
    let cart = bought_with_address(world).await;
    assert_eq!(world.enroll(EMAIL, FREE_COURSE, "audit").await.status, 200);
    world.platform_agrees(EMAIL, FREE_KEY, "audit", true).await;
    bought(world, &ORGANISATIONS[1], EVE).await;
    world
        .eventually("mails are sent and events processed", async |world| {
            count(world, "SELECT count(*) FROM audit_log WHERE to_state = 'mail_sent'").await == 2
                && count(world, "SELECT count(*) FROM inbox WHERE processed_at IS NULL").await == 0
                && count(world, "SELECT count(*) FROM outbox").await == 0
        })
        .await;
    cart
}

/// The tables with a row that contains a text, in any column.
pub async fn tables_with(world: &World, text: &str) -> Vec<String> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    )
    .fetch_all(&world.db)
    .await
    .unwrap();
    let mut found = Vec::new();
    for table in tables {
        let rows = format!("SELECT count(*) FROM {table} r WHERE r::text ILIKE '%' || $1 || '%'");
        let rows: i64 =
            sqlx::query_scalar(sqlx::AssertSqlSafe(rows)).bind(text).fetch_one(&world.db).await.unwrap();
        if rows > 0 {
            found.push(table);
        }
    }
    found
}

/// The money of a cart, now.
pub async fn money(world: &World, cart: &str) -> (Vec<(String, i64)>, (String, i64, Option<String>)) {
    (ledger(world, cart).await, world.transaction(cart).await)
}
