//! Reads the payouts of an organisation's account at a provider.

use shared::messages::{ReadPayouts, Refusal};
use shared::queue::Envelope;
use store::error::{JobError, JobResult};
use store::money::payouts::Account;
use tracing::instrument;

use crate::payouts;
use crate::runtime::context::Context;

#[instrument(name = "job.read_payouts", skip_all, fields(organisation = %message.organisation_id, gateway = %message.gateway))]
pub async fn run(ctx: &Context, message: &ReadPayouts, _: &Envelope) -> JobResult<()> {
    let ReadPayouts { organisation_id, gateway } = *message;
    match payouts::read(ctx, Account { organisation_id, gateway }).await {
        Err(JobError::Reject { refusal: Refusal::NotConfigured { .. }, reason }) => {
            tracing::warn!(reason, "payouts not read; read again later");
            Ok(())
        }
        outcome => outcome,
    }
}
