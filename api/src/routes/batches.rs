//! Routes with which a trusted partner enrolls and unenrolls a list of addresses at once.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use shared::messages::{MOST_ROWS, SubmitBatch};
use utoipa::{IntoParams, ToSchema};

use crate::error::{ApiError, ApiResult};
use crate::extract::{BatchPath, BatchUpload, ClientSecret, Commander, Params, Query, ReadParams, WantsCsv};
use crate::openapi::parameters::{BatchInPath, IdempotencyKey, VisitorName};
use crate::openapi::words;
use crate::queries::batches;
use crate::read::listing;
use crate::response::{private, private_csv};
use crate::state::AppState;
use crate::views::batches::{BatchBody, SubmittedBatch, csv};
use crate::views::envelope::Envelope;

/// Time that a list can be read. The worker deletes it after that.
pub(super) const SHOWN: TimeDelta = TimeDelta::days(90);

/// The values of `status`, and of the column that they filter.
pub(super) const STATUSES: [(&str, Option<&str>); 3] =
    [("waiting", Some("waiting")), ("done", Some("done")), ("failed", Some("failed"))];

/// A list of enrollments and removals. A row without a course, mode or action has that of the list.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "describes `BatchUpload`")]
pub struct BatchRequest {
    #[schema(example = "ad035fc9-afd5-49f2-85d8-8ac83dd05a77")]
    course_id: Option<String>,
    #[schema(example = "verified")]
    mode: Option<String>,
    action: Option<words::BatchAction>,
    #[schema(min_items = 1, max_items = 5000)]
    rows: Vec<BatchRequestRow>,
}

/// One row of a list. A wrong one fails by itself.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "describes a row of `BatchUpload`")]
pub struct BatchRequestRow {
    #[schema(example = "ada@example.com")]
    email: String,
    course_id: Option<String>,
    mode: Option<String>,
    action: Option<words::BatchAction>,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters; `BatchDefaults` is what they are read into")]
pub struct BatchDefaultParams {
    /// The course of rows that name none.
    #[param(inline, value_type = Option<words::SearchText>)]
    course_id: Option<String>,
    /// The mode of rows that name none.
    #[param(inline, value_type = Option<words::SearchText>)]
    mode: Option<String>,
    /// `enroll` or `unenroll`, for rows that name none; without it `enroll`.
    #[param(inline, value_type = Option<words::SearchText>)]
    action: Option<String>,
}

/// The course, mode and action of rows that name none.
pub struct BatchDefaults([Option<String>; 3]);

impl ReadParams for BatchDefaults {
    fn read(params: &mut Params) -> Option<Self> {
        let given = |text: String| (!text.is_empty()).then_some(text);
        Some(Self(["course_id", "mode", "action"].map(|name| given(params.text(name)))))
    }
}

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
    request_body(content((BatchRequest = "application/json"), (String = "text/csv"))),
    params(BatchDefaultParams, IdempotencyKey, VisitorName),
    operation_id = "submit_batch",
    extensions(("x-problems" = json!(["called", "body", "command", "not_configured"]))),
    responses((status = 202, body = SubmittedBatch, description = "The rows are stored."))
)]
pub async fn submit(
    commander: Commander<ClientSecret>,
    Query(BatchDefaults(defaults)): Query<BatchDefaults>,
    list: BatchUpload,
) -> ApiResult<Response> {
    let rows = list.rows(defaults, |email| commander.unreachable(email).map(str::to_owned))?;
    let idempotency = commander.idempotency(&rows)?;
    let total = rows.len();
    let submitted = commander.send(SubmitBatch { rows, seats: None, idempotency }, None).await?;
    Ok((StatusCode::ACCEPTED, private(SubmittedBatch { batch_id: submitted.batch_id, total }))
        .into_response())
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters; `BatchQuery` is what they are read into")]
pub struct BatchParams {
    /// Page size. The service clamps it to 1 to 100.
    #[param(inline, value_type = Option<listing::PageSize>)]
    limit: Option<i64>,
    /// Counted from 1; a smaller number counts as 1. Pages past the end are empty.
    #[param(inline, value_type = Option<listing::PageNumber>)]
    page: Option<i64>,
    /// Only rows with this status.
    #[param(inline, value_type = Option<words::BatchRowStatus>)]
    status: Option<String>,
}

pub struct BatchQuery {
    limit: i64,
    offset: i64,
    status: Option<&'static str>,
}

impl ReadParams for BatchQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (place, status) = (listing::place(params), params.choice("status", &STATUSES, None));
        let ((limit, offset), status) = (place?, status?);
        Some(Self { limit, offset, status })
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
    params(BatchInPath, BatchParams),
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
    let rows = batches::rows(&app.db, id, query.status, query.limit, query.offset).await?;
    let envelope = Envelope::new(total, query.limit, query.offset, Vec::new());
    Ok(private(BatchBody::new(batch, rows, envelope)))
}
