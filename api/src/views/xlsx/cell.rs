//! The cells of a sheet, as XML.

use std::fmt::{self, Write};

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use rust_decimal::Decimal;
use utoipa::openapi::schema::{KnownFormat, SchemaFormat, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};

/// The most UTF-16 units that the text of a cell may have.
const LONGEST_TEXT: usize = 32_767;

/// The digits after the point of the amounts that have formats: those of all currencies.
pub const MOST_DIGITS: u32 = 4;

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// A number without a unit, or with one that the heading names.
    Number,
    /// An amount of the currency that its row names.
    Amount,
    Boolean,
    Day,
    Time,
}

/// An index of the formats in [`super::parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style(pub u32);

impl Style {
    pub const PLAIN: Self = Self(0);
    pub const HEADING: Self = Self(1);
    pub const DAY: Self = Self(2);
    pub const TIME: Self = Self(3);

    /// An amount with the digits that it has.
    fn amount(amount: Decimal) -> Self {
        Self(4 + amount.scale().min(MOST_DIGITS))
    }

    /// A sum with the digits that it has.
    fn sum(amount: Decimal) -> Self {
        Self(Self::amount(amount).0 + MOST_DIGITS + 1)
    }
}

/// The place of a cell: its row, counted from 1, and its column, counted from 0. Written as `AB12`.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub row: usize,
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |index: usize| char::from(b'A' + u8::try_from(index % 26).unwrap_or_default());
        if self.column >= 26 {
            f.write_char(letter(self.column / 26 - 1))?;
        }
        write!(f, "{}{}", letter(self.column), self.row)
    }
}

impl Kind {
    /// The kind of a field that has this schema; amounts have none of their own.
    pub fn of(schema: &RefOr<Schema>) -> Self {
        let RefOr::T(Schema::Object(object)) = schema else { return Self::Text };
        let is = |wanted: Type| match &object.schema_type {
            SchemaType::Type(one) => *one == wanted,
            SchemaType::Array(some) => some.contains(&wanted),
            SchemaType::AnyValue => false,
        };
        match object.format {
            Some(SchemaFormat::KnownFormat(KnownFormat::Date)) => Self::Day,
            Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)) => Self::Time,
            _ if is(Type::Boolean) => Self::Boolean,
            _ if is(Type::Number) || is(Type::Integer) => Self::Number,
            _ => Self::Text,
        }
    }

    /// The width of a column, in digits.
    pub fn width(self) -> u32 {
        match self {
            Self::Text => 20,
            Self::Number | Self::Boolean => 10,
            Self::Amount => 14,
            Self::Day => 12,
            Self::Time => 18,
        }
    }

    /// Writes a cell; none for an empty text.
    pub fn write(self, xml: &mut String, place: Place, value: &str) {
        let written = match self {
            _ if value.is_empty() => Some(()),
            Self::Text => None,
            Self::Number => value.parse().ok().map(|value: Decimal| number(xml, place, Style::PLAIN, value)),
            Self::Amount => {
                value.parse().ok().map(|value: Decimal| number(xml, place, Style::amount(value), value))
            }
            Self::Boolean => value.parse().ok().map(|value: bool| {
                let _ = write!(xml, "<c r=\"{place}\" t=\"b\"><v>{}</v></c>", u8::from(value));
            }),
            Self::Day => value.parse().ok().map(|day: NaiveDate| {
                number(xml, place, Style::DAY, serial(day.into()));
            }),
            Self::Time => DateTime::parse_from_rfc3339(value).ok().map(|time| {
                number(xml, place, Style::TIME, serial(time.naive_utc()));
            }),
        };
        // What is no number or time is shown as it is.
        if written.is_none() {
            text(xml, place, Style::PLAIN, value);
        }
    }
}

/// Days since 30 December 1899, with the time of day in whole seconds: LibreOffice 7.4.7 rounds half a second up, and so shows
/// the last one of a day on the next day.
fn serial(time: NaiveDateTime) -> Decimal {
    let begin = NaiveDate::from_ymd_opt(1899, 12, 30).unwrap_or_default();
    let seconds = (time - NaiveDateTime::from(begin)).num_seconds();
    (Decimal::from(seconds) / Decimal::from(86_400)).round_dp(9).normalize()
}

fn number(xml: &mut String, place: Place, Style(style): Style, value: Decimal) {
    let _ = write!(xml, "<c r=\"{place}\" s=\"{style}\"><v>{value}</v></c>");
}

/// Writes a formula with its result.
pub fn formula(xml: &mut String, place: Place, formula: &str, result: Decimal) {
    let Style(style) = Style::sum(result);
    let _ = write!(xml, "<c r=\"{place}\" s=\"{style}\"><f>");
    escape(xml, formula);
    let _ = write!(xml, "</f><v>{result}</v></c>");
}

/// Writes a text, which no program takes for a formula; what a cell has no room for is cut off with an ellipsis.
pub fn text(xml: &mut String, place: Place, Style(style): Style, text: &str) {
    let _ = write!(xml, "<c r=\"{place}\" s=\"{style}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">");
    match cut(text) {
        Some(begin) => {
            escape(xml, begin);
            xml.push('…');
        }
        None => escape(xml, text),
    }
    xml.push_str("</t></is></c>");
}

/// The beginning of a text that is too long for a cell, with room for an ellipsis.
fn cut(text: &str) -> Option<&str> {
    let (mut units, mut end) = (0, 0);
    for (at, letter) in text.char_indices() {
        units += letter.len_utf16();
        if units < LONGEST_TEXT {
            end = at + letter.len_utf8();
        }
        if units > LONGEST_TEXT {
            return text.get(..end);
        }
    }
    None
}

/// Writes text into XML. What XML 1.0 cannot hold, and what would be read as it, is written as `_xHHHH_` (`ST_Xstring`, ISO/IEC
/// 29500-1, 22.9.2.19).
pub fn escape(xml: &mut String, text: &str) {
    for (at, letter) in text.char_indices() {
        match letter {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(xml, "_x{:04X}_", u32::from(letter));
            }
            '_' if text.get(at..at + 7).is_some_and(is_escape) => xml.push_str("_x005F_"),
            _ => xml.push(letter),
        }
    }
}

fn is_escape(text: &str) -> bool {
    matches!(text.as_bytes(), [b'_', b'x', digits @ .., b'_'] if digits.len() == 4 && digits.iter().all(u8::is_ascii_hexdigit))
}
