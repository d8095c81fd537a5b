//! The labels that the seller's own systems give an order, as requests write them.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::messages::{FieldError, Labels};
use shared::typed::given;
use utoipa::ToSchema;

use crate::extract::{FieldValue, Fields};
use crate::openapi::schemas;

/// Maximum length of a reference in characters.
pub const REFERENCE: usize = 64;

const PAIRS: usize = 20;
const NAME: usize = 40;
const VALUE: usize = 200;

/// The fields of [`Labels`], as each request that has them describes them.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `read` reads")]
pub struct LabelFields {
    /// How the caller's own systems know the order: a purchase order or a deal, for example. The order, its events, the reports and the
    /// invoice show it. The same basket with another one is the same attempt, which keeps its first one.
    #[schema(max_length = 64, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$", example = "PO-2026-0117")]
    reference: Option<String>,
    /// What else the caller's own systems want to know of the order, such as a campaign. The order, its events and the reports show it to
    /// keys of the organisation.
    #[schema(value_type = Option<schemas::Metadata>)]
    metadata: Option<BTreeMap<String, String>>,
}

/// Reads `reference` and `metadata`. A blank reference and empty metadata count as absent.
pub fn read(fields: &mut Fields) -> Option<Labels> {
    let reference = fields.optional_unless_blank::<Reference>("reference");
    let metadata = fields.optional::<Metadata>("metadata");
    let metadata = metadata?.map(|Metadata(pairs)| pairs).filter(|pairs| !pairs.is_empty());
    Some(Labels { reference: reference?.and_then(|Reference(text)| text), metadata })
}

struct Reference(Option<String>);

impl FieldValue for Reference {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        text(value, path, REFERENCE).map(|text| Self(given(Some(text))))
    }
}

struct Metadata(BTreeMap<String, String>);

impl FieldValue for Metadata {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let Value::Object(pairs) = value else {
            return Err(vec![FieldError::new(path, "must be an object of texts")]);
        };
        if pairs.len() > PAIRS {
            return Err(vec![FieldError::new(path, format!("has more than {PAIRS} pairs"))]);
        }
        let (mut read, mut errors) = (BTreeMap::new(), Vec::new());
        for (name, value) in pairs {
            // The error repeats the client's own name, so limit its length.
            let place = format!("{path}.{}", name.chars().take(NAME).collect::<String>());
            // Stripe refuses brackets in names: https://docs.stripe.com/metadata
            let is_wrong = |letter: char| letter.is_control() || "[]".contains(letter);
            if name.is_empty() || name.chars().count() > NAME || name.chars().any(is_wrong) {
                let message = format!("must have a name of 1 to {NAME} characters without [ and ]");
                errors.push(FieldError::new(&place, message));
            }
            match text(value, &place, VALUE) {
                Ok(value) => drop(read.insert(name, value)),
                Err(faults) => errors.extend(faults),
            }
        }
        if errors.is_empty() { Ok(Self(read)) } else { Err(errors) }
    }
}

fn text(value: Value, path: &str, most: usize) -> Result<String, Vec<FieldError>> {
    let text = String::read(value, path)?;
    match text.chars().count() > most {
        true => Err(vec![FieldError::new(path, format!("is longer than {most} characters"))]),
        false => Ok(text),
    }
}
