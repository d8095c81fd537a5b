//! Every write to PostgreSQL, one file per aggregate, and the reads that decide what is written.
//! Functions take a connection: the job that calls them owns the transaction. No HTTP here.

pub mod addresses;
pub mod attempts;
pub mod attention;
pub mod audit;
pub mod backlog;
pub mod bought_access;
pub mod cart_items;
pub mod carts;
pub mod catalog;
pub mod catalog_sync;
pub mod checks;
pub mod commands;
pub mod disputes;
pub mod enrollments;
pub mod export;
pub mod fulfilments;
pub mod gateways;
pub mod history;
pub mod holdings;
pub mod import;
pub mod inbox;
pub mod learners;
pub mod ledger;
pub mod members;
pub mod offers;
pub mod organisation_keys;
pub mod organisations;
pub mod outbox;
pub mod past_refunds;
pub mod refunds;
pub mod registrations;
pub mod removals;
pub mod sync;
pub mod timeline;
pub mod transactions;
pub mod upgrades;

use sqlx::PgConnection;

/// Tries to take an advisory lock, which one connection over all workers can hold. It ends with the connection.
pub async fn try_lock(db: &mut PgConnection, name: i64) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT pg_try_advisory_lock($1) AS "locked!""#, name).fetch_one(db).await
}
