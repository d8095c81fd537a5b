//! The steps of the reconciler, which find work that messages have missed. That is payments without a
//! notification, paid carts that were not fulfilled, payouts of providers, notifications without a transaction, addresses that have registered
//! since, enrollments that the platform has not confirmed, withdrawals that are due to be judged, expired modes and carts, records past
//! their time, retired accounts, and tables that have outgrown their statistics. Each takes a bounded batch.

use chrono::{DateTime, TimeDelta, Utc};
use shared::messages::{
    CheckPayment, CheckRefund, FulfilCart, GiveGift, JudgeWithdrawal, ReadPayouts, RunBatch, SendEmail,
    SyncEnrollment, Task,
};
use sqlx::PgConnection;
use store::access::{batches, invitations, periods, sync};
use store::catalog::generation;
use store::error::{JobError, JobResult};
use store::money::checks::{self, Ends};
use store::money::payouts::{self, Account};
use store::money::{inbox, on_account, withdrawals};
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::backlog::Waiting;
use store::plumbing::locks::{self, Lock};
use store::plumbing::{commands, mail_fates, mails, outbox, statistics};
use store::sales::{carts, fulfilments, gifts, waiting_list};
use uuid::Uuid;

use super::{retention, retirement};
use crate::enrollment::moves;
use crate::enrollment::registration::{self, Search};
use crate::payment::notifications;
use crate::runtime::context::Context;
use crate::sale::voucher_use;
use crate::{documents, gateways};

const BATCH: i64 = 500;

/// Batches of access that one round ends.
const BATCHES_OF_ENDS: usize = 20;

/// An unconfirmed enrollment gets a new message after this time. It is longer than the longest default retry delay, so
/// that messages in retry are not multiplied.
const SYNCED_AGAIN_AFTER: TimeDelta = TimeDelta::minutes(40);

/// A paid cart that is not fulfilled gets a new message this long after its last one was sent, or returned from its retry
/// delay.
const FULFILLED_AGAIN_AFTER: TimeDelta = TimeDelta::minutes(5);

/// A notification is matched here only after this time, which the message that brought it gets to settle it.
const MATCHED_AFTER: TimeDelta = TimeDelta::seconds(30);

/// Failed notifications after which a round continues with other work: each may have waited for its provider.
const FAILURES: u32 = 3;

/// Time that processed notifications are kept: longer than any provider repeats one.
const NOTIFICATIONS_KEPT: TimeDelta = TimeDelta::days(30);

/// A notification of another shop on the same account is closed after this time: no transaction of ours will match it.
const FOREIGN_AFTER: TimeDelta = TimeDelta::hours(1);

/// A withdrawal that could not be judged is judged again after this time.
const JUDGED_AGAIN: TimeDelta = TimeDelta::minutes(5);

/// An address that does not confirm within this time that it wants to wait for a place is forgotten.
const CONFIRMED_WITHIN: TimeDelta = TimeDelta::days(7);

/// Results of one round: each step with its count, or why it failed.
pub type Round = Vec<(&'static str, JobResult<u64>)>;

/// Notifications come last: each may wait for its provider.
pub(super) async fn payments(ctx: &Context) -> Round {
    vec![
        ("payments whose provider is asked", {
            let uncancellable = gateways::uncancellable_gateways();
            let due = async |db: &mut _, now| {
                let ends = Ends {
                    held_since: ctx.held_since(now),
                    open_since: ctx.open_since(now),
                    transfer_days: gateways::GRACE_DAYS.into(),
                };
                checks::due_payments(db, now, &uncancellable, &ends, BATCH).await
            };
            send(ctx, due, |transaction_id| CheckPayment { transaction_id }).await
        }),
        ("refunds whose provider is asked", {
            let due = async |db: &mut _, now| checks::due_refunds(db, now, BATCH).await;
            send(ctx, due, |refund_id| CheckRefund { refund_id }).await
        }),
        // Also those that could not be judged before.
        ("withdrawals to be judged", {
            let due = async |db: &mut _, now| withdrawals::take_due(db, now, now + JUDGED_AGAIN, BATCH).await;
            send(ctx, due, |withdrawal_id| JudgeWithdrawal { withdrawal_id }).await
        }),
        ("uses of vouchers freed at refused accounts", voucher_use::end_refused(ctx, BATCH).await),
        ("accounts whose payouts are read", read_payouts(ctx).await),
        ("paid carts to be fulfilled", {
            let due = async |db: &mut _, now| {
                fulfilments::take_unfulfilled(db, now - FULFILLED_AGAIN_AFTER, now, BATCH).await
            };
            send(ctx, due, |cart_id| FulfilCart { cart_id }).await
        }),
        ("gifts whose day has come", {
            let due = async |db: &mut _, now| gifts::take_due(db, now, BATCH).await;
            send(ctx, due, |cart_id| GiveGift { cart_id }).await
        }),
        ("notifications matched with their transaction", match_notifications(ctx).await),
    ]
}

pub(super) async fn others(ctx: &Context, search: &mut Search) -> Round {
    let repriced = reprice_courses(ctx).await;
    publish_generation(ctx).await;
    vec![
        ("tables analyzed since they have grown", statistics::analyze_grown(&ctx.db).await),
        ("courses whose price has changed by the clock", repriced),
        ("enrollments whose access has ended", end_access(ctx).await),
        ("learners reminded that access ends", remind(ctx).await),
        ("abandoned carts expired", expire_carts(ctx).await),
        ("entries of waiting lists ended", end_waiting(ctx).await),
        ("free places offered to who waits for them", offer_places(ctx).await),
        // Only one batch per round, so that an outage of the platform does not fill the queue.
        ("unconfirmed enrollments sent again", {
            let due = async |db: &mut _, now| {
                sync::take_unconfirmed(db, now - SYNCED_AGAIN_AFTER, now, BATCH).await
            };
            send(ctx, due, |enrollment_id| SyncEnrollment { enrollment_id }).await
        }),
        ("confirmed moves completed", moves::complete(ctx, None).await),
        ("registered addresses resolved", registration::resolve_waiting(ctx, search).await),
        ("gathered invitations sent", send_invitations(ctx).await),
        ("batches without a message resumed", {
            let due = async |db: &mut _, now| batches::stranded(db, now, BATCH).await;
            send(ctx, due, |batch_id| RunBatch { batch_id }).await
        }),
        ("carts whose documents were issued", issue_documents(ctx).await),
        ("mails that have waited for a document", {
            let due = async |db: &mut _, now| mails::take_held(db, now, BATCH).await;
            send(ctx, due, |mail_id| SendEmail { mail_id }).await
        }),
        ("invoices found overdue", on_account::mark_overdue(&ctx.db, ctx.clock.now(), BATCH).await),
    ]
}

/// Retired accounts come last: each may wait for the platform.
pub(super) async fn erasure(ctx: &Context) -> Round {
    vec![
        ("notifications of other shops closed", close_foreign_notifications(ctx).await),
        ("old commands and notifications forgotten", forget_commands(ctx).await),
        ("records forgotten after their time", retention::forget(ctx).await),
        ("retired accounts erased", retirement::erase_retired(ctx).await),
    ]
}

/// Counts each kind of waiting work.
pub async fn backlog(ctx: &Context) -> JobResult<Vec<Waiting>> {
    let given_up = ctx.open_since(ctx.clock.now());
    store::plumbing::backlog::read(&ctx.db, &gateways::uncancellable_gateways(), given_up).await
}

/// Takes what is due, and sends a message for each.
async fn send<I, M: Task>(
    ctx: &Context,
    take_due: impl AsyncFnOnce(&mut PgConnection, DateTime<Utc>) -> JobResult<Vec<I>>,
    message: impl Fn(I) -> M,
) -> JobResult<u64> {
    let (mut tx, now) = (ctx.db.begin().await?, ctx.clock.now());
    let due = take_due(&mut tx, now).await?;
    let count = due.len() as u64;
    for id in due {
        outbox::push(&mut tx, message(id), now).await?;
    }
    tx.commit().await?;
    Ok(count)
}

async fn read_payouts(ctx: &Context) -> JobResult<u64> {
    let every = ctx.read_payouts_every;
    if every.is_zero() {
        return Ok(0);
    }
    let due = async |db: &mut _, now| payouts::take_due(db, now, now + every, BATCH).await;
    send(ctx, due, |Account { organisation_id, gateway }| ReadPayouts { organisation_id, gateway }).await
}

/// Ends access whose time is up: so much in a round that the other steps do not wait for long.
async fn end_access(ctx: &Context) -> JobResult<u64> {
    let mut ended = 0;
    for _ in 0..BATCHES_OF_ENDS {
        let mut tx = ctx.db.begin().await?;
        let cause = Cause { actor: Actor::System, command_id: Uuid::now_v7(), now: ctx.clock.now() };
        let count = periods::end_due(&mut tx, BATCH, cause).await?;
        tx.commit().await?;
        ended += count as u64;
        if count == 0 {
            break;
        }
    }
    Ok(ended)
}

/// Reminds learners of access that ends soon, one batch per round.
async fn remind(ctx: &Context) -> JobResult<u64> {
    if ctx.access_reminder.is_zero() {
        return Ok(0);
    }
    let mut tx = ctx.db.begin().await?;
    let reminded = periods::remind(&mut tx, ctx.access_reminder, BATCH, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(reminded)
}

async fn end_waiting(ctx: &Context) -> JobResult<u64> {
    let (mut tx, now) = (ctx.db.begin().await?, ctx.clock.now());
    let ended = waiting_list::end_due(&mut tx, now - CONFIRMED_WITHIN, BATCH, now).await?;
    tx.commit().await?;
    Ok(ended)
}

/// Offers free places, one batch of a course per round.
async fn offer_places(ctx: &Context) -> JobResult<u64> {
    let (now, mut offered) = (ctx.clock.now(), 0);
    let held_since = ctx.held_since(now);
    let courses = waiting_list::courses_to_offer(&mut *ctx.db.acquire().await?, held_since, now).await?;
    for course in courses {
        let mut tx = ctx.db.begin().await?;
        offered +=
            waiting_list::offer(&mut tx, course, held_since, ctx.place_offered_for, BATCH, now).await?;
        tx.commit().await?;
    }
    Ok(offered)
}

async fn reprice_courses(ctx: &Context) -> JobResult<u64> {
    let mut repriced = 0;
    loop {
        let mut tx = ctx.db.begin().await?;
        let now = ctx.clock.now();
        let courses = generation::courses_with_changed_prices(&mut tx, now, BATCH).await?;
        if courses.is_empty() {
            return Ok(repriced);
        }
        generation::refresh_prices(&mut tx, &courses, now).await?;
        generation::raise(&mut tx, now).await?;
        tx.commit().await?;
        repriced += courses.len() as u64;
    }
}

/// Copies the catalog generation to Redis, which may have restarted with an older one. It can also have a newer one, after the
/// database was restored or has lost its last commits: what the caches hold under that number and those below it is of a catalog
/// that is gone. The database's number then passes it.
async fn publish_generation(ctx: &Context) {
    let published = async {
        let generation = generation::current(&ctx.db).await?;
        let publishing = ctx.generations.publish(generation).await;
        let known = publishing.map_err(|error| JobError::Retry(error.to_string()))?;
        if known <= generation {
            return Ok(());
        }
        let mut tx = ctx.db.begin().await?;
        let raised = generation::raise_past(&mut tx, known, ctx.clock.now()).await?;
        tx.commit().await?;
        if let Some(raised) = raised {
            tracing::warn!(
                generation,
                known,
                raised,
                "Redis knew a newer catalog generation than the database"
            );
        }
        Ok::<_, JobError>(())
    };
    if let Err(error) = published.await {
        tracing::warn!(%error, "catalog generation not published to Redis");
    }
}

async fn forget_commands(ctx: &Context) -> JobResult<u64> {
    let mut db = ctx.db.acquire().await?;
    let mut forgotten = 0;
    loop {
        let now = ctx.clock.now();
        let mails_before = now.checked_sub_signed(ctx.mails_kept).unwrap_or(DateTime::UNIX_EPOCH);
        let gone = commands::forget_old(&mut db, ctx.answers_since(), now).await?
            + inbox::forget_old(&mut db, now - NOTIFICATIONS_KEPT).await?
            + carts::forget_joined(&mut db, now - NOTIFICATIONS_KEPT).await?
            + invitations::forget_old(&mut db, now).await?
            + mails::forget_old(&mut db, mails_before).await?
            + mail_fates::forget_suppressed(&mut db, now).await?;
        match gone {
            0 => return Ok(forgotten),
            count => forgotten += count,
        }
    }
}

async fn close_foreign_notifications(ctx: &Context) -> JobResult<u64> {
    let (mut db, now) = (ctx.db.acquire().await?, ctx.clock.now());
    inbox::close_foreign(&mut db, now - FOREIGN_AFTER, now, BATCH).await
}

/// Settles notifications that have found their transaction, directly, not through the queue. A round ends this step after a
/// few failures.
async fn match_notifications(ctx: &Context) -> JobResult<u64> {
    let (mut matched, mut failed) = (0, 0);
    for (notification, id) in inbox::matchable(&ctx.db, ctx.clock.now() - MATCHED_AFTER, BATCH).await? {
        let subject = gateways::interpret(notification.gateway, &notification.kind, &notification.body);
        match notifications::process(ctx, &notification, subject.interpretation, Uuid::now_v7()).await {
            Ok(()) => matched += 1,
            Err(error) => {
                tracing::warn!(notification = id, %error, "notification not settled; a later round tries again");
                inbox::tried(&ctx.db, id, ctx.clock.now()).await?;
                failed += 1;
            }
        }
        if failed == FAILURES {
            break;
        }
    }
    Ok(matched)
}

/// Expires old carts that were never checked out. Carts that wait for a payment expire in `check_payment`, once the
/// provider has cancelled it.
async fn expire_carts(ctx: &Context) -> JobResult<u64> {
    let mut tx = ctx.db.begin().await?;
    let now = ctx.clock.now();
    let cause = Cause { actor: Actor::System, command_id: Uuid::now_v7(), now };
    let expired = carts::expire_open(&mut tx, now - ctx.cart_lifetime, BATCH, cause).await?;
    tx.commit().await?;
    Ok(expired)
}

/// Sends the invitations that had to wait because their address had got enough for a day, and those whose job ended before.
async fn send_invitations(ctx: &Context) -> JobResult<u64> {
    let (now, mut sent) = (ctx.clock.now(), 0);
    for email in invitations::due(&ctx.db, now, BATCH).await? {
        let mut tx = ctx.db.begin().await?;
        locks::take(&mut tx, &[Lock::Invitations(&email)]).await?;
        sent += u64::from(invitations::send(&mut tx, &email, now).await?);
        tx.commit().await?;
    }
    Ok(sent)
}

/// Issues the invoices and credit notes that no mail has issued.
async fn issue_documents(ctx: &Context) -> JobResult<u64> {
    let mut issued = 0;
    for cart in store::money::documents_due::take(&ctx.db, ctx.clock.now(), BATCH).await? {
        match documents::issue(ctx, cart).await {
            Ok(_) => issued += 1,
            Err(error) => tracing::error!(%cart, %error, "documents not issued; a later round tries again"),
        }
    }
    Ok(issued)
}
