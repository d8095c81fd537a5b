//! Does the next rows of a list: each is a grant, a removal or an assigned seat in a transaction of its own, which also records
//! the row's result. A row that fails holds up no other.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{Refusal, RunBatch};
use sqlx::PgConnection;
use store::access::batches::{self, Chunk, WaitingRow};
use store::access::enrollments::{self, Granted, Grants, Source, State};
use store::access::{batch_syncs, invitations, removals};
use store::error::{JobError, JobResult};
use store::model::line::CourseGrant;
use store::people::learners;
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::locks::{self, Lock};
use store::plumbing::outbox;
use store::sales::offers;
use store::sales::seats::{self, Pool};
use uuid::Uuid;

use super::grant_enrollment::check_mode;
use crate::enrollment::account_lookup::{self, Address};
use crate::runtime::context::Context;
use crate::sale;

/// Rows of one job: the jobs of several lists alternate.
const CHUNK: i64 = 50;

/// After this time the job leaves its other rows to the next one, so that a stopping worker need not wait for long.
const LONGEST: Duration = Duration::from_secs(15);

/// State that a job knows before its first row.
struct Known {
    /// The pool whose seats the list assigns.
    pool: Option<Pool>,
    /// The addresses that have an account at the platform; None if it did not answer.
    registered: Option<HashSet<Email>>,
}

pub async fn run(ctx: &Context, task: &RunBatch, message: Uuid) -> JobResult<()> {
    let (batch, begun) = (task.batch_id, Instant::now());
    account_lookup::require_platform(ctx).map_err(|refusal| JobError::Retry(refusal.to_string()))?;
    let chunk = batches::take(&ctx.db, batch, message, ctx.clock.now(), CHUNK).await?;
    let Some(Chunk { pool, rows }) = chunk else { return Ok(()) };
    let pool = match pool {
        Some(id) => Some(seats::get(&ctx.db, id).await?),
        None => None,
    };
    let known = Known { pool, registered: registered(ctx, &rows).await };
    let (mut invited, mut put_off) = (BTreeSet::new(), None);
    for row in rows.iter().take_while(|_| begun.elapsed() < LONGEST) {
        match once(ctx, batch, row, &known).await {
            Ok(Some(email)) => drop(invited.insert(email)),
            Ok(None) => {}
            Err(JobError::Reject { refusal, reason }) => fail(ctx, batch, row, &refusal, &reason).await?,
            Err(error @ JobError::Conflict(_)) => return Err(error),
            Err(error) => {
                batches::try_later(&ctx.db, batch, row.row).await?;
                put_off = Some(error);
            }
        }
    }
    for email in &invited {
        // If the worker dies before, the reconciler sends it.
        let mut tx = ctx.transaction().await?;
        locks::take(&mut tx, &[Lock::Invitations(email)]).await?;
        invitations::send(&mut tx, email, ctx.clock.now()).await?;
        tx.commit().await?;
    }
    if let Some(error) = put_off {
        // This message comes again after a pause, and begins with rows that were not tried.
        return Err(error);
    }
    let mut tx = ctx.transaction().await?;
    let now = ctx.clock.now();
    if batches::release(&mut tx, batch, message, now).await? {
        outbox::push(&mut tx, RunBatch { batch_id: batch }, now).await?;
    }
    tx.commit().await?;
    Ok(())
}

async fn fail(
    ctx: &Context,
    batch: Uuid,
    row: &WaitingRow,
    refusal: &Refusal,
    reason: &str,
) -> JobResult<()> {
    if let Refusal::Internal = refusal {
        tracing::error!(%batch, row = row.row, reason, "row of a list failed");
    }
    batches::failed(&ctx.db, batch, row.row, &refusal.to_string()).await
}

async fn registered(ctx: &Context, rows: &[WaitingRow]) -> Option<HashSet<Email>> {
    let enrolls = rows.iter().filter(|row| row.action == "enroll");
    let emails: Vec<Email> = enrolls.filter_map(|row| Email::parse(&row.email).ok()).collect();
    if emails.is_empty() {
        return Some(HashSet::new());
    }
    match ctx.platform.search_emails(&emails).await {
        Ok(found) => Some(found.into_iter().collect()),
        Err(error) => {
            error.alert();
            tracing::warn!(%error, "addresses of a list not searched; using the learners on record");
            None
        }
    }
}

/// Does one row. Returns its address if it waits for an invitation.
async fn once(ctx: &Context, batch: Uuid, row: &WaitingRow, known: &Known) -> JobResult<Option<Email>> {
    let email = Email::parse(&row.email).map_err(|error| JobError::dead(error.to_string()))?;
    // The same id each time the row is tried.
    let command_id = Uuid::new_v5(&batch, &row.row.to_be_bytes());
    let cause = |actor| Cause { actor, command_id, now: ctx.clock.now() };
    if let Some(pool) = &known.pool {
        assign(ctx, batch, row, (pool, &email), known, cause(Actor::System)).await?;
        return Ok(None);
    }
    let course_id = row.course_id.ok_or(Refusal::CourseNotFound)?;
    let cause = cause(Actor::Client);
    if row.action == "unenroll" {
        if !offers::course_exists(&ctx.db, course_id).await? {
            return Err(Refusal::CourseNotFound.into());
        }
        let mut tx = ctx.transaction().await?;
        let removed = removals::remove(&mut tx, &email, course_id, cause).await?;
        hold_back(ctx, &mut tx, batch, &removed.syncs, State::Removed).await?;
        if batches::done(&mut tx, batch, row.row, removed.state, None).await? {
            tx.commit().await?;
        }
        return Ok(None);
    }
    grant(ctx, batch, row, (email, course_id), known, cause).await
}

async fn grant(
    ctx: &Context,
    batch: Uuid,
    row: &WaitingRow,
    (email, course_id): (Email, Uuid),
    known: &Known,
    cause: Cause,
) -> JobResult<Option<Email>> {
    let mode = row.mode.as_deref().unwrap_or_default();
    let mode: CourseMode = mode
        .parse()
        .map_err(|_| Refusal::UnsupportedMode { detail: format!("{mode:?} is not an enrollment mode.") })?;
    let course = offers::granted_course(&ctx.db, course_id, mode).await?.ok_or(Refusal::CourseNotFound)?;
    check_mode(&course, mode, ctx)?;
    let address = address(ctx, &email, known.registered.as_ref()).await?;
    let mut tx = ctx.transaction().await?;
    let grants = Grants {
        email: &email,
        holder: address.holder(&mut tx, &email, cause.now).await?,
        source: Source::Partner,
        courses: &[CourseGrant { course_id, mode, rests_on: None }],
        sync_at: None,
    };
    let granted = enrollments::grant(&mut tx, &grants, cause).await?;
    if !done(ctx, &mut tx, batch, row, &granted).await? {
        return Ok(None);
    }
    tx.commit().await?;
    Ok(granted.iter().any(|granted| granted.invite).then_some(email))
}

async fn assign(
    ctx: &Context,
    batch: Uuid,
    row: &WaitingRow,
    (pool, email): (&Pool, &Email),
    known: &Known,
    cause: Cause,
) -> JobResult<()> {
    sale::seats::check(ctx, pool, email).await?;
    let address = address(ctx, email, known.registered.as_ref()).await?;
    let mut tx = ctx.transaction().await?;
    let granted = sale::seats::assign(ctx, &mut tx, pool, (email, &address), cause).await?;
    if done(ctx, &mut tx, batch, row, &granted).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Records what a row has granted, and has its syncs wait for their turn. False if the row was done before.
async fn done(
    ctx: &Context,
    db: &mut PgConnection,
    batch: Uuid,
    row: &WaitingRow,
    granted: &[Granted],
) -> JobResult<bool> {
    let first = granted.first().ok_or_else(|| JobError::dead("a grant has no result"))?;
    let syncs: Vec<_> =
        granted.iter().filter_map(|one| one.sync.map(|message| (one.enrollment_id, message))).collect();
    hold_back(ctx, db, batch, &syncs, State::Enrolled).await?;
    let pending = granted.iter().find(|granted| granted.state == State::PendingRegistration);
    let Granted { enrollment_id, state, .. } = *pending.unwrap_or(first);
    batches::done(db, batch, row.row, state.into(), Some(enrollment_id)).await
}

/// Has the syncs of enrollments that are now in this state wait for their turn; without a limit on the platform's calls they
/// need not.
async fn hold_back(
    ctx: &Context,
    db: &mut PgConnection,
    batch: Uuid,
    syncs: &[(Uuid, i64)],
    state: State,
) -> JobResult<()> {
    if ctx.batch_calls_apart.is_zero() {
        return Ok(());
    }
    for sync in syncs {
        batch_syncs::hold_back(db, batch, *sync, state, ctx.clock.now()).await?;
    }
    Ok(())
}

/// Returns what is known of an address. One that the search has not found, and which is not on record, has no account.
async fn address(ctx: &Context, email: &Email, registered: Option<&HashSet<Email>>) -> JobResult<Address> {
    let recorded = learners::find(&ctx.db, email).await?;
    match (registered, recorded) {
        (Some(registered), None) if !registered.contains(email) => Ok(Address::Unknown { recorded: false }),
        (Some(_), _) => account_lookup::look_up(ctx, email).await,
        (None, Some(learner)) => Ok(Address::Known(learner.id)),
        (None, None) => Ok(Address::Unresolved),
    }
}
