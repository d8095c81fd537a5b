//! Sheets as another program reads them, and the texts that XML cannot hold as they are.

use std::io::{Cursor, Read};

use calamine::{Data, DataType, Reader, Xlsx};
use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use shared::money::Balance;
use texts::Texts;
use utoipa::ToSchema;
use zip::ZipArchive;

use super::cell::{self, Kind, Place, Style};
use super::*;

#[derive(Serialize, ToSchema)]
struct Line {
    seq: i64,
    at: DateTime<Utc>,
    bank_day: Option<NaiveDate>,
    reference: String,
    #[schema(value_type = f64)]
    amount: Balance,
    currency: &'static str,
    reverse_charge: bool,
}

impl Row for Line {
    const TITLE: &'static str = "reports-ledger";
    const AMOUNTS: &'static [&'static str] = &["amount"];
}

fn line(seq: i64, reference: &str, amount: &str, currency: &'static str) -> Line {
    let amount = Balance::new(amount.parse().unwrap(), currency.parse().unwrap());
    let at = "2026-03-31T23:59:59.5Z".parse().unwrap();
    let bank_day = (seq == 1).then(|| "2024-02-29".parse().unwrap());
    Line { seq, at, bank_day, reference: reference.into(), amount, currency, reverse_charge: seq == 1 }
}

fn lines() -> Vec<Line> {
    vec![
        line(1, "=1+1", "1234.5", "EUR"),
        line(2, "007", "-0.1", "EUR"),
        line(3, "a & b\u{1} _x0041_ <c>", "0.2", "EUR"),
        line(4, "", "9007199254740993", "JPY"),
        line(5, " +49 ", "1.234", "KWD"),
    ]
}

fn sheet(language: &str, chunks: Vec<Vec<Line>>) -> Vec<u8> {
    let texts = Texts::bundled().unwrap();
    let (mut sheet, mut bytes) = Sheet::begin::<Line>(&texts.console(&[language.parse().unwrap()])).unwrap();
    for chunk in chunks {
        bytes.extend(sheet.rows(&chunk).unwrap());
    }
    bytes.extend(sheet.end().unwrap());
    bytes
}

fn part(bytes: &[u8], name: &str) -> String {
    let mut text = String::new();
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn each_cell_has_its_type_and_each_currency_its_sum() {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(sheet("de", vec![lines()]))).unwrap();
    assert_eq!(book.sheet_names(), ["Buchungsjournal"]);
    let range = book.worksheet_range("Buchungsjournal").unwrap();
    let rows: Vec<&[Data]> = range.rows().collect();
    let headings: Vec<String> = rows[0].iter().map(ToString::to_string).collect();
    assert_eq!(
        headings,
        [
            "Nummer",
            "Zeitpunkt (UTC)",
            "Tag der Bank",
            "Referenz des Käufers",
            "Betrag",
            "Währung",
            "Steuerschuldnerschaft des Leistungsempfängers"
        ]
    );
    assert_eq!(rows[1][0], Data::Float(1.0));
    let time = rows[1][1].as_datetime().unwrap().to_string();
    assert!(rows[1][1].is_datetime() && time.starts_with("2026-03-31 23:59:59"), "{time}");
    assert_eq!(rows[1][2].as_date(), NaiveDate::from_ymd_opt(2024, 2, 29));
    assert_eq!(rows[2][2], Data::Empty);
    assert_eq!((&rows[1][6], &rows[2][6]), (&Data::Bool(true), &Data::Bool(false)));
    let texts: Vec<String> = rows[1..6].iter().map(|row| row[3].to_string()).collect();
    assert_eq!(texts, ["=1+1", "007", "a & b\u{1} _x0041_ <c>", "", " +49 "]);
    assert_eq!(rows[1][4], Data::Float(1234.5));
    // A row is left empty before the sums.
    assert!(rows[6].iter().all(Data::is_empty));
    let sums: Vec<(String, String, f64)> = rows[7..]
        .iter()
        .map(|row| (row[0].to_string(), row[5].to_string(), row[4].as_f64().unwrap()))
        .collect();
    let sum = |currency: &str, sum| ("Summe".to_owned(), currency.to_owned(), sum);
    assert_eq!(sums, [sum("EUR", 1234.6), sum("JPY", 9_007_199_254_740_993.0), sum("KWD", 1.234)]);
    let formulas = book.worksheet_formula("Buchungsjournal").unwrap();
    let formulas: Vec<&str> = formulas.used_cells().map(|(.., formula)| &**formula).collect();
    assert_eq!(formulas[0], "SUMIFS(E2:E6,F2:F6,\"EUR\")");
}

#[test]
fn a_sheet_is_the_same_however_it_is_cut_into_chunks() {
    let whole = sheet("en", vec![lines()]);
    assert_eq!(whole, sheet("en", vec![lines()]));
    let rows = |bytes: &[u8]| part(bytes, parts::SHEET);
    let each = lines().into_iter().map(|line| vec![line]).collect();
    assert_eq!(rows(&whole), rows(&sheet("en", each)));
}

#[test]
fn arabic_sheets_are_read_from_the_right_and_empty_ones_have_their_headings() {
    let arabic = part(&sheet("ar", vec![lines()]), parts::SHEET);
    assert!(arabic.contains("rightToLeft=\"1\""));
    let english = part(&sheet("en", vec![]), parts::SHEET);
    assert!(!english.contains("rightToLeft") && english.contains("state=\"frozen\""));
    assert!(english.contains("<row r=\"1\">") && !english.contains("<row r=\"2\">"), "{english}");
}

#[test]
fn what_a_cell_has_no_room_for_is_cut_off() {
    let written = |text: &str| {
        let mut xml = String::new();
        cell::text(&mut xml, Place { row: 1, column: 0 }, Style::PLAIN, text);
        xml.encode_utf16().count()
            - "<c r=\"A1\" s=\"0\" t=\"inlineStr\"><is><t xml:space=\"preserve\"></t></is></c>".len()
    };
    for (text, units) in [
        ("a".repeat(32_767), 32_767),
        ("a".repeat(32_768), 32_767),
        ("😀".repeat(16_383), 32_766),
        ("😀".repeat(16_384), 32_767),
    ] {
        assert_eq!(written(&text), units);
    }
}

#[test]
fn places_are_written_in_letters_and_rows() {
    for (column, expected) in [(0, "A7"), (25, "Z7"), (26, "AA7"), (51, "AZ7"), (52, "BA7")] {
        assert_eq!(Place { row: 7, column }.to_string(), expected);
    }
}

#[test]
fn what_is_no_number_stays_a_text() {
    let mut xml = String::new();
    Kind::Amount.write(&mut xml, Place { row: 2, column: 0 }, "1,5");
    assert!(xml.contains("inlineStr"), "{xml}");
}
