//! Stores a buyer's declaration of withdrawal with its acknowledgement. Judging comes after that.

use shared::messages::DeclareWithdrawal;
use shared::queue::Envelope;
use store::error::JobResult;
use tracing::instrument;

use crate::runtime::context::Context;
use crate::withdrawal::declaration;

#[instrument(name = "job.declare_withdrawal", skip_all, fields(withdrawal = %envelope.id))]
pub async fn run(ctx: &Context, message: &DeclareWithdrawal, envelope: &Envelope) -> JobResult<()> {
    declaration::store(ctx, message, envelope.id).await
}
