//! Settles a stored notification whose settlement failed when it arrived.

use shared::messages::SettleNotification;
use shared::queue::Envelope;
use store::error::JobResult;
use store::money::inbox;
use tracing::instrument;

use crate::gateways;
use crate::payment::notifications;
use crate::runtime::context::Context;

#[instrument(name = "job.settle_notification", skip_all, fields(notification = message.notification_id))]
pub async fn run(ctx: &Context, message: &SettleNotification, envelope: &Envelope) -> JobResult<()> {
    let Some(mut notification) = inbox::open(&ctx.db, message.notification_id).await? else { return Ok(()) };
    let subject = gateways::interpret(notification.gateway, &notification.kind, &notification.body);
    notification.charge = subject.charge;
    notifications::process(ctx, &notification, subject.interpretation, envelope.id).await
}
