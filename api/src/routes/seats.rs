//! Routes for pools of seats: their buyer sees who has one, assigns them to addresses, and takes them back.

use std::collections::HashMap;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use shared::email::Email;
use shared::ids::VoucherId;
use shared::messages::{
    AssignedSeats, BatchAction, BatchRow, MOST_IN_POOL, RemindSeats, RemindedSeats, RevokeSeats,
    RevokedSeats, SubmitBatch,
};
use texts::Language;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::batches::SHOWN;
use crate::error::{ApiError, ApiResult};
use crate::extract::{
    Body, Caller, Commander, FieldValue, Fields, Params, Query, ReadFields, ReadParams, SeatsManager,
    SeatsReader, WantsCsv,
};
use crate::openapi::parameters::{IdempotencyKey, OrganisationName, SeatsInPath};
use crate::queries::batches::{self, Place};
use crate::queries::seats::{self, Pool};
use crate::read::listing::PageQuery;
use crate::response::{private, private_csv};
use crate::state::{App, AppState};
use crate::views::batches::{BatchBody, SubmittedBatch};
use crate::views::csv;
use crate::views::envelope::Envelope;
use crate::views::seats::{SeatPoolDetail, SeatPools, SeatsReminded, SeatsRevoked};
use crate::words::BatchRowStatus;

/// Addresses that one request can assign seats.
const MOST_ASSIGNED: usize = 500;

/// Addresses whose seats one request can take back, or which it can remind, while its caller waits.
const MOST_EMAILS: usize = 100;

/// List pools of seats, a page at a time
///
/// Newest first. A learner sees those that they bought from the selected organisation, also as a guest under their confirmed
/// address. A key sees all pools of its organisation, and needs no `orgName`.
///
/// `total_count` ends at 1,000; the pages continue, and `has_more` says so.
#[utoipa::path(
    get,
    path = "/storeapi/seats/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["seats"])),
    params(PageQuery, OrganisationName),
    operation_id = "list_seats",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    responses((status = 200, body = SeatPools, description = "A page of pools."))
)]
pub async fn list(
    SeatsReader(reader): SeatsReader,
    State(app): State<AppState>,
    Query(PageQuery { limit, offset }): Query<PageQuery>,
) -> ApiResult<Response> {
    let buyers = reader.buyers.as_deref();
    let page = seats::page(&app.db, reader.organisation_id, buyers, limit, offset).await?;
    let envelope = Envelope::new(page.total, limit, offset, Vec::new()).followed(page.has_more);
    Ok(private(SeatPools::new(page.items, envelope)))
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PoolQuery {
    #[param(ignore)]
    place: PageQuery,
    /// Shows the progress of this batch of addresses, instead of who has the seats.
    batch_id: Option<Uuid>,
    /// Only rows of the batch with this status.
    #[param(inline)]
    status: Option<BatchRowStatus>,
}

impl ReadParams for PoolQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (place, status) = (PageQuery::read(params), params.word("status"));
        let text = params.text("batch_id");
        let batch_id = match (text.is_empty(), text.parse()) {
            (true, _) => Some(None),
            (false, Ok(id)) => Some(Some(id)),
            (false, Err(_)) => {
                params.error("batch_id", "is not a UUID");
                None
            }
        };
        Some(Self { place: place?, batch_id: batch_id?, status: status? })
    }
}

/// Show a pool of seats and who has them
///
/// With `Accept: text/csv`, all assignments come as CSV, without pages; with `batch_id`, the answer is always JSON.
#[utoipa::path(
    get,
    path = "/storeapi/seats/{voucher_id}/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("cart_token" = []), ("key" = ["seats"])),
    params(SeatsInPath, PageQuery, PoolQuery),
    operation_id = "get_seats",
    extensions(("x-problems" = json!(["called", "invalid_request", "forbidden", "not_found"]))),
    responses((
        status = 200,
        content((SeatPoolDetail = "application/json"), (String = "text/csv")),
        description = "The pool, with a page of its assignments.",
    ))
)]
pub async fn detail(
    SeatsManager { voucher_id, .. }: SeatsManager,
    State(app): State<AppState>,
    Query(query): Query<PoolQuery>,
    WantsCsv(wants_csv): WantsCsv,
) -> ApiResult<Response> {
    if wants_csv && query.batch_id.is_none() {
        let all = seats::assignments(&app.db, voucher_id, MOST_IN_POOL.into(), 0).await?;
        return Ok(private_csv(csv::table(all)?));
    }
    Ok(private(shown(&app, voucher_id, &query).await?))
}

/// A pool with a page of its assignments, or with the progress of a batch of addresses.
///
/// # Errors
/// `NotFound`, also for a batch of another pool.
pub async fn shown(app: &App, voucher_id: VoucherId, query: &PoolQuery) -> ApiResult<SeatPoolDetail> {
    let pool = seats::by_ids(&app.db, &[voucher_id]).await?.pop();
    let pool = pool.ok_or(ApiError::NotFound("Pool of seats"))?;
    if let Some(id) = query.batch_id {
        return list_of_addresses(app, pool, id, query).await;
    }
    let total = seats::count(&app.db, voucher_id).await?;
    let page = seats::assignments(&app.db, voucher_id, query.place.limit, query.place.offset).await?;
    let envelope = Envelope::new(total, query.place.limit, query.place.offset, Vec::new());
    Ok(SeatPoolDetail::assigned(pool, page, envelope))
}

/// A pool with the progress of a batch of addresses.
async fn list_of_addresses(app: &App, pool: Pool, id: Uuid, query: &PoolQuery) -> ApiResult<SeatPoolDetail> {
    let batch = batches::find(&app.db, id, Place::Pool(pool.id), app.now() - SHOWN).await?;
    let batch = batch.ok_or(ApiError::NotFound("Batch"))?;
    let total = batches::count(&app.db, id, query.status).await?;
    let rows = batches::rows(&app.db, id, query.status, query.place.limit, query.place.offset).await?;
    let envelope = Envelope::new(total, query.place.limit, query.place.offset, Vec::new());
    let batch = BatchBody::new(batch, rows, envelope);
    Ok(SeatPoolDetail::assigning(pool, batch))
}

/// Addresses that get seats. A wrong one fails by itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssignRequest {
    #[schema(min_items = 1, max_items = 500, example = json!(["ada@example.com"]))]
    emails: Vec<String>,
    /// In which all of them are told: a tag of BCP 47. Without it, the language that the course platform knows of each, else that of
    /// the order that paid for the seats.
    #[schema(value_type = Option<String>, max_length = 35, example = "pt-BR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<Language>,
}

/// Addresses whose seats are taken back.
#[derive(Debug, Serialize, ToSchema)]
pub struct RevokeRequest {
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 100, example = json!(["ada@example.com"]))]
    emails: Vec<Email>,
}

/// Addresses to remind; left out: the 100 that have not registered and got no mail for longest.
#[derive(Debug, Serialize, ToSchema)]
pub struct RemindRequest {
    #[schema(value_type = Option<Vec<String>>, max_items = 100, example = json!(["ada@example.com"]))]
    emails: Option<Vec<Email>>,
}

impl ReadFields for AssignRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (emails, language) = (emails(fields, MOST_ASSIGNED), fields.optional_unless_blank("language"));
        Some(Self { emails: emails?, language: language? })
    }
}

impl ReadFields for RevokeRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        Some(Self { emails: emails(fields, MOST_EMAILS)? })
    }
}

impl ReadFields for RemindRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        Some(Self { emails: fields.optional_list("emails", MOST_EMAILS)? })
    }
}

/// A list of at least one address.
fn emails<T: FieldValue>(fields: &mut Fields, most: usize) -> Option<Vec<T>> {
    let emails = fields.optional_list("emails", most)?.unwrap_or_default();
    if emails.is_empty() {
        fields.error("emails", "must not be empty");
        return None;
    }
    Some(emails)
}

/// Assign seats to addresses
///
/// Answers once the addresses are stored; `GET` the pool with the `batch_id` tells what became of each. An address with an account
/// is enrolled and told so by mail; another one gets a link to register, and is enrolled once it has. Each address can have one seat
/// of a pool. A pool makes at most four assignments for each of its seats, including those that were taken back, and its batches of 90
/// days have at most ten addresses for each seat and 2,000 more.
#[utoipa::path(
    post,
    path = "/storeapi/seats/{voucher_id}/assign/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("cart_token" = []), ("key" = ["seats"])),
    request_body = AssignRequest,
    params(SeatsInPath, IdempotencyKey),
    operation_id = "assign_seats",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden", "not_found", "not_configured"]))),
    responses((status = 202, body = SubmittedBatch, description = "The addresses are stored."))
)]
pub async fn assign(
    commander: Commander<SeatsManager>,
    Body(request): Body<AssignRequest>,
) -> ApiResult<Response> {
    let submitted = assign_as(&commander, &commander.caller, request).await?;
    Ok((StatusCode::ACCEPTED, private(submitted)).into_response())
}

/// Assigns seats for the manager of a pool.
///
/// # Errors
/// As the route.
pub async fn assign_as<C: Caller>(
    commander: &Commander<C>,
    &SeatsManager { voucher_id, caller }: &SeatsManager,
    request: AssignRequest,
) -> ApiResult<SubmittedBatch> {
    let AssignRequest { emails, language } = request;
    // The hash of a request without a language stays as it was before there was one.
    let idempotency = match &language {
        None => commander.idempotency(&(voucher_id, &emails))?,
        Some(language) => commander.idempotency(&(voucher_id, &emails, language))?,
    };
    let rows = rows(emails, language.as_ref(), |email| commander.unreachable(email));
    let total = rows.len();
    let seats = Some(AssignedSeats { voucher_id, caller });
    let submitted = commander.send(SubmitBatch { rows, seats, staff: None, idempotency }, None).await?;
    Ok(SubmittedBatch { batch_id: submitted.batch_id, total })
}

/// The rows of a batch of addresses. `unreachable` says why the mail server cannot deliver to one.
fn rows(
    emails: Vec<String>,
    language: Option<&Language>,
    unreachable: impl Fn(&Email) -> Option<&'static str>,
) -> Vec<BatchRow> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let row = |(index, text): (usize, String)| {
        let (email, fault) = match Email::parse(&text) {
            Err(error) => (text, Some(format!("email {error}"))),
            Ok(email) => {
                let first = *seen.entry(email.as_str().to_owned()).or_insert(index);
                let repeated = (first != index).then(|| format!("repeats row {}", first + 1));
                let unreachable = unreachable(&email).map(|fault| format!("email {fault}"));
                (email.as_str().to_owned(), repeated.or(unreachable))
            }
        };
        let language = language.cloned();
        BatchRow { email, action: BatchAction::Enroll, course_id: None, mode: None, language, fault }
    };
    emails.into_iter().enumerate().map(row).collect()
}

/// Take seats back
///
/// The seat of an address that has not registered is free again. An address that is enrolled loses the access, and its seat stays
/// spent. Seats that were taken with the code can be taken back, too.
#[utoipa::path(
    post,
    path = "/storeapi/seats/{voucher_id}/revoke/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("cart_token" = []), ("key" = ["seats"])),
    request_body = RevokeRequest,
    params(SeatsInPath, IdempotencyKey),
    operation_id = "revoke_seats",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden", "not_found"]))),
    responses((status = 200, body = SeatsRevoked, description = "What became of each address."))
)]
pub async fn revoke(
    commander: Commander<SeatsManager>,
    Body(request): Body<RevokeRequest>,
) -> ApiResult<Response> {
    Ok(private(SeatsRevoked::from(revoke_as(&commander, &commander.caller, request).await?)))
}

/// Takes seats back for the manager of a pool.
///
/// # Errors
/// As the route.
pub async fn revoke_as<C: Caller>(
    commander: &Commander<C>,
    &SeatsManager { voucher_id, caller }: &SeatsManager,
    request: RevokeRequest,
) -> ApiResult<RevokedSeats> {
    let idempotency = commander.idempotency(&(voucher_id, &request))?;
    commander.send(RevokeSeats { voucher_id, caller, emails: request.emails, idempotency }, None).await
}

/// Remind addresses of their seats
///
/// Mails those that have not registered, at most once a day each.
#[utoipa::path(
    post,
    path = "/storeapi/seats/{voucher_id}/remind/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("cart_token" = []), ("key" = ["seats"])),
    request_body = RemindRequest,
    params(SeatsInPath, IdempotencyKey),
    operation_id = "remind_seats",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden", "not_found"]))),
    responses((status = 200, body = SeatsReminded, description = "What became of each address."))
)]
pub async fn remind(
    commander: Commander<SeatsManager>,
    Body(request): Body<RemindRequest>,
) -> ApiResult<Response> {
    Ok(private(SeatsReminded::from(remind_as(&commander, &commander.caller, request).await?)))
}

/// Reminds addresses for the manager of a pool.
///
/// # Errors
/// As the route.
pub async fn remind_as<C: Caller>(
    commander: &Commander<C>,
    &SeatsManager { voucher_id, caller }: &SeatsManager,
    request: RemindRequest,
) -> ApiResult<RemindedSeats> {
    let idempotency = commander.idempotency(&(voucher_id, &request))?;
    commander.send(RemindSeats { voucher_id, caller, emails: request.emails, idempotency }, None).await
}
