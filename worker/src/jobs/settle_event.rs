//! Settles a stored event whose settlement failed when it arrived.

use shared::messages::SettleEvent;
use uuid::Uuid;

use crate::checkout::events;
use crate::context::Context;
use crate::error::JobResult;
use crate::gateways;
use crate::store::inbox;

pub async fn run(ctx: &Context, message: &SettleEvent, id: Uuid) -> JobResult<()> {
    let Some(event) = inbox::open(&ctx.db, message.event_id).await? else { return Ok(()) };
    let about = gateways::about(event.gateway, &event.kind, &event.body);
    events::process(ctx, &event, about, id).await
}
