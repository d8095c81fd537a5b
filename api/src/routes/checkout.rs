//! Checkout: a basket is parsed here, and quoted and decided by the worker.

use axum::Json;
use serde::Serialize;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{
    Account, BasketItem, BillingAddress, CheckoutAnswer, FieldError, ItemKind, PayableCart, PaymentStart,
    StartCheckout,
};
use shared::money::Amount;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult, CommandProblems};
use crate::extract::{Asking, Body, ClientSecret, FieldValue, Fields, Guest, Learner, ReadFields, Visitor};
use crate::views::carts::ItemDetail;

/// The most that one basket may hold.
pub(super) const MAX_ITEMS: usize = 50;

#[derive(Debug, Serialize, ToSchema)]
pub struct GuestCheckoutRequest {
    /// The purchaser's.
    #[schema(value_type = String, example = "ada@example.com")]
    email: Email,
    #[serde(flatten)]
    checkout: CheckoutRequest,
}

/// One item of a basket. A client never sends a price.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes `RequestedItem`")]
pub struct CheckoutItem {
    /// `course` or `program`.
    #[schema(example = "course")]
    r#type: String,
    /// The service UUID, not a course key.
    id: Uuid,
    /// A mode that is visible for purchase.
    #[schema(example = "verified")]
    mode: String,
}

#[derive(ToSchema)]
#[schema(as = BillingAddress)]
#[expect(dead_code, reason = "describes shared::messages::BillingAddress, which knows no OpenAPI")]
pub struct BillingAddressBody {
    name: Option<String>,
    line1: Option<String>,
    line2: Option<String>,
    city: Option<String>,
    state: Option<String>,
    postal_code: Option<String>,
    /// ISO 3166.
    country: Option<String>,
}

/// An item as it was sent: whether its mode exists is a question of the item, not of the request's form.
#[derive(Debug, Serialize)]
pub struct RequestedItem {
    kind: ItemKind,
    id: Uuid,
    mode: String,
}

impl ReadFields for RequestedItem {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (kind, id, mode) = (fields.required("type"), fields.required("id"), fields.required("mode"));
        Some(Self { kind: kind?, id: id?, mode: mode? })
    }
}

/// A signed-in learner's: the address is the session's.
#[derive(Debug, Serialize, ToSchema)]
pub struct CheckoutRequest {
    organisation_id: Uuid,
    /// 1 to 50, without repeats; all in one currency.
    #[schema(value_type = Vec<CheckoutItem>)]
    items: Vec<RequestedItem>,
    /// May be demanded by the payment provider.
    #[schema(value_type = Option<BillingAddressBody>)]
    billing_address: Option<BillingAddress>,
}

impl ReadFields for CheckoutRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let organisation_id = fields.required("organisation_id");
        let items = fields.required("items");
        let billing_address = fields.optional("billing_address");
        Some(Self {
            organisation_id: organisation_id?,
            items: items?,
            billing_address: billing_address?.map(|Billing(address)| address),
        })
    }
}

impl ReadFields for GuestCheckoutRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (email, checkout) = (fields.required("email"), CheckoutRequest::read(fields));
        Some(Self { email: email?, checkout: checkout? })
    }
}

pub(super) struct Billing(pub BillingAddress);

impl FieldValue for Billing {
    fn read(value: serde_json::Value, path: &str) -> Result<Self, Vec<FieldError>> {
        Fields::read_object(value, path)
    }
}

impl ReadFields for Billing {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (name, line1, line2) =
            (fields.optional("name"), fields.optional("line1"), fields.optional("line2"));
        let (city, state) = (fields.optional("city"), fields.optional("state"));
        let (postal_code, country) = (fields.optional("postal_code"), fields.optional("country"));
        Some(Self(BillingAddress {
            name: name?,
            line1: line1?,
            line2: line2?,
            city: city?,
            state: state?,
            postal_code: postal_code?,
            country: country?,
        }))
    }
}

/// The items, once their number, modes and repeats have been judged.
pub(super) fn basket(items: &[RequestedItem], least: usize) -> ApiResult<Vec<BasketItem>> {
    if !(least..=MAX_ITEMS).contains(&items.len()) {
        let message = format!("must hold {least} to {MAX_ITEMS} items, not {}", items.len());
        return Err(ApiError::InvalidItems(vec![FieldError::new("items", message)]));
    }
    let (mut basket, mut errors) = (Vec::with_capacity(items.len()), Vec::new());
    for (index, item) in items.iter().enumerate() {
        if items.iter().take(index).any(|earlier| (earlier.kind, earlier.id) == (item.kind, item.id)) {
            errors.push(FieldError::new(format!("items[{index}].id"), "is in the basket already"));
        }
        match item.mode.parse::<CourseMode>() {
            Ok(mode) => basket.push(BasketItem { kind: item.kind, id: item.id, mode }),
            Err(error) => errors.push(FieldError::new(format!("items[{index}].mode"), error.to_string())),
        }
    }
    if errors.is_empty() { Ok(basket) } else { Err(ApiError::InvalidItems(errors)) }
}

/// What a checkout leads to. Of a free one only the status and the cart's id; else also how much is paid to whom, and what
/// the gateway's own page or script needs, by its style.
#[derive(Debug, Serialize, ToSchema)]
pub struct CheckoutReply {
    /// `free`: nothing to pay; granted, or held until the address registers. `success`: the provider waits for the buyer, and
    /// access follows its signed notification.
    #[schema(example = "success")]
    status: &'static str,
    /// What the checkout made, or the attempt at the same basket that it joined.
    cart_id: Uuid,
    #[serde(flatten)]
    paid: Option<PaidReply>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PaidReply {
    /// `stripe`, `mollie`, `razorpay` or `curlec`.
    #[schema(example = "stripe")]
    gateway: &'static str,
    #[schema(value_type = f64, example = 199)]
    total_price: Amount,
    #[schema(example = "USD")]
    currency: &'static str,
    items_detail: Vec<ItemDetail>,
    #[serde(flatten)]
    start: StartReply,
}

/// What the buyer pays with: of an intent (Stripe), a redirect (Mollie) or an order (Razorpay, Curlec).
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum StartReply {
    Intent {
        client_secret: String,
        publishable_key: String,
        /// For signed-in learners; left out when unavailable.
        #[serde(skip_serializing_if = "Option::is_none")]
        customer_session_client_secret: Option<String>,
    },
    Redirect {
        redirect_url: String,
        payment_id: String,
    },
    Order {
        order_id: String,
        key_id: String,
        /// In subunits of the currency.
        amount: i64,
    },
}

impl From<PaymentStart> for StartReply {
    fn from(start: PaymentStart) -> Self {
        match start {
            PaymentStart::Intent { client_secret, publishable_key, customer_session_client_secret } => {
                Self::Intent { client_secret, publishable_key, customer_session_client_secret }
            }
            PaymentStart::Redirect { redirect_url, payment_id } => {
                Self::Redirect { redirect_url, payment_id }
            }
            PaymentStart::Order { order_id, key_id, amount } => Self::Order { order_id, key_id, amount },
        }
    }
}

impl From<CheckoutAnswer> for CheckoutReply {
    fn from(answer: CheckoutAnswer) -> Self {
        match answer {
            CheckoutAnswer::Free { cart_id } => Self { status: "free", cart_id, paid: None },
            CheckoutAnswer::Success(cart) => {
                let PayableCart { cart_id, gateway, total, items, start } = *cart;
                let paid = PaidReply {
                    gateway: gateway.name(),
                    total_price: Amount(total),
                    currency: total.currency().code(),
                    items_detail: items.into_iter().map(ItemDetail::from).collect(),
                    start: start.into(),
                };
                Self { status: "success", cart_id, paid: Some(paid) }
            }
        }
    }
}

/// Checkout for a guest
///
/// A free basket is granted to the address at once if it has an account; otherwise a registration link is sent and the
/// enrollment waits for that address to register. Prices are computed here, by the visitor's country. A paid basket is
/// answered once the payment provider knows it; the same basket again returns the same attempt.
#[utoipa::path(
    post,
    path = "/storeapi/discovery/guest/checkout/",
    tag = "checkout",
    security(("client" = [])),
    request_body = GuestCheckoutRequest,
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "The same key and body give the same answer for 24 hours"),
        ("X-Visitor-Country" = Option<String>, Header, description = "ISO 3166 country of the visitor"),
    ),
    responses(
        (status = 200, body = CheckoutReply),
        CommandProblems,
    )
)]
pub async fn guest(
    _: ClientSecret,
    _: Guest,
    asking: Asking,
    visitor: Visitor,
    Body(GuestCheckoutRequest { email, checkout }): Body<GuestCheckoutRequest>,
) -> ApiResult<Json<CheckoutReply>> {
    asking.limited_by(&email)?;
    asking.reaches(&email)?;
    start(asking, email, None, checkout, visitor).await
}

/// Checkout for a signed-in learner
///
/// The same, for the learner whose session is forwarded. Another basket of the learner replaces one that is not paid yet. Who
/// holds a lower mode of a course pays the difference, and who holds one that costs as much pays nothing and keeps it.
#[utoipa::path(
    post,
    path = "/storeapi/discovery/checkout/",
    tag = "checkout",
    security(("client_for_learner" = [])),
    request_body = CheckoutRequest,
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "The same key and body give the same answer for 24 hours"),
        ("X-Visitor-Country" = Option<String>, Header, description = "ISO 3166 country of the visitor"),
    ),
    responses(
        (status = 200, body = CheckoutReply),
        CommandProblems,
    )
)]
pub async fn learner(
    _: ClientSecret,
    learner: Learner,
    asking: Asking,
    visitor: Visitor,
    Body(checkout): Body<CheckoutRequest>,
) -> ApiResult<Json<CheckoutReply>> {
    start(asking, learner.0.email.clone(), Some(learner.account()), checkout, visitor).await
}

async fn start(
    asking: Asking,
    email: Email,
    learner: Option<Account>,
    checkout: CheckoutRequest,
    Visitor(country): Visitor,
) -> ApiResult<Json<CheckoutReply>> {
    // Without the country: a visitor may travel, or change proxies, between two tries of one request.
    let idempotency = asking.idempotency(&(&email, &checkout))?;
    let command = StartCheckout {
        items: basket(&checkout.items, 1)?,
        email,
        learner,
        organisation_id: checkout.organisation_id,
        billing_address: checkout.billing_address,
        country,
        idempotency,
    };
    asking.ask(command, Some(asking.id)).await.map(|answer| Json(answer.into()))
}
