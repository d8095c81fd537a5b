//! Looks one address up at the platform, and grants the enrollments and carts that wait for it.

use shared::messages::ResolveRegistration;
use uuid::Uuid;

use crate::context::Context;
use crate::enrollment::registration;
use crate::error::JobResult;

pub async fn run(ctx: &Context, message: &ResolveRegistration, id: Uuid) -> JobResult<()> {
    registration::resolve(ctx, &message.email, id).await.map(drop)
}
