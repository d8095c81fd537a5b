//! Decimals as JSON numbers; strings are read, too.

use rust_decimal::Decimal;
use serde::Serializer;
pub use shared::money::{deserialize_decimal as deserialize, optional_decimal as optional};

pub fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    shared::money::serialize_decimal(*value, serializer)
}
