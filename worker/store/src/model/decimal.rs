//! Decimals as JSON numbers; strings are read, too.

use rust_decimal::Decimal;
use serde::Serializer;
pub use shared::money::deserialize_decimal as deserialize;

pub fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    shared::money::serialize_decimal(*value, serializer)
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
