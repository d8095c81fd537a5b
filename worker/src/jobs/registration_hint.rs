//! Handles the platform's hint that an address has registered. A hint can be wrong or early: the job asks the platform,
//! and the reconciler finds accounts that the platform does not report yet.

use shared::messages::{RegistrationHint, ResolveRegistration};
use uuid::Uuid;

use super::resolve_registration;
use crate::context::Context;
use crate::error::JobResult;

pub async fn run(ctx: &Context, message: &RegistrationHint, id: Uuid) -> JobResult<()> {
    resolve_registration::run(ctx, &ResolveRegistration { email: message.email.clone() }, id).await.map(drop)
}
