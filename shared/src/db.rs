//! The PostgreSQL pool. It connects on first use, so that a program can start before its database. No SQL here.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use sqlx::{Connection, PgPool};

use crate::settings::{DatabaseSettings, client_name};
use crate::tls::{TlsSettings, UrlError};

const SETTING: &str = "DATABASE_URL";

/// A connection of a busy pool that was idle for longer is tested before its next use.
const IDLE_UNTESTED: Duration = Duration::from_secs(1);

/// A pool that waits at most two seconds for a connection, so that callers get an error quickly during an outage.
///
/// # Errors
/// The URL is not a PostgreSQL URL, or names another machine without verified TLS.
pub fn pool(settings: &DatabaseSettings, tls: &TlsSettings, program: &str) -> Result<PgPool, UrlError> {
    Ok(options(settings.database_pool).connect_lazy_with(server(
        SETTING,
        &settings.database_url,
        tls,
        program,
    )?))
}

/// As [`pool`], but a connection is tested before a use only if it was idle for a second: a test costs a round trip. A job
/// whose connection the server has closed within that second fails.
///
/// # Errors
/// As [`pool`].
pub fn busy_pool(settings: &DatabaseSettings, tls: &TlsSettings, program: &str) -> Result<PgPool, UrlError> {
    let options =
        options(settings.database_pool).test_before_acquire(false).before_acquire(|connection, usage| {
            Box::pin(async move { Ok(usage.idle_for < IDLE_UNTESTED || connection.ping().await.is_ok()) })
        });
    Ok(options.connect_lazy_with(server(SETTING, &settings.database_url, tls, program)?))
}

/// As [`pool`], for the URL of another setting.
///
/// # Errors
/// As [`pool`].
pub fn pool_of(
    setting: &'static str,
    url: &SecretString,
    size: u32,
    tls: &TlsSettings,
    program: &str,
) -> Result<PgPool, UrlError> {
    Ok(options(size).connect_lazy_with(server(setting, url, tls, program)?))
}

fn options(size: u32) -> PgPoolOptions {
    PgPoolOptions::new().max_connections(size).acquire_timeout(Duration::from_secs(2))
}

fn server(
    setting: &'static str,
    url: &SecretString,
    tls: &TlsSettings,
    program: &str,
) -> Result<PgConnectOptions, UrlError> {
    let options: Result<PgConnectOptions, _> = url.expose_secret().parse();
    let mut options = options.map_err(|error| UrlError::unusable(setting, error))?;
    // Every weaker mode talks to whichever server answers. A socket in the file system has no host.
    if !matches!(options.get_ssl_mode(), PgSslMode::VerifyFull) && options.get_socket().is_none() {
        tls.check(setting, options.get_host(), "sslmode=verify-full in the URL")?;
    }
    if let Some(authorities) = tls.authorities() {
        options = options.ssl_root_cert_from_pem(authorities.as_bytes().to_vec());
    }
    // PgBouncer refuses the library's default for this parameter, which only concerns numbers sent as text.
    Ok(options.extra_float_digits(None).application_name(&client_name(program)))
}

/// Returns whether the database answers within a second.
pub async fn answers(db: &PgPool) -> bool {
    let ping = async { db.acquire().await?.ping().await };
    matches!(tokio::time::timeout(Duration::from_secs(1), ping).await, Ok(Ok(())))
}
