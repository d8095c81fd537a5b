//! Makes the course platform agree with our record of one enrollment, as it is now and not as it was when the
//! message was written. A lease on the row keeps two jobs from telling it two things at once.

use shared::messages::SyncEnrollment;

use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::platform::{CourseDetails, EnrollmentChange, PlatformError};
use crate::store::sync::{self, Lease, Outcome, Task};
use crate::store::transactions;

pub async fn run(ctx: &Context, message: &SyncEnrollment) -> JobResult<()> {
    loop {
        let Some(calls) = sync::calls_needed(&ctx.db, message.enrollment_id).await? else { return Ok(()) };
        // Before the lease, which is short: a turn can be minutes away.
        for _ in 0..calls {
            ctx.platform.turn().await;
        }
        let task = match sync::lease(&ctx.db, message.enrollment_id, ctx.clock.now()).await? {
            Lease::Done => return Ok(()),
            Lease::Busy => return Err(JobError::Retry("another job is telling the platform".into())),
            Lease::Held(task) => task,
        };
        let telling =
            async { if task.enrolled { enroll(ctx, &task).await } else { unenroll(ctx, &task).await } };
        let told = tokio::time::timeout(sync::CALLS, telling)
            .await
            .unwrap_or_else(|_| Err(PlatformError::Unanswered("no answer in time".into())));
        let outcome = match told {
            Ok(outcome) => outcome,
            Err(PlatformError::Refused { status, message }) => {
                Outcome::Refused(format!("{status}: {message}"))
            }
            // The lease runs out by itself: until then the platform may still do what it was told.
            Err(error @ PlatformError::Unanswered(_)) => return Err(JobError::Retry(error.to_string())),
            Err(error @ (PlatformError::NotConfigured | PlatformError::Unavailable(_))) => {
                sync::release(&ctx.db, &task, ctx.clock.now()).await?;
                return Err(JobError::Retry(error.to_string()));
            }
        };
        if let Outcome::Refused(reason) = &outcome {
            tracing::warn!(enrolled = task.enrolled, %reason, "the platform keeps its own state of the enrollment");
            if task.enrolled {
                alarm_paid(ctx, &task, reason).await?;
            }
        }
        if sync::confirm(&ctx.db, &task, &outcome, ctx.clock.now()).await? {
            return Ok(());
        }
    }
}

/// Somebody has paid for what the platform will not give.
async fn alarm_paid(ctx: &Context, task: &Task, reason: &str) -> JobResult<()> {
    let mut db = ctx.db.acquire().await?;
    for transaction in transactions::of_enrollment(&mut db, task.id).await? {
        let reason = format!("paid, and the platform refuses {}: {reason}", task.course_key);
        transactions::alarm(&mut db, transaction, &reason, ctx.clock.now()).await?;
    }
    Ok(())
}

async fn enroll(ctx: &Context, task: &Task) -> Result<Outcome, PlatformError> {
    ctx.platform.change_enrollment(&change(task, true)).await.map(|()| Outcome::Synced)
}

/// Asks for the unenrollment where that is safe: the learner may have earned a certificate, or hold another mode that
/// we know nothing of.
async fn unenroll(ctx: &Context, task: &Task) -> Result<Outcome, PlatformError> {
    // The platform would first enroll somebody without a record in order to deactivate it.
    let mode = match ctx.platform.enrollment(&task.username, &task.course_key).await? {
        Some(enrollment) if enrollment.is_active => enrollment.mode,
        _ => return Ok(Outcome::Synced),
    };
    let certificate = ctx.platform.certificate_status(&task.username, &task.course_key).await?;
    if let Some(status @ ("generating" | "downloadable")) = certificate.as_deref() {
        return Ok(Outcome::Refused(format!("access kept: the learner's certificate is {status}")));
    }
    // A mode that it has from us, and not yet the last one: two changes in quick succession are told as one.
    let told = mode.parse().ok().filter(|mode| task.modes.contains(mode));
    let change = EnrollmentChange { mode: told.unwrap_or(task.mode), ..change(task, false) };
    match ctx.platform.change_enrollment(&change).await {
        Ok(()) => Ok(Outcome::Synced),
        Err(PlatformError::Refused { status: 400, message }) => {
            Ok(Outcome::Refused(format!("access kept: {message}")))
        }
        Err(error) => Err(error),
    }
}

fn change(task: &Task, is_active: bool) -> EnrollmentChange<'_> {
    EnrollmentChange {
        user: &task.username,
        mode: task.mode,
        is_active,
        course_details: CourseDetails { course_id: &task.course_key },
        force_enrollment: is_active && task.forced,
    }
}
