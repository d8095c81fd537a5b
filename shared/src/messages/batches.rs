//! Batches of enrollments and removals, and of addresses to which seats are assigned: the command that stores one, and the task
//! that does its rows.

use serde::{Deserialize, Serialize};
use texts::Language;
use uuid::Uuid;

use super::{CallerKey, CallerStaff, Idempotency, KeyOf, SeatsCaller, StaffMember};
use crate::ids::VoucherId;
use crate::staff::Role;

/// The most rows of a batch.
pub const MOST_ROWS: usize = 5_000;

/// Stores a batch. The command's id becomes the batch's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SubmitBatch {
    /// In order; the first is row 1.
    pub rows: Vec<BatchRow>,
    /// The pool whose seats the batch assigns; None for enrollments and removals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<AssignedSeats>,
    /// The manager who submits it, for the courses of their organisation; None for a trusted partner, and for seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staff: Option<StaffMember>,
    pub idempotency: Option<Idempotency>,
}

/// The pool of seats that a batch assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignedSeats {
    pub voucher_id: VoucherId,
    pub caller: SeatsCaller,
}

/// One row of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchRow {
    pub email: String,
    pub action: BatchAction,
    /// None in a batch of seats, like the mode.
    pub course_id: Option<Uuid>,
    /// None for a removal.
    pub mode: Option<String>,
    /// In which the address reads; None: as the worker knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
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
    sqlx::Type,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(description = "Action that a row of a batch asks for."))]
pub enum BatchAction {
    Enroll,
    Unenroll,
}

/// The batch that was stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmittedBatch {
    pub batch_id: Uuid,
}

/// Processes the next rows of a batch, and sends itself again if more are left.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunBatch {
    pub batch_id: Uuid,
}

impl SubmitBatch {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        let seats = self.seats.as_ref()?;
        seats.caller.key(seats.voucher_id)
    }

    pub(super) fn staff_to_check(&self) -> Option<CallerStaff> {
        match (&self.seats, self.staff) {
            (Some(seats), _) => seats.caller.staff(seats.voucher_id),
            (None, Some(member)) => {
                let of = KeyOf::Organisation(member.organisation_id);
                Some(CallerStaff { member, role: Role::Manager, of })
            }
            (None, None) => None,
        }
    }
}
