//! Routes for orders: the paged list and detail, for learners and for backends of one organisation.

use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use shared::email::Email;
use shared::ids::CartId;
use shared::typed::given;
use utoipa::IntoParams;

use crate::error::{ApiError, ApiResult};
use crate::extract::{ListReader, OrderOfCaller, OrdersReader, Params, Query, ReadParams, WantsCsv};
use crate::openapi::parameters::{CartInPath, OrganisationName};
use crate::openapi::schemas;
use crate::queries::COUNTED;
use crate::queries::ledger::Edge;
use crate::queries::orders::{self, OrderFilter, Page};
use crate::read::dates::{self, Span};
use crate::read::listing::PageQuery;
use crate::response::{private, private_csv};
use crate::state::{App, AppState};
use crate::views::envelope::Envelope;
use crate::views::orders::{Links, OrderBody, OrderList};
use crate::views::{csv, order_rows};
use crate::words::OrderStatus;

/// The parameters that only a key can use.
const OF_KEYS: [&str; 3] = ["email", "from", "to"];

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OrderListQuery {
    #[param(ignore)]
    place: PageQuery,
    /// Only orders with this status.
    #[param(inline)]
    status: Option<OrderStatus>,
    /// Only orders of this buyer's address. Needs a key.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    email: Option<Email>,
    /// Only orders with this reference, as the checkout gave it.
    #[param(inline, value_type = Option<schemas::Reference>)]
    reference: Option<String>,
    /// Only orders paid at this time or later: a date in UTC, or an RFC 3339 time. Needs a key.
    #[param(inline, value_type = Option<Edge>)]
    from: Option<DateTime<Utc>>,
    /// Only orders paid until this time, which is included: a date in UTC (its whole day), or an RFC 3339 time. Needs a key.
    #[param(rename = "to", inline, value_type = Option<Edge>)]
    before: Option<DateTime<Utc>>,
    /// The given parameters that only a key can use.
    #[param(ignore)]
    of_keys: Vec<&'static str>,
}

impl ReadParams for OrderListQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let place = PageQuery::read(params);
        let status = params.word("status");
        let of_keys = OF_KEYS.into_iter().filter(|name| params.is_given(name)).collect();
        let reference = given(Some(params.text("reference")));
        let (email, paid) = (email(params), dates::span(params));
        let Span { from, before } = paid?;
        Some(Self { place: place?, status: status?, email: email?, reference, from, before, of_keys })
    }
}

/// Reads `email`. Empty counts as not given.
fn email(params: &mut Params) -> Option<Option<Email>> {
    let text = params.unspaced("email");
    if text.is_empty() {
        return Some(None);
    }
    let read = Email::parse(&text).map_err(|error| params.error("email", error.to_string()));
    read.ok().map(Some)
}

impl OrderListQuery {
    fn filter(&self, caller: ListReader) -> ApiResult<OrderFilter> {
        if let (Some(_), Some(name)) = (&caller.buyers, self.of_keys.first()) {
            return Err(ApiError::invalid(*name, "needs a key of the organisation"));
        }
        Ok(OrderFilter {
            organisation_id: caller.organisation_id,
            buyers: caller.buyers,
            status: self.status,
            email: self.email.clone(),
            reference: self.reference.clone(),
            paid_from: self.from,
            paid_before: self.before,
        })
    }
}

/// List orders, a page at a time
///
/// Newest first: every cart that is no longer open. A learner sees their own orders with the selected organisation, and what
/// a guest bought under their confirmed address. A key sees all orders of its organisation, with the buyer's address, and
/// needs no `orgName`; with it the list comes as CSV for `Accept: text/csv`, a row for each line of an order.
///
/// `total_count` ends at 1,000; the pages continue, and `has_more` says so.
#[utoipa::path(
    get,
    path = "/storeapi/payment/orders/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["orders"])),
    operation_id = "list_orders",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    params(PageQuery, OrderListQuery, OrganisationName),
    responses((
        status = 200,
        content((OrderList = "application/json"), (String = "text/csv")),
        description = "A page of orders.",
    ))
)]
pub async fn list(
    OrdersReader(caller): OrdersReader,
    State(app): State<AppState>,
    Query(query): Query<OrderListQuery>,
    WantsCsv(wants_csv): WantsCsv,
) -> ApiResult<Response> {
    let by_key = caller.buyers.is_none();
    let filter = query.filter(caller)?;
    let PageQuery { limit, offset } = query.place;
    let total = orders::total(&app.db, &filter).await?;
    let page = match offset < total || total == COUNTED {
        true => orders::page(&app.db, &filter, limit, offset).await?,
        // Past the end PostgreSQL would read all rows only to return none.
        false => Page::default(),
    };
    if by_key && wants_csv {
        return Ok(private_csv(csv::table(order_rows::rows(page.orders))?));
    }
    let envelope = Envelope::new(total, limit, offset, page.broken).followed(page.has_more);
    Ok(private(OrderList::new(page.orders, by_key, envelope, links(&app))))
}

/// Show an order
///
/// To whom the status route shows it, and to a key of its organisation, which also sees the buyer's address. A learner also
/// sees what a guest bought under their confirmed address. The id of a checkout that has joined the order works too.
#[utoipa::path(
    get,
    path = "/storeapi/payment/orders/{cart_id}/",
    tag = "extensions",
    security(("reader" = []), ("cart_token" = []), ("key" = ["orders"])),
    params(CartInPath),
    operation_id = "get_order",
    extensions(("x-problems" = json!(["called", "invalid_request", "forbidden", "not_found"]))),
    responses(
        (status = 200, body = OrderBody, description = "The order, its lines and its refunds."),
        (status = 401, description = "`unauthenticated`: the request carries no accepted identity, an invalid one, or a token that has expired."),
        (status = 403, description = "`forbidden`: the key lacks the scope."),
        (status = 404, description = "`not_found`: this caller has no such order."),
    )
)]
pub async fn detail(
    OrderOfCaller { id, by_key }: OrderOfCaller,
    State(app): State<AppState>,
) -> ApiResult<Response> {
    show(&app, id, by_key).await
}

/// An order, with its current status.
pub(super) async fn show(app: &App, id: CartId, by_key: bool) -> ApiResult<Response> {
    let order = orders::find(&app.db, id).await?.ok_or(ApiError::NotFound("Order"))?;
    let order = order.map_err(|_| ApiError::Internal)?;
    Ok(private(OrderBody::new(order, by_key, links(app))))
}

fn links(app: &App) -> Links<'_> {
    Links { settings: &app.config.links, now: app.now() }
}
