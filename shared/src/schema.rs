//! Whether the database has the schema that this program was built for. A newer schema is fine: migrations only add
//! what older programs do without (docs/operations.md).

use std::collections::HashSet;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio_util::sync::CancellationToken;

/// The migrations that this program was built with.
pub static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

const LOOK_EVERY: Duration = Duration::from_millis(500);

/// PostgreSQL's codes for a missing table and a missing permission: both come from a database without the migration
/// that lets the programs read what was applied.
const UNREADABLE: [&str; 2] = ["42P01", "42501"];

/// Returns the number of migrations that the database lacks.
///
/// # Errors
/// The database is unavailable.
pub async fn missing(db: &PgPool) -> Result<usize, sqlx::Error> {
    // No macro: sqlx makes this table itself, so that a database for development may not have it.
    let applied = sqlx::query_scalar::<_, i64>("SELECT version FROM _sqlx_migrations WHERE success");
    let applied: HashSet<i64> = match applied.fetch_all(db).await {
        Ok(versions) => versions.into_iter().collect(),
        Err(sqlx::Error::Database(error))
            if error.code().is_some_and(|code| UNREADABLE.contains(&code.as_ref())) =>
        {
            HashSet::new()
        }
        Err(error) => return Err(error),
    };
    Ok(MIGRATIONS.iter().filter(|migration| !applied.contains(&migration.version)).count())
}

/// Waits until the database has all migrations. False if `stop` came first.
pub async fn wait(db: &PgPool, stop: &CancellationToken) -> bool {
    let mut is_logged = false;
    loop {
        let waits_for = match missing(db).await {
            Ok(0) => return true,
            Ok(count) => format!("{count} migrations, which `storefront-worker migrate` applies"),
            Err(error) => format!("the database: {error}"),
        };
        if !is_logged {
            tracing::warn!("waiting for {waits_for}");
            is_logged = true;
        }
        if stop.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_none() {
            return false;
        }
    }
}
