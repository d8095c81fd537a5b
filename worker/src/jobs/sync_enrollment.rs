//! Makes the course platform agree with the record of one enrollment.

use shared::messages::SyncEnrollment;
use shared::queue::Envelope;
use store::error::JobResult;
use tracing::instrument;

use crate::enrollment::sync;
use crate::runtime::context::Context;

#[instrument(name = "job.sync_enrollment", skip_all, fields(enrollment = %message.enrollment_id))]
pub async fn run(ctx: &Context, message: &SyncEnrollment, _: &Envelope) -> JobResult<()> {
    sync::sync(ctx, message.enrollment_id, None).await.map(drop)
}
