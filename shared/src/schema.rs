//! Check of the database's schema: is it the one that this program was built for? A newer schema is fine: migrations
//! only add what older programs do without (docs/operations.md).

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use crate::db::Db;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{AssertSqlSafe, Executor as _};
use tokio_util::sync::CancellationToken;

/// The migrations that this program was built with.
pub static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What a database lacks of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// This many migrations.
    Migrations(usize),
    /// The rights of the program's role, or of all roles: a restore can leave them out.
    Rights,
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Migrations(count) => write!(f, "{count} migrations"),
            Self::Rights => f.write_str("the rights of the programs' roles"),
        }
    }
}

/// Looks for what the database lacks of the schema that this program was built for.
///
/// # Errors
/// The database is unavailable.
pub async fn lack(db: &Db) -> Result<Option<Lack>, sqlx::Error> {
    let applied = match applied(db).await {
        Err(sqlx::Error::Database(error)) => match error.code().as_deref() {
            // No such table.
            Some("42P01") => HashSet::new(),
            // Permission denied.
            Some("42501") => return Ok(Some(Lack::Rights)),
            _ => return Err(sqlx::Error::Database(error)),
        },
        applied => applied?,
    };
    let missing = MIGRATIONS.iter().filter(|migration| !applied.contains(&migration.version)).count();
    Ok((missing > 0).then_some(Lack::Migrations(missing)))
}

/// What `migrate` has found and done.
#[derive(Debug)]
pub struct Migrated {
    /// Migrations of a newer version: after a rollback, the pods of the older version migrate before they run.
    pub newer: usize,
    /// True if the roles had lost their rights.
    pub grants: bool,
}

/// Applies the migrations that the database lacks, and grants the roles their rights again if they have lost them.
///
/// # Errors
/// The database is unavailable, a migration fails or has failed, or one that was applied has another text here; or the tables
/// belong to another role.
pub async fn migrate(db: &Db) -> Result<Migrated, MigrateError> {
    let mut migrator = Migrator::with_migrations(MIGRATIONS.iter().cloned().collect());
    migrator.set_ignore_missing(true).run(&mut *db.acquire().await?).await?;
    let grants = !roles_can_look(db).await?;
    if grants {
        let mut tx = db.begin().await?;
        for statement in MIGRATIONS.iter().flat_map(|migration| grants_of(migration.sql.as_str())) {
            tx.execute(AssertSqlSafe(statement)).await?;
        }
        tx.commit().await?;
    }
    let newer = applied(db).await?.into_iter().filter(|version| !MIGRATIONS.version_exists(*version)).count();
    Ok(Migrated { newer, grants })
}

/// Returns whether both programs can read which migrations were applied, which is the first right that they need.
async fn roles_can_look(db: &Db) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT bool_and(has_column_privilege(role, '_sqlx_migrations', 'version', 'SELECT'))
         FROM unnest(ARRAY['storefront_worker', 'storefront_api']) AS role",
    )
    .fetch_one(db)
    .await
}

/// The statements of a migration that give and take rights, each on lines of its own. In their order they make the present
/// rights, whatever was granted before.
fn grants_of(migration: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in migration.lines().map(str::trim) {
        let begins =
            ["GRANT ", "REVOKE ", "ALTER DEFAULT PRIVILEGES "].iter().any(|verb| line.starts_with(verb));
        match statements.last_mut() {
            Some(open) if is_open => *open += &format!(" {line}"),
            _ if begins => statements.push(line.to_owned()),
            _ => continue,
        }
        is_open = !line.ends_with(';');
    }
    statements
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
        let waits_for = match lack(db).await {
            Ok(None) => return true,
            Ok(Some(lack)) => format!("{lack}, which `storefront-worker migrate` brings"),
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
