//! Puts an address on the waiting list of a course that is full.

use shared::messages::JoinWaitingList;
use shared::queue::Envelope;
use store::error::JobResult;
use store::sales::waiting_list::{self, Joining};
use tracing::instrument;

use crate::runtime::context::Context;

#[instrument(name = "job.join_waiting_list", skip_all, fields(entry = %envelope.id))]
pub async fn run(ctx: &Context, message: &JoinWaitingList, envelope: &Envelope) -> JobResult<()> {
    let JoinWaitingList { course_id, email, language, is_proved } = message;
    let joining = Joining {
        id: envelope.id,
        course_id: *course_id,
        email,
        language: language.as_ref(),
        is_proved: *is_proved,
    };
    let now = ctx.clock.now();
    let mut tx = ctx.transaction().await?;
    if !waiting_list::join(&mut tx, &joining, ctx.held_since(now), now).await? {
        tracing::info!("not on the waiting list: the course has places, or the address has one");
    }
    tx.commit().await?;
    ctx.outbox.notify_one();
    Ok(())
}
