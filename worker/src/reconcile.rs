//! On a timer, what messages and timers have missed: addresses that have registered since, modes that have expired,
//! answers that nobody may ask for any more. One worker at a time, in bounded batches.

use std::time::Duration;

use shared::email::Email;
use shared::messages::ResolveRegistration;
use sqlx::{PgConnection, Postgres, Transaction};
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::store::{self, catalog, commands, enrollments, outbox};

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
    if let Some(mut tx) = begin(ctx).await? {
        expire_modes(ctx, &mut tx).await?;
        commands::forget_old(&mut tx, ctx.clock.now()).await?;
        tx.commit().await?;
    }
    resolve_registrations(ctx).await?;
    ctx.outbox.notify_one();
    Ok(())
}

/// None while another worker reconciles.
async fn begin(ctx: &Context) -> JobResult<Option<Transaction<'static, Postgres>>> {
    let mut tx = ctx.db.begin().await?;
    Ok(store::try_lock(&mut tx, LOCK).await?.then_some(tx))
}

async fn expire_modes(ctx: &Context, db: &mut PgConnection) -> JobResult<()> {
    let now = ctx.clock.now();
    let courses = catalog::courses_with_expired_modes(db, now, BATCH).await?;
    if !courses.is_empty() {
        catalog::refresh_prices(db, &courses, now).await?;
        catalog::raise_generation(db, now).await?;
    }
    Ok(())
}

/// Asks the platform which of the waiting addresses it knows by now. The question is not asked inside a transaction.
async fn resolve_registrations(ctx: &Context) -> JobResult<()> {
    let Some(mut tx) = begin(ctx).await? else { return Ok(()) };
    let waiting = enrollments::pending_addresses(&mut tx, BATCH).await?;
    tx.rollback().await?;
    if waiting.is_empty() || !ctx.platform.is_configured() {
        return Ok(());
    }
    let known =
        ctx.platform.search_emails(&waiting).await.map_err(|error| JobError::Retry(error.to_string()))?;
    let mut tx = ctx.db.begin().await?;
    for found in known {
        let Ok(email) = Email::parse(&found.email) else { continue };
        outbox::push(&mut tx, ResolveRegistration { email }, ctx.clock.now()).await?;
    }
    tx.commit().await?;
    Ok(())
}
