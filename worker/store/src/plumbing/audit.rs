//! The append-only record of who changed what, from which state to which, by which command.

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::db::Db;
use shared::ids::CartId;
use shared::messages::{DeskCaller, VoucherKeeper};
use shared::operator::OperatorName;
use shared::organisation_key::KeyId;
use shared::trace_parent::TraceParent;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// Author of a change, and the command through which it is made.
#[derive(Clone, Copy, Debug)]
pub struct Cause {
    pub actor: Actor,
    pub command_id: Uuid,
    pub now: DateTime<Utc>,
}

/// Author of a change.
#[derive(Clone, Copy, Debug, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum Actor {
    /// A caller with the client secret.
    Client,
    Guest,
    /// A learner, by platform user id.
    #[strum(to_string = "{0}")]
    Learner(i64),
    /// A backend of one organisation, by its key.
    #[strum(to_string = "key:{0}")]
    Key(KeyId),
    /// A member of an organisation's staff, by platform user id.
    #[strum(to_string = "staff:{0}")]
    Staff(i64),
    /// A user of the command line, by name.
    #[strum(to_string = "operator:{0}")]
    Operator(OperatorName),
    /// The worker itself: a retry, a timer, an answer of the platform.
    System,
}

impl From<&DeskCaller> for Actor {
    fn from(caller: &DeskCaller) -> Self {
        match caller {
            DeskCaller::Key { id, .. } => Self::Key(*id),
            DeskCaller::Staff(member) => Self::Staff(member.user_id),
        }
    }
}

impl From<VoucherKeeper> for Actor {
    fn from(keeper: VoucherKeeper) -> Self {
        match keeper {
            VoucherKeeper::Key { key } => Self::Key(key),
            VoucherKeeper::Staff { staff } => Self::Staff(staff.user_id),
        }
    }
}

/// Subject of a change.
#[derive(Clone, Copy, Debug, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Entity {
    Enrollment,
    Cart,
    Transaction,
    Refund,
    /// A learner's membership of an organisation; the entity id is the learner's.
    Membership,
    /// A key of an organisation; the entity id is the organisation's, and the detail names the key.
    Key,
    /// An organisation's account with a payment provider; the entity id is the organisation's.
    Gateway,
    /// A dead letter, by its message id; nil if it has none, and for what was asked about many.
    Message,
    /// A course, or the catalog as a whole with the nil id.
    Catalog,
    /// Receiver of an organisation's events.
    Endpoint,
    Voucher,
    /// A member of an organisation's staff; the entity id is the learner's, and the detail names the organisation.
    Staff,
    /// A declaration of withdrawal.
    Withdrawal,
    /// The books of an organisation; the entity id is the organisation's, and the detail names the month.
    Books,
    /// A person; the entity id is the learner's, or the one that stands for an erased guest.
    Learner,
}

/// One change of an entity; `from` is None for a new one.
pub struct Change {
    pub entity: Entity,
    pub id: Uuid,
    pub from: Option<&'static str>,
    pub to: &'static str,
    pub detail: Value,
}

/// Writes the audit record of a change, in the transaction of the change.
pub async fn record(db: &mut PgConnection, cause: Cause, change: Change) -> JobResult<()> {
    record_all(db, cause, vec![change]).await
}

/// Writes the audit records of several changes in one statement.
pub async fn record_all(db: &mut PgConnection, cause: Cause, changes: Vec<Change>) -> JobResult<()> {
    let entities: Vec<Entity> = changes.iter().map(|change| change.entity).collect();
    let ids: Vec<Uuid> = changes.iter().map(|change| change.id).collect();
    let from: Vec<Option<&str>> = changes.iter().map(|change| change.from).collect();
    let to: Vec<&str> = changes.iter().map(|change| change.to).collect();
    let details: Vec<Value> = changes.into_iter().map(|change| change.detail).collect();
    sqlx::query!(
        "INSERT INTO audit_log (at, entity, entity_id, actor, command_id, from_state, to_state, detail, trace)
         SELECT $1, entity, entity_id, $2, $3, from_state, to_state, detail, $9
         FROM unnest($4::text[], $5::uuid[], $6::text[], $7::text[], $8::jsonb[])
              AS c (entity, entity_id, from_state, to_state, detail)",
        cause.now,
        cause.actor.to_string(),
        cause.command_id,
        &entities as &[Entity],
        &ids,
        &from as &[Option<&str>],
        &to as &[&str],
        &details,
        trace(),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The step of a trace that has made a cart: of its checkout. None if it is not known.
pub async fn first_trace(db: &Db, cart: CartId) -> JobResult<Option<TraceParent>> {
    let trace = sqlx::query_scalar!(
        "SELECT trace FROM audit_log WHERE entity = $1 AND entity_id = $2 ORDER BY id LIMIT 1",
        Entity::Cart as Entity,
        cart as _,
    );
    Ok(trace.fetch_optional(db).await?.flatten().and_then(|trace| trace.parse().ok()))
}

/// The step of a trace that a change belongs to; None outside of a request or a message.
pub(crate) fn trace() -> Option<String> {
    TraceParent::current().map(|trace| trace.to_string())
}
