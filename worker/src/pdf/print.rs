//! A document in words, as it is printed.

use chrono::Datelike;
use rust_decimal::Decimal;
use shared::messages::Clearance;
use shared::money::Currency;
use shared::tax_id::TaxId;
use store::model::document::{Content, DocumentBuyer, Kind, Line, TaxSum};
use store::model::seller::Seller;
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

    /// The thing sold, and the price of one of several (directive 2006/112/EC, article 226(8)).
    fn description(&self, line: &Line) -> String {
        let name = self.texts.isolated(&line.description);
        let each = line.net.checked_div(line.quantity.into()).filter(|_| line.quantity > 1);
        let Some(each) = each else { return name };
        let mut each = each.round_dp(self.currency.digits() + 2).normalize();
        each.rescale(each.scale().max(self.currency.digits()));
        let price = self.texts.money(each, self.currency.code());
        format!("{name}\n{}", self.texts.message("document-each", &[("price", price.into())]))
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
        let own = [pay_to, reverse_charge, content.seller.footer.clone()];
        content.notes.iter().cloned().chain(own.into_iter().flatten()).collect()
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
    let Seller { legal_name, line1, line2, city, postal_code, state, country, .. } = seller;
    let mut lines = vec![legal_name.clone(), line1.clone()];
    lines.extend(line2.clone());
    lines.push(format!("{postal_code} {city}"));
    let country = texts.country(&country.to_string());
    lines.push(state.iter().cloned().chain([country]).collect::<Vec<_>>().join(", "));
    lines.extend(seller.tax_ids.iter().map(|id| format!("{} {}", id.name, id.value)));
    lines.extend(seller.email.as_ref().map(|email| email.as_str().to_owned()));
    lines
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;
    use shared::e_invoice::{EInvoice, Syntax};
    use shared::messages::PaymentDue;
    use store::model::document::ReverseCharge;
    use texts::{Language, Texts};

    use super::*;
    use crate::pdf::typesetter::{RIGHT, Typesetter};
    use crate::pdf::{Fonts, render};

    fn content(kind: &str) -> Content {
        let content = json!({
            "kind": kind, "number": "LA26-000017", "refers_to": (kind == "credit_note").then_some("LA26-000003"),
            "issued_on": "2026-11-24", "supplied_on": "2026-11-23", "cart_id": "01a217ef-3ac7-7407-8b32-7e6cb0a061f6",
            "reference": "PO-2026-0117",
            "gateway": "mollie", "currency": "EUR",
            "seller": {
                "legal_name": "Lindgren Akademi AB", "line1": "Storgatan 1", "city": "Stockholm", "postal_code": "111 22",
                "country": "SE", "invoice_prefix": "LA", "credit_note_prefix": "LC", "time_zone": "Europe/Stockholm",
                "tax_ids": [{ "name": "VAT", "value": "SE556677889901" }], "footer": "Godkänd för F-skatt.",
            },
            "buyer": {
                "email": "ada@example.com", "company": "Example GmbH", "name": "Ada Example", "line1": "Hauptstraße 7",
                "postal_code": "10115", "city": "Berlin", "country": "DE", "tax_id": "DE123456789",
            },
            "lines": [
                { "position": 0, "description": "Möbelsnickeri", "quantity": 1, "net": "1600", "rate": "25", "tax": "400", "total": "2000" },
                { "position": 1, "description": "Keramik", "quantity": 12, "net": "9.60", "rate": "25", "tax": "2.40", "total": "12" },
            ],
            "taxes": [{ "name": "Moms", "rate": "25", "net": "1609.60", "tax": "402.40" }],
            "net": "1609.60", "tax": "402.40", "total": "2012", "notes": [],
        });
        serde_json::from_value(content).unwrap()
    }

    /// What an authority may add, in the lengths of KSeF's.
    fn clearance() -> Clearance {
        let qr = "https://ksef-test.mf.gov.pl/client-app/invoice/5265877635/24-11-2026/UtQp9Gpc51y-u3xApZjIjgkpZ01js-J8KflSPW8WzIE";
        Clearance {
            authority: None,
            number: Some("5265877635-20261124-0100001AF629-AF".into()),
            at: Some("2026-11-24T10:20:30+01:00".parse().unwrap()),
            qr: Some(qr.into()),
        }
    }

    /// Returns what a reader sees, from top to bottom.
    fn read(printed: &Printed) -> String {
        let pairs = |pairs: &[(String, String)]| {
            pairs.iter().map(|(label, value)| format!("{label}: {value}")).collect()
        };
        let rows = printed.rows.iter().map(|row| row.join(" | ")).collect();
        let blocks: [Vec<String>; 7] = [
            vec![printed.title.clone()],
            printed.seller.clone(),
            [printed.buyer.0.clone()].into_iter().chain(printed.buyer.1.clone()).collect(),
            pairs(&printed.facts),
            [vec![printed.header.join(" | ")], rows].concat(),
            pairs(&printed.sums),
            printed.notes.iter().chain(printed.codes.iter().map(|(_, caption)| caption)).cloned().collect(),
        ];
        let foot = printed.pages.replace(PAGE_MARK, "1").replace(PAGES_MARK, "2");
        format!("{}\n\n{foot}\n", blocks.map(|lines| lines.join("\n")).join("\n\n"))
    }

    /// Asserts that no text leaves the page, or covers another one of its column.
    fn assert_places(printed: &Printed, fonts: &Fonts) {
        let pieces = Typesetter::typeset(printed, fonts).pieces;
        for piece in &pieces {
            assert!(piece.at.0 + piece.layout.width() <= RIGHT + 0.5, "{} is too wide", piece.text);
            let below = pieces.iter().filter(|other| other.page == piece.page && other.at.0 == piece.at.0);
            for other in below.filter(|other| other.at.1 > piece.at.1) {
                let end = piece.at.1 + piece.layout.height();
                assert!(end <= other.at.1 + 0.5, "{} covers {}", piece.text, other.text);
            }
        }
    }

    #[test]
    fn a_currency_whose_symbol_no_font_has_is_named_by_its_code() {
        let (texts, fonts) = (Texts::bundled().unwrap(), Fonts::read(&[]).unwrap());
        let shown = |tag: &str, code: &str| {
            let content = Content {
                currency: code.parse().unwrap(),
                notes: vec![texts.localizer(&tag.parse().unwrap(), &[]).money(Decimal::TEN, code)],
                ..content("invoice")
            };
            let printed = print(&content, None, &texts.localizer(&tag.parse().unwrap(), &[]));
            let pieces = Typesetter::typeset(&printed, &fonts).pieces;
            pieces.into_iter().map(|piece| piece.text).collect::<Vec<_>>()
        };
        for (tag, code, total, note) in [
            ("de", "THB", "2.012,00\u{a0}THB", "10\u{a0}THB"),
            ("es", "THB", "2012,00\u{a0}THB", "10\u{a0}THB"),
            ("pt-BR", "THB", "THB\u{a0}2.012,00", "THB\u{a0}10"),
            ("en", "GEL", "GEL\u{a0}2,012.00", "GEL\u{a0}10"),
            ("de", "EUR", "2.012,00\u{a0}€", "10\u{a0}€"),
        ] {
            let pieces = shown(tag, code);
            for said in [total, note] {
                assert!(
                    pieces.iter().any(|piece| piece == said),
                    "{tag} {code}: {said:?} is not in {pieces:?}"
                );
            }
        }
        let languages = ["de", "en", "es", "fr", "hi", "ms", "pt-BR", "sv"];
        for (tag, code) in languages.into_iter().zip(["AMD", "BDT", "KHR", "LAK", "ILS", "VND", "NGN", "KZT"])
        {
            let pieces = shown(tag, code);
            assert!(pieces.iter().all(|piece| !piece.contains('\u{fffd}')), "{tag} {code}: {pieces:?}");
        }
    }

    #[test]
    fn no_number_and_no_id_breaks_however_long_it_is() {
        let (texts, fonts) = (Texts::bundled().unwrap(), Fonts::read(&[]).unwrap());
        for (code, total) in [("ARS", "1020000.79"), ("IDR", "987654321012.34"), ("KWD", "12345678.125")] {
            let mut content = content("invoice");
            content.currency = code.parse().unwrap();
            let amount: Decimal = total.parse().unwrap();
            for line in &mut content.lines {
                (line.net, line.tax, line.total) = (amount, amount, amount);
            }
            (content.net, content.tax, content.total) = (amount, amount, amount);
            for language in ["es", "de", "en", "hi"] {
                let localizer = texts.localizer(&language.parse().unwrap(), &[]);
                let printed = print(&content, None, &localizer);
                assert_places(&printed, &fonts);
                for piece in Typesetter::typeset(&printed, &fonts).pieces {
                    let (text, lines) = (&piece.text, piece.layout.lines());
                    let ends = lines.map(|line| line.text_range().end).filter(|end| *end < text.len());
                    let is_between = |end: usize| text[..end].ends_with([' ', '\n']);
                    assert!(ends.into_iter().all(is_between), "{code} in {language}: {text} breaks");
                }
            }
        }
    }

    /// The bundled fonts lack its letters, and have no need of the marks around them.
    #[test]
    fn a_name_in_another_direction_is_isolated_without_a_trace() {
        let (texts, fonts) = (Texts::bundled().unwrap(), Fonts::read(&[]).unwrap());
        let mut content = content("invoice");
        content.lines[0].description = "שלום".to_owned();
        let printed = print(&content, None, &texts.localizer(&"en".parse().unwrap(), &[]));
        assert_eq!(printed.rows[0][0], "\u{2068}שלום\u{2069}");
        let pieces = Typesetter::typeset(&printed, &fonts).pieces;
        assert!(pieces.iter().any(|piece| piece.text == "\u{2068}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{2069}"));
        assert_eq!(printed.rows[1][0].lines().next(), Some("Keramik"));
    }

    #[test]
    fn groups_of_a_number_stay_together() {
        assert_eq!(unbroken("IBAN SE45 5000 0000"), "IBAN SE45\u{a0}5000\u{a0}0000");
        assert_eq!(unbroken("Lindgren Akademi AB"), "Lindgren Akademi AB");
    }

    /// Keeps a document in the folder `DOCUMENT_SAMPLES`, if there is one, for people and other programs to look at.
    fn sample(name: &str, pdf: Vec<u8>) {
        if let Some(folder) = std::env::var_os("DOCUMENT_SAMPLES") {
            std::fs::write(Path::new(&folder).join(format!("{name}.pdf")), pdf).unwrap();
        }
    }

    #[test]
    fn documents_read_in_each_language_as_they_were_reviewed() {
        let (texts, fonts) = (Texts::bundled().unwrap(), Fonts::read(&[]).unwrap());
        let mut languages: Vec<&Language> = texts.languages().collect();
        languages.sort_by_key(|language| language.to_string());
        for language in languages.into_iter().filter(|language| language.direction() == "ltr") {
            let localizer = texts.localizer(language, &[]);
            let mut all = String::new();
            for kind in ["invoice", "credit_note"] {
                let content = content(kind);
                let printed = print(&content, None, &localizer);
                all.push_str(&format!("{}----\n\n", read(&printed)));
                let pieces = Typesetter::typeset(&printed, &fonts).pieces;
                assert!(
                    pieces.iter().all(|piece| !piece.text.contains('\u{fffd}')),
                    "{language}: a letter without a font"
                );
                let e_invoice = EInvoice::of(&serde_json::to_value(&content).unwrap()).unwrap();
                let pdf = render::render(&printed, Some(&e_invoice.write(Syntax::Cii)), &fonts).unwrap();
                sample(&format!("{kind}-{language}"), pdf);
            }
            let due = PaymentDue {
                due_on: "2026-12-24".parse().unwrap(),
                reference: "RF18539007547034".into(),
                bank_lines: vec!["Lindgren Akademi AB".into(), "IBAN SE4550000000058398257466".into()],
                open: None,
            };
            let on_account = Content { payment: Some(due), unpaid: true, ..content("invoice") };
            let printed = print(&on_account, None, &localizer);
            all.push_str(&format!("{}----\n\n", read(&printed)));
            assert_places(&printed, &fonts);
            sample(&format!("on-account-{language}"), render::render(&printed, None, &fonts).unwrap());
            let mut cleared = Content { clearance: Some(clearance()), ..content("invoice") };
            cleared.seller.qr_url = Some("https://lindgren.example/check?document={number}".into());
            let printed = print(&cleared, None, &localizer);
            all.push_str(&format!("{}----\n\n", read(&printed)));
            assert_places(&printed, &fonts);
            sample(&format!("cleared-{language}"), render::render(&printed, None, &fonts).unwrap());
            let evidence =
                ReverseCharge { vat_id: "DE123456789".into(), consultation_number: "WAPIAAAA1".into() };
            let reverse_charge = Content { reverse_charge: Some(evidence), ..content("invoice") };
            all.push_str(&format!("----\n\n{}\n", print(&reverse_charge, None, &localizer).notes.join("\n")));
            insta::assert_snapshot!(format!("documents_{language}"), all);
        }
    }
}
