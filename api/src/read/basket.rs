//! The basket of a checkout or a quote, as requests write it.

use rust_decimal::Decimal;
use serde::Serialize;
use shared::course_mode::CourseMode;
use shared::messages::{BasketItem, BillingAddress, FieldError, Gift, ItemKind, Labels, MOST_SEATS, PayBy};
use shared::money;
use shared::withdrawal::Consents;
use texts::Language;
use utoipa::ToSchema;
use uuid::Uuid;

use super::billing::Billing;
use super::consents::Given;
use super::labels::{self, LabelFields};
use crate::error::{ApiError, ApiResult};
use crate::extract::{Fields, ReadFields};

/// Maximum number of items in a basket.
const MAX_ITEMS: usize = 50;

/// One item of a basket. A client never sends a price.
// As the client sent it. The mode is still text: an unknown mode is a fault of the item (`invalid_items`), not of the
// request's form.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CheckoutItem)]
pub struct RequestedItem {
    #[schema(rename = "type")]
    kind: ItemKind,
    /// The service UUID of the course or program, not a course key.
    #[schema(example = "ad035fc9-afd5-49f2-85d8-8ac83dd05a77")]
    id: Uuid,
    /// A mode that is visible for purchase.
    #[schema(value_type = CourseMode, example = "verified")]
    mode: String,
    /// Buys as many seats for others instead of a place for the buyer.
    // Not in the hash of a request without it, which keeps its idempotency key across releases.
    #[schema(minimum = 1, maximum = 1000, example = 30)]
    #[serde(skip_serializing_if = "Option::is_none")]
    seats: Option<i32>,
}

impl ReadFields for RequestedItem {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (kind, id, mode) = (fields.required("type"), fields.required("id"), fields.required("mode"));
        let seats = fields.optional_number("seats", 1, MOST_SEATS.into());
        Some(Self { kind: kind?, id: id?, mode: mode?, seats: seats? })
    }
}

/// A signed-in learner's basket. The purchaser's address is that of the session.
#[derive(Debug, Serialize, ToSchema)]
pub struct CheckoutRequest {
    /// The organisation that sells all the items.
    #[schema(example = "b3cd5540-79c7-4e4f-867c-e0444d03ada6")]
    pub organisation_id: Uuid,
    /// Items without repeats, all in one currency.
    #[schema(min_items = 1, max_items = 50)]
    pub items: Vec<RequestedItem>,
    /// Some payment providers demand it.
    pub billing_address: Option<BillingAddress>,
    /// The code of a voucher, read in any case. A checkout refuses one that does not apply; a quote says why it does not.
    #[schema(max_length = 255, example = "SPRING-26")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voucher: Option<String>,
    /// What the buyer agrees to. A quote says what is required, and ignores what is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consents: Option<Consents>,
    /// In which the buyer reads the pages, mails and invoices of the order: a tag of BCP 47. Without it, the language that the course
    /// platform knows of a signed-in learner, else the first of the organisation's, else English.
    #[schema(value_type = Option<String>, max_length = 35, example = "pt-BR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// `invoice`: on account, if the organisation sells to the company of the `billing_address` so. Left out: through the
    /// organisation's gateway. Quotes ignore it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pay_by: Option<PayBy>,
    /// The total that the buyer has seen, in major units. A checkout refuses the basket if it costs another by now, and names the total.
    /// Quotes ignore it.
    #[serde(serialize_with = "money::serialize_optional_decimal", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = 0, example = 199)]
    pub expected_total: Option<Decimal>,
    /// Makes the order a gift to a recipient: one item with `seats` 1. A quote says which consents a gift needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gift: Option<Gift>,
    #[serde(flatten)]
    #[schema(inline, value_type = LabelFields)]
    pub labels: Labels,
}

impl ReadFields for CheckoutRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let organisation_id = fields.required("organisation_id");
        let items = fields.required("items");
        let billing_address = fields.optional("billing_address");
        let voucher = fields.optional_unless_blank("voucher");
        let consents = fields.optional("consents");
        let language = fields.optional_unless_blank("language");
        let pay_by = fields.optional("pay_by");
        let expected_total = fields.optional("expected_total");
        let gift = fields.optional("gift");
        let labels = labels::read(fields);
        Some(Self {
            organisation_id: organisation_id?,
            items: items?,
            billing_address: billing_address?.and_then(Billing::given),
            voucher: voucher?,
            consents: consents?.map(|Given(consents)| consents),
            language: language?,
            pay_by: pay_by?,
            expected_total: expected_total?,
            gift: gift?,
            labels: labels?,
        })
    }
}

/// The items as the worker expects them, after checking their number, modes and repeats.
pub fn basket(items: &[RequestedItem], least: usize) -> ApiResult<Vec<BasketItem>> {
    if !(least..=MAX_ITEMS).contains(&items.len()) {
        let message = format!("must hold {least} to {MAX_ITEMS} items, not {}", items.len());
        return Err(ApiError::InvalidItems(vec![FieldError::new("items", message)]));
    }
    let (mut basket, mut errors) = (Vec::with_capacity(items.len()), Vec::new());
    for (index, item) in items.iter().enumerate() {
        // A buyer may want a place and seats for others.
        let subject = |item: &RequestedItem| (item.kind, item.id, item.seats.is_some());
        if items.iter().take(index).any(|earlier| subject(earlier) == subject(item)) {
            errors.push(FieldError::new(format!("items[{index}].id"), "is in the basket already"));
        }
        match item.mode.parse::<CourseMode>() {
            Ok(mode) => basket.push(BasketItem { kind: item.kind, id: item.id, mode, seats: item.seats }),
            Err(error) => errors.push(FieldError::new(format!("items[{index}].mode"), error.to_string())),
        }
    }
    if errors.is_empty() { Ok(basket) } else { Err(ApiError::InvalidItems(errors)) }
}
