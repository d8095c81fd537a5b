//! Looks one address up at the platform, and grants the enrollments and carts that wait for it.

use shared::messages::ResolveRegistration;
use shared::queue::Envelope;
use store::error::JobResult;
use tracing::instrument;

use crate::enrollment::registration;
use crate::runtime::context::Context;

#[instrument(name = "job.resolve_registration", skip_all)]
pub async fn run(ctx: &Context, message: &ResolveRegistration, envelope: &Envelope) -> JobResult<()> {
    registration::resolve_named(ctx, &message.email, envelope, false).await
}
