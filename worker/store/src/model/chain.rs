//! The canonical form of a document in its seller's chain, and its digest. Pure.
//!
//! Why: `docs/decisions/chain.md`

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Number, Value, json};
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

/// Reason why a document has no canonical form.
#[derive(Debug, thiserror::Error)]
pub enum NoCanonicalForm {
    #[error("readers of JSON round the number {0}")]
    Inexact(Number),
    #[error("canonical JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// The canonical form of a document in a chain, by RFC 8785. `content` is its content as JSON; what an authority adds to it after its issue is not in the form.
///
/// # Errors
/// The content has a number that readers of JSON round.
pub fn canonical(
    link: &Link,
    id: DocumentId,
    issued_at: DateTime<Utc>,
    content: &Value,
) -> Result<String, NoCanonicalForm> {
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
    match inexact(&form) {
        Some(number) => Err(NoCanonicalForm::Inexact(number.clone())),
        None => Ok(serde_json_canonicalizer::to_string(&form)?),
    }
}

/// SHA-256 of a text in UTF-8, in lower-case hexadecimal digits.
pub fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

/// The largest whole number up to which every reader of JSON knows each one. The library writes the nearest of these for a larger one.
const EXACT: u64 = (1 << 53) - 1;

/// Returns a whole number of a JSON value that readers of JSON round.
fn inexact(value: &Value) -> Option<&Number> {
    match value {
        Value::Number(number) => {
            let whole = number.as_i64().map(i64::unsigned_abs).or(number.as_u64());
            whole.is_some_and(|whole| whole > EXACT).then_some(number)
        }
        Value::Array(values) => values.iter().find_map(inexact),
        Value::Object(fields) => fields.values().find_map(inexact),
        Value::String(_) | Value::Bool(_) | Value::Null => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(content: &str) -> Result<String, NoCanonicalForm> {
        let link = Link { position: 1, previous: None };
        let id = "01a217ef-3ac7-7407-8b32-7e6cb0a061f6".parse().unwrap();
        canonical(&link, id, DateTime::UNIX_EPOCH, &serde_json::from_str(content).unwrap())
    }

    /// The library's own tests are those of RFC 8785. These are numbers and texts that documents have.
    #[test]
    fn numbers_and_texts_are_written_as_rfc_8785_says() {
        for (content, canonical) in [
            (
                "[4.50, 2e-3, 1.0, -0.0, 9999999999999.99, 9007199254740991]",
                "[4.5,0.002,1,0,9999999999999.99,9007199254740991]",
            ),
            (
                r#"{ "\ufb33": 3, "\ud83d\ude00": 5, "total": 1600 }"#,
                "{\"total\":1600,\"😀\":5,\"\u{fb33}\":3}",
            ),
            (r#""\u20ac\u000F\u000a\/\u2028""#, "\"€\\u000f\\n/\u{2028}\""),
        ] {
            let form = of(content).unwrap();
            assert!(form.starts_with(&format!("{{\"document\":{canonical},")), "{form}");
        }
    }

    #[test]
    fn a_number_that_readers_round_is_refused() {
        for number in ["9007199254740992", "-9007199254740993", "18446744073709551615"] {
            assert!(of(&format!("{{\"of\": [{number}]}}")).is_err(), "{number}");
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
