//! One file per message. Here: which job does which message, and how an asked command happens once.

mod address;
mod catalog_changed;
mod grant_enrollment;
mod remove_enrollment;
mod resolve_registration;
mod send_email;
mod start_checkout;
mod sync_enrollment;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use shared::messages::{Answer, Asked, Idempotency, Message, Refusal};
use sqlx::PgConnection;
use tracing::Instrument;
use uuid::Uuid;

use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::store::commands;

/// What a job knows of the message that it does.
#[derive(Clone, Debug)]
pub struct Meta {
    pub id: Uuid,
    pub kind: &'static str,
    /// The caller has gone after this; nothing may be committed then.
    pub deadline: Option<DateTime<Utc>>,
    /// Whether the command holds a row under its `Idempotency-Key`.
    pub keyed: bool,
}

/// Does one message. The value is the reply, for commands whose caller waits.
pub async fn run(
    ctx: &Context,
    message: Message,
    id: Uuid,
    deadline: Option<DateTime<Utc>>,
) -> JobResult<Option<Value>> {
    let mut meta = Meta { id, kind: message.kind(), deadline, keyed: false };
    match message {
        Message::StartCheckout(command) => {
            meta.keyed = command.idempotency.is_some();
            let work = start_checkout::run(ctx, &command, &meta)
                .instrument(tracing::info_span!("job.start_checkout"));
            once::<shared::messages::StartCheckout>(ctx, &meta, command.idempotency.as_ref(), work).await
        }
        Message::GrantEnrollment(command) => {
            meta.keyed = command.idempotency.is_some();
            let work = grant_enrollment::run(ctx, &command, &meta)
                .instrument(tracing::info_span!("job.grant_enrollment"));
            once::<shared::messages::GrantEnrollment>(ctx, &meta, command.idempotency.as_ref(), work).await
        }
        Message::RemoveEnrollment(command) => {
            meta.keyed = command.idempotency.is_some();
            let work = remove_enrollment::run(ctx, &command, &meta)
                .instrument(tracing::info_span!("job.remove_enrollment"));
            once::<shared::messages::RemoveEnrollment>(ctx, &meta, command.idempotency.as_ref(), work).await
        }
        Message::SyncEnrollment(message) => sync_enrollment::run(ctx, &message)
            .instrument(tracing::info_span!("job.sync_enrollment", enrollment = %message.enrollment_id))
            .await
            .map(|()| None),
        Message::ResolveRegistration(message) => resolve_registration::run(ctx, &message, &meta)
            .instrument(tracing::info_span!("job.resolve_registration"))
            .await
            .map(|()| None),
        Message::SendEmail(message) => send_email::run(ctx, &message, &meta)
            .instrument(tracing::info_span!("job.send_email"))
            .await
            .map(|()| None),
        Message::CatalogChanged(message) => catalog_changed::run(ctx, &message)
            .instrument(tracing::info_span!("job.catalog_changed", generation = message.generation))
            .await
            .map(|()| None),
    }
}

/// Runs an asked command unless its answer is stored already. Refusals of a keyed command are stored like answers:
/// the same key and body give the same answer, whatever happened in between.
async fn once<C: Asked>(
    ctx: &Context,
    meta: &Meta,
    idempotency: Option<&Idempotency>,
    work: impl Future<Output = JobResult<C::Answer>>,
) -> JobResult<Option<Value>> {
    let stored = match idempotency {
        Some(key) => commands::claim(&ctx.db, meta.id, meta.kind, key, ctx.clock.now()).await?,
        None => commands::answer(&ctx.db, meta.id).await?,
    };
    if stored.is_some() {
        return Ok(stored);
    }
    let outcome = work.await;
    match outcome {
        Ok(answer) => {
            ctx.outbox.notify_one();
            Ok(Some(serde_json::to_value(Answer::Ok(answer))?))
        }
        Err(JobError::Superseded) => {
            commands::answer(&ctx.db, meta.id).await?.map(Some).ok_or_else(|| Refusal::InProgress.into())
        }
        Err(JobError::Reject { refusal, reason }) if meta.keyed && refusal.may_be_stored() => {
            let answer = serde_json::to_value(Answer::<()>::Err(refusal.clone()))?;
            let mut db = ctx.db.acquire().await?;
            commands::finish(&mut db, meta.id, meta.kind, true, &answer, ctx.clock.now()).await?;
            Err(JobError::Reject { refusal, reason })
        }
        Err(error) => {
            if meta.keyed {
                commands::release(&ctx.db, meta.id).await?;
            }
            Err(error)
        }
    }
}

impl Meta {
    /// The last step of an asked command's transaction: stores the answer, unless the caller has given up meanwhile
    /// (what it asks next must not be undone by this).
    async fn finish(
        &self,
        db: &mut PgConnection,
        answer: &impl Serialize,
        now: DateTime<Utc>,
    ) -> JobResult<()> {
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            return Err(JobError::Retry("the caller's deadline has passed".into()));
        }
        let answer = serde_json::to_value(Answer::Ok(answer))?;
        commands::finish(db, self.id, self.kind, self.keyed, &answer, now).await
    }
}
