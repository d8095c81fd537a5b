//! Withdrawals: a buyer declares one, the holder of the order's address objects, and the organisation decides.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{CallerKey, DeskCaller, Idempotency, LearnerAccount};
use crate::email::Email;
use crate::ids::CartId;

/// Declares that a buyer withdraws from an order. The task's id becomes the withdrawal's id. It has no answer, so that nobody learns
/// from it which orders exist.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeclareWithdrawal {
    /// The order as the buyer names it: its id, or the number of its invoice.
    pub order: String,
    /// The address that the buyer gives.
    pub email: Email,
    pub name: String,
    /// The positions of the lines, from 0. None: all lines.
    pub items: Option<Vec<u32>>,
    /// Time when the api received it, which counts.
    pub declared_at: DateTime<Utc>,
    pub proof: DeclaredWith,
}

/// Proof that the buyer of the order declares it. The api has verified it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeclaredWith {
    /// Nothing: anyone can type an order and an address.
    Nothing,
    /// The signed link of this order's receipt.
    Link { cart_id: CartId },
    /// A signed-in learner, whose order it may be.
    Session { account: LearnerAccount, email: Email },
}

/// The holder of the order's address says that a declaration without proof is not theirs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ObjectToWithdrawal {
    pub withdrawal_id: Uuid,
}

/// Judges a withdrawal whose time has come.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JudgeWithdrawal {
    pub withdrawal_id: Uuid,
}

/// Decides a withdrawal for its organisation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DecideWithdrawal {
    pub withdrawal_id: Uuid,
    pub caller: DeskCaller,
    pub decision: WithdrawalDecision,
    /// The buyer sees it.
    pub reason: Option<String>,
    pub idempotency: Option<Idempotency>,
}

/// Decision on a withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WithdrawalDecision {
    /// Pays back this much of the lines, in major units; None: all that is left of them. Ends their access.
    Accept {
        amount: Option<Decimal>,
    },
    Refuse,
}

impl DecideWithdrawal {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.caller.key_to_check()
    }
}
