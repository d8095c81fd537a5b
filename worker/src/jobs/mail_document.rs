//! Mails an invoice or a credit note again, with a new link, to the address of its order: its reader has followed a link that has ended.

use shared::messages::MailDocument;
use shared::queue::Envelope;
use store::error::JobResult;
use store::money::documents;
use store::plumbing::audit::{Actor, Cause};
use tracing::instrument;

use crate::runtime::context::Context;

#[instrument(name = "job.mail_document", skip_all, fields(document = %task.document_id))]
pub async fn run(ctx: &Context, task: &MailDocument, envelope: &Envelope) -> JobResult<()> {
    let cause = Cause { actor: Actor::Guest, command_id: envelope.id, now: ctx.clock.now() };
    let mut tx = ctx.transaction().await?;
    if !documents::mail_again(&mut tx, task.document_id, cause).await? {
        tracing::info!("document not mailed again: it does not exist, or was mailed three times today");
    }
    tx.commit().await
}
