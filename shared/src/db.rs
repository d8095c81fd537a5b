//! The PostgreSQL pool. It connects lazily: a program starts before its database and finds it later.

use std::time::Duration;

use secrecy::ExposeSecret;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::settings::DatabaseSettings;

/// A pool that gives up on a connection after two seconds, so that an outage is answered, not waited out.
///
/// # Errors
/// A URL that is not one of PostgreSQL.
pub fn pool(settings: &DatabaseSettings, application: &str) -> Result<PgPool, sqlx::Error> {
    let options: PgConnectOptions = settings.database_url.expose_secret().parse()?;
    Ok(PgPoolOptions::new()
        .max_connections(settings.database_pool)
        .acquire_timeout(Duration::from_secs(2))
        .connect_lazy_with(options.application_name(application)))
}
