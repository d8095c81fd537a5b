//! Routes with which the support desk looks: search, an order, and what needs a person.

use axum::extract::State;
use axum::response::Response;
use shared::email::Email;
use shared::ids::CartId;
use shared::staff::Role;
use texts::Localizer;
use utoipa::IntoParams;

use crate::error::{ApiError, ApiResult};
use crate::extract::{Desk, DeskOrder, EventsReader, Params, Query, ReadParams, with_plus};
use crate::openapi::parameters::{OrderInPath, OrganisationName};
use crate::openapi::schemas;
use crate::queries::desk::attention::Reader;
use crate::queries::desk::{attention, endpoints, order, search};
use crate::queries::{documents, orders, withdrawals};
use crate::response::private;
use crate::state::{App, AppState};
use crate::views::desk::attention::AttentionList;
use crate::views::desk::endpoints::EndpointList;
use crate::views::desk::order::{Moment, SupportAccess, SupportDispute, SupportMail, SupportOrder};
use crate::views::desk::search::SupportSearch;
use crate::views::orders::{Links, OrderBody};
use crate::views::withdrawals::WithdrawalBody;

/// Shortest text to search for, in characters.
pub const SHORTEST: usize = 2;

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SupportSearchQuery {
    /// An address, a part of the name or the company on an invoice, its tax number, the id of an order, payment or refund, a document's
    /// number, the buyer's own `reference`, the reference of a transfer, of its line at the bank or of a provider, a voucher's code, a
    /// course key, or a part of the name of a course or program. At least 2 characters; a part of a name needs 3.
    #[param(inline, value_type = schemas::SearchText)]
    pub q: String,
}

impl ReadParams for SupportSearchQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let q = params.text("q").trim().to_owned();
        if q.chars().count() < SHORTEST {
            params.error("q", format!("must have at least {SHORTEST} characters"));
            return None;
        }
        Some(Self { q })
    }
}

/// Search at the support desk
///
/// For the staff of an organisation, and for its tools. Finds what belongs to the organisation alone.
#[utoipa::path(
    get,
    path = "/storeapi/support/search/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(SupportSearchQuery, OrganisationName),
    operation_id = "search_support",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    responses((status = 200, body = SupportSearch, description = "What the text means."))
)]
pub async fn search(
    desk: Desk,
    State(app): State<AppState>,
    Query(query): Query<SupportSearchQuery>,
) -> ApiResult<Response> {
    Ok(private(find(&app, &desk, &query.q).await?))
}

/// Finds what a text means at a desk.
pub async fn find(app: &App, desk: &Desk, text: &str) -> ApiResult<SupportSearch> {
    let organisation = desk.organisation_id;
    let unspaced = with_plus(text);
    let email = Email::parse(&unspaced).ok();
    let courses = search::courses(&app.db, organisation, text, &unspaced).await?;
    let mut items = search::programs(&app.db, organisation, text).await?;
    items.extend(courses.iter().map(|course| course.id));
    let orders = search::orders(&app.db, organisation, text, email.as_ref(), &items).await?;
    let voucher = search::voucher(&app.db, organisation, text).await?;
    let ids: Vec<CartId> = orders.iter().map(|order| order.id).collect();
    let standings =
        orders::of_ids(&app.db, &ids).await?.iter().map(|order| (order.id, order.standing())).collect();
    Ok(SupportSearch::new(orders, &standings, voucher, courses))
}

/// Show an order at the support desk
///
/// With its payment, the course platform's reasons, the mails and a timeline in words.
#[utoipa::path(
    get,
    path = "/storeapi/support/orders/{cart_id}/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrderInPath, OrganisationName),
    operation_id = "get_support_order",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden", "not_found"]))),
    responses((status = 200, body = SupportOrder, description = "The order, and all that is on record about it."))
)]
pub async fn detail(order: DeskOrder, State(app): State<AppState>) -> ApiResult<Response> {
    Ok(private(shown(&app, order.cart_id, &app.texts.console(&[])).await?))
}

/// An order of a desk's organisation, with its history in the words of a language.
pub async fn shown(app: &App, cart_id: CartId, localizer: &Localizer<'_>) -> ApiResult<SupportOrder> {
    let found = orders::find(&app.db, cart_id).await?.ok_or(ApiError::NotFound("Order"))?;
    let found = found.map_err(|_| ApiError::Internal)?;
    let db = &app.db;
    let links = Links { settings: &app.config.links, now: app.now() };
    let (payment, disputes) = (order::payment(db, cart_id).await?, order::disputes(db, cart_id).await?);
    let (access, mails) = (order::access(db, cart_id).await?, order::mails(db, cart_id).await?);
    let withdrawals = withdrawals::of_order(db, cart_id).await?;
    let history = order::history(db, cart_id).await?;
    Ok(SupportOrder {
        order: OrderBody::new(found, true, links),
        payment: payment.map(Into::into),
        invoice_request: order::invoice_request(db, cart_id).await?.map(Into::into),
        disputes: disputes.into_iter().map(SupportDispute::from).collect(),
        withdrawals: withdrawals.into_iter().map(WithdrawalBody::from).collect(),
        access: access.into_iter().map(SupportAccess::from).collect(),
        mails: mails.into_iter().map(SupportMail::from).collect(),
        reported_documents: documents::standings(db, cart_id).await?,
        timeline: history.iter().map(|row| Moment::new(row, localizer)).collect(),
    })
}

/// List what needs a person
///
/// Everything of the organisation that no timer will settle by itself: alerts of payments, notifications that contradict the record,
/// paid orders without access, refused enrollments, unanswered refunds, failed mails and disabled endpoints for events; for finance also
/// overdue money, invoices that the support asks for, documents that another system has not issued for a day, and withdrawals that wait for a decision, for managers also dead letters that concern the organisation.
#[utoipa::path(
    get,
    path = "/storeapi/support/attention/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrganisationName),
    operation_id = "list_attention",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    responses((status = 200, body = AttentionList, description = "What needs a person, oldest first."))
)]
pub async fn attention(desk: Desk, State(app): State<AppState>) -> ApiResult<Response> {
    Ok(private(waiting(&app, &desk, &app.texts.console(&[])).await?))
}

/// Lists what needs the person at a desk, in the words of a language.
pub async fn waiting(app: &App, desk: &Desk, localizer: &Localizer<'_>) -> ApiResult<AttentionList> {
    let reader = Reader {
        organisation_id: desk.organisation_id,
        is_finance: desk.may(Role::Finance),
        is_manager: desk.may(Role::Manager),
    };
    Ok(AttentionList::new(attention::list(&app.db, reader, app.now()).await?, localizer))
}

/// List the endpoints for events
///
/// For a key with the scope `events`, or a manager of the organisation. Each endpoint with its latest deliveries, and what it has
/// answered.
#[utoipa::path(
    get,
    path = "/storeapi/support/endpoints/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["events"])),
    params(OrganisationName),
    operation_id = "list_endpoints",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    responses((status = 200, body = EndpointList, description = "The endpoints."))
)]
pub async fn endpoint_list(
    EventsReader(desk): EventsReader,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    Ok(private(endpoints(&app, &desk).await?))
}

/// The endpoints for events of a desk's organisation.
pub async fn endpoints(app: &App, desk: &Desk) -> ApiResult<EndpointList> {
    let endpoints = endpoints::list(&app.db, desk.organisation_id).await?;
    let deliveries = endpoints::deliveries(&app.db, desk.organisation_id).await?;
    Ok(EndpointList::new(endpoints, deliveries))
}
