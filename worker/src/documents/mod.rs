//! Invoices and credit notes: here they are issued and rendered, each once. [`document`] decides what they say, and
//! [`crate::pdf`] how that reads and looks.
//!
//! Why: `docs/decisions/documents.md`

pub mod chain;
mod correction;
mod credit;
mod mailed;
mod rates;
mod report;

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};
use shared::e_invoice::{EInvoice, NoEInvoice, Syntax};
use shared::ids::{CartId, RefundId};
use sqlx::PgConnection;
use store::error::{JobError, JobResult};
use store::model::document::{self, Content, Kind, Sale, Status};
use store::model::seller::Issuer;
use store::model::vat_conversion::Conversion;
use store::money::documents::{self, Drawn, File, NewDocument, Stored};
use store::money::{document_chain, documents_due, sold};
use store::plumbing::mails;
use texts::{Language, Localizer, Texts};

use self::credit::{Credit, Credited};
use crate::pdf;
use crate::runtime::context::Context;

pub use correction::correct;
pub use mailed::{OfMail, of_mail};
pub use report::{report, void_refused_invoice};

/// Issues the documents that a cart lacks, and renders those without a file. Does nothing if none is due, or if the invoice waits for an
/// exchange rate. Returns the file of an order's only document, if it was rendered now.
///
/// # Errors
/// The database is unavailable, or a document cannot be rendered: then it is issued, and stays due.
pub async fn issue(ctx: &Context, cart_id: CartId) -> JobResult<Option<File>> {
    let mut tx = ctx.transaction().await?;
    // Held until the commit, so that two jobs do not draw numbers for the same cart.
    let Some(due) = documents_due::lock(&mut tx, cart_id).await? else { return Ok(None) };
    let now = ctx.clock.now();
    let (issued, awaits_rate) = match sold::find(&mut tx, cart_id, now).await? {
        Some((sale, issued)) => {
            let texts = localizer(&ctx.texts, &sale);
            let issued = issue_missing(&mut tx, &sale, issued, &texts, now).await?;
            let awaits_rate = matches!(missing(&sale, &issued), Some(Missing::Invoice));
            (issued, awaits_rate)
        }
        None => (documents::of_cart(&mut tx, cart_id).await?, false),
    };
    tx.commit().await?;
    rates::note(ctx, cart_id, &due, awaits_rate, now).await?;
    if awaits_rate {
        return Ok(None);
    }
    let (mut files, mut fault) = (Vec::new(), None);
    for document in issued.iter().filter(|document| document.lacks_file()) {
        match render(ctx, document).await {
            Ok(file) => files.push(file),
            // One that cannot be rendered does not hold up the others.
            Err(error) => drop(fault.get_or_insert(error)),
        }
    }
    documents_due::settle(&ctx.db, cart_id, &due, &files).await?;
    let is_own = issued.iter().all(|document| document.content.seller.documents == Issuer::Own);
    if due.awaits_rate || !is_own {
        let mut tx = ctx.transaction().await?;
        mails::release_of_cart(&mut tx, cart_id, now).await?;
        tx.commit().await?;
    }
    match fault {
        Some(error) => Err(error),
        None => Ok(files.pop().filter(|_| issued.len() == 1)),
    }
}

/// As [`issue`]; a document that cannot be rendered stays due, and an alert reports it.
pub async fn issue_if_possible(ctx: &Context, cart_id: CartId) -> JobResult<()> {
    match issue(ctx, cart_id).await {
        Err(JobError::Reject { reason, .. }) => {
            tracing::error!(reason, "a document of the order cannot be rendered");
            Ok(())
        }
        issued => issued.map(drop),
    }
}

async fn render(ctx: &Context, document: &Stored) -> JobResult<File> {
    let content = &document.content.0;
    let (fonts, texts, printed) = (ctx.fonts.clone(), ctx.texts.clone(), content.clone());
    let digest = document.digest.clone();
    let xml = e_invoice(content)?;
    let rendered = tokio::task::spawn_blocking(move || {
        let texts = texts.localizer(&printed.language, &[]);
        pdf::render::render(&pdf::print::print(&printed, digest.as_deref(), &texts), xml.as_deref(), &fonts)
    });
    let rendered = rendered.await.map_err(|error| JobError::dead(format!("rendering ended: {error}")))?;
    let number = content.number.clone().unwrap_or_default();
    let pdf = rendered.map_err(|error| JobError::dead(format!("document {number}: {error}")))?;
    Ok(File { id: document.id, kind: document.kind, number, pdf })
}

/// The e-invoice that a PDF has inside. None for a document that has no form in EN 16931: its PDF stands alone.
fn e_invoice(content: &Content) -> JobResult<Option<String>> {
    match EInvoice::of(&serde_json::to_value(content)?) {
        Ok(e_invoice) => Ok(Some(e_invoice.write(Syntax::Cii))),
        Err(NoEInvoice::Unreadable(error)) => Err(error.into()),
        Err(no) => {
            tracing::info!(number = content.number.as_deref(), "no e-invoice: {no}");
            Ok(None)
        }
    }
}

/// The texts of a sale's documents: in the buyer's language, except where that is written from right to left, which the
/// pages cannot show yet.
fn localizer<'a>(texts: &'a Texts, sale: &Sale) -> Localizer<'a> {
    let wanted = [&sale.language].into_iter().chain(&sale.languages);
    let readable: Vec<_> = wanted.filter(|language| language.direction() == "ltr").cloned().collect();
    let (first, others) = readable.split_first().unzip();
    texts.localizer(first.unwrap_or(&Language::english()), others.unwrap_or_default())
}

/// Document to be issued next.
enum Missing<'a> {
    Invoice,
    CreditNote {
        of: &'a Stored,
        /// None: it takes the whole invoice back.
        refund_id: Option<RefundId>,
        credit: Credit,
    },
}

/// Issues the documents that a sale lacks, unless its invoice needs an exchange rate that is missing. Returns them after those that it has.
async fn issue_missing(
    db: &mut PgConnection,
    sale: &Sale,
    mut issued: Vec<Stored>,
    texts: &Localizer<'_>,
    now: DateTime<Utc>,
) -> JobResult<Vec<Stored>> {
    while let Some(missing) = missing(sale, &issued) {
        let new = match missing {
            Missing::Invoice if sale.conversion == Conversion::Missing => break,
            Missing::Invoice => {
                draw(db, Kind::Invoice, sale, now, |number, on| NewDocument {
                    version: 0,
                    refund_id: None,
                    refers_to: None,
                    content: document::invoice(sale, texts, number, on),
                })
                .await?
            }
            Missing::CreditNote { of, refund_id, credit } => {
                draw(db, Kind::CreditNote, sale, now, |number, on| NewDocument {
                    version: of.version,
                    refund_id,
                    refers_to: Some(of.id),
                    content: credit::credit_note(sale, &of.content, &credit, number, on),
                })
                .await?
            }
        };
        issued.push(new);
    }
    Ok(issued)
}

/// Returns the first document that a cart lacks. An invoice that was corrected, or whose order on account was cancelled, is taken back
/// as a whole. Credit notes wait until their invoice is issued. A refund that has failed keeps its credit note, and later ones are
/// credited only for what the refunds that stand exceed the credit notes by. Refunds of a tax that a correction of the invoice took
/// back have no credit note of their own. Nothing takes the place of a refused or cancelled document until it is requested anew.
fn missing<'a>(sale: &Sale, issued: &'a [Stored]) -> Option<Missing<'a>> {
    let Some(invoice) = newest_invoice(issued) else {
        return (sale.charged.minor() > 0 && !sale.is_cancelled).then_some(Missing::Invoice);
    };
    let is_credited = |invoice: &Stored| {
        let mut notes = issued.iter().filter(|document| document.kind == Kind::CreditNote);
        notes.any(|note| note.content.refers_to == invoice.content.number)
    };
    let invoices = issued.iter().filter(|one| one.kind == Kind::Invoice && one.state == Status::Issued);
    let mut invalid = invoices.filter(|one| one.version < invoice.version || sale.is_cancelled);
    if let Some(of) = invalid.find(|invoice| !is_credited(invoice)) {
        return Some(Missing::CreditNote { of, refund_id: None, credit: Credit::all(&of.content) });
    }
    if invoice.state != Status::Issued || sale.is_cancelled {
        return None;
    }
    let notes = issued.iter().filter(|document| document.refund_id.is_some()).map(|note| &note.content.0);
    let credited = Credited::of(notes);
    let refunded: i64 = sale.refunds.iter().map(|refund| refund.amount).sum();
    let total = invoice.content.total_minor();
    let taken_back = sale.charged.minor() - total;
    let mut uncredited = (refunded - taken_back).min(total) - credited.total();
    let is_documented = |id: RefundId| issued.iter().any(|document| document.refund_id == Some(id));
    let mut oldest = None;
    // From the newest on: what a failed refund has credited covers the refunds that followed it.
    for refund in sale.refunds.iter().rev().filter(|refund| !is_documented(refund.id)) {
        let amount = uncredited.min(refund.amount);
        if amount > 0 {
            oldest = Some((refund, amount));
            uncredited -= amount;
        }
    }
    oldest.map(|(refund, amount)| Missing::CreditNote {
        of: invoice,
        refund_id: Some(refund.id),
        credit: Credit::new(&invoice.content, &credited, amount, &refund.lines),
    })
}

/// The invoice that is valid: the one with the last correction.
fn newest_invoice(issued: &[Stored]) -> Option<&Stored> {
    issued.iter().filter(|document| document.kind == Kind::Invoice).max_by_key(|invoice| invoice.version)
}

/// Clocks of workers that differ by more than this are wrong.
const AHEAD: TimeDelta = TimeDelta::minutes(5);

/// Draws the next number, and inserts the document that `make` writes with it and the date of issue. Another program gives its own.
async fn draw(
    db: &mut PgConnection,
    kind: Kind,
    sale: &Sale,
    now: DateTime<Utc>,
    make: impl FnOnce(Option<String>, NaiveDate) -> NewDocument,
) -> JobResult<Stored> {
    let seller = &sale.seller;
    if seller.documents == Issuer::External {
        return documents::insert(db, sale, kind, make(None, sale.today), now, None).await;
    }
    // Before the series: in this order all jobs lock them.
    let link = match seller.chained {
        true => Some(document_chain::extend(db, sale.organisation_id, now).await?),
        false => None,
    };
    let year = fiscal_year(sale.today, seller.fiscal_year_starts);
    let prefix = match kind {
        Kind::Invoice => &seller.invoice_prefix,
        Kind::CreditNote => &seller.credit_note_prefix,
    };
    let Drawn { number, issued_at, issued_on } =
        documents::draw(db, sale.organisation_id, prefix, year, now).await?;
    if issued_at - now > AHEAD {
        // Dates follow numbers, so that only time can put this right.
        tracing::warn!(
            organisation = %sale.organisation_id,
            %issued_at,
            "a document was issued by a clock that was ahead; the series keeps its date until that time"
        );
    }
    let number = format!("{prefix}{:02}-{number:06}", year.rem_euclid(100));
    documents::insert(db, sale, kind, make(Some(number), issued_on), issued_at, link.as_ref()).await
}

/// The year in which the fiscal year of a day begins. `starts` is the month of its first day.
fn fiscal_year(day: NaiveDate, starts: u32) -> i32 {
    day.year() - i32::from(day.month() < starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fiscal_year_has_the_number_of_the_year_in_which_it_begins() {
        let year = |day: &str, starts| fiscal_year(day.parse().unwrap(), starts);
        assert_eq!((year("2026-01-01", 1), year("2026-12-31", 1)), (2026, 2026));
        assert_eq!((year("2026-03-31", 4), year("2026-04-01", 4)), (2025, 2026));
        assert_eq!((year("2026-11-30", 12), year("2026-12-01", 12)), (2025, 2026));
    }
}
