//! Sends commands to the worker and waits for their answers, with limits on the number of waiting callers and on their
//! time. Also sends tasks, and waits until the broker confirms them. Each work queue has its own limit, so that callers of
//! one that is slow leave room for the others.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use shared::clock::Clock;
use shared::messages::{Answer, Command, Queue, Refusal, Task};
use shared::queue::{Destination, Envelope, OnReply, PublishError, Publisher, Reply};
use shared::settings::QueueSettings;
use shared::tls::TlsSettings;
use tokio::sync::{Semaphore, SemaphorePermit, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::error::ApiError;
use crate::request_log;

type Pending = Arc<Mutex<HashMap<Uuid, oneshot::Sender<Vec<u8>>>>>;

/// The api's end of the queue.
#[derive(Clone)]
pub struct Commands {
    publisher: Publisher,
    pending: Pending,
    lines: Arc<HashMap<Queue, Line>>,
    deadline: Duration,
    clock: Clock,
}

/// The callers that wait for one work queue.
struct Line {
    /// A permit for each that may wait at the same time.
    permits: Semaphore,
    /// Time that the caller that was answered last had waited, in milliseconds: about that of the one that waits longest.
    wait: AtomicU64,
}

impl Line {
    /// Takes a place in the line.
    ///
    /// # Errors
    /// `Busy`, after as long as the line is, and up to as long again, so that those who are refused do not come back together.
    fn join(&self) -> Result<SemaphorePermit<'_>, SendError> {
        self.permits.try_acquire().map_err(|_| self.busy())
    }

    fn busy(&self) -> SendError {
        request_log::failed("as many callers wait for the queue as may");
        let wait = self.wait.load(Ordering::Relaxed);
        let jitter = rand::random_range(0..=wait);
        SendError::Busy { retry_after: (wait + jitter).div_ceil(1000).max(1) }
    }
}

/// Limits on the callers that wait for an answer.
#[derive(Clone, Copy)]
pub struct Limits {
    /// The most callers of each work queue that wait at the same time.
    pub in_flight: u32,
    /// The longest that one of them waits.
    pub deadline: Duration,
}

/// Reason why a caller gets no answer.
#[derive(Debug)]
pub enum SendError {
    /// The command was not sent; nothing was started.
    Unavailable,
    /// The same, because as many callers wait as may. After this many seconds there may be a place.
    Busy {
        retry_after: u64,
    },
    /// The worker may have executed the command, or may still do so.
    Timeout,
    Refused(Refusal),
}

impl Commands {
    pub fn start(
        settings: &QueueSettings,
        tls: &TlsSettings,
        limits: Limits,
        clock: Clock,
        stop: CancellationToken,
    ) -> Self {
        let pending = Pending::default();
        let waiting = Arc::clone(&pending);
        let on_reply: OnReply = Arc::new(move |reply| match reply {
            Reply::Answer(id, body) => {
                if let Some(caller) = lock(&waiting).remove(&id) {
                    // An error means that the caller stopped waiting; the worker has stored the answer.
                    let _ = caller.send(body);
                }
            }
            // Dropping the senders ends all waits at once: the answers are lost with the channel.
            Reply::Lost => lock(&waiting).clear(),
        });
        let publisher = Publisher::start(settings, tls, "storefront-api", Some(on_reply), stop);
        let each = usize::try_from(limits.in_flight).unwrap_or(usize::MAX);
        let line = || Line { permits: Semaphore::new(each), wait: AtomicU64::new(0) };
        let lines = Queue::ALL.iter().map(|queue| (*queue, line()));
        Self { publisher, pending, lines: Arc::new(lines.collect()), deadline: limits.deadline, clock }
    }

    /// Returns whether the broker accepts messages now.
    pub fn is_up(&self) -> bool {
        self.publisher.is_up()
    }

    /// Sends a command under an id and waits for the worker's answer.
    ///
    /// # Errors
    /// See [`SendError`]; only with `Timeout` the outcome is unknown.
    pub async fn send<C: Command>(&self, id: Uuid, command: C) -> Result<C::Answer, SendError> {
        let line = self.line(C::QUEUE)?;
        let _permit = line.join()?;
        let (begun, now) = (Instant::now(), self.clock.now());
        let envelope =
            Envelope::command(id, &command, now, now + self.deadline).map_err(|_| SendError::Unavailable)?;
        let envelope = of_request(envelope);
        let (caller, reply) = oneshot::channel();
        lock(&self.pending).insert(id, caller);
        let _forget = Forget { pending: &self.pending, id };
        let body =
            tokio::time::timeout(self.deadline, self.exchange(&envelope, reply)).await.map_err(|_| {
                request_log::failed("no answer from the worker in time");
                SendError::Timeout
            })??;
        let wait = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        line.wait.store(wait, Ordering::Relaxed);
        let answer: Answer<C::Answer> = serde_json::from_slice(&body).map_err(|error| {
            request_log::failed(format_args!("unreadable answer from the worker: {error}"));
            SendError::Timeout
        })?;
        answer.map_err(SendError::Refused)
    }

    /// Sends a task, which has no answer.
    ///
    /// # Errors
    /// `Unavailable` unless the broker has confirmed the task. The sender may repeat it.
    pub async fn send_task<T: Task>(&self, task: T) -> Result<(), SendError> {
        self.send_task_as(Uuid::now_v7(), task).await
    }

    /// The same under an id of the sender's. The worker does a task that it gets twice under one id once.
    pub async fn send_task_as<T: Task>(&self, id: Uuid, task: T) -> Result<(), SendError> {
        const { assert!(T::IS_FROM_API, "the api's account at the broker cannot send it") };
        let _permit = self.line(T::QUEUE)?.join()?;
        let envelope = Envelope::task(&task, self.clock.now()).map_err(|_| SendError::Unavailable)?;
        let envelope = Envelope { id, ..envelope };
        let published = self.publisher.publish(&of_request(envelope), Destination::Commands).await;
        published.map_err(unsent)
    }

    /// Checks that one more caller may wait for a queue, which costs less than a request that is refused at its end.
    ///
    /// # Errors
    /// `Busy`.
    pub fn has_room(&self, queue: Queue) -> Result<(), SendError> {
        let line = self.line(queue)?;
        if line.permits.available_permits() > 0 { Ok(()) } else { Err(line.busy()) }
    }

    fn line(&self, queue: Queue) -> Result<&Line, SendError> {
        self.lines.get(&queue).ok_or(SendError::Unavailable)
    }

    async fn exchange(
        &self,
        envelope: &Envelope,
        mut reply: oneshot::Receiver<Vec<u8>>,
    ) -> Result<Vec<u8>, SendError> {
        let publishing = self.publisher.publish(envelope, Destination::Commands);
        tokio::pin!(publishing);
        tokio::select! {
            biased;
            // A reply settles the command even if the broker's confirm has not arrived yet.
            body = &mut reply => body.map_err(|_| SendError::Timeout),
            published = &mut publishing => match published {
                Ok(()) => reply.await.map_err(|_| SendError::Timeout),
                Err(error) => Err(unsent(error)),
            },
        }
    }
}

impl From<SendError> for ApiError {
    /// Of a message about no cart.
    fn from(error: SendError) -> Self {
        match error {
            SendError::Unavailable => Self::Unavailable,
            SendError::Busy { retry_after } => Self::Busy { retry_after },
            SendError::Timeout => Self::Timeout { cart_id: None },
            SendError::Refused(refusal) => Self::from(refusal),
        }
    }
}

/// Translates the broker's failure for the caller.
fn unsent(error: PublishError) -> SendError {
    request_log::failed(error);
    match error {
        PublishError::Down | PublishError::Refused => SendError::Unavailable,
        PublishError::Unknown => SendError::Timeout,
    }
}

/// Writes down which request sends a message.
fn of_request(mut envelope: Envelope) -> Envelope {
    if let Some((step, request)) = request_log::origin() {
        envelope.trace = Some(step);
        envelope.request = Some(request);
    }
    envelope
}

/// Removes a caller from the pending list when it stops waiting, also when its request is cancelled.
struct Forget<'a> {
    pending: &'a Pending,
    id: Uuid,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        lock(self.pending).remove(&self.id);
    }
}

fn lock(pending: &Pending) -> std::sync::MutexGuard<'_, HashMap<Uuid, oneshot::Sender<Vec<u8>>>> {
    pending.lock().unwrap_or_else(PoisonError::into_inner)
}
