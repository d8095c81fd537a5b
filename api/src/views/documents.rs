//! The forms of an invoice or a credit note. The worker wrote the JSON and the PDF when it issued the document.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use shared::gateway::Gateway;
use shared::gst::PlaceOfSupply;
use shared::service_code::ServiceCode;
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};
use crate::request_log;
use crate::words::DocumentKind;
use uuid::Uuid;

/// The bytes of a PDF.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub struct PdfFile(pub Vec<u8>);

impl IntoResponse for PdfFile {
    fn into_response(self) -> Response {
        let media_type = [(header::CONTENT_TYPE, HeaderValue::from_static("application/pdf"))];
        (media_type, self.0).into_response()
    }
}

/// The bytes of a file of another system.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub struct OriginalFile(pub Vec<u8>);

impl IntoResponse for OriginalFile {
    fn into_response(self) -> Response {
        let media_type = [(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"))];
        (media_type, self.0).into_response()
    }
}

/// An e-invoice: an `Invoice` or a `CreditNote` of UBL 2.1, or a `CrossIndustryInvoice`.
#[derive(ToSchema)]
pub struct XmlFile(pub String);

impl IntoResponse for XmlFile {
    fn into_response(self) -> Response {
        let media_type = [(header::CONTENT_TYPE, HeaderValue::from_static("application/xml"))];
        (media_type, self.0).into_response()
    }
}

/// Content of an invoice or a credit note. Amounts of a credit note are positive, too.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = Document)]
pub struct DocumentBody {
    kind: DocumentKind,
    /// Null until another program, which issues it under its own numbers, has reported it.
    #[schema(max_length = 64, example = "NW26-000001")]
    number: Option<String>,
    /// The number of the invoice that a credit note takes back, in whole or in part; null for an invoice.
    refers_to: Option<String>,
    /// The number under which an authority knows that invoice. Left out if it has cleared none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    refers_to_cleared: Option<String>,
    issued_on: NaiveDate,
    /// Day on which the access began: on which the buyer paid, or placed an order on account. Left out while that waits for the
    /// payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    supplied_on: Option<NaiveDate>,
    cart_id: Uuid,
    /// How the buyer's or the seller's own systems know the order; left out if the checkout named none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 64, example = "PO-2026-0117")]
    reference: Option<String>,
    /// Of an invoice on account: how it is to be paid. Left out of what was paid when it was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    payment: Option<DocumentPayment>,
    /// True for an invoice on account, and for a credit note that cancels an unpaid one; left out of the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    unpaid: bool,
    gateway: Gateway,
    #[schema(pattern = "^[A-Z]{3}$", example = "EUR")]
    currency: String,
    seller: DocumentSeller,
    buyer: DocumentBuyer,
    /// The country whose rate the order was taxed with; left out if the order was placed before the organisation charged tax.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[A-Z]{2}$", example = "SE")]
    tax_country: Option<String>,
    /// The state of it; left out where none was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tax_state: Option<String>,
    /// The same place as India's GST names it; left out unless the seller is in India.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    place_of_supply: Option<PlaceOfSupply>,
    /// Left out unless the buyer declares the tax.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reverse_charge: Option<DocumentReverseCharge>,
    lines: Vec<DocumentLine>,
    /// The sums by tax.
    taxes: Vec<DocumentTax>,
    #[schema(value_type = f64, minimum = 0, example = 192)]
    net: Number,
    #[schema(value_type = f64, minimum = 0, example = 48)]
    tax: Number,
    #[schema(value_type = f64, minimum = 0, example = 240)]
    total: Number,
    /// The tax in the currency of the seller's state; left out unless its law asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    converted_tax: Option<DocumentConvertedTax>,
    /// Texts at its end.
    notes: Vec<String>,
    /// The reason why the rate is 0, which is one of the notes; left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Exempt, article 132 of Directive 2006/112/EC")]
    exemption: Option<String>,
    /// The language of its words, as a tag of BCP 47. The seller's own words, such as the name of a tax, stay as they are.
    #[serde(default = "english")]
    #[schema(max_length = 35, example = "sv")]
    language: String,
    /// What an authority has added. Left out of what none has cleared.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    clearance: Option<DocumentClearance>,
    /// Total that another program has issued. Left out of what the storefront issues.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, nullable = false, minimum = 0, example = 240)]
    reported_total: Option<Number>,
    /// Its place in the chain of the seller's documents. Left out of what was issued outside of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    chain: Option<DocumentChain>,
}

fn english() -> String {
    "en".to_owned()
}

impl DocumentBody {
    /// A document as the worker stored it, with the same numbers.
    pub fn stored(content: Value) -> ApiResult<Self> {
        serde_json::from_value(content).map_err(|error| {
            request_log::failed(format_args!("unreadable content of a stored document: {error}"));
            ApiError::Internal
        })
    }
}

/// Tax in another currency than the document's.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentConvertedTax {
    at: DocumentExchangeRate,
    #[schema(value_type = f64, minimum = 0, example = 529.13)]
    tax: Number,
}

/// Exchange rate of a day. A credit note has that of its invoice.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentExchangeRate {
    #[schema(pattern = "^[A-Z]{3}$", example = "SEK")]
    currency: String,
    /// Units of the currency for one of the document's.
    #[schema(value_type = f64, minimum = 0, example = 11.0235)]
    rate: Number,
    day: NaiveDate,
    /// Publisher of the rate.
    #[schema(example = "Riksbanken")]
    source: String,
}

/// How and until when an invoice is to be paid.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentPayment {
    due_on: NaiveDate,
    /// The creditor reference of ISO 11649 that the buyer gives with the transfer.
    #[schema(example = "RF18539007547034")]
    reference: String,
    /// The seller's account, a line each.
    bank_lines: Vec<String>,
}

/// Facts that an authority has added to a document, as they were reported.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentClearance {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "KSeF")]
    authority: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "5265877635-20261124-0100001AF629-AF")]
    number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    at: Option<DateTime<FixedOffset>>,
    /// Content of the QR code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    qr: Option<String>,
}

/// The place of a document in the chain of its seller's documents: each carries the digest of the one before it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentChain {
    /// From 1, of invoices and credit notes together.
    #[schema(minimum = 1)]
    position: i64,
    /// The digest of the one before it; null for the first.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    previous: Option<String>,
    /// SHA-256 of its canonical form.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    digest: String,
}

/// Evidence that the buyer declares the tax: the answer of VIES, the EU's register of VAT IDs.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentReverseCharge {
    /// The buyer's, as VIES writes it.
    #[schema(example = "DE123456789")]
    vat_id: String,
    /// The number under which VIES can prove that the VAT ID was valid.
    #[schema(example = "WAPIAAAAZdPWFsMr")]
    consultation_number: String,
}

/// The organisation, as its record in the catalog names it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
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
    /// Who issues its documents, if not the storefront alone: `cleared` by an authority first, or by an `external` program.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^(cleared|external)$")]
    documents: Option<String>,
    /// The currency of its state, in which documents state the VAT, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[A-Z]{3}$", example = "SEK")]
    vat_currency: Option<String>,
    /// Code of what it sells, where a line says nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    service_code: Option<ServiceCode>,
    /// Person or department that buyers of an invoice ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    contact_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "+46 8 123 456")]
    phone: Option<String>,
    /// True if each document carries the digest of the one before it; left out otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    chained: bool,
    /// URL in the QR code of its documents, with names in braces for what differs from document to document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "https://shop.example/check?number={number}&digest={digest}")]
    qr_url: Option<String>,
    /// Where buyers write to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    footer: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentTaxId {
    #[schema(example = "VAT ID")]
    name: String,
    value: String,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
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

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentLine {
    /// The position in the order, from 0.
    #[schema(minimum = 0)]
    position: i32,
    description: String,
    /// Code of what was sold; left out if neither its course or program nor the seller has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    service_code: Option<ServiceCode>,
    #[schema(minimum = 1)]
    quantity: u32,
    /// Net price of one of several, rounded to two digits more than the currency has; left out of a line of one, and of older documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, nullable = false, minimum = 0, example = 15.3333)]
    unit_price: Option<Number>,
    #[schema(value_type = f64, minimum = 0, example = 192)]
    net: Number,
    /// All taxes together, in percent.
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 25)]
    rate: Number,
    #[schema(value_type = f64, minimum = 0, example = 48)]
    tax: Number,
    #[schema(value_type = f64, minimum = 0, example = 240)]
    total: Number,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentTax {
    #[schema(example = "VAT")]
    name: String,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 25)]
    rate: Number,
    /// Amount that is taxed.
    #[schema(value_type = f64, minimum = 0, example = 192)]
    net: Number,
    #[schema(value_type = f64, minimum = 0, example = 48)]
    tax: Number,
}
