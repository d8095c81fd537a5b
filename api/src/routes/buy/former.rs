//! The addresses of the platform's former e-commerce service under which mails and pages sell: baskets and coupons.

use axum::extract::{OriginalUri, State};
use axum::http::StatusCode;
use axum::response::Response;
use shared::messages::ItemKind;
use shared::voucher::Code;
use url::form_urlencoded;

use super::PATH;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Params, Peer, Query, ReadParams};
use crate::identity::VisitorName;
use crate::queries::vouchers;
use crate::response::{changed_query, redirect};
use crate::state::{App, AppState};

/// The code of a link.
pub struct FormerLink(String);

impl ReadParams for FormerLink {
    fn read(params: &mut Params) -> Option<Self> {
        Some(Self(params.text("code")))
    }
}

/// Follow a link to a basket of the former e-commerce service
///
/// For browsers, under the address of the platform's former e-commerce service. Leads to the page for buying with the same skus; other
/// parameters go along.
#[utoipa::path(
    get,
    path = "/basket/add/",
    tag = "extensions",
    security(()),
    params(
        ("sku" = Option<String>, Query, description = "As of the page for buying; repeated for several."),
        ("code" = Option<String>, Query, description = "The code of a voucher."),
    ),
    operation_id = "follow_basket_link",
    extensions(("x-problems" = json!(["invalid_request", "internal_error"]))),
    responses((status = 302, description = "Leads to the page for buying.", headers(("Location" = String, description = "The page.")))),
)]
pub async fn basket(
    link: Query<FormerLink>,
    uri: OriginalUri,
    state: State<AppState>,
) -> ApiResult<Response> {
    to_buy(link, &uri, &state)
}

/// Follow a link to a single item of the former e-commerce service
///
/// As `/basket/add/`, from older releases.
#[utoipa::path(
    get,
    path = "/basket/single-item/",
    tag = "extensions",
    security(()),
    params(
        ("sku" = Option<String>, Query, description = "As of the page for buying."),
        ("code" = Option<String>, Query, description = "The code of a voucher."),
    ),
    operation_id = "follow_single_item_link",
    extensions(("x-problems" = json!(["invalid_request", "internal_error"]))),
    responses((status = 302, description = "Leads to the page for buying.", headers(("Location" = String, description = "The page.")))),
)]
pub async fn single_item(
    link: Query<FormerLink>,
    uri: OriginalUri,
    state: State<AppState>,
) -> ApiResult<Response> {
    to_buy(link, &uri, &state)
}

/// Follow a link that redeems a code of the former e-commerce service
///
/// For browsers, under the address of the platform's former e-commerce service. Leads to the page for buying with the same sku and code.
#[utoipa::path(
    get,
    path = "/coupons/redeem/",
    tag = "extensions",
    security(()),
    params(
        ("sku" = Option<String>, Query, description = "As of the page for buying."),
        ("code" = Option<String>, Query, description = "The code of a voucher."),
    ),
    operation_id = "follow_redeem_link",
    extensions(("x-problems" = json!(["invalid_request", "internal_error"]))),
    responses((status = 302, description = "Leads to the page for buying.", headers(("Location" = String, description = "The page.")))),
)]
pub async fn redeem(
    link: Query<FormerLink>,
    uri: OriginalUri,
    state: State<AppState>,
) -> ApiResult<Response> {
    to_buy(link, &uri, &state)
}

fn to_buy(
    Query(FormerLink(code)): Query<FormerLink>,
    OriginalUri(uri): &OriginalUri,
    State(app): &State<AppState>,
) -> ApiResult<Response> {
    let voucher = [("voucher", code.as_str())];
    let with = if code.is_empty() { &[][..] } else { &voucher };
    buy_page(app, &changed_query(uri.query().unwrap_or_default(), &["code", "failure_url"], with))
}

fn buy_page(app: &App, query: &str) -> ApiResult<Response> {
    redirect(StatusCode::FOUND, &format!("{}{PATH}?{query}", app.config.links.public_base_url))
}

/// Follow a link to what a code of the former e-commerce service is for
///
/// For browsers, under the address of the platform's former e-commerce service. A code for one course or program leads to the page for
/// buying it with the code, one for several to the platform's list of courses: the buyer enters it there. A visitor may try few codes
/// that do not exist.
#[utoipa::path(
    get,
    path = "/coupons/offer/",
    tag = "extensions",
    security(()),
    params(("code" = Option<String>, Query, description = "The code of a voucher or a pool.")),
    operation_id = "follow_coupon_link",
    extensions(("x-problems" = json!(["invalid_request", "not_found", "rate_limited", "internal_error", "unavailable"]))),
    responses(
        (status = 302, description = "Leads to the page for buying, or to the platform's courses.", headers(
            ("Location" = String, description = "The page."),
        )),
        (status = 404, description = "`not_found`: there is no such code."),
    )
)]
pub async fn offer(
    Query(FormerLink(code)): Query<FormerLink>,
    Peer(address): Peer,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    if code.is_empty() {
        return Err(ApiError::NotFound("Voucher"));
    }
    let visitor = VisitorName { address: Some(address), id: None };
    app.identities.limits.try_code(&visitor)?;
    let items = vouchers::items_of_code(&app.db, &Code::folded(&code)).await?;
    let items = items.ok_or(ApiError::NotFound("Voucher"))?;
    app.identities.limits.give_code_back(&visitor);
    let [item] = items.as_slice() else {
        return redirect(StatusCode::FOUND, app.config.platform_page("courses").as_str());
    };
    let name = match item.kind {
        ItemKind::Course => "course",
        ItemKind::Program => "program",
    };
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair(name, &item.id.to_string());
    if let Some(mode) = item.mode {
        query.append_pair("mode", mode.slug());
    }
    buy_page(&app, &query.append_pair("voucher", &code).finish())
}
