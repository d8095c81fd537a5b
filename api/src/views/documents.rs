//! The JSON of an invoice or a credit note. The worker writes it when it issues the document; here it is described.

use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::openapi::words;

/// The bytes of a PDF.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "describes what is stored")]
pub struct PdfFile(Vec<u8>);

/// Content of an invoice or a credit note. Amounts of a credit note are positive, too.
#[derive(ToSchema)]
#[schema(as = Document)]
#[expect(dead_code, reason = "describes what is stored")]
pub struct DocumentBody {
    kind: words::DocumentKind,
    #[schema(max_length = 16, example = "NW26-000001")]
    number: String,
    /// The number of the invoice that a credit note takes back, in whole or in part; null for an invoice.
    refers_to: Option<String>,
    issued_on: NaiveDate,
    /// Time when the buyer paid.
    supplied_on: NaiveDate,
    cart_id: Uuid,
    gateway: words::GatewayName,
    #[schema(pattern = "^[A-Z]{3}$", example = "EUR")]
    currency: String,
    seller: DocumentSeller,
    buyer: DocumentBuyer,
    /// The country whose rate the order was taxed with; left out if the order was placed before the organisation charged tax.
    #[schema(nullable = false, pattern = "^[A-Z]{2}$", example = "SE")]
    tax_country: Option<String>,
    /// The state of it; left out where none was known.
    #[schema(nullable = false)]
    tax_state: Option<String>,
    lines: Vec<DocumentLine>,
    /// The sums by tax.
    taxes: Vec<DocumentTax>,
    #[schema(minimum = 0, example = 192)]
    net: f64,
    #[schema(minimum = 0, example = 48)]
    tax: f64,
    #[schema(minimum = 0, example = 240)]
    total: f64,
    /// Texts at its end.
    notes: Vec<String>,
}

/// The organisation, as its record in the catalog names it.
#[derive(Serialize, ToSchema)]
pub struct DocumentSeller {
    legal_name: String,
    line1: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    line2: Option<String>,
    city: String,
    postal_code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    state: Option<String>,
    #[schema(pattern = "^[A-Z]{2}$")]
    country: String,
    tax_ids: Vec<DocumentTaxId>,
    invoice_prefix: String,
    credit_note_prefix: String,
    #[schema(minimum = 1, maximum = 12)]
    fiscal_year_starts: u32,
    #[schema(example = "Europe/Stockholm")]
    time_zone: String,
    prices_include_tax: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    footer: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct DocumentTaxId {
    #[schema(example = "VAT ID")]
    name: String,
    value: String,
}

#[derive(Serialize, ToSchema)]
pub struct DocumentBuyer {
    email: String,
    name: Option<String>,
    line1: Option<String>,
    line2: Option<String>,
    city: Option<String>,
    state: Option<String>,
    postal_code: Option<String>,
    country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    company: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tax_id: Option<String>,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what is stored")]
pub struct DocumentLine {
    /// The position in the order, from 0.
    #[schema(minimum = 0)]
    position: i32,
    description: String,
    #[schema(minimum = 1)]
    quantity: u32,
    #[schema(minimum = 0, example = 192)]
    net: f64,
    /// All taxes together, in percent.
    #[schema(minimum = 0, maximum = 100, example = 25)]
    rate: f64,
    #[schema(minimum = 0, example = 48)]
    tax: f64,
    #[schema(minimum = 0, example = 240)]
    total: f64,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what is stored")]
pub struct DocumentTax {
    #[schema(example = "VAT")]
    name: String,
    #[schema(minimum = 0, maximum = 100, example = 25)]
    rate: f64,
    /// Amount that is taxed.
    #[schema(minimum = 0, example = 192)]
    net: f64,
    #[schema(minimum = 0, example = 48)]
    tax: f64,
}
