//! Decimals as JSON numbers or strings, parsed from the text so that 49.99 does not become 49.9899….

use rust_decimal::Decimal;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    shared::money::serialize_decimal(*value, serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    let text = match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::Number(number) => number.to_string(),
        serde_json::Value::String(text) => text,
        other => return Err(D::Error::custom(format!("{other} is not a decimal number"))),
    };
    text.parse().map_err(|_| D::Error::custom(format!("{text:?} is not a decimal number")))
}

/// Decimals that may be missing.
pub mod optional {
    use rust_decimal::Decimal;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => super::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decimal>, D::Error> {
        #[derive(Deserialize)]
        struct Present(#[serde(with = "super")] Decimal);
        Ok(Option::<Present>::deserialize(deserializer)?.map(|present| present.0))
    }
}
