//! Settles a stored notification whose settlement failed when it arrived.

use shared::messages::SettleEvent;
use shared::queue::Envelope;
use store::error::JobResult;
use store::money::inbox;
use tracing::instrument;

use crate::gateways;
use crate::payment::notifications;
use crate::runtime::context::Context;

#[instrument(name = "job.settle_event", skip_all, fields(event = message.event_id))]
pub async fn run(ctx: &Context, message: &SettleEvent, envelope: &Envelope) -> JobResult<()> {
    let Some(event) = inbox::open(&ctx.db, message.event_id).await? else { return Ok(()) };
    let subject = gateways::interpret(event.gateway, &event.kind, &event.body);
    notifications::process(ctx, &event, subject, envelope.id).await
}
