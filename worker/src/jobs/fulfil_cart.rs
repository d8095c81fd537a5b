//! Grants the courses of a paid cart and sends its receipt, once, however often the message arrives. Access that was
//! removed later is not granted again.

use shared::messages::FulfilCart;
use uuid::Uuid;

use crate::checkout::fulfilment;
use crate::context::Context;
use crate::error::JobResult;

pub async fn run(ctx: &Context, message: &FulfilCart, id: Uuid) -> JobResult<()> {
    fulfilment::fulfil(ctx, message.cart_id, id).await.map(drop)
}
