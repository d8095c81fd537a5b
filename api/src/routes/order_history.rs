//! The page of a learner's orders, and the addresses under which the course platform links to orders.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use shared::course_mode::CourseMode;
use shared::ids::{CartId, CourseKey, RefundId};
use url::form_urlencoded;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::error::{ApiError, ApiResult};
use crate::extract::{Learner, Params, Query, ReadParams, TextPath, WantsPage, buyers, hyphenated};
use crate::queries::{orders, organisations, skus};
use crate::response::{SIGNED_IN, redirect, sign_in};
use crate::state::{App, AppState};
use crate::views::order_history;

const PATH: &str = "/storeapi/payment/history/";

/// Orders that the page shows, newest first.
const SHOWN: i64 = 50;

/// The page, and the platform's links.
pub fn table() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(page))
        .routes(routes!(orders))
        .routes(routes!(refund))
        .routes(routes!(receipt))
        .routes(routes!(credit))
}

/// Open the page of a learner's orders
///
/// For browsers: the course platform's link to the order history leads here. The newest 50 orders of all organisations, and what
/// a guest bought under the learner's confirmed address. A learner who has bought from one organisation, which has an
/// `orders_url`, is led there. Without a session it leads to the platform's sign-in and back.
#[utoipa::path(
    get,
    path = "/storeapi/payment/history/",
    tag = "extensions",
    security(("learner" = [])),
    params(("signed_in" = Option<bool>, Query, description = "Set by the page itself when it leads to the sign-in.")),
    operation_id = "open_order_history",
    extensions(("x-problems" = json!(["called", "invalid_request"])), ("x-pages" = json!(true))),
    responses(
        (status = 200, body = String, content_type = "text/html", description = "The page."),
        (status = 302, description = "Leads to the platform's sign-in, or to the organisation's own page.", headers(
            ("Location" = String, description = "The page."),
        )),
    )
)]
pub async fn page(
    wanted: WantsPage,
    visit: ApiResult<Query<Visit>>,
    learner: ApiResult<Learner>,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    let language = learner.as_ref().ok().and_then(|learner| learner.0.language.clone());
    let shown = async {
        match (learner, visit?.0.signed_in) {
            (Err(ApiError::Unauthenticated), false) if wanted.is_wanted => sign_in(&app, PATH, ""),
            (learner, _) => show(&app, &learner?, &wanted).await,
        }
    };
    shown.await.or_else(|error| {
        order_history::halted(error, wanted.is_wanted, &wanted.localizer(&app.texts, &language))
    })
}

pub struct Visit {
    signed_in: bool,
}

impl ReadParams for Visit {
    fn read(params: &mut Params) -> Option<Self> {
        Some(Self { signed_in: params.flag(SIGNED_IN, false)? })
    }
}

/// The orders in the learner's language, else the organisation's first, else the browser's.
async fn show(app: &App, learner: &Learner, wanted: &WantsPage) -> ApiResult<Response> {
    let buyers = buyers(&learner.0);
    let seller = organisations::only_seller(&app.db, &buyers).await?;
    if let Some(page) = seller.as_ref().and_then(|seller| seller.orders_url.as_deref()) {
        return redirect(StatusCode::FOUND, page);
    }
    let orders = orders::newest(&app.db, &buyers, SHOWN).await?;
    let of_seller = seller.iter().flat_map(|seller| &seller.languages);
    let localizer = wanted.localizer(&app.texts, learner.0.language.iter().chain(of_seller));
    order_history::page(orders, &app.config.links, app.now(), &localizer)
}

/// Follow the platform's link to the order history
///
/// For browsers, under the address of the platform's former e-commerce service. Needs no identity: the page asks for it.
#[utoipa::path(
    get,
    path = "/dashboard/orders/",
    tag = "extensions",
    security(()),
    operation_id = "follow_orders_link",
    extensions(("x-problems" = json!(["internal_error"]))),
    responses((status = 302, description = "Leads to the page of the learner's orders.", headers(
        ("Location" = String, description = "The page."),
    )))
)]
pub async fn orders(State(app): State<AppState>) -> ApiResult<Response> {
    redirect(StatusCode::FOUND, &format!("{}{PATH}", app.config.links.public_base_url))
}

/// Follow the platform's link to a refund
///
/// For browsers, under the address of the platform's former e-commerce service. Needs no identity: the page of the order asks
/// for it.
#[utoipa::path(
    get,
    path = "/dashboard/refunds/{refund_id}/",
    tag = "extensions",
    security(()),
    params(("refund_id" = String, Path, description = "The id of the refund.")),
    operation_id = "follow_refund_link",
    extensions(("x-problems" = json!(["invalid_request", "not_found", "internal_error", "unavailable"]))),
    responses(
        (status = 302, description = "Leads to the page of the order, which asks who the caller is.", headers(
            ("Location" = String, description = "The page."),
        )),
        (status = 404, description = "`not_found`: there is no such refund."),
    )
)]
pub async fn refund(TextPath(refund): TextPath, State(app): State<AppState>) -> ApiResult<Response> {
    let id = hyphenated(&refund).ok_or(ApiError::NotFound("Refund"))?;
    let cart = skus::cart_of_refund(&app.db, RefundId(id)).await?.ok_or(ApiError::NotFound("Refund"))?;
    order(&app, cart)
}

/// Follow the platform's link to academic credit
///
/// For browsers, under the address of the platform's former e-commerce service: learners who are eligible for credit are led
/// here. Needs no identity: the page asks for it.
#[utoipa::path(
    get,
    path = "/credit/checkout/{course_key}/",
    tag = "extensions",
    security(()),
    params(("course_key" = String, Path, description = "The course's key at the platform.")),
    operation_id = "follow_credit_link",
    extensions(("x-problems" = json!(["invalid_request", "not_found", "internal_error"]))),
    responses(
        (status = 302, description = "Leads to the page for buying the course's mode `credit`.", headers(
            ("Location" = String, description = "The page."),
        )),
        (status = 404, description = "`not_found`: the key is not a course's."),
    )
)]
pub async fn credit(TextPath(course): TextPath, State(app): State<AppState>) -> ApiResult<Response> {
    let key: CourseKey = course.parse().map_err(|_| ApiError::NotFound("Course"))?;
    let query = [("course", key.as_str()), ("mode", CourseMode::Credit.slug())];
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
    let base = &app.config.links.public_base_url;
    redirect(StatusCode::FOUND, &format!("{base}/storeapi/payment/buy/?{query}"))
}

/// Follow the platform's link to a receipt
///
/// For browsers, under the address of the platform's former e-commerce service. Needs no identity: the page of the order asks
/// for it.
#[utoipa::path(
    get,
    path = "/checkout/receipt/",
    tag = "extensions",
    security(()),
    params(("order_number" = Option<String>, Query, description = "The id of the order, or its number in the shop that sold it before it was moved in.")),
    operation_id = "follow_receipt_link",
    extensions(("x-problems" = json!(["invalid_request", "not_found", "internal_error", "unavailable"]))),
    responses(
        (status = 302, description = "Leads to the page of the order, which asks who the caller is.", headers(
            ("Location" = String, description = "The page."),
        )),
        (status = 404, description = "`not_found`: the number is not an order's."),
    )
)]
pub async fn receipt(
    Query(Receipt(number)): Query<Receipt>,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    let cart = match hyphenated(&number) {
        Some(id) => Some(CartId(id)),
        None => orders::of_former_number(&app.db, &number).await?,
    };
    order(&app, cart.ok_or(ApiError::NotFound("Order"))?)
}

pub struct Receipt(String);

impl ReadParams for Receipt {
    fn read(params: &mut Params) -> Option<Self> {
        Some(Self(params.text("order_number")))
    }
}

fn order(app: &App, cart_id: CartId) -> ApiResult<Response> {
    let page = format!("{}/storeapi/payment/status/{cart_id}/", app.config.links.public_base_url);
    redirect(StatusCode::FOUND, &page)
}
