//! What the outcome of a job means for its message: a reply, a retry delay, or a dead letter with the reason. All are
//! published here, and confirmed before the consumer acknowledges the message.

use std::time::Duration;

use lapin::message::Delivery;
use serde_json::Value;
use shared::messages::{Answer, Queue, Refusal};
use shared::queue::{Destination, Envelope, PublishError};

use super::{Consumers, MAX_RETRIES};
use crate::error::{JobError, JobResult};
use crate::metrics;

/// Pause between attempts to publish a retry or a dead letter.
const PUBLISH_PAUSE: Duration = Duration::from_millis(500);

impl Consumers {
    pub(super) async fn conclude(
        &self,
        queue: Queue,
        delivery: &Delivery,
        mut envelope: Envelope,
        outcome: JobResult<Option<Value>>,
    ) {
        let label = match &outcome {
            Ok(_) => "done",
            Err(JobError::Retry(_) | JobError::Conflict(_) | JobError::Unknown(_) | JobError::Superseded) => {
                "retry"
            }
            Err(JobError::Reject { .. }) => "rejected",
        };
        metrics::delivery(queue, label);
        if let Some(to) = envelope.reply_to.take() {
            if let Some(answer) = answer(outcome) {
                self.reply(&to, &envelope, answer).await;
            }
            return;
        }
        match outcome {
            // With `Superseded`, another delivery did the work.
            Ok(_) | Err(JobError::Superseded) => tracing::debug!("done"),
            Err(JobError::Reject { reason, .. }) => self.bury(queue, delivery, &reason).await,
            Err(JobError::Retry(reason) | JobError::Conflict(reason) | JobError::Unknown(reason)) => {
                self.retry(queue, delivery, envelope, &reason).await;
            }
        }
    }

    async fn retry(&self, queue: Queue, delivery: &Delivery, mut envelope: Envelope, reason: &str) {
        if envelope.attempt >= MAX_RETRIES {
            return self.bury(queue, delivery, &format!("after {MAX_RETRIES} retries: {reason}")).await;
        }
        envelope.attempt += 1;
        tracing::warn!(attempt = envelope.attempt, reason, "job failed; sent to a retry delay");
        let home = self.topology.queue(queue);
        self.publish_until_confirmed(|| {
            self.publisher.publish(&envelope, Destination::Retry { queue: &home })
        })
        .await;
    }

    pub(super) async fn bury(&self, queue: Queue, delivery: &Delivery, reason: &str) {
        tracing::error!(queue = queue.name(), reason, "message dead-lettered");
        let home = self.topology.queue(queue);
        self.publish_until_confirmed(|| self.publisher.bury(delivery, &home, reason)).await;
        metrics::dead_letter(queue);
    }

    /// Repeats `publish` until the broker has confirmed. The delivery stays unacknowledged meanwhile: if it were
    /// returned to its queue, the broker would redeliver it at once, and dead-letter it without a reason at the
    /// delivery limit.
    async fn publish_until_confirmed<F: Future<Output = Result<(), PublishError>>>(
        &self,
        publish: impl Fn() -> F,
    ) {
        while let Err(error) = publish().await {
            tracing::warn!(%error, "retry or dead letter not published; trying again");
            tokio::time::sleep(PUBLISH_PAUSE).await;
            self.publisher.until_up().await;
        }
    }

    async fn reply(&self, to: &str, envelope: &Envelope, answer: Value) {
        // The answer is stored: a caller that misses the reply repeats its request.
        if let Err(error) = self.publisher.reply(to, envelope.id, answer.to_string().into_bytes()).await {
            tracing::warn!(%error, "reply not sent");
        }
    }
}

/// The reply to the caller. None if the outcome is unknown: a repeat of the request finds out.
fn answer(outcome: JobResult<Option<Value>>) -> Option<Value> {
    let refusal = match outcome {
        Ok(answer) => return answer,
        Err(JobError::Reject { refusal, reason }) => {
            match refusal {
                Refusal::Internal => tracing::error!(reason, "command failed: internal fault"),
                _ => tracing::info!(reason, "command refused"),
            }
            refusal
        }
        // The worker does not retry a command: its caller decides whether to repeat it.
        Err(JobError::Retry(reason) | JobError::Conflict(reason)) => {
            tracing::warn!(reason, "command failed for now; the caller may repeat it");
            Refusal::Unavailable
        }
        Err(JobError::Unknown(reason)) => {
            tracing::warn!(reason, "outcome of the command unknown; no reply sent");
            return None;
        }
        Err(JobError::Superseded) => Refusal::InProgress,
    };
    serde_json::to_value(Answer::<()>::Err(refusal)).ok()
}
