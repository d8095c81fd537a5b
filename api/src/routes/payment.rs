//! Payment routes for learners of one organisation: their cart, its checkout, and the status of a payment.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use shared::gateway::Gateway;
use shared::messages::{BillingAddress, CheckoutCart, SetCart};
use utoipa::ToSchema;
use uuid::Uuid;

use super::pay::or_page;
use crate::error::{ApiError, ApiResult};
use crate::extract::{
    Body, CartOfCaller, CartOfLink, ClientSecret, Commander, EmptyBody, Fields, Learner, Member, ReadFields,
    Visitor, WantsPage,
};
use crate::gateways;
use crate::openapi::parameters::{CartInPath, IdempotencyKey, OrganisationName, VisitorCountry, VisitorName};
use crate::openapi::words;
use crate::queries::carts;
use crate::queries::organisations::SelectedOrganisation;
use crate::read::basket::{CheckoutItem, RequestedItem, basket};
use crate::read::billing::{Billing, BillingAddressBody};
use crate::response::private;
use crate::state::{App, AppState};
use crate::views::carts::{CartBody, StatusBody};
use crate::views::checkouts::CartCheckoutReply;
use crate::views::pages;

#[derive(Debug, Serialize, ToSchema)]
pub struct Capabilities {
    /// The organisation's gateway; null if it has chosen none.
    #[schema(value_type = Option<words::GatewayName>)]
    gateway: Option<String>,
    /// Indicates whether the organisation's credentials for its gateway exist.
    configured: bool,
    /// Indicates whether the gateway offers subscriptions, configured or not.
    supports_subscriptions: bool,
    /// Indicates whether the gateway hosts a page where buyers manage their payments, configured or not.
    supports_billing_portal: bool,
    /// The currency that the organisation sells in.
    #[schema(pattern = "^[A-Z]{3}$", example = "USD")]
    currency: String,
    /// Indicates whether prices contain the tax; if not, it is charged on top of them. Left out if the organisation
    /// charges no tax.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    prices_include_tax: Option<bool>,
}

impl From<SelectedOrganisation> for Capabilities {
    fn from(organisation: SelectedOrganisation) -> Self {
        let gateway: Option<Gateway> = organisation.gateway.as_deref().and_then(|name| name.parse().ok());
        let profile = gateway.map(gateways::profile);
        Self {
            configured: organisation.configured && organisation.gateway.is_some(),
            supports_subscriptions: profile.is_some_and(|profile| profile.has_subscriptions),
            supports_billing_portal: profile.is_some_and(|profile| profile.has_billing_portal),
            gateway: organisation.gateway,
            currency: organisation.currency,
            prices_include_tax: organisation.prices_include_tax,
        }
    }
}

/// Tell what the organisation's gateway can do
///
/// Also says in which currency the organisation sells, and whether its prices contain the tax.
#[utoipa::path(
    get,
    path = "/storeapi/payment/capabilities/",
    tag = "checkout",
    security(("learner" = [])),
    params(OrganisationName),
    operation_id = "get_payment_capabilities",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    responses((status = 200, body = Capabilities, description = "The gateway and its capabilities."))
)]
pub async fn capabilities(Member { organisation, .. }: Member) -> Response {
    private(Capabilities::from(organisation))
}

/// The new content of the learner's cart.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CartRequest {
    /// Items without repeats, all in one currency. An empty array empties the cart.
    #[schema(value_type = Vec<CheckoutItem>, max_items = 50)]
    items: Vec<RequestedItem>,
    /// Some payment providers demand it.
    #[schema(value_type = Option<BillingAddressBody>)]
    billing_address: Option<BillingAddress>,
    /// The code of a voucher, which the checkout of the cart uses. Read in any case; one that does not apply is refused.
    #[schema(max_length = 255, example = "SPRING-26")]
    #[serde(skip_serializing_if = "Option::is_none")]
    voucher: Option<String>,
}

impl ReadFields for CartRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (items, billing_address) = (fields.required("items"), fields.optional("billing_address"));
        let voucher = fields.optional_unless_blank("voucher");
        let billing_address = billing_address?.and_then(Billing::given);
        Some(Self { items: items?, billing_address, voucher: voucher? })
    }
}

/// Show the learner's cart
///
/// At the prices of the time when it was filled. Checkout computes the prices again.
#[utoipa::path(
    get,
    path = "/storeapi/payment/cart/",
    tag = "extensions",
    security(("learner" = [])),
    params(OrganisationName),
    operation_id = "get_cart",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    responses((status = 200, body = CartBody, description = "The cart, also if it is empty."))
)]
pub async fn cart(
    Member { learner: Learner(learner), organisation }: Member,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    let cart = carts::of_learner(&app.db, learner.user_id, organisation.id).await?;
    let lines = match &cart {
        Some(cart) => carts::lines(&app.db, cart).await?,
        None => Vec::new(),
    };
    Ok(private(CartBody::stored(cart, lines, organisation.currency)))
}

/// Fill the learner's cart
///
/// Replaces the items of the cart. If the payment of the cart was started, the service asks the provider for its state and
/// then makes a new cart; a payment that has succeeded stays valid.
#[utoipa::path(
    put,
    path = "/storeapi/payment/cart/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = [])),
    request_body = CartRequest,
    params(OrganisationName, IdempotencyKey, VisitorCountry, VisitorName),
    operation_id = "set_cart",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "invalid_items", "forbidden", "not_configured", "gateway_error"]))),
    responses((status = 200, body = CartBody, description = "The cart as it is now."))
)]
pub async fn set_cart(
    _: Option<ClientSecret>,
    commander: Commander<Member>,
    Visitor(country): Visitor,
    Body(request): Body<CartRequest>,
) -> ApiResult<Response> {
    let Member { learner, organisation } = &commander.caller;
    let command = SetCart {
        email: learner.0.email.clone(),
        learner: learner.account(),
        organisation_id: organisation.id,
        idempotency: commander.idempotency(&(organisation.id, &request))?,
        items: basket(&request.items, 0)?,
        billing_address: request.billing_address,
        voucher: request.voucher,
        country,
    };
    let has_code = command.voucher.is_some();
    let cart = commander.send_with_code(command, has_code, None, |_| false).await?;
    Ok(private(CartBody::answered(cart, organisation.currency.clone())))
}

/// Check out the learner's cart
///
/// At the prices of now, for the country that the cart was filled with. A repetition returns the same attempt. The service
/// refuses any body.
#[utoipa::path(
    post,
    path = "/storeapi/payment/checkout/",
    tag = "checkout",
    security(("learner" = []), ("client_for_learner" = [])),
    params(OrganisationName, IdempotencyKey, VisitorName),
    operation_id = "check_out_cart",
    extensions(("x-problems" = json!(["called", "command", "request_timeout", "unsupported_media_type", "organisation_not_found", "invalid_items", "empty_cart", "forbidden", "not_configured", "gateway_error"]))),
    responses((status = 200, body = CartCheckoutReply, description = "What the checkout leads to."))
)]
pub async fn checkout(
    _: Option<ClientSecret>,
    commander: Commander<Member>,
    _: EmptyBody,
) -> ApiResult<Response> {
    let Member { learner, organisation } = &commander.caller;
    let command = CheckoutCart {
        email: learner.0.email.clone(),
        learner: learner.account(),
        organisation_id: organisation.id,
        idempotency: commander.idempotency(&organisation.id)?,
    };
    let answer = commander.send(command, Some(commander.id)).await?;
    Ok(private(CartCheckoutReply::from(answer)))
}

/// Query the status of a cart and its payment
///
/// Answered from the service's own records, which follow the provider's notifications. The `cart_id` of a 502 or 504 works
/// too, once that checkout has begun or has joined an earlier attempt. A browser (`Accept: text/html`) is shown a page.
#[utoipa::path(
    get,
    path = "/storeapi/payment/status/{cart_id}/",
    tag = "extensions",
    security(("reader" = []), ("cart_token" = [])),
    params(CartInPath),
    operation_id = "get_cart_status",
    extensions(("x-problems" = json!(["called", "invalid_request", "not_found"])), ("x-pages" = json!(true))),
    responses(
        (status = 200, content((StatusBody = "application/json"), (String = "text/html")), description = "The cart, its payment, and the enrollment of each item."),
        (status = 401, description = "`unauthenticated`: the request carries no accepted identity, an invalid one, or a token that has expired."),
        (status = 404, description = "`not_found`: this caller has no such cart."),
    )
)]
pub async fn status(
    wants_page: WantsPage,
    link: CartOfLink,
    cart: Result<CartOfCaller, ApiError>,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    let answer = async {
        let CartOfCaller(id) = cart?;
        show_status(&app, id, wants_page.0).await
    };
    or_page(&app, answer.await, wants_page, link).await
}

async fn show_status(app: &App, id: Uuid, wants_page: bool) -> ApiResult<Response> {
    let cart = carts::find(&app.db, id).await?.ok_or(ApiError::NotFound("Cart"))?;
    let lines = carts::lines(&app.db, &cart).await?;
    if wants_page {
        let organisation = carts::organisation(&app.db, id).await?.ok_or(ApiError::NotFound("Cart"))?;
        return pages::order(&cart, &lines, &organisation);
    }
    Ok(private(StatusBody::new(cart, lines)))
}
