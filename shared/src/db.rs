//! The PostgreSQL pool. It connects on first use, so that a program can start before its database. No SQL here.

use std::time::Duration;

use secrecy::ExposeSecret;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::settings::DatabaseSettings;

/// A pool that waits at most two seconds for a connection, so that callers get an error quickly during an outage.
///
/// # Errors
/// The URL is not a PostgreSQL URL.
pub fn pool(settings: &DatabaseSettings, application: &str) -> Result<PgPool, sqlx::Error> {
    let options: PgConnectOptions = settings.database_url.expose_secret().parse()?;
    Ok(PgPoolOptions::new()
        .max_connections(settings.database_pool)
        .acquire_timeout(Duration::from_secs(2))
        .connect_lazy_with(options.application_name(application)))
}
