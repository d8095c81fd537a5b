//! Judges a declaration of withdrawal. If a server is unavailable, the reconciler's next message is the retry.

use shared::messages::JudgeWithdrawal;
use shared::queue::Envelope;
use store::error::JobResult;
use tracing::instrument;

use crate::runtime::context::Context;
use crate::withdrawal::judgement;

#[instrument(name = "job.judge_withdrawal", skip_all, fields(withdrawal = %message.withdrawal_id))]
pub async fn run(ctx: &Context, message: &JudgeWithdrawal, envelope: &Envelope) -> JobResult<()> {
    judgement::judge(ctx, message.withdrawal_id, envelope.id).await
}
