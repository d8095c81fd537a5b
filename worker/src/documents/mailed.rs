//! The documents that go with mails.

use shared::messages::Mail;
use store::error::{JobError, JobResult};
use store::model::document::Kind;
use store::money::documents::{self, Attachment, File};
use store::plumbing::mails::StoredMail;

use super::issue;
use crate::runtime::context::Context;

/// The invoice or credit note that goes with a mail, issued before it if it was not yet. None if there is none.
///
/// # Errors
/// As [`issue`], unless the mail can go without it; or the document is not rendered yet.
pub async fn of_mail(ctx: &Context, stored: &StoredMail) -> JobResult<Option<File>> {
    let mail = &stored.mail;
    let (cart_id, attachment) = match mail {
        Mail::RegistrationInvitation { .. } | Mail::SeatsReady(_) | Mail::SeatAssigned(_) => return Ok(None),
        Mail::TransferRequested(_)
        | Mail::WithdrawalReceived(_)
        | Mail::WithdrawalRefused(_)
        | Mail::AccessMoved(_) => {
            return Ok(None);
        }
        Mail::DocumentAgain { document_id, .. } => {
            let file = documents::file_of(&ctx.db, *document_id).await?;
            return file.map(Some).ok_or_else(|| JobError::Retry("the document is not rendered yet".into()));
        }
        Mail::Receipt(receipt) => (receipt.cart_id, Attachment::Invoice),
        Mail::InvoiceCorrected { cart_id, .. } => (*cart_id, Attachment::Invoice),
        Mail::InvoiceCancelled { cart_id, .. } => (*cart_id, Attachment::CancellingNote),
        Mail::RefundIssued(refund) => (refund.cart_id, Attachment::CreditNote(refund.refund_id)),
    };
    if !stored.is_documented {
        return Ok(None);
    }
    match issue(ctx, cart_id).await {
        Ok(Some(only)) if matches!(attachment, Attachment::Invoice) && only.kind == Kind::Invoice => {
            Ok(Some(only))
        }
        Ok(_) => documents::file(&ctx.db, cart_id, attachment).await,
        // The reconciler continues to try, and raises an alert; the buyer need not wait for that.
        Err(error @ JobError::Reject { .. }) if !needs_document(mail) => {
            tracing::error!(cart = %cart_id, %error, "documents not issued; the mail goes without");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Returns whether a mail exists to deliver its document. Without one it fails, and staff can send it again.
fn needs_document(mail: &Mail) -> bool {
    match mail {
        Mail::Receipt(receipt) => receipt.due.is_some(),
        mail => matches!(mail, Mail::InvoiceCancelled { .. } | Mail::InvoiceCorrected { .. }),
    }
}
