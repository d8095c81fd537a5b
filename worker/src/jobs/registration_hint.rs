//! Looks up the address of a hint at the platform: a hint can be wrong or early.

use shared::messages::RegistrationHint;
use shared::queue::Envelope;
use store::error::JobResult;
use tracing::instrument;

use crate::enrollment::registration;
use crate::runtime::context::Context;

#[instrument(name = "job.registration_hint", skip_all)]
pub async fn run(ctx: &Context, message: &RegistrationHint, envelope: &Envelope) -> JobResult<()> {
    registration::resolve_named(ctx, &message.email, envelope, true).await
}
