//! The HTTP client of calls to other servers.

use shared::tls::TlsSettings;

/// Builds an HTTP client as every one of the worker is: with its name, and the authorities that it trusts in addition
/// to the system's.
pub fn builder(tls: &TlsSettings) -> Result<reqwest::ClientBuilder, reqwest::Error> {
    // The first of a program's clients installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let name = concat!("storefront-worker/", env!("CARGO_PKG_VERSION"));
    let authorities =
        reqwest::Certificate::from_pem_bundle(tls.authorities().unwrap_or_default().as_bytes())?;
    Ok(reqwest::Client::builder().user_agent(name).tls_certs_merge(authorities))
}
