//! Looks up the enrollment of a hint at the platform: a hint can be wrong, early, or about a change of the storefront's own.

use shared::messages::EnrollmentHint;
use shared::queue::Envelope;
use store::error::JobResult;
use tracing::instrument;

use crate::enrollment::platform_holdings;
use crate::runtime::context::Context;

#[instrument(name = "job.enrollment_hint", skip_all, fields(course = %message.course))]
pub async fn run(ctx: &Context, message: &EnrollmentHint, envelope: &Envelope) -> JobResult<()> {
    platform_holdings::verify(ctx, message, envelope).await
}
