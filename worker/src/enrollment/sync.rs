//! Makes the course platform agree with the record of one enrollment, as the record is now, not as it was when the
//! message was written. A lease on the row keeps two jobs from changing the same enrollment on the platform at once.

use std::time::Duration;

use shared::ids::EnrollmentId;
use store::access::platform_holdings;
use store::access::sync::{self, Lease, Outcome, Task};
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::{attention, over, transactions};
use store::people::learners;
use store::plumbing::audit::{Actor, Cause};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::{account_lookup, moves};
use crate::alert;
use crate::platform::{CourseDetails, EnrollmentChange, PlatformEnrollment, PlatformError, Turn};
use crate::runtime::context::Context;

/// The calls of [`look_again`] that count toward the platform's limit: the look, with the refused change once more, and with the most
/// that a change step by step can take.
const LOOK: i32 = 1;
const LOOK_AND_REPEAT: i32 = 2;
const LOOK_AND_CHANGE: i32 = 4;

/// The longest wait for a turn within a lease.
const SOON: Duration = Duration::from_secs(1);

/// The result of one round of calls.
enum Round {
    Final(Outcome),
    /// The platform answered 400, 403 or 404 to an enrollment. The next round reads its record to learn what that means.
    Unclear(Unclear),
    /// The account's username has changed to this one.
    Renamed(String),
    /// The mode of the learner's active enrollment at the platform, before the worker changes it; None without one.
    Seen(Option<String>),
    /// The record of what the platform has was written. A round under another lease makes the first change.
    Changed,
    /// The LMS keeps failing at this enrollment: the job stops, and the reconciler retries it, less and less often.
    GivenUp,
}

/// A lease on an enrollment, and a turn to call the platform.
struct Leased {
    task: Task,
    turn: Turn,
    /// Time when the calls under the lease must end.
    end: Instant,
}

/// A refusal of an enrollment, which may have another reason than the learner: 400 also answers a repeat, and 403 and 404 a service
/// account without rights.
struct Unclear {
    /// The record that the platform was told of; a later one has not been refused.
    version: i32,
    /// The account whose call was refused: its rights are in doubt.
    account: usize,
    status: u16,
    reason: String,
    /// Indicates whether the record may be changed step by step; until then it is only looked at, which takes fewer turns.
    may_change: bool,
}

impl Unclear {
    /// Number of calls that the next round can take.
    fn calls(&self) -> i32 {
        match self.status {
            _ if self.may_change => LOOK_AND_CHANGE,
            400 => LOOK,
            _ => LOOK_AND_REPEAT,
        }
    }
}

/// Syncs one enrollment. `in_place` has the outbox row of its message and the first turn, if the caller runs the sync in place of
/// that message. Returns the reason if the platform refused for good.
///
/// # Errors
/// `Retry` while the platform is unavailable, or another job holds the lease.
pub async fn sync(
    ctx: &Context,
    id: EnrollmentId,
    in_place: Option<(i64, Turn)>,
) -> JobResult<Option<String>> {
    let (taken, mut first_turn) = in_place.unzip();
    let mut unclear = None::<Unclear>;
    loop {
        // The first sync of a grant takes the one call whose turn its caller has waited for.
        let is_in_place = first_turn.is_some();
        let Some(leased) = begin(ctx, id, first_turn.take(), unclear.as_ref()).await? else {
            return Ok(None);
        };
        let task = &leased.task;
        // Removed since the grant: that takes more calls than the caller has waited for.
        if is_in_place && !task.enrolled {
            sync::release(&ctx.db, task, ctx.clock.now()).await?;
            continue;
        }
        unclear = unclear.filter(|unclear| unclear.version == task.version);
        match run_leased_round(ctx, &leased, unclear.as_ref()).await? {
            Round::Final(outcome) => {
                if conclude(ctx, task, &outcome, taken).await? {
                    return Ok(outcome.refusal());
                }
            }
            Round::Unclear(again) => {
                unclear = Some(again);
                sync::release(&ctx.db, task, ctx.clock.now()).await?;
            }
            Round::GivenUp => return Ok(None),
            Round::Seen(_) | Round::Changed => sync::release(&ctx.db, task, ctx.clock.now()).await?,
            Round::Renamed(username) => {
                learners::rename(&ctx.db, task.learner_id, &username, ctx.clock.now()).await?;
                unclear = None;
                sync::release(&ctx.db, task, ctx.clock.now()).await?;
            }
        }
    }
}

/// Takes the lease of an enrollment with a turn to call the platform. `first_turn` has come already. None if no sync is needed.
///
/// # Errors
/// `Retry` if another job holds the lease.
async fn begin(
    ctx: &Context,
    id: EnrollmentId,
    first_turn: Option<Turn>,
    unclear: Option<&Unclear>,
) -> JobResult<Option<Leased>> {
    let turn = match (first_turn, unclear) {
        (Some(turn), _) => turn,
        (None, Some(unclear)) => ctx.platform.turn(unclear.calls(), Some(unclear.account)).await,
        (None, None) => {
            // The lease before the turn, which mostly comes at once. It is short, and a turn can be minutes away.
            let Some((task, end)) = lease(ctx, id).await? else { return Ok(None) };
            if task.enrolled
                && let Some(turn) = ctx.platform.turn_within(SOON).await
            {
                return Ok(Some(Leased { task, turn, end }));
            }
            sync::release(&ctx.db, &task, ctx.clock.now()).await?;
            ctx.platform.turn(sync::calls(task.enrolled), None).await
        }
    };
    Ok(lease(ctx, id).await?.map(|(task, end)| Leased { task, turn, end }))
}

/// Takes the lease of an enrollment. Returns with it when the calls under it must end.
async fn lease(ctx: &Context, id: EnrollmentId) -> JobResult<Option<(Task, Instant)>> {
    let end = Instant::now() + sync::CALLS;
    match sync::lease(&ctx.db, id, ctx.clock.now()).await? {
        Lease::Done => Ok(None),
        Lease::Busy => Err(JobError::Retry("another job is syncing this enrollment".into())),
        Lease::Held(task) => Ok(Some((task, end))),
    }
}

async fn run_leased_round(ctx: &Context, leased: &Leased, unclear: Option<&Unclear>) -> JobResult<Round> {
    let Leased { task, turn, end } = leased;
    let end = *end;
    let round = match timeout_at(end, run_round(ctx, turn, task, unclear)).await {
        Ok(Ok(Round::Seen(found))) => {
            // What the platform has before a change is its own gift, unless a purchase gave it.
            let found = found.as_deref();
            let is_as_leased = platform_holdings::record(&ctx.db, task, found, ctx.clock.now()).await?;
            let next = if is_as_leased { ctx.platform.turn_within(SOON).await } else { None };
            let Some(next) = next else { return Ok(Round::Changed) };
            let seen = Task { is_unseen: false, ..task.clone() };
            timeout_at(end, run_round(ctx, &next, &seen, unclear)).await
        }
        round => round,
    };
    let error = match round {
        Ok(Ok(round)) => return Ok(round),
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
async fn failed(ctx: &Context, task: &Task, reason: String) -> JobResult<Round> {
    let failures = sync::failed(&ctx.db, task, ctx.clock.now()).await?;
    if failures < sync::FAILURES_BEFORE_ALERT {
        return Err(JobError::Retry(reason));
    }
    if failures == sync::FAILURES_BEFORE_ALERT {
        alert::raise([Alert::EnrollmentSync { enrollment: task.id, failures, reason }]);
    }
    Ok(Round::GivenUp)
}

/// Stores the outcome. False if the enrollment must be synced again.
async fn conclude(ctx: &Context, task: &Task, outcome: &Outcome, taken: Option<i64>) -> JobResult<bool> {
    if let Outcome::Refused { status, .. } = outcome {
        tracing::warn!(enrollment = %task.id, enrolled = task.enrolled, status, "course platform refused the enrollment; not retried");
        if task.enrolled {
            alert_paid(ctx, task, *status).await?;
        }
    }
    let confirmed = sync::confirm(&ctx.db, task, outcome, taken, ctx.clock.now()).await?;
    // The database has written the event of the verdict.
    ctx.outbox.notify_one();
    if confirmed.has_alert {
        let now = ctx.clock.now();
        let cause = Cause { actor: Actor::System, command_id: Uuid::now_v7(), now };
        let mut tx = ctx.transaction().await?;
        over::opened(&mut tx, None, Some(task.id), cause).await?;
        tx.commit().await?;
    }
    if confirmed.ends_move {
        // The enrollment is confirmed whatever comes of it; the reconciler tries again.
        if let Err(error) = moves::complete(ctx, Some(task.id)).await {
            tracing::warn!(%error, "move not completed");
        }
    }
    Ok(confirmed.is_current)
}

/// Raises an alert for each payment of an enrollment that the platform refused: an operator has to refund it. The alert names
/// the enrollment, whose record has the platform's text.
async fn alert_paid(ctx: &Context, task: &Task, status: Option<u16>) -> JobResult<()> {
    let mut db = ctx.db.acquire().await?;
    let reason = over::refused(&task.course_key, status, task.id);
    for transaction in transactions::of_enrollment(&mut db, task.id).await? {
        alert::raise(attention::alert(&mut db, transaction, &reason, ctx.clock.now()).await?);
    }
    Ok(())
}

/// One round of calls. Final refusals become outcomes; transient faults stay errors.
async fn run_round(
    ctx: &Context,
    turn: &Turn,
    task: &Task,
    unclear: Option<&Unclear>,
) -> Result<Round, PlatformError> {
    let round = match (task.enrolled, unclear) {
        (true, None) if task.is_unseen || task.falls_back => look_first(ctx, turn, task).await,
        (true, None) => enroll(turn, task).await,
        (true, Some(unclear)) => look_again(turn, task, unclear).await,
        (false, _) => unenroll(ctx, turn, task).await,
    };
    match round {
        Err(PlatformError::Refused { status, message }) => {
            // An unknown username is 406 in v1 of the enrollment API, 404 in v2.
            let renamed = if [404, 406].contains(&status) { renamed(ctx, task).await? } else { None };
            Ok(renamed.map_or_else(|| refused(status, format!("{status}: {message}")), Round::Renamed))
        }
        round => round,
    }
}

/// Reads what the platform has before the worker changes it.
async fn look_first(ctx: &Context, turn: &Turn, task: &Task) -> Result<Round, PlatformError> {
    let record = turn.enrollment(&task.username, &task.course_key).await?;
    // The platform gives the same answer for an unknown username.
    if record.is_none()
        && let Some(username) = renamed(ctx, task).await?
    {
        return Ok(Round::Renamed(username));
    }
    Ok(Round::Seen(record.filter(|record| record.is_active).map(|record| record.mode)))
}

async fn enroll(turn: &Turn, task: &Task) -> Result<Round, PlatformError> {
    match turn.change_enrollment(&change(task, Some(task.mode.slug()), true)).await {
        Ok(()) => Ok(Round::Final(Outcome::Synced)),
        // Only v1 answers 406, and only to an unknown username.
        Err(PlatformError::Refused { status, message }) if status != 406 => {
            Ok(first_look(turn, task, status, message))
        }
        Err(error) => Err(error),
    }
}

/// The round after a refusal, which looks at the record.
fn first_look(turn: &Turn, task: &Task, status: u16, reason: String) -> Round {
    Round::Unclear(Unclear {
        version: task.version,
        account: turn.account(),
        status,
        reason,
        may_change: false,
    })
}

/// Second round, after a refusal. Reading the record takes the same rights as changing it. So if the account can read, a 403 or 404
/// is meant for the learner, unless the account got its rights after the refusal: the change is sent once more. The LMS also answers
/// 400 to a repeated enrollment (in a full course, or without force in a closed or invite-only one), and to every change of an
/// existing record to an expired mode, even with force.
async fn look_again(turn: &Turn, task: &Task, unclear: &Unclear) -> Result<Round, PlatformError> {
    let (status, reason) = (unclear.status, || unclear.reason.clone());
    let refusal = || Err(PlatformError::Refused { status, message: reason() });
    let record = turn.enrollment(&task.username, &task.course_key).await?;
    if record.as_ref().is_some_and(|record| record.is_active && record.mode == task.mode.slug()) {
        return Ok(Round::Final(Outcome::Synced));
    }
    if status != 400 {
        return match turn.change_enrollment(&change(task, Some(task.mode.slug()), true)).await {
            Ok(()) => Ok(Round::Final(Outcome::Synced)),
            // The account has its rights now: the next look finds the meaning of the 400.
            Err(PlatformError::Refused { status: 400, message }) => Ok(first_look(turn, task, 400, message)),
            Err(error) => Err(error),
        };
    }
    let Some(record) = record else { return refusal() };
    // A mode that the course does not have at all cannot be reached in any way.
    if !task.forced || !turn.has_mode(&task.course_key, task.mode.slug()).await? {
        return refusal();
    }
    if !unclear.may_change {
        let (version, account) = (task.version, turn.account());
        return Ok(Round::Unclear(Unclear { version, account, status, reason: reason(), may_change: true }));
    }
    change_existing(turn, task, &record).await
}

/// The LMS changes the mode of an inactive record, and reactivates a record in whatever mode that has. A learner whose
/// record is inactive between two of these calls when one is lost gets the access back with the next try.
async fn change_existing(
    turn: &Turn,
    task: &Task,
    record: &PlatformEnrollment,
) -> Result<Round, PlatformError> {
    let wanted = task.mode.slug();
    if record.mode != wanted {
        if record.is_active {
            turn.change_enrollment(&change(task, Some(&record.mode), false)).await?;
        }
        let changed = turn.change_enrollment(&change(task, Some(wanted), false)).await;
        if let Err(PlatformError::Refused { status, message }) = changed {
            let held_before = record.is_active || task.modes.iter().any(|mode| mode.slug() == record.mode);
            if held_before {
                // Reactivates the learner's record in its old mode.
                turn.change_enrollment(&change(task, None, true)).await?;
            }
            return Ok(refused(status, format!("{status}: {message}")));
        }
        changed?;
    }
    turn.change_enrollment(&change(task, None, true)).await.map(|()| Round::Final(Outcome::Synced))
}

/// Unenrolls the learner, unless they have a certificate or hold a mode that the storefront did not grant.
async fn unenroll(ctx: &Context, turn: &Turn, task: &Task) -> Result<Round, PlatformError> {
    // Without a record, the platform would first create an enrollment and then deactivate it.
    let record = turn.enrollment(&task.username, &task.course_key).await?;
    let Some(record) = record else {
        // The platform gives the same answer for an unknown username.
        let renamed = renamed(ctx, task).await?;
        return Ok(renamed.map_or(Round::Final(Outcome::Synced), Round::Renamed));
    };
    if !record.is_active {
        return Ok(Round::Final(Outcome::Synced));
    }
    match ctx.platform.certificate(&task.username, &task.course_key).await?.earned() {
        Some(certificate) => {
            let reason = format!("access kept: the learner's certificate is {certificate}");
            Ok(Round::Final(Outcome::Refused { status: None, reason }))
        }
        None => deactivate(turn, task, &record.mode).await,
    }
}

async fn deactivate(turn: &Turn, task: &Task, held: &str) -> Result<Round, PlatformError> {
    // The platform's record may still be in an earlier mode that the storefront granted: one sync can cover several
    // changes.
    let granted = task.modes.iter().map(|mode| mode.slug()).find(|mode| *mode == held);
    let change = change(task, granted.or(Some(task.mode.slug())), false);
    match turn.change_enrollment(&change).await {
        Ok(()) => Ok(Round::Final(Outcome::Synced)),
        Err(PlatformError::Refused { status: 400, message }) => {
            Ok(refused(400, format!("access kept: {message}")))
        }
        Err(error) => Err(error),
    }
}

/// The account's username, if it differs from the record. None also if the account no longer exists.
async fn renamed(ctx: &Context, task: &Task) -> Result<Option<String>, PlatformError> {
    account_lookup::renamed(ctx, task.platform_user_id, &task.username).await
}

fn refused(status: u16, reason: String) -> Round {
    Round::Final(Outcome::Refused { status: Some(status), reason })
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
