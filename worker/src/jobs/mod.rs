//! One file per message. This file maps each message to its job, and makes each command take effect once.

mod address;
mod attempt;
mod basket;
mod catalog_changed;
mod check_payment;
mod checkout_cart;
mod course_changed;
mod fulfil_cart;
mod grant_enrollment;
mod grants;
pub mod provider_notification;
mod registration_hint;
mod remove_enrollment;
pub mod resolve_registration;
mod sale;
mod send_email;
mod set_cart;
mod show_payment;
mod start_checkout;
mod sync_enrollment;

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use shared::messages::{Answer, Idempotency, Message, Refusal};
use sqlx::{PgConnection, PgPool};
use tracing::{Instrument, info_span};
use uuid::Uuid;

use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::store::commands;

/// Retries of a job after a deadlock or a serialization failure, and the pause before the first; the nth is n times as
/// long.
const CONFLICT_RETRIES: u32 = 5;
const CONFLICT_PAUSE: Duration = Duration::from_millis(10);

/// What a job knows about the message that it handles.
#[derive(Clone, Debug)]
pub struct Meta {
    pub id: Uuid,
    pub kind: &'static str,
    /// The caller stops waiting at this time; the job must not commit after it.
    pub deadline: Option<DateTime<Utc>>,
    /// Whether a row in `commands` was claimed for the message before its job began.
    pub claimed: bool,
}

/// Runs the job of one message, and repeats it if the database aborted its transaction in favour of another one.
/// Returns the reply of a command whose caller waits, and None for a background message.
pub async fn run(
    ctx: &Context,
    message: Message,
    id: Uuid,
    deadline: Option<DateTime<Utc>>,
) -> JobResult<Option<Value>> {
    for attempt in 1..=CONFLICT_RETRIES {
        match run_once(ctx, message.clone(), id, deadline).await {
            Err(JobError::Conflict(reason)) => {
                tracing::info!(attempt, reason, "transaction aborted by the database; running the job again");
                tokio::time::sleep(CONFLICT_PAUSE * attempt + jitter()).await;
            }
            outcome => return outcome,
        }
    }
    run_once(ctx, message, id, deadline).await
}

/// Up to 31 ms, so that two jobs whose transactions collided do not start again at the same moment.
fn jitter() -> Duration {
    Duration::from_millis(u64::from(Uuid::now_v7().as_bytes()[15]) / 8)
}

async fn run_once(
    ctx: &Context,
    message: Message,
    id: Uuid,
    deadline: Option<DateTime<Utc>>,
) -> JobResult<Option<Value>> {
    let key = message.idempotency().cloned();
    let meta = Meta { id, kind: message.kind(), deadline, claimed: key.is_some() };
    match message {
        Message::StartCheckout(command) => {
            let work = start_checkout::run(ctx, &command, &meta);
            once(ctx, &meta, key, work).instrument(info_span!("job.start_checkout")).await
        }
        Message::SetCart(command) => {
            let work = set_cart::run(ctx, &command, &meta);
            once(ctx, &meta, key, work).instrument(info_span!("job.set_cart")).await
        }
        Message::CheckoutCart(command) => {
            let work = checkout_cart::run(ctx, &command, &meta);
            once(ctx, &meta, key, work).instrument(info_span!("job.checkout_cart")).await
        }
        Message::ShowPayment(command) => {
            let span = info_span!("job.show_payment", cart = %command.cart_id);
            let shown = show_payment::run(ctx, &command).instrument(span).await?;
            Ok(Some(serde_json::to_value(Answer::Ok(shown))?))
        }
        Message::GrantEnrollment(command) => {
            let work = grant_enrollment::run(ctx, &command, &meta);
            once(ctx, &meta, key, work).instrument(info_span!("job.grant_enrollment")).await
        }
        Message::RemoveEnrollment(command) => {
            let work = remove_enrollment::run(ctx, &command, &meta);
            once(ctx, &meta, key, work).instrument(info_span!("job.remove_enrollment")).await
        }
        message => told(ctx, message, &meta).await.map(|()| None),
    }
}

/// Runs the job of a background message, for which no caller waits.
async fn told(ctx: &Context, message: Message, meta: &Meta) -> JobResult<()> {
    match message {
        Message::ProviderNotification(message) => {
            let span = info_span!("job.provider_notification");
            provider_notification::run(ctx, &message, meta.id).instrument(span).await
        }
        Message::CheckPayment(message) => {
            let span = info_span!("job.check_payment", transaction = %message.transaction_id);
            check_payment::run(ctx, &message, meta.id).instrument(span).await
        }
        Message::FulfilCart(message) => {
            let span = info_span!("job.fulfil_cart", cart = %message.cart_id);
            fulfil_cart::run(ctx, &message, meta.id).instrument(span).await
        }
        Message::SyncEnrollment(message) => {
            let span = info_span!("job.sync_enrollment", enrollment = %message.enrollment_id);
            sync_enrollment::run(ctx, &message).instrument(span).await
        }
        Message::RegistrationHint(message) => {
            let span = info_span!("job.registration_hint");
            registration_hint::run(ctx, &message, meta.id).instrument(span).await
        }
        Message::ResolveRegistration(message) => {
            let span = info_span!("job.resolve_registration");
            resolve_registration::run(ctx, &message, meta.id).instrument(span).await.map(drop)
        }
        Message::SendEmail(message) => {
            let span = info_span!("job.send_email");
            send_email::run(ctx, &message, meta).instrument(span).await
        }
        Message::CatalogChanged(message) => {
            let span = info_span!("job.catalog_changed", generation = message.generation);
            catalog_changed::run(ctx, &message).instrument(span).await
        }
        Message::CourseChanged(message) => {
            let span = info_span!("job.course_changed", course = %message.course);
            course_changed::run(ctx, &message).instrument(span).await
        }
        Message::StartCheckout(_)
        | Message::SetCart(_)
        | Message::CheckoutCart(_)
        | Message::ShowPayment(_)
        | Message::GrantEnrollment(_)
        | Message::RemoveEnrollment(_) => Err(JobError::dead("command dispatched as a background task")),
    }
}

/// Runs a command unless its answer is already stored. Refusals of a command with an idempotency key are stored like
/// answers: the same key and body give the same answer, whatever happened in between.
async fn once<A: Serialize>(
    ctx: &Context,
    meta: &Meta,
    key: Option<Idempotency>,
    work: impl Future<Output = JobResult<A>>,
) -> JobResult<Option<Value>> {
    let stored = match &key {
        Some(key) => commands::claim(&ctx.db, meta.id, meta.kind, key, ctx.clock.now()).await?,
        None => commands::answer(&ctx.db, meta.id).await?,
    };
    if stored.is_some() {
        return Ok(stored);
    }
    match work.await {
        Ok(answer) => {
            ctx.outbox.notify_one();
            Ok(Some(serde_json::to_value(Answer::Ok(answer))?))
        }
        Err(JobError::Superseded) => {
            stored_answer(ctx, meta).await?.map(Some).ok_or(Refusal::InProgress.into())
        }
        Err(JobError::Retry(reason)) => match stored_answer(ctx, meta).await? {
            // The commit succeeded; only its acknowledgement was lost.
            Some(answer) => Ok(Some(answer)),
            None => {
                give_up(ctx, meta).await?;
                Err(JobError::Retry(reason))
            }
        },
        Err(JobError::Reject { refusal, reason }) if meta.claimed && refusal.may_be_stored() => {
            let answer = serde_json::to_value(Answer::<()>::Err(refusal.clone()))?;
            let mut db = ctx.db.acquire().await?;
            commands::finish(&mut db, meta, &answer, ctx.clock.now()).await?;
            Err(JobError::Reject { refusal, reason })
        }
        Err(error) => {
            give_up(ctx, meta).await?;
            Err(error)
        }
    }
}

/// The answer that another delivery, or a commit whose acknowledgement was lost, has stored.
async fn stored_answer(ctx: &Context, meta: &Meta) -> JobResult<Option<Value>> {
    commands::answer(&ctx.db, meta.id).await.map_err(|error| JobError::Unknown(error.to_string()))
}

async fn give_up(ctx: &Context, meta: &Meta) -> JobResult<()> {
    if meta.claimed { commands::release(&ctx.db, meta.id).await } else { Ok(()) }
}

impl Meta {
    /// The last step of a command's transaction: stores the answer.
    ///
    /// # Errors
    /// `Retry` after the caller's deadline: this command must not undo what the caller has requested since.
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
        commands::finish(db, self, &answer, now).await
    }

    /// Keeps the answer of a keyed command from its repeats until [`Self::correct`] has made it final.
    async fn withhold(&self, db: &mut PgConnection, until: DateTime<Utc>) -> JobResult<()> {
        if self.claimed { commands::withhold(db, self.id, until).await } else { Ok(()) }
    }

    /// Replaces the stored answer before the reply is sent, for a step after the transaction that changes it.
    async fn correct(&self, db: &PgPool, answer: &impl Serialize) -> JobResult<()> {
        let answer = serde_json::to_value(Answer::Ok(answer))?;
        commands::correct(db, self.id, &answer).await
    }
}
