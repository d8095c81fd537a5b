//! Check of the database's schema: is it the one that this program was built for? A newer schema is fine: migrations
//! only add what older programs do without (docs/operations.md).

use std::collections::HashSet;
use std::time::Duration;

use crate::db::Db;
use sqlx::migrate::{MigrateError, Migrator};
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
pub async fn missing(db: &Db) -> Result<usize, sqlx::Error> {
    let applied = match applied(db).await {
        Err(sqlx::Error::Database(error))
            if error.code().is_some_and(|code| UNREADABLE.contains(&code.as_ref())) =>
        {
            HashSet::new()
        }
        applied => applied?,
    };
    Ok(MIGRATIONS.iter().filter(|migration| !applied.contains(&migration.version)).count())
}

/// Applies the migrations that the database lacks. Returns how many it has of a newer version: after a rollback, the
/// pods of the older version migrate before they run.
///
/// # Errors
/// The database is unavailable, a migration fails or has failed, or one that was applied has another text here.
pub async fn migrate(db: &Db) -> Result<usize, MigrateError> {
    let mut migrator = Migrator::with_migrations(MIGRATIONS.iter().cloned().collect());
    migrator.set_ignore_missing(true).run(&mut *db.acquire().await?).await?;
    Ok(applied(db).await?.into_iter().filter(|version| !MIGRATIONS.version_exists(*version)).count())
}

async fn applied(db: &Db) -> Result<HashSet<i64>, sqlx::Error> {
    // No macro: sqlx makes this table itself, so that a database for development may not have it.
    let applied = sqlx::query_scalar::<_, i64>("SELECT version FROM _sqlx_migrations WHERE success");
    Ok(applied.fetch_all(db).await?.into_iter().collect())
}

/// Waits until the database has all migrations. False if `stop` came first.
pub async fn wait(db: &Db, stop: &CancellationToken) -> bool {
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
