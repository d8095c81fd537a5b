//! Every write to PostgreSQL, one file per aggregate, and the reads that decide what is written.
//! Functions take a connection: the job that calls them owns the transaction. No HTTP here.

pub mod attempts;
pub mod attention;
pub mod audit;
pub mod backlog;
pub mod batch_syncs;
pub mod batches;
pub mod bought_access;
pub mod cart_items;
pub mod carts;
pub mod catalog;
pub mod catalog_sync;
pub mod checks;
pub mod commands;
pub mod deliveries;
pub mod disputes;
pub mod documents;
pub mod endpoints;
pub mod enrollments;
pub mod erasure;
pub mod events;
pub mod export;
mod first_grants;
pub mod fulfilments;
pub mod gateways;
pub mod history;
pub mod holdings;
pub mod import;
pub mod inbox;
pub mod invitations;
pub mod learners;
pub mod leases;
pub mod ledger;
pub mod locks;
pub mod mails;
pub mod members;
pub mod offers;
pub mod organisation_keys;
pub mod organisations;
pub mod outbox;
pub mod people;
pub mod refunds;
pub mod registrations;
pub mod removals;
pub mod retention;
pub mod seats;
pub mod sync;
pub mod timeline;
pub mod transactions;
pub mod upgrades;
pub mod vouchers;

use sqlx::PgPool;

/// The connection's role, and whether it may create tables, as migrations do.
pub async fn role(db: &PgPool) -> Result<(String, bool), sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT current_user::text AS "name!", has_schema_privilege('public', 'CREATE') AS "may_create!""#
    );
    let row = row.fetch_one(db).await?;
    Ok((row.name, row.may_create))
}
