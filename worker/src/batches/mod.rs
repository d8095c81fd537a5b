//! Processes the next rows of a batch: each is a grant, a removal or an assigned seat in a transaction of its own, which also
//! records the row's result. A row that fails holds up no other.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{Refusal, RunBatch};
use sqlx::PgConnection;
use store::access::batches::{self, Chunk, WaitingRow};
use store::access::enrollments::{self, Granted, Grants, Source};
use store::access::sync_queue::SyncAt;
use store::access::{invitations, removals};
use store::error::{JobError, JobResult};
use store::model::line::CourseGrant;
use store::people::learners;
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::locks::{self, Lock};
use store::plumbing::outbox;
use store::sales::offers;
use store::sales::seats::{self, Pool};
use uuid::Uuid;

use crate::enrollment::account_lookup::{self, Address};
use crate::runtime::context::Context;
use crate::sale::seats::{self as assignments, Assignment};

/// Rows of one job: the jobs of several batches alternate.
const CHUNK: i64 = 50;

/// Time after which the job leaves its other rows to the next one, so that a stopping worker need not wait for long.
const LONGEST: Duration = Duration::from_secs(15);

/// State that a job knows before its first row.
struct Known {
    batch: Uuid,
    /// The pool whose seats the batch assigns.
    pool: Option<Pool>,
    /// Actor that is recorded as the author of each row's change.
    actor: Actor,
    /// The addresses that have an account at the platform; None if it did not answer.
    registered: Option<HashSet<Email>>,
    sync_at: SyncAt,
}

impl Known {
    async fn read(ctx: &Context, batch: Uuid, chunk: &Chunk) -> JobResult<Self> {
        let pool = match chunk.pool {
            Some(id) => Some(seats::get(&ctx.db, id).await?),
            None => None,
        };
        let actor = match (&pool, chunk.staff) {
            (Some(_), _) => Actor::System,
            (None, Some(user_id)) => Actor::Staff(user_id),
            (None, None) => Actor::Client,
        };
        let is_limited = !ctx.batch_calls_apart.is_zero();
        let sync_at = if is_limited { SyncAt::Turn(batch) } else { SyncAt::Now };
        Ok(Self { batch, pool, actor, registered: registered(ctx, &chunk.rows).await, sync_at })
    }
}

/// A row whose address is valid.
struct Row<'a> {
    waiting: &'a WaitingRow,
    email: Email,
    cause: Cause,
}

/// Processes the next rows of a batch for a message, and pushes the message of those that remain.
///
/// # Errors
/// A row has to be tried again later.
pub async fn run(ctx: &Context, batch: Uuid, message: Uuid) -> JobResult<()> {
    let begun = Instant::now();
    account_lookup::require_platform(ctx).map_err(|refusal| JobError::Retry(refusal.to_string()))?;
    let chunk = batches::take(&ctx.db, batch, message, ctx.clock.now(), CHUNK).await?;
    let Some(chunk) = chunk else { return Ok(()) };
    let known = Known::read(ctx, batch, &chunk).await?;
    let (mut invited, mut put_off) = (BTreeSet::new(), None);
    for row in chunk.rows.iter().take_while(|_| begun.elapsed() < LONGEST) {
        match process(ctx, &known, row).await {
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
    invite(ctx, &invited).await?;
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
            tracing::warn!(%error, "addresses of a batch not searched; using the learners on record");
            None
        }
    }
}

async fn fail(
    ctx: &Context,
    batch: Uuid,
    row: &WaitingRow,
    refusal: &Refusal,
    reason: &str,
) -> JobResult<()> {
    if let Refusal::Internal = refusal {
        tracing::error!(%batch, row = row.row, reason, "row of a batch failed");
    }
    batches::failed(&ctx.db, batch, row.row, &refusal.to_string()).await
}

/// Invites addresses. If the worker dies before, the reconciler does.
async fn invite(ctx: &Context, emails: &BTreeSet<Email>) -> JobResult<()> {
    for email in emails {
        let mut tx = ctx.transaction().await?;
        locks::take(&mut tx, &[Lock::Invitations(email)]).await?;
        invitations::send(&mut tx, email, ctx.clock.now()).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Processes one row. Returns its address if it waits for an invitation.
async fn process(ctx: &Context, known: &Known, waiting: &WaitingRow) -> JobResult<Option<Email>> {
    let email = Email::parse(&waiting.email).map_err(|error| JobError::dead(error.to_string()))?;
    // The same id each time the row is tried.
    let command_id = Uuid::new_v5(&known.batch, &waiting.row.to_be_bytes());
    let row = Row { waiting, email, cause: Cause { actor: known.actor, command_id, now: ctx.clock.now() } };
    if let Some(pool) = &known.pool {
        assign(ctx, known, &row, pool).await?;
        return Ok(None);
    }
    let course_id = waiting.course_id.ok_or(Refusal::CourseNotFound)?;
    if waiting.action == "unenroll" {
        unenroll(ctx, known, &row, course_id).await?;
        return Ok(None);
    }
    let invites = grant(ctx, known, &row, course_id).await?;
    Ok(invites.then_some(row.email))
}

async fn unenroll(ctx: &Context, known: &Known, row: &Row<'_>, course_id: Uuid) -> JobResult<()> {
    if !offers::course_exists(&ctx.db, course_id).await? {
        return Err(Refusal::CourseNotFound.into());
    }
    let mut tx = ctx.transaction().await?;
    let result = removals::remove(&mut tx, &row.email, course_id, known.sync_at, row.cause).await?;
    if batches::done(&mut tx, known.batch, row.waiting.row, result, None).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Grants a course. True if the address is to be invited to it.
async fn grant(ctx: &Context, known: &Known, row: &Row<'_>, course_id: Uuid) -> JobResult<bool> {
    let mode = row.waiting.mode.as_deref().unwrap_or_default();
    let mode: CourseMode = mode
        .parse()
        .map_err(|_| Refusal::UnsupportedMode { detail: format!("{mode:?} is not an enrollment mode.") })?;
    let course = offers::granted_course(&ctx.db, course_id, mode).await?.ok_or(Refusal::CourseNotFound)?;
    course.check_mode(mode, ctx.clock.now())?;
    let address = address(ctx, known, &row.email).await?;
    let mut tx = ctx.transaction().await?;
    let grants = Grants {
        email: &row.email,
        holder: address.holder(&mut tx, &row.email, row.cause.now).await?,
        source: Source::Partner,
        courses: &[CourseGrant { course_id, mode, rests_on: None }],
        language: row.waiting.language.as_ref(),
        sync_at: known.sync_at,
    };
    let granted = enrollments::grant(&mut tx, &grants, row.cause).await?;
    if !done(&mut tx, known.batch, row, &granted).await? {
        return Ok(false);
    }
    tx.commit().await?;
    Ok(granted.iter().any(|granted| granted.invite))
}

async fn assign(ctx: &Context, known: &Known, row: &Row<'_>, pool: &Pool) -> JobResult<()> {
    assignments::check(ctx, pool, &row.email).await?;
    let address = address(ctx, known, &row.email).await?;
    let mut tx = ctx.transaction().await?;
    let assignment = Assignment {
        email: &row.email,
        address: &address,
        language: row.waiting.language.as_ref(),
        sync_at: known.sync_at,
        gift: None,
    };
    let granted = assignments::assign(ctx, &mut tx, pool, &assignment, row.cause).await?;
    if done(&mut tx, known.batch, row, &granted).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Records what a row has granted. False if the row was done before: the caller must not commit.
async fn done(db: &mut PgConnection, batch: Uuid, row: &Row<'_>, granted: &[Granted]) -> JobResult<bool> {
    let first = granted.first().ok_or_else(|| JobError::dead("a grant has no result"))?;
    let pending = granted.iter().find(|granted| granted.state.is_pending());
    let Granted { enrollment_id, state, .. } = *pending.unwrap_or(first);
    batches::done(db, batch, row.waiting.row, state.into(), Some(enrollment_id)).await
}

/// Finds out who has an address. One that the search has not found, and which is not on record, has no account.
async fn address(ctx: &Context, known: &Known, email: &Email) -> JobResult<Address> {
    let recorded = learners::find(&ctx.db, email).await?;
    match (&known.registered, recorded) {
        (Some(registered), None) if !registered.contains(email) => Ok(Address::Unknown { recorded: false }),
        (Some(_), _) => account_lookup::look_up(ctx, email).await,
        (None, Some(learner)) => Ok(Address::Known(learner.id)),
        (None, None) => Ok(Address::Unresolved),
    }
}
