//! Reports of providers about money that goes back to buyers: refunds, and disputes at the buyers' banks. Sums are in the
//! provider's subunits.

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::ids::RefundId;

use super::{GatewayError, text, unreadable};

/// A refund to ask the provider for.
pub struct RefundRequest<'a> {
    /// Our id of the refund.
    pub id: RefundId,
    /// The idempotency key of the call.
    pub key: &'a str,
    /// The provider's id of the payment.
    pub payment: &'a str,
    pub subunits: i64,
    pub currency: &'static str,
    /// Indicates whether an earlier call may have reached the provider. The list of refunds is read first then, because
    /// a provider forgets idempotency keys after a day.
    pub is_repeated: bool,
}

/// A refund as its provider reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundFacts {
    pub reference: String,
    /// Our id of the refund; None if it was made at the provider's dashboard.
    pub refund_id: Option<RefundId>,
    pub subunits: i64,
    pub status: RefundStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundStatus {
    /// The provider has taken it and counts it, but the money has not arrived.
    Accepted,
    Succeeded,
    /// It failed, was cancelled, or came back.
    Failed,
}

/// A dispute as the provider reports it; Mollie calls it a chargeback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisputeFacts {
    pub reference: String,
    /// Amount that the buyer disputes.
    pub subunits: i64,
    pub outcome: Outcome,
    /// When the provider took the money or gave it back; None if it does not say.
    pub moved_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The provider holds this much until the decision: 0 for an inquiry, and where it takes the money with the loss.
    Open(i64),
    /// It ended without a loss, or the loss was reversed.
    Won,
    /// The buyer's bank has taken this much back.
    Lost(i64),
}

impl Outcome {
    /// Returns what the provider has taken, in subunits.
    pub fn taken(self) -> i64 {
        match self {
            Self::Open(taken) | Self::Lost(taken) => taken,
            Self::Won => 0,
        }
    }
}

/// Returns the share of a `charge` that a `part` is of a `whole` in another currency, rounded half up; None without a whole.
pub fn share(charge: i64, part: i64, whole: i64) -> Option<i64> {
    let (charge, part, whole) = (i128::from(charge), i128::from(part), i128::from(whole));
    let share = (charge.checked_mul(part)? * 2 + whole).checked_div(whole.max(0) * 2)?;
    i64::try_from(share.clamp(0, charge)).ok()
}

/// Reads each item of a list in an answer.
///
/// # Errors
/// `Unanswered` if the list or one of its items cannot be read: a part of it would be booked as if it were all.
pub fn read_list<T>(
    answer: &Value,
    pointer: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Vec<T>, GatewayError> {
    let items = answer.pointer(pointer).and_then(Value::as_array);
    let read = items.and_then(|items| items.iter().map(read).collect());
    read.ok_or_else(|| unreadable(&format!("readable list at {pointer}")))
}

/// A list that the provider refuses says nothing about its content: the key may lack a permission. A key that is not valid
/// at all stays a refusal.
pub fn look_failed(error: GatewayError) -> GatewayError {
    match error {
        GatewayError::Refused { status: 401, .. } => error,
        GatewayError::Refused { .. } => GatewayError::Unanswered(error.to_string()),
        GatewayError::Unanswered(_) | GatewayError::Replayed | GatewayError::Duplicate => error,
    }
}

/// Our id of a refund, as the provider repeats it at `pointer`.
pub fn our_refund(object: &Value, pointer: &str) -> Option<RefundId> {
    text(object, pointer)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn a_share_is_rounded_once_and_is_at_most_the_charge() {
        for (charge, part, whole, expected) in [
            (10_000, 5_400, 10_800, Some(5_000)),
            (10_000, 1, 3, Some(3_333)),
            (10_000, 2, 3, Some(6_667)),
            (5, 1, 2, Some(3)),
            // The rate has changed since the charge.
            (10_000, 11_000, 10_800, Some(10_000)),
            (i64::MAX, i64::MAX, 1, Some(i64::MAX)),
            (10_000, 0, 10_800, Some(0)),
            (10_000, 5, 0, None),
        ] {
            assert_eq!(share(charge, part, whole), expected, "{part} of {whole} of {charge}");
        }
    }
}
