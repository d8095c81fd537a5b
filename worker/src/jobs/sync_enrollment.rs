//! Makes the course platform agree with the record of one enrollment.

use shared::messages::SyncEnrollment;
use store::error::JobResult;

use crate::enrollment::sync;
use crate::runtime::context::Context;

pub async fn run(ctx: &Context, message: &SyncEnrollment) -> JobResult<()> {
    sync::sync(ctx, message.enrollment_id, None).await.map(drop)
}
