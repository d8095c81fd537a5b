//! Erases learners whose account the course platform has retired. openedx-events has no event of a retirement, so the
//! reconciler asks: first for many addresses at once which ones have an account, then for each that has none whether it was
//! retired, and last for the learner's account by its id.

use std::time::{Duration, Instant};

use shared::email::Email;
use store::error::{JobError, JobResult};
use store::people::erasure::{self, Erased};
use store::people::learners::{self, Unchecked};
use store::plumbing::audit::{Actor, Cause};
use uuid::Uuid;

use crate::runtime::context::Context;

/// Learners checked at once: as many addresses as one search takes.
const BATCH: i64 = 100;

/// A round that takes longer leaves the rest to the next one, so that the metric of rounds shows progress.
const ROUND: Duration = Duration::from_secs(300);

/// Checks the learners whose check is due, the longest overdue first. Returns how many were erased.
pub async fn erase_retired(ctx: &Context) -> JobResult<u64> {
    let (begun, mut erased) = (Instant::now(), 0);
    if ctx.retention.erase_retired_every.is_zero() || !ctx.platform.is_configured() {
        return Ok(0);
    }
    // What this round has checked is not due again in it, however short the interval is.
    let now = ctx.clock.now();
    while begun.elapsed() < ROUND {
        let learners = learners::unchecked(&ctx.db, now, BATCH).await?;
        if learners.is_empty() {
            break;
        }
        erased += check_batch(ctx, learners).await?;
    }
    Ok(erased)
}

/// Checks some learners. Returns how many were erased.
async fn check_batch(ctx: &Context, learners: Vec<Unchecked>) -> JobResult<u64> {
    let emails: Vec<Email> =
        learners.iter().filter_map(|learner| Email::parse(&learner.email).ok()).collect();
    let known = match emails.is_empty() {
        true => Vec::new(),
        false => ctx.platform.search_emails(&emails).await?,
    };
    let (every, mut erased) = (ctx.retention.erase_retired_every, 0);
    let (mut with_account, mut without) = (Vec::new(), Vec::new());
    for learner in learners {
        match Email::parse(&learner.email) {
            Ok(email) if !known.contains(&email) => without.push((learner, email)),
            _ => with_account.push(learner.id),
        }
    }
    learners::checked(&ctx.db, &with_account, every, ctx.clock.now()).await?;
    for (learner, email) in without {
        match check(ctx, &learner, &email).await {
            Ok(done) => erased += u64::from(done),
            // Another transaction came between; the next batch tries again.
            Err(JobError::Conflict(_)) => continue,
            // One learner must not hold up those after it.
            Err(error) => {
                tracing::warn!(learner = %learner.id, %error, "retirement not checked; the learner's next check tries again");
            }
        }
        learners::checked(&ctx.db, &[learner.id], every, ctx.clock.now()).await?;
    }
    Ok(erased)
}

/// Erases a learner whose account is retired for good. Returns whether that was so.
async fn check(ctx: &Context, learner: &Unchecked, email: &Email) -> JobResult<bool> {
    // An address without an account may as well have been changed: only the platform's word makes it a retired one.
    if !ctx.platform.is_retired_for_good(email).await? {
        return Ok(false);
    }
    // The learner may have moved to another address before a second account took this one, and was retired.
    let account = ctx.platform.account_by_id(learner.platform_user_id).await?;
    if account.is_some_and(|account| !account.is_retired()) {
        return Ok(false);
    }
    erase(ctx, learner, email).await
}

async fn erase(ctx: &Context, learner: &Unchecked, email: &Email) -> JobResult<bool> {
    let cause = Cause { actor: Actor::System, command_id: Uuid::now_v7(), now: ctx.clock.now() };
    let mut tx = ctx.transaction().await?;
    match erasure::erase_address(&mut tx, email, cause).await? {
        // Another learner has the address by now.
        Erased::Done(id) if id != learner.id => Ok(false),
        Erased::Unknown => Ok(false),
        Erased::UnderWay(needed) => {
            tracing::info!(
                ?needed,
                "learner with a retired account not erased yet; the next check tries again"
            );
            Ok(false)
        }
        Erased::Done(id) => {
            tx.commit().await?;
            tracing::info!(person = %id, "learner erased: the platform has retired the account");
            Ok(true)
        }
    }
}
