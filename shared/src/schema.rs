//! Check of the database's schema: is it the one that this program was built for? A newer schema is fine: migrations
//! only add what older programs do without (docs/operations.md).

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use crate::db::Db;
use backon::{ExponentialBuilder, Retryable as _};
use sha2::{Digest as _, Sha256};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{AssertSqlSafe, Executor as _, PgExecutor};
use tokio_util::sync::CancellationToken;

/// The migrations that this program was built with.
pub static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

/// The functions and triggers that this program was built with: the texts of `migrations/functions`, in the order of their names.
const FUNCTIONS: &[&str] = &include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// The beginning of the comment on `_sqlx_migrations` with which a database remembers whose functions it has. The version and the SHA-256
/// of their texts follow. A comment survives a dump, and the owner of the table can always write it.
const REMEMBERED: &str = "functions of ";

/// The advisory lock of a transaction that replaces functions.
const REPLACING: i64 = 7_316_076;

const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Part of the schema that a database lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// This many migrations.
    Migrations(usize),
    /// The functions and triggers of this version: it has none, or those of an older version.
    Functions,
    /// The rights of the program's role, or of all roles: a restore can leave them out.
    Rights,
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Migrations(count) => write!(f, "{count} migrations"),
            Self::Functions => f.write_str("the functions of this version"),
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
    if missing > 0 {
        return Ok(Some(Lack::Migrations(missing)));
    }
    let is_behind = newer(&applied) == 0 && found(remembered(db).await?.as_deref()) == Found::Older;
    Ok(is_behind.then_some(Lack::Functions))
}

/// Outcome of `migrate`.
#[derive(Debug)]
pub struct Migrated {
    /// Migrations of a newer version: after a rollback, the pods of the older version migrate before they run.
    pub newer: usize,
    /// True if the functions and triggers had other texts, or were missing.
    pub functions: bool,
    /// True if the roles had lost their rights.
    pub grants: bool,
}

/// Applies the migrations that the database lacks, replaces functions and triggers whose texts have changed, and grants the roles their
/// rights again if they have lost them.
///
/// # Errors
/// The database is unavailable, a migration fails or has failed, or one that was applied has another text here; or the tables
/// belong to another role.
pub async fn migrate(db: &Db) -> Result<Migrated, MigrateError> {
    let mut migrator = Migrator::with_migrations(MIGRATIONS.iter().cloned().collect());
    migrator.set_ignore_missing(true).run(&mut *db.acquire().await?).await?;
    let replace = async || replace_functions(db).await;
    let functions = replace.retry(ExponentialBuilder::default()).when(is_deadlock).await?;
    let grants = !roles_can_look(db).await?;
    if grants {
        let mut tx = db.begin().await?;
        let texts =
            MIGRATIONS.iter().map(|migration| migration.sql.as_str()).chain(FUNCTIONS.iter().copied());
        for statement in texts.flat_map(grants_of) {
            tx.execute(AssertSqlSafe(statement)).await?;
        }
        tx.commit().await?;
    }
    Ok(Migrated { newer: newer(&applied(db).await?), functions, grants })
}

/// Replaces the functions and triggers, unless the database has the same or those of a newer version: a program that was rolled back, or
/// that starts again beside its successor, must not bring its own back. Returns whether it has replaced them.
async fn replace_functions(db: &Db) -> Result<bool, sqlx::Error> {
    let mut tx = db.begin().await?;
    // Several programs may migrate at once, and no two can replace the same function.
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(REPLACING).execute(&mut *tx).await?;
    let is_newer = newer(&applied(&mut *tx).await?) > 0;
    let found = found(remembered(&mut *tx).await?.as_deref());
    let replaces = !is_newer && matches!(found, Found::Older | Found::Changed);
    if replaces {
        // A constraint trigger is dropped before it is made anew; at first there is none.
        tx.execute("SET LOCAL client_min_messages = warning").await?;
        for text in FUNCTIONS {
            tx.execute(*text).await?;
        }
        let remember = format!(
            "COMMENT ON TABLE _sqlx_migrations IS '{REMEMBERED}{}: {}'",
            env!("CARGO_PKG_VERSION"),
            digest()
        );
        tx.execute(AssertSqlSafe(remember)).await?;
    }
    tx.commit().await?;
    Ok(replaces)
}

/// Returns whether the locks of the triggers have crossed those of a program that is running.
fn is_deadlock(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| error.code().as_deref() == Some("40P01"))
}

/// The functions of a database, compared with those of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Same,
    /// None, or those of an older version.
    Older,
    /// Others of the same version, as between two releases.
    Changed,
    /// Those of a newer version.
    Newer,
}

/// Compares the functions that a database remembers.
fn found(remembered: Option<&str>) -> Found {
    let functions = remembered.and_then(|text| text.strip_prefix(REMEMBERED)?.split_once(": "));
    let Some((version, of_texts)) = functions else { return Found::Older };
    if of_texts == digest() {
        return Found::Same;
    }
    match parts(version).cmp(&parts(env!("CARGO_PKG_VERSION"))) {
        Ordering::Less => Found::Older,
        Ordering::Equal => Found::Changed,
        Ordering::Greater => Found::Newer,
    }
}

/// The numbers of a version, which are compared one by one.
fn parts(version: &str) -> Vec<u64> {
    version.split('.').map(|part| part.parse().unwrap_or_default()).collect()
}

/// The SHA-256 of the texts of this program's functions.
fn digest() -> String {
    let mut digest = Sha256::new();
    for text in FUNCTIONS {
        digest.update(text);
    }
    hex::encode(digest.finalize())
}

/// Reads whose functions the database has.
async fn remembered(db: impl PgExecutor<'_>) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT obj_description('_sqlx_migrations'::regclass, 'pg_class')").fetch_one(db).await
}

/// Counts the migrations that this program does not know.
fn newer(applied: &HashSet<i64>) -> usize {
    applied.iter().filter(|version| !MIGRATIONS.version_exists(**version)).count()
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

async fn applied(db: impl PgExecutor<'_>) -> Result<HashSet<i64>, sqlx::Error> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_newer_version_are_no_others_to_replace() {
        let of = |version: &str, digest: &str| format!("{REMEMBERED}{version}: {digest}");
        let own = env!("CARGO_PKG_VERSION");
        for (remembered, expected) in [
            (of(own, &digest()), Found::Same),
            (of("0.9.0", &digest()), Found::Same),
            (of(own, "f00d"), Found::Changed),
            (of("0.9.0", "f00d"), Found::Older),
            (of("99.0.0", "f00d"), Found::Newer),
            ("a comment of somebody else".to_owned(), Found::Older),
        ] {
            assert_eq!(found(Some(&remembered)), expected, "{remembered}");
        }
        assert_eq!(found(None), Found::Older);
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(parts("1.10.0") > parts("1.9.3"));
        assert!(parts("2.0.0") > parts("1.99.0"));
        assert_eq!(parts("1.1.0"), parts("1.1.0"));
    }
}
