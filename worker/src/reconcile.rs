//! On a timer, what messages and timers have missed: addresses that have registered since, enrollments that the platform
//! never confirmed, modes that have expired, answers that nobody may ask for any more. One worker at a time, in bounded
//! batches.

use std::time::Duration;

use chrono::TimeDelta;
use shared::email::Email;
use shared::messages::{ResolveRegistration, SyncEnrollment};
use sqlx::PgConnection;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::jobs::resolve_registration;
use crate::store::{self, backlog, catalog, commands, outbox, registrations, sync};

const BATCH: i64 = 500;

/// A message gets this long to have the platform told before another one is sent after it: longer than the ladder's last
/// rung by default, so that what is being retried is not multiplied.
const PATIENCE: TimeDelta = TimeDelta::minutes(40);

/// Addresses that are looked up in one round; those after them come next.
const LOOKUPS: usize = 200;

/// Names the lock that the one reconciling worker holds.
const LOCK: i64 = 7_316_073;

/// What one round has done, step by step.
pub type Round = Vec<(&'static str, u64)>;

pub async fn run(ctx: Context, every: Duration, stop: CancellationToken) {
    let mut after = String::new();
    loop {
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            () = stop.cancelled() => return,
        }
        // Each step is a transaction: a round can be left at any point.
        let done = tokio::select! {
            done = once(&ctx, &mut after) => done,
            () = stop.cancelled() => return,
        };
        if let Err(error) = done {
            tracing::warn!(%error, "reconciliation is put off");
        }
        // Each worker tells, whoever did the round.
        if let Err(error) = measure(&ctx).await {
            tracing::warn!(%error, "the backlog cannot be counted");
        }
    }
}

/// One round. Each step is a transaction of its own. None if another worker is at it. `after` is the last address that was
/// looked up, where a round has left some for the next one; else it is empty.
///
/// # Errors
/// The database or the platform is away; what was done until then stays done.
pub async fn once(ctx: &Context, after: &mut String) -> JobResult<Option<Round>> {
    // A connection of its own, which takes the lock with it however the round ends.
    let mut lock = ctx.db.acquire().await?.detach();
    if !store::try_lock(&mut lock, LOCK).await? {
        return Ok(None);
    }
    let expired = expire_modes(ctx).await?;
    publish_generation(ctx).await;
    let forgotten = forget_commands(ctx).await?;
    let asked = ask_platform_again(ctx).await?;
    let resolved = resolve_registrations(ctx, &mut lock, after).await?;
    ctx.outbox.notify_one();
    Ok(Some(vec![
        ("courses whose mode has expired", expired),
        ("old commands forgotten", forgotten),
        ("unconfirmed enrollments sent again", asked),
        ("registered addresses resolved", resolved),
    ]))
}

/// How much waits, and for how long.
async fn measure(ctx: &Context) -> JobResult<()> {
    let now = ctx.clock.now();
    for waiting in backlog::read(&ctx.db).await? {
        let age = waiting.oldest.map_or(0, |oldest| (now - oldest).num_seconds().max(0));
        metrics::gauge!("storefront_waiting", "what" => waiting.what.clone()).set(waiting.count as f64);
        metrics::gauge!("storefront_waiting_oldest_seconds", "what" => waiting.what).set(age as f64);
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

/// Redis may have come back with an older one than it had.
async fn publish_generation(ctx: &Context) {
    let published = async {
        let generation = catalog::generation(&ctx.db).await?;
        ctx.generations.publish(generation).await.map_err(|error| JobError::Retry(error.to_string()))
    };
    if let Err(error) = published.await {
        tracing::warn!(%error, "the catalog's generation is not published");
    }
}

async fn forget_commands(ctx: &Context) -> JobResult<u64> {
    let mut db = ctx.db.acquire().await?;
    let mut forgotten = 0;
    loop {
        match commands::forget_old(&mut db, ctx.clock.now()).await? {
            0 => return Ok(forgotten),
            count => forgotten += count,
        }
    }
}

/// One batch a round: the queue must not fill with what waits for the same outage to end.
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

/// Asks the platform which of the waiting addresses it knows by now, and grants what waits for those.
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
        let emails: Vec<String> = waiting.iter().map(|waiting| waiting.email.clone()).collect();
        let known =
            ctx.platform.search_emails(&emails).await.map_err(|error| JobError::Retry(error.to_string()))?;
        // Those that the platform could not judge before are asked for one by one: they may be due an invitation.
        let unresolved = waiting.iter().filter(|waiting| waiting.unresolved).map(|waiting| &waiting.email);
        let mut emails: Vec<Email> = known
            .iter()
            .map(|found| &found.email)
            .chain(unresolved)
            .filter_map(|email| Email::parse(email).ok())
            .collect();
        emails.sort_unstable();
        emails.dedup();
        for email in emails {
            if looked_up == LOOKUPS {
                return Ok(resolved);
            }
            looked_up += 1;
            after.clear();
            after.push_str(email.as_str());
            // Here and now: a message each round would pile up for those whose account is not active yet.
            match resolve_registration::run(ctx, &ResolveRegistration { email }, Uuid::now_v7()).await {
                Ok(found) => resolved += u64::from(found),
                // One address must not hold up those after it; the next round asks again.
                Err(error) => tracing::warn!(%error, "a registration is not resolved yet"),
            }
        }
        *after = last;
    }
}
