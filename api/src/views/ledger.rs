//! JSON and CSV of the ledger, row by row.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use utoipa::ToSchema;

use super::csv::Cell;
use super::orders::{label_cells, moment};
use super::price::{number, optional_number};
use super::report::ReportRow;
use crate::openapi::schemas;
use crate::queries::ledger::Movement;
use crate::words::MovementKind;
use shared::gateway::Gateway;
use uuid::Uuid;

/// One movement of money. The movements of a transaction add up to what the organisation has of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Movement)]
pub struct MovementBody {
    /// Grows with each movement, with gaps.
    seq: i64,
    at: DateTime<Utc>,
    /// The day of `at` in the seller's time zone, which is UTC without a `seller`.
    day: NaiveDate,
    kind: MovementKind,
    cart_id: Uuid,
    transaction_id: Uuid,
    /// Null unless a refund moved the money.
    refund_id: Option<Uuid>,
    /// Positive: to the organisation.
    #[serde(serialize_with = "number")]
    #[schema(value_type = f64, example = -49.99)]
    amount: Decimal,
    /// The part of `amount` that is tax, with the same sign.
    #[serde(serialize_with = "number")]
    #[schema(value_type = f64, example = -7.98)]
    tax: Decimal,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    #[schema(value_type = Gateway)]
    gateway: String,
    /// The provider's id of the payment, refund or dispute.
    provider_reference: Option<String>,
    /// The visitor's country at the checkout, if it was known. Regional prices follow it; `tax_country` names the place of the tax.
    region: Option<String>,
    /// Price of the order without discounts; null unless the movement is the payment.
    #[serde(serialize_with = "optional_number")]
    #[schema(value_type = Option<f64>, minimum = 0, example = 59.99)]
    list_price: Option<Decimal>,
    /// `list_price`, with the tax that is charged on top of prices, less what was paid; null unless the movement is the payment.
    #[serde(serialize_with = "optional_number")]
    #[schema(value_type = Option<f64>, minimum = 0, example = 10)]
    discounts: Option<Decimal>,
    /// The part of `discounts` that a voucher gave; null without one, and unless the movement is the payment.
    #[serde(serialize_with = "optional_number")]
    #[schema(value_type = Option<f64>, exclusive_minimum = 0, example = 5)]
    voucher_discount: Option<Decimal>,
    /// The code of the order's voucher.
    #[schema(example = "SPRING-26")]
    voucher: Option<String>,
    /// The voucher's campaign.
    campaign: Option<String>,
    /// The number of the invoice of a payment, or of the credit note of a refund; null before it is issued, and for other
    /// movements.
    #[schema(max_length = 16, example = "NW26-000001")]
    document_number: Option<String>,
    /// The country whose rate the order was taxed with; null if the organisation was no seller then.
    #[schema(pattern = "^[A-Z]{2}$", example = "DE")]
    tax_country: Option<String>,
    /// The state of it, where one was known.
    tax_state: Option<String>,
    /// All taxes of the order together, in percent of its net; 0 where nothing is taxed. An order has one rate. Null if the
    /// organisation was no seller then.
    #[serde(serialize_with = "optional_number")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 100, example = 19)]
    tax_rate: Option<Decimal>,
    /// The order's: a tag of BCP 47.
    #[schema(max_length = 35, example = "pt-BR")]
    language: String,
    /// How the buyer's or the seller's own systems know the order; null if the checkout named none.
    #[schema(max_length = 64, example = "PO-2026-0117")]
    reference: Option<String>,
    /// As the checkout gave it; empty if it gave none.
    #[schema(value_type = schemas::Metadata)]
    metadata: BTreeMap<String, String>,
    /// The bank's day of a payment that the organisation has reported itself: the last one of several transfers, in the seller's time
    /// zone. It can be in an earlier period than `day`, on which it was reported. Null for other movements.
    bank_day: Option<NaiveDate>,
    /// The bank's references of these transfers, with a semicolon between them.
    #[schema(example = "2026-01-05/0007")]
    bank_reference: Option<String>,
    /// The tax number of the buyer on the order's newest invoice, by which an EC sales list names a company; null without one.
    #[schema(example = "FR40303265045")]
    tax_id: Option<String>,
    /// Indicates whether that invoice leaves the tax to the buyer.
    reverse_charge: bool,
}

impl From<Movement> for MovementBody {
    fn from(movement: Movement) -> Self {
        Self {
            seq: movement.seq,
            at: movement.at,
            day: movement.day,
            kind: movement.kind,
            cart_id: movement.cart_id.into(),
            transaction_id: movement.transaction_id.into(),
            refund_id: movement.refund_id.map(Into::into),
            amount: movement.amount,
            tax: movement.tax,
            currency: movement.currency.code(),
            gateway: movement.gateway,
            provider_reference: movement.provider_reference,
            region: movement.region,
            list_price: movement.list_price,
            discounts: movement.discounts,
            voucher_discount: movement.voucher_discount,
            voucher: movement.voucher,
            campaign: movement.campaign,
            document_number: movement.document,
            tax_country: movement.tax_country,
            tax_state: movement.tax_state,
            tax_rate: movement.tax_rate,
            language: movement.language,
            reference: movement.reference,
            metadata: movement.metadata,
            bank_day: movement.bank_day,
            bank_reference: movement.bank_reference,
            tax_id: movement.tax_id,
            reverse_charge: movement.reverse_charge,
        }
    }
}

impl ReportRow for MovementBody {
    const COLUMNS: &[&str] = &[
        "seq",
        "at",
        "day",
        "kind",
        "cart_id",
        "transaction_id",
        "refund_id",
        "amount",
        "tax",
        "currency",
        "gateway",
        "provider_reference",
        "region",
        "list_price",
        "discounts",
        "voucher_discount",
        "voucher",
        "campaign",
        "document_number",
        "tax_country",
        "tax_state",
        "tax_rate",
        "language",
        "reference",
        "metadata",
        "bank_day",
        "bank_reference",
        "tax_id",
        "reverse_charge",
    ];

    fn cells(self) -> Vec<Cell> {
        let [reference, metadata] = label_cells(self.reference, &self.metadata);
        vec![
            Cell::value(self.seq),
            Cell::value(moment(self.at)),
            Cell::value(self.day),
            Cell::value(self.kind),
            Cell::value(self.cart_id),
            Cell::value(self.transaction_id),
            Cell::optional(self.refund_id),
            // A number and no text, so that a spreadsheet adds negative amounts up.
            Cell::value(self.amount),
            Cell::value(self.tax),
            Cell::value(self.currency),
            Cell::value(self.gateway),
            Cell::optional_text(self.provider_reference),
            Cell::optional_text(self.region),
            Cell::optional(self.list_price),
            Cell::optional(self.discounts),
            Cell::optional(self.voucher_discount),
            Cell::optional_text(self.voucher),
            Cell::optional_text(self.campaign),
            Cell::optional_text(self.document_number),
            Cell::optional_text(self.tax_country),
            Cell::optional_text(self.tax_state),
            Cell::optional(self.tax_rate),
            Cell::value(self.language),
            reference,
            metadata,
            Cell::optional(self.bank_day),
            Cell::optional_text(self.bank_reference),
            Cell::optional_text(self.tax_id),
            Cell::value(self.reverse_charge),
        ]
    }
}
