//! Content of an invoice or a credit note. Pure: callers load the sale. A document holds everything that it shows, so that
//! nothing which changes later changes it.

use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use shared::gateway::Gateway;
use shared::gst::PlaceOfSupply;
use shared::ids::{CartId, OrganisationId, RefundId};
use shared::messages::{BillingAddress, Clearance, PaymentDue};
use shared::money::{Currency, Money};
use shared::region::Country;
use shared::service_code::ServiceCode;
use texts::{Language, Localizer};

use super::decimal;
use super::seller::Seller;
use super::tax::{Component, TaxTerms, by_component};
use super::vat_conversion::{Conversion, DayRate};

pub use shared::words::{DocumentKind as Kind, DocumentStatus as Status};

/// A paid cart, with what was refunded of it.
pub struct Sale {
    pub cart_id: CartId,
    pub organisation_id: OrganisationId,
    pub seller: Seller,
    pub email: String,
    /// The buyer's language.
    pub language: Language,
    /// The organisation's languages, the most important first.
    pub languages: Vec<Language>,
    pub billing_address: Option<BillingAddress>,
    /// Name of the order in the buyer's or the seller's own systems.
    pub reference: Option<String>,
    /// Day on which its prices and tax were fixed.
    pub placed_on: NaiveDate,
    /// Day on which the access began: on which it was paid, or placed on account. None while it waits for the payment.
    pub supplied_on: Option<NaiveDate>,
    /// Terms of payment, if it is on account and was not paid.
    pub payment: Option<PaymentDue>,
    /// Indicates whether an order on account was cancelled.
    pub is_cancelled: bool,
    /// Indicates whether a part of the total has arrived, and not all of it.
    pub is_partly_paid: bool,
    pub gateway: Gateway,
    /// Amount that the buyer was charged: the lines together.
    pub charged: Money,
    pub tax_terms: Option<TaxTerms>,
    pub conversion: Conversion,
    /// The code of the voucher, and what it took off, in minor units.
    pub voucher: Option<(String, i64)>,
    pub lines: Vec<SoldLine>,
    /// Those that the provider has accepted and that have not failed, in the order of their acceptance.
    pub refunds: Vec<SaleRefund>,
    /// The present day at the organisation.
    pub today: NaiveDate,
}

impl Sale {
    /// Takes the tax off the lines: the buyer declares it.
    pub fn remove_tax(&mut self) {
        for line in &mut self.lines {
            (line.total, line.tax) = (line.total - line.tax, 0);
        }
    }
}

/// A line of a cart; amounts are what the buyer was charged, without a tax that was refunded by itself, in minor units.
pub struct SoldLine {
    pub position: i32,
    pub name: String,
    pub mode: String,
    pub upgrade_from: Option<String>,
    /// None: a place for the buyer.
    pub seats: Option<i32>,
    /// Of the course or program. None: the seller's.
    pub service_code: Option<ServiceCode>,
    pub total: i64,
    pub tax: i64,
}

/// A refund, by lines.
pub struct SaleRefund {
    pub id: RefundId,
    /// In minor units. A refund of the provider's dashboard can exceed what its lines had left.
    pub amount: i64,
    /// Position, and amount in minor units.
    pub lines: Vec<(i32, i64)>,
}

/// A document. Amounts are in major units of its currency; those of a credit note are not negative either.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Content {
    pub kind: Kind,
    /// None until another program, which issues it under its own numbers, has reported it.
    pub number: Option<String>,
    /// The number of the invoice that a credit note takes back, in whole or in part.
    pub refers_to: Option<String>,
    /// The number under which an authority knows that invoice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refers_to_cleared: Option<String>,
    pub issued_on: NaiveDate,
    /// Day on which the access began: on which the buyer paid, or placed an order on account. None while it waits for the payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supplied_on: Option<NaiveDate>,
    pub cart_id: CartId,
    /// Name of the order in the buyer's or the seller's own systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Of an invoice on account: how it is to be paid. The others are paid when they are issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment: Option<PaymentDue>,
    /// True for an invoice on account, and for a credit note that cancels an unpaid one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpaid: bool,
    pub gateway: Gateway,
    pub currency: Currency,
    pub seller: Seller,
    pub buyer: DocumentBuyer,
    /// The place whose rate the order was taxed with. None if the order was placed before the organisation charged tax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax_country: Option<Country>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax_state: Option<String>,
    /// The same place, where the law of the seller's country has a name for it on documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place_of_supply: Option<PlaceOfSupply>,
    /// Set if the tax is the buyer's to declare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse_charge: Option<ReverseCharge>,
    pub lines: Vec<Line>,
    /// The sums by tax.
    pub taxes: Vec<TaxSum>,
    #[serde(with = "decimal")]
    pub net: Decimal,
    #[serde(with = "decimal")]
    pub tax: Decimal,
    #[serde(with = "decimal")]
    pub total: Decimal,
    /// The tax in the currency of the seller's state, where its law asks for it. A credit note has the rate of its invoice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub converted_tax: Option<ConvertedTax>,
    pub notes: Vec<String>,
    /// The reason why the rate is 0, which is one of the notes. Documents from before version 1.1 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exemption: Option<String>,
    /// The language in which it is printed.
    #[serde(default = "Language::english")]
    pub language: Language,
    /// Facts that an authority has added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clearance: Option<Clearance>,
    /// Total that another program has issued, which can differ from the storefront's.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "decimal::optional")]
    pub reported_total: Option<Decimal>,
}

/// Tax in another currency than the document's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConvertedTax {
    pub at: DayRate,
    #[serde(with = "decimal")]
    pub tax: Decimal,
}

/// Recipient of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DocumentBuyer {
    pub email: String,
    #[serde(flatten)]
    pub address: BillingAddress,
}

/// Evidence that the buyer declares the tax.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReverseCharge {
    /// As VIES writes it, without spaces.
    pub vat_id: String,
    /// The number under which VIES can prove that the VAT ID was valid.
    pub consultation_number: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The position in the cart.
    pub position: i32,
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_code: Option<ServiceCode>,
    pub quantity: u32,
    /// Net price of one of several (directive 2006/112/EC, article 226(8)), rounded to two digits more than the currency has.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "decimal::optional")]
    pub unit_price: Option<Decimal>,
    #[serde(with = "decimal")]
    pub net: Decimal,
    /// All taxes together, in percent.
    #[serde(with = "decimal")]
    pub rate: Decimal,
    #[serde(with = "decimal")]
    pub tax: Decimal,
    #[serde(with = "decimal")]
    pub total: Decimal,
}

/// One tax, over all lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaxSum {
    pub name: String,
    #[serde(with = "decimal")]
    pub rate: Decimal,
    /// Amount that is taxed.
    #[serde(with = "decimal")]
    pub net: Decimal,
    #[serde(with = "decimal")]
    pub tax: Decimal,
}

impl Content {
    /// The total in minor units.
    pub fn total_minor(&self) -> i64 {
        minor(self.total, self.currency)
    }

    /// Position, and total and tax in minor units, of each line.
    pub fn parts(&self) -> impl Iterator<Item = (i32, i64, i64)> {
        let currency = self.currency;
        self.lines
            .iter()
            .map(move |line| (line.position, minor(line.total, currency), minor(line.tax, currency)))
    }

    /// Sets the lines and their sums.
    pub fn set_lines(&mut self, lines: Vec<Item>, components: &[Component]) {
        let major = |minor: i64| Decimal::new(minor, self.currency.digits());
        let rate = components.iter().map(|component| component.rate).sum();
        let (mut total, mut tax, mut taxes) = (0, 0, vec![0; components.len()]);
        for line in &lines {
            (total, tax) = (total + line.total, tax + line.tax);
            taxes.iter_mut().zip(by_component(components, line.tax)).for_each(|(sum, part)| *sum += part);
        }
        let net = major(total - tax);
        let sum = |(component, tax): (&Component, i64)| TaxSum {
            name: component.name.clone(),
            rate: component.rate,
            net,
            tax: major(tax),
        };
        (self.net, self.tax, self.total) = (net, major(tax), major(total));
        self.converted_tax = self
            .converted_tax
            .take()
            .filter(|_| tax > 0)
            .map(|converted| ConvertedTax { tax: converted.at.convert(self.tax), ..converted });
        self.taxes = components.iter().zip(taxes).map(sum).collect();
        let line = |line: Item| Line {
            position: line.position,
            description: line.description,
            service_code: line.service_code,
            quantity: line.quantity,
            unit_price: unit_price(major(line.total - line.tax), line.quantity, self.currency),
            net: major(line.total - line.tax),
            rate,
            tax: major(line.tax),
            total: major(line.total),
        };
        self.lines = lines.into_iter().map(line).collect();
    }
}

/// A line to set; amounts are in minor units.
pub struct Item {
    pub position: i32,
    pub description: String,
    pub service_code: Option<ServiceCode>,
    pub quantity: u32,
    pub total: i64,
    pub tax: i64,
}

/// Net price of one of several, rounded to two digits more than the currency has. None for a line of one.
pub fn unit_price(net: Decimal, quantity: u32, currency: Currency) -> Option<Decimal> {
    let each = net.checked_div(quantity.into()).filter(|_| quantity > 1)?;
    Some(each.round_dp(currency.digits() + 2).normalize())
}

pub fn minor(major: Decimal, currency: Currency) -> i64 {
    Money::from_major(major, currency).map(Money::minor).unwrap_or_default()
}

/// The invoice of a sale, in the language of the texts.
pub fn invoice(sale: &Sale, texts: &Localizer<'_>, number: Option<String>, issued_on: NaiveDate) -> Content {
    let (currency, terms) = (sale.charged.currency(), sale.tax_terms.as_ref());
    let mut content = Content {
        kind: Kind::Invoice,
        number,
        refers_to: None,
        refers_to_cleared: None,
        issued_on,
        supplied_on: sale.supplied_on,
        cart_id: sale.cart_id,
        reference: sale.reference.clone(),
        payment: sale.payment.clone(),
        unpaid: sale.payment.is_some(),
        gateway: sale.gateway,
        currency,
        seller: sale.seller.clone(),
        buyer: DocumentBuyer {
            email: sale.email.clone(),
            address: sale.billing_address.clone().unwrap_or_default(),
        },
        tax_country: terms.map(|terms| terms.country),
        tax_state: terms.and_then(|terms| terms.state.clone()),
        place_of_supply: terms
            .and_then(|terms| PlaceOfSupply::of(sale.seller.country, terms.country, terms.state.as_deref())),
        reverse_charge: terms.and_then(TaxTerms::reverse_charge).map(|check| ReverseCharge {
            vat_id: check.vat_id.clone(),
            consultation_number: check.consultation_number.clone().unwrap_or_default(),
        }),
        lines: Vec::new(),
        taxes: Vec::new(),
        net: Decimal::ZERO,
        tax: Decimal::ZERO,
        total: Decimal::ZERO,
        converted_tax: match &sale.conversion {
            Conversion::At(rate) => Some(ConvertedTax { at: rate.clone(), tax: Decimal::ZERO }),
            Conversion::NotNeeded | Conversion::Missing => None,
        },
        notes: notes(sale, texts),
        exemption: terms.filter(|terms| terms.rate().is_zero()).and_then(|terms| terms.note.clone()),
        language: texts.language().clone(),
        clearance: None,
        reported_total: None,
    };
    let lines = sale.lines.iter().map(|line| Item {
        position: line.position,
        description: description(line, texts),
        service_code: line.service_code.as_ref().or(sale.seller.service_code.as_ref()).cloned(),
        quantity: line.seats.and_then(|seats| u32::try_from(seats).ok()).unwrap_or(1),
        total: line.total,
        tax: line.tax,
    });
    content.set_lines(lines.collect(), terms.map(|terms| terms.components.as_slice()).unwrap_or_default());
    content
}

fn description(line: &SoldLine, texts: &Localizer<'_>) -> String {
    let (item, mode) = (line.name.as_str().into(), texts.mode(&line.mode).into());
    match (&line.upgrade_from, line.seats) {
        (Some(from), _) => {
            let arguments = [("item", item), ("mode", mode), ("from", texts.mode(from).into())];
            texts.message("document-line-upgrade", &arguments)
        }
        (None, Some(_)) => texts.message("document-line-seats", &[("item", item), ("mode", mode)]),
        (None, None) => texts.message("document-line", &[("item", item), ("mode", mode)]),
    }
}

fn notes(sale: &Sale, texts: &Localizer<'_>) -> Vec<String> {
    let voucher = sale.voucher.as_ref().map(|(code, discount)| {
        let currency = sale.charged.currency();
        let amount = texts.money(Decimal::new(*discount, currency.digits()), currency.code());
        texts.message("document-voucher", &[("code", code.as_str().into()), ("amount", amount.into())])
    });
    let of_rate = sale.tax_terms.as_ref().and_then(|terms| terms.note.clone());
    [voucher, of_rate].into_iter().flatten().collect()
}
