//! The pages of withdrawal, for shops without one of their own: a declaration in two steps, and the objection of an address's holder.
//! They are forms alone, and need no JavaScript, no account and no valid link.

use axum::body::Bytes;
use axum::extract::{RawQuery, Request, State};
use axum::http::{StatusCode, header};
use axum::response::Response;
use shared::email::Email;
use shared::ids::CartId;
use shared::link::Purpose;
use shared::messages::{DeclareWithdrawal, DeclaredWith, ObjectToWithdrawal};
use texts::{Language, Localizer};
use url::form_urlencoded;
use uuid::Uuid;

use super::withdrawals::ORDER;
use crate::error::{ApiError, ApiResult};
use crate::extract::{EmptyBody, FORM, MAX_BODY, Peer, WantsPage, is_type, opened, read};
use crate::identity::VisitorName;
use crate::listener::BodyKind;
use crate::openapi::schemas;
use crate::queries::carts::{self, CartOrganisation};
use crate::queries::withdrawals;
use crate::state::{App, AppState};
use crate::views::pages::{self, Shop};
use crate::views::withdraw::{self, Entered, Fault, Line, Step};

const PAGE: &str = "/storeapi/payment/withdraw/";
const OBJECTION: &str = "/storeapi/payment/withdraw/objection/";

/// Fields that a form or a link has sent.
#[derive(Default)]
struct Input {
    order: String,
    name: String,
    email: String,
    items: Vec<u32>,
    step: String,
    goes_back: bool,
    token: String,
    lang: String,
    /// Id of the declaration, which the second step has made: sent again, the form declares nothing more.
    once: Option<Uuid>,
}

impl Input {
    fn read(encoded: &[u8]) -> Self {
        let mut input = Self::default();
        for (name, value) in form_urlencoded::parse(encoded) {
            let value = value.trim().replace(char::is_control, " ");
            match &*name {
                "order" => input.order = value,
                "name" => input.name = value,
                "email" => input.email = value,
                "item" => input.items.extend(value.parse::<u32>().ok().filter(|_| input.items.len() < 50)),
                "step" => input.step = value,
                "back" => input.goes_back = true,
                "token" => input.token = value,
                "lang" => input.lang = value,
                "once" => input.once = value.parse().ok(),
                _ => {}
            }
        }
        input
    }
}

/// A visit of the page.
struct Visit<'a> {
    localizer: Localizer<'a>,
    input: Input,
    /// The order of the link, if it is valid.
    linked: Option<CartId>,
    /// The shop that sells the order, if it is known.
    shop: Option<(CartOrganisation, CartId)>,
    lines: Vec<Line>,
}

impl<'a> Visit<'a> {
    async fn new(app: &'a App, wanted: &WantsPage, query: &str, form: Input) -> ApiResult<Self> {
        let asked = Input::read(query.as_bytes());
        let mut input = if form.step.is_empty() {
            Input { items: Vec::new(), ..Input::read(query.as_bytes()) }
        } else {
            form
        };
        let linked = opened(app, Purpose::Withdrawal, &asked.token).await?.map(CartId);
        (input.token, input.lang) = (asked.token, asked.lang);
        let mut lines = Vec::new();
        if let Some(cart_id) = linked
            && let Some(cart) = carts::find(&app.db, cart_id).await?
        {
            app.identities.limits.link(cart_id)?;
            let rows = carts::lines(&app.db, &cart).await?;
            let (is_alone, is_new) = (rows.len() == 1, input.step.is_empty());
            let line = |(position, row): (u32, carts::LineRow)| Line {
                position,
                name: row.item.name,
                is_chosen: is_alone || is_new || input.items.contains(&position),
            };
            lines = (0..).zip(rows).map(line).collect();
            // The link proves them.
            input.order = cart_id.to_string();
            input.email = carts::email(&app.db, cart_id).await?;
        }
        let shop = shop(app, linked).await?;
        let localizer = localizer(app, wanted, &input.lang, shop.as_ref());
        Ok(Self { localizer, input, linked, shop, lines })
    }

    fn faults(&self) -> Vec<Fault> {
        let Input { order, name, email, .. } = &self.input;
        let is_text = |text: &str, most: usize| (1..=most).contains(&text.chars().count());
        let checked = [
            (Fault::Order, is_text(order, ORDER)),
            (Fault::Name, is_text(name, 255)),
            (Fault::Email, Email::parse(email).is_ok()),
            (Fault::Items, self.lines.is_empty() || self.lines.iter().any(|line| line.is_chosen)),
        ];
        checked.into_iter().filter(|(_, is_right)| !is_right).map(|(fault, _)| fault).collect()
    }

    fn show(&self, step: &Step<'_>) -> ApiResult<Response> {
        let Input { order, name, email, .. } = &self.input;
        let is_proved = self.linked.is_some();
        let entered = Entered { order, name, email, lines: &self.lines, is_proved };
        let shop = Shop(self.shop.as_ref().map(|(shop, cart_id)| (shop, *cart_id)));
        withdraw::page(step, &entered, &self.action(PAGE), shop, &self.localizer)
    }

    /// The address of a form, with what the link has brought.
    fn action(&self, path: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in [("token", &self.input.token), ("lang", &self.input.lang)] {
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        match query.finish() {
            query if query.is_empty() => path.to_owned(),
            query => format!("{path}?{query}"),
        }
    }

    fn form(&self) -> ApiResult<Response> {
        let is_sent = self.input.step == "confirm" && !self.input.goes_back;
        let faults = if is_sent { self.faults() } else { Vec::new() };
        let is_link_expired = !self.input.token.is_empty() && self.linked.is_none();
        let mut response = self.show(&Step::Form { is_link_expired, faults: &faults })?;
        if !faults.is_empty() {
            *response.status_mut() = StatusCode::BAD_REQUEST;
        }
        Ok(response)
    }
}

/// The shop that sells an order.
async fn shop(app: &App, order: Option<CartId>) -> ApiResult<Option<(CartOrganisation, CartId)>> {
    let Some(cart_id) = order else { return Ok(None) };
    Ok(carts::organisation(&app.db, cart_id).await?.map(|organisation| (organisation, cart_id)))
}

/// Texts in the order's language; without an order, in the one that the link names, else the browser's.
fn localizer<'a>(
    app: &'a App,
    wanted: &WantsPage,
    named: &str,
    of_order: Option<&(CartOrganisation, CartId)>,
) -> Localizer<'a> {
    match of_order {
        Some((organisation, _)) => organisation.localizer(&app.texts),
        None => wanted.localizer(&app.texts, &named.parse::<Language>().ok()),
    }
}

/// Open the page of withdrawal
///
/// For browsers. The first of two steps: who withdraws from which order. The link of a receipt fills in the order, and lets the
/// buyer choose lines. In the language of the link's order, else of `lang`, else of `Accept-Language`.
#[utoipa::path(
    get,
    path = "/storeapi/payment/withdraw/",
    tag = "extensions",
    security(()),
    params(
        ("token" = Option<String>, Query, description = "That of a receipt's link. Without a valid one, the page is the same form, empty."),
        ("order" = Option<String>, Query, description = "The order, filled in."),
        ("lang" = Option<String>, Query, description = "The language of the page, such as `de`."),
    ),
    operation_id = "open_withdrawal_page",
    extensions(("x-problems" = json!(["rate_limited", "internal_error", "unavailable"])), ("x-pages" = json!(true))),
    responses((status = 200, body = String, content_type = "text/html", description = "The page."))
)]
pub async fn page(State(app): State<AppState>, wanted: WantsPage, RawQuery(query): RawQuery) -> Response {
    let shown = async {
        let query = query.unwrap_or_default();
        Visit::new(&app, &wanted, &query, Input::default()).await?.form()
    };
    shown.await.unwrap_or_else(|error| problem(&app, &wanted, error))
}

/// Send the form of withdrawal
///
/// For browsers. The form of the first step leads to the second, whose button declares the withdrawal.
#[utoipa::path(
    post,
    path = "/storeapi/payment/withdraw/",
    tag = "extensions",
    security(()),
    params(
        ("token" = Option<String>, Query, description = "As of the page."),
        ("lang" = Option<String>, Query, description = "As of the page."),
    ),
    request_body(content((inline(schemas::AnyObject) = "application/x-www-form-urlencoded")), description = "The form."),
    operation_id = "send_withdrawal_form",
    extensions(("x-problems" = json!(["invalid_request", "request_timeout", "body_too_large", "unsupported_media_type", "rate_limited", "internal_error", "unavailable"])), ("x-pages" = json!(true))),
    responses(
        (status = 200, body = String, content_type = "text/html", description = "The second step, or the first one again."),
        (status = 202, body = String, content_type = "text/html", description = "The declaration is received."),
        (status = 400, body = String, content_type = "text/html", description = "The form, with what is wrong with it."),
    )
)]
pub async fn submit(
    State(app): State<AppState>,
    wanted: WantsPage,
    Peer(peer): Peer,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let visitor = VisitorName { address: Some(peer), id: None };
    let shown = async {
        app.identities.limits.visitor(&visitor)?;
        let body = read_form(request).await?;
        let query = query.unwrap_or_default();
        let visit = Visit::new(&app, &wanted, &query, Input::read(&body)).await?;
        match visit.input.step.as_str() {
            "declare" if !visit.input.goes_back && visit.faults().is_empty() => declare(&app, &visit).await,
            "confirm" if visit.faults().is_empty() => visit.show(&Step::Confirm),
            _ => visit.form(),
        }
    };
    shown.await.unwrap_or_else(|error| problem(&app, &wanted, error))
}

/// Reads the form of a page. A field that is missing is a fault of the form, which the page shows.
pub(super) async fn read_form(request: Request) -> ApiResult<Bytes> {
    let told = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if !told.is_some_and(|told| is_type(told, FORM)) {
        return Err(ApiError::MediaType(FORM));
    }
    read(request, MAX_BODY, BodyKind::Other).await
}

async fn declare(app: &App, visit: &Visit<'_>) -> ApiResult<Response> {
    let Input { order, name, email, .. } = &visit.input;
    let email = Email::parse(email).map_err(|error| ApiError::invalid("email", error.to_string()))?;
    app.identities.limits.address(&email)?;
    let id = visit.input.once.unwrap_or_else(Uuid::now_v7);
    let chosen: Vec<u32> =
        visit.lines.iter().filter(|line| line.is_chosen).map(|line| line.position).collect();
    // The page was loaded again: the declaration counts from the first time.
    let earlier = withdrawals::declared_at(&app.db, id).await?;
    let declared_at = earlier.unwrap_or_else(|| app.now());
    let declaration = DeclareWithdrawal {
        order: order.clone(),
        email,
        name: name.clone(),
        items: (chosen.len() < visit.lines.len()).then_some(chosen),
        declared_at,
        proof: visit.linked.map_or(DeclaredWith::Nothing, |cart_id| DeclaredWith::Link { cart_id }),
    };
    if earlier.is_none() {
        let sent = app.commands.send_task_as(id, declaration).await;
        sent.map_err(|_| ApiError::Unavailable)?;
    }
    // Without a signed link, the caller has not proved that the order is theirs: a local time would reveal the organisation.
    let at = match visit.linked {
        Some(cart_id) => carts::local(&app.db, cart_id, declared_at).await?,
        None => declared_at.fixed_offset(),
    };
    let mut response = visit.show(&Step::Received { at })?;
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}

/// Open the page of an objection
///
/// For browsers. The acknowledgement of a declaration without proof links it.
#[utoipa::path(
    get,
    path = "/storeapi/payment/withdraw/objection/",
    tag = "extensions",
    security(()),
    params(
        ("token" = Option<String>, Query, description = "That of the mailed link."),
        ("lang" = Option<String>, Query, description = "The language of the page, such as `de`."),
    ),
    operation_id = "open_objection_page",
    extensions(("x-problems" = json!(["rate_limited", "internal_error", "unavailable"])), ("x-pages" = json!(true))),
    responses((status = 200, body = String, content_type = "text/html", description = "The page."))
)]
pub async fn objection(
    State(app): State<AppState>,
    wanted: WantsPage,
    RawQuery(query): RawQuery,
) -> Response {
    let shown = object(&app, &wanted, query, false).await;
    shown.unwrap_or_else(|error| problem(&app, &wanted, error))
}

/// Object to a withdrawal
///
/// For browsers. The withdrawal then waits for a person of the organisation.
#[utoipa::path(
    post,
    path = "/storeapi/payment/withdraw/objection/",
    tag = "extensions",
    security(()),
    params(
        ("token" = Option<String>, Query, description = "That of the mailed link."),
        ("lang" = Option<String>, Query, description = "The language of the page, such as `de`."),
    ),
    operation_id = "object_to_withdrawal",
    extensions(("x-problems" = json!(["invalid_request", "request_timeout", "unsupported_media_type", "rate_limited", "internal_error", "unavailable"])), ("x-pages" = json!(true))),
    responses((status = 200, body = String, content_type = "text/html", description = "The objection is received, or came too late."))
)]
pub async fn send_objection(
    State(app): State<AppState>,
    wanted: WantsPage,
    RawQuery(query): RawQuery,
    body: Result<EmptyBody, ApiError>,
) -> Response {
    let objected = async {
        body?;
        object(&app, &wanted, query, true).await
    };
    objected.await.unwrap_or_else(|error| problem(&app, &wanted, error))
}

/// The page of an error, in the browser's language.
fn problem(app: &App, wanted: &WantsPage, error: ApiError) -> Response {
    pages::problem(error, &wanted.localizer(&app.texts, None))
}

async fn object(app: &App, wanted: &WantsPage, query: Option<String>, objects: bool) -> ApiResult<Response> {
    let mut visit = Visit::new(app, wanted, &query.unwrap_or_default(), Input::default()).await?;
    let named = opened(app, Purpose::Objection, &visit.input.token).await?;
    let mut open = None;
    if let Some(id) = named {
        app.identities.limits.link(id)?;
        if let Some(contested) = withdrawals::contested(&app.db, id).await? {
            visit.shop = shop(app, contested.cart_id).await?;
            visit.localizer = localizer(app, wanted, &visit.input.lang, visit.shop.as_ref());
            open = contested.is_open.then_some(id);
        }
    }
    let step = match open {
        None => Step::ObjectLate,
        Some(_) if !objects => Step::Object,
        Some(withdrawal_id) => {
            let objection = ObjectToWithdrawal { withdrawal_id };
            app.commands.send_task(objection).await.map_err(|_| ApiError::Unavailable)?;
            Step::Objected
        }
    };
    let shop = Shop(visit.shop.as_ref().map(|(shop, cart_id)| (shop, *cart_id)));
    withdraw::page(&step, &Entered::default(), &visit.action(OBJECTION), shop, &visit.localizer)
}
