//! The billing address of checkouts and invoices, as requests write it.

use shared::messages::{BillingAddress, FieldError};
use utoipa::ToSchema;

use crate::extract::{FieldValue, Fields, ReadFields};

/// Maximum number of characters of a tax number.
const LONGEST_TAX_ID: usize = 32;

/// Blank fields count as absent.
#[derive(ToSchema)]
#[schema(as = BillingAddress)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "describes shared::messages::BillingAddress, which knows no OpenAPI")]
pub struct BillingAddressBody {
    #[schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    name: Option<String>,
    #[schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    line1: Option<String>,
    #[schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    line2: Option<String>,
    #[schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    city: Option<String>,
    #[schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    state: Option<String>,
    #[schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    postal_code: Option<String>,
    /// ISO 3166-1 alpha-2: `GB` and `GR`, not `UK` and `EL`.
    #[schema(pattern = "^([A-Za-z]{2})?$", example = "IN")]
    country: Option<String>,
    /// For invoices.
    #[schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    company: Option<String>,
    /// The buyer's tax number, for invoices. It changes no tax.
    #[schema(max_length = 32, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$", example = "DE123456789")]
    tax_id: Option<String>,
}

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
