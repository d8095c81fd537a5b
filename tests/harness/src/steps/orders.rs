//! Payments and refunds written straight into the database, with their rows of the ledger.

use chrono::{DateTime, Utc};

use crate::World;

/// Records a guest's or learner's open payment as paid at this time, with its row of the ledger.
pub async fn pay(world: &World, cart: &str, at: DateTime<Utc>) {
    let mut tx = world.db.begin().await.unwrap();
    for statement in [
        "UPDATE transactions SET state = 'succeeded', next_check_at = NULL
         WHERE cart_id = $1::uuid AND $2::timestamptz IS NOT NULL",
        "INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway, provider_reference)
         SELECT $2, organisation_id, 'captured', cart_id, id, amount, currency, gateway, provider_reference
         FROM transactions WHERE cart_id = $1::uuid",
        "UPDATE carts SET state = 'paid', paid_at = $2, created_at = least(created_at, $2) WHERE id = $1::uuid",
    ] {
        sqlx::query(statement).bind(cart).bind(at).execute(&mut *tx).await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// Records a refund of the cart's first line, in minor units, with its row of the ledger.
pub async fn refund(world: &World, cart: &str, minor: i64, reason: &str, at: DateTime<Utc>) -> String {
    let mut tx = world.db.begin().await.unwrap();
    let id = uuid::Uuid::now_v7();
    for statement in [
        "INSERT INTO refunds (id, transaction_id, origin, reason, amount, currency, state, actor, asked_at, accepted_at)
         SELECT $1, id, 'api', $4, $3, currency, 'accepted', 'system', $5, $5 FROM transactions WHERE cart_id = $2::uuid",
        "UPDATE transactions SET refunded_amount = refunded_amount + $3
         WHERE cart_id = $2::uuid AND ($1, $4, $5) IS NOT NULL",
        "UPDATE cart_items SET refunded = refunded + $3
         WHERE cart_id = $2::uuid AND position = 0 AND ($1, $4, $5) IS NOT NULL",
        "INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, refund_id, amount, currency, gateway, provider_reference)
         SELECT $5, organisation_id, 'refunded', cart_id, id, $1, -$3, currency, gateway, $4
         FROM transactions WHERE cart_id = $2::uuid",
    ] {
        let statement = sqlx::query(statement).bind(id).bind(cart).bind(minor).bind(reason).bind(at);
        statement.execute(&mut *tx).await.unwrap();
    }
    tx.commit().await.unwrap();
    id.to_string()
}
