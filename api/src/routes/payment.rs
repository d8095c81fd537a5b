//! Payment by learners of one organisation: their own cart, its checkout, and how a payment stands.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use shared::messages::{BillingAddress, CheckoutCart, CheckoutCartAnswer, SetCart};
use shared::money::Amount;
use utoipa::ToSchema;
use uuid::Uuid;

use super::checkout::{Billing, BillingAddressBody, CheckoutItem, RequestedItem, basket};
use super::learners::private;
use crate::error::{ApiError, ApiResult, CommandProblems, LearnerProblems, Problem};
use crate::extract::{
    Asking, Body, CartOfCaller, ClientSecret, Fields, Learner, Member, NoBody, ReadFields, Visitor, WantsPage,
};
use crate::queries::carts;
use crate::queries::organisations::Tenant;
use crate::state::{App, AppState};
use crate::views::carts::{CartBody, StatusBody};
use crate::views::pages;

#[derive(Debug, Serialize, ToSchema)]
pub struct Capabilities {
    /// `stripe`, `mollie`, `razorpay` or `curlec`; null if the organisation has chosen none.
    #[schema(example = "stripe")]
    gateway: Option<String>,
    /// Whether the organisation's credentials exist.
    configured: bool,
    /// What the gateway can do, configured or not.
    supports_subscriptions: bool,
    supports_billing_portal: bool,
    /// What the organisation sells in.
    #[schema(example = "USD")]
    currency: String,
}

impl From<Tenant> for Capabilities {
    fn from(organisation: Tenant) -> Self {
        Self {
            configured: organisation.configured && organisation.gateway.is_some(),
            supports_subscriptions: organisation.gateway.is_some(),
            // Stripe alone hosts a page where buyers manage their payments.
            supports_billing_portal: organisation.gateway.as_deref() == Some("stripe"),
            gateway: organisation.gateway,
            currency: organisation.currency,
        }
    }
}

/// What the organisation's gateway can do
#[utoipa::path(
    get,
    path = "/storeapi/payment/capabilities/",
    tag = "checkout",
    security(("learner" = [])),
    params(("orgName" = Option<String>, Header, description = "The organisation's short name; browsers send it as a cookie of this name")),
    responses((status = 200, body = Capabilities), LearnerProblems)
)]
pub async fn capabilities(Member { organisation, .. }: Member) -> Response {
    private(Capabilities::from(organisation))
}

/// What the learner's cart shall hold from now on.
#[derive(Debug, Serialize, ToSchema)]
pub struct CartRequest {
    /// Up to 50, without repeats; all in one currency. None: the cart is emptied.
    #[schema(value_type = Vec<CheckoutItem>)]
    items: Vec<RequestedItem>,
    /// May be demanded by the payment provider.
    #[schema(value_type = Option<BillingAddressBody>)]
    billing_address: Option<BillingAddress>,
}

impl ReadFields for CartRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (items, billing_address) = (fields.required("items"), fields.optional("billing_address"));
        let billing_address = billing_address?.map(|Billing(address)| address);
        Some(Self { items: items?, billing_address })
    }
}

/// The learner's cart
///
/// At the prices of when it was filled; what it costs is decided again when it is checked out.
#[utoipa::path(
    get,
    path = "/storeapi/payment/cart/",
    tag = "extensions",
    security(("learner" = [])),
    params(("orgName" = Option<String>, Header, description = "The organisation's short name; browsers send it as a cookie of this name")),
    responses((status = 200, body = CartBody), LearnerProblems)
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
/// Replaces what it holds. A cart whose payment was started is given up for a new one, once its provider was asked: what is
/// paid stays paid.
#[utoipa::path(
    put,
    path = "/storeapi/payment/cart/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = [])),
    request_body = CartRequest,
    params(
        ("orgName" = Option<String>, Header, description = "The organisation's short name; browsers send it as a cookie of this name"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same key and body give the same answer for 24 hours"),
        ("X-Visitor-Country" = Option<String>, Header, description = "ISO 3166 country of the visitor; counts with the client secret"),
    ),
    responses((status = 200, body = CartBody), CommandProblems)
)]
pub async fn set_cart(
    _: Option<ClientSecret>,
    Member { learner, organisation }: Member,
    asking: Asking,
    Visitor(country): Visitor,
    Body(request): Body<CartRequest>,
) -> ApiResult<Response> {
    let command = SetCart {
        email: learner.0.email.clone(),
        learner: learner.account(),
        organisation_id: organisation.id,
        idempotency: asking.idempotency(&(organisation.id, &request))?,
        items: basket(&request.items, 0)?,
        billing_address: request.billing_address,
        country,
    };
    let cart = asking.ask(command, None).await?;
    Ok(private(CartBody::answered(cart, organisation.currency)))
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CartCheckoutReply {
    /// `enrollment_pending`: nothing to pay. `payment_required`: the buyer pays at `redirect_url`.
    #[schema(example = "payment_required")]
    status: &'static str,
    cart_id: Uuid,
    /// Left out if there is nothing to pay.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "stripe")]
    gateway: Option<&'static str>,
    #[schema(value_type = f64, example = 199)]
    total_price: Amount,
    #[schema(example = "USD")]
    currency: &'static str,
    /// The provider's page or ours; without anything to pay the status route.
    redirect_url: String,
}

impl From<CheckoutCartAnswer> for CartCheckoutReply {
    fn from(answer: CheckoutCartAnswer) -> Self {
        let (status, cart_id, gateway, total, redirect_url) = match answer {
            CheckoutCartAnswer::EnrollmentPending { cart_id, total, redirect_url } => {
                ("enrollment_pending", cart_id, None, total, redirect_url)
            }
            CheckoutCartAnswer::PaymentRequired { cart_id, gateway, total, redirect_url } => {
                ("payment_required", cart_id, Some(gateway.name()), total, redirect_url)
            }
        };
        let (total_price, currency) = (Amount(total), total.currency().code());
        Self { status, cart_id, gateway, total_price, currency, redirect_url }
    }
}

/// Checkout of the learner's cart
///
/// At today's prices, for the country that the cart was filled with. Again: the same attempt. Takes no body: any is refused.
#[utoipa::path(
    post,
    path = "/storeapi/payment/checkout/",
    tag = "checkout",
    security(("learner" = []), ("client_for_learner" = [])),
    params(
        ("orgName" = Option<String>, Header, description = "The organisation's short name; browsers send it as a cookie of this name"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same key gives the same answer for 24 hours"),
    ),
    responses((status = 200, body = CartCheckoutReply), CommandProblems)
)]
pub async fn checkout(
    _: Option<ClientSecret>,
    Member { learner, organisation }: Member,
    asking: Asking,
    _: NoBody,
) -> ApiResult<Response> {
    let command = CheckoutCart {
        email: learner.0.email.clone(),
        learner: learner.account(),
        organisation_id: organisation.id,
        idempotency: asking.idempotency(&organisation.id)?,
    };
    let answer = asking.ask(command, Some(asking.id)).await?;
    Ok(private(CartCheckoutReply::from(answer)))
}

/// How a cart and its payment stand
///
/// By our own records, which follow the provider's notifications. Also by the `cart_id` of a 502 or 504, once its checkout
/// has begun or joined an attempt. A browser that opens the link (`Accept: text/html`) is shown a page.
#[utoipa::path(
    get,
    path = "/storeapi/payment/status/{cart_id}/",
    tag = "extensions",
    security(("reader" = []), ("cart_token" = [])),
    params(
        ("cart_id" = Uuid, Path, description = "As every checkout answer names it"),
        ("token" = Option<String>, Query, description = "Of the payment page's address"),
    ),
    responses(
        (status = 200, content((StatusBody = "application/json"), (String = "text/html")), description = "How it stands"),
        (status = 400, content((Problem = "application/problem+json"), (String = "text/html")), description = "Not a UUID"),
        (status = 401, content((Problem = "application/problem+json"), (String = "text/html")), description = "No identity, a wrong one, or a token that is over"),
        (status = 404, content((Problem = "application/problem+json"), (String = "text/html")), description = "No such cart of this caller"),
        (status = 429, content((Problem = "application/problem+json"), (String = "text/html")), description = "Too many requests of this learner"),
        (status = 503, content((Problem = "application/problem+json"), (String = "text/html")), description = "The database is away"),
    )
)]
pub async fn status(
    WantsPage(wants_page): WantsPage,
    cart: Result<CartOfCaller, ApiError>,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    let answer = async {
        let CartOfCaller(id) = cart?;
        show_status(&app, id, wants_page).await
    };
    pages::or_problem(answer.await, wants_page)
}

async fn show_status(app: &App, id: Uuid, wants_page: bool) -> ApiResult<Response> {
    let cart = carts::find(&app.db, id).await?.ok_or(ApiError::NotFound("Cart"))?;
    let lines = carts::lines(&app.db, &cart).await?;
    if wants_page {
        let seller = carts::seller(&app.db, id).await?.ok_or(ApiError::NotFound("Cart"))?;
        return pages::order(&cart, &lines, &seller);
    }
    Ok(private(StatusBody::new(cart, lines)))
}
