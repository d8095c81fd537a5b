//! Authorities that the programs trust, and the rule that they talk to other machines over TLS alone. Opens no
//! connection: each client library gets its certificates from here.
//!
//! Why: `docs/decisions/tls-rule.md`

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use url::Url;

use crate::causes::{causes, host};

/// Authorities that the programs trust, and where they may do without TLS.
#[derive(Clone, Debug, Default, Args)]
pub struct TlsSettings {
    /// PEM file with the certificates of private authorities, which the programs trust in addition to the system's when
    /// they connect to PostgreSQL, Redis, RabbitMQ, the mail server, the course platform, payment providers and the
    /// collector of traces
    #[arg(long, env, value_parser = Authorities::read)]
    pub tls_ca_file: Option<Authorities>,
    /// Allows the programs to connect to other machines without TLS; only in a network that you trust
    #[arg(long, env, default_value_t = false, action = clap::ArgAction::Set)]
    pub allow_plaintext: bool,
}

/// The certificates of private authorities, checked to be readable.
#[derive(Clone)]
pub struct Authorities(Arc<str>);

impl fmt::Debug for Authorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authorities(…)")
    }
}

impl Authorities {
    /// Reads a PEM file.
    ///
    /// # Errors
    /// The file is unreadable, or one of its certificates is, or it has none.
    fn read(path: &str) -> Result<Self, String> {
        let pem = std::fs::read_to_string(Path::new(path)).map_err(|error| error.to_string())?;
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
            let certificate = certificate.map_err(|error| error.to_string())?;
            roots.add(certificate).map_err(|error| error.to_string())?;
        }
        if roots.is_empty() { Err("holds no certificate".into()) } else { Ok(Self(pem.into())) }
    }
}

/// Reason why a server's URL cannot be used. The message names the setting and never repeats the URL, which may contain
/// a password.
#[derive(Debug, thiserror::Error)]
pub enum UrlError {
    /// It is malformed.
    #[error("{setting}: {reason}")]
    Unusable {
        /// The name of the setting.
        setting: &'static str,
        /// Fault of the setting.
        reason: String,
    },
    /// It names another machine without verified TLS.
    #[error(
        "{setting}: {host} is another machine, and the connection would not be encrypted and verified. Use {instead}, or \
         set ALLOW_PLAINTEXT=true in a network that you trust"
    )]
    Plaintext {
        /// The name of the setting.
        setting: &'static str,
        /// The other machine.
        host: String,
        /// Value to write instead.
        instead: &'static str,
    },
}

impl UrlError {
    /// The error for a malformed URL.
    pub fn unusable(setting: &'static str, reason: impl fmt::Display) -> Self {
        Self::Unusable { setting, reason: reason.to_string() }
    }

    /// The error for a client that cannot be made, with all that led to it: the HTTP library's own text does not say that
    /// the system has no certificates of authorities.
    pub fn caused(setting: &'static str, error: &dyn Error) -> Self {
        Self::Unusable { setting, reason: causes(error) }
    }
}

impl TlsSettings {
    /// The private authorities in PEM.
    pub fn authorities(&self) -> Option<&str> {
        self.tls_ca_file.as_ref().map(|file| &*file.0)
    }

    /// Refuses a connection without TLS to another machine, unless the operator allows it.
    ///
    /// # Errors
    /// [`UrlError::Plaintext`], which names the setting and what to use `instead`.
    pub fn check(&self, setting: &'static str, host: &str, instead: &'static str) -> Result<(), UrlError> {
        if self.allow_plaintext || is_loopback(host) {
            return Ok(());
        }
        Err(UrlError::Plaintext { setting, host: host.to_owned(), instead })
    }

    /// As [`Self::check`], for the base URL of an HTTP server.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn check_http(&self, setting: &'static str, url: &Url) -> Result<(), UrlError> {
        match url.scheme() {
            "https" => Ok(()),
            _ => self.check(setting, &host(url), "https://"),
        }
    }
}

/// Returns whether a host is this machine by its name alone: no look-up decides it.
fn is_loopback(host: &str) -> bool {
    let address = host.parse::<IpAddr>().map(|address| address.to_canonical());
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_reached_without_tls() {
        let tls = TlsSettings::default();
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"] {
            assert!(tls.check("X", host, "y").is_ok(), "{host}");
        }
        for host in
            ["", "redis", "localhost.example", "127.0.0.1.example", "10.0.0.1", "0.0.0.0", "::", "fe80::1"]
        {
            assert!(tls.check("X", host, "y").is_err(), "{host}");
        }
        assert!(TlsSettings { allow_plaintext: true, ..tls }.check("X", "redis", "y").is_ok());
    }

    #[test]
    fn an_http_url_is_for_this_machine_alone() {
        let tls = TlsSettings::default();
        for (url, good) in [
            ("https://lms.example/", true),
            ("http://lms.example/", false),
            ("http://[::1]:8000/", true),
            ("http://[::2]:8000/", false),
            ("http://127.0.0.1:8000/", true),
        ] {
            assert_eq!(tls.check_http("X", &url.parse().unwrap()).is_ok(), good, "{url}");
        }
    }

    #[test]
    fn a_file_without_a_certificate_is_refused() {
        assert!(Authorities::read("/dev/null").unwrap_err().contains("no certificate"));
        assert!(Authorities::read("/nowhere").is_err());
    }
}
