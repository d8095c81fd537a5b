//! Does the next rows of a list: each is a grant or a removal in a transaction of its own, which also records the row's
//! result. A row that fails holds up no other.

use std::collections::{BTreeSet, HashSet};

use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{EnrollmentState, Refusal, RunBatch};
use uuid::Uuid;

use super::grant_enrollment::check_mode;
use crate::context::Context;
use crate::enrollment::account_lookup::{self, Address};
use crate::error::{JobError, JobResult};
use crate::store::audit::{Actor, Cause};
use crate::store::batches::{self, WaitingRow};
use crate::store::enrollments::{self, CourseGrant, Grants, Source};
use crate::store::locks::{self, Lock};
use crate::store::{invitations, learners, offers, outbox, removals};

/// Rows of one job: lists take turns, and a stopping worker waits for the job.
const CHUNK: i64 = 50;

pub async fn run(ctx: &Context, task: &RunBatch, message: Uuid) -> JobResult<()> {
    let batch = task.batch_id;
    let Some(rows) = batches::take(&ctx.db, batch, message, ctx.clock.now(), CHUNK).await? else {
        return Ok(());
    };
    let known = known(ctx, &rows).await;
    let mut invited = BTreeSet::new();
    for row in &rows {
        match once(ctx, batch, row, known.as_ref()).await {
            Ok(Some(email)) => drop(invited.insert(email)),
            Ok(None) => {}
            Err(JobError::Reject { refusal, reason }) => {
                let message = match refusal {
                    // A fault of the worker, whose log has the reason.
                    Refusal::Internal => {
                        tracing::error!(%batch, row = row.row, reason, "row of a list failed");
                        "internal error".to_owned()
                    }
                    refusal => refusal.to_string(),
                };
                batches::failed(&ctx.db, batch, row.row, &message).await?;
            }
            Err(error) => return Err(error),
        }
    }
    for email in &invited {
        // If the worker dies before, the reconciler sends it.
        let mut tx = ctx.db.begin().await?;
        locks::take(&mut tx, &[Lock::Invitations(email)]).await?;
        invitations::send(&mut tx, email, ctx.clock.now()).await?;
        tx.commit().await?;
    }
    let mut tx = ctx.db.begin().await?;
    let now = ctx.clock.now();
    if batches::release(&mut tx, batch, now).await? {
        outbox::push(&mut tx, RunBatch { batch_id: batch }, now).await?;
    }
    tx.commit().await?;
    ctx.outbox.notify_one();
    Ok(())
}

/// The addresses among the rows that have an account at the platform, from one search; None if the search failed.
async fn known(ctx: &Context, rows: &[WaitingRow]) -> Option<HashSet<Email>> {
    let enrolls = rows.iter().filter(|row| row.action == "enroll");
    let emails: Vec<Email> = enrolls.filter_map(|row| Email::parse(&row.email).ok()).collect();
    if emails.is_empty() {
        return Some(HashSet::new());
    }
    match ctx.platform.search_emails(&emails).await {
        Ok(found) => Some(found.into_iter().collect()),
        Err(error) => {
            tracing::warn!(%error, "addresses of a list not searched; each is looked up by itself");
            None
        }
    }
}

/// Does one row. Returns its address if it waits for an invitation.
async fn once(
    ctx: &Context,
    batch: Uuid,
    row: &WaitingRow,
    known: Option<&HashSet<Email>>,
) -> JobResult<Option<Email>> {
    let email = Email::parse(&row.email).map_err(|error| JobError::dead(error.to_string()))?;
    let course_id = row.course_id.ok_or(Refusal::CourseNotFound)?;
    // The same id each time the row is tried.
    let command_id = Uuid::new_v5(&batch, &row.row.to_be_bytes());
    if row.action == "unenroll" {
        if !offers::course_exists(&ctx.db, course_id).await? {
            return Err(Refusal::CourseNotFound.into());
        }
        let mut tx = ctx.db.begin().await?;
        let cause = Cause { actor: Actor::Client, command_id, now: ctx.clock.now() };
        let state = removals::remove(&mut tx, &email, course_id, cause).await?;
        if batches::done(&mut tx, batch, row.row, state).await? {
            tx.commit().await?;
        }
        return Ok(None);
    }
    let mode = row.mode.as_deref().unwrap_or_default();
    let mode: CourseMode = mode
        .parse()
        .map_err(|_| Refusal::UnsupportedMode { detail: format!("{mode:?} is not an enrollment mode.") })?;
    let course = offers::granted_course(&ctx.db, course_id, mode).await?.ok_or(Refusal::CourseNotFound)?;
    check_mode(&course, mode, ctx)?;
    let address = match known {
        Some(known) if !known.contains(&email) => {
            Address::Unknown { recorded: learners::find(&ctx.db, &email).await?.is_some() }
        }
        _ => account_lookup::look_up(ctx, &email).await?,
    };
    let mut tx = ctx.db.begin().await?;
    let now = ctx.clock.now();
    let cause = Cause { actor: Actor::Client, command_id, now };
    let grants = Grants {
        email: &email,
        holder: address.holder(&mut tx, &email, now).await?,
        source: Source::Partner,
        courses: &[CourseGrant { course_id, mode, rests_on: None }],
        sync_at: None,
    };
    let granted = enrollments::grant(&mut tx, &grants, cause).await?;
    let granted = granted.first().ok_or_else(|| JobError::dead("a grant of one course has no result"))?;
    let state: EnrollmentState = granted.state.into();
    if !batches::done(&mut tx, batch, row.row, state).await? {
        return Ok(None);
    }
    tx.commit().await?;
    Ok(granted.invite.then_some(email))
}
