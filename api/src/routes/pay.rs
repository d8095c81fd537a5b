//! The route of the hosted payment page. The page shows the order, loads the provider's script, and reads the outcome
//! from the status route. Its content security policy allows only that script and what the script needs.

use axum::extract::State;
use axum::response::Response;
use minijinja::context;
use serde_json::json;
use shared::messages::{ShowPayment, ShownPayment};
use url::Url;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};
use crate::extract::{Asking, CartOfBuyer, WantsPage};
use crate::gateways::{self, Script};
use crate::openapi::parameters::CartInPath;
use crate::state::{App, AppState};
use crate::views::pages;

/// Open the payment page of a cart
///
/// For browsers. The page shows the provider's card fields or leads to the provider's own page, and shows the outcome once
/// the provider has sent its notification. A browser (`Accept: text/html`) is shown problems as pages, with the same status.
#[utoipa::path(
    get,
    path = "/storeapi/payment/pay/{cart_id}/",
    tag = "extensions",
    security(("learner" = []), ("cart_token" = [])),
    params(CartInPath),
    operation_id = "open_payment_page",
    extensions(("x-problems" = json!(["called", "invalid_request", "not_found", "timeout"])), ("x-pages" = json!(true))),
    responses(
        (status = 200, body = String, content_type = "text/html", description = "The page."),
        (status = 401, description = "`unauthenticated`: the request carries neither a learner's credential nor a token that is still valid."),
        (status = 404, description = "`not_found`: this buyer has no such cart."),
    )
)]
pub async fn page(
    WantsPage(wants_page): WantsPage,
    cart: Result<CartOfBuyer, ApiError>,
    State(app): State<AppState>,
    asking: Asking,
) -> ApiResult<Response> {
    let answer = async {
        let CartOfBuyer(cart_id) = cart?;
        show(&app, cart_id, &asking).await
    };
    pages::or_problem(answer.await, wants_page)
}

async fn show(app: &App, cart_id: Uuid, asking: &Asking) -> ApiResult<Response> {
    let payment = asking.ask(ShowPayment { cart_id }, None).await?;
    let nonce = Uuid::new_v4().simple().to_string();
    let script = payment.gateway.and_then(|gateway| gateways::profile(gateway).script.as_ref());
    // Without a payment to start, the page loads no script.
    let url = script.filter(|_| payment.start.is_some()).map(|script| (script.url)(&app.config));
    let policy = policy(&nonce, url, script);
    pages::page(policy, render(cart_id, &nonce, url, &payment)?)
}

/// The content security policy: allows the page's own script and style, the provider's script, and the frames and calls
/// of that script.
fn policy(nonce: &str, url: Option<&Url>, script: Option<&Script>) -> String {
    let own = url.map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let (scripts, frames, calls) =
        script.map_or(("", "", ""), |script| (script.scripts, script.frames, script.calls));
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' {own} {scripts}; style-src 'nonce-{nonce}'; \
         style-src-attr 'unsafe-inline'; img-src data: {own}; frame-src {own} {frames}; connect-src 'self' {own} {calls}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

fn render(cart_id: Uuid, nonce: &str, script: Option<&Url>, payment: &ShownPayment) -> ApiResult<String> {
    let items: Vec<_> = payment
        .items
        .iter()
        .map(|item| context! { name => item.name.as_str(), price => item.price.to_string() })
        .collect();
    let data = json!({
        "status_path": format!("/storeapi/payment/status/{cart_id}/"),
        "return_url": payment.return_url,
        "organisation": payment.organisation,
        "email": payment.email,
        "currency": payment.total.currency().code(),
        "start": payment.start,
    });
    let values = context! {
        nonce,
        script => script.map(Url::as_str),
        organisation => payment.organisation.as_str(),
        items,
        total => payment.total.to_string(),
        style => include_str!("../pages/pay.css"),
        code => include_str!("../pages/pay.js"),
        data => minijinja::Value::from(minijinja::value::Serde(&data)),
    };
    pages::render("pay.html", include_str!("../pages/pay.html"), values)
}
