//! On a timer, what messages and timers have missed: addresses that have registered since, modes that have expired,
//! answers that nobody may ask for any more. One worker at a time, in bounded batches.

use std::time::Duration;

use shared::email::Email;
use shared::messages::ResolveRegistration;
use sqlx::PgConnection;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::jobs::resolve_registration;
use crate::store::{self, catalog, commands, enrollments};

const BATCH: i64 = 500;

/// Names the lock that the one reconciling worker holds.
const LOCK: i64 = 7_316_073;

pub async fn run(ctx: Context, every: Duration, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            () = stop.cancelled() => return,
        }
        if let Err(error) = once(&ctx).await {
            tracing::warn!(%error, "reconciliation is put off");
        }
    }
}

/// One round. Each step is a transaction of its own.
///
/// # Errors
/// The database or the platform is away; what was done until then stays done.
pub async fn once(ctx: &Context) -> JobResult<()> {
    // A connection of its own, which takes the lock with it however the round ends.
    let mut lock = ctx.db.acquire().await?.detach();
    if !store::try_lock(&mut lock, LOCK).await? {
        return Ok(());
    }
    expire_modes(ctx).await?;
    publish_generation(ctx).await;
    forget_commands(ctx).await?;
    resolve_registrations(ctx, &mut lock).await?;
    ctx.outbox.notify_one();
    Ok(())
}

async fn expire_modes(ctx: &Context) -> JobResult<()> {
    loop {
        let mut tx = ctx.db.begin().await?;
        let now = ctx.clock.now();
        let courses = catalog::courses_with_expired_modes(&mut tx, now, BATCH).await?;
        if courses.is_empty() {
            return Ok(());
        }
        catalog::refresh_prices(&mut tx, &courses, now).await?;
        catalog::raise_generation(&mut tx, now).await?;
        tx.commit().await?;
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

async fn forget_commands(ctx: &Context) -> JobResult<()> {
    let mut db = ctx.db.acquire().await?;
    while commands::forget_old(&mut db, ctx.clock.now()).await? > 0 {}
    Ok(())
}

/// Asks the platform which of the waiting addresses it knows by now, and grants what waits for those.
async fn resolve_registrations(ctx: &Context, db: &mut PgConnection) -> JobResult<()> {
    if !ctx.platform.is_configured() {
        return Ok(());
    }
    let mut after = String::new();
    loop {
        let waiting = enrollments::waiting_addresses(db, &after, BATCH).await?;
        let Some(last) = waiting.last() else { return Ok(()) };
        after.clone_from(last);
        let known =
            ctx.platform.search_emails(&waiting).await.map_err(|error| JobError::Retry(error.to_string()))?;
        for found in known {
            let Ok(email) = Email::parse(&found.email) else { continue };
            // Here and now: a message each round would pile up for those whose account is not active yet.
            if let Err(error) =
                resolve_registration::run(ctx, &ResolveRegistration { email }, Uuid::now_v7()).await
            {
                // One address must not hold up those after it; the next round asks again.
                tracing::warn!(%error, "a registration is not resolved yet");
            }
        }
    }
}
