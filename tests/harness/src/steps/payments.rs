//! Paid baskets of guests: the cart, its payment at the provider, and what fulfils it.

use serde_json::{Value, json};

use crate::{Organisation, Reply, World};

/// The address of a guest.
pub const EMAIL: &str = "ada@example.com";

/// The number that a query returns.
pub async fn count(world: &World, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(&world.db).await.unwrap()
}

/// The number of statements that wait for a lock on a table of this world's database. Databases of one template share the ids of
/// their tables.
pub async fn waiting_for(world: &World, table: &str) -> i64 {
    let waiting = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE NOT l.granted AND l.relation = $1::regclass AND d.datname = current_database()";
    sqlx::query_scalar(waiting).bind(table).fetch_one(&world.db).await.unwrap()
}

/// The provider's reference of a payment.
pub fn reference(payment: &Value) -> &str {
    payment["reference"].as_str().unwrap()
}

/// The cart of a checkout that was accepted.
pub fn cart_id(reply: &Reply) -> &str {
    assert_eq!((reply.status, &reply.json["status"]), (200, &json!("success")), "{}", reply.text);
    reply.json["cart_id"].as_str().unwrap()
}

/// A guest's cart that waits for its payment, and the provider's payment for it.
pub async fn begun(world: &World, organisation: &Organisation, email: &str) -> (String, Value) {
    let reply = world.guest_checkout(organisation, email).await;
    let cart = cart_id(&reply).to_owned();
    let payment = world.payment(&cart).await;
    (cart, payment)
}

/// Lets no cart be fulfilled until [`allow_fulfilment`].
pub async fn refuse_fulfilment(world: &World) {
    for statement in [
        "CREATE OR REPLACE FUNCTION refuse_fulfilment() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = 'P0001'; END $$",
        "CREATE TRIGGER refuse_fulfilment BEFORE UPDATE ON carts FOR EACH ROW WHEN (NEW.state = 'fulfilled')
         EXECUTE FUNCTION refuse_fulfilment()",
    ] {
        sqlx::query(statement).execute(&world.db).await.unwrap();
    }
}

/// Ends what [`refuse_fulfilment`] began.
pub async fn allow_fulfilment(world: &World) {
    sqlx::query("DROP TRIGGER refuse_fulfilment ON carts").execute(&world.db).await.unwrap();
}
