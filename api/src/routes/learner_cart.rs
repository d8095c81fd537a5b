//! Routes for a learner's cart with one organisation, and its checkout.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use shared::about;
use shared::ids::CartId;
use shared::messages::{BillingAddress, CheckoutCart, Labels, SetCart};
use shared::withdrawal::Consents;
use texts::Language;
use utoipa::ToSchema;

use crate::error::ApiResult;
use crate::extract::{
    Body, CheckoutRoom, ClientSecret, Commander, EmptyBody, Fields, Learner, Member, ReadFields, Visitor,
};
use crate::openapi::parameters::{IdempotencyKey, OrganisationName, VisitorCountry, VisitorName};
use crate::queries::carts;
use crate::read::basket::{RequestedItem, basket};
use crate::read::billing::Billing;
use crate::read::consents::Given;
use crate::read::labels::{self, LabelFields};
use crate::response::private;
use crate::state::AppState;
use crate::views::carts::CartBody;
use crate::views::checkouts::CartCheckoutReply;

/// The new content of the learner's cart.
#[derive(Debug, Serialize, ToSchema)]
pub struct CartRequest {
    /// Items without repeats, all in one currency. An empty array empties the cart.
    #[schema(max_items = 50)]
    items: Vec<RequestedItem>,
    /// Some payment providers demand it.
    billing_address: Option<BillingAddress>,
    /// The code of a voucher, which the checkout of the cart uses. Read in any case; one that does not apply is refused.
    #[schema(max_length = 255, example = "SPRING-26")]
    #[serde(skip_serializing_if = "Option::is_none")]
    voucher: Option<String>,
    /// What the buyer agrees to at the checkout of the cart. A quote says what is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    consents: Option<Consents>,
    /// In which the buyer reads the pages, mails and invoices of the order: a tag of BCP 47. Without it, the language that the course
    /// platform knows of a signed-in learner, else the first of the organisation's, else English.
    #[schema(value_type = Option<String>, max_length = 35, example = "pt-BR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<Language>,
    #[serde(flatten)]
    #[schema(inline, value_type = LabelFields)]
    labels: Labels,
}

impl ReadFields for CartRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (items, billing_address) = (fields.required("items"), fields.optional("billing_address"));
        let voucher = fields.optional_unless_blank("voucher");
        let (consents, language) = (fields.optional("consents"), fields.optional_unless_blank("language"));
        let labels = labels::read(fields);
        let billing_address = billing_address?.and_then(Billing::given);
        let consents = consents?.map(|Given(consents)| consents);
        let (items, voucher, language, labels) = (items?, voucher?, language?, labels?);
        Some(Self { items, billing_address, voucher, consents, language, labels })
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
        consents: request.consents.unwrap_or_default(),
        country,
        language: request.language,
        labels: request.labels,
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
    _: CheckoutRoom,
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
    let answer = commander.send(command, Some(CartId(commander.id))).await?;
    about::cart(answer.cart_id());
    Ok(private(CartCheckoutReply::from(answer)))
}
