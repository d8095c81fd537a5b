//! The public listener: HTTP/1.1 with bounds on the number of connections, on the time that a client takes for each
//! step, and on the memory for request bodies and for answers that clients do not read.
//!
//! Why: `docs/decisions/http-1-1.md`

mod connection;

use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::mem;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{ConnectInfo, Request};
use axum::response::{IntoResponse, Response};
use bytes::{Buf, BytesMut};
use clap::Args;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use scopeguard::guard;
use shared::settings::parse_duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::{Service, ServiceExt};

use crate::error::ApiError;
use crate::metrics;
use crate::request_log;
pub use connection::{BodyKind, Connection, NoMemory};
use connection::{Memory, UnderWay, Watched, line_breaks};

/// Maximum size of a request's head in bytes, and of a connection's read buffer. Node.js takes as much; nginx takes
/// 8 KiB for a header by default.
const LARGEST_HEAD: usize = 16 * 1024;

/// Memory for the head of a request before hyper has it, which grows with what arrives. Most heads fit.
const USUAL_HEAD: usize = 1024;

/// Answers of up to this size take none of the memory for unread ones.
const SMALL_ANSWER: u64 = 64 * 1024;

/// Memory that an answer of unknown length takes: it is made piece by piece, and the next one once the client has read
/// the last.
const PIECE: u64 = 512 * 1024;

/// Time that the listener waits after it could not accept a connection, mostly because the process has too many files
/// open.
const PAUSE: Duration = Duration::from_secs(1);

/// Limits on what one client, and all clients together, may take of the public listener. The hidden ones are constants: only tests
/// name others.
#[derive(Clone, Debug, Args)]
pub struct ListenerSettings {
    /// Time that a client may take to send the head of a request
    #[arg(long, hide = true, value_parser = parse_duration, default_value = "10s")]
    pub header_timeout: Duration,
    /// Time that a client may take to send the body of a request, and to read an answer
    #[arg(long, hide = true, value_parser = parse_duration, default_value = "30s")]
    pub body_timeout: Duration,
    /// Time that a connection stays open without a request
    #[arg(long, env, value_parser = parse_duration, default_value = "75s")]
    pub idle_timeout: Duration,
    /// Maximum number of public connections; more wait until one is closed
    #[arg(long, hide = true, default_value_t = 10_000)]
    pub max_connections: u32,
    /// Memory for the bodies of all requests under way, in MiB: half of it for notifications, half for all others; the api
    /// refuses more with 503
    #[arg(long, hide = true, default_value_t = 64)]
    pub request_bodies_mib: u32,
    /// Memory for answers over 64 KiB that their clients have not read yet, in MiB; the api refuses further such reads with
    /// 503. The documentation of this service, which all clients share, takes none
    #[arg(long, hide = true, default_value_t = 32)]
    pub unread_answers_mib: u32,
}

/// A listener that serves until it is told to stop.
pub struct Listener {
    socket: TcpListener,
    settings: Arc<ListenerSettings>,
    permits: Arc<Semaphore>,
    memory: Arc<Memory>,
}

impl Listener {
    pub fn new(socket: TcpListener, settings: ListenerSettings) -> Self {
        let count = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        let permits = Arc::new(Semaphore::new(count(settings.max_connections)));
        let [requests, answers] =
            [settings.request_bodies_mib, settings.unread_answers_mib].map(|mib| count(mib) << 20);
        let memory = Arc::new(Memory::new(requests, answers));
        Self { socket, settings: Arc::new(settings), permits, memory }
    }

    /// Serves connections until `stop`, and then waits for the requests under way.
    pub async fn serve<S>(self, service: S, stop: CancellationToken)
    where
        S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
        S::Future: Send,
    {
        let open = TaskTracker::new();
        while let Some(Some((stream, peer, permit))) = stop.run_until_cancelled(self.accept()).await {
            let connection = Connection::new(Arc::clone(&self.settings), Arc::clone(&self.memory));
            let (service, stop) = (service.clone(), stop.clone());
            metrics::connections(1.0);
            let counted = guard(permit, |_| metrics::connections(-1.0));
            open.spawn(async move {
                serve_connection(stream, peer, connection, service, stop).await;
                drop(counted);
            });
        }
        drop(self.socket);
        open.close();
        open.wait().await;
    }

    /// The next connection, once there is a permit for it. Until then the kernel keeps clients waiting.
    async fn accept(&self) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok()?;
        loop {
            match self.socket.accept().await {
                // Otherwise the second part of an answer would wait until the client acknowledges the first: 40 ms.
                Ok((stream, peer)) => {
                    let _ = stream.set_nodelay(true);
                    return Some((stream, peer, permit));
                }
                Err(error) if is_client_error(error.kind()) => {}
                Err(error) => {
                    tracing::error!(%error, "cannot accept connections; trying again in a second");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

/// Returns whether accepting failed because of the client, which has gone.
fn is_client_error(kind: ErrorKind) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(kind, ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Marks an answer whose body is kept in any case: waiting for its reader takes no memory.
#[derive(Clone, Copy)]
pub struct SharedBody;

/// Refuses a large answer to a read while too much waits for clients that do not read. A write has happened: its answer is
/// sent in any case.
pub async fn bound_answer(request: Request, answer: impl AsyncFnOnce(Request) -> Response) -> Response {
    let connection = request.extensions().get::<Connection>().cloned();
    let is_read = request.method().is_safe();
    let response = answer(request).await;
    let bytes = response.body().size_hint().exact().unwrap_or(PIECE);
    if !is_read || bytes <= SMALL_ANSWER || response.extensions().get::<SharedBody>().is_some() {
        return response;
    }
    match connection.map(|connection| connection.hold_answer(bytes)) {
        Some(Err(_)) => {
            request_log::failed("too many bytes wait for clients that do not read");
            ApiError::Unavailable.into_response()
        }
        Some(Ok(())) | None => response,
    }
}

/// Reads until the head of a request has arrived, or what hyper answers or ends without one. Before, a connection has none of
/// hyper's buffers, which would take most of the memory of a slow or idle one.
async fn read_head(stream: &mut TcpStream, head: &mut BytesMut, connection: &Connection) -> io::Result<()> {
    let (mut seen, mut skipped) = (0, 0);
    loop {
        let is_text = head.first().is_none_or(u8::is_ascii_alphabetic);
        let is_over = head.get(usize::saturating_sub(seen, 2)..).is_some_and(ends_head);
        if !is_text || is_over || head.len() >= LARGEST_HEAD {
            return Ok(());
        }
        seen = head.len();
        stream.readable().await?;
        head.reserve(USUAL_HEAD);
        match stream.try_read_buf(head) {
            Ok(0) => return Ok(()),
            Ok(_) => {
                if seen == 0 {
                    let breaks = line_breaks(head);
                    skipped += breaks;
                    head.advance(breaks);
                }
                // A client that sends them without a pause must not keep the thread.
                if skipped > LARGEST_HEAD {
                    return Err(ErrorKind::InvalidData.into());
                }
                connection.arrived(head);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns whether an empty line is among the bytes. Lines may end without a carriage return.
fn ends_head(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair == b"\n\n") || bytes.windows(3).any(|three| three == b"\n\r\n")
}

/// Answers the requests of one connection, until the client closes it or is too slow.
async fn serve_connection<S>(
    mut stream: TcpStream,
    peer: SocketAddr,
    connection: Connection,
    service: S,
    stop: CancellationToken,
) where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let own = connection.clone();
    let answer = service_fn(move |request: axum::http::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(own.clone());
        answer(request, own.begin_request(), service.clone())
    });
    let (mut head, mut too_slow) = (BytesMut::new(), pin!(connection.too_slow()));
    loop {
        tokio::select! {
            biased;
            // An error ends the connection, as its client sees.
            read = read_head(&mut stream, &mut head, &connection) => if read.is_err() { return },
            () = stop.cancelled() => return,
            slowness = too_slow.as_mut() => return metrics::connection_cut(slowness),
        }
        let io = TokioIo::new(Watched::new(stream, mem::take(&mut head).freeze(), connection.clone()));
        // hyper's own timer would end idle connections as early as slow heads.
        let mut serving = http1::Builder::new()
            .header_read_timeout(None)
            .max_buf_size(LARGEST_HEAD)
            .serve_connection(io, answer.clone());
        let mut stopping = false;
        loop {
            tokio::select! {
                biased;
                // First, so that a request whose head was read before the stop is answered.
                _ = &mut serving => return,
                () = stop.cancelled(), if !stopping => {
                    stopping = true;
                    std::pin::Pin::new(&mut serving).graceful_shutdown();
                }
                slowness = too_slow.as_mut() => return metrics::connection_cut(slowness),
                () = connection.idle(), if !stopping => break,
            }
        }
        let hyper = serving.into_parts();
        stream = hyper.io.into_inner().into_stream();
        head = hyper.read_buf.get(line_breaks(&hyper.read_buf)..).unwrap_or_default().into();
        connection.arrived(&head);
    }
}

/// Answers one request, which is under way until its answer has been sent: that may be streamed.
async fn answer<S>(request: Request, under_way: UnderWay, service: S) -> Result<Response, Infallible>
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    let response = service.oneshot(request).await?;
    Ok(response.map(|body| {
        Body::new(body.map_err(move |error| {
            let _held = &under_way;
            error
        }))
    }))
}
