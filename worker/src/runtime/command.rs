//! Makes each command take effect once: an answer is stored with the effect, and a repeat gets the stored answer.
//!
//! Why: `docs/decisions/one-transaction-per-command.md`

use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use shared::db::Db;
use shared::ids::CartId;
use shared::messages::{Answer, Idempotency, Refusal};
use sqlx::{PgConnection, PgExecutor};
use store::error::{JobError, JobResult};
use store::plumbing::commands::{self, NewAnswer};
use store::sales::carts;
use uuid::Uuid;

use super::context::Context;

/// Context of a command's job, besides the command's body.
#[derive(Debug)]
pub struct CommandContext {
    pub id: Uuid,
    pub kind: String,
    /// The caller stops waiting at this time; the job must not commit after it.
    pub deadline: Option<DateTime<Utc>>,
    /// Indicates whether a row in `commands` was claimed for the message before its job began.
    pub claimed: bool,
    /// Indicates whether the job may have run before: the broker delivered the message again, or the database aborted
    /// the job's transaction. Only then can there be an answer or a cart under the command's id.
    pub is_repeat: bool,
    /// Indicates whether the job has begun to commit: from then on the command can have taken effect without the worker
    /// knowing it.
    pub is_committing: AtomicBool,
}

/// Runs a command unless its answer is already stored. Refusals of a command with an idempotency key are stored like
/// answers: the same key and body give the same answer, whatever happened in between.
pub async fn run_idempotent<A: Serialize>(
    ctx: &Context,
    command_ctx: &CommandContext,
    key: Option<Idempotency>,
    work: impl Future<Output = JobResult<A>>,
) -> JobResult<Option<Value>> {
    let stored = match &key {
        Some(key) => {
            let (id, kind, since) = (command_ctx.id, &command_ctx.kind, ctx.answers_since());
            commands::claim(&ctx.db, id, kind, key, since, ctx.clock.now()).await?
        }
        None if command_ctx.is_repeat => commands::answer(&ctx.db, command_ctx.id).await?,
        None => None,
    };
    if stored.is_some() {
        return Ok(stored);
    }
    match work.await {
        Ok(answer) => Ok(Some(serde_json::to_value(Answer::Ok(answer))?)),
        Err(JobError::Superseded) => {
            stored_answer(ctx, command_ctx).await?.map(Some).ok_or(Refusal::InProgress.into())
        }
        Err(JobError::Retry(reason)) if command_ctx.is_committing.load(Ordering::Relaxed) => {
            match stored_answer(ctx, command_ctx).await? {
                // The commit succeeded; only its acknowledgement was lost.
                Some(answer) => Ok(Some(answer)),
                None => {
                    give_up(ctx, command_ctx).await?;
                    Err(JobError::Retry(reason))
                }
            }
        }
        Err(JobError::Reject { refusal, reason }) if command_ctx.claimed && refusal.may_be_stored() => {
            let answer = serde_json::to_value(Answer::<()>::Err(refusal.clone()))?;
            commands::insert_answer(&ctx.db, &command_ctx.to_be_stored(answer), ctx.clock.now()).await?;
            Err(JobError::Reject { refusal, reason })
        }
        Err(error) => {
            give_up(ctx, command_ctx).await?;
            Err(error)
        }
    }
}

/// The answer that another delivery, or a commit whose acknowledgement was lost, has stored.
async fn stored_answer(ctx: &Context, command_ctx: &CommandContext) -> JobResult<Option<Value>> {
    commands::answer(&ctx.db, command_ctx.id).await.map_err(|error| JobError::Unknown(error.to_string()))
}

async fn give_up(ctx: &Context, command_ctx: &CommandContext) -> JobResult<()> {
    if command_ctx.claimed { commands::release(&ctx.db, command_ctx.id).await } else { Ok(()) }
}

impl CommandContext {
    /// The last step of a command's transaction: stores the answer.
    ///
    /// # Errors
    /// As [`Self::answer`].
    pub async fn finish(
        &self,
        db: impl PgExecutor<'_>,
        answer: &impl Serialize,
        now: DateTime<Utc>,
    ) -> JobResult<()> {
        commands::insert_answer(db, &self.answer(answer, now)?, now).await
    }

    /// The answer, for a statement that stores it with the effect that it reports.
    ///
    /// # Errors
    /// `Retry` after the caller's deadline: this command must not undo what the caller has requested since.
    pub fn answer(&self, answer: &impl Serialize, now: DateTime<Utc>) -> JobResult<NewAnswer<'_>> {
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            return Err(JobError::Retry("the caller's deadline has passed".into()));
        }
        Ok(self.to_be_stored(serde_json::to_value(Answer::Ok(answer))?))
    }

    fn to_be_stored(&self, answer: Value) -> NewAnswer<'_> {
        self.committing();
        NewAnswer { id: self.id, kind: &self.kind, answer, is_claimed: self.claimed }
    }

    /// The cart that an earlier run of this checkout has created or joined.
    pub async fn own_cart(&self, ctx: &Context) -> JobResult<Option<CartId>> {
        if !self.is_repeat {
            return Ok(None);
        }
        let own = carts::of_checkout(&ctx.db, self.id).await?;
        if own.is_some() {
            self.committing();
        }
        Ok(own)
    }

    /// Call it before a commit: an error after this leaves open whether the command has taken effect.
    pub fn committing(&self) {
        self.is_committing.store(true, Ordering::Relaxed);
    }

    /// Keeps the answer of a keyed command from its repeats until [`Self::correct`] has made it final.
    pub async fn withhold(&self, db: &mut PgConnection, until: DateTime<Utc>) -> JobResult<()> {
        if self.claimed { commands::withhold(db, self.id, until).await } else { Ok(()) }
    }

    /// Replaces the stored answer before the reply is sent, for a step after the transaction that changes it.
    pub async fn correct(&self, db: &Db, answer: &impl Serialize) -> JobResult<()> {
        let answer = serde_json::to_value(Answer::Ok(answer))?;
        commands::correct(db, self.id, &answer).await
    }
}
