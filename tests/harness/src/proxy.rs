//! A TCP proxy in front of a server: it forwards everything, closes all connections, or keeps them open and silent.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{self, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::statements::Statements;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Passing,
    /// Open connections are closed, and new ones at once.
    Cut,
    /// Connections stay open, but no byte passes.
    Silent,
}

/// A running proxy; dropping it closes its listener.
pub struct Proxy {
    pub address: SocketAddr,
    /// Statements that clients have run, if it is in front of a PostgreSQL.
    pub statements: Statements,
    state: watch::Sender<State>,
    target: Arc<Mutex<String>>,
    task: tokio::task::JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy in front of `target`, a `host:port`.
    pub async fn start(target: &str) -> Self {
        Self::start_reading(target, None).await
    }

    /// Starts a proxy in front of a PostgreSQL, whose statements it reads.
    pub async fn start_postgres(target: &str) -> Self {
        Self::start_reading(target, Some(Statements::default())).await
    }

    async fn start_reading(target: &str, statements: Option<Statements>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (state, changes) = watch::channel(State::Passing);
        let target = Arc::new(Mutex::new(target.to_owned()));
        let leads_to = Arc::clone(&target);
        let reading = statements.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let target = leads_to.lock().expect("a target").clone();
                tokio::spawn(pass(client, target, changes.clone(), reading.clone()));
            }
        });
        Self { address, statements: statements.unwrap_or_default(), state, target, task }
    }

    /// Leads new connections to another server, and leaves the others as they are.
    pub fn lead_to(&self, target: &str) {
        target.clone_into(&mut self.target.lock().expect("a target"));
    }

    /// Closes all connections, and new ones at once.
    pub fn cut(&self) {
        self.state.send_replace(State::Cut);
    }

    /// Keeps connections open but passes no byte, also after [`Self::restore`], as if the host had vanished.
    pub fn silence(&self) {
        self.state.send_replace(State::Silent);
    }

    /// Passes new connections again.
    pub fn restore(&self) {
        self.state.send_replace(State::Passing);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(
    mut client: TcpStream,
    target: String,
    mut changes: watch::Receiver<State>,
    reading: Option<Statements>,
) {
    if *changes.borrow_and_update() != State::Passing {
        return hold(client, changes).await;
    }
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    // Without Nagle's delay, which would count as the server's latency.
    let _ = client.set_nodelay(true).and_then(|()| server.set_nodelay(true));
    let broken = tokio::select! {
        _ = copy(&mut client, &mut server, reading) => false,
        () = async { changes.wait_for(|state| *state != State::Passing).await.map_or((), |_| ()) } => true,
    };
    // A connection that was silenced stays so, even after new ones pass.
    if broken {
        hold(client, changes).await;
    }
}

async fn copy(client: &mut TcpStream, server: &mut TcpStream, reading: Option<Statements>) -> io::Result<()> {
    let Some(statements) = reading else { return copy_bidirectional(client, server).await.map(drop) };
    let ((mut asked, mut answered), (mut answers, mut asks)) = (client.split(), server.split());
    tokio::try_join!(statements.forward(&mut asked, &mut asks), io::copy(&mut answers, &mut answered))
        .map(drop)
}

/// Keeps the connection open and silent until the proxy cuts all.
async fn hold(client: TcpStream, mut changes: watch::Receiver<State>) {
    let _ = changes.wait_for(|state| *state == State::Cut).await;
    drop(client);
}

/// The `host:port` of a server's URL.
pub fn address_of(url: &str, default_port: u16) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or(rest);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.contains(':') { host.to_owned() } else { format!("{host}:{default_port}") }
}

/// The same URL with the proxy's address.
pub fn replace_address(url: &str, address: SocketAddr) -> String {
    let (scheme, rest) = url.split_once("://").expect("a URL");
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let credentials =
        authority.rsplit_once('@').map_or(String::new(), |(credentials, _)| format!("{credentials}@"));
    format!("{scheme}://{credentials}{address}/{path}")
}
