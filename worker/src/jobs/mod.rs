//! One file per message, named in the list of messages. This file calls the job of each message, and makes each command
//! take effect once.

mod act_at_desk;
mod answer_waiting_list;
mod catalog_changed;
mod change_voucher;
pub mod check_payment;
mod check_refund;
mod checkout_cart;
mod correct_invoice;
mod course_changed;
mod create_vouchers;
mod decide_withdrawal;
mod declare_withdrawal;
mod deliver_events;
mod enrollment_hint;
mod fulfil_cart;
mod give_gift;
mod grant_enrollment;
mod join_waiting_list;
mod judge_withdrawal;
mod keep_endpoint;
mod mail_document;
mod move_line;
mod object_to_withdrawal;
mod provider_notification;
mod quote_basket;
mod read_payouts;
pub mod refund_order;
mod registration_hint;
mod remind_seats;
mod remove_enrollment;
mod report_document;
mod report_mails;
mod report_payment;
mod resolve_registration;
mod revoke_seats;
mod run_batch;
mod send_email;
mod set_cart;
mod settle_notification;
mod show_payment;
mod start_checkout;
mod submit_batch;
mod sync_enrollment;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use shared::messages::{Answer, AnyMessage, CallerKey, CallerStaff, Command, KeyOf, Refusal};
use shared::queue::Envelope;
use store::error::{JobError, JobResult};
use store::people::staff;
use store::plumbing::organisation_keys;
use store::sales::vouchers;

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

/// Makes `run_once`, which calls each message's job: the function `run` of the file that the message's line in
/// [`shared::all_messages`] names.
macro_rules! dispatch {
    (
        commands { $($job:ident: $Command:ident($kind:literal) -> $Answer:ty [$($property:ident)*];)* }
        tasks { $($task:ident: $Task:ident($task_kind:literal) [$($task_property:ident)*];)* }
    ) => {
        async fn run_once(
            ctx: &Context,
            message: &AnyMessage,
            envelope: &Envelope,
            is_repeat: bool,
        ) -> JobResult<Option<Value>> {
            match message {
                $(AnyMessage::$Command(command) => {
                    let command_ctx = context_of(command.as_ref(), envelope, is_repeat);
                    let work = boxed(|| $job::run(ctx, command, &command_ctx));
                    boxed(|| run_command(ctx, command.as_ref(), &command_ctx, work)).await
                })*
                $(AnyMessage::$Task(task) => boxed(|| $task::run(ctx, task, envelope)).await.map(|()| None),)*
            }
        }
    };
}

shared::all_messages!(dispatch);

/// Makes a future and boxes it. In a build without optimisation, the futures of all jobs in one frame would overflow a thread's stack: each
/// is made in a frame of its own.
fn boxed<'a, F: Future + Send + 'a>(make: impl FnOnce() -> F) -> BoxFuture<'a, F::Output> {
    make().boxed()
}

fn context_of(command: &impl Command, envelope: &Envelope, is_repeat: bool) -> CommandContext {
    CommandContext {
        id: envelope.id,
        kind: envelope.kind.clone(),
        deadline: envelope.deadline,
        claimed: command.idempotency().is_some(),
        is_repeat,
        is_committing: AtomicBool::new(false),
    }
}

/// Runs the work of a command once, whatever its repeats.
async fn run_command<C: Command>(
    ctx: &Context,
    command: &C,
    command_ctx: &CommandContext,
    work: impl Future<Output = JobResult<C::Answer>>,
) -> JobResult<Option<Value>> {
    check_key(ctx, command).await?;
    check_staff(ctx, command).await?;
    if C::IS_READ_ONLY {
        return Ok(Some(serde_json::to_value(Answer::Ok(work.await?))?));
    }
    run_idempotent(ctx, command_ctx, command.idempotency().cloned(), work).await
}

/// Checks the member of staff whom a command names, at this moment: who was removed, or has lost the role, does nothing any more.
async fn check_staff(ctx: &Context, command: &impl Command) -> JobResult<()> {
    let Some(CallerStaff { member, role, of }) = command.caller_staff() else { return Ok(()) };
    staff::check(&ctx.db, &member, role).await?;
    let is_own = match of {
        KeyOf::Organisation(id) => id == member.organisation_id,
        KeyOf::Voucher(id) => vouchers::organisation(&ctx.db, id).await? == Some(member.organisation_id),
    };
    if is_own {
        return Ok(());
    }
    let detail = "The person is not on the staff of this organisation.".to_owned();
    Err(Refusal::Forbidden { detail }.into())
}

/// Checks the organisation's key that a command names. The api has checked it too, but every program that holds the
/// api's account at the broker can name any key.
async fn check_key(ctx: &Context, command: &impl Command) -> JobResult<()> {
    if let Some(CallerKey { id, of }) = command.caller_key()
        && !organisation_keys::is_valid(&ctx.db, id, of).await?
    {
        let detail = "The key was revoked, or is not of this organisation.".to_owned();
        return Err(Refusal::Forbidden { detail }.into());
    }
    Ok(())
}
