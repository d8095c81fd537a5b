//! Assigns the seat of an order that is a gift, on its day.

use shared::messages::GiveGift;
use shared::queue::Envelope;
use store::error::JobResult;
use tracing::instrument;

use crate::runtime::context::Context;
use crate::sale::gifts;

#[instrument(name = "job.give_gift", skip_all, fields(cart = %message.cart_id))]
pub async fn run(ctx: &Context, message: &GiveGift, envelope: &Envelope) -> JobResult<()> {
    gifts::give(ctx, message.cart_id, envelope.id).await
}
