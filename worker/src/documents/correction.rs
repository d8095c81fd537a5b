//! Corrects the buyer on an invoice: a credit note takes the invoice back, and a new one takes its place. Money does not move,
//! unless the organisation corrects the buyer to one who declares the tax: then the tax is refunded, once finance has said so.

use serde_json::{Value, json};
use shared::ids::CartId;
use shared::messages::{BillingAddress, CorrectInvoice, Mail, OrderCaller, Refusal, ReverseChargeStatus};
use shared::organisation_key::Scope;
use shared::staff::Role;
use shared::subdivision;
use sqlx::PgConnection;
use store::error::{JobError, JobResult};
use store::model::document::{self, Content, Kind, Sale, Status};
use store::model::tax::{self, Evidence, Place, RefundedTax, TaxTerms};
use store::model::vat::{VatCheck, VatIds};
use store::model::vat_conversion::Conversion;
use store::money::documents::{self, NewDocument, Stored};
use store::money::{documents_due, sold, transactions, vat_exchange_rates};
use store::people::staff;
use store::plumbing::audit::{self, Cause, Change, Entity};
use store::plumbing::{mails, organisation_keys};
use store::sales::carts::{self, Cart};
use store::sales::offers;
use uuid::Uuid;

use super::{draw, issue_if_possible, issue_missing, localizer, newest_invoice, report};
use crate::refund::request::{actor, may_see};
use crate::refund::tax as refund_tax;
use crate::runtime::context::Context;
use crate::sale::basket::{check_country, check_state};
use crate::sale::buyer::Sale as Terms;
use crate::sale::buyer_mails::{self, Due};

/// Number of times that an invoice can be corrected.
const MOST: i32 = 3;

/// Effect of a correction on the tax of the order.
enum Tax {
    Stays,
    /// VIES says that the buyer declares it, so it is paid back.
    IsPaidBack(VatCheck),
    /// The same, and the caller may not pay it back: finance is asked.
    IsAskedBack,
}

/// Corrects the invoice of an order, and mails the new one to the buyer. Does nothing if it has this buyer already, so that a repeat is
/// harmless.
///
/// # Errors
/// `CartNotFound` for another buyer's or organisation's cart; `Forbidden` for a member of the staff without a role for it;
/// `InvalidRequest` for an order without an invoice or with refunds, for an address that changes the tax otherwise than by reverse
/// charge, and after three corrections; those of [`reverse_charge`] and [`refund_tax::lock`].
pub async fn correct(ctx: &Context, command: &CorrectInvoice, id: Uuid) -> JobResult<()> {
    check_country(Some(&command.billing_address))?;
    let cart = carts::find(&ctx.db, command.cart_id).await?.filter(|cart| may_see(cart, &command.caller));
    let cart = cart.ok_or(Refusal::CartNotFound)?;
    let may_pay_back = may_pay_back(ctx, &command.caller).await?;
    // A document that cannot be rendered may be the one to correct.
    issue_if_possible(ctx, cart.id).await?;
    let tax = reverse_charge(ctx, command, may_pay_back).await?;
    let cause = Cause { actor: actor(&command.caller), command_id: id, now: ctx.clock.now() };
    let mut tx = ctx.transaction().await?;
    apply(ctx, &mut tx, command, tax, cause).await?;
    tx.commit().await?;
    issue_if_possible(ctx, cart.id).await
}

/// Corrects the invoice, or asks finance to, in the caller's transaction.
async fn apply(
    ctx: &Context,
    tx: &mut PgConnection,
    command: &CorrectInvoice,
    tax: Tax,
    cause: Cause,
) -> JobResult<()> {
    let (cart_id, address) = (command.cart_id, &command.billing_address);
    // Settlement and refunds lock the payment first, too.
    let payment = match tax {
        Tax::IsPaidBack(_) => Some(refund_tax::lock(tx, cart_id).await?),
        Tax::Stays | Tax::IsAskedBack => {
            transactions::lock_cart(tx, cart_id).await?;
            None
        }
    };
    // Locks the note, which refunds of the cart wait for.
    documents_due::note(tx, cart_id, cause.now).await?;
    // An erasure locks the cart, too.
    let cart = carts::lock(tx, cart_id).await?;
    if !may_see(&cart, &command.caller) {
        return Err(Refusal::CartNotFound.into());
    }
    let missing = || JobError::invalid("cart_id", "has no invoice");
    let (mut sale, issued) = sold::find(tx, cart_id, cause.now).await?.ok_or_else(missing)?;
    let invoice = newest_invoice(&issued).ok_or_else(missing)?;
    let tax = if is_taxed(&sale) { tax } else { Tax::Stays };
    if invoice.content.buyer.address == *address && matches!(tax, Tax::Stays) {
        return Ok(());
    }
    check(&sale, &issued, invoice, &tax)?;
    match (tax, payment) {
        (Tax::IsAskedBack, _) => {
            documents::ask_finance(tx, cart_id, address, cause.now).await?;
            return record(tx, cart_id, "invoice_asked", json!({}), cause).await;
        }
        (Tax::IsPaidBack(check), Some(payment)) => {
            refund_tax::store(tx, &payment, &sale, cause).await?;
            apply_reverse_charge(&mut sale, address, check);
        }
        _ => sale.tax_terms = moved_terms(tx, &sale, &invoice.content, address).await?,
    }
    sale.billing_address = Some(address.clone());
    let replaced = invoice.content.number.clone();
    let number = reissue(ctx, tx, &mut sale, issued, cause).await?;
    documents::set_buyer(tx, cart_id, address, sale.tax_terms.as_ref()).await?;
    let detail = json!({ "invoice": number, "takes_the_place_of": replaced });
    record(tx, cart_id, "invoice_corrected", detail, cause).await?;
    send(tx, &cart, cause).await
}

/// Mails the new invoice to the buyer: with the terms of payment, if it is to be paid.
pub(super) async fn send(db: &mut PgConnection, cart: &Cart, cause: Cause) -> JobResult<()> {
    match Due::of_cart(db, cart).await? {
        Some(due @ Due::Invoice(_)) => buyer_mails::ask_for_payment(db, cart, due, cause).await,
        _ => {
            let mail = Mail::InvoiceCorrected { organisation_id: cart.organisation_id, cart_id: cart.id };
            mails::push(db, &cart.email, mail, Some(&cart.language), cause.now).await
        }
    }
}

async fn record(
    db: &mut PgConnection,
    cart_id: CartId,
    to: &'static str,
    detail: Value,
    cause: Cause,
) -> JobResult<()> {
    audit::record(db, cause, Change { entity: Entity::Cart, id: cart_id.into(), from: None, to, detail })
        .await
}

/// Issues the invoice of a sale anew, and takes the one before it back, unless that was refused or cancelled. Returns the number of the
/// new one.
///
/// # Errors
/// The sale has no invoice, or needs an exchange rate that is not on record; the database is unavailable.
pub(super) async fn reissue(
    ctx: &Context,
    db: &mut PgConnection,
    sale: &mut Sale,
    mut issued: Vec<Stored>,
    cause: Cause,
) -> JobResult<Option<String>> {
    let invoice = newest_invoice(&issued).ok_or_else(|| JobError::invalid("cart_id", "has no invoice"))?;
    sale.conversion = conversion(db, sale, &invoice.content).await?;
    let texts = localizer(&ctx.texts, sale);
    let version = if invoice.is_void() {
        report::replace(db, invoice.id, cause).await?;
        invoice.version
    } else {
        invoice.version + 1
    };
    // The new invoice first: in this order all jobs lock the two series.
    let new = draw(db, Kind::Invoice, sale, cause.now, |number, on| NewDocument {
        version,
        refund_id: None,
        refers_to: None,
        content: document::invoice(sale, &texts, number, on),
    })
    .await?;
    let number = new.content.number.clone();
    issued.push(new);
    issue_missing(db, sale, issued, &texts, cause.now).await?;
    Ok(number)
}

/// The conversion of the tax of an invoice that takes the place of another one: at the same rate, if that has one.
async fn conversion(db: &mut PgConnection, sale: &Sale, before: &Content) -> JobResult<Conversion> {
    let frozen = before.converted_tax.as_ref().map(|converted| &converted.at);
    let frozen = frozen.filter(|at| Some(at.currency) == sale.seller.vat_currency);
    match (vat_exchange_rates::conversion(db, sale).await?, frozen) {
        (Conversion::NotNeeded, _) => Ok(Conversion::NotNeeded),
        (_, Some(at)) => Ok(Conversion::At(at.clone())),
        (Conversion::Missing, None) => {
            Err(JobError::invalid("cart_id", "needs an exchange rate of its day, which is not on record"))
        }
        (at @ Conversion::At(_), None) => Ok(at),
    }
}

/// Returns whether a caller may pay the tax of an order back.
///
/// # Errors
/// `Forbidden` for a member of the staff who may not correct an invoice at all.
async fn may_pay_back(ctx: &Context, caller: &OrderCaller) -> JobResult<bool> {
    match caller {
        OrderCaller::Key { id, .. } => organisation_keys::has_scope(&ctx.db, *id, Scope::Refunds).await,
        OrderCaller::Staff(member) => {
            let roles = staff::check_any(&ctx.db, member, &[Role::Support, Role::Finance]).await?;
            Ok(roles.contains(&Role::Finance))
        }
        OrderCaller::Learner { .. } => Ok(false),
    }
}

/// Asks VIES whether an address moves the tax of an order to its buyer, if the caller can pay it back, or ask finance to.
///
/// # Errors
/// `Unavailable` if VIES does not say; that of [`refund_tax::check_account`].
async fn reverse_charge(ctx: &Context, command: &CorrectInvoice, may_pay_back: bool) -> JobResult<Tax> {
    let asks = matches!(command.caller, OrderCaller::Staff(_));
    if !may_pay_back && !asks {
        return Ok(Tax::Stays);
    }
    let now = ctx.clock.now();
    let found = sold::find(&mut *ctx.db.acquire().await?, command.cart_id, now).await?;
    let Some(sale) = found.map(|(sale, _)| sale).filter(is_taxed) else { return Ok(Tax::Stays) };
    let Some(vat_ids) = VatIds::of(&sale.seller, &command.billing_address) else { return Ok(Tax::Stays) };
    let check = ctx.vies.check(&vat_ids, now).await;
    match check.status {
        ReverseChargeStatus::Applied if may_pay_back => {
            refund_tax::check_account(ctx, command.cart_id).await?;
            Ok(Tax::IsPaidBack(check))
        }
        ReverseChargeStatus::Applied => Ok(Tax::IsAskedBack),
        ReverseChargeStatus::Invalid => Ok(Tax::Stays),
        ReverseChargeStatus::Unavailable => Err(Refusal::Unavailable.into()),
    }
}

fn is_taxed(sale: &Sale) -> bool {
    sale.lines.iter().any(|line| line.tax > 0)
}

/// Applies reverse charge to a taxed sale to a buyer at this address.
fn apply_reverse_charge(sale: &mut Sale, address: &BillingAddress, check: VatCheck) {
    let Some(terms) = sale.tax_terms.take() else { return };
    let buyer = buyer(sale, &terms, address);
    let Place { country, state, .. } = buyer.taxed_at(&sale.seller);
    let state = state.map(str::to_owned);
    let evidence = Evidence { billing: address.country, ..terms.evidence };
    let refunded = Some(RefundedTax {
        country: terms.country,
        state: terms.state.clone(),
        components: terms.components.clone(),
    });
    sale.tax_terms = Some(TaxTerms { country, state, evidence, refunded, ..terms }.checked(check));
    sale.remove_tax();
}

/// The buyer of a sale at another address.
fn buyer<'a>(sale: &Sale, terms: &TaxTerms, address: &'a BillingAddress) -> Terms<'a> {
    Terms {
        organisation_id: sale.organisation_id,
        country: terms.evidence.visitor,
        billing_address: Some(address),
    }
}

/// Returns whether the invoice of an order may be corrected.
fn check(sale: &Sale, issued: &[Stored], invoice: &Stored, tax: &Tax) -> JobResult<()> {
    if invoice.state == Status::Requested {
        return Err(JobError::invalid("cart_id", "has an invoice that another system has not issued yet"));
    }
    // Of refunds, a part of the tax went back already.
    if invoice.is_void() && (sale.refunds.is_empty() || !matches!(tax, Tax::IsPaidBack(_))) {
        return Ok(());
    }
    if !sale.refunds.is_empty() || issued.iter().any(|document| document.refund_id.is_some()) {
        return Err(JobError::invalid("cart_id", "has refunds, so its invoice stays as it is"));
    }
    if sale.is_partly_paid {
        return Err(JobError::invalid(
            "cart_id",
            "is partially paid; correct its invoice once it is paid in full",
        ));
    }
    if sale.is_cancelled {
        return Err(JobError::invalid("cart_id", "was cancelled"));
    }
    if invoice.version >= MOST {
        return Err(JobError::invalid("cart_id", "was corrected three times already"));
    }
    Ok(())
}

/// Returns the tax terms with another address, which must leave the tax as it is: at the same place, or at one with the same
/// rate. It is taxed at the place of the newest invoice. A buyer who declares the tax keeps the VAT ID that VIES has confirmed.
async fn moved_terms(
    db: &mut PgConnection,
    sale: &Sale,
    invoice: &Content,
    address: &BillingAddress,
) -> JobResult<Option<TaxTerms>> {
    let changes_tax =
        || JobError::invalid("billing_address", "changes the tax; refund the order and sell it again");
    let Some(terms) = &sale.tax_terms else { return Ok(None) };
    let buyer = buyer(sale, terms, address);
    let evidence = Evidence { billing: address.country, ..terms.evidence };
    if let Some(declared) = &invoice.reverse_charge {
        // An erasure removes the verdict of VIES from the terms.
        let vat_ids = VatIds::of(&sale.seller, address).filter(|_| terms.reverse_charge().is_some());
        return match vat_ids.is_some_and(|ids| ids.buyer.to_string() == declared.vat_id) {
            true => Ok(Some(TaxTerms { state: address.state.clone(), evidence, ..terms.clone() })),
            false => Err(changes_tax()),
        };
    }
    let place = buyer.taxed_at(&sale.seller);
    let country = place.country;
    let billed = &invoice.buyer.address;
    if (&billed.country, &billed.state, &billed.postal_code)
        == (&address.country, &address.state, &address.postal_code)
    {
        // Also where the rates have changed since.
        return Ok(Some(terms.clone()));
    }
    let rates = offers::tax_rates(db, sale.organisation_id, country).await?;
    check_state(buyer.place(), &rates)?;
    let rate = tax::rate_at(rates, place, sale.seller.place(), sale.placed_on);
    let (of_rate, components) = rate.map(|rate| (rate.state, rate.components)).unwrap_or_default();
    let state = of_rate.or(place.state.map(str::to_owned));
    let key = |state: &Option<String>| state.as_deref().map(|state| subdivision::key(country, state));
    if country == terms.country.of_vat() && key(&state) == key(&terms.state) {
        return Ok(Some(terms.clone()));
    }
    match components == terms.components {
        true => Ok(Some(TaxTerms { country, state, evidence, ..terms.clone() })),
        false => Err(changes_tax()),
    }
}
