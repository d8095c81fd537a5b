//! The PostgreSQL pool. It connects on first use, so that a program can start before its database. No SQL here.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use sqlx::{Connection, PgPool};

use crate::settings::{DatabaseSettings, client_name};
use crate::tls::{TlsSettings, UrlError};

const SETTING: &str = "DATABASE_URL";

/// A connection that was idle for longer is tested before its next use: the server may have closed it.
const IDLE_UNTESTED: Duration = Duration::from_secs(1);

/// A pool that waits at most two seconds for a connection, so that callers get an error quickly during an outage.
///
/// # Errors
/// The URL is not a PostgreSQL URL, or names another machine without verified TLS.
pub fn pool(settings: &DatabaseSettings, tls: &TlsSettings, program: &str) -> Result<PgPool, UrlError> {
    pool_of(SETTING, &settings.database_url, settings.database_pool, tls, program)
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
    let options: Result<PgConnectOptions, _> = url.expose_secret().parse();
    let mut options = options.map_err(|error| UrlError::unusable(setting, error))?;
    // Every weaker mode talks to whichever server answers. A socket in the file system has no host.
    if !matches!(options.get_ssl_mode(), PgSslMode::VerifyFull) && options.get_socket().is_none() {
        tls.check(setting, options.get_host(), "sslmode=verify-full in the URL")?;
    }
    if let Some(authorities) = tls.authorities() {
        options = options.ssl_root_cert_from_pem(authorities.as_bytes().to_vec());
    }
    Ok(PgPoolOptions::new()
        .max_connections(size)
        .acquire_timeout(Duration::from_secs(2))
        // A test costs a round trip, so a connection in steady use gets none.
        .test_before_acquire(false)
        .before_acquire(|connection, usage| {
            Box::pin(async move { Ok(usage.idle_for < IDLE_UNTESTED || connection.ping().await.is_ok()) })
        })
        // PgBouncer refuses the library's default for this parameter, which only concerns numbers sent as text.
        .connect_lazy_with(options.extra_float_digits(None).application_name(&client_name(program))))
}

/// Whether the database answers within a second.
pub async fn answers(db: &PgPool) -> bool {
    let ping = async { db.acquire().await?.ping().await };
    matches!(tokio::time::timeout(Duration::from_secs(1), ping).await, Ok(Ok(())))
}
