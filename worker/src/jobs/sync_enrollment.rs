//! Makes the course platform agree with the record of one enrollment.

use shared::messages::SyncEnrollment;
use store::error::JobResult;

use crate::context::Context;
use crate::enrollment::sync;

pub async fn run(ctx: &Context, message: &SyncEnrollment) -> JobResult<()> {
    sync::sync(ctx, message.enrollment_id, None).await.map(drop)
}
