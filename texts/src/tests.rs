//! Every language is complete, and numbers, money and dates read as CLDR says. The expected amounts and dates were written
//! by ICU4C (`Intl` of Node.js, CLDR 48), which shares only the data with ICU4X.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono::{NaiveDate, NaiveDateTime};

use crate::files::{BUNDLED, CONSOLE, Texts};
use crate::language::Language;
use crate::localizer::{Localizer, Value};
use crate::messages::{Messages, TextsError, arguments, parse};

fn language(tag: &str) -> Language {
    tag.parse().unwrap()
}

#[test]
fn every_language_has_each_message_of_english_with_the_same_arguments() {
    for (bundled, part) in [(BUNDLED, "messages"), (CONSOLE, "messages/console")] {
        let messages = |source: &str| arguments(&parse(part, source.to_owned()).unwrap());
        let english = messages(bundled[0].1);
        assert!(bundled[0].0 == "en" && english.len() > 80);
        for (tag, source) in &bundled[1..] {
            let messages = messages(source);
            for (key, arguments) in &english {
                let translated = messages.get(key).unwrap_or_else(|| panic!("{part}/{tag}.ftl lacks {key}"));
                assert_eq!(translated.names, arguments.names, "{part}/{tag}.ftl: {key}");
            }
            assert_eq!(messages.len(), english.len(), "{part}/{tag}.ftl");
        }
    }
}

#[test]
fn every_message_of_every_language_can_be_written() {
    let texts = Texts::bundled().unwrap();
    for (tag, source) in BUNDLED {
        can_be_written(&texts.localizer(&language(tag), &[]), tag, source);
    }
    for (tag, source) in CONSOLE {
        can_be_written(&texts.console(&[language(tag)]), tag, source);
    }
}

fn can_be_written(localizer: &Localizer<'_>, tag: &str, source: &str) {
    for (key, of) in arguments(&parse(tag, source.to_owned()).unwrap()) {
        for number in [0, 1, 2, 3, 11, 100] {
            let value = |name: &String| match name.as_str() {
                "seats" | "left" | "used" | "n" | "count" | "sections" | "lessons" => Value::from(number),
                _ => Value::from("value"),
            };
            let values: Vec<(&str, Value<'_>)> =
                of.names.iter().map(|name| (name.as_str(), value(name))).collect();
            let written = localizer.message(&key, &values);
            assert!(!written.is_empty() && written != key, "{tag}: {key}");
            assert!(!written.contains(['{', '}', '$']), "{tag}: {key}: {written}");
        }
    }
}

#[test]
fn money_reads_as_cldr_writes_it() {
    let texts = Texts::bundled().unwrap();
    for (tag, currency, amount, expected) in [
        ("en", "USD", "1234567.50", "$1,234,567.50"),
        ("de", "EUR", "1234567.50", "1.234.567,50\u{a0}€"),
        ("de-CH", "CHF", "1234.50", "CHF\u{a0}1'234.50"),
        ("fr", "EUR", "1234567.50", "1\u{202f}234\u{202f}567,50\u{a0}€"),
        ("fr-CA", "CAD", "1234.50", "1\u{a0}234,50\u{a0}$"),
        ("es", "EUR", "1234.50", "1234,50\u{a0}€"),
        ("es-MX", "MXN", "1234567.50", "$1,234,567.50"),
        ("pt-BR", "BRL", "1234567.50", "R$\u{a0}1.234.567,50"),
        ("sv", "SEK", "1234567.50", "1\u{a0}234\u{a0}567,50\u{a0}kr"),
        ("hi", "INR", "1234567.50", "₹12,34,567.50"),
        ("en-IN", "INR", "1234567.50", "₹12,34,567.50"),
        ("ms", "MYR", "1234567.50", "RM\u{a0}1,234,567.50"),
        ("ar", "EUR", "1234567.50", "\u{200f}1,234,567.50\u{a0}€"),
        // A mark of ours keeps the sign at the letters.
        ("ar", "USD", "199.00", "\u{200f}199.00\u{a0}US$\u{200e}"),
        ("ar", "CHF", "199.00", "\u{200f}199.00\u{a0}CHF"),
        ("ar-SA", "SAR", "1234.50", "\u{200f}١٬٢٣٤٫٥٠\u{a0}ر.س.\u{200f}"),
        ("en", "JPY", "1235", "¥1,235"),
        // The locales with separators of their own for money, as CLDR 48 has them.
        ("de-AT", "EUR", "1499.50", "€\u{a0}1.499,50"),
        ("de-AT", "CHF", "1234567.50", "CHF\u{a0}1.234.567,50"),
        ("fr-CH", "CHF", "1499.50", "1'499.50\u{a0}CHF"),
        ("fr-CH", "EUR", "1234567.50", "1'234'567.50\u{a0}€"),
    ] {
        let localizer = texts.localizer(&language(tag), &[]);
        assert_eq!(localizer.money(amount.parse().unwrap(), currency), expected, "{tag} {currency}");
    }
}

#[test]
fn an_amount_is_never_rounded() {
    let texts = Texts::bundled().unwrap();
    let english = texts.localizer(&Language::english(), &[]);
    // CLDR gives each of these no digits, ISO 4217 two or three.
    for (currency, amount) in
        [("IQD", "1.234"), ("LBP", "1.50"), ("MMK", "0.01"), ("AFN", "9.99"), ("KWD", "1.234")]
    {
        let written = english.money(amount.parse().unwrap(), currency);
        assert!(written.ends_with(amount), "{currency}: {written}");
        assert_eq!(english.amount(amount.parse().unwrap(), currency), amount);
    }
    assert_eq!(english.money("5".parse().unwrap(), "QQQ"), "QQQ\u{a0}5");
}

#[test]
fn dates_and_rates_read_as_cldr_writes_them() {
    let texts = Texts::bundled().unwrap();
    let day = NaiveDate::from_ymd_opt(2026, 11, 4).unwrap();
    for (tag, date, rate) in [
        ("en", "November 4, 2026", "12.5%"),
        ("de", "4. November 2026", "12,5\u{a0}%"),
        ("fr", "4 novembre 2026", "12,5\u{a0}%"),
        ("es", "4 de noviembre de 2026", "12,5\u{a0}%"),
        ("pt-BR", "4 de novembro de 2026", "12,5%"),
        ("sv", "4 november 2026", "12,5\u{a0}%"),
        ("hi", "4 नवंबर, 2026", "12.5%"),
        ("ms", "4 November 2026", "12.5%"),
        ("ar", "4 نوفمبر 2026", "12.5\u{200e}%\u{200e}"),
    ] {
        let localizer = texts.localizer(&language(tag), &[]);
        assert_eq!(localizer.date(day), date, "{tag}");
        assert_eq!(localizer.percent("12.50".parse().unwrap()), rate, "{tag}");
    }
}

#[test]
fn a_moment_has_its_time_in_24_hours() {
    let texts = Texts::bundled().unwrap();
    let at: NaiveDateTime = "2026-11-04T17:05:44".parse().unwrap();
    for (tag, moment, day) in [
        ("en", "Nov 4, 2026, 17:05", "Nov 4"),
        ("de", "04.11.2026, 17:05", "4. Nov."),
        ("fr", "4 nov. 2026, 17:05", "4 nov."),
        ("es", "4 nov 2026, 17:05", "4 nov"),
        ("pt-BR", "4 de nov. de 2026, 17:05", "4 de nov."),
        ("sv", "4 nov. 2026 17:05", "4 nov."),
        ("hi", "4 नव॰ 2026, 17:05", "4 नव॰"),
        ("ms", "4 Nov 2026, 17:05", "4 Nov"),
        ("ar", "04\u{200f}/11\u{200f}/2026، 17:05", "4 نوفمبر"),
    ] {
        let localizer = texts.localizer(&language(tag), &[]);
        assert_eq!(localizer.moment(at), moment, "{tag}");
        assert_eq!(localizer.day_of_year(at.date()), day, "{tag}");
    }
}

#[test]
fn a_number_chooses_the_plural_form_of_its_language() {
    for (tag, forms) in [
        ("ar", "zero one two few many other other few many other"),
        ("hi", "one one other other other other other other other other"),
        ("fr", "one one other other other other other other other many"),
        ("ms", "other other other other other other other other other other"),
        ("sv", "other one other other other other other other other other"),
        ("pt-BR", "one one other other other other other other other many"),
    ] {
        let variants = "[zero] zero\n [one] one\n [two] two\n [few] few\n [many] many\n *[other] other";
        let resource = parse("test", format!("form = {{ PLURAL($number) ->\n {variants}\n}}\n")).unwrap();
        let mut messages = Messages::new(language(tag));
        messages.add(resource);
        let numbers = [0, 1, 2, 3, 11, 100, 102, 103, 111, 1_000_000];
        for (number, form) in numbers.into_iter().zip(forms.split(' ')) {
            let mut arguments = fluent_bundle::FluentArgs::new();
            arguments.set("number", number);
            assert_eq!(messages.format("form", &arguments).unwrap(), form, "{tag} {number}");
        }
    }
}

#[test]
fn a_language_without_texts_falls_back() {
    let texts = Texts::bundled().unwrap();
    for (wanted, organisation, found) in [
        ("pt-BR", &["sv"][..], "pt-BR"),
        ("pt", &["sv"], "pt"),
        ("pt-PT", &["sv"], "pt-PT"),
        ("de-AT", &[], "de-AT"),
        ("ja", &["sv", "de"], "sv"),
        ("ja", &["ja", "zh", "de"], "de"),
        ("ja", &[], "en"),
    ] {
        let organisation: Vec<Language> = organisation.iter().map(|tag| language(tag)).collect();
        let localizer = texts.localizer(&language(wanted), &organisation);
        assert_eq!(localizer.language(), &language(found), "{wanted}");
    }
    assert_eq!(texts.localizer(&language("pt-PT"), &[]).message("order-tax", &[]), "Imposto");
    assert_eq!(texts.localizer(&language("ar"), &[]).direction(), "rtl");
}

/// A folder of an operator.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("texts-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        for (name, content) in files {
            std::fs::write(path.join(name), content).unwrap();
        }
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_operator_corrects_a_language_and_adds_another() {
    let folder = Folder::new(
        "good",
        &[("de.ftl", "order-tax = MwSt.\n"), ("it.ftl", "order-tax = IVA\n"), ("README.md", "ignored")],
    );
    let texts = Texts::read(Some(&folder.0)).unwrap();
    let german = texts.localizer(&language("de"), &[]);
    assert_eq!(german.message("order-tax", &[]), "MwSt.");
    assert_eq!(german.message("order-total", &[]), "Gesamtbetrag");
    let italian = texts.localizer(&language("it"), &[language("fr")]);
    assert_eq!(italian.message("order-tax", &[]), "IVA");
    assert_eq!(italian.message("page-your-order", &[]), "Votre commande");
    assert_eq!(italian.language(), &language("it"));
}

/// An operator's folder with one file of what the staff reads.
fn folder_of_the_console(name: &str, file: &str, content: &str) -> Folder {
    let folder = Folder::new(name, &[]);
    std::fs::create_dir_all(folder.0.join("console")).unwrap();
    std::fs::write(folder.0.join("console").join(file), content).unwrap();
    folder
}

#[test]
fn the_staff_reads_what_buyers_do_not() {
    let bundled = Texts::bundled().unwrap();
    assert_eq!(bundled.localizer(&Language::english(), &[]).find("start-heading", &[]), None);
    assert_eq!(bundled.console(&[]).message("start-heading", &[]), "Needs a person");
    let folder = folder_of_the_console("console", "it.ftl", "start-heading = Da decidere\n");
    let texts = Texts::read(Some(&folder.0)).unwrap();
    // A language that only buyers have is not that of a page for the staff.
    for (wanted, language_of_page, heading) in [
        (&["it-CH"][..], "it-CH", "Da decidere"),
        (&["ja", "it"], "it", "Da decidere"),
        (&["ja"], "en", "Needs a person"),
        (&[], "en", "Needs a person"),
    ] {
        let wanted: Vec<Language> = wanted.iter().map(|tag| language(tag)).collect();
        let localizer = texts.console(&wanted);
        assert_eq!(localizer.language(), &language(language_of_page), "{wanted:?}");
        assert_eq!(localizer.message("start-heading", &[]), heading);
        assert_eq!(localizer.message("start-title", &[]), "Start");
    }
    assert!(texts.languages().all(|of_buyers| of_buyers != &language("it")));
}

#[test]
fn a_broken_file_of_an_operator_is_refused_with_its_line() {
    let faults: BTreeMap<&str, (&str, &str)> = BTreeMap::from([
        ("syntax", ("# Comment\norder-tax = MwSt.\norder-total = { $amount\n", "line 4: ")),
        (
            "no message",
            ("order-tax = MwSt.\n\norder-taxx = MwSt.\n", "line 3: there is no message order-taxx"),
        ),
        (
            "no argument",
            ("mail-order = Nr. { $number }\n", "line 1: the message mail-order has no argument $number"),
        ),
        (
            "in a variant",
            ("seats-heading = { PLURAL($seats) ->\n   *[other] { $chairs }\n}\n", "has no argument $chairs"),
        ),
        (
            "by a number",
            (
                "seats-heading = { $seats ->\n   *[other] Plätze\n}\n",
                "line 1: choose a form by PLURAL($seats)",
            ),
        ),
    ]);
    for (name, (content, expected)) in faults {
        let folder = Folder::new(&name.replace(' ', "-"), &[("de.ftl", content)]);
        let error = Texts::read(Some(&folder.0)).err().unwrap().to_string();
        assert!(error.contains("de.ftl") && error.contains(expected), "{name}: {error}");
    }
    let console = folder_of_the_console("unknown", "de.ftl", "order-tax = MwSt.\n");
    let error = Texts::read(Some(&console.0)).err().unwrap().to_string();
    assert!(error.contains("console/de.ftl, line 1: there is no message order-tax"), "{error}");
    let folder = Folder::new("name", &[("german.ftl", "order-tax = MwSt.\n")]);
    assert!(matches!(Texts::read(Some(&folder.0)), Err(TextsError::Name(_))));
    assert!(matches!(Texts::read(Some(&folder.0.join("none"))), Err(TextsError::Unreadable(..))));
}
