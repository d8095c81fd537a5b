//! What documents say, and where it is on the page.

use std::path::Path;

use serde_json::json;
use shared::e_invoice::{EInvoice, Syntax};
use shared::messages::PaymentDue;
use shared::region::Country;
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
            "contact_name": "Ekonomi", "phone": "+46 8 123 456", "email": "ekonomi@lindgren.example",
        },
        "buyer": {
            "email": "ada@example.com", "company": "Example GmbH", "name": "Ada Example", "line1": "Hauptstraße 7",
            "postal_code": "10115", "city": "Berlin", "country": "DE", "tax_id": "DE123456789",
        },
        "lines": [
            { "position": 0, "description": "Möbelsnickeri", "quantity": 1, "net": "1600", "rate": "25", "tax": "400", "total": "2000" },
            { "position": 1, "description": "Keramik", "quantity": 12, "unit_price": "0.8",
              "service_code": { "scheme": "CPV", "code": "80530000-8" }, "net": "9.60", "rate": "25", "tax": "2.40", "total": "12" },
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

fn india() -> Country {
    "IN".parse().unwrap()
}

/// Returns what a reader sees, from top to bottom.
fn read(printed: &Printed) -> String {
    let pairs =
        |pairs: &[(String, String)]| pairs.iter().map(|(label, value)| format!("{label}: {value}")).collect();
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
            assert!(pieces.iter().any(|piece| piece == said), "{tag} {code}: {said:?} is not in {pieces:?}");
        }
    }
    let languages = ["de", "en", "es", "fr", "hi", "ms", "pt-BR", "sv"];
    for (tag, code) in languages.into_iter().zip(["AMD", "BDT", "KHR", "LAK", "ILS", "VND", "NGN", "KZT"]) {
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
        let converted = json!({ "tax": "4435.86", "at": { "currency": "SEK", "rate": "11.0235", "day": "2026-11-20",
            "source": "Riksbanken" } });
        let mut cleared = Content {
            clearance: Some(clearance()),
            converted_tax: Some(serde_json::from_value(converted.clone()).unwrap()),
            place_of_supply: PlaceOfSupply::of(india(), india(), Some("IN-KA")),
            ..content("invoice")
        };
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
