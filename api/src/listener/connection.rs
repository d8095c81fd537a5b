//! State of a connection: what it waits for and since when, and the memory of its request's body and its unread answers.
//! HTTP/1.1 answers the requests of a connection one after the other, so a connection has at most one request under way.

use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use moka::sync::Cache as Moka;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

use super::ListenerSettings;
use crate::metrics::Slowness;

/// Memory for the bodies of notifications of one peer that has not proved to be a provider. A provider's notification has a
/// few KiB.
const UNPROVEN: usize = 2 * 1024 * 1024;

/// Time that a notification's body may take: a provider sends it at once.
const NOTIFICATION_TIMEOUT: Duration = Duration::from_secs(5);

/// An idle connection keeps hyper's buffers for this time.
const BUFFERS_KEPT: Duration = Duration::from_secs(1);

/// Maximum number of peers whose bodies are counted.
const PEERS: u64 = 100_000;

/// A peer's bodies are counted for this time after the last one.
const PEER_FORGOTTEN: Duration = Duration::from_secs(60);

/// A public connection. Each of its requests has a copy among its extensions.
#[derive(Clone)]
pub struct Connection {
    settings: Arc<ListenerSettings>,
    memory: Arc<Memory>,
    state: Arc<Mutex<State>>,
}

/// Kind of a body, which decides from which memory it takes.
#[derive(Clone, Copy)]
pub enum BodyKind {
    /// A provider's notification: any caller may send one, and it may be large. `unproven` is the peer, unless a genuine one
    /// has come from there.
    Notification {
        unproven: Option<IpAddr>,
    },
    Other,
}

/// The memory for the bodies of all connections; a permit for each byte. Notifications have their own, so that they
/// leave no other request without memory; one peer leaves the others some of it.
pub(super) struct Memory {
    notifications: Arc<Semaphore>,
    unproven: Moka<IpAddr, Arc<Semaphore>>,
    others: Arc<Semaphore>,
    answers: Arc<Semaphore>,
    all_answers: usize,
}

impl Memory {
    /// Half of the bytes of requests for each kind.
    pub(super) fn new(requests: usize, answers: usize) -> Self {
        let permits = |bytes| Arc::new(Semaphore::new(bytes));
        let unproven = Moka::builder().max_capacity(PEERS).time_to_idle(PEER_FORGOTTEN).build();
        let (notifications, others) = (permits(requests / 2), permits(requests / 2));
        Self { notifications, unproven, others, answers: permits(answers), all_answers: answers }
    }

    fn of_peer(&self, peer: IpAddr) -> Arc<Semaphore> {
        self.unproven.get_with(peer, || Arc::new(Semaphore::new(UNPROVEN)))
    }
}

struct State {
    step: Step,
    /// Since when the client has not read what was to be sent.
    unread_since: Option<Instant>,
    /// The memory that the body of the request under way takes, of all bodies and of its peer's.
    body: Held,
    of_peer: Held,
    /// The memory that the answers take which the client has not read to their end.
    answers: Held,
}

/// Permits of one semaphore.
#[derive(Default)]
struct Held(Option<OwnedSemaphorePermit>);

impl Held {
    /// Returns false if too little is left. Takes from the semaphore of what is held already, if there is any.
    fn take(&mut self, memory: Arc<Semaphore>, bytes: usize) -> bool {
        let memory = self.0.as_ref().map_or(memory, |held| Arc::clone(held.semaphore()));
        let taken = u32::try_from(bytes).ok().and_then(|bytes| memory.try_acquire_many_owned(bytes).ok());
        let Some(taken) = taken else { return false };
        match &mut self.0 {
            Some(held) => held.merge(taken),
            held => *held = Some(taken),
        }
        true
    }
}

#[derive(Clone, Copy)]
enum Step {
    Head { since: Instant },
    Request,
    Idle { since: Instant },
}

/// Too little memory is left for a body or an answer.
pub enum NoMemory {
    /// Of what one peer may take.
    OfPeer,
    OfAll,
}

impl Connection {
    /// A connection that was just accepted.
    pub(super) fn new(settings: Arc<ListenerSettings>, memory: Arc<Memory>) -> Self {
        let step = Step::Head { since: Instant::now() };
        let (body, of_peer, answers) = Default::default();
        let state = State { step, unread_since: None, body, of_peer, answers };
        Self { settings, memory, state: Arc::new(Mutex::new(state)) }
    }

    /// Returns how long a client may take to send a body.
    pub fn body_timeout(&self, kind: BodyKind) -> Duration {
        match kind {
            BodyKind::Notification { .. } => self.settings.body_timeout.min(NOTIFICATION_TIMEOUT),
            BodyKind::Other => self.settings.body_timeout,
        }
    }

    /// Takes memory for bytes of a body that have arrived, until the request under way is answered.
    ///
    /// # Errors
    /// The bodies of this kind of all requests under way, or those of the peer, leave too little.
    pub fn hold(&self, kind: BodyKind, bytes: usize) -> Result<(), NoMemory> {
        let mut state = self.lock();
        let all = match kind {
            BodyKind::Notification { unproven } => {
                if let Some(peer) = unproven
                    && !state.of_peer.take(self.memory.of_peer(peer), bytes)
                {
                    return Err(NoMemory::OfPeer);
                }
                &self.memory.notifications
            }
            BodyKind::Other => &self.memory.others,
        };
        if state.body.take(Arc::clone(all), bytes) { Ok(()) } else { Err(NoMemory::OfAll) }
    }

    /// Takes memory for an answer, until the client has read it. One that is larger than all the memory takes all.
    ///
    /// # Errors
    /// The answers that other clients have not read leave too little.
    pub fn hold_answer(&self, bytes: u64) -> Result<(), NoMemory> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(self.memory.all_answers);
        let taken = self.lock().answers.take(Arc::clone(&self.memory.answers), bytes);
        if taken { Ok(()) } else { Err(NoMemory::OfAll) }
    }

    /// Marks a request as under way until the result is dropped.
    pub(super) fn begin_request(&self) -> UnderWay {
        self.lock().step = Step::Request;
        UnderWay(self.clone())
    }

    /// Notes that bytes have arrived: if the connection was idle, they begin the head of a request, unless all are line breaks.
    /// Some clients send one after a body. While an answer is unread, the next head waits for it.
    pub(super) fn arrived(&self, bytes: &[u8]) {
        let mut state = self.lock();
        if let State { step: Step::Idle { .. }, unread_since: None, .. } = *state
            && line_breaks(bytes) < bytes.len()
        {
            state.step = Step::Head { since: Instant::now() };
        }
    }

    /// Waits until the connection has been idle for [`BUFFERS_KEPT`], with all answers sent.
    pub(super) async fn idle(&self) {
        loop {
            let since = match &*self.lock() {
                State { step: Step::Idle { since }, unread_since: None, .. } => *since,
                _ => Instant::now(),
            };
            if since.elapsed() >= BUFFERS_KEPT {
                return;
            }
            sleep_until(since + BUFFERS_KEPT).await;
        }
    }

    /// Waits until the client has taken too long for a step. Poll it after everything that may change the step.
    pub(super) async fn too_slow(&self) -> Slowness {
        let mut timer = pin!(sleep_until(Instant::now() + self.settings.header_timeout));
        poll_fn(|cx| {
            loop {
                let Some((deadline, slowness)) = self.deadline() else { return Poll::Pending };
                if timer.is_elapsed() && deadline <= timer.deadline() {
                    return Poll::Ready(slowness);
                }
                // A deadline that has moved away is looked at when the timer elapses: steps change with each request,
                // and setting a timer costs more than looking at it.
                if timer.is_elapsed() || deadline < timer.deadline() {
                    timer.as_mut().reset(deadline);
                }
                ready!(timer.as_mut().poll(cx));
            }
        })
        .await
    }

    fn deadline(&self) -> Option<(Instant, Slowness)> {
        let state = self.lock();
        let step = match state.step {
            Step::Head { since } => Some((since + self.settings.header_timeout, Slowness::Head)),
            Step::Idle { since } if state.unread_since.is_none() => {
                Some((since + self.settings.idle_timeout, Slowness::Idle))
            }
            Step::Idle { .. } | Step::Request => None,
        };
        let answer = state.unread_since.map(|since| (since + self.settings.body_timeout, Slowness::Answer));
        step.into_iter().chain(answer).min_by_key(|(deadline, _)| *deadline)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the bytes before the first one that is not of a line break.
pub(super) fn line_breaks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
}

/// The request under way of a connection.
pub struct UnderWay(Connection);

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.step = Step::Idle { since: Instant::now() };
        (state.body, state.of_peer) = Default::default();
    }
}

/// A socket that tells its connection when bytes arrive, and when its client does not read.
pub struct Watched {
    stream: TcpStream,
    /// Bytes that were read from the socket and not by the reader of this one.
    read: Bytes,
    connection: Connection,
}

impl Watched {
    pub fn new(stream: TcpStream, read: Bytes, connection: Connection) -> Self {
        Self { stream, read, connection }
    }

    pub fn into_stream(self) -> TcpStream {
        self.stream
    }

    fn noting_unread(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_pending() {
            self.connection.lock().unread_since.get_or_insert_with(Instant::now);
        }
        written
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.read.is_empty() {
            let count = self.read.len().min(buf.remaining());
            buf.put_slice(&self.read.split_to(count));
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        self.connection.arrived(buf.filled().get(before..).unwrap_or_default());
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.noting_unread(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.noting_unread(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper flushes when it has written all that it has, so the client has read enough. Nothing more of an answer is to come
    /// once its request has ended.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        {
            let mut state = self.connection.lock();
            state.unread_since = None;
            if !matches!(state.step, Step::Request) {
                state.answers = Held::default();
            }
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
