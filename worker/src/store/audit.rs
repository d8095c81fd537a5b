//! The append-only record of who changed what, from which state to which, by which command.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// Who makes a change, and through which command.
#[derive(Clone, Copy, Debug)]
pub struct Cause {
    pub actor: Actor,
    pub command_id: Uuid,
    pub now: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug)]
pub enum Actor {
    /// A caller with the client secret.
    Client,
    Guest,
    /// A learner, by platform user id.
    Learner(i64),
    /// A user of the command line.
    Operator,
    /// The worker itself: a retry, a timer, an answer of the platform.
    System,
}

#[derive(Clone, Copy, Debug)]
pub enum Entity {
    Enrollment,
    Cart,
    Transaction,
    /// A learner's membership of an organisation; the entity id is the learner's.
    Membership,
}

/// One change of an entity; `from` is None for a new one.
pub struct Change<'a> {
    pub entity: Entity,
    pub id: Uuid,
    pub from: Option<&'a str>,
    pub to: &'a str,
    pub detail: Value,
}

/// Writes the audit record of a change, in the transaction of the change.
pub async fn record(db: &mut PgConnection, cause: Cause, change: Change<'_>) -> JobResult<()> {
    let actor = match cause.actor {
        Actor::Client => "client".to_owned(),
        Actor::Guest => "guest".to_owned(),
        Actor::Learner(user_id) => user_id.to_string(),
        Actor::Operator => "operator".to_owned(),
        Actor::System => "system".to_owned(),
    };
    let entity = match change.entity {
        Entity::Enrollment => "enrollment",
        Entity::Cart => "cart",
        Entity::Transaction => "transaction",
        Entity::Membership => "membership",
    };
    sqlx::query!(
        "INSERT INTO audit_log (at, entity, entity_id, actor, command_id, from_state, to_state, detail)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        cause.now,
        entity,
        change.id,
        actor,
        cause.command_id,
        change.from,
        change.to,
        change.detail,
    )
    .execute(db)
    .await?;
    Ok(())
}
