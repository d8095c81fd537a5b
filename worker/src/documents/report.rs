//! Takes in what other systems report of the documents that they clear or issue.
//!
//! Why: `docs/decisions/issuers.md`

use shared::ids::{CartId, DocumentId};
use shared::messages::{DeskCaller, DocumentReport, Mail, Refusal, ReportDocument, ReportedFile};
use shared::money::Money;
use shared::staff::Role;
use sqlx::PgConnection;
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::model::document::{Content, Kind, Sale, Status};
use store::model::seller::Issuer;
use store::money::document_reports::{self, Reported};
use store::money::{attention, documents_due, sold, transactions};
use store::people::staff;
use store::plumbing::audit::Cause;
use store::plumbing::mails;
use store::sales::carts;
use uuid::Uuid;

use super::correction::{self, reissue};
use super::{issue_if_possible, newest_invoice};
use crate::runtime::context::Context;

/// Takes in a report about a document, and issues what has waited for it. A report that says what is on record changes nothing.
///
/// # Errors
/// `CartNotFound` for another organisation's document; `Forbidden` for a member of the staff without the role finance;
/// `InvalidRequest` for what the storefront issues itself, and for a report that is not of its kind; `Contradiction`.
pub async fn report(ctx: &Context, command: &ReportDocument, id: Uuid) -> JobResult<()> {
    if let DeskCaller::Staff(member) = &command.caller {
        staff::check(&ctx.db, member, Role::Finance).await?;
    }
    let organisation = command.caller.organisation_id();
    let cart = document_reports::cart(&ctx.db, command.document_id, organisation).await?;
    let cart_id = cart.ok_or(Refusal::CartNotFound)?;
    let cause = Cause { actor: (&command.caller).into(), command_id: id, now: ctx.clock.now() };
    let mut tx = ctx.transaction().await?;
    // Locks the payment, which may get an alert, and then the note, as settlement does.
    transactions::lock_cart(&mut tx, cart_id).await?;
    documents_due::note(&mut tx, cart_id, cause.now).await?;
    let document = document_reports::lock(&mut tx, command.document_id).await?;
    let alerts = apply(ctx, &mut tx, document, &command.report, cause).await?;
    tx.alert(alerts);
    tx.commit().await?;
    issue_if_possible(ctx, cart_id).await?;
    ctx.outbox.notify_one();
    Ok(())
}

async fn apply(
    ctx: &Context,
    db: &mut PgConnection,
    mut document: Reported,
    report: &DocumentReport,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let issuer = document.content.seller.documents;
    match (issuer, report) {
        (Issuer::Own, _) => {
            Err(JobError::invalid("document_id", "is a document that the storefront has issued itself"))
        }
        (Issuer::Cleared, DocumentReport::Issued { .. }) => Err(JobError::invalid(
            "number",
            "was drawn by the storefront; report the authority's number in `clearance`",
        )),
        (Issuer::External, DocumentReport::Cleared { .. }) => {
            Err(JobError::invalid("number", "is required: another program issues the document under its own"))
        }
        (_, DocumentReport::Cleared { clearance, file }) => {
            let known = document.content.clearance.replace(clearance.clone());
            issue(db, document, known.as_ref() == Some(clearance), file.as_ref(), cause).await
        }
        (_, DocumentReport::Issued { number, issued_on, total, file }) => {
            let told = (Some(number.clone()), *issued_on, Some(total.normalize()));
            let content = &mut document.content.0;
            let is_known = told == (content.number.clone(), content.issued_on, content.reported_total);
            (content.number, content.issued_on, content.reported_total) = told;
            issue(db, document, is_known, file.as_ref(), cause).await
        }
        (_, DocumentReport::Refused { reason }) => refuse(db, &document, reason, cause).await,
        (_, DocumentReport::Cancelled { reason }) => cancel(db, &document, reason, cause).await,
        (_, DocumentReport::Requested) => request_anew(ctx, db, &document, cause).await.map(|()| Vec::new()),
    }
}

/// Issues a document whose content has what was reported. `is_known`: it had it already.
async fn issue(
    db: &mut PgConnection,
    document: Reported,
    is_known: bool,
    file: Option<&ReportedFile>,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    match document.state {
        // The file can come later.
        Status::Issued if is_known => {
            keep_file(db, &document, file).await?;
            return Ok(Vec::new());
        }
        // A report of before the cancellation that comes again.
        Status::Cancelled if is_known => return Ok(Vec::new()),
        Status::Issued | Status::Cancelled => {
            return Err(contradiction("was reported with other facts before"));
        }
        Status::Replaced => {
            return Err(contradiction("is void here for good; cancel it where it was issued"));
        }
        Status::Requested | Status::Refused if document.is_of_cancelled => {
            return Err(contradiction("takes back an invoice that was cancelled"));
        }
        Status::Requested | Status::Refused => {}
    }
    check_total(&document.content)?;
    document_reports::set(db, &document, Status::Issued, None, cause).await?;
    keep_file(db, &document, file).await?;
    end_alert(db, &document, "it was issued after all", cause).await?;
    let difference = difference(&document.content);
    let mut alerts = Vec::new();
    if let Some(reason) = difference {
        alerts.extend(attention::alert_cart(db, document.cart_id, &reason, cause.now).await?);
    }
    Ok(alerts)
}

/// Keeps the first file that was reported of a document.
async fn keep_file(db: &mut PgConnection, document: &Reported, file: Option<&ReportedFile>) -> JobResult<()> {
    let Some(file) = file else { return Ok(()) };
    let is_external = document.content.seller.documents == Issuer::External;
    document_reports::keep_file(db, document.id, file, is_external).await
}

/// Refuses an amount that the currency does not have.
fn check_total(content: &Content) -> JobResult<()> {
    let Some(total) = content.reported_total else { return Ok(()) };
    let total = Money::from_major(total, content.currency);
    total.map(drop).map_err(|error| JobError::invalid("total", error.to_string()))
}

/// Difference between the total that another program has issued and the storefront's books.
fn difference(content: &Content) -> Option<String> {
    let total = content.reported_total.filter(|total| *total != content.total)?;
    let (number, currency) = (content.number.as_deref().unwrap_or_default(), content.currency.code());
    let expected = content.total.normalize();
    Some(format!(
        "document {number} was issued over {total} {currency}, and the books have {expected} {currency}"
    ))
}

/// Records that a document was refused. A later refusal replaces the reason.
async fn refuse(
    db: &mut PgConnection,
    document: &Reported,
    reason: &str,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    match document.state {
        Status::Refused if document.reason.as_deref() == Some(reason) => return Ok(Vec::new()),
        Status::Requested | Status::Refused => {}
        // The report of a refusal that comes again.
        Status::Replaced if document.reason.as_deref() == Some(reason) => return Ok(Vec::new()),
        Status::Issued | Status::Cancelled | Status::Replaced => {
            return Err(contradiction("was reported as issued, or was replaced"));
        }
    }
    end_alert(db, document, "it was refused again", cause).await?;
    document_reports::set(db, document, Status::Refused, Some(reason), cause).await?;
    if void_refused_invoice(db, document.cart_id, cause).await? {
        return Ok(Vec::new());
    }
    let alert = attention::alert_cart(db, document.cart_id, &refusal(document, reason), cause.now).await?;
    Ok(alert.into_iter().collect())
}

/// Voids the refused invoice of an order on account that was cancelled, and releases the mails that wait for it. Returns whether there
/// was one.
///
/// # Errors
/// The database is unavailable.
pub async fn void_refused_invoice(db: &mut PgConnection, cart_id: CartId, cause: Cause) -> JobResult<bool> {
    let sold = sold::find(db, cart_id, cause.now).await?.filter(|(sale, _)| sale.is_cancelled);
    let invoice = sold.as_ref().and_then(|(_, issued)| newest_invoice(issued));
    let Some(invoice) = invoice.filter(|invoice| invoice.state == Status::Refused) else { return Ok(false) };
    replace(db, invoice.id, cause).await?;
    mails::release_of_cart(db, cart_id, cause.now).await?;
    Ok(true)
}

/// Makes room for another document in the place of one that was refused or cancelled. The order's current invoice is drawn at once,
/// unless the order was cancelled, and a credit note with what the order lacks.
async fn request_anew(
    ctx: &Context,
    db: &mut PgConnection,
    document: &Reported,
    cause: Cause,
) -> JobResult<()> {
    match document.state {
        Status::Refused | Status::Cancelled => {}
        Status::Requested | Status::Replaced => return Ok(()),
        Status::Issued => return Err(contradiction("is issued")),
    }
    let sold = sold::find(db, document.cart_id, cause.now).await?;
    let (mut sale, issued) = sold.ok_or_else(|| contradiction("is of an organisation that sells no more"))?;
    match newest_invoice(&issued).filter(|_| !sale.is_cancelled) {
        Some(newest) if newest.id == document.id => drop(reissue(ctx, db, &mut sale, issued, cause).await?),
        Some(newest) if newest.is_void() && document.refund_id.is_some() => {
            return Err(contradiction("credits an invoice that does not count; request that anew first"));
        }
        _ => replace(db, document.id, cause).await?,
    }
    // The first mail still waits for one that was refused.
    if document.state == Status::Cancelled { mail_again(db, document, &sale, cause).await } else { Ok(()) }
}

/// Mails the document that takes the place of a cancelled one, which the buyer has got.
async fn mail_again(db: &mut PgConnection, document: &Reported, sale: &Sale, cause: Cause) -> JobResult<()> {
    let cart = carts::lock(db, document.cart_id).await?;
    let (organisation_id, cart_id) = (cart.organisation_id, cart.id);
    let mail = match (document.kind, document.refund_id) {
        // Nothing takes its place.
        _ if document.is_of_cancelled => return Ok(()),
        (Kind::Invoice, _) if sale.is_cancelled => return Ok(()),
        (Kind::Invoice, _) if sale.payment.is_some() => return correction::send(db, &cart, cause).await,
        (Kind::CreditNote, None) if sale.is_cancelled => Mail::InvoiceCancelled { organisation_id, cart_id },
        // Buyers do not get the credit note of a corrected invoice.
        (Kind::CreditNote, None) => return Ok(()),
        (_, refund_id) => Mail::DocumentFollows { organisation_id, cart_id, refund_id },
    };
    mails::push(db, &cart.email, mail, Some(&cart.language), cause.now).await
}

/// Records that an issued document was taken back where it was issued.
async fn cancel(
    db: &mut PgConnection,
    document: &Reported,
    reason: &str,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    match document.state {
        Status::Cancelled if document.reason.as_deref() == Some(reason) => return Ok(Vec::new()),
        Status::Issued if document.is_credited => {
            return Err(contradiction("has a credit note; cancel that first"));
        }
        Status::Issued => {}
        Status::Requested | Status::Refused | Status::Cancelled | Status::Replaced => {
            return Err(contradiction("is not issued, or was cancelled for another reason"));
        }
    }
    document_reports::set(db, document, Status::Cancelled, Some(reason), cause).await?;
    let alert =
        attention::alert_cart(db, document.cart_id, &cancellation(document, reason), cause.now).await?;
    Ok(alert.into_iter().collect())
}

/// Marks a refused or cancelled document as void for good, and ends its alert.
///
/// # Errors
/// The database is unavailable.
pub(super) async fn replace(db: &mut PgConnection, id: DocumentId, cause: Cause) -> JobResult<()> {
    let document = document_reports::lock(db, id).await?;
    end_alert(db, &document, "it is void for good", cause).await?;
    document_reports::set(db, &document, Status::Replaced, document.reason.as_deref(), cause).await
}

/// Ends the alert about a refused or cancelled document.
async fn end_alert(db: &mut PgConnection, document: &Reported, because: &str, cause: Cause) -> JobResult<()> {
    let Some(reason) = document.reason.as_deref() else { return Ok(()) };
    let note = match document.state {
        Status::Cancelled => cancellation(document, reason),
        _ => refusal(document, reason),
    };
    attention::end_of_cart(db, document.cart_id, &note, because, cause).await
}

fn refusal(document: &Reported, reason: &str) -> String {
    format!("{} was refused: {reason}", name(document))
}

fn cancellation(document: &Reported, reason: &str) -> String {
    format!("{} was cancelled: {reason}", name(document))
}

/// A document as alerts name it: by its number, which one of another program may lack.
fn name(document: &Reported) -> String {
    let kind = if document.kind == Kind::Invoice { "invoice" } else { "credit note" };
    match &document.number {
        Some(number) => format!("{kind} {number}"),
        None => format!("{kind} {}", document.id),
    }
}

fn contradiction(detail: &str) -> JobError {
    Refusal::Contradiction { detail: format!("the document {detail}") }.into()
}
