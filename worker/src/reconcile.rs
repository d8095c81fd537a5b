//! The reconciler: finds, on a timer, work that messages have missed. That is payments without a
//! notification, paid carts that were not fulfilled, events without a transaction, addresses that have registered
//! since, enrollments that the platform has not confirmed, expired modes and carts, and stored answers past their
//! lifetime. One worker at a time does it, in bounded batches.

use std::time::Duration;

use chrono::TimeDelta;
use shared::email::Email;
use shared::messages::{CheckPayment, CheckRefund, FulfilCart, SyncEnrollment};
use sqlx::PgConnection;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::checkout::events;
use crate::context::Context;
use crate::enrollment::registration;
use crate::error::{JobError, JobResult};
use crate::store::audit::{Actor, Cause};
use crate::store::{
    self, backlog, carts, catalog, commands, inbox, outbox, refunds, registrations, sync, transactions,
};
use crate::{gateways, metrics};

const BATCH: i64 = 500;

/// An unconfirmed enrollment gets a new message after this time. It is longer than the longest default retry delay, so
/// that messages in retry are not multiplied.
const PATIENCE: TimeDelta = TimeDelta::minutes(40);

/// A paid cart that is not fulfilled gets a new message after this time, and again after each such interval.
const FULFIL_PATIENCE: TimeDelta = TimeDelta::minutes(5);

/// An event is matched here only after this time, which the message that brought it gets to settle it.
const EVENT_PATIENCE: TimeDelta = TimeDelta::seconds(30);

/// Failed events after which a round goes on to other work: each may have waited for its provider.
const FAILURES: u32 = 3;

/// How long processed events are kept: longer than any provider repeats one.
const EVENTS_KEPT: TimeDelta = TimeDelta::days(30);

/// Addresses looked up in one round; the next round continues after them.
const LOOKUPS: usize = 200;

/// The key of the advisory lock that the reconciling worker holds.
const LOCK: i64 = 7_316_073;

/// What one round did: each step with its count.
pub type Round = Vec<(&'static str, u64)>;

/// Runs a round after each interval `every` until `stop`, and updates the backlog's gauges.
pub async fn run(ctx: Context, every: Duration, stop: CancellationToken) {
    let mut after = String::new();
    loop {
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            () = stop.cancelled() => return,
        }
        // Each step is a transaction of its own, so a round can be dropped at any point.
        let done = tokio::select! {
            done = once(&ctx, &mut after) => done,
            () = stop.cancelled() => return,
        };
        if let Err(error) = done {
            tracing::warn!(%error, "reconciliation round failed; the next round continues");
        }
        // Every worker exports the gauges, whichever one did the round.
        if let Err(error) = measure(&ctx).await {
            tracing::warn!(%error, "cannot count the backlog; gauges not updated");
        }
    }
}

/// Runs one round, each step in a transaction of its own. None if another worker is reconciling. `after` carries the
/// last address looked up from a round that left some to the next one; otherwise it is empty.
///
/// # Errors
/// The database or the platform is unavailable; the steps before the failure keep their effect.
pub async fn once(ctx: &Context, after: &mut String) -> JobResult<Option<Round>> {
    // A detached connection: however the round ends, closing it releases the lock.
    let mut lock = ctx.db.acquire().await?.detach();
    if !store::try_lock(&mut lock, LOCK).await? {
        return Ok(None);
    }
    let expired = expire_modes(ctx).await?;
    publish_generation(ctx).await;
    let forgotten = forget_commands(ctx).await?;
    let checked = check_payments(ctx).await?;
    let refunds = check_refunds(ctx).await?;
    let matched = match_events(ctx).await?;
    let fulfilled = fulfil_paid(ctx).await?;
    let abandoned = expire_carts(ctx).await?;
    let asked = ask_platform_again(ctx).await?;
    let resolved = resolve_registrations(ctx, &mut lock, after).await?;
    ctx.outbox.notify_one();
    Ok(Some(vec![
        ("courses whose mode has expired", expired),
        ("old commands and events forgotten", forgotten),
        ("payments whose provider is asked", checked),
        ("refunds whose provider is asked", refunds),
        ("events matched with their transaction", matched),
        ("paid carts to be fulfilled", fulfilled),
        ("abandoned carts expired", abandoned),
        ("unconfirmed enrollments sent again", asked),
        ("registered addresses resolved", resolved),
    ]))
}

/// Updates the gauges of waiting work: how much there is of each kind, and the age of the oldest in seconds.
async fn measure(ctx: &Context) -> JobResult<()> {
    let now = ctx.clock.now();
    for waiting in backlog::read(&ctx.db).await? {
        let age = waiting.oldest.map_or(0, |oldest| (now - oldest).num_seconds().max(0));
        metrics::waiting(waiting.what, waiting.count, age);
    }
    Ok(())
}

async fn expire_modes(ctx: &Context) -> JobResult<u64> {
    let mut expired = 0;
    loop {
        let mut tx = ctx.db.begin().await?;
        let now = ctx.clock.now();
        let courses = catalog::courses_with_expired_modes(&mut tx, now, BATCH).await?;
        if courses.is_empty() {
            return Ok(expired);
        }
        catalog::refresh_prices(&mut tx, &courses, now).await?;
        catalog::raise_generation(&mut tx, now).await?;
        tx.commit().await?;
        expired += courses.len() as u64;
    }
}

/// Copies the catalog generation to Redis, which may have restarted with an older one.
async fn publish_generation(ctx: &Context) {
    let published = async {
        let generation = catalog::generation(&ctx.db).await?;
        ctx.generations.publish(generation).await.map_err(|error| JobError::Retry(error.to_string()))
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
        let gone = commands::forget_old(&mut db, now).await?
            + inbox::forget_old(&mut db, now - EVENTS_KEPT).await?
            + carts::forget_joined(&mut db, now - EVENTS_KEPT).await?;
        match gone {
            0 => return Ok(forgotten),
            count => forgotten += count,
        }
    }
}

async fn check_payments(ctx: &Context) -> JobResult<u64> {
    let mut tx = ctx.db.begin().await?;
    let now = ctx.clock.now();
    let due = transactions::take_due(&mut tx, now, BATCH).await?;
    for transaction_id in &due {
        outbox::push(&mut tx, CheckPayment { transaction_id: *transaction_id }, now).await?;
    }
    tx.commit().await?;
    Ok(due.len() as u64)
}

async fn check_refunds(ctx: &Context) -> JobResult<u64> {
    let mut tx = ctx.db.begin().await?;
    let now = ctx.clock.now();
    let due = refunds::take_due(&mut tx, now, BATCH).await?;
    for refund_id in &due {
        outbox::push(&mut tx, CheckRefund { refund_id: *refund_id }, now).await?;
    }
    tx.commit().await?;
    Ok(due.len() as u64)
}

/// Settles events that have found their transaction, directly, not through the queue. A round ends this step after a
/// few failures.
async fn match_events(ctx: &Context) -> JobResult<u64> {
    let (mut matched, mut failed) = (0, 0);
    for event in inbox::matchable(&ctx.db, ctx.clock.now() - EVENT_PATIENCE, BATCH).await? {
        let about = gateways::about(event.gateway, &event.kind, &event.body);
        match events::process(ctx, &event, about, Uuid::now_v7()).await {
            Ok(()) => matched += 1,
            Err(error) => {
                tracing::warn!(event = event.id, %error, "event not settled; a later round tries again");
                inbox::tried(&ctx.db, event.id, ctx.clock.now()).await?;
                failed += 1;
            }
        }
        if failed == FAILURES {
            break;
        }
    }
    Ok(matched)
}

async fn fulfil_paid(ctx: &Context) -> JobResult<u64> {
    let mut tx = ctx.db.begin().await?;
    let now = ctx.clock.now();
    let unfulfilled = carts::take_unfulfilled(&mut tx, now - FULFIL_PATIENCE, now, BATCH).await?;
    for cart_id in &unfulfilled {
        outbox::push(&mut tx, FulfilCart { cart_id: *cart_id }, now).await?;
    }
    tx.commit().await?;
    Ok(unfulfilled.len() as u64)
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

/// Sends a new message for each unconfirmed enrollment. Only one batch per round, so that an outage of the platform
/// does not fill the queue.
async fn ask_platform_again(ctx: &Context) -> JobResult<u64> {
    let mut tx = ctx.db.begin().await?;
    let now = ctx.clock.now();
    let unconfirmed = sync::take_unconfirmed(&mut tx, now - PATIENCE, now, BATCH).await?;
    for enrollment_id in &unconfirmed {
        outbox::push(&mut tx, SyncEnrollment { enrollment_id: *enrollment_id }, now).await?;
    }
    tx.commit().await?;
    Ok(unconfirmed.len() as u64)
}

/// Asks the platform which of the waiting addresses have an account by now, and grants what waits for them.
async fn resolve_registrations(ctx: &Context, db: &mut PgConnection, after: &mut String) -> JobResult<u64> {
    if !ctx.platform.is_configured() {
        return Ok(0);
    }
    let (mut looked_up, mut resolved) = (0, 0);
    loop {
        let waiting = registrations::waiting_addresses(db, after, BATCH).await?;
        let Some(last) = waiting.last().map(|last| last.email.clone()) else {
            after.clear();
            return Ok(resolved);
        };
        let emails: Vec<Email> =
            waiting.iter().filter_map(|waiting| Email::parse(&waiting.email).ok()).collect();
        let known = ctx.platform.search_emails(&emails).await?;
        // Addresses whose first look-up failed are looked up one by one: they may still need an invitation.
        let unresolved = waiting.iter().filter(|waiting| waiting.unresolved);
        let unresolved = unresolved.filter_map(|waiting| Email::parse(&waiting.email).ok());
        let mut emails: Vec<Email> = known.into_iter().chain(unresolved).collect();
        emails.sort_unstable();
        emails.dedup();
        for email in emails {
            if looked_up == LOOKUPS {
                return Ok(resolved);
            }
            looked_up += 1;
            after.clear();
            after.push_str(email.as_str());
            // Directly: a message per round would pile up for an address whose account is not active yet.
            match registration::resolve(ctx, &email, Uuid::now_v7()).await {
                Ok(found) => resolved += u64::from(found),
                // One address must not hold up those after it; the next round looks it up again.
                Err(error) => tracing::warn!(%error, "registration not resolved; the next round tries again"),
            }
        }
        *after = last;
    }
}
