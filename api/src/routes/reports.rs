//! Reports for an organisation's accounts.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use chrono::{NaiveDate, TimeDelta};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use shared::ids::OrganisationId;
use utoipa::IntoParams;

use crate::error::{ApiError, ApiResult};
use crate::extract::{Params, Query, ReadParams, ReportsReader};
use crate::openapi::parameters::OrganisationName;
use crate::queries::ledger::{self, CHUNK, Edge, Movement, Period};
use crate::queries::taxes::{self, TaxTotal};
use crate::read::dates;
use crate::state::{App, AppState};
use crate::views::report::Format;

/// The longest period of a report: a leap year.
const LONGEST_DAYS: i64 = 366;

/// The same in time: the seller's clocks may be changed in it.
const LONGEST: TimeDelta = TimeDelta::hours(LONGEST_DAYS * 24 + 12);

const TURNED: &str = "is before from";
const TOO_LONG: &str = "is more than 366 days after from, both included";

/// Period that the caller asks for; both ends belong to the report.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LedgerQuery {
    /// Only movements at this time or later: a day, or an RFC 3339 time. Days are those of the seller's time zone, which dates its
    /// documents; of an organisation without a `seller`, those of UTC.
    #[param(inline)]
    pub from: Edge,
    /// Only movements until this time, which is included: a day (all of it) as in `from`, or an RFC 3339 time. At most 366 days in
    /// all.
    #[param(inline)]
    pub to: Edge,
    /// The form of the report.
    #[param(inline, value_type = Option<Format>)]
    pub format: Format,
}

impl ReadParams for LedgerQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (from, to) = (dates::required_edge(params, "from"), dates::required_edge(params, "to"));
        let format = params.word("format")?.unwrap_or_default();
        Some(Self { from: from?, to: to?, format })
    }
}

/// Report every movement of money
///
/// For a key with the scope `reports`, or finance staff of the organisation. One row for each movement, in the order in which they were booked: a refunded sale is two rows that add up to 0. In CSV a
/// text that begins with `=`, `+`, `-` or `@` has a `'` before it; numbers have none. The answer is streamed: if it breaks off,
/// repeat the request.
#[utoipa::path(
    get,
    path = "/storeapi/reports/ledger/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["reports"])),
    operation_id = "report_ledger",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    params(LedgerQuery, OrganisationName),
    responses(
        (status = 200, content((String = "text/csv"), (Vec<Movement> = "application/json")), description = "The movements of this time."),
    )
)]
pub async fn ledger(
    ReportsReader(desk): ReportsReader,
    State(app): State<AppState>,
    Query(query): Query<LedgerQuery>,
) -> ApiResult<Response> {
    report(app, desk.organisation_id, query).await
}

/// The time of an organisation's report.
///
/// # Errors
/// `InvalidRequest` if it is too long, or ends before it begins.
pub async fn period(
    app: &App,
    organisation_id: OrganisationId,
    LedgerQuery { from, to, .. }: LedgerQuery,
) -> ApiResult<Period> {
    let period = ledger::period(&app.db, organisation_id, from, to).await?;
    if period.before <= period.from {
        return Err(ApiError::invalid("to", TURNED));
    }
    if period.before - period.from > LONGEST {
        return Err(ApiError::invalid("to", TOO_LONG));
    }
    Ok(period)
}

/// Streams an organisation's report.
///
/// # Errors
/// As [`period`].
pub async fn report(
    app: AppState,
    organisation_id: OrganisationId,
    query: LedgerQuery,
) -> ApiResult<Response> {
    let LedgerQuery { from, to, format } = query;
    let period = period(&app, organisation_id, query).await?;
    let mut chunks = Box::pin(chunks(app, period));
    // Before the head of the answer, so that an unavailable database is reported as such.
    let first = chunks.try_next().await?;
    let rest = stream::iter(first.map(Ok))
        .chain(chunks)
        .enumerate()
        .map(move |(index, movements)| format.rows(movements?, index == 0));
    let begin = stream::once(async move { format.begin::<Movement>() });
    let end = stream::once(async move { Ok(format.end()) });
    file(&format!("ledger-{from}-{to}"), format, Body::from_stream(begin.chain(rest).chain(end)))
}

/// An answer that browsers store as a file of this name.
fn file(name: &str, format: Format, body: Body) -> ApiResult<Response> {
    let name = format!("attachment; filename=\"{name}.{}\"", format.extension());
    let name = HeaderValue::try_from(name).map_err(|_| ApiError::Internal)?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(format.media_type())),
        (header::CONTENT_DISPOSITION, name),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, body).into_response())
}

fn chunks(app: AppState, period: Period) -> impl Stream<Item = ApiResult<Vec<Movement>>> {
    // The numbers of the movements that are not sent yet, the last ones first; None before the first statement.
    stream::try_unfold(None, move |left: Option<Vec<i64>>| {
        let app = app.clone();
        async move {
            let mut left = match left {
                Some(left) => left,
                None => {
                    let mut numbers = ledger::numbers(&app.db, period, i64::MAX).await?;
                    numbers.reverse();
                    numbers
                }
            };
            let next = left.split_off(left.len().saturating_sub(CHUNK));
            if next.is_empty() {
                return Ok(None);
            }
            let movements = ledger::movements(&app.db, period.organisation_id, &next).await?;
            Ok(Some((movements, Some(left))))
        }
    })
}

/// Days that the caller asks for; both ends belong to the report.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TaxesQuery {
    /// Only documents of this day or later: the day that they show, which is one of the seller's time zone.
    pub from: NaiveDate,
    /// Only documents until this day, which is included. At most 366 days in all.
    pub to: NaiveDate,
    /// The form of the report.
    #[param(inline, value_type = Option<Format>)]
    pub format: Format,
}

impl ReadParams for TaxesQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (from, to) = (dates::required_day(params, "from"), dates::required_day(params, "to"));
        let format = params.word("format")?.unwrap_or_default();
        Some(Self { from: from?, to: to?, format })
    }
}

/// Report the taxes of invoices less credit notes
///
/// For a key with the scope `reports`, or finance staff of the organisation. One row for each place, rate, category and currency, from
/// the documents as they were issued. Empty for an organisation without a `seller`, which issues none.
#[utoipa::path(
    get,
    path = "/storeapi/reports/taxes/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["reports"])),
    operation_id = "report_taxes",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    params(TaxesQuery, OrganisationName),
    responses(
        (status = 200, content((String = "text/csv"), (Vec<TaxTotal> = "application/json")), description = "The taxes of this time."),
    )
)]
pub async fn taxes(
    ReportsReader(desk): ReportsReader,
    State(app): State<AppState>,
    Query(query): Query<TaxesQuery>,
) -> ApiResult<Response> {
    taxes_report(&app, desk.organisation_id, query).await
}

/// The taxes of an organisation's documents.
///
/// # Errors
/// `InvalidRequest` if the time is too long, or ends before it begins.
pub async fn tax_totals(
    app: &App,
    organisation_id: OrganisationId,
    TaxesQuery { from, to, .. }: TaxesQuery,
) -> ApiResult<Vec<TaxTotal>> {
    if to < from {
        return Err(ApiError::invalid("to", TURNED));
    }
    if (to - from).num_days() >= LONGEST_DAYS {
        return Err(ApiError::invalid("to", TOO_LONG));
    }
    taxes::totals(&app.db, organisation_id, from, to).await
}

/// Sends an organisation's tax report.
///
/// # Errors
/// As [`tax_totals`].
pub async fn taxes_report(
    app: &App,
    organisation_id: OrganisationId,
    query: TaxesQuery,
) -> ApiResult<Response> {
    let TaxesQuery { from, to, format } = query;
    let totals = tax_totals(app, organisation_id, query).await?;
    let text = [format.begin::<TaxTotal>()?, format.rows(totals, true)?, format.end()].concat();
    file(&format!("taxes-{from}-{to}"), format, text.into())
}
