//! Reads query parameters one by one, so that an error names every wrong one.

use std::collections::BTreeMap;
use std::str::FromStr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use percent_encoding::percent_decode_str;
use shared::messages::FieldError;
use strum::VariantNames;

use crate::error::{ApiError, ApiResult};
use crate::state::AppState;

/// Maximum length of a parameter's value in characters.
const MAX_VALUE: usize = 1_000;

/// The parameters of one request. Unknown ones are ignored, because caches and trackers add their own.
pub struct Params {
    values: BTreeMap<String, Vec<String>>,
    errors: Vec<FieldError>,
}

/// The parameters that a route reads. `None` means that `params` holds the reason.
pub trait ReadParams: Sized {
    fn read(params: &mut Params) -> Option<Self>;
}

pub struct Query<T>(pub T);

impl<T: ReadParams> FromRequestParts<AppState> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ApiError> {
        Self::parse(parts.uri.query().unwrap_or_default())
    }
}

impl<T: ReadParams> Query<T> {
    /// Reads the part of a URL after `?`.
    ///
    /// # Errors
    /// `InvalidRequest`, which names every parameter that the route cannot use.
    pub fn parse(query: &str) -> ApiResult<Self> {
        let mut params = Params::parse(query);
        match T::read(&mut params) {
            Some(read) if params.errors.is_empty() => Ok(Self(read)),
            _ => Err(ApiError::InvalidRequest(params.errors)),
        }
    }
}

impl Params {
    fn parse(query: &str) -> Self {
        let mut params = Self { values: BTreeMap::new(), errors: Vec::new() };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match (decode(name), decode(value)) {
                (Some(name), Some(value)) => params.values.entry(name).or_default().push(value),
                _ => params.errors.push(FieldError::new("query", "holds broken percent-encoding or UTF-8")),
            }
        }
        params
    }

    /// Records a fault of one parameter.
    pub fn error(&mut self, name: &str, message: impl Into<String>) {
        let name: String = name.chars().take(100).collect();
        self.errors.push(FieldError::new(name, message));
    }

    /// Returns whether a parameter that is still unread has a value.
    pub fn is_given(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|values| values.iter().any(|value| !value.is_empty()))
    }

    /// A text, empty if it is not given. A text that is repeated, too long or holds NUL is recorded as a fault.
    pub fn text(&mut self, name: &str) -> String {
        let values = self.values.remove(name).unwrap_or_default();
        let fault = match values.as_slice() {
            [] => return String::new(),
            [_, _, ..] => "is given more than once".to_owned(),
            [value] if value.chars().count() > MAX_VALUE => format!("is longer than {MAX_VALUE} characters"),
            [value] if value.contains('\0') => "holds a NUL character".to_owned(),
            [value] => return value.clone(),
        };
        self.error(name, fault);
        String::new()
    }

    /// A text that holds no blanks, such as a course key or an address, without those around it.
    pub fn unspaced(&mut self, name: &str) -> String {
        with_plus(&self.text(name))
    }

    /// The texts of a parameter that may be repeated. Too many, and one that is too long or holds NUL, is recorded as a fault.
    pub fn texts(&mut self, name: &str, most: usize) -> Vec<String> {
        let values = self.values.remove(name).unwrap_or_default();
        let is_wrong = |value: &String| value.chars().count() > MAX_VALUE || value.contains('\0');
        if values.len() > most || values.iter().any(is_wrong) {
            self.error(
                name,
                format!("is given more than {most} times, is too long, or holds a NUL character"),
            );
            return Vec::new();
        }
        values
    }

    /// A whole number, clamped to the bounds. Empty counts as not given.
    pub fn clamped(&mut self, name: &str, default: i64, min: i64, max: i64) -> Option<i64> {
        let text = self.text(name);
        if text.is_empty() {
            return Some(default);
        }
        let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            self.error(name, "is not a whole number");
            return None;
        }
        // A number too large to hold is beyond every bound.
        let beyond = if text.starts_with('-') { min } else { max };
        Some(text.parse().unwrap_or(beyond).clamp(min, max))
    }

    /// One of the words of a type. Empty counts as not given.
    pub fn word<T: FromStr + VariantNames>(&mut self, name: &str) -> Option<Option<T>> {
        let text = self.text(name);
        if text.is_empty() {
            return Some(None);
        }
        let word = text.parse().ok();
        if word.is_none() {
            self.error(name, format!("is not one of {}", T::VARIANTS.join(", ")));
        }
        word.map(Some)
    }

    /// `true` or `1`, `false` or `0`, in any case.
    pub fn flag(&mut self, name: &str, default: bool) -> Option<bool> {
        let text = self.text(name);
        match text.to_ascii_lowercase().as_str() {
            "" => Some(default),
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => {
                self.error(name, "is not one of true, false, 1, 0");
                None
            }
        }
    }

    /// A text that case and the spaces around it do not change, so that equal searches have equal cache keys. Beyond ASCII the
    /// database folds case, by its own rules.
    pub fn folded(&mut self, name: &str) -> String {
        self.text(name).trim().to_ascii_lowercase()
    }

    /// A comma-separated list, sorted, without blanks and repeats, so that equal filters have equal cache keys.
    pub fn list(&mut self, name: &str) -> Vec<String> {
        items(&self.text(name))
    }

    /// As [`Self::list`], of names that are compared without case.
    pub fn folded_list(&mut self, name: &str) -> Vec<String> {
        items(&self.folded(name))
    }
}

/// A text that holds no blanks, as its sender meant it: a + that is not escaped arrives as a blank, in a query. The course platform
/// reads course keys so, too.
pub fn with_plus(text: &str) -> String {
    text.trim().replace(' ', "+")
}

fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> =
        text.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// Decodes a name or a value; None if its percent-encoding is broken or encodes no UTF-8.
fn decode(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let broken = bytes.iter().enumerate().any(|(at, byte)| {
        *byte == b'%' && !bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    });
    if broken {
        return None;
    }
    percent_decode_str(&text.replace('+', " ")).decode_utf8().ok().map(|text| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_key_and_an_address_are_read_as_links_write_them() {
        let expected = ["course-v1:Org+DS101+2026", "ada+store@example.com"];
        for query in [
            "course=course-v1:Org+DS101+2026&email=ada+store@example.com",
            "course=course-v1%3AOrg%2BDS101%2B2026&email=ada%2Bstore%40example.com",
            "course=course-v1:Org%20DS101%202026%20&email=+ada%20store@example.com",
        ] {
            let mut params = Params::parse(query);
            assert_eq!([params.unspaced("course"), params.unspaced("email")], expected, "{query}");
        }
    }
}
