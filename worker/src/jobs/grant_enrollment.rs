//! Grants an address access to a course, at a trusted partner's request. The reply says so if the platform refuses in
//! time.
//!
//! Why: `docs/decisions/verdict-wait.md`

use std::time::Duration;

use chrono::{DateTime, TimeDelta};
use shared::ids::EnrollmentId;
use shared::messages::{EnrollmentAnswer, GrantEnrollment, Refusal};
use shared::trace_parent::TraceParent;
use store::access::enrollments::{self, Grants, Source};
use store::access::sync_queue::SyncAt;
use store::access::{invitations, sync};
use store::error::{JobError, JobResult};
use store::model::line::CourseGrant;
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::outbox;
use store::sales::offers;
use tracing::{Instrument, instrument};

use crate::enrollment::account_lookup::{self, Address};
use crate::enrollment::sync as enrollment_sync;
use crate::platform::Turn;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;

/// Time after the reply at which the relay publishes the message of a first sync, in case the worker crashes during the sync.
const FIRST_SYNC: TimeDelta = TimeDelta::seconds(5);

#[instrument(name = "job.grant_enrollment", skip_all)]
pub async fn run(
    ctx: &Context,
    command: &GrantEnrollment,
    command_ctx: &CommandContext,
) -> JobResult<EnrollmentAnswer> {
    let course = offers::granted_course(&ctx.db, command.course_id, command.mode)
        .await?
        .ok_or(Refusal::CourseNotFound)?;
    course.check_mode(command.mode, ctx.clock.now())?;
    let (address, wait) = tokio::try_join!(account_lookup::look_up(ctx, &command.email), verdict_wait(ctx))?;

    let mut tx = ctx.transaction().await?;
    let now = ctx.clock.now();
    let cause = Cause { actor: Actor::Client, command_id: command_ctx.id, now };
    let grants = Grants {
        email: &command.email,
        holder: address.holder(&mut tx, &command.email, now).await?,
        source: Source::Partner,
        courses: &[CourseGrant { course_id: command.course_id, mode: command.mode, rests_on: None }],
        language: command.language.as_ref(),
        sync_at: wait.map_or(SyncAt::Now, |wait| SyncAt::Time(now + wait + FIRST_SYNC)),
    };
    let granted = enrollments::grant(&mut tx, &grants, cause).await?;
    let granted = granted.first().ok_or_else(|| JobError::dead("a grant of one course has no result"))?;
    if granted.invite {
        invitations::send(&mut tx, &command.email, now).await?;
    }
    let held_back = granted.sync.zip(wait);
    let mut answer = EnrollmentAnswer {
        enrollment_state: granted.state.into(),
        platform_refusal: None,
        is_unresolved: matches!(address, Address::Unresolved),
    };
    command_ctx.finish(&mut *tx, &answer, ctx.clock.now()).await?;
    if let Some((_, wait)) = held_back {
        command_ctx.withhold(&mut tx, now + wait + FIRST_SYNC).await?;
    }
    tx.commit().await?;
    if let Some((message, wait)) = held_back {
        answer.platform_refusal = verdict(ctx, granted.enrollment_id, message, wait).await?;
        if command_ctx.claimed || answer.platform_refusal.is_some() {
            command_ctx.correct(&ctx.db, &answer).await?;
        }
    }
    Ok(answer)
}

/// Number of unsynced enrollments from which on a grant answers without waiting for the platform.
const SHORT_BACKLOG: i64 = 100;

/// Returns how long this grant may wait for the platform's verdict; None if it must not wait.
async fn verdict_wait(ctx: &Context) -> JobResult<Option<Duration>> {
    let Some(wait) = ctx.platform.verdict_wait() else { return Ok(None) };
    let mut db = ctx.db.acquire().await?;
    let is_short = sync::is_backlog_below(&mut db, SHORT_BACKLOG, DateTime::UNIX_EPOCH).await?;
    Ok(is_short.then_some(wait))
}

/// Runs the first sync in place of its message, and returns the reason if the platform refuses for good within `wait`.
/// A sync that takes longer continues in the background; the message retries one that fails.
async fn verdict(ctx: &Context, id: EnrollmentId, message: i64, wait: Duration) -> JobResult<Option<String>> {
    let until = tokio::time::Instant::now() + wait;
    let Some(turn) = ctx.platform.turn_within(wait).await else {
        outbox::publish_now(&ctx.db, message).await?;
        ctx.outbox.notify_one();
        return Ok(None);
    };
    let sync = first_sync(ctx.clone(), id, message, turn).in_current_span();
    let sync = ctx.tasks.spawn(TraceParent::carry(sync));
    match tokio::time::timeout_at(until, sync).await {
        Ok(Ok(refusal)) => Ok(refusal),
        // The sync panicked, in which case its message retries it, or it takes longer.
        Ok(Err(_)) | Err(_) => Ok(None),
    }
}

/// Reason why the platform refused. None also if the sync failed: then the message retries it.
async fn first_sync(ctx: Context, id: EnrollmentId, message: i64, turn: Turn) -> Option<String> {
    match enrollment_sync::sync(&ctx, id, Some((message, turn))).await {
        Ok(refusal) => refusal,
        Err(error) => {
            tracing::warn!(%error, "first sync failed; its message retries it");
            if let Err(error) = outbox::publish_now(&ctx.db, message).await {
                tracing::warn!(%error, "message of the first sync not released; the relay publishes it later");
            }
            ctx.outbox.notify_one();
            None
        }
    }
}
