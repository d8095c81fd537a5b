//! JSON of a move.

use serde::Serialize;
use shared::messages::{MoveAnswer, MoveStatus};
use utoipa::ToSchema;
use uuid::Uuid;

/// Status of a move.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Move)]
pub struct MoveBody {
    move_id: Uuid,
    cart_id: Uuid,
    /// The line, counted from 0.
    position: u32,
    status: MoveStatus,
    /// The course to which the line gives access from now on.
    #[schema(example = "course-v1:Northwind+DS101+2026_T2")]
    openedx_course_id: String,
}

impl From<MoveAnswer> for MoveBody {
    fn from(answer: MoveAnswer) -> Self {
        Self {
            move_id: answer.move_id,
            cart_id: answer.cart_id.into(),
            position: answer.position,
            status: answer.status,
            openedx_course_id: answer.openedx_course_id,
        }
    }
}

impl MoveBody {
    /// Returns whether the course platform has not confirmed the new access yet.
    pub fn is_waiting(&self) -> bool {
        self.status == MoveStatus::Waiting
    }
}
