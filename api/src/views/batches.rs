//! JSON and CSV of batches of enrollments and removals.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::csv::{self, Cell};
use super::envelope::Envelope;
use crate::queries::batches::{Batch, BatchRow};
use crate::words::{BatchRowStatus, BatchStatus, PlatformState};
use shared::messages::BatchAction;
use shared::messages::EnrollmentState;

/// A batch that was stored.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubmittedBatch {
    pub batch_id: Uuid,
    /// Its rows.
    #[schema(minimum = 1, maximum = 5000)]
    pub total: usize,
}

/// Progress of a batch, with a page of its rows.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Batch)]
pub struct BatchBody {
    batch_id: Uuid,
    status: BatchStatus,
    #[schema(minimum = 1)]
    total: i32,
    #[schema(minimum = 0)]
    done: i64,
    #[schema(minimum = 0)]
    failed: i64,
    rows: Vec<BatchRowBody>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// One row of a batch.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BatchRow)]
pub struct BatchRowBody {
    /// Counted from 1, without the header row of a CSV.
    #[schema(minimum = 1)]
    row: i32,
    /// As it was sent, if it is no address.
    #[schema(example = "ada@example.com")]
    email: String,
    course_id: Option<Uuid>,
    mode: Option<String>,
    action: BatchAction,
    status: BatchRowStatus,
    /// Result of the row; null unless it is done.
    enrollment_state: Option<EnrollmentState>,
    /// Indicates whether the course platform agrees by now; null unless the row is done and there is an enrollment.
    platform_state: Option<PlatformState>,
    /// Reason why the row has failed, or why the course platform has refused what it has led to.
    message: Option<String>,
}

impl From<BatchRow> for BatchRowBody {
    fn from(row: BatchRow) -> Self {
        Self {
            row: row.row,
            email: row.email,
            course_id: row.course_id,
            mode: row.mode,
            action: row.action,
            status: row.state,
            enrollment_state: row.result,
            platform_state: row.platform_state,
            message: row.message,
        }
    }
}

impl BatchBody {
    pub fn new(batch: Batch, rows: Vec<BatchRow>, envelope: Envelope) -> Self {
        Self {
            batch_id: batch.id,
            status: if batch.is_done { BatchStatus::Done } else { BatchStatus::Running },
            total: batch.total,
            done: batch.done,
            failed: batch.failed,
            rows: rows.into_iter().map(BatchRowBody::from).collect(),
            envelope,
        }
    }
}

const COLUMNS: [&str; 9] = [
    "row",
    "email",
    "course_id",
    "mode",
    "action",
    "status",
    "enrollment_state",
    "platform_state",
    "message",
];

/// The rows as CSV.
pub fn csv(rows: Vec<BatchRow>) -> String {
    let mut text = csv::header(&COLUMNS);
    for row in rows {
        let cells = [
            Cell::value(row.row),
            Cell::text(row.email),
            Cell::optional(row.course_id),
            Cell::optional_text(row.mode),
            Cell::value(row.action),
            Cell::value(row.state),
            Cell::optional(row.result),
            Cell::optional(row.platform_state),
            Cell::optional_text(row.message),
        ];
        csv::push_row(&mut text, cells);
    }
    text
}
