//! The billing address of checkouts and invoices, as requests write it.

use shared::messages::{BillingAddress, FieldError};

use crate::extract::{FieldValue, Fields, ReadFields};

/// Maximum number of characters of a tax number.
const LONGEST_TAX_ID: usize = 32;

pub struct Billing(pub BillingAddress);

impl FieldValue for Billing {
    fn read(value: serde_json::Value, path: &str) -> Result<Self, Vec<FieldError>> {
        Fields::read_object(value, path)
    }
}

impl ReadFields for Billing {
    fn read(fields: &mut Fields) -> Option<Self> {
        let mut text = |name| fields.optional(name).map(given);
        let (name, line1, line2) = (text("name"), text("line1"), text("line2"));
        let (city, state) = (text("city"), text("state"));
        let postal_code = text("postal_code");
        let company = text("company");
        let tax_id = fields.optional_text("tax_id", LONGEST_TAX_ID).map(given);
        let country = fields.optional_unless_blank("country");
        Some(Self(BillingAddress {
            name: name?,
            line1: line1?,
            line2: line2?,
            city: city?,
            state: state?,
            postal_code: postal_code?,
            country: country?,
            company: company?,
            tax_id: tax_id?,
        }))
    }
}

impl Billing {
    /// The address; None if every field of it was blank.
    pub fn given(self) -> Option<BillingAddress> {
        Some(self.0).filter(|address| *address != BillingAddress::default())
    }
}

/// A text without the spaces around it; None if it is blank. Forms send fields that were left empty, and payment providers
/// refuse empty texts.
fn given(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}
