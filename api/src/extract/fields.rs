//! Reads JSON objects field by field, so that an error names every wrong field and not only the first.

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde_json::{Map, Value};
use shared::course_mode::CourseMode;
use shared::dated_price::DatedPrice;
use shared::email::Email;
use shared::messages::{FieldError, ItemKind, PayBy};
use shared::region::Country;
use shared::voucher::Code;
use texts::{Language, LanguageError};
use uuid::Uuid;

use super::body::MAX_BODY;

/// The fields of one object that have not been read yet, and the faults of those that have.
pub struct Fields {
    path: String,
    left: Map<String, Value>,
    errors: Vec<FieldError>,
}

/// An object that is read field by field. `None` means that `fields` holds the reason.
pub trait ReadFields: Sized {
    /// Maximum size of a body that is this object, in bytes.
    const MOST: usize = MAX_BODY;

    fn read(fields: &mut Fields) -> Option<Self>;
}

/// A value of one field.
pub trait FieldValue: Sized {
    /// Reads the value of the field at `path`.
    ///
    /// # Errors
    /// All faults, each with its path.
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>>;
}

impl Fields {
    /// Reads a whole object. An unknown field is an error.
    ///
    /// # Errors
    /// All faults, each with its path.
    pub fn read_object<T: ReadFields>(value: Value, path: &str) -> Result<T, Vec<FieldError>> {
        let Value::Object(left) = value else { return Err(fault(path, "must be an object")) };
        let mut fields = Self { path: path.to_owned(), left, errors: Vec::new() };
        let read = T::read(&mut fields);
        let unknown: Vec<String> = fields.left.keys().map(|name| fields.path_of(name)).collect();
        fields
            .errors
            .extend(unknown.into_iter().map(|path| FieldError::new(path, "is not a field of this request")));
        match read {
            Some(read) if fields.errors.is_empty() => Ok(read),
            _ => Err(fields.errors),
        }
    }

    /// Reads a required field; None if it is missing or not valid.
    pub fn required<T: FieldValue>(&mut self, name: &str) -> Option<T> {
        match self.left.remove(name) {
            Some(value) => self.value(name, value),
            None => {
                self.errors.push(FieldError::new(self.path_of(name), "is required"));
                None
            }
        }
    }

    /// Reads an optional field: `Some(None)` if it is absent or null, None if it is not valid.
    pub fn optional<T: FieldValue>(&mut self, name: &str) -> Option<Option<T>> {
        match self.left.remove(name) {
            None | Some(Value::Null) => Some(None),
            Some(value) => self.value(name, value).map(Some),
        }
    }

    /// As [`Self::optional`]; a blank text counts as absent too.
    pub fn optional_unless_blank<T: FieldValue>(&mut self, name: &str) -> Option<Option<T>> {
        if self.left.get(name).and_then(Value::as_str).is_some_and(|text| text.trim().is_empty()) {
            self.left.remove(name);
        }
        self.optional(name)
    }

    /// Returns whether a field that has not been read yet is there, also if it is null.
    pub fn is_given(&self, name: &str) -> bool {
        self.left.contains_key(name)
    }

    /// Reads an optional whole number between two others.
    pub fn optional_number<T: TryFrom<i64>>(
        &mut self,
        name: &str,
        least: i64,
        most: i64,
    ) -> Option<Option<T>> {
        let number = match self.left.remove(name) {
            None | Some(Value::Null) => return Some(None),
            Some(value) => whole_number(&value).filter(|number| (least..=most).contains(number)),
        };
        let number = number.and_then(|number| T::try_from(number).ok());
        if number.is_none() {
            self.error(name, format!("must be a whole number of {least} to {most}"));
        }
        number.map(Some)
    }

    /// Reads an optional array of at most so many values.
    pub fn optional_list<T: FieldValue>(&mut self, name: &str, most: usize) -> Option<Option<Vec<T>>> {
        let values = match self.left.remove(name) {
            None | Some(Value::Null) => return Some(None),
            Some(Value::Array(values)) if values.len() <= most => values,
            Some(_) => {
                self.error(name, format!("must be an array of at most {most} values"));
                return None;
            }
        };
        let path = self.path_of(name);
        let (mut read, mut errors) = (Vec::with_capacity(values.len()), Vec::new());
        for (index, value) in values.into_iter().enumerate() {
            match T::read(value, &format!("{path}[{index}]")) {
                Ok(value) => read.push(value),
                Err(faults) => errors.extend(faults),
            }
        }
        let is_valid = errors.is_empty();
        self.errors.extend(errors);
        is_valid.then_some(Some(read))
    }

    /// Reads an optional text of at most so many characters.
    pub fn optional_text(&mut self, name: &str, most: usize) -> Option<Option<String>> {
        let text: Option<String> = self.optional(name)?;
        if text.as_ref().is_some_and(|text| text.chars().count() > most) {
            self.error(name, format!("is longer than {most} characters"));
            return None;
        }
        Some(text)
    }

    /// Reports a fault of a field.
    pub fn error(&mut self, name: &str, message: impl Into<String>) {
        self.errors.push(FieldError::new(self.path_of(name), message));
    }

    fn value<T: FieldValue>(&mut self, name: &str, value: Value) -> Option<T> {
        T::read(value, &self.path_of(name)).map_err(|errors| self.errors.extend(errors)).ok()
    }

    fn path_of(&self, name: &str) -> String {
        // The error repeats the client's own field name, so limit its length.
        let name: String = name.chars().take(100).collect();
        if self.path.is_empty() { name } else { format!("{}.{name}", self.path) }
    }
}

fn fault(path: &str, message: impl Into<String>) -> Vec<FieldError> {
    vec![FieldError::new(path, message)]
}

fn text(value: Value, path: &str) -> Result<String, Vec<FieldError>> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err(fault(path, "must be a string")),
    }
}

/// Reads a whole number; `3.0` is one too, as JSON Schema has it.
pub fn whole_number(value: &Value) -> Option<i64> {
    let exact = || Decimal::read(value.clone(), "").ok().filter(Decimal::is_integer)?.try_into().ok();
    value.as_i64().or_else(exact)
}

/// Parses a UUID in its hyphenated form only: the parser accepts several forms, but each id should have one name.
pub fn hyphenated(text: &str) -> Option<Uuid> {
    Uuid::try_parse(text).ok().filter(|_| text.len() == 36)
}

/// A text of at most 255 characters without control characters.
impl FieldValue for String {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let text = text(value, path)?;
        if text.chars().count() > 255 {
            return Err(fault(path, "is longer than 255 characters"));
        }
        if text.chars().any(char::is_control) {
            return Err(fault(path, "holds a control character"));
        }
        Ok(text)
    }
}

impl FieldValue for bool {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        value.as_bool().ok_or_else(|| fault(path, "must be true or false"))
    }
}

impl FieldValue for Email {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        Email::parse(&text(value, path)?).map_err(|error| fault(path, error.to_string()))
    }
}

impl FieldValue for Uuid {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        hyphenated(&text(value, path)?).ok_or_else(|| fault(path, "is not a UUID"))
    }
}

impl FieldValue for Country {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        text(value, path)?.parse().map_err(|error| fault(path, format!("{error}")))
    }
}

impl FieldValue for CourseMode {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        text(value, path)?.parse().map_err(|error| fault(path, format!("{error}")))
    }
}

impl FieldValue for Language {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        text(value, path)?.parse().map_err(|error: LanguageError| fault(path, error.to_string()))
    }
}

impl FieldValue for Code {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        Self::parse(&text(value, path)?).map_err(|error| fault(path, error.to_string()))
    }
}

/// A number, exactly as it was written.
impl FieldValue for Decimal {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let Value::Number(number) = value else { return Err(fault(path, "must be a number")) };
        let text = number.to_string();
        let number = text.parse().or_else(|_| Decimal::from_scientific(&text));
        number.map_err(|_| fault(path, "has too many digits"))
    }
}

impl FieldValue for DateTime<Utc> {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let at = DateTime::parse_from_rfc3339(&text(value, path)?);
        at.map(|at| at.to_utc()).map_err(|_| fault(path, "is not an RFC 3339 time"))
    }
}

/// A time as the sender's clock shows it.
impl FieldValue for DateTime<FixedOffset> {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let at = DateTime::parse_from_rfc3339(&text(value, path)?);
        at.map_err(|_| fault(path, "is not an RFC 3339 time"))
    }
}

impl FieldValue for NaiveDate {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        text(value, path)?.parse().map_err(|_| fault(path, "is not a date such as 2026-11-29"))
    }
}

impl FieldValue for ItemKind {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        match text(value, path)?.as_str() {
            "course" => Ok(ItemKind::Course),
            "program" => Ok(ItemKind::Program),
            _ => Err(fault(path, "must be course or program")),
        }
    }
}

impl FieldValue for PayBy {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        text(value, path)?.parse().map_err(|_| fault(path, "must be invoice, or left out"))
    }
}

/// The worker checks it beside the full price.
impl FieldValue for DatedPrice {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        Fields::read_object(value, path)
    }
}

impl ReadFields for DatedPrice {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.required("name");
        let (from, until) = (fields.optional("from"), fields.optional("until"));
        let (price, percent_off) = (fields.optional("price"), fields.optional("percent_off"));
        Some(Self { name: name?, from: from?, until: until?, price: price?, percent_off: percent_off? })
    }
}

impl<T: ReadFields> FieldValue for Vec<T> {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let Value::Array(values) = value else { return Err(fault(path, "must be an array")) };
        let (mut read, mut errors) = (Vec::with_capacity(values.len()), Vec::new());
        for (index, value) in values.into_iter().enumerate() {
            match Fields::read_object(value, &format!("{path}[{index}]")) {
                Ok(item) => read.push(item),
                Err(faults) => errors.extend(faults),
            }
        }
        if errors.is_empty() { Ok(read) } else { Err(errors) }
    }
}
