//! Somebody says that an address has registered. A hint can be wrong or early: the platform is asked, and what it does not
//! know yet is found by the reconciler.

use shared::messages::{RegistrationHint, ResolveRegistration};
use uuid::Uuid;

use super::resolve_registration;
use crate::context::Context;
use crate::error::JobResult;

pub async fn run(ctx: &Context, message: &RegistrationHint, id: Uuid) -> JobResult<()> {
    resolve_registration::run(ctx, &ResolveRegistration { email: message.email.clone() }, id).await.map(drop)
}
