//! The waiting list of a course that is full.

use serde::{Deserialize, Serialize};
use texts::Language;
use uuid::Uuid;

use crate::email::Email;

/// Puts an address on the waiting list of a course. The task's id becomes the entry's id. It has no answer, so that its sender does not
/// learn who waits, or who has a place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JoinWaitingList {
    pub course_id: Uuid,
    pub email: Email,
    pub language: Option<Language>,
    /// Indicates whether the address is the sender's; otherwise it is asked by mail.
    pub is_proved: bool,
}

/// Does what the holder of an entry's link asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AnswerWaitingList {
    pub entry_id: Uuid,
    pub answer: WaitingAnswer,
}

/// Answer of an address that is on a waiting list, or was put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitingAnswer {
    /// It wants a place.
    Confirm,
    /// It wants none any more, nor the one that it is offered.
    Leave,
}
