//! The documents that go with mails, and how long a mail waits for one that another system clears or issues, or that needs an exchange
//! rate.

use chrono::{DateTime, Utc};
use shared::messages::Mail;
use store::error::{JobError, JobResult};
use store::model::document::Kind;
use store::money::documents::{self, Attachment, File};
use store::plumbing::mails::{self, StoredMail};

use super::issue;
use crate::runtime::context::Context;

/// Document of a mail.
pub enum OfMail {
    Attached(File),
    /// The mail has none, or goes without.
    None,
    /// There will be none, and the mail makes no sense without.
    Never,
    /// The mail waits for it, until this time at the latest.
    Awaited(DateTime<Utc>),
}

/// The invoice or credit note that goes with a mail, issued before it if it was not yet.
///
/// # Errors
/// As [`issue`], unless the mail can go without it; or the document is not rendered yet.
pub async fn of_mail(ctx: &Context, stored: &StoredMail) -> JobResult<OfMail> {
    let mail = &stored.mail;
    let (cart_id, attachment) = match mail {
        Mail::RegistrationInvitation { .. }
        | Mail::SeatsReady(_)
        | Mail::SeatAssigned(_)
        | Mail::WaitingListed(_)
        | Mail::PlaceOffered(_)
        | Mail::TransferRequested(_)
        | Mail::WithdrawalReceived(_)
        | Mail::WithdrawalRefused(_)
        | Mail::AccessMoved(_)
        | Mail::AccessEnds(_) => {
            return Ok(OfMail::None);
        }
        Mail::DocumentAgain { document_id, .. } => {
            let file = documents::file_of(&ctx.db, *document_id).await?;
            let file = file.ok_or_else(|| JobError::Retry("the document is not rendered yet".into()));
            return file.map(OfMail::Attached);
        }
        Mail::DocumentFollows { cart_id, refund_id, .. } => {
            (*cart_id, refund_id.map_or(Attachment::Invoice, Attachment::CreditNote))
        }
        Mail::Receipt(receipt) => (receipt.cart_id, Attachment::Invoice),
        Mail::InvoiceCorrected { cart_id, .. } => (*cart_id, Attachment::Invoice),
        Mail::InvoiceCancelled { cart_id, .. } => (*cart_id, Attachment::CancellingNote),
        Mail::RefundIssued(refund) => (refund.cart_id, Attachment::CreditNote(refund.refund_id)),
    };
    if !stored.is_documented {
        return Ok(OfMail::None);
    }
    match issue(ctx, cart_id).await {
        Ok(Some(only)) if matches!(attachment, Attachment::Invoice) && only.kind == Kind::Invoice => {
            return Ok(OfMail::Attached(only));
        }
        Ok(_) => {}
        // The reconciler continues to try, and raises an alert; the buyer need not wait for that.
        Err(error @ JobError::Reject { .. }) if !needs_document(mail) => {
            tracing::error!(cart = %cart_id, %error, "documents not issued; the mail goes without");
            return Ok(OfMail::None);
        }
        Err(error) => return Err(error),
    }
    match documents::file(&ctx.db, cart_id, attachment).await? {
        Some(file) => Ok(OfMail::Attached(file)),
        None if documents::waits(&ctx.db, cart_id).await? => awaited(ctx, stored).await,
        // The order was cancelled before it had an invoice. Its buyer is told so.
        None if needs_document(mail)
            && !matches!(mail, Mail::InvoiceCancelled { .. })
            && !documents::has_any(&ctx.db, cart_id).await? =>
        {
            Ok(OfMail::Never)
        }
        // A program that issues them can keep their files.
        None => Ok(OfMail::None),
    }
}

/// Has a mail wait for its document, or go without: then the document follows in a mail of its own.
async fn awaited(ctx: &Context, stored: &StoredMail) -> JobResult<OfMail> {
    let now = ctx.clock.now();
    if needs_document(&stored.mail) {
        return Ok(OfMail::Awaited(now + mails::LOOKED_AT_AGAIN));
    }
    let until = stored.created_at.checked_add_signed(ctx.document_wait).unwrap_or(DateTime::<Utc>::MAX_UTC);
    if now < until {
        return Ok(OfMail::Awaited(until));
    }
    let follows = match &stored.mail {
        Mail::Receipt(receipt) => Some((receipt.organisation_id, receipt.cart_id, None)),
        Mail::RefundIssued(refund) => Some((refund.organisation_id, refund.cart_id, Some(refund.refund_id))),
        _ => None,
    };
    let Some((organisation_id, cart_id, refund_id)) = follows else { return Ok(OfMail::None) };
    let mut tx = ctx.transaction().await?;
    // A mail that is tried again is followed by no second one.
    if mails::go_without(&mut tx, stored.id).await? {
        let mail = Mail::DocumentFollows { organisation_id, cart_id, refund_id };
        mails::push(&mut tx, &stored.to, mail, Some(&stored.language), now).await?;
    }
    tx.commit().await?;
    ctx.outbox.notify_one();
    Ok(OfMail::None)
}

/// Returns whether a mail exists to deliver its document. Without one that the storefront makes it fails, and staff can send it again.
fn needs_document(mail: &Mail) -> bool {
    match mail {
        Mail::Receipt(receipt) => receipt.due.is_some(),
        mail => matches!(
            mail,
            Mail::InvoiceCancelled { .. } | Mail::InvoiceCorrected { .. } | Mail::DocumentFollows { .. }
        ),
    }
}
