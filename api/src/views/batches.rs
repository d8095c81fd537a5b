//! JSON of batches of enrollments and removals.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::envelope::Envelope;
use crate::queries::batches::{Batch, BatchRow};
use crate::words::BatchStatus;

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
    rows: Vec<BatchRow>,
    #[serde(flatten)]
    envelope: Envelope,
}

impl BatchBody {
    pub fn new(batch: Batch, rows: Vec<BatchRow>, envelope: Envelope) -> Self {
        Self {
            batch_id: batch.id,
            status: if batch.is_done { BatchStatus::Done } else { BatchStatus::Running },
            total: batch.total,
            done: batch.done,
            failed: batch.failed,
            rows,
            envelope,
        }
    }
}
