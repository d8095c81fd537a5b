//! JSON of withdrawals.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::envelope::Envelope;
use crate::queries::withdrawals::WithdrawalRow;
use crate::words::{WithdrawalProof, WithdrawalStatus};

#[derive(Debug, Serialize, ToSchema)]
pub struct WithdrawalList {
    withdrawals: Vec<WithdrawalBody>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// A declaration of withdrawal, and what has become of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeclaredOrder)]
pub struct WithdrawalBody {
    withdrawal_id: Uuid,
    /// Null if no such order is known.
    cart_id: Option<Uuid>,
    status: WithdrawalStatus,
    proof: WithdrawalProof,
    /// The order as the buyer has named it.
    order: String,
    #[schema(example = "ada@example.com")]
    email: String,
    name: String,
    /// The positions of the lines that it declares; null for all that are left.
    #[schema(value_type = Option<Vec<u32>>)]
    items: Option<Vec<i32>>,
    declared_at: DateTime<Utc>,
    /// When it is judged next; null once it is decided, or waits for a person.
    judged_at: Option<DateTime<Utc>>,
    /// Since when it waits for a person; null if it does not.
    waits_since: Option<DateTime<Utc>>,
    /// Why it waits for a person; null if it does not.
    waits_because: Option<String>,
    /// When the holder of the order's address has said that it is not theirs; null if they have not.
    objected_at: Option<DateTime<Utc>>,
    /// Null until it is accepted or refused.
    decided_at: Option<DateTime<Utc>>,
    /// Reason for the decision, or null.
    reason: Option<String>,
    /// The refund of an accepted one; null if there was nothing to pay back.
    refund_id: Option<Uuid>,
}

impl WithdrawalList {
    pub fn new(rows: Vec<WithdrawalRow>, envelope: Envelope) -> Self {
        Self { withdrawals: rows.into_iter().map(WithdrawalBody::from).collect(), envelope }
    }
}

impl From<WithdrawalRow> for WithdrawalBody {
    fn from(row: WithdrawalRow) -> Self {
        Self {
            withdrawal_id: row.id,
            cart_id: row.cart_id.map(Into::into),
            status: row.status,
            proof: row.proof,
            order: row.named_order,
            email: row.email,
            name: row.name,
            items: row.items,
            declared_at: row.declared_at,
            judged_at: row.judge_at,
            waits_since: row.waits_since,
            waits_because: row.waits_because,
            objected_at: row.objected_at,
            decided_at: row.decided_at,
            reason: row.reason,
            refund_id: row.refund_id.map(Into::into),
        }
    }
}
