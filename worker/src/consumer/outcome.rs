//! Translation of a job's outcome for its message: a reply, a retry delay, or a dead letter with the reason. All are
//! published here, and confirmed before the consumer acknowledges the message.
//!
//! Why: `docs/decisions/no-retry-for-callers.md`

use std::time::Duration;

use lapin::message::Delivery;
use serde_json::Value;
use shared::messages::{Answer, Queue, Refusal};
use shared::queue::{Destination, Envelope, MAX_RETRIES, PublishError};
use store::alert::Alert;
use store::error::{JobError, JobResult};
use tracing::Level;

use super::Consumers;
use crate::alert;
use crate::metrics::{self, Outcome};

/// Pause between attempts to publish a retry or a dead letter.
const PUBLISH_PAUSE: Duration = Duration::from_millis(500);

/// After this many refusals a message to retry is dead-lettered instead. A full delay queue and a full work queue could
/// otherwise wait for each other for good.
const REFUSALS: u32 = 10;

/// End of a delivery.
pub(super) struct Ended {
    pub ending: Ending,
    /// Reason, unless it is done. Without addresses.
    pub reason: Option<String>,
}

/// Outcome of a message, in more detail than the metric has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Done,
    /// Another delivery of it has done the work.
    Superseded,
    /// Its caller had stopped waiting before the job began.
    Expired,
    /// Its caller got a refusal, which the request deserves.
    Refused,
    /// Its caller was told that another server has failed, and may repeat the request.
    Failed,
    /// Its caller gets no answer: the effect may be there or not.
    Unknown,
    /// It waits for its next delivery.
    Retried,
    /// Its caller was told of an internal fault.
    Internal,
    Dead,
}

impl Ending {
    /// The word of the log line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Superseded => "superseded",
            Self::Expired => "expired",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Retried => "retried",
            Self::Internal => "internal",
            Self::Dead => "dead",
        }
    }

    /// Returns the level of the log line: errors need an operator.
    pub fn level(self) -> Level {
        match self {
            Self::Done | Self::Superseded | Self::Expired | Self::Refused => Level::INFO,
            Self::Failed | Self::Unknown | Self::Retried => Level::WARN,
            Self::Internal | Self::Dead => Level::ERROR,
        }
    }
}

impl Ended {
    pub fn new(ending: Ending) -> Self {
        Self { ending, reason: None }
    }

    fn because(ending: Ending, reason: &str) -> Self {
        Self { ending, reason: Some(without_addresses(reason)) }
    }
}

impl Consumers {
    pub(super) async fn conclude(
        &self,
        queue: Queue,
        delivery: &Delivery,
        mut envelope: Envelope,
        outcome: JobResult<Option<Value>>,
    ) -> Ended {
        let label = match &outcome {
            Ok(_) => Outcome::Done,
            Err(JobError::Retry(_) | JobError::Conflict(_) | JobError::Unknown(_) | JobError::Superseded) => {
                Outcome::Retry
            }
            Err(JobError::Reject { .. }) => Outcome::Rejected,
        };
        metrics::delivery(queue, &envelope.kind, label);
        if let Some(to) = envelope.reply_to.take() {
            let (ended, answer) = answer(outcome);
            if let Some(answer) = answer {
                self.reply(&to, &envelope, answer).await;
            }
            return ended;
        }
        match outcome {
            Ok(_) => Ended::new(Ending::Done),
            Err(JobError::Superseded) => Ended::new(Ending::Superseded),
            Err(JobError::Reject { reason, .. }) => self.dead_letter(queue, delivery, &reason).await,
            Err(JobError::Retry(reason) | JobError::Conflict(reason) | JobError::Unknown(reason)) => {
                self.retry(queue, delivery, envelope, &reason).await
            }
        }
    }

    async fn retry(&self, queue: Queue, delivery: &Delivery, mut envelope: Envelope, reason: &str) -> Ended {
        if envelope.attempt >= MAX_RETRIES {
            return self
                .dead_letter(queue, delivery, &format!("after {MAX_RETRIES} retries: {reason}"))
                .await;
        }
        envelope.attempt += 1;
        let home = self.topology.queue(queue);
        let publish = || self.publisher.publish(&envelope, Destination::Retry { queue: &home });
        if !self.publish_until_confirmed(queue, REFUSALS, publish).await {
            return self
                .dead_letter(queue, delivery, &format!("the queue of its retry delay is full: {reason}"))
                .await;
        }
        Ended::because(Ending::Retried, reason)
    }

    pub(super) async fn dead_letter(&self, queue: Queue, delivery: &Delivery, reason: &str) -> Ended {
        let reason = &without_addresses(reason);
        let home = self.topology.queue(queue);
        self.publish_until_confirmed(queue, u32::MAX, || self.publisher.dead_letter(delivery, &home, reason))
            .await;
        metrics::dead_letter(queue);
        Ended::because(Ending::Dead, reason)
    }

    /// Repeats `publish` until the broker has confirmed, and raises an alert if it refuses. The delivery stays
    /// unacknowledged meanwhile: if it were returned to its queue, the broker would redeliver it at once, and dead-letter
    /// it without a reason at the delivery limit. False after this many refusals.
    async fn publish_until_confirmed<F: Future<Output = Result<(), PublishError>>>(
        &self,
        queue: Queue,
        refusals: u32,
        publish: impl Fn() -> F,
    ) -> bool {
        let mut refused = 0;
        while let Err(error) = publish().await {
            tracing::warn!(%error, "retry or dead letter not published; trying again");
            if error == PublishError::Refused {
                refused += 1;
                if refused == 1 {
                    alert::raise([Alert::QueueFull { queue: queue.name() }]);
                }
                if refused >= refusals {
                    return false;
                }
            }
            tokio::time::sleep(PUBLISH_PAUSE).await;
            self.publisher.until_up().await;
        }
        true
    }

    async fn reply(&self, to: &str, envelope: &Envelope, answer: Value) {
        // The answer is stored: a caller that misses the reply repeats its request.
        if let Err(error) = self.publisher.reply(to, envelope.id, answer.to_string().into_bytes()).await {
            tracing::warn!(%error, "reply not sent");
        }
    }
}

/// Translates the end of a command, with the reply to its caller. No reply if the outcome is unknown: a repeat of the
/// request finds out.
fn answer(outcome: JobResult<Option<Value>>) -> (Ended, Option<Value>) {
    let (ended, refusal) = match outcome {
        Ok(answer) => return (Ended::new(Ending::Done), answer),
        Err(JobError::Reject { refusal, reason }) => {
            let ending = match refusal {
                Refusal::Internal => Ending::Internal,
                Refusal::GatewayError { .. } | Refusal::Unavailable => Ending::Failed,
                _ => Ending::Refused,
            };
            (Ended::because(ending, &reason), refusal)
        }
        // The worker does not retry a command: its caller decides whether to repeat it.
        Err(JobError::Retry(reason) | JobError::Conflict(reason)) => {
            (Ended::because(Ending::Failed, &reason), Refusal::Unavailable)
        }
        Err(JobError::Unknown(reason)) => return (Ended::because(Ending::Unknown, &reason), None),
        Err(JobError::Superseded) => (Ended::new(Ending::Superseded), Refusal::InProgress),
    };
    (ended, serde_json::to_value(Answer::<()>::Err(refusal)).ok())
}

/// The reason without what looks like an email address: errors of libraries quote the text that they cannot use.
fn without_addresses(reason: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || "\"'`<>()[]{},;".contains(c);
    let mut shown = String::with_capacity(reason.len());
    for part in reason.split_inclusive(is_end) {
        let word = part.trim_end_matches(is_end);
        let is_address = word.trim_matches('@').contains('@');
        shown.push_str(if is_address { "…" } else { word });
        shown.push_str(part.strip_prefix(word).unwrap_or_default());
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_of_a_commands_line_is_that_of_its_fault() {
        let gateway = Refusal::GatewayError { detail: "no answer".to_owned() };
        for (error, name, level) in [
            (JobError::from(Refusal::CourseNotFound), "refused", Level::INFO),
            (JobError::from(gateway), "failed", Level::WARN),
            (JobError::Retry("no answer".to_owned()), "failed", Level::WARN),
            (JobError::Unknown("connection lost".to_owned()), "unknown", Level::WARN),
            (JobError::dead("panicked"), "internal", Level::ERROR),
        ] {
            let (ended, reply) = answer(Err(error));
            assert_eq!((ended.ending.name(), ended.ending.level()), (name, level));
            assert_eq!((ended.reason.is_some(), reply.is_none()), (true, name == "unknown"));
        }
    }

    #[test]
    fn a_reason_shows_no_address() {
        for (given, shown) in [
            (r#"invalid type: string "ada@example.com", expected"#, r#"invalid type: string "…", expected"#),
            ("no account <ada+1@bücher.example>", "no account <…>"),
            ("ada@example.com", "…"),
            ("course-v1:Acme+CS+2026 is gone @ 5", "course-v1:Acme+CS+2026 is gone @ 5"),
            ("", ""),
        ] {
            assert_eq!(without_addresses(given), shown);
        }
    }
}
