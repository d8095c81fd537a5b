//! Moves: a command that gives the access of an order's line to another course or another person.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{CallerKey, Idempotency, OrderCaller};
use crate::email::Email;
use crate::ids::CartId;

/// Moves the access of one line of an order. The command's id becomes the move's id.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MoveLine {
    pub cart_id: CartId,
    pub caller: OrderCaller,
    /// The position of the line, from 0.
    pub position: u32,
    pub to: MoveTarget,
    pub reason: Option<String>,
    /// Move although the other course costs more or less; nothing is paid or paid back.
    pub waive: bool,
    pub idempotency: Option<Idempotency>,
}

/// The course or the person that gets the access.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveTarget {
    /// The same person, in another course of the organisation.
    OpenedxCourseId(String),
    /// Another person, in the same course.
    Email(Email),
}

/// Status of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveAnswer {
    pub move_id: Uuid,
    pub cart_id: CartId,
    pub position: u32,
    pub status: MoveStatus,
    /// The course to which the line gives access from now on.
    pub openedx_course_id: String,
}

/// Progress of a move. `waiting`: the old access stays until the course platform has confirmed the new one. `withdrawn`: the new
/// access has ended, and the old one stays.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::EnumString, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum MoveStatus {
    Waiting,
    Done,
    Withdrawn,
}

impl MoveLine {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.caller.key()
    }
}
