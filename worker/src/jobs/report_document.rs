//! Takes in what another system has made of a document that it clears or issues.

use shared::messages::ReportDocument;
use store::error::JobResult;
use tracing::instrument;

use crate::documents;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;

#[instrument(name = "job.report_document", skip_all, fields(document = %command.document_id))]
pub async fn run(ctx: &Context, command: &ReportDocument, command_ctx: &CommandContext) -> JobResult<()> {
    documents::report(ctx, command, command_ctx.id).await
}
