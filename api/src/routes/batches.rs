//! Routes with which a trusted partner, or a manager of an organisation, enrolls and unenrolls a batch of addresses.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use shared::messages::{BatchRow, MOST_ROWS, SubmitBatch};
use utoipa::IntoParams;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};
use crate::extract::{
    BatchAuthor, BatchDefaults, BatchPath, BatchUpload, Caller, Commander, Desk, Params, Query, ReadParams,
    WantsCsv,
};
use crate::openapi::parameters::{BatchInPath, IdempotencyKey, OrganisationName, VisitorName};
use crate::queries::batches::{self, Batch, Place};
use crate::read::listing::PageQuery;
use crate::response::{private, private_csv};
use crate::state::{App, AppState};
use crate::views::batches::{BatchBody, SubmittedBatch};
use crate::views::csv;
use crate::views::envelope::Envelope;
use crate::words::BatchRowStatus;

/// Time for which a batch can be read. The worker deletes it after that.
pub const SHOWN: TimeDelta = TimeDelta::days(90);

/// Enroll or unenroll a batch of addresses
///
/// At most 5,000 rows and 1 MiB, as JSON or CSV (`text/csv`: columns `email`, `course_id`, `mode`, `action` and `language`, of
/// which only the first is required; separated by commas or semicolons; the columns that only the CSV of `get_batch` has are ignored). Answers once the rows are stored; each is then done by itself, as the routes for
/// one address do it. A wrong row fails alone; a manager's row for a course of another organisation is wrong. If an address and course are duplicates, the last row counts.
#[utoipa::path(
    post,
    path = "/storeapi/enrollments/client/batch/",
    tag = "enrollments",
    security(("client" = []), ("learner" = [])),
    request_body(content((BatchUpload = "application/json"), (String = "text/csv"))),
    params(BatchDefaults, OrganisationName, IdempotencyKey, VisitorName),
    operation_id = "submit_batch",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden", "not_configured"]))),
    responses((status = 202, body = SubmittedBatch, description = "The rows are stored."))
)]
pub async fn submit(
    commander: Commander<BatchAuthor>,
    Query(defaults): Query<BatchDefaults>,
    batch: BatchUpload,
) -> ApiResult<Response> {
    let rows = rows(&commander, batch, defaults)?;
    let submitted = submit_at(&commander, commander.caller.0.as_ref(), rows).await?;
    Ok((StatusCode::ACCEPTED, private(submitted)).into_response())
}

/// The rows of a batch, each with its fault.
///
/// # Errors
/// A default value can be that of no row.
pub fn rows<C>(
    commander: &Commander<C>,
    batch: BatchUpload,
    defaults: BatchDefaults,
) -> ApiResult<Vec<BatchRow>> {
    batch.rows(defaults, |email| commander.unreachable(email).map(str::to_owned))
}

/// Submits the rows of a batch, for a trusted backend or for a manager at a desk.
///
/// # Errors
/// As the route.
pub async fn submit_at<C: Caller>(
    commander: &Commander<C>,
    desk: Option<&Desk>,
    rows: Vec<BatchRow>,
) -> ApiResult<SubmittedBatch> {
    let idempotency = commander.idempotency(&rows)?;
    let total = rows.len();
    let staff = desk.and_then(Desk::member);
    let submitted = commander.send(SubmitBatch { rows, seats: None, staff, idempotency }, None).await?;
    Ok(SubmittedBatch { batch_id: submitted.batch_id, total })
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BatchQuery {
    #[param(ignore)]
    pub place: PageQuery,
    /// Only rows with this status.
    #[param(inline)]
    pub status: Option<BatchRowStatus>,
}

impl ReadParams for BatchQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (place, status) = (PageQuery::read(params), params.word("status"));
        Some(Self { place: place?, status: status? })
    }
}

/// Show the progress of a batch
///
/// With `Accept: text/csv`, all rows with the status come as CSV, without pages. A batch can be read for 90 days; by a
/// manager, if it was submitted by the staff of their organisation.
#[utoipa::path(
    get,
    path = "/storeapi/enrollments/client/batch/{batch_id}/",
    tag = "enrollments",
    security(("client" = []), ("learner" = [])),
    params(BatchInPath, PageQuery, BatchQuery, OrganisationName),
    operation_id = "get_batch",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden", "not_found"]))),
    responses((
        status = 200,
        content((BatchBody = "application/json"), (String = "text/csv")),
        description = "The batch, with a page of its rows.",
    ))
)]
pub async fn show(
    BatchAuthor(desk): BatchAuthor,
    State(app): State<AppState>,
    BatchPath(id): BatchPath,
    Query(query): Query<BatchQuery>,
    WantsCsv(wants_csv): WantsCsv,
) -> ApiResult<Response> {
    let place = desk.map_or(Place::Anywhere, |desk| Place::Organisation(desk.organisation_id));
    match wants_csv {
        true => Ok(private_csv(all_rows(&app, place, id, query.status).await?)),
        false => Ok(private(shown(&app, place, id, &query).await?)),
    }
}

/// A batch with a page of its rows.
///
/// # Errors
/// `NotFound` if there is none at this place.
pub async fn shown(app: &App, place: Place, id: Uuid, query: &BatchQuery) -> ApiResult<BatchBody> {
    let BatchQuery { place: PageQuery { limit, offset }, status } = *query;
    let batch = found(app, place, id).await?;
    let total = batches::count(&app.db, id, status).await?;
    let rows = batches::rows(&app.db, id, status, limit, offset).await?;
    Ok(BatchBody::new(batch, rows, Envelope::new(total, limit, offset, Vec::new())))
}

/// All rows of a batch with a status, as CSV.
///
/// # Errors
/// `NotFound` if there is no such batch at this place.
pub async fn all_rows(
    app: &App,
    place: Place,
    id: Uuid,
    status: Option<BatchRowStatus>,
) -> ApiResult<String> {
    found(app, place, id).await?;
    let most = i64::try_from(MOST_ROWS).unwrap_or(i64::MAX);
    csv::table(batches::rows(&app.db, id, status, most, 0).await?)
}

async fn found(app: &App, place: Place, id: Uuid) -> ApiResult<Batch> {
    let batch = batches::find(&app.db, id, place, app.now() - SHOWN).await?;
    batch.ok_or(ApiError::NotFound("Batch"))
}
