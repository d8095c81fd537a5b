//! Processes the next rows of a batch.

use shared::messages::RunBatch;
use shared::queue::Envelope;
use store::error::JobResult;
use tracing::instrument;

use crate::batches;
use crate::runtime::context::Context;

#[instrument(name = "job.run_batch", skip_all, fields(batch = %task.batch_id))]
pub async fn run(ctx: &Context, task: &RunBatch, envelope: &Envelope) -> JobResult<()> {
    batches::run(ctx, task.batch_id, envelope.id).await
}
