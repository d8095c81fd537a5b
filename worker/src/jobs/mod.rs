//! One file per message, unless a function of another room is the whole job. This file maps each message to its job, and
//! makes each command take effect once.

mod catalog_changed;
mod change_voucher;
pub mod check_payment;
mod check_refund;
mod checkout_cart;
mod correct_invoice;
mod course_changed;
mod create_vouchers;
mod deliver_events;
mod fulfil_cart;
mod grant_enrollment;
mod provider_notification;
mod quote_basket;
pub mod refund_order;
mod remind_seats;
mod remove_enrollment;
mod revoke_seats;
mod run_batch;
mod send_email;
mod set_cart;
mod settle_event;
mod show_payment;
mod start_checkout;
mod submit_batch;
mod sync_enrollment;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use futures_util::FutureExt;
use serde_json::Value;
use shared::messages::{Answer, AnyCommand, AnyMessage, AnyTask, Refusal};
use shared::queue::Envelope;
use store::error::{JobError, JobResult};
use store::plumbing::organisation_keys;
use tracing::{Instrument, info_span};

use crate::enrollment::registration;
use crate::runtime::command::{CommandContext, run_idempotent};
use crate::runtime::context::Context;

/// Repeats of a job after a deadlock or a serialization failure. With jitter, so that two jobs whose transactions
/// collided do not start again at the same moment.
const CONFLICT_BACKOFF: ExponentialBuilder = ExponentialBuilder::new()
    .with_jitter()
    .with_min_delay(Duration::from_millis(10))
    .with_max_delay(Duration::from_millis(50))
    .with_max_times(5);

/// Runs the job of one message, and repeats it if the database aborted its transaction in favour of another one.
/// Returns the reply to a command, and None for a task.
pub async fn run(ctx: &Context, message: &AnyMessage, envelope: &Envelope) -> JobResult<Option<Value>> {
    let is_repeat = AtomicBool::new(envelope.redelivered);
    let once = || run_once(ctx, message, envelope, is_repeat.swap(true, Ordering::Relaxed));
    once.retry(CONFLICT_BACKOFF)
        .when(|error| matches!(error, JobError::Conflict(_)))
        .notify(|reason, _| {
            tracing::info!(%reason, "transaction aborted by the database; running the job again");
        })
        .await
}

// Each job is boxed: in a build without optimisation, their frames together overflow a thread's stack.
async fn run_once(
    ctx: &Context,
    message: &AnyMessage,
    envelope: &Envelope,
    is_repeat: bool,
) -> JobResult<Option<Value>> {
    match message {
        AnyMessage::Command(command) => run_command(ctx, command, envelope, is_repeat).boxed().await,
        AnyMessage::Task(task) => run_task(ctx, task, envelope).boxed().await.map(|()| None),
    }
}

/// Checks the organisation's key that a command names. The api has checked it too, but every program that holds the
/// api's account at the broker can name any key.
async fn check_key(ctx: &Context, command: &AnyCommand) -> JobResult<()> {
    if let Some((id, of)) = command.key()
        && !organisation_keys::is_valid(&ctx.db, id, of).await?
    {
        let detail = "The key was revoked, or is not of this organisation.".to_owned();
        return Err(Refusal::Forbidden { detail }.into());
    }
    Ok(())
}

async fn run_command(
    ctx: &Context,
    command: &AnyCommand,
    envelope: &Envelope,
    is_repeat: bool,
) -> JobResult<Option<Value>> {
    check_key(ctx, command).await?;
    let key = command.idempotency().cloned();
    let command_ctx = CommandContext {
        id: envelope.id,
        kind: envelope.kind.clone(),
        deadline: envelope.deadline,
        claimed: key.is_some(),
        is_repeat,
        is_committing: AtomicBool::new(false),
    };
    /// Runs the job of a command once, whatever its repeats.
    macro_rules! once {
        ($job:ident, $command:expr, $span:expr) => {{
            let work = $job::run(ctx, $command, &command_ctx).boxed();
            run_idempotent(ctx, &command_ctx, key, work).instrument($span).await
        }};
    }
    match command {
        AnyCommand::StartCheckout(command) => {
            once!(start_checkout, command, info_span!("job.start_checkout"))
        }
        AnyCommand::SetCart(command) => once!(set_cart, command, info_span!("job.set_cart")),
        AnyCommand::CheckoutCart(command) => once!(checkout_cart, command, info_span!("job.checkout_cart")),
        AnyCommand::ShowPayment(command) => {
            let span = info_span!("job.show_payment", cart = %command.cart_id);
            let shown = show_payment::run(ctx, command).boxed().instrument(span).await?;
            Ok(Some(serde_json::to_value(Answer::Ok(shown))?))
        }
        AnyCommand::QuoteBasket(command) => {
            let quoted =
                quote_basket::run(ctx, command).boxed().instrument(info_span!("job.quote_basket")).await?;
            Ok(Some(serde_json::to_value(Answer::Ok(quoted))?))
        }
        AnyCommand::RefundOrder(command) => {
            once!(refund_order, command, info_span!("job.refund_order", cart = %command.cart_id))
        }
        AnyCommand::GrantEnrollment(command) => {
            once!(grant_enrollment, command, info_span!("job.grant_enrollment"))
        }
        AnyCommand::RemoveEnrollment(command) => {
            once!(remove_enrollment, command, info_span!("job.remove_enrollment"))
        }
        AnyCommand::SubmitBatch(command) => once!(submit_batch, command, info_span!("job.submit_batch")),
        AnyCommand::CorrectInvoice(command) => {
            once!(correct_invoice, command, info_span!("job.correct_invoice", cart = %command.cart_id))
        }
        AnyCommand::RevokeSeats(command) => {
            once!(revoke_seats, command, info_span!("job.revoke_seats", voucher = %command.voucher_id))
        }
        AnyCommand::RemindSeats(command) => {
            once!(remind_seats, command, info_span!("job.remind_seats", voucher = %command.voucher_id))
        }
        AnyCommand::CreateVouchers(command) => {
            once!(create_vouchers, command, info_span!("job.create_vouchers"))
        }
        AnyCommand::ChangeVoucher(command) => {
            once!(change_voucher, command, info_span!("job.change_voucher", voucher = %command.voucher_id))
        }
    }
}

async fn run_task(ctx: &Context, task: &AnyTask, envelope: &Envelope) -> JobResult<()> {
    let id = envelope.id;
    match task {
        AnyTask::ProviderNotification(task) => {
            let span = info_span!("job.provider_notification");
            provider_notification::run(ctx, task, id).boxed().instrument(span).await
        }
        AnyTask::SettleEvent(task) => {
            let span = info_span!("job.settle_event", event = task.event_id);
            settle_event::run(ctx, task, id).boxed().instrument(span).await
        }
        AnyTask::CheckPayment(task) => {
            let span = info_span!("job.check_payment", transaction = %task.transaction_id);
            check_payment::run(ctx, task, id).boxed().instrument(span).await
        }
        AnyTask::CheckRefund(task) => {
            let span = info_span!("job.check_refund", refund = %task.refund_id);
            check_refund::run(ctx, task, id).boxed().instrument(span).await
        }
        AnyTask::FulfilCart(task) => {
            let span = info_span!("job.fulfil_cart", cart = %task.cart_id);
            fulfil_cart::run(ctx, task, envelope).boxed().instrument(span).await
        }
        AnyTask::SyncEnrollment(task) => {
            let span = info_span!("job.sync_enrollment", enrollment = %task.enrollment_id);
            sync_enrollment::run(ctx, task).boxed().instrument(span).await
        }
        AnyTask::RegistrationHint(task) => {
            let span = info_span!("job.registration_hint");
            // A hint can be wrong or early: the job asks the platform.
            registration::resolve_named(ctx, &task.email, envelope).boxed().instrument(span).await
        }
        AnyTask::ResolveRegistration(task) => {
            let span = info_span!("job.resolve_registration");
            registration::resolve_named(ctx, &task.email, envelope).boxed().instrument(span).await
        }
        AnyTask::SendEmail(task) => {
            send_email::run(ctx, task, id).boxed().instrument(info_span!("job.send_email")).await
        }
        AnyTask::CatalogChanged(task) => {
            let span = info_span!("job.catalog_changed", generation = task.generation);
            catalog_changed::run(ctx, task).boxed().instrument(span).await
        }
        AnyTask::CourseChanged(task) => {
            let span = info_span!("job.course_changed", course = %task.course);
            course_changed::run(ctx, task).boxed().instrument(span).await
        }
        AnyTask::RunBatch(task) => {
            let span = info_span!("job.run_batch", batch = %task.batch_id);
            run_batch::run(ctx, task, id).boxed().instrument(span).await
        }
        AnyTask::DeliverEvents(task) => {
            let span = info_span!("job.deliver_events", endpoint = %task.endpoint_id);
            deliver_events::run(ctx, task, id).boxed().instrument(span).await
        }
    }
}
