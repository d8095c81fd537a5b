//! The pools of a program, from its settings.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use sqlx::postgres::{PgConnectOptions, PgSslMode};

use super::{Db, Needs};
use crate::settings::{DatabaseSettings, client_name};
use crate::tls::{TlsSettings, UrlError};

const SETTING: &str = "DATABASE_URL";

/// A connection that was acquired longer ago than this is tested before its next use.
const UNTESTED: Duration = Duration::from_millis(20);

/// Same as [`UNTESTED`], for a busy pool.
const BUSY_UNTESTED: Duration = Duration::from_secs(1);

/// A pool for reads. A connection is tested before its next use, unless it was acquired within 20 ms, as for the statements of one
/// request: a read fails if the server ends its connection within that moment.
///
/// # Errors
/// The URL is not a PostgreSQL URL, or names another machine without verified TLS.
pub fn pool(settings: &DatabaseSettings, tls: &TlsSettings, program: &str) -> Result<Db, UrlError> {
    let server = server(SETTING, &settings.database_url, tls, program)?;
    let pool = Db::new(server, settings.database_pool, UNTESTED, Needs::LatestReads);
    pool.map_err(|error| UrlError::unusable(SETTING, error))
}

/// Same as [`pool`], for writes. It tests a connection before a use only if that was acquired more than a second ago, because a test costs a
/// round trip. A job whose connection the server has closed within that second fails.
///
/// # Errors
/// As [`pool`].
pub fn busy_pool(settings: &DatabaseSettings, tls: &TlsSettings, program: &str) -> Result<Db, UrlError> {
    let server = server(SETTING, &settings.database_url, tls, program)?;
    let pool = Db::new(server, settings.database_pool, BUSY_UNTESTED, Needs::Writes);
    pool.map_err(|error| UrlError::unusable(SETTING, error))
}

/// Same as [`pool`], for a replica at the URL of another setting.
///
/// # Errors
/// As [`pool`].
pub fn replica_pool(
    setting: &'static str,
    url: &SecretString,
    size: u32,
    tls: &TlsSettings,
    program: &str,
) -> Result<Db, UrlError> {
    let server = server(setting, url, tls, program)?;
    let pool = Db::new(server, size, UNTESTED, Needs::Reads);
    pool.map_err(|error| UrlError::unusable(setting, error))
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
