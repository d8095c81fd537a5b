//! What a connection waits for and since when, and the memory that the body of its request takes. HTTP/1.1 answers the
//! requests of a connection one after the other, so a connection has at most one request under way.

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use strum::{IntoStaticStr, VariantArray};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

use super::ListenerSettings;

/// The step for which a client has taken too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Slowness {
    /// It has not sent the head of a request to its end.
    Head,
    /// It has sent no further request.
    Idle,
    /// It has not read an answer.
    Answer,
}

/// A public connection. Each of its requests has a copy among its extensions.
#[derive(Clone)]
pub struct Connection {
    settings: Arc<ListenerSettings>,
    body_memory: BodyMemory,
    state: Arc<Mutex<State>>,
}

/// What a body belongs to, which decides from which memory it takes.
#[derive(Clone, Copy)]
pub enum BodyKind {
    /// A provider's notification: any caller may send one, and it may be large.
    Notification,
    Other,
}

/// The memory for the bodies of all connections; a permit for each byte. Notifications have their own, so that they
/// leave no other request without memory.
#[derive(Clone)]
pub(super) struct BodyMemory {
    notifications: Arc<Semaphore>,
    others: Arc<Semaphore>,
}

impl BodyMemory {
    /// Half of the bytes for each kind.
    pub(super) fn new(bytes: usize) -> Self {
        let half = || Arc::new(Semaphore::new(bytes / 2));
        Self { notifications: half(), others: half() }
    }

    fn of(&self, kind: BodyKind) -> Arc<Semaphore> {
        Arc::clone(match kind {
            BodyKind::Notification => &self.notifications,
            BodyKind::Other => &self.others,
        })
    }
}

struct State {
    step: Step,
    /// Since when the client has not read what was to be sent.
    unread_since: Option<Instant>,
    /// The memory that the body of the request under way takes.
    body: Option<OwnedSemaphorePermit>,
}

#[derive(Clone, Copy)]
enum Step {
    Head { since: Instant },
    Request,
    Idle { since: Instant },
}

/// All memory for request bodies of a kind is taken.
pub struct NoBodyMemory;

impl Connection {
    /// A connection that was just accepted.
    pub(super) fn new(settings: Arc<ListenerSettings>, body_memory: BodyMemory) -> Self {
        let step = Step::Head { since: Instant::now() };
        let state = State { step, unread_since: None, body: None };
        Self { settings, body_memory, state: Arc::new(Mutex::new(state)) }
    }

    /// How long a client may take to send a body.
    pub fn body_timeout(&self) -> Duration {
        self.settings.body_timeout
    }

    /// Takes memory for bytes of a body that have arrived, until the request under way is answered.
    ///
    /// # Errors
    /// The bodies of this kind of all requests under way leave too little.
    pub fn hold(&self, kind: BodyKind, bytes: usize) -> Result<(), NoBodyMemory> {
        let bytes = u32::try_from(bytes).map_err(|_| NoBodyMemory)?;
        let taken = self.body_memory.of(kind).try_acquire_many_owned(bytes).map_err(|_| NoBodyMemory)?;
        match &mut self.lock().body {
            Some(body) => body.merge(taken),
            body => *body = Some(taken),
        }
        Ok(())
    }

    /// Marks a request as under way until the result is dropped.
    pub(super) fn begin_request(&self) -> UnderWay {
        self.lock().step = Step::Request;
        UnderWay(self.clone())
    }

    /// Waits until the client has taken too long for a step. Poll it after everything that may change the step.
    pub(super) async fn too_slow(&self) -> Slowness {
        let mut alarm = pin!(sleep_until(Instant::now() + self.settings.header_timeout));
        poll_fn(|cx| {
            loop {
                let Some((deadline, slowness)) = self.deadline() else { return Poll::Pending };
                if alarm.is_elapsed() && deadline <= alarm.deadline() {
                    return Poll::Ready(slowness);
                }
                // A deadline that has moved away is looked at when the alarm goes off: steps change with each request,
                // and setting an alarm costs more than looking at it.
                if alarm.is_elapsed() || deadline < alarm.deadline() {
                    alarm.as_mut().reset(deadline);
                }
                ready!(alarm.as_mut().poll(cx));
            }
        })
        .await
    }

    fn deadline(&self) -> Option<(Instant, Slowness)> {
        let state = self.lock();
        let step = match state.step {
            Step::Head { since } => Some((since + self.settings.header_timeout, Slowness::Head)),
            Step::Idle { since } => Some((since + self.settings.idle_timeout, Slowness::Idle)),
            Step::Request => None,
        };
        let answer = state.unread_since.map(|since| (since + self.settings.body_timeout, Slowness::Answer));
        step.into_iter().chain(answer).min_by_key(|(deadline, _)| *deadline)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The request under way of a connection.
pub struct UnderWay(Connection);

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.step = Step::Idle { since: Instant::now() };
        state.body = None;
    }
}

/// A socket that tells its connection when bytes arrive, and when its client does not read.
pub struct Watched {
    stream: TcpStream,
    connection: Connection,
}

impl Watched {
    pub fn new(stream: TcpStream, connection: Connection) -> Self {
        Self { stream, connection }
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
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let mut state = self.connection.lock();
        if let Step::Idle { .. } = state.step
            && buf.filled().len() > before
        {
            state.step = Step::Head { since: Instant::now() };
        }
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

    /// hyper flushes when it has written all that it has, so the client has read enough.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.connection.lock().unread_since = None;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
