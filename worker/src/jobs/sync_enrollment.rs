//! Makes the course platform agree with the record of one enrollment, as the record is now, not as it was when the
//! message was written. A lease on the row keeps two jobs from changing the same enrollment on the platform at once.

use shared::messages::SyncEnrollment;
use uuid::Uuid;

use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::platform::{Certificate, CourseDetails, EnrollmentChange, PlatformError};
use crate::store::sync::{self, Lease, Outcome, Task};
use crate::store::{learners, transactions};

/// The calls of [`change_existing`], which count toward the platform's limit.
const CALLS_FOR_EXISTING: u32 = 4;

/// Consecutive failures after which the worker raises an alert.
const FAILURES_BEFORE_ALERT: i32 = 5;

/// The result of one round of calls.
enum Told {
    Final(Outcome),
    /// The platform answered 400 to an enrollment, with this reason. The next round reads its record to learn what that
    /// means.
    Unclear(String),
    /// The account's username has changed to this one.
    Renamed(String),
    /// The LMS keeps failing at this enrollment: the job stops, and the reconciler retries it, less and less often.
    GivenUp,
}

pub async fn run(ctx: &Context, message: &SyncEnrollment) -> JobResult<()> {
    sync(ctx, message.enrollment_id, None).await.map(drop)
}

/// Syncs one enrollment. `taken` is the outbox row of its message, if the caller runs the sync in place of that message
/// and has already waited for the first turn. Returns the reason if the platform refused for good.
///
/// # Errors
/// `Retry` while the platform is unavailable, or another job holds the lease.
pub async fn sync(ctx: &Context, id: Uuid, taken: Option<i64>) -> JobResult<Option<String>> {
    let (mut unclear, mut turns) = (None, u32::from(taken.is_some()));
    loop {
        let Some(calls) = sync::calls_needed(&ctx.db, id).await? else { return Ok(None) };
        let calls = if unclear.is_some() { CALLS_FOR_EXISTING } else { calls };
        // Waits before taking the lease, which is short: a turn can be minutes away.
        for _ in std::mem::take(&mut turns)..calls {
            ctx.platform.turn().await;
        }
        let task = match sync::lease(&ctx.db, id, ctx.clock.now()).await? {
            Lease::Done => return Ok(None),
            Lease::Busy => return Err(JobError::Retry("another job is syncing this enrollment".into())),
            Lease::Held(task) => task,
        };
        match tell_leased(ctx, &task, unclear.as_deref()).await? {
            Told::Final(outcome) => {
                if conclude(ctx, &task, &outcome, taken).await? {
                    return Ok(outcome.refusal());
                }
            }
            Told::Unclear(reason) => {
                unclear = Some(reason);
                sync::release(&ctx.db, &task, ctx.clock.now()).await?;
            }
            Told::GivenUp => return Ok(None),
            Told::Renamed(username) => {
                learners::rename(&ctx.db, task.learner_id, &username, ctx.clock.now()).await?;
                sync::release(&ctx.db, &task, ctx.clock.now()).await?;
            }
        }
    }
}

async fn tell_leased(ctx: &Context, task: &Task, unclear: Option<&str>) -> JobResult<Told> {
    let told = tokio::time::timeout(sync::CALLS, tell(ctx, task, unclear)).await;
    let error = match told {
        Ok(Ok(told)) => return Ok(told),
        // The lease is left to expire: until then the platform may still carry out the call.
        Err(_) => return Err(JobError::Retry("the course platform has not answered in time".into())),
        Ok(Err(error @ PlatformError::Unanswered(_))) => return Err(error.into()),
        Ok(Err(PlatformError::Failed(reason))) => return failed(ctx, task, reason).await,
        Ok(Err(error)) => error,
    };
    sync::release(&ctx.db, task, ctx.clock.now()).await?;
    Err(error.into())
}

/// The LMS answered 500: an outage, or an account that it cannot enroll (one without a profile, for example).
async fn failed(ctx: &Context, task: &Task, reason: String) -> JobResult<Told> {
    let failures = sync::failed(&ctx.db, task, ctx.clock.now()).await?;
    if failures < FAILURES_BEFORE_ALERT {
        return Err(JobError::Retry(reason));
    }
    if failures == FAILURES_BEFORE_ALERT {
        metrics::counter!("storefront_alarms_total", "what" => "enrollment_sync").increment(1);
        tracing::error!(
            enrollment = %task.id,
            failures,
            reason,
            "alert: the course platform fails at an enrollment; the learner's account may have no profile"
        );
    }
    Ok(Told::GivenUp)
}

/// Stores the outcome. False if the enrollment must be synced again.
async fn conclude(ctx: &Context, task: &Task, outcome: &Outcome, taken: Option<i64>) -> JobResult<bool> {
    if let Outcome::Refused(reason) = outcome {
        tracing::warn!(enrolled = task.enrolled, %reason, "course platform refused the enrollment; not retried");
        if task.enrolled {
            alarm_paid(ctx, task, reason).await?;
        }
    }
    sync::confirm(&ctx.db, task, outcome, taken, ctx.clock.now()).await
}

/// Raises an alert for each payment of an enrollment that the platform refused: an operator has to refund it.
async fn alarm_paid(ctx: &Context, task: &Task, reason: &str) -> JobResult<()> {
    let mut db = ctx.db.acquire().await?;
    for transaction in transactions::of_enrollment(&mut db, task.id).await? {
        let reason = format!("paid, and the platform refuses {}: {reason}", task.course_key);
        transactions::alarm(&mut db, transaction, &reason, ctx.clock.now()).await?;
    }
    Ok(())
}

/// One round of calls. Final refusals become outcomes; transient faults stay errors.
async fn tell(ctx: &Context, task: &Task, unclear: Option<&str>) -> Result<Told, PlatformError> {
    let told = match (task.enrolled, unclear) {
        (true, None) => enroll(ctx, task).await,
        (true, Some(reason)) => change_existing(ctx, task, reason).await,
        (false, _) => unenroll(ctx, task).await,
    };
    match told {
        Err(PlatformError::Refused { status: 406, message }) => match renamed(ctx, task).await? {
            Some(username) => Ok(Told::Renamed(username)),
            None => Ok(refused(format!("406: {message}"))),
        },
        Err(PlatformError::Refused { status, message }) => Ok(refused(format!("{status}: {message}"))),
        told => told,
    }
}

async fn enroll(ctx: &Context, task: &Task) -> Result<Told, PlatformError> {
    match ctx.platform.change_enrollment(&change(task, Some(task.mode.slug()), true)).await {
        Ok(()) => Ok(Told::Final(Outcome::Synced)),
        Err(PlatformError::Refused { status: 400, message }) => Ok(Told::Unclear(message)),
        Err(error) => Err(error),
    }
}

/// Second round, after a 400. The LMS also answers 400 to a repeated enrollment (in a full course, or without force in
/// a closed or invite-only one), and to every change of an existing record to an expired mode, even with force. It does
/// change the mode of an inactive record, and reactivates a record in the mode that it has.
async fn change_existing(ctx: &Context, task: &Task, reason: &str) -> Result<Told, PlatformError> {
    let wanted = task.mode.slug();
    let Some(record) = ctx.platform.enrollment(&task.username, &task.course_key).await? else {
        return Ok(refused(format!("400: {reason}")));
    };
    if record.is_active && record.mode == wanted {
        return Ok(Told::Final(Outcome::Synced));
    }
    if !task.forced {
        return Ok(refused(format!("400: {reason}")));
    }
    let platform = &ctx.platform;
    if record.mode != wanted {
        if record.is_active {
            platform.change_enrollment(&change(task, Some(&record.mode), false)).await?;
        }
        let changed = platform.change_enrollment(&change(task, Some(wanted), false)).await;
        if let Err(PlatformError::Refused { status, message }) = changed {
            if record.is_active {
                // Reactivates the learner's record in its old mode.
                platform.change_enrollment(&change(task, None, true)).await?;
            }
            return Ok(refused(format!("{status}: {message}")));
        }
        changed?;
    }
    platform.change_enrollment(&change(task, None, true)).await.map(|()| Told::Final(Outcome::Synced))
}

/// Unenrolls the learner, unless they have a certificate or hold a mode that the storefront did not grant.
async fn unenroll(ctx: &Context, task: &Task) -> Result<Told, PlatformError> {
    // Without a record, the platform would first create an enrollment and then deactivate it.
    let record = ctx.platform.enrollment(&task.username, &task.course_key).await?;
    let Some(record) = record else {
        // The platform gives the same answer for an unknown username.
        let renamed = renamed(ctx, task).await?;
        return Ok(renamed.map_or(Told::Final(Outcome::Synced), Told::Renamed));
    };
    if !record.is_active {
        return Ok(Told::Final(Outcome::Synced));
    }
    let kept = match ctx.platform.certificate(&task.username, &task.course_key).await? {
        Certificate::Status(status) if ["generating", "downloadable"].contains(&status.as_str()) => status,
        Certificate::WithoutView => "there, without a web view".to_owned(),
        Certificate::Status(_) | Certificate::None => {
            return deactivate(ctx, task, &record.mode).await;
        }
    };
    Ok(refused(format!("access kept: the learner's certificate is {kept}")))
}

async fn deactivate(ctx: &Context, task: &Task, held: &str) -> Result<Told, PlatformError> {
    // The platform's record may still be in an earlier mode that the storefront granted: one sync can cover several
    // changes.
    let told = task.modes.iter().map(|mode| mode.slug()).find(|mode| *mode == held);
    let change = change(task, told.or(Some(task.mode.slug())), false);
    match ctx.platform.change_enrollment(&change).await {
        Ok(()) => Ok(Told::Final(Outcome::Synced)),
        Err(PlatformError::Refused { status: 400, message }) => {
            Ok(refused(format!("access kept: {message}")))
        }
        Err(error) => Err(error),
    }
}

/// The account's username, if it differs from the record. None also if the account no longer exists.
async fn renamed(ctx: &Context, task: &Task) -> Result<Option<String>, PlatformError> {
    let account = ctx.platform.account_by_id(task.platform_user_id).await?;
    Ok(account.map(|account| account.username).filter(|username| *username != task.username))
}

fn refused(reason: String) -> Told {
    Told::Final(Outcome::Refused(reason))
}

fn change<'a>(task: &'a Task, mode: Option<&'a str>, is_active: bool) -> EnrollmentChange<'a> {
    EnrollmentChange {
        user: &task.username,
        mode,
        is_active,
        course_details: CourseDetails { course_id: &task.course_key },
        force_enrollment: is_active && task.forced,
    }
}
