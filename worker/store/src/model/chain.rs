//! The canonical form of a document in its seller's chain, and its digest. Pure.
//!
//! Why: `docs/decisions/chain.md`

use std::fmt::Write;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Number, Value, json};
use sha2::{Digest, Sha256};
use shared::ids::DocumentId;

/// A place in the chain of a seller's documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// From 1.
    pub position: i64,
    /// The digest of the document before it, in hexadecimal digits. None for the first.
    pub previous: Option<String>,
}

/// Reason why a JSON value has no canonical form here.
#[derive(Debug, thiserror::Error)]
#[error("the number {0} has no exact form in canonical JSON")]
pub struct InexactNumber(Number);

/// The canonical form of a document in a chain, by RFC 8785. `content` is its content as JSON; what an authority adds to it after its issue is not in the form.
///
/// # Errors
/// The content has a number that readers of JSON round.
pub fn canonical(
    link: &Link,
    id: DocumentId,
    issued_at: DateTime<Utc>,
    content: &Value,
) -> Result<String, InexactNumber> {
    let mut document = content.clone();
    if let Some(fields) = document.as_object_mut() {
        fields.remove("clearance");
    }
    let form = json!({
        "position": link.position,
        "previous": link.previous,
        "document_id": id,
        "issued_at": issued_at.to_rfc3339_opts(SecondsFormat::Micros, true),
        "document": document,
    });
    let mut text = String::new();
    write(&form, &mut text)?;
    Ok(text)
}

/// SHA-256 of a text in UTF-8, in lower-case hexadecimal digits.
pub fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

fn write(value: &Value, text: &mut String) -> Result<(), InexactNumber> {
    match value {
        Value::Number(number) => write_number(number, text),
        Value::Array(values) => {
            text.push('[');
            for (index, value) in values.iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                write(value, text)?;
            }
            text.push(']');
            Ok(())
        }
        Value::Object(fields) => write_object(fields, text),
        // As RFC 8785 escapes texts.
        Value::String(_) | Value::Bool(_) | Value::Null => {
            text.push_str(&value.to_string());
            Ok(())
        }
    }
}

fn write_object(fields: &Map<String, Value>, text: &mut String) -> Result<(), InexactNumber> {
    let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
    fields.sort_by(|one, other| one.0.encode_utf16().cmp(other.0.encode_utf16()));
    text.push('{');
    for (index, (name, value)) in fields.into_iter().enumerate() {
        text.push_str(if index > 0 { "," } else { "" });
        text.push_str(&Value::String(name.clone()).to_string());
        text.push(':');
        write(value, text)?;
    }
    text.push('}');
    Ok(())
}

/// The largest whole number up to which every reader of JSON knows each one.
const EXACT: i64 = (1 << 53) - 1;

/// Writes a number as ECMAScript does, which writes others than these with an exponent.
fn write_number(number: &Number, text: &mut String) -> Result<(), InexactNumber> {
    let plain = 1e-6..=9_007_199_254_740_991.0;
    let written = match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) if (-EXACT..=EXACT).contains(&whole) => write!(text, "{whole}"),
        (None, Some(0.0)) => write!(text, "0"),
        (None, Some(value)) if plain.contains(&value.abs()) => write!(text, "{value}"),
        _ => return Err(InexactNumber(number.clone())),
    };
    // A string takes everything.
    written.map_err(|_| InexactNumber(number.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(json: &str) -> Result<String, InexactNumber> {
        let mut text = String::new();
        write(&serde_json::from_str(json).unwrap(), &mut text).map(|()| text)
    }

    #[test]
    fn json_is_written_as_rfc_8785_says() {
        for (json, canonical) in [
            // Section 3.2.2, without its numbers that have an exponent.
            (
                r#"{ "numbers": [4.50, 2e-3, 333333333.33333329], "literals": [null, true, false],
                     "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/" }"#,
                r#"{"literals":[null,true,false],"numbers":[4.5,0.002,333333333.3333333],"string":"€$\u000f\nA'B\"\\\\\"/"}"#,
            ),
            // Section 3.2.3: names are in the order of their UTF-16 units.
            (
                r#"{ "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 }"#,
                "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
            ),
            (
                "[0, -0.0, 1.0, -1.5, 1600, 9007199254740991, 9999999999999.99, 0.0001]",
                "[0,0,1,-1.5,1600,9007199254740991,9999999999999.99,0.0001]",
            ),
            (r#""\u0000\u0008\u0009\u000c\u001f\u007f\u2028""#, "\"\\u0000\\b\\t\\f\\u001f\u{7f}\u{2028}\""),
            ("{}", "{}"),
            ("[]", "[]"),
        ] {
            assert_eq!(written(json).unwrap(), canonical);
        }
    }

    #[test]
    fn a_number_that_readers_round_is_refused() {
        for json in ["9007199254740992", "-9007199254740993", "18446744073709551615", "1e16", "1e-7"] {
            assert!(written(json).is_err(), "{json}");
        }
    }

    /// Worked out with `sha256sum`.
    #[test]
    fn a_document_has_the_digest_that_other_programs_work_out() {
        let link = Link { position: 2, previous: Some("ab".repeat(32)) };
        let id: DocumentId = "01a217ef-3ac7-7407-8b32-7e6cb0a061f6".parse().unwrap();
        let content = json!({ "total": 12.30, "number": "LA26-000002", "clearance": { "number": "7" } });
        let issued_at = "2026-11-24T10:20:30.5+01:00".parse().unwrap();
        let text = canonical(&link, id, issued_at, &content).unwrap();
        let previous = "ab".repeat(32);
        assert_eq!(
            text,
            format!(
                "{{\"document\":{{\"number\":\"LA26-000002\",\"total\":12.3}},\"document_id\":\"{id}\",\
                 \"issued_at\":\"2026-11-24T09:20:30.500000Z\",\"position\":2,\"previous\":\"{previous}\"}}"
            )
        );
        assert_eq!(digest(&text), "29aa8656346f980dc21ca739c648b342eb7bb9b5bbe379c303e2bba1ebe5ee35");
        let first = canonical(&Link { position: 1, previous: None }, id, issued_at, &content).unwrap();
        assert!(first.ends_with("\"position\":1,\"previous\":null}"), "{first}");
    }
}
