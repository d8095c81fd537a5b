//! The route of the hosted payment page. The page shows the order, loads the provider's script, and reads the outcome
//! from the status route. Its content security policy allows only that script and what the script needs.

use axum::extract::State;
use axum::response::Response;
use minijinja::context;
use serde_json::{Map, Value, json};
use shared::ids::CartId;
use shared::messages::{BillingAddress, PaymentStart, ShowPayment, ShownPayment};
use shared::money::Money;
use texts::Localizer;
use url::Url;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};
use crate::extract::{CartOfBuyer, CartOfLink, Commander, WantsPage};
use crate::gateways::{self, Script};
use crate::openapi::parameters::CartInPath;
use crate::queries::carts::{self, AwaitedTransfer};
use crate::state::{App, AppState};
use crate::views::carts::tax_on_top;
use crate::views::{pages, standing};
use crate::violations::{self, REPORTED};

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
    wants_page: WantsPage,
    link: CartOfLink,
    commander: Result<Commander<CartOfBuyer>, ApiError>,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    let answer = async { show(&app, &commander?).await };
    or_page(&app, answer.await, wants_page, link).await
}

/// The answer. A problem becomes a page if the caller wants one. The page of an expired link leads on to the organisation
/// that sells the cart: a slow bank can send the buyer back later than the link allows.
pub(super) async fn or_page(
    app: &App,
    answer: ApiResult<Response>,
    wants_page: WantsPage,
    CartOfLink(linked): CartOfLink,
) -> ApiResult<Response> {
    let error = match answer {
        Err(error) if wants_page.is_wanted => error,
        answer => return answer,
    };
    let expired = linked.filter(|_| matches!(error, ApiError::Unauthenticated));
    let localizer = wants_page.localizer(&app.texts, None);
    let Some(cart_id) = expired else { return Ok(pages::problem(error, &localizer)) };
    match carts::organisation(&app.db, cart_id).await? {
        Some(organisation) => {
            let localizer = organisation.localizer(&app.texts);
            Ok(pages::expired_link(error, &organisation, cart_id, &localizer))
        }
        None => Ok(pages::problem(error, &localizer)),
    }
}

async fn show(app: &App, commander: &Commander<CartOfBuyer>) -> ApiResult<Response> {
    let CartOfBuyer(cart_id) = commander.caller;
    let payment = commander.send(ShowPayment { cart_id }, None).await?;
    let organisation = carts::organisation(&app.db, cart_id).await?.ok_or(ApiError::NotFound("Cart"))?;
    let nonce = Uuid::new_v4().simple().to_string();
    let script = payment.gateway.and_then(|gateway| gateways::profile(gateway).script.as_ref());
    // Without a payment to start, the page loads no script.
    let url = script.filter(|_| payment.start.is_some()).map(|script| (script.url)(&app.config));
    let policy = policy(&nonce, url, script);
    let html = render(cart_id, &nonce, url, &payment, &organisation.localizer(&app.texts))?;
    let mut page = pages::page(policy, html)?;
    violations::ask_for_reports(page.headers_mut());
    Ok(page)
}

/// The content security policy: allows the page's own script and style, the provider's script, and the frames and calls
/// of that script.
fn policy(nonce: &str, url: Option<&Url>, script: Option<&Script>) -> String {
    let own = url.map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let loaded = script.filter(|_| url.is_some());
    let hosts = |which: fn(&Script) -> &'static str| loaded.map_or("", which);
    let (scripts, frames) = (hosts(|script| script.scripts), hosts(|script| script.frames));
    let (calls, images) = (hosts(|script| script.calls), hosts(|script| script.images));
    let styles = match loaded.is_some_and(|script| script.adds_styles) {
        true => "'unsafe-inline'".to_owned(),
        false => format!("'nonce-{nonce}'"),
    };
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' {own} {scripts}; style-src {styles}; \
         style-src-attr 'unsafe-inline'; img-src data: {own} {images}; frame-src {own} {frames}; \
         connect-src 'self' {own} {calls}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         {REPORTED}"
    )
}

/// The buyer as Stripe's page script knows billing details.
fn billing_details(payment: &ShownPayment) -> Value {
    let BillingAddress { name, line1, line2, city, state, postal_code, country, company: _, tax_id: _ } =
        payment.billing_address.clone().unwrap_or_default();
    let address = [
        ("line1", line1),
        ("line2", line2),
        ("city", city),
        ("state", state),
        ("postal_code", postal_code),
        ("country", country.map(String::from)),
    ];
    let given = |fields: Vec<(&str, Option<String>)>| {
        let given = fields.into_iter().filter_map(|(field, text)| Some((field.to_owned(), json!(text?))));
        given.collect::<Map<_, _>>()
    };
    let mut details = given(vec![("name", name), ("email", Some(payment.email.clone()))]);
    details.insert("address".to_owned(), given(address.into()).into());
    details.into()
}

/// The messages that the page's script shows, beside those about an order's standing.
const SCRIPT_TEXTS: [&str; 8] = [
    "page-moment",
    "page-no-provider",
    "page-failed",
    "page-unfinished",
    "page-again",
    "page-confirming",
    "page-unconfirmed",
    "status-replaced",
];

/// The account to which the buyer transfers the money; None if a provider takes it.
fn transfer(payment: &ShownPayment, localizer: &Localizer<'_>) -> Option<minijinja::Value> {
    let Some(PaymentStart::Transfer { payment_reference, bank_lines, due_on }) = &payment.start else {
        return None;
    };
    let (total, received) = (payment.total, payment.received);
    let open = Money::from_minor(total.minor().saturating_sub(received.minor()).max(0), total.currency());
    let awaited = AwaitedTransfer {
        reference: payment_reference.clone(),
        due_on: *due_on,
        bank_lines: bank_lines.clone(),
        open: open.unwrap_or(total),
        received,
    };
    Some(pages::transfer(&awaited, !payment.has_access, localizer))
}

fn render(
    cart_id: CartId,
    nonce: &str,
    script: Option<&Url>,
    payment: &ShownPayment,
    localizer: &Localizer<'_>,
) -> ApiResult<String> {
    let items: Vec<_> = payment
        .items
        .iter()
        .map(|item| context! { name => item.name.as_str(), price => pages::amount(localizer, item.price) })
        .collect();
    let data = json!({
        "status_path": format!("/storeapi/payment/status/{cart_id}/"),
        "return_url": payment.return_url,
        "organisation": payment.organisation,
        "billing_details": billing_details(payment),
        "currency": payment.total.currency().code(),
        "start": payment.start,
        "texts": pages::messages(localizer, &SCRIPT_TEXTS),
        "sentences": standing::all_sentences(localizer),
    });
    let values = context! {
        nonce,
        script => script.map(Url::as_str),
        organisation => payment.organisation.as_str(),
        items,
        tax => tax_on_top(payment.items.iter()).map(|tax| pages::amount(localizer, tax)),
        total => pages::amount(localizer, payment.total),
        transfer => transfer(payment, localizer),
        pay => localizer.message("page-pay", &[("amount", pages::amount(localizer, payment.total).into())]),
        title => localizer.message("page-payment", &[("organisation", payment.organisation.as_str().into())]),
        back_to => localizer.message("page-back", &[("shop", payment.organisation.as_str().into())]),
        style => include_str!("../pages/pay.css"),
        code => include_str!("../pages/pay.js"),
        data => minijinja::Value::from(minijinja::value::Serde(&data)),
        ..pages::words(localizer)
    };
    pages::render("pay.html", include_str!("../pages/pay.html"), values)
}
