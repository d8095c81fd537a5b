//! Confirms an address that is to be on a waiting list, or takes it off.

use shared::messages::{AnswerWaitingList, WaitingAnswer};
use shared::queue::Envelope;
use store::error::JobResult;
use store::sales::waiting_list;
use tracing::instrument;

use crate::runtime::context::Context;

#[instrument(name = "job.answer_waiting_list", skip_all, fields(entry = %message.entry_id))]
pub async fn run(ctx: &Context, message: &AnswerWaitingList, _envelope: &Envelope) -> JobResult<()> {
    let (mut tx, now) = (ctx.transaction().await?, ctx.clock.now());
    match message.answer {
        WaitingAnswer::Confirm => waiting_list::confirm(&mut tx, message.entry_id, now).await?,
        WaitingAnswer::Leave => waiting_list::leave(&mut tx, message.entry_id, now).await?,
    }
    tx.commit().await
}
