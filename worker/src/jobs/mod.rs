//! One file per message. This file maps each message to its job, and makes each command take effect once.

mod catalog_changed;
mod check_payment;
mod checkout_cart;
mod course_changed;
mod fulfil_cart;
mod grant_enrollment;
mod provider_notification;
mod registration_hint;
mod remove_enrollment;
mod resolve_registration;
mod send_email;
mod set_cart;
mod show_payment;
mod start_checkout;
mod sync_enrollment;

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::messages::{Answer, Message};
use tracing::{Instrument, info_span};
use uuid::Uuid;

use crate::command::{CommandContext, run_idempotent};
use crate::context::Context;
use crate::error::{JobError, JobResult};

/// Retries of a job after a deadlock or a serialization failure, and the pause before the first; the nth is n times as
/// long.
const CONFLICT_RETRIES: u32 = 5;
const CONFLICT_PAUSE: Duration = Duration::from_millis(10);

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
    let command_ctx = CommandContext { id, kind: message.kind(), deadline, claimed: key.is_some() };
    match message {
        Message::StartCheckout(command) => {
            let work = start_checkout::run(ctx, &command, &command_ctx);
            run_idempotent(ctx, &command_ctx, key, work).instrument(info_span!("job.start_checkout")).await
        }
        Message::SetCart(command) => {
            let work = set_cart::run(ctx, &command, &command_ctx);
            run_idempotent(ctx, &command_ctx, key, work).instrument(info_span!("job.set_cart")).await
        }
        Message::CheckoutCart(command) => {
            let work = checkout_cart::run(ctx, &command, &command_ctx);
            run_idempotent(ctx, &command_ctx, key, work).instrument(info_span!("job.checkout_cart")).await
        }
        Message::ShowPayment(command) => {
            let span = info_span!("job.show_payment", cart = %command.cart_id);
            let shown = show_payment::run(ctx, &command).instrument(span).await?;
            Ok(Some(serde_json::to_value(Answer::Ok(shown))?))
        }
        Message::GrantEnrollment(command) => {
            let work = grant_enrollment::run(ctx, &command, &command_ctx);
            run_idempotent(ctx, &command_ctx, key, work).instrument(info_span!("job.grant_enrollment")).await
        }
        Message::RemoveEnrollment(command) => {
            let work = remove_enrollment::run(ctx, &command, &command_ctx);
            run_idempotent(ctx, &command_ctx, key, work).instrument(info_span!("job.remove_enrollment")).await
        }
        message => run_background(ctx, message, &command_ctx).await.map(|()| None),
    }
}

/// Runs the job of a background message, for which no caller waits.
async fn run_background(ctx: &Context, message: Message, command_ctx: &CommandContext) -> JobResult<()> {
    match message {
        Message::ProviderNotification(message) => {
            let span = info_span!("job.provider_notification");
            provider_notification::run(ctx, &message, command_ctx.id).instrument(span).await
        }
        Message::CheckPayment(message) => {
            let span = info_span!("job.check_payment", transaction = %message.transaction_id);
            check_payment::run(ctx, &message, command_ctx.id).instrument(span).await
        }
        Message::FulfilCart(message) => {
            let span = info_span!("job.fulfil_cart", cart = %message.cart_id);
            fulfil_cart::run(ctx, &message, command_ctx.id).instrument(span).await
        }
        Message::SyncEnrollment(message) => {
            let span = info_span!("job.sync_enrollment", enrollment = %message.enrollment_id);
            sync_enrollment::run(ctx, &message).instrument(span).await
        }
        Message::RegistrationHint(message) => {
            let span = info_span!("job.registration_hint");
            registration_hint::run(ctx, &message, command_ctx.id).instrument(span).await
        }
        Message::ResolveRegistration(message) => {
            let span = info_span!("job.resolve_registration");
            resolve_registration::run(ctx, &message, command_ctx.id).instrument(span).await.map(drop)
        }
        Message::SendEmail(message) => {
            let span = info_span!("job.send_email");
            send_email::run(ctx, &message, command_ctx.id).instrument(span).await
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
