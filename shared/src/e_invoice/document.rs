//! The content of a document in the terms of EN 16931. BT and BR are the numbers of its terms and rules.

use chrono::NaiveDate;
use en16931::codes::VatCategory;
use en16931::invoice::{
    Code, CreditTransfer, Delivery, DocumentTotals, Invoice, InvoiceNote, PaymentInstructions, PaymentMeans,
    PostalAddress, PrecedingInvoice, SupportingDocument, VatBreakdown,
};
use en16931::{Date, DocumentReference, InvoiceAmount, Percentage};
use rust_decimal::{Decimal, RoundingStrategy};
use serde::Deserialize;

use super::NoEInvoice;
use super::line::Line;
use super::party::{Buyer, Seller, code};
use crate::bank_account::BankAccount;
use crate::gateway::Gateway;
use crate::gst::PlaceOfSupply;
use crate::ids::CartId;
use crate::messages::Clearance;
use crate::money::{Currency, deserialize_decimal};
use crate::region::Country;
use crate::typed::given;

/// The specification that a document follows (BT-24): the core of EN 16931, without the rules of a country or a network.
const SPECIFICATION: &str = "urn:cen.eu:en16931:2017";

/// Part that an e-invoice needs of a document's content, which `store::model::document` describes.
#[derive(Deserialize)]
pub(super) struct Document {
    kind: Kind,
    number: String,
    refers_to: Option<String>,
    refers_to_cleared: Option<String>,
    issued_on: NaiveDate,
    supplied_on: Option<NaiveDate>,
    cart_id: CartId,
    reference: Option<String>,
    payment: Option<Payment>,
    #[serde(default)]
    unpaid: bool,
    gateway: Gateway,
    currency: Currency,
    seller: Seller,
    buyer: Buyer,
    tax_country: Option<Country>,
    place_of_supply: Option<PlaceOfSupply>,
    reverse_charge: Option<ReverseCharge>,
    lines: Vec<Line>,
    taxes: Vec<Tax>,
    #[serde(deserialize_with = "deserialize_decimal")]
    net: Decimal,
    #[serde(deserialize_with = "deserialize_decimal")]
    tax: Decimal,
    #[serde(deserialize_with = "deserialize_decimal")]
    total: Decimal,
    converted_tax: Option<ConvertedTax>,
    notes: Vec<String>,
    exemption: Option<String>,
    clearance: Option<Clearance>,
}

/// Terms of payment of an invoice on account: how and until when it is to be paid.
#[derive(Deserialize)]
struct Payment {
    due_on: NaiveDate,
    reference: String,
    #[serde(default)]
    bank_lines: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Invoice,
    CreditNote,
}

/// Evidence that the buyer declares the tax.
#[derive(Deserialize)]
struct ReverseCharge {
    vat_id: String,
}

/// The tax in the currency of the seller's state.
#[derive(Deserialize)]
struct ConvertedTax {
    at: Conversion,
    #[serde(deserialize_with = "deserialize_decimal")]
    tax: Decimal,
}

#[derive(Deserialize)]
struct Conversion {
    currency: Currency,
}

#[derive(Deserialize)]
struct Tax {
    #[serde(deserialize_with = "deserialize_decimal")]
    rate: Decimal,
}

/// Tax of a document in the terms of EN 16931.
pub(super) struct Vat {
    pub category: VatCategory,
    pub rate: Option<Percentage>,
    reason: Option<String>,
    reason_code: Option<Code>,
}

impl Document {
    pub(super) fn invoice(&self) -> Result<Invoice, NoEInvoice> {
        let vat = self.vat();
        let (net, tax, total) = (amount(self.net)?, amount(self.tax)?, amount(self.total)?);
        let confirmed = self.reverse_charge.as_ref().map(|check| check.vat_id.as_str());
        let type_code = if self.kind == Kind::Invoice { "380" } else { "381" };
        let mut invoice = Invoice::builder(
            SPECIFICATION,
            &*self.number,
            date(self.issued_on)?,
            type_code,
            self.currency.code(),
        )
        .seller(self.seller.party(&vat))
        .buyer(self.buyer.party(confirmed, self.tax_country.unwrap_or(self.seller.country), &vat))
        .vat_breakdown(VatBreakdown {
            taxable_amount: net,
            tax_amount: tax,
            category: vat.category.code().into(),
            rate: vat.rate,
            exemption_reason: vat.reason.clone(),
            exemption_reason_code: vat.reason_code.clone(),
        })
        .totals(DocumentTotals {
            line_total: net,
            taxable_total: net,
            vat_total: Some(tax),
            gross_total: total,
            // A document follows the money: it was paid, or paid back, before this was issued, unless it is on account.
            paid: (!self.unpaid).then_some(total),
            due: if self.unpaid { total } else { InvoiceAmount::ZERO },
            ..DocumentTotals::default()
        })
        .build();
        if self.kind == Kind::CreditNote {
            invoice.kind = en16931::DocumentKind::CreditNote;
        }
        for line in &self.lines {
            invoice.lines.push(line.written(&vat)?);
        }
        invoice.notes = self.notes.iter().chain(&self.seller.footer).map(InvoiceNote::new).collect();
        invoice.preceding_invoices = self.refers_to.iter().map(|number| preceding(number)).collect();
        invoice.attachments = self.clearances();
        invoice.delivery = self.delivery()?;
        if let Some(converted) = &self.converted_tax {
            invoice.vat_accounting_currency = Some(Code::new(converted.at.currency.code()));
            invoice.totals.vat_total_accounting = Some(amount(two_decimals(converted.tax))?);
        }
        self.add_payment(&mut invoice)?;
        // The buyer's one field can be either: a purchase order, or an address within the buyer's house, as German
        // authorities use it.
        invoice.purchase_order_reference = self.reference.as_deref().map(DocumentReference::new);
        invoice.buyer_reference.clone_from(&self.reference);
        // Only beside the buyer's: the library would write an empty one for it, which Peppol refuses (PEPPOL-EN16931-R008).
        invoice.sales_order_reference =
            self.reference.as_ref().map(|_| DocumentReference::new(self.cart_id.to_string()));
        Ok(invoice)
    }

    /// Day of the supply (BT-72), and its place where a document names it (BG-15): the standard has no other field.
    fn delivery(&self) -> Result<Option<Delivery>, NoEInvoice> {
        let date = self.supplied_on.map(date).transpose()?;
        let address = self.place_of_supply.as_ref().map(|place| PostalAddress {
            subdivision: place.state.as_ref().map(ToString::to_string),
            country: Some(code(place.country)),
            ..PostalAddress::default()
        });
        let is_known = date.is_some() || address.is_some();
        Ok(is_known.then(|| Delivery { date, address, ..Delivery::default() }))
    }

    /// The tax of all lines: an order is taxed at one place. Taxes that are charged together, such as CGST and SGST, are one
    /// rate here.
    fn vat(&self) -> Vat {
        let rate: Decimal = self.taxes.iter().map(|tax| tax.rate).sum();
        let with_rate = |category, reason| Vat {
            category,
            rate: Some(Percentage::new(rate.normalize())),
            reason,
            reason_code: None,
        };
        if self.reverse_charge.is_some() {
            let reason = Some("Reverse charge".to_owned());
            Vat {
                reason_code: Some(Code::new("VATEX-EU-AE")),
                ..with_rate(VatCategory::ReverseCharge, reason)
            }
        } else if self.taxes.is_empty() {
            // The order was placed before the seller charged tax, or is taxed at a place for which there is no rate.
            Vat {
                category: VatCategory::OutOfScope,
                rate: None,
                reason: Some("Not subject to VAT".to_owned()),
                reason_code: Some(Code::new("VATEX-EU-O")),
            }
        } else if !rate.is_zero() {
            with_rate(VatCategory::Standard, None)
        } else if let Some(reason) = given(self.exemption.clone()) {
            with_rate(VatCategory::Exempt, Some(reason))
        } else {
            with_rate(VatCategory::ZeroRated, None)
        }
    }

    /// The record of an authority as a supporting document (BG-24), and that of the invoice that a credit note takes back. The standard
    /// has no field of its own for either.
    fn clearances(&self) -> Vec<SupportingDocument> {
        let described = |number: &str, description: Option<String>, uri: Option<String>| SupportingDocument {
            reference: DocumentReference::new(number),
            description,
            uri,
            attachment: None,
        };
        let own = self.clearance.as_ref().and_then(|clearance| {
            let uri = clearance.qr.clone().filter(|qr| qr.starts_with("https://"));
            let number = clearance.number.as_deref().or(uri.as_ref().map(|_| self.number.as_str()))?;
            Some(described(number, clearance.authority.clone(), uri))
        });
        let of_invoice = self.refers_to_cleared.as_deref().zip(self.refers_to.as_deref());
        // The rules of CII allow one description among all supporting documents (CII-SR-475).
        let is_described = own.as_ref().is_some_and(|own| own.description.is_some());
        let of_invoice = of_invoice.map(|(number, invoice)| {
            described(number, (!is_described).then(|| format!("Clearance of invoice {invoice}")), None)
        });
        own.into_iter().chain(of_invoice).collect()
    }

    /// Adds how and until when it is to be paid, or was.
    fn add_payment(&self, invoice: &mut Invoice) -> Result<(), NoEInvoice> {
        invoice.payment = Some(self.payment());
        match (&self.payment, &self.refers_to) {
            (Some(payment), _) => {
                invoice.due_date = Some(date(payment.due_on)?);
                // As the PDF, whatever kind of account it is.
                invoice.payment_terms =
                    (!payment.bank_lines.is_empty()).then(|| payment.bank_lines.join(", "));
            }
            // An amount due needs a date or terms (BR-CO-25 of CEN's rules up to 1.3.15, and of the French extended ones).
            (None, Some(invoiced)) if self.unpaid => {
                invoice.payment_terms =
                    Some(format!("Set off against invoice {invoiced}, which was not paid"));
            }
            _ => {}
        }
        Ok(())
    }

    fn payment(&self) -> PaymentInstructions {
        let account = self.payment.as_ref().and_then(|payment| BankAccount::read(&payment.bank_lines));
        // Of UNTDID 4461.
        let code = match (self.gateway, &account) {
            (_, Some(account)) if self.currency.code() == "EUR" && account.is_sepa() => "58",
            (_, Some(_)) => "30",
            // Online payment service: the provider knows whether it was a card.
            (Gateway::Stripe | Gateway::Mollie | Gateway::Razorpay | Gateway::Curlec, None) => "68",
            // Not defined: a credit transfer would have to name the account's number by itself (BR-61).
            (Gateway::External, None) => "1",
        };
        PaymentInstructions {
            means_code: Some(Code::new(code)),
            means_text: Some(self.gateway.name().to_owned()),
            remittance_information: self.payment.as_ref().map(|payment| payment.reference.clone()),
            means: account.map(|account| PaymentMeans::CreditTransfer(vec![credit_transfer(account)])),
        }
    }
}

impl Vat {
    /// False outside the scope of the tax, where the standard forbids them (BR-O-02).
    pub fn may_name_vat_ids(&self) -> bool {
        self.category != VatCategory::OutOfScope
    }
}

fn preceding(number: &str) -> PrecedingInvoice {
    PrecedingInvoice { reference: DocumentReference::new(number), issue_date: None }
}

/// An amount as BT-111 can state it, which has no third decimal.
fn two_decimals(major: Decimal) -> Decimal {
    major.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
}

pub(super) fn amount(major: Decimal) -> Result<InvoiceAmount, NoEInvoice> {
    InvoiceAmount::from_decimal_exact(major.normalize()).map_err(|_| NoEInvoice::Decimals)
}

fn date(day: NaiveDate) -> Result<Date, NoEInvoice> {
    Date::try_from(day).map_err(|error| NoEInvoice::Invalid(error.to_string()))
}

fn credit_transfer(account: BankAccount) -> CreditTransfer {
    CreditTransfer {
        account_identifier: Some(account.iban().to_owned()),
        account_name: account.holder,
        provider_identifier: account.bic,
    }
}
