//! Routes with which a trusted partner enrolls and unenrolls a list of addresses at once.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use shared::messages::{MOST_ROWS, SubmitBatch};
use utoipa::IntoParams;

use crate::error::{ApiError, ApiResult};
use crate::extract::{
    BatchDefaults, BatchPath, BatchUpload, ClientSecret, Commander, Params, Query, ReadParams, WantsCsv,
};
use crate::openapi::parameters::{BatchInPath, IdempotencyKey, VisitorName};
use crate::queries::batches;
use crate::read::listing::PageQuery;
use crate::response::{private, private_csv};
use crate::state::AppState;
use crate::views::batches::{BatchBody, SubmittedBatch, csv};
use crate::views::envelope::Envelope;
use crate::words::BatchRowStatus;

/// Time that a list can be read. The worker deletes it after that.
pub(super) const SHOWN: TimeDelta = TimeDelta::days(90);

/// Enroll or unenroll a list of addresses
///
/// At most 5,000 rows and 1 MiB, as JSON or CSV (`text/csv`: columns `email`, `course_id`, `mode` and `action`, the last three
/// optional; separated by commas or semicolons). Answers once the rows are stored; each is then done by itself, as the routes for
/// one address do it. A wrong row fails alone. If an address and course are duplicates, the last row counts.
#[utoipa::path(
    post,
    path = "/storeapi/enrollments/client/batch/",
    tag = "enrollments",
    security(("client" = [])),
    request_body(content((BatchUpload = "application/json"), (String = "text/csv"))),
    params(BatchDefaults, IdempotencyKey, VisitorName),
    operation_id = "submit_batch",
    extensions(("x-problems" = json!(["called", "body", "command", "not_configured"]))),
    responses((status = 202, body = SubmittedBatch, description = "The rows are stored."))
)]
pub async fn submit(
    commander: Commander<ClientSecret>,
    Query(defaults): Query<BatchDefaults>,
    batch: BatchUpload,
) -> ApiResult<Response> {
    let rows = batch.rows(defaults, |email| commander.unreachable(email).map(str::to_owned))?;
    let idempotency = commander.idempotency(&rows)?;
    let total = rows.len();
    let submitted = commander.send(SubmitBatch { rows, seats: None, idempotency }, None).await?;
    Ok((StatusCode::ACCEPTED, private(SubmittedBatch { batch_id: submitted.batch_id, total }))
        .into_response())
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BatchQuery {
    #[param(ignore)]
    place: PageQuery,
    /// Only rows with this status.
    #[param(inline)]
    status: Option<BatchRowStatus>,
}

impl ReadParams for BatchQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (place, status) = (PageQuery::read(params), params.word("status"));
        Some(Self { place: place?, status: status? })
    }
}

/// Show how far a list has come
///
/// With `Accept: text/csv`, all rows with the status come as CSV, without pages. A list can be read for 90 days.
#[utoipa::path(
    get,
    path = "/storeapi/enrollments/client/batch/{batch_id}/",
    tag = "enrollments",
    security(("client" = [])),
    params(BatchInPath, PageQuery, BatchQuery),
    operation_id = "get_batch",
    extensions(("x-problems" = json!(["called", "invalid_request", "not_found"]))),
    responses((
        status = 200,
        content((BatchBody = "application/json"), (String = "text/csv")),
        description = "The list, with a page of its rows.",
    ))
)]
pub async fn show(
    _: ClientSecret,
    State(app): State<AppState>,
    BatchPath(id): BatchPath,
    Query(query): Query<BatchQuery>,
    WantsCsv(wants_csv): WantsCsv,
) -> ApiResult<Response> {
    let batch =
        batches::find(&app.db, id, None, app.now() - SHOWN).await?.ok_or(ApiError::NotFound("List"))?;
    if wants_csv {
        let most = i64::try_from(MOST_ROWS).unwrap_or(i64::MAX);
        let rows = batches::rows(&app.db, id, query.status, most, 0).await?;
        return Ok(private_csv(csv(rows)));
    }
    let total = batches::count(&app.db, id, query.status).await?;
    let rows = batches::rows(&app.db, id, query.status, query.place.limit, query.place.offset).await?;
    let envelope = Envelope::new(total, query.place.limit, query.place.offset, Vec::new());
    Ok(private(BatchBody::new(batch, rows, envelope)))
}
