//! Amounts that a credit note takes back of an invoice. Pure, as `content`.

use std::collections::HashMap;

use chrono::NaiveDate;
use rust_decimal::Decimal;
use store::model::allocate::allocate;
use store::model::document::{Content, Item, Kind, Sale, TaxSum};
use store::model::tax::{Component, of_part};

/// Amounts that the credit notes of an invoice have taken back: total and tax by position, in minor units.
#[derive(Default)]
pub struct Credited(HashMap<i32, (i64, i64)>);

impl Credited {
    pub fn of<'a>(notes: impl Iterator<Item = &'a Content>) -> Self {
        let mut credited = Self::default();
        for (position, total, tax) in notes.flat_map(|note| note.parts().collect::<Vec<_>>()) {
            let line = credited.0.entry(position).or_default();
            *line = (line.0 + total, line.1 + tax);
        }
        credited
    }

    pub fn total(&self) -> i64 {
        self.0.values().map(|(total, _)| total).sum()
    }

    fn tax(&self) -> i64 {
        self.0.values().map(|(_, tax)| tax).sum()
    }

    fn line(&self, position: i32) -> (i64, i64) {
        self.0.get(&position).copied().unwrap_or_default()
    }
}

/// Amounts that a credit note takes back, in minor units.
#[derive(Debug, PartialEq, Eq)]
pub struct Credit {
    /// Position, total and tax of each line.
    lines: Vec<(i32, i64, i64)>,
    /// Tax that the credit notes before it have taken back.
    tax_before: i64,
}

impl Credit {
    /// Takes an amount back from the lines of a refund, and from others where these have not as much left. The last credit of
    /// a line takes all that is left of its tax.
    pub fn new(invoice: &Content, credited: &Credited, amount: i64, refunded: &[(i32, i64)]) -> Self {
        let lines: Vec<(i32, i64, i64)> = invoice.parts().collect();
        let left: Vec<i64> =
            lines.iter().map(|(position, total, _)| total - credited.line(*position).0).collect();
        let wanted = |position: i32| {
            refunded.iter().filter(|(line, _)| *line == position).map(|(_, amount)| *amount).sum::<i64>()
        };
        let capacities: Vec<i64> =
            lines.iter().zip(&left).map(|((position, ..), left)| wanted(*position).min(*left)).collect();
        let mut shares = allocate(amount, &capacities);
        let rest: Vec<i64> = left.iter().zip(&shares).map(|(left, share)| left - share).collect();
        let more = allocate(amount - shares.iter().sum::<i64>(), &rest);
        shares.iter_mut().zip(more).for_each(|(share, more)| *share += more);
        let credit = lines.into_iter().zip(shares).filter(|(_, share)| *share > 0);
        let taxed = credit.map(|((position, total, tax), share)| {
            let before = credited.line(position);
            (position, share, of_part(tax, total, before.0 + share) - before.1)
        });
        Self { lines: taxed.collect(), tax_before: credited.tax() }
    }

    /// Takes a whole invoice back.
    pub fn all(invoice: &Content) -> Self {
        Self { lines: invoice.parts().collect(), tax_before: 0 }
    }
}

/// A credit note for an invoice.
pub fn credit_note(
    sale: &Sale,
    invoice: &Content,
    credit: &Credit,
    number: Option<String>,
    issued_on: NaiveDate,
) -> Content {
    let cleared = invoice.clearance.as_ref().and_then(|clearance| clearance.number.clone());
    let mut content = Content {
        kind: Kind::CreditNote,
        number,
        refers_to: invoice.number.clone(),
        refers_to_cleared: cleared,
        clearance: None,
        reported_total: None,
        issued_on,
        seller: sale.seller.clone(),
        notes: Vec::new(),
        payment: None,
        unpaid: sale.payment.is_some(),
        ..invoice.clone()
    };
    let invoiced = |position: i32| {
        let line = invoice.lines.iter().find(|line| line.position == position);
        line.map(|line| (line.description.clone(), line.service_code.clone())).unwrap_or_default()
    };
    let lines = credit.lines.iter().map(|(position, total, tax)| (invoiced(*position), position, total, tax));
    let lines = lines.map(|((description, service_code), position, total, tax)| Item {
        position: *position,
        description,
        service_code,
        // A refund may be of any part of a line.
        quantity: 1,
        total: *total,
        tax: *tax,
    });
    let component = |sum: &TaxSum| Component { name: sum.name.clone(), rate: sum.rate };
    let components: Vec<Component> = invoice.taxes.iter().map(component).collect();
    content.set_lines(lines.collect(), &components);
    if let Some(converted) = &mut content.converted_tax {
        // So that the credit notes of an invoice add up to it in this currency, too.
        let before = Decimal::new(credit.tax_before, content.currency.digits());
        converted.tax = converted.at.convert(before + content.tax) - converted.at.convert(before);
    }
    content
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shared::e_invoice::{EInvoice, NoEInvoice};
    use shared::gateway::Gateway;
    use shared::ids::{CartId, OrganisationId};
    use shared::money::Money;
    use uuid::Uuid;

    use super::*;
    use store::model::document::{Line, SoldLine, invoice, minor};
    use store::model::tax::{Evidence, TaxTerms};
    use store::model::vat_conversion::{Conversion, DayRate};
    use texts::{Language, Texts};

    use crate::documents::localizer;

    fn sale(lines: &[i64], rates: &[i64], is_included: bool, currency: &str, charged_percent: i64) -> Sale {
        let component = |rate: &i64| Component { name: format!("T{rate}"), rate: Decimal::new(*rate, 2) };
        let terms = TaxTerms {
            is_included,
            country: "DE".parse().unwrap(),
            state: None,
            components: rates.iter().map(component).collect(),
            note: None,
            evidence: Evidence::default(),
            vat_check: None,
            refunded: None,
        };
        let line = |(position, price): (usize, &i64)| {
            let tax = terms.of(*price);
            let total = price + if is_included { 0 } else { tax };
            let charged = total * charged_percent / 100;
            SoldLine {
                position: i32::try_from(position).unwrap(),
                name: "Rust".into(),
                mode: "verified".into(),
                upgrade_from: None,
                seats: None,
                service_code: None,
                total: charged,
                tax: of_part(tax, total, charged),
            }
        };
        let lines: Vec<SoldLine> = lines.iter().enumerate().map(line).collect();
        let total: i64 = lines.iter().map(|line| line.total).sum();
        let seller = serde_json::json!({
            "legal_name": "A", "line1": "B", "city": "C", "postal_code": "D", "country": "DE", "invoice_prefix": "I",
            "credit_note_prefix": "C", "time_zone": "UTC", "tax_ids": [{ "name": "VAT ID", "value": "DE123456789" }],
        });
        Sale {
            cart_id: CartId(Uuid::nil()),
            organisation_id: OrganisationId(Uuid::nil()),
            seller: serde_json::from_value(seller).unwrap(),
            email: "ada@example.com".into(),
            language: Language::english(),
            languages: Vec::new(),
            billing_address: None,
            reference: None,
            placed_on: day(),
            supplied_on: Some(day()),
            payment: None,
            is_cancelled: false,
            is_partly_paid: false,
            gateway: Gateway::Stripe,
            charged: Money::from_minor(total, currency.parse().unwrap()).unwrap(),
            tax_terms: Some(terms),
            conversion: Conversion::NotNeeded,
            voucher: None,
            lines,
            refunds: Vec::new(),
            today: day(),
        }
    }

    fn day() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 1, 1).unwrap()
    }

    /// Returns whether the lines, the taxes and the sums of a document agree.
    fn adds_up(content: &Content) -> bool {
        let sum = |of: fn(&Line) -> Decimal| content.lines.iter().map(of).sum::<Decimal>();
        let taxes: Decimal = content.taxes.iter().map(|tax| tax.tax).sum();
        let is_positive = |line: &Line| line.net >= Decimal::ZERO && line.tax >= Decimal::ZERO;
        (sum(|line| line.net), sum(|line| line.tax), sum(|line| line.total))
            == (content.net, content.tax, content.total)
            && content.net + content.tax == content.total
            && taxes == content.tax
            && content.lines.iter().all(is_positive)
    }

    /// Returns whether a document has a form in EN 16931, or may have none: three decimals are too many for it, a tax that was
    /// rounded to whole units may be too far from that of the net amount, and CEN's rules take a rate below 0.5 % for 0.
    fn is_e_invoice(content: &Content) -> bool {
        let rate: Decimal = content.taxes.iter().map(|tax| tax.rate).sum();
        match EInvoice::of(&serde_json::to_value(content).unwrap()) {
            Ok(_) => true,
            Err(NoEInvoice::Decimals) => content.currency.digits() == 3,
            Err(no) => {
                let is_rough = content.currency.digits() == 0 || rate < Decimal::new(5, 1);
                is_rough && no.to_string().contains("BR-CO-17")
            }
        }
    }

    proptest! {
        #[test]
        fn credit_notes_take_back_the_invoice_to_the_minor_unit(
            lines in prop::collection::vec(0_i64..100_000, 1..5), rates in prop::collection::vec(1_i64..3_000, 1..=3),
            is_included: bool, currency in prop::sample::select(vec!["JPY", "USD", "KWD"]), charged in 60_i64..=130,
            parts in prop::collection::vec((0_usize..5, 1_i64..100), 1..8), kronor in 1_i64..2_000_000,
        ) {
            let at = DayRate { currency: "SEK".parse().unwrap(), rate: Decimal::new(kronor, 5), day: day(), source: "ECB".into() };
            let sale = Sale { conversion: Conversion::At(at), ..sale(&lines, &rates, is_included, currency, charged) };
            let texts = Texts::bundled().unwrap();
            let invoice = invoice(&sale, &localizer(&texts, &sale), Some("I26-000001".into()), day());
            prop_assert!(adds_up(&invoice));
            prop_assert_eq!(invoice.total_minor(), sale.charged.minor());
            let taxes: i64 = sale.lines.iter().map(|line| line.tax).sum();
            prop_assert_eq!(minor(invoice.tax, invoice.currency), taxes);
            // What is written is what is read again.
            let written = serde_json::to_value(&invoice).unwrap();
            prop_assert_eq!(&serde_json::from_value::<Content>(written).unwrap(), &invoice);
            prop_assert!(is_e_invoice(&invoice));
            let mut notes: Vec<Content> = Vec::new();
            let last = (0, 100);
            for (line, percent) in parts.into_iter().chain([last]) {
                let credited = Credited::of(notes.iter());
                let left = invoice.total_minor() - credited.total();
                let amount = if (line, percent) == last { left } else { left * percent / 100 };
                let credit = Credit::new(&invoice, &credited, amount, &[(i32::try_from(line).unwrap(), amount)]);
                let note = credit_note(&sale, &invoice, &credit, Some("C26-000001".into()), day());
                prop_assert!(adds_up(&note));
                prop_assert_eq!(note.total_minor(), amount);
                // No refund is of nothing.
                prop_assert!(amount == 0 || is_e_invoice(&note));
                notes.push(note);
            }
            let sum = |of: fn(&Content) -> Decimal| notes.iter().map(of).sum::<Decimal>();
            prop_assert_eq!(
                (sum(|note| note.net), sum(|note| note.tax), sum(|note| note.total)),
                (invoice.net, invoice.tax, invoice.total)
            );
            let converted = |content: &Content| content.converted_tax.as_ref().map_or(Decimal::ZERO, |tax| tax.tax);
            prop_assert_eq!(notes.iter().map(converted).sum::<Decimal>(), converted(&invoice));
            let credited = Credited::of(notes.iter());
            for (position, total, tax) in invoice.parts() {
                prop_assert_eq!(credited.line(position), (total, tax));
            }
        }
    }
}
