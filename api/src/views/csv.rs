//! CSV (RFC 4180) of rows: a column for each field of a struct.
//!
//! Why: `docs/decisions/csv-numbers.md`

use std::fmt::Display;

use csv::{Error, StringRecord, Terminator, WriterBuilder};
use serde::ser::{Error as _, Impossible, SerializeStruct};
use serde::{Serialize, Serializer};
use utoipa::PartialSchema;
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};
use crate::request_log;

/// Writes rows with their header.
pub fn table<R: Serialize + PartialSchema>(rows: impl IntoIterator<Item = R>) -> ApiResult<String> {
    Ok(header::<R>()? + &self::rows(rows)?)
}

/// Writes the names of a row's fields.
pub fn header<R: PartialSchema>() -> ApiResult<String> {
    logged(write([Ok(fields::<R>().map(|(name, _)| name).collect())]))
}

/// The names of a row's fields, with their schemas.
pub fn fields<R: PartialSchema>() -> impl Iterator<Item = (String, RefOr<Schema>)> {
    let properties = match R::schema() {
        RefOr::T(Schema::Object(row)) => Some(row.properties),
        _ => None,
    };
    properties.into_iter().flatten()
}

/// Writes rows without a header.
pub fn rows<R: Serialize>(rows: impl IntoIterator<Item = R>) -> ApiResult<String> {
    logged(write(rows.into_iter().map(|row| cells(&row, true))))
}

/// The cells of a row as texts, in the order of its fields; with `defused`, none that a spreadsheet would take for a formula.
pub fn cells<R: Serialize>(row: &R, defused: bool) -> Result<StringRecord, Error> {
    let mut cells = Cells { record: StringRecord::new(), defused };
    row.serialize(&mut cells)?;
    Ok(cells.record)
}

/// Serialises a string that the service writes: in CSV, no apostrophe comes before it.
pub fn value<S: Serializer>(value: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn write(records: impl IntoIterator<Item = Result<StringRecord, Error>>) -> Result<String, Error> {
    let mut text = Vec::new();
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(&mut text);
    for record in records {
        writer.write_record(&record?)?;
    }
    writer.flush()?;
    drop(writer);
    String::from_utf8(text).map_err(Error::custom)
}

fn logged(written: Result<String, Error>) -> ApiResult<String> {
    written.map_err(|error| {
        request_log::failed(format_args!("the CSV cannot be written: {error}"));
        ApiError::Internal
    })
}

/// The cells of a row. Strings are texts that others wrote; numbers, dates, ids and words serialise otherwise. Amounts see by
/// `is_human_readable` that they are not written as JSON.
struct Cells {
    record: StringRecord,
    defused: bool,
}

impl Cells {
    fn push(&mut self, cell: &str) -> Result<(), Error> {
        self.record.push_field(cell);
        Ok(())
    }
}

/// Puts an apostrophe in front of what a spreadsheet would take for a formula, and run. Where decimal commas are written, a cell
/// begins after each semicolon and line break, too.
fn defused(text: &str) -> String {
    let is_formula = |cell: &str| cell.trim_start_matches([' ', '"']).starts_with(['=', '+', '-', '@']);
    let cells = text.split_inclusive([';', '\r', '\n']);
    cells.map(|cell| if is_formula(cell) { format!("'{cell}") } else { cell.to_owned() }).collect()
}

/// Writes values as the service displays them.
macro_rules! displayed {
    ($($method:ident: $Value:ty),+) => {$(
        fn $method(self, value: $Value) -> Result<(), Error> {
            self.collect_str(&value)
        }
    )+};
}

/// Refuses what is no single cell.
macro_rules! refused {
    ($($method:ident($($argument:ty),*) -> $Answer:ty;)+) => {$(
        fn $method(self, $(_: $argument),*) -> Result<$Answer, Error> {
            Err(Error::custom(NO_CELL))
        }
    )+};
}

const NO_CELL: &str = "a cell holds one value";

type No = Impossible<(), Error>;

impl Serializer for &mut Cells {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = Self;
    type SerializeStructVariant = No;

    displayed! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_u8: u8,
        serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_f32: f32, serialize_f64: f64
    }

    refused! {
        serialize_unit_struct(&'static str) -> ();
        serialize_seq(Option<usize>) -> No;
        serialize_tuple(usize) -> No;
        serialize_tuple_struct(&'static str, usize) -> No;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
        serialize_map(Option<usize>) -> No;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.push(&value.to_string())
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        if self.defused { self.push(&defused(text)) } else { self.push(text) }
    }

    fn serialize_char(self, letter: char) -> Result<(), Error> {
        self.serialize_str(letter.encode_utf8(&mut [0; 4]))
    }

    /// The bytes of an id.
    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        self.collect_str(&Uuid::from_slice(bytes).map_err(Error::custom)?)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.push("")
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.push("")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, word: &'static str) -> Result<(), Error> {
        self.push(word)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        Err(Error::custom(NO_CELL))
    }

    /// A map is one cell with its JSON, without the semicolon that would split it where spreadsheets write decimal commas; empty
    /// without entries.
    fn collect_map<K: Serialize, V: Serialize, I: IntoIterator<Item = (K, V)>>(
        self,
        entries: I,
    ) -> Result<(), Error> {
        let mut json = Vec::new();
        serde_json::Serializer::new(&mut json).collect_map(entries).map_err(Error::custom)?;
        let json = String::from_utf8(json).map_err(Error::custom)?;
        self.push(if json == "{}" { String::new() } else { json.replace(';', "\\u003b") }.as_str())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }
}

impl SerializeStruct for &mut Cells {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(&mut **self)
    }

    fn skip_field(&mut self, _: &'static str) -> Result<(), Error> {
        self.push("")
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use shared::money::{Amount, Balance, Money};
    use utoipa::ToSchema;

    use super::*;

    #[derive(Serialize, ToSchema)]
    struct Row {
        text: String,
        amount: Option<Amount>,
        #[schema(value_type = f64)]
        balance: Balance,
        map: BTreeMap<String, String>,
        id: Option<Uuid>,
    }

    #[test]
    fn texts_are_quoted_where_they_must_be_and_never_read_as_formulas() {
        let texts = [
            ("plain", "plain"),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@x", "'@x"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("=\"a\",b", "\"'=\"\"a\"\",b\""),
            ("a; =1;b", "a;' =1;b"),
            ("a\n=1", "\"a\n'=1\""),
            ("", ""),
        ];
        let currency = "JOD".parse().unwrap();
        let balance = Balance::new("-1.5".parse().unwrap(), currency);
        let rows = texts.map(|(text, _)| Row {
            text: text.to_owned(),
            amount: None,
            balance,
            map: BTreeMap::new(),
            id: None,
        });
        let expected = texts.map(|(_, cell)| format!("{cell},,-1.500,,\r\n")).concat();
        assert_eq!(table(rows).unwrap(), format!("text,amount,balance,map,id\r\n{expected}"));
    }

    #[test]
    fn numbers_have_the_digits_of_their_currency_and_objects_are_one_cell() {
        let amount = Some(Amount(Money::from_minor(4900, "USD".parse().unwrap()).unwrap()));
        let balance = Balance::new("-49".parse().unwrap(), "USD".parse().unwrap());
        let map = [("a".to_owned(), "=1;2".to_owned())].into();
        let row = Row { text: "x".into(), amount, balance, map, id: Some(Uuid::nil()) };
        let json = r#"{"text":"x","amount":49,"balance":-49,"map":{"a":"=1;2"},"id":"00000000-0000-0000-0000-000000000000"}"#;
        assert_eq!(serde_json::to_string(&row).unwrap(), json);
        let cells = r#"x,49.00,-49.00,"{""a"":""=1\u003b2""}",00000000-0000-0000-0000-000000000000"#;
        assert_eq!(rows([row]).unwrap(), format!("{cells}\r\n"));
    }
}
