//! The consents of a buyer, as checkouts write them.

use serde_json::Value;
use shared::messages::FieldError;
use shared::withdrawal::Consents;

use crate::extract::{FieldValue, Fields, ReadFields};

pub struct Given(pub Consents);

impl FieldValue for Given {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        Fields::read_object(value, path)
    }
}

impl ReadFields for Given {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (terms, begin_now) = (fields.optional("terms"), fields.optional("begin_now"));
        let loses_right = fields.optional("loses_right");
        Some(Self(Consents {
            terms: terms?.unwrap_or_default(),
            begin_now: begin_now?.unwrap_or_default(),
            loses_right: loses_right?.unwrap_or_default(),
        }))
    }
}
