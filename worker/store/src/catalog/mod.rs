//! The catalog: its generation, import, export and synchronisation, and organisations.

pub mod course_changes;
pub mod export;
pub mod generation;
pub mod import;
pub mod known;
pub mod organisations;
pub mod sync_state;

use sqlx::PgConnection;

use crate::error::JobResult;

/// Lets a transaction wait for a file or a pipe, however long that takes.
///
/// # Errors
/// The database is unavailable.
pub async fn allow_idle(db: &mut PgConnection) -> JobResult<()> {
    sqlx::query!("SET LOCAL idle_in_transaction_session_timeout = 0").execute(db).await?;
    Ok(())
}
