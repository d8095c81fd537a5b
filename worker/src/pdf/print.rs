//! A document in words, as it is printed.

use chrono::Datelike;
use rust_decimal::Decimal;
use shared::money::Currency;
use store::model::document::{Content, DocumentBuyer, Kind, Line};
use store::model::seller::Seller;

use super::typesetter::{COLUMNS, Printed};

/// The texts of a document.
pub fn print(content: &Content) -> Printed {
    let kind = match content.kind {
        Kind::Invoice => "Invoice",
        Kind::CreditNote => "Credit note",
    };
    let currency = content.currency;
    let mut facts = vec![("Number", content.number.clone())];
    facts.extend(content.refers_to.clone().map(|invoice| ("For invoice", invoice)));
    facts.push(("Date of issue", content.issued_on.to_string()));
    facts.push(("Date of supply", content.supplied_on.to_string()));
    facts.push(("Order", content.cart_id.to_string()));
    facts.push(("Paid through", gateway(content)));
    let mut sums = vec![("Net".to_owned(), amount(content.net, currency))];
    sums.extend(content.taxes.iter().map(|tax| {
        let of = format!("{} {} of {}", tax.name, percent(tax.rate), plain(tax.net, currency));
        (of, amount(tax.tax, currency))
    }));
    let total = if content.kind == Kind::Invoice { "Total" } else { "Total credited" };
    sums.push((total.to_owned(), amount(content.total, currency)));
    let date = content.issued_on;
    let part = |number: u32| u8::try_from(number).unwrap_or(1);
    Printed {
        title: kind.to_owned(),
        name: format!("{kind} {}", content.number),
        date: (u16::try_from(date.year()).unwrap_or_default(), part(date.month()), part(date.day())),
        seller: seller(&content.seller),
        buyer: ("Billed to".to_owned(), buyer(&content.buyer)),
        facts: facts.into_iter().map(|(label, value)| (label.to_owned(), value)).collect(),
        header: ["Description", "Quantity", "Net", "Rate", "Tax", "Total"],
        rows: content.lines.iter().map(|line| row(line, currency)).collect(),
        sums,
        notes: content.notes.iter().chain(&content.seller.footer).cloned().collect(),
    }
}

fn row(line: &Line, currency: Currency) -> [String; COLUMNS] {
    [
        line.description.clone(),
        line.quantity.to_string(),
        plain(line.net, currency),
        percent(line.rate),
        plain(line.tax, currency),
        plain(line.total, currency),
    ]
}

fn seller(seller: &Seller) -> Vec<String> {
    let Seller { legal_name, line1, line2, city, postal_code, state, country, .. } = seller;
    let mut lines = vec![legal_name.clone(), line1.clone()];
    lines.extend(line2.clone());
    lines.push(format!("{postal_code} {city}"));
    lines.push(state.iter().cloned().chain([country.to_string()]).collect::<Vec<_>>().join(", "));
    lines.extend(seller.tax_ids.iter().map(|id| format!("{} {}", id.name, id.value)));
    lines
}

fn buyer(buyer: &DocumentBuyer) -> Vec<String> {
    let address = &buyer.address;
    let joined = |parts: [Option<String>; 2], by: &str| {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(by))
    };
    let country = address.country.map(|country| country.to_string());
    let lines = [
        address.company.clone(),
        address.name.clone(),
        address.line1.clone(),
        address.line2.clone(),
        joined([address.postal_code.clone(), address.city.clone()], " "),
        joined([address.state.clone(), country], ", "),
        address.tax_id.as_ref().map(|id| format!("Tax ID {id}")),
        Some(buyer.email.clone()),
    ];
    lines.into_iter().flatten().collect()
}

fn gateway(content: &Content) -> String {
    use shared::gateway::Gateway::{Curlec, Mollie, Razorpay, Stripe};
    match content.gateway {
        Stripe => "Stripe",
        Mollie => "Mollie",
        Razorpay => "Razorpay",
        Curlec => "Curlec",
    }
    .to_owned()
}

/// With all digits of the currency.
fn plain(amount: Decimal, currency: Currency) -> String {
    format!("{amount:.digits$}", digits = currency.digits() as usize)
}

fn amount(value: Decimal, currency: Currency) -> String {
    format!("{} {currency}", plain(value, currency))
}

fn percent(rate: Decimal) -> String {
    format!("{} %", rate.normalize())
}
