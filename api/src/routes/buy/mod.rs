//! The routes to which the course platform's upgrade buttons lead: a page with the learner's price, and the button on
//! it, which fills the learner's cart and opens the payment page.

pub mod former;
mod link;

pub use link::BuyLink;

use axum::extract::{OriginalUri, State};
use axum::http::StatusCode;
use axum::response::Response;
use shared::about;
use shared::ids::CartId;
use shared::messages::{
    BasketItem, BillingAddress, CheckoutCart, CheckoutCartAnswer, Labels, MOST_SEATS, QuoteBasket,
    QuotedBasket, QuotedBuyer, SetCart,
};
use shared::region::Country;
use shared::withdrawal::Consents;
use texts::{Language, Localizer};

use crate::error::{ApiError, ApiResult};
use crate::extract::{Commander, Fields, Form, Learner, Member, Query, ReadFields, Visitor, WantsPage};
use crate::queries::organisations::{self, SellerPages};
use crate::queries::skus::NamedItem;
use crate::read::billing::Billing;
use crate::response::{SIGNED_IN, changed_query, redirect, sign_in};
use crate::state::{App, AppState};
use crate::views::buy::{self, Halt, Offer};

const PATH: &str = "/storeapi/payment/buy/";

/// Content of the page's form: the fields of the billing address that the checkout needs, and the number of seats.
pub struct BuyForm {
    billing_address: Option<BillingAddress>,
    seats: Option<i32>,
    consents: Consents,
}

impl ReadFields for BuyForm {
    fn read(fields: &mut Fields) -> Option<Self> {
        let seats: Option<Option<String>> = fields.optional_unless_blank("seats");
        let seats = seats?.map(|text| text.trim().parse::<i32>());
        let is_wrong = seats.as_ref().is_some_and(|seats| !seats.as_ref().is_ok_and(is_number_of_seats));
        if is_wrong {
            fields.error("seats", format!("must be a whole number of 1 to {MOST_SEATS}"));
        }
        let consents = Consents {
            terms: is_ticked(fields, "terms"),
            begin_now: is_ticked(fields, "begin_now"),
            loses_right: is_ticked(fields, "loses_right"),
        };
        let billing = Billing::read(fields)?;
        Some(Self { billing_address: billing.given(), seats: seats.and_then(Result::ok), consents })
    }
}

/// A browser sends a box only if it is ticked.
fn is_ticked(fields: &mut Fields, name: &str) -> bool {
    fields.optional::<String>(name).flatten().is_some()
}

fn is_number_of_seats(seats: &i32) -> bool {
    (1..=MOST_SEATS).contains(seats)
}

/// A link with what it names, and the organisation that sells it.
struct Wanted {
    link: BuyLink,
    named: Vec<NamedItem>,
    seller: SellerPages,
}

impl Wanted {
    async fn find(app: &App, link: ApiResult<Query<BuyLink>>) -> Result<Self, Halt> {
        let Query(link) = link?;
        let named = link.items(app).await?;
        let organisation = named.first().map(|item| item.organisation_id).ok_or(Halt::NotSold)?;
        let seller = organisations::pages(&app.db, organisation).await?.ok_or(Halt::NotSold)?;
        Ok(Self { link, named, seller })
    }

    fn items(&self, seats: i32) -> Vec<BasketItem> {
        let item = |named: &NamedItem| BasketItem {
            kind: named.kind,
            id: named.id,
            mode: named.mode,
            seats: named.is_for_seats.then_some(seats),
        };
        self.named.iter().map(item).collect()
    }

    fn is_for_seats(&self) -> bool {
        self.named.iter().any(|item| item.is_for_seats)
    }
}

/// Open the page for buying what a link names
///
/// For browsers: the course platform's upgrade buttons lead here, and links in mails and on web pages may. The page has the
/// learner's price, and writes nothing; its button fills the learner's cart and opens the payment page. Without a session it
/// leads to the platform's sign-in and back. An organisation with a `buy_url` gets the same query there. Other parameters,
/// such as `bundle`, `catalog` and `utm_*`, change nothing.
#[utoipa::path(
    get,
    path = "/storeapi/payment/buy/",
    tag = "extensions",
    security(("learner" = [])),
    params(
        ("sku" = Option<String>, Query, description = "Sku of a course mode, `{course id}.{mode}` or an operator's own; repeated for several."),
        ("course_run_key" = Option<String>, Query, description = "Course key; tells apart courses that share a sku."),
        ("course" = Option<String>, Query, description = "Course key or id, instead of skus."),
        ("program" = Option<uuid::Uuid>, Query, description = "Id of a program, instead of skus; with a `mode`."),
        ("mode" = inline(Option<shared::course_mode::CourseMode>), Query, description = "Mode of `course` or `program`; of a course without it, the one that the catalog shows."),
        ("voucher" = Option<String>, Query, description = "The code of a voucher."),
        ("reference" = inline(Option<crate::openapi::schemas::Reference>), Query, description = "How the caller's own systems know the order."),
        ("signed_in" = Option<bool>, Query, description = "Set by the page itself when it leads to the sign-in."),
    ),
    operation_id = "open_buy_page",
    extensions(("x-problems" = json!(["called", "invalid_request", "invalid_items", "forbidden", "not_found", "organisation_not_found", "not_configured", "timeout"])), ("x-pages" = json!(true))),
    responses(
        (status = 200, body = String, content_type = "text/html", description = "The page."),
        (status = 302, description = "Leads to the platform's sign-in, or to the organisation's own page.", headers(
            ("Location" = String, description = "The page."),
        )),
        (status = 400, description = "`invalid_items`: the learner cannot buy this now, or has it already."),
        (status = 404, description = "`not_found`: the link names nothing that is sold."),
    )
)]
pub async fn page(
    reader: WantsPage,
    link: ApiResult<Query<BuyLink>>,
    commander: ApiResult<Commander<Learner>>,
    Visitor(country): Visitor,
    OriginalUri(uri): OriginalUri,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    let query = uri.query().unwrap_or_default();
    let commander = if reader.is_wanted { commander } else { Ok(commander?) };
    let wanted = Wanted::find(&app, link).await;
    let localizer = localizer(&app, &reader, &commander, &wanted);
    let shown = async {
        let wanted = wanted?;
        if let Some(page) = &wanted.seller.buy_url {
            return Ok(with_query(page, query)?);
        }
        match commander {
            Err(ApiError::Unauthenticated) if wanted.link.signed_in => Err(Halt::Unseen),
            Err(ApiError::Unauthenticated) => Ok(sign_in(&app, PATH, query)?),
            commander => show(&app, &wanted, commander?, country, query, &localizer).await,
        }
    };
    shown.await.or_else(|halt| halted(&app, halt, &reader, &localizer))
}

/// Buy what a link names
///
/// For the button of the page at the same address, with the same query.
#[utoipa::path(
    post,
    path = "/storeapi/payment/buy/",
    tag = "extensions",
    security(("learner" = [])),
    params(
        ("sku" = Option<String>, Query, description = "As of the page."),
        ("course_run_key" = Option<String>, Query, description = "As of the page."),
        ("course" = Option<String>, Query, description = "As of the page."),
        ("program" = Option<uuid::Uuid>, Query, description = "As of the page."),
        ("mode" = inline(Option<shared::course_mode::CourseMode>), Query, description = "As of the page."),
        ("voucher" = Option<String>, Query, description = "As of the page."),
        ("reference" = inline(Option<crate::openapi::schemas::Reference>), Query, description = "As of the page."),
    ),
    request_body(content((inline(crate::openapi::schemas::AnyObject) = "application/x-www-form-urlencoded")), description = "The fields of the billing address that the page asks for, and `seats`."),
    operation_id = "buy",
    extensions(("x-problems" = json!(["called", "body", "invalid_items", "forbidden", "not_found", "organisation_not_found", "empty_cart", "not_configured", "gateway_error", "timeout", "in_progress"])), ("x-pages" = json!(true))),
    responses(
        (status = 303, description = "Leads to the payment page, or to the page of the order if there is nothing to pay.", headers(
            ("Location" = String, description = "The page."),
        )),
        (status = 400, description = "`invalid_items`: the learner cannot buy this now. `invalid_request`: a wrong field."),
        (status = 404, description = "`not_found`: the link names nothing that is sold."),
    )
)]
pub async fn order(
    reader: WantsPage,
    link: ApiResult<Query<BuyLink>>,
    commander: ApiResult<Commander<Learner>>,
    Visitor(country): Visitor,
    State(app): State<AppState>,
    form: ApiResult<Form<BuyForm>>,
) -> ApiResult<Response> {
    let wanted = Wanted::find(&app, link).await;
    let localizer = localizer(&app, &reader, &commander, &wanted);
    let ordered = async {
        let commander = commander?;
        let Form(form) = form?;
        let wanted = wanted?;
        let language = language(&reader, &commander.caller, &wanted.seller);
        let location = buy(&app, &wanted, commander, form, country, language).await?;
        Ok(redirect(StatusCode::SEE_OTHER, &location)?)
    };
    ordered.await.or_else(|halt| halted(&app, halt, &reader, &localizer))
}

/// Texts in the learner's language, else the organisation's first, else the browser's.
fn localizer<'a>(
    app: &'a App,
    reader: &WantsPage,
    commander: &ApiResult<Commander<Learner>>,
    wanted: &Result<Wanted, Halt>,
) -> Localizer<'a> {
    let of_learner = commander.iter().flat_map(|commander| &commander.caller.0.language);
    let of_seller = wanted.iter().flat_map(|wanted| &wanted.seller.languages);
    reader.localizer(&app.texts, of_learner.chain(of_seller))
}

/// The language of the order, if it is known only here: the worker knows the organisation's.
fn language(reader: &WantsPage, learner: &Learner, seller: &SellerPages) -> Option<Language> {
    let of_browser = reader.languages.first().filter(|_| seller.languages.is_empty());
    learner.0.language.as_ref().or(of_browser).cloned()
}

fn halted(app: &App, halt: Halt, reader: &WantsPage, localizer: &Localizer<'_>) -> ApiResult<Response> {
    buy::halted(halt, reader.is_wanted, &app.config.platform_page("dashboard"), localizer)
}

/// Renders the page with the price that the checkout would charge.
async fn show(
    app: &App,
    wanted: &Wanted,
    commander: Commander<Learner>,
    country: Option<Country>,
    query: &str,
    localizer: &Localizer<'_>,
) -> Result<Response, Halt> {
    admit(app, &commander.caller, wanted).await?;
    let learner = &commander.caller;
    let command = QuoteBasket {
        buyer: Some(QuotedBuyer { email: learner.0.email.clone(), learner: learner.account() }),
        organisation_id: wanted.seller.id,
        items: wanted.items(1),
        voucher: wanted.link.voucher.clone(),
        billing_address: None,
        country,
        is_gift: false,
    };
    let has_code = command.voucher.is_some();
    let is_refused = |quoted: &QuotedBasket| is_inapplicable(quoted);
    let quoted = commander.send_with_code(command, has_code, None, is_refused).await?;
    if buy::is_held(&quoted) {
        return Err(Halt::Held);
    }
    let without: &[&str] = if is_inapplicable(&quoted) { &["voucher", SIGNED_IN] } else { &[SIGNED_IN] };
    let offer = Offer {
        seller: &wanted.seller,
        quoted: &quoted,
        is_for_seats: wanted.is_for_seats(),
        action: format!("{PATH}?{}", changed_query(query, without, &[])),
    };
    Ok(buy::page(&offer, localizer)?)
}

fn is_inapplicable(quoted: &QuotedBasket) -> bool {
    quoted.voucher.as_ref().is_some_and(|voucher| voucher.inapplicable.is_some())
}

/// Checks that the learner may buy from the organisation.
async fn admit(app: &App, learner: &Learner, wanted: &Wanted) -> Result<(), Halt> {
    if !learner.0.is_active {
        return Err(Halt::Inactive);
    }
    Ok(Member::admit(app, learner, &wanted.seller.short_name).await?)
}

/// Fills the learner's cart and checks it out. Returns the page to which the buyer goes next. It is always a page of the
/// api's own: a browser lets the form lead nowhere else.
async fn buy(
    app: &App,
    wanted: &Wanted,
    commander: Commander<Learner>,
    form: BuyForm,
    country: Option<Country>,
    language: Option<Language>,
) -> Result<String, Halt> {
    admit(app, &commander.caller, wanted).await?;
    let (email, learner) = (commander.caller.0.email.clone(), commander.caller.account());
    let organisation_id = wanted.seller.id;
    let cart = SetCart {
        language,
        email: email.clone(),
        learner: learner.clone(),
        organisation_id,
        items: wanted.items(form.seats.unwrap_or(1)),
        billing_address: form.billing_address,
        voucher: wanted.link.voucher.clone(),
        consents: form.consents,
        country,
        labels: Labels { reference: wanted.link.reference.clone(), ..Labels::default() },
        idempotency: None,
    };
    let has_code = cart.voucher.is_some();
    commander.send_with_code(cart, has_code, None, |_| false).await?;
    let commander = commander.next();
    let checkout = CheckoutCart { email, learner, organisation_id, idempotency: None };
    let answer = commander.send(checkout, Some(CartId(commander.id))).await?;
    about::cart(answer.cart_id());
    let page = match answer {
        CheckoutCartAnswer::EnrollmentPending { cart_id, .. } => {
            format!("/storeapi/payment/status/{cart_id}/")
        }
        CheckoutCartAnswer::PaymentRequired { cart_id, .. } => format!("/storeapi/payment/pay/{cart_id}/"),
    };
    Ok(format!("{}{page}", app.config.links.public_base_url))
}

/// Leads to a page of the organisation's own, with the same query.
fn with_query(page: &str, query: &str) -> ApiResult<Response> {
    let joint = if page.contains('?') { '&' } else { '?' };
    redirect(StatusCode::FOUND, &format!("{page}{joint}{query}"))
}
