//! Redis clients: plain or with TLS, as the URL says.

use std::time::Duration;

use ::redis::aio::ConnectionLike;
use ::redis::io::tcp::TcpSettings;
use ::redis::{
    Client, ConnectionAddr, ConnectionInfo, ErrorKind, IntoConnectionInfo, ProtocolVersion, ServerErrorKind,
    TlsCertificates,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::RootCertStore;
use secrecy::{ExposeSecret, SecretString};

use crate::tls::{TlsSettings, UrlError};

/// Fault of a server in cluster mode.
pub(crate) const IS_CLUSTER: &str =
    "is a Redis Cluster, which refuses commands over keys of several nodes: name one primary instead";

/// Interval at which a server that does not answer is asked what it is.
const ASKED_EVERY: Duration = Duration::from_secs(5);

/// A client for the server at a `redis://` or `rediss://` URL. It connects on first use, with RESP3 if asked to.
///
/// # Errors
/// The URL is not one of Redis, or names another machine without verified TLS; the error names `setting`.
pub fn client(
    setting: &'static str,
    url: &SecretString,
    protocol: ProtocolVersion,
    tls: &TlsSettings,
) -> Result<Client, UrlError> {
    let unusable = |error: ::redis::RedisError| UrlError::unusable(setting, error);
    let info = url.expose_secret().into_connection_info().map_err(unusable)?;
    let settings = info.redis_settings().clone().set_protocol(protocol);
    // Otherwise a command that follows another one waits until the server acknowledges the first: 40 ms.
    let tcp = TcpSettings::default().set_nodelay(true);
    let info: ConnectionInfo = info.set_redis_settings(settings).set_tcp_settings(tcp);
    match info.addr() {
        ConnectionAddr::TcpTls { insecure: true, .. } => {
            Err(UrlError::unusable(setting, "remove #insecure: the server's certificate must be verified"))
        }
        ConnectionAddr::TcpTls { .. } => {
            let certificates = TlsCertificates { client_tls: None, root_cert: trusted(tls) };
            Client::build_with_tls(info, certificates).map_err(unusable)
        }
        ConnectionAddr::Tcp(host, _) => {
            tls.check(setting, host, "rediss://")?;
            Client::open(info).map_err(unusable)
        }
        _ => Client::open(info).map_err(unusable),
    }
}

/// Logs an error once the server turns out to be a Redis Cluster, which refuses commands over keys of several nodes. Returns
/// once the server has said what it is.
pub async fn report_cluster<C: ConnectionLike>(mut connection: C) {
    loop {
        match ::redis::cmd("INFO").arg("cluster").query_async::<String>(&mut connection).await {
            Ok(info) => {
                if is_cluster(&info) {
                    tracing::error!("REDIS_URL {IS_CLUSTER}");
                }
                return;
            }
            // The user may not ask.
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoPerm) => return,
            Err(_) => tokio::time::sleep(ASKED_EVERY).await,
        }
    }
}

/// Returns whether an answer to `INFO` is a cluster's.
pub(crate) fn is_cluster(info: &str) -> bool {
    info.lines().any(|line| line.trim() == "cluster_enabled:1")
}

/// The private authorities with the system's: the library trusts either these or those. None: the system's alone.
fn trusted(tls: &TlsSettings) -> Option<Vec<u8>> {
    let mut pem = tls.authorities()?.to_owned();
    for certificate in rustls_native_certs::load_native_certs().certs {
        // The library refuses them all for one that it cannot read.
        if RootCertStore::empty().add(certificate.clone()).is_ok() {
            let encoded = STANDARD.encode(&certificate);
            pem += &format!("\n-----BEGIN CERTIFICATE-----\n{encoded}\n-----END CERTIFICATE-----\n");
        }
    }
    Some(pem.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_waits_until_the_one_before_it_is_acknowledged() {
        for url in ["redis://127.0.0.1/", "rediss://redis.example/"] {
            let client =
                client("REDIS_URL", &url.into(), ProtocolVersion::RESP3, &TlsSettings::default()).unwrap();
            assert!(client.get_connection_info().tcp_settings().nodelay(), "{url}");
        }
    }
}
