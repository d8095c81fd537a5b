//! A payment provider's event, whose signature the api has judged: kept once, however often it is delivered.

use shared::messages::ProviderNotification;

use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::gateways;
use crate::store::inbox;

pub async fn run(ctx: &Context, message: &ProviderNotification) -> JobResult<()> {
    let ProviderNotification { gateway, organisation_id, body } = message;
    let event = gateways::read_event(*gateway, body)
        .map_err(|reason| JobError::dead(format!("the event of {gateway} {reason}")))?;
    let mut db = ctx.db.acquire().await?;
    if inbox::keep(&mut db, *gateway, *organisation_id, &event, ctx.clock.now()).await? {
        tracing::info!(%gateway, kind = event.kind, "a provider's event is parked: nothing is sold through it yet");
    }
    Ok(())
}
