//! A document in words, as it is printed.

use chrono::Datelike;
use rust_decimal::Decimal;
use shared::gst::PlaceOfSupply;
use shared::messages::Clearance;
use shared::money::Currency;
use shared::tax_id::TaxId;
use store::model::document::{Content, ConvertedTax, DocumentBuyer, Kind, Line, TaxSum, unit_price};
use store::model::seller::{Contact, Seller};
use store::model::vat_conversion::DayRate;
use texts::Localizer;

use super::codes;
use super::typesetter::{COLUMNS, PAGE_MARK, PAGES_MARK, Printed};

/// A document in the words of a language. `digest`: of one in a chain.
pub fn print(content: &Content, digest: Option<&str>, texts: &Localizer<'_>) -> Printed {
    let writer = Writer { texts, currency: content.currency };
    let is_invoice = content.kind == Kind::Invoice;
    let title = writer.word(if is_invoice { "invoice" } else { "credit-note" });
    let date = content.issued_on;
    let part = |number: u32| u8::try_from(number).unwrap_or(1);
    Printed {
        name: format!("{title} {}", content.number.as_deref().unwrap_or_default()),
        title,
        date: (u16::try_from(date.year()).unwrap_or_default(), part(date.month()), part(date.day())),
        seller: seller(&content.seller, texts),
        buyer: (writer.word("billed-to"), writer.buyer(&content.buyer)),
        facts: writer.facts(content),
        header: ["description", "quantity", "net", "rate", "tax", "total"].map(|column| writer.word(column)),
        rows: content.lines.iter().map(|line| writer.row(line)).collect(),
        sums: writer.sums(content),
        notes: writer.notes(content),
        codes: codes::codes(content, digest, texts),
        pages: texts.message("document-page", &[("page", PAGE_MARK.into()), ("pages", PAGES_MARK.into())]),
        language: texts.language().to_string(),
        symbol: writer.symbol(),
        currency: content.currency.code(),
    }
}

/// Writes the parts of a document.
struct Writer<'a> {
    texts: &'a Localizer<'a>,
    currency: Currency,
}

impl Writer<'_> {
    fn word(&self, key: &str) -> String {
        self.texts.message(&format!("document-{key}"), &[])
    }

    fn amount(&self, amount: Decimal) -> String {
        self.texts.amount(self.exact(amount), self.currency.code())
    }

    fn money(&self, amount: Decimal) -> String {
        self.texts.money(self.exact(amount), self.currency.code())
    }

    /// The currency as [`Self::money`] writes it.
    fn symbol(&self) -> String {
        let nothing = self.texts.money(Decimal::ZERO, self.currency.code());
        nothing.trim_matches(|letter: char| letter.is_numeric() || letter.is_whitespace()).to_owned()
    }

    /// With all digits of the currency, which JSON does not keep.
    fn exact(&self, mut amount: Decimal) -> Decimal {
        amount.rescale(self.currency.digits());
        amount
    }

    fn facts(&self, content: &Content) -> Vec<(String, String)> {
        let mut facts: Vec<(&str, String)> =
            content.number.clone().map(|number| ("number", number)).into_iter().collect();
        facts.extend(content.refers_to.clone().map(|invoice| ("for-invoice", invoice)));
        facts.push(("issued", self.texts.date(content.issued_on)));
        facts.extend(content.supplied_on.map(|day| ("supplied", self.texts.date(day))));
        facts.extend(content.place_of_supply.as_ref().map(|place| ("place-of-supply", self.place(place))));
        facts.push(("order", content.cart_id.to_string()));
        facts.extend(content.reference.clone().map(|reference| ("reference", reference)));
        match &content.payment {
            Some(payment) => facts.extend([
                ("due", self.texts.date(payment.due_on)),
                ("payment-reference", payment.reference.clone()),
            ]),
            None if content.unpaid => {}
            None => facts.push(("paid-through", self.gateway(content))),
        }
        let clearance = content.clearance.iter().flat_map(|clearance| self.clearance(clearance));
        facts.into_iter().map(|(label, value)| (self.word(label), value)).chain(clearance).collect()
    }

    /// The number of an authority under the name of its system, and the time of its clearance.
    fn clearance(&self, clearance: &Clearance) -> Vec<(String, String)> {
        let label = clearance.authority.clone().unwrap_or_else(|| self.word("cleared-number"));
        let number = clearance.number.clone().map(|number| (label, number));
        let at = clearance.at.map(|at| {
            let time = format!("{} {}", self.texts.date(at.date_naive()), self.texts.time(at));
            (self.word("cleared"), time)
        });
        number.into_iter().chain(at).collect()
    }

    fn gateway(&self, content: &Content) -> String {
        use shared::gateway::Gateway::{Curlec, External, Mollie, Razorpay, Stripe};
        match content.gateway {
            Stripe => "Stripe".to_owned(),
            Mollie => "Mollie".to_owned(),
            Razorpay => "Razorpay".to_owned(),
            Curlec => "Curlec".to_owned(),
            External => self.word("bank-transfer"),
        }
    }

    fn row(&self, line: &Line) -> [String; COLUMNS] {
        [
            self.description(line),
            self.texts.number(line.quantity.into()),
            self.amount(line.net),
            self.texts.percent(line.rate),
            self.amount(line.tax),
            self.amount(line.total),
        ]
    }

    /// The thing sold, its code, and the price of one of several.
    fn description(&self, line: &Line) -> String {
        // Older documents have none.
        let each = line.unit_price.or_else(|| unit_price(line.net, line.quantity, self.currency));
        let each = each.map(|mut each| {
            each.rescale(each.scale().max(self.currency.digits()));
            let price = self.texts.money(each, self.currency.code());
            self.texts.message("document-each", &[("price", price.into())])
        });
        let code = line.service_code.as_ref().map(ToString::to_string);
        let name = self.texts.isolated(&line.description);
        [Some(name), code, each].into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    /// Outside India, the country.
    fn place(&self, place: &PlaceOfSupply) -> String {
        let country = || self.texts.country(&place.country.to_string());
        place.state.as_ref().map_or_else(country, ToString::to_string)
    }

    fn sums(&self, content: &Content) -> Vec<(String, String)> {
        let tax = |tax: &TaxSum| {
            let arguments = [
                ("tax", tax.name.as_str().into()),
                ("rate", self.texts.percent(tax.rate).into()),
                ("net", self.amount(tax.net).into()),
            ];
            (self.texts.message("document-tax-of", &arguments), self.money(tax.tax))
        };
        let total = if content.kind == Kind::Invoice { "total" } else { "total-credited" };
        let net = (self.word("net"), self.money(content.net));
        let total = (self.word(total), self.money(content.total));
        [net].into_iter().chain(content.taxes.iter().map(tax)).chain([total]).collect()
    }

    fn notes(&self, content: &Content) -> Vec<String> {
        let reverse_charge = content.reverse_charge.as_ref().map(|_| self.word("reverse-charge"));
        let pay_to = content.payment.as_ref().map(|payment| {
            let lines = payment.bank_lines.iter().map(|line| self.texts.isolated(&unbroken(line)));
            let account = lines.collect::<Vec<_>>().join(", ");
            self.texts.message("document-pay-to", &[("account", account.into())])
        });
        let converted = content.converted_tax.as_ref().map(|converted| self.converted(converted));
        let own = [converted, pay_to, reverse_charge, content.seller.footer.clone()];
        content.notes.iter().cloned().chain(own.into_iter().flatten()).collect()
    }

    /// The tax in the currency of the seller's state, with the rate, its day and its publisher. By code: fonts can lack a symbol.
    fn converted(&self, converted: &ConvertedTax) -> String {
        let DayRate { currency, rate, day, source } = &converted.at;
        let (code, mut tax) = (currency.code(), converted.tax);
        tax.rescale(currency.digits());
        let arguments = [
            ("currency", code.into()),
            ("amount", self.texts.amount(tax, code).into()),
            ("base", self.currency.code().into()),
            ("rate", self.texts.amount(*rate, code).into()),
            ("day", self.texts.date(*day).into()),
            ("source", source.as_str().into()),
        ];
        self.texts.message("document-converted-tax", &arguments)
    }

    fn buyer(&self, buyer: &DocumentBuyer) -> Vec<String> {
        let address = &buyer.address;
        let joined = |parts: [Option<String>; 2], by: &str| {
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            (!parts.is_empty()).then(|| parts.join(by))
        };
        let country = address.country.map(|country| self.texts.country(&country.to_string()));
        let tax_id = |id: &TaxId| self.texts.message("document-tax-id", &[("number", id.as_str().into())]);
        let lines = [
            address.company.clone(),
            address.name.clone(),
            address.line1.clone(),
            address.line2.clone(),
            joined([address.postal_code.clone(), address.city.clone()], " "),
            joined([address.state.clone(), country], ", "),
            address.tax_id.as_ref().map(tax_id),
            Some(buyer.email.clone()),
        ];
        lines.into_iter().flatten().collect()
    }
}

/// A line in which groups of a number, such as those of an IBAN, stay together.
fn unbroken(line: &str) -> String {
    let is_number = |group: &str| group.chars().any(|character| character.is_numeric());
    let groups: Vec<&str> = line.split(' ').collect();
    let mut unbroken = String::with_capacity(line.len());
    for (index, group) in groups.iter().enumerate() {
        if let Some(before) = index.checked_sub(1).and_then(|before| groups.get(before)) {
            unbroken.push(if is_number(before) && is_number(group) { '\u{a0}' } else { ' ' });
        }
        unbroken.push_str(group);
    }
    unbroken
}

fn seller(seller: &Seller, texts: &Localizer<'_>) -> Vec<String> {
    let mut lines = Contact::from(seller).lines(texts.country(&seller.country.to_string()));
    lines.extend(seller.tax_ids.iter().map(|id| format!("{} {}", id.name, id.value)));
    lines.extend([seller.contact_name.clone(), seller.phone.clone()].into_iter().flatten());
    lines.extend(seller.email.as_ref().map(|email| email.as_str().to_owned()));
    lines
}

#[cfg(test)]
mod tests;
