//! Replays or drops a dead letter of an organisation, for a person at its support desk.

use shared::ids::OrganisationId;
use shared::messages::{LetterDecision, Refusal};
use shared::queue::{Fate, visit_dead};
use sqlx::PgConnection;
use store::error::{JobError, JobResult};
use store::plumbing::audit::{self, Cause, Change, Entity};
use store::plumbing::dead_letters;
use uuid::Uuid;

use super::context::Context;

/// Dead letters that one decision reads, oldest first.
const LOOKED_AT: usize = 10_000;

/// Decides about a letter of an organisation. The record is written first: what cannot be put on record is not done.
///
/// # Errors
/// `InvalidRequest` if the letter is not the organisation's, or can no longer be replayed; `Unavailable` without the broker.
pub async fn decide(
    ctx: &Context,
    db: &mut PgConnection,
    organisation: OrganisationId,
    id: Uuid,
    decision: LetterDecision,
    cause: Cause,
) -> JobResult<()> {
    let Some(kind) = dead_letters::take(db, id, organisation).await? else {
        return Err(JobError::invalid("message_id", "is not a dead letter of the organisation"));
    };
    let (fate, to) = match decision {
        LetterDecision::Replay => (Fate::Replay, "replayed"),
        LetterDecision::Drop => (Fate::Drop, "dropped"),
    };
    let detail = serde_json::json!({ "message": id, "kind": kind, "organisation": organisation });
    audit::record(db, cause, Change { entity: Entity::Message, id, from: Some("dead"), to, detail }).await?;
    let name = id.to_string();
    let visited = visit_dead(&ctx.broker.queue, &ctx.broker.tls, LOOKED_AT, |letter| {
        if letter.id == name { fate } else { Fate::Keep }
    });
    let visited = visited.await.map_err(|error| {
        tracing::warn!(%error, "cannot read the dead letters");
        JobError::from(Refusal::Unavailable)
    })?;
    let is_found = visited.iter().any(|(_, decided)| *decided == fate);
    match (is_found, decision) {
        (false, _) if visited.len() == LOOKED_AT => {
            let message =
                format!("is behind {LOOKED_AT} older ones; an operator must decide about them first");
            Err(JobError::invalid("message_id", message))
        }
        // One that the broker has deleted, or an operator decided about, can only be dropped.
        (false, LetterDecision::Replay) => {
            Err(JobError::invalid("message_id", "is no longer kept by the broker, and can only be dropped"))
        }
        (_, LetterDecision::Replay | LetterDecision::Drop) => Ok(()),
    }
}
