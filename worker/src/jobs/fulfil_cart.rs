//! Grants the courses of a paid cart and sends its receipt, once, however often the message arrives. Access that was
//! removed later is not granted again.

use chrono::TimeDelta;
use shared::messages::FulfilCart;
use shared::queue::Envelope;
use store::error::{JobError, JobResult};
use store::sales::fulfilments;
use tracing::instrument;

use crate::runtime::context::Context;
use crate::sale::fulfilment;

#[instrument(name = "job.fulfil_cart", skip_all, fields(cart = %message.cart_id))]
pub async fn run(ctx: &Context, message: &FulfilCart, envelope: &Envelope) -> JobResult<()> {
    let outcome = fulfilment::fulfil(ctx, message.cart_id, envelope.id).await;
    if matches!(outcome, Err(JobError::Retry(_) | JobError::Conflict(_) | JobError::Unknown(_))) {
        // The message comes back after its retry delay. Until then the reconciler sends no other one.
        let delay = TimeDelta::from_std(ctx.topology.delay_before(envelope.attempt)).unwrap_or_default();
        let back_at = ctx.clock.now() + delay;
        if let Err(error) = fulfilments::fulfilment_waits(&ctx.db, message.cart_id, back_at).await {
            tracing::warn!(%error, "the reconciler may send a second message to fulfil the cart");
        }
    }
    outcome.map(drop)
}
