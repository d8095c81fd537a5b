//! Lists of enrollments and removals: the command that stores one, and the task that does its rows.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{AnyCommand, AnyTask, Command, Idempotency, Message, Queue, Task};

/// The most rows of a list.
pub const MOST_ROWS: usize = 5_000;

/// Stores a list of enrollments and removals. The command's id becomes the list's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SubmitBatch {
    /// In order; the first is row 1.
    pub rows: Vec<BatchRow>,
    pub idempotency: Option<Idempotency>,
}

/// One row of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchRow {
    pub email: String,
    pub action: BatchAction,
    pub course_id: Option<Uuid>,
    /// None for a removal.
    pub mode: Option<String>,
    /// Why the row cannot be done; None if it can be tried.
    pub fault: Option<String>,
}

/// What a row asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
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

impl Message for SubmitBatch {
    const KIND: &str = "page.submit_batch.v1";
    const QUEUE: Queue = Queue::Page;
}

impl Command for SubmitBatch {
    type Answer = SubmittedBatch;
    const VARIANT: fn(Self) -> AnyCommand = AnyCommand::SubmitBatch;
}

impl Message for RunBatch {
    const KIND: &str = "batch.run.v1";
    /// On a queue apart from single grants, which must not wait for lists.
    const QUEUE: Queue = Queue::Batch;
}

impl Task for RunBatch {
    const VARIANT: fn(Self) -> AnyTask = AnyTask::RunBatch;
}
