//! Every write to PostgreSQL, and the reads that decide what is written, by topic and aggregate. Below it is [`model`]:
//! rules of money without SQL. No HTTP here, and nothing of the worker.
//!
//! Functions take a connection: the job that calls them owns the transaction. They fail with a
//! [`JobError`](error::JobError), which says what becomes of the job's message.

#![expect(
    clippy::missing_errors_doc,
    reason = "nearly all fail because the database is unavailable; others say so"
)]

// Cargo builds the checked queries again when their types change.
const _: &str = include_str!("../sqlx.toml");

pub mod access;
pub mod alert;
pub mod catalog;
pub mod error;
pub mod events;
pub mod model;
pub mod money;
pub mod move_in;
pub mod people;
pub mod plumbing;
pub mod sales;

use shared::db::Db;

/// The connection's role, and whether it may create tables, as migrations do.
pub async fn role(db: &Db) -> Result<(String, bool), sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT current_user::text AS "name!", has_schema_privilege('public', 'CREATE') AS "may_create!""#
    );
    let row = row.fetch_one(db).await?;
    Ok((row.name, row.may_create))
}
