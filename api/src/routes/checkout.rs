//! Checkout routes. The worker computes prices and decides.

use axum::Json;
use serde::Serialize;
use shared::about;
use shared::email::Email;
use shared::ids::{CartId, OrganisationId};
use shared::messages::{LearnerAccount, StartCheckout};
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};
use crate::extract::{
    Body, CheckoutRoom, ClientSecret, Commander, Fields, Guest, Learner, ReadFields, Visitor,
};
use crate::openapi::parameters::{IdempotencyKey, VisitorCountry, VisitorName};
use crate::read::basket::{CheckoutRequest, basket};
use crate::views::checkouts::CheckoutReply;

/// A guest's basket.
#[derive(Serialize, ToSchema)]
pub struct GuestCheckoutRequest {
    /// The purchaser's address.
    #[schema(value_type = String, format = Email, examples("ada@example.com"))]
    email: Email,
    // As a learner sends it.
    #[serde(flatten)]
    #[schema(inline)]
    checkout: CheckoutRequest,
}

impl ReadFields for GuestCheckoutRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (email, checkout) = (fields.required("email"), CheckoutRequest::read(fields));
        Some(Self { email: email?, checkout: checkout? })
    }
}

/// Check out a guest's basket
///
/// The service computes all prices, by the visitor's country. If the basket is free and the address has an account, the
/// service enrolls it at once; otherwise it mails a registration link, and enrolls the address once it has registered. For
/// a paid basket, it answers once the payment provider knows the payment. The same basket with the same billing address
/// again returns the same attempt. Another address, another voucher or, for a paid basket, another `X-Visitor-Id` starts a
/// new attempt. Without that header, another visitor who sends the same email address and basket gets the first visitor's
/// payment. Neither the price nor the answer depends on what the address has bought before, except that a voucher with a
/// limit for one buyer is refused as used up.
#[utoipa::path(
    post,
    path = "/storeapi/discovery/guest/checkout/",
    tag = "checkout",
    security(("client" = [])),
    request_body = GuestCheckoutRequest,
    params(IdempotencyKey, VisitorCountry, VisitorName),
    operation_id = "check_out_as_guest",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "invalid_items", "guest_only", "not_configured", "gateway_error"]))),
    responses((status = 200, body = CheckoutReply, description = "What the checkout leads to."))
)]
pub async fn guest(
    _: CheckoutRoom,
    commander: Commander<Guest>,
    visitor: Visitor,
    Body(request): Body<GuestCheckoutRequest>,
) -> ApiResult<Json<CheckoutReply>> {
    let GuestCheckoutRequest { email, checkout } = request;
    commander.limited_by(&email)?;
    commander.reaches(&email)?;
    start(commander, email, None, checkout, visitor).await
}

/// Check out a signed-in learner's basket
///
/// Works as for a guest, for the learner whose session the caller forwards. Another basket of the same learner replaces one
/// that is not paid yet; the service continues to watch a payment on which the provider still works. A learner who holds a
/// lower mode of a course pays the difference between the modes' prices. For an item that the learner holds already, in a
/// mode that costs as much or through an earlier purchase of the same program, there is nothing to pay, and nothing
/// changes. A program is refused (`invalid_items`) if the learner holds all of its courses from other sources.
#[utoipa::path(
    post,
    path = "/storeapi/discovery/checkout/",
    tag = "checkout",
    security(("client_for_learner" = [])),
    request_body = CheckoutRequest,
    params(IdempotencyKey, VisitorCountry, VisitorName),
    operation_id = "check_out",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "invalid_items", "forbidden", "not_configured", "gateway_error"]))),
    responses((status = 200, body = CheckoutReply, description = "What the checkout leads to."))
)]
pub async fn learner(
    _: CheckoutRoom,
    _: ClientSecret,
    commander: Commander<Learner>,
    visitor: Visitor,
    Body(checkout): Body<CheckoutRequest>,
) -> ApiResult<Json<CheckoutReply>> {
    let (email, account) = (commander.caller.0.email.clone(), commander.caller.account());
    start(commander, email, Some(account), checkout, visitor).await
}

async fn start<C>(
    commander: Commander<C>,
    email: Email,
    learner: Option<LearnerAccount>,
    checkout: CheckoutRequest,
    Visitor(country): Visitor,
) -> ApiResult<Json<CheckoutReply>> {
    // The hash leaves the country out: a visitor may travel or change proxies between two attempts of one request.
    let idempotency = commander.idempotency(&(&email, &checkout))?;
    let is_guest = learner.is_none();
    if let Some(unreachable) = checkout.gift.as_ref().and_then(|gift| commander.unreachable(&gift.email)) {
        return Err(ApiError::invalid("gift.email", unreachable));
    }
    let command = StartCheckout {
        items: basket(&checkout.items, 1)?,
        email,
        learner,
        organisation_id: OrganisationId(checkout.organisation_id),
        billing_address: checkout.billing_address,
        voucher: checkout.voucher,
        country,
        consents: checkout.consents.unwrap_or_default(),
        language: checkout.language,
        pay_by: checkout.pay_by,
        expected_total: checkout.expected_total,
        gift: checkout.gift,
        labels: checkout.labels,
        // A learner has proved who they are.
        visitor_id: if is_guest { commander.visitor_id() } else { None },
        idempotency,
    };
    let has_code = command.voucher.is_some();
    let answer = commander.send_with_code(command, has_code, Some(CartId(commander.id)), |_| false).await?;
    about::cart(answer.cart_id());
    Ok(Json(answer.into()))
}
