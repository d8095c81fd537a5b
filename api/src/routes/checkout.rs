//! Checkout: a basket is parsed here, and quoted and decided by the worker.

use axum::Json;
use serde::Serialize;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{
    Account, BasketItem, BillingAddress, CheckoutAnswer, FieldError, ItemKind, StartCheckout,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult, CommandProblems};
use crate::extract::{Asking, Body, ClientSecret, FieldValue, Fields, Guest, Learner, ReadFields, Visitor};

/// The most that one basket may hold.
const MAX_ITEMS: usize = 50;

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

struct Billing(BillingAddress);

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
fn basket(items: &[RequestedItem]) -> ApiResult<Vec<BasketItem>> {
    if !(1..=MAX_ITEMS).contains(&items.len()) {
        let message = format!("must hold 1 to {MAX_ITEMS} items, not {}", items.len());
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

#[derive(Debug, Serialize, ToSchema)]
pub struct CheckoutReply {
    /// `free`: nothing to pay; granted, or held until the address registers.
    #[schema(example = "free")]
    status: &'static str,
    /// What the checkout made, or the attempt at the same basket that it joined.
    cart_id: Uuid,
}

/// Checkout for a guest
///
/// A free basket is granted to the address at once if it has an account; otherwise a registration link is sent and the
/// enrollment waits for that address to register. Prices are computed here, by the visitor's country.
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
    start(asking, email, None, checkout, visitor).await
}

/// Checkout for a signed-in learner
///
/// The same, for the learner whose session is forwarded. Who holds a lower mode of a course pays the difference, and who
/// holds one that costs as much pays nothing and keeps it.
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
    Learner(learner): Learner,
    asking: Asking,
    visitor: Visitor,
    Body(checkout): Body<CheckoutRequest>,
) -> ApiResult<Json<CheckoutReply>> {
    let account = Account {
        user_id: learner.user_id,
        username: learner.username.clone(),
        name: learner.name.clone(),
        is_active: learner.is_active,
    };
    start(asking, learner.email.clone(), Some(account), checkout, visitor).await
}

async fn start(
    asking: Asking,
    email: Email,
    learner: Option<Account>,
    checkout: CheckoutRequest,
    Visitor(country): Visitor,
) -> ApiResult<Json<CheckoutReply>> {
    // The country is part of what is bought: the same key from elsewhere is another request.
    let idempotency = asking.idempotency(&(&email, &checkout, country))?;
    let command = StartCheckout {
        items: basket(&checkout.items)?,
        email,
        learner,
        organisation_id: checkout.organisation_id,
        billing_address: checkout.billing_address,
        country,
        idempotency,
    };
    let CheckoutAnswer::Free { cart_id } = asking.ask(command, Some(asking.id)).await?;
    Ok(Json(CheckoutReply { status: "free", cart_id }))
}
