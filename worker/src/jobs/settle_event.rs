//! Settles a stored notification whose settlement failed when it arrived.

use shared::messages::SettleEvent;
use store::error::JobResult;
use store::money::inbox;
use uuid::Uuid;

use crate::gateways;
use crate::payment::notifications;
use crate::runtime::context::Context;

pub async fn run(ctx: &Context, message: &SettleEvent, id: Uuid) -> JobResult<()> {
    let Some(event) = inbox::open(&ctx.db, message.event_id).await? else { return Ok(()) };
    let about = gateways::about(event.gateway, &event.kind, &event.body);
    notifications::process(ctx, &event, about, id).await
}
