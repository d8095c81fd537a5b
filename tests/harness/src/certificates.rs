//! Certificates of private authorities, and a front that adds TLS to a simulator.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufStream, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// A private authority.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A server's certificate and key in PEM, and the certificate of its authority.
pub struct Certificate {
    pub authority: String,
    pub chain: String,
    pub key: String,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "a private authority");
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority"))
    }

    /// The authority's certificate in PEM, as `TLS_CA_FILE` holds it.
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate for a server with this name.
    pub fn certify(&self, name: &str) -> Certificate {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new([name.to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        Certificate { authority: self.pem(), chain: certificate.pem(), key: key.serialize_pem() }
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}

impl Certificate {
    fn acceptor(&self) -> TlsAcceptor {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let chain = CertificateDer::pem_slice_iter(self.chain.as_bytes());
        let chain = chain.collect::<Result<Vec<_>, _>>().expect("a chain");
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).expect("a key");
        let config = rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key);
        Arc::new(config.expect("a certificate")).into()
    }
}

/// Opening of a connection to a front.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// With the handshake.
    Tls,
    /// With SMTP in plain text, until the client asks for TLS.
    StartTls,
}

/// A port that speaks TLS and passes on what is inside.
pub struct Front {
    pub address: SocketAddr,
    certificate: watch::Sender<TlsAcceptor>,
    refused: Arc<AtomicU32>,
    task: tokio::task::JoinHandle<()>,
}

impl Front {
    /// Starts a front before `target`.
    pub async fn start(certificate: &Certificate, target: SocketAddr, opening: Opening) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (certificate, shown) = watch::channel(certificate.acceptor());
        let refused = Arc::new(AtomicU32::new(0));
        let count = refused.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (acceptor, count) = (shown.borrow().clone(), count.clone());
                tokio::spawn(async move {
                    if pass(client, acceptor, target, opening).await.is_err() {
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        Self { address, certificate, refused, task }
    }

    /// Shows another certificate to new connections.
    pub fn show(&self, certificate: &Certificate) {
        self.certificate.send_replace(certificate.acceptor());
    }

    /// Counts the connections that have broken off, as a client does that does not trust the certificate.
    pub fn refused(&self) -> u32 {
        self.refused.load(Ordering::Relaxed)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(
    client: TcpStream,
    acceptor: TlsAcceptor,
    target: SocketAddr,
    opening: Opening,
) -> std::io::Result<()> {
    let client = if opening == Opening::StartTls { until_starttls(client).await? } else { client };
    let mut client = acceptor.accept(client).await?;
    let mut server = BufStream::new(TcpStream::connect(target).await?);
    if opening == Opening::StartTls {
        // The client has had its greeting.
        server.read_line(&mut String::new()).await?;
    }
    copy_bidirectional(&mut client, &mut server).await.map(drop)
}

/// Answers a client that wants TLS, up to its handshake.
async fn until_starttls(client: TcpStream) -> std::io::Result<TcpStream> {
    let mut client = BufStream::new(client);
    let mut line = String::new();
    for answer in ["220 front\r\n", "250-front\r\n250 STARTTLS\r\n", "220 go on\r\n"] {
        client.write_all(answer.as_bytes()).await?;
        client.flush().await?;
        if !answer.starts_with("220 go") {
            line.clear();
            client.read_line(&mut line).await?;
        }
    }
    if line.trim_end().eq_ignore_ascii_case("STARTTLS") {
        Ok(client.into_inner())
    } else {
        Err(std::io::Error::other("the client sends without TLS"))
    }
}
