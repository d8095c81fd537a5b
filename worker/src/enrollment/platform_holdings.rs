//! Keeps the record of what the course platform gives by itself up to date, by hints of its event bus.

use std::time::Duration;

use shared::messages::EnrollmentHint;
use shared::queue::Envelope;
use store::access::platform_holdings::{self, Subject};
use store::error::{JobError, JobResult};
use store::people::learners;
use store::plumbing::audit::{Actor, Cause};

use super::account_lookup;
use crate::runtime::context::Context;

/// Retries of a hint. After them, the next sync that depends on what the platform has looks by itself.
const RETRIES: u32 = 5;

/// Longest wait for a turn at the platform: enrollments come first.
const TURN: Duration = Duration::from_secs(1);

/// Asks the platform about the enrollment that a hint names, and records what the platform gave or ended by itself. It is not
/// asked about accounts and courses that are not on record, nor about what the record contains already.
///
/// # Errors
/// `Retry` or `Conflict`, a few times.
pub async fn verify(ctx: &Context, hint: &EnrollmentHint, envelope: &Envelope) -> JobResult<()> {
    let Some(subject) = platform_holdings::subject(&ctx.db, hint.user_id, &hint.course).await? else {
        return Ok(());
    };
    if !subject.differs_from(hint.mode) || !ctx.platform.is_configured() {
        return Ok(());
    }
    match ask(ctx, hint, &subject, envelope).await {
        Err(error @ (JobError::Retry(_) | JobError::Conflict(_))) if envelope.attempt < RETRIES => Err(error),
        Err(error) => {
            tracing::warn!(%error, "change of an enrollment at the platform not recorded");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

async fn ask(ctx: &Context, hint: &EnrollmentHint, subject: &Subject, envelope: &Envelope) -> JobResult<()> {
    if subject.is_queued {
        return Err(JobError::Retry("a sync of the enrollment waits".into()));
    }
    let Some(turn) = ctx.platform.turn_within(TURN).await else {
        return Err(JobError::Retry("the platform's calls are used up".into()));
    };
    let found = turn.enrollment(&subject.username, hint.course.as_str()).await?;
    let now = ctx.clock.now();
    // The platform gives the same answer for an unknown username.
    if found.is_none()
        && let Some(username) =
            account_lookup::renamed(ctx, subject.platform_user_id, &subject.username).await?
    {
        learners::rename(&ctx.db, subject.learner_id, &username, now).await?;
        return Err(JobError::Retry("the account has another username".into()));
    }
    let found = match found.filter(|found| found.is_active) {
        None => None,
        Some(active) => match active.mode.parse() {
            Ok(mode) => Some(mode),
            // The storefront cannot record a mode that it does not know.
            Err(_) => return Ok(()),
        },
    };
    // An LMS sends its events before it commits what they report.
    if found != hint.mode && envelope.attempt == 0 {
        return Err(JobError::Retry("the platform does not confirm the hint yet".into()));
    }
    let mut tx = ctx.transaction().await?;
    let cause = Cause { actor: Actor::System, command_id: envelope.id, now };
    platform_holdings::keep(&mut tx, subject, found, cause).await?;
    tx.commit().await
}
