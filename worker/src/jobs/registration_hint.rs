//! Handles the platform's hint that an address has registered. A hint can be wrong or early: the job asks the platform,
//! and the reconciler finds accounts that the platform does not report yet.

use shared::messages::RegistrationHint;
use shared::queue::Envelope;

use crate::context::Context;
use crate::enrollment::registration;
use crate::error::JobResult;

pub async fn run(ctx: &Context, message: &RegistrationHint, envelope: &Envelope) -> JobResult<()> {
    registration::resolve_named(ctx, &message.email, envelope).await
}
