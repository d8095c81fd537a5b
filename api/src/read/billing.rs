//! The billing address of checkouts and invoices, as requests write it.

use shared::messages::{BillingAddress, FieldError};
use shared::tax_id::TaxId;
use shared::typed::given;

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
        let tax_id = tax_id(fields);
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

fn tax_id(fields: &mut Fields) -> Option<Option<TaxId>> {
    let id = fields.optional_text("tax_id", LONGEST_TAX_ID)?.map(TaxId::from);
    let id = id.filter(|id| !id.as_str().is_empty());
    if id.as_ref().is_some_and(TaxId::is_blank) {
        fields.error("tax_id", "has no letter or digit; leave it out if there is none");
        return None;
    }
    Some(id)
}
