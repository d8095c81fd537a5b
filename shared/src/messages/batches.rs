//! Lists of enrollments and removals, and of addresses to which seats are assigned: the command that stores one, and the task
//! that does its rows.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{CallerKey, Idempotency, SeatsCaller};

/// The most rows of a list.
pub const MOST_ROWS: usize = 5_000;

/// Stores a list. The command's id becomes the list's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SubmitBatch {
    /// In order; the first is row 1.
    pub rows: Vec<BatchRow>,
    /// The pool whose seats the list assigns; None for enrollments and removals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<AssignedSeats>,
    pub idempotency: Option<Idempotency>,
}

/// The pool of seats that a list assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignedSeats {
    pub voucher_id: Uuid,
    pub caller: SeatsCaller,
}

/// One row of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchRow {
    pub email: String,
    pub action: BatchAction,
    /// None in a list of seats, like the mode.
    pub course_id: Option<Uuid>,
    /// None for a removal.
    pub mode: Option<String>,
    /// Reason why the row cannot be done; None if it can be tried.
    pub fault: Option<String>,
}

/// Action that a row asks for.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(description = "Action that a row of a batch asks for."))]
pub enum BatchAction {
    Enroll,
    Unenroll,
}

/// The list that was stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmittedBatch {
    pub batch_id: Uuid,
}

/// Does the next rows of a list, and sends itself again if more are left.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunBatch {
    pub batch_id: Uuid,
}

impl SubmitBatch {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        let seats = self.seats.as_ref()?;
        seats.caller.key(seats.voucher_id)
    }
}
