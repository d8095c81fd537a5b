//! Records what the mail service says of mails that were sent.

use shared::messages::ReportMails;
use shared::queue::Envelope;
use store::error::JobResult;
use store::plumbing::mail_fates;
use tracing::instrument;

use crate::runtime::context::Context;

#[instrument(name = "job.report_mails", skip_all)]
pub async fn run(ctx: &Context, message: &ReportMails, _: &Envelope) -> JobResult<()> {
    let mut tx = ctx.transaction().await?;
    mail_fates::report(&mut tx, &message.reports, ctx.clock.now()).await?;
    tx.commit().await
}
