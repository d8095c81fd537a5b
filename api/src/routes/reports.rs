//! Reports for an organisation's accounts.

use std::collections::VecDeque;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use futures_util::{Stream, StreamExt, stream};
use shared::gateway::Gateway;
use shared::ids::OrganisationId;
use strum::VariantNames;
use texts::Language;
use utoipa::IntoParams;

use crate::error::{ApiError, ApiResult};
use crate::extract::{Params, Query, ReadParams, ReportsReader, WantsPage};
use crate::openapi::parameters::OrganisationName;
use crate::openapi::schemas;
use crate::queries::ledger::{self, By, CHUNK, Edge, Movement, MovementFilter, Period};
use crate::read::dates;
use crate::state::{App, AppState};
use crate::views::report::{Format, Report, Row, XlsxFile};
use crate::words::MovementKind;

/// The longest period of a report: a leap year.
pub const LONGEST_DAYS: i64 = 366;

/// The same in time: the seller's clocks may be changed in it.
const LONGEST: TimeDelta = TimeDelta::hours(LONGEST_DAYS * 24 + 12);

pub const TURNED: &str = "is before from";
pub const TOO_LONG: &str = "is more than 366 days after from, both included";

/// Period that the caller asks for; both ends belong to the report.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TimeQuery {
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

impl ReadParams for TimeQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (from, to) = (dates::required_edge(params, "from"), dates::required_edge(params, "to"));
        let format = params.word("format")?.unwrap_or_default();
        Some(Self { from: from?, to: to?, format })
    }
}

/// The days by which a report of the ledger goes.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DaysQuery {
    /// The day of a movement that counts: `booked` is its `day`; `received` is its `bank_day`, or its `day` without one. What is
    /// booked after its month was closed counts as received in the month after, or on its later `day`.
    #[param(inline, value_type = Option<By>)]
    pub by: By,
}

/// The movements that a report of the ledger is about.
#[derive(Clone, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MovementsQuery {
    /// Only movements of these kinds, with a comma between two.
    #[param(inline, value_type = Option<schemas::MovementKinds>)]
    pub kind: Vec<MovementKind>,
    /// Only movements in this currency.
    #[param(inline, value_type = Option<schemas::CurrencyCode>)]
    pub currency: Option<String>,
    /// Only movements of this gateway.
    #[param(inline)]
    pub gateway: Option<Gateway>,
}

impl ReadParams for MovementsQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let words = params.list("kind");
        let kinds: Vec<MovementKind> = words.iter().filter_map(|word| word.parse().ok()).collect();
        if kinds.len() < words.len() {
            params.error(
                "kind",
                format!("has a word that is not one of {}", MovementKind::VARIANTS.join(", ")),
            );
        }
        let gateway = params.text("gateway");
        let known = gateway.parse().ok();
        if known.is_none() && !gateway.is_empty() {
            params.error("gateway", "is not a payment gateway");
        }
        Some(Self { kind: kinds, currency: currency(params), gateway: known })
    }
}

/// Reads `currency`; None if it is not given.
pub fn currency(params: &mut Params) -> Option<String> {
    let code = params.text("currency");
    if code.is_empty() {
        return None;
    }
    if code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        params.error("currency", "is not the code of a currency, such as USD");
    }
    Some(code)
}

/// What the caller asks for of the ledger.
#[derive(Clone)]
pub struct LedgerQuery {
    pub time: TimeQuery,
    pub days: DaysQuery,
    pub filter: MovementFilter,
}

impl ReadParams for LedgerQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (time, by) = (TimeQuery::read(params), params.word("by"));
        let MovementsQuery { kind, currency, gateway } = MovementsQuery::read(params)?;
        let filter = MovementFilter { kinds: kind, currency, gateway };
        Some(Self { time: time?, days: DaysQuery { by: by?.unwrap_or_default() }, filter })
    }
}

/// Report every movement of money
///
/// For a key with the scope `reports`, or finance staff of the organisation. One row for each movement, in the order in which they were booked: a refunded sale is two rows that add up to 0. In CSV a
/// text that begins with `=`, `+`, `-` or `@` has a `'` before it; numbers have none. XLSX has typed cells, headings in the first
/// language of `Accept-Language` that the service has, and a sum for each currency. The answer is streamed: if it breaks off,
/// repeat the request.
#[utoipa::path(
    get,
    path = "/storeapi/reports/ledger/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["reports"])),
    operation_id = "report_ledger",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    params(TimeQuery, DaysQuery, MovementsQuery, OrganisationName),
    responses(
        (status = 200, content((String = "text/csv"), (Vec<Movement> = "application/json"), (inline(XlsxFile) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")), description = "The movements of this time."),
    )
)]
pub async fn ledger(
    ReportsReader(desk): ReportsReader,
    State(app): State<AppState>,
    WantsPage { languages, .. }: WantsPage,
    Query(query): Query<LedgerQuery>,
) -> ApiResult<Response> {
    report(app, desk.organisation_id, &languages, query).await
}

/// The time of an organisation's report.
///
/// # Errors
/// `InvalidRequest` if it is too long, or ends before it begins.
pub async fn period(
    app: &App,
    organisation_id: OrganisationId,
    TimeQuery { from, to, .. }: TimeQuery,
    by: By,
) -> ApiResult<Period> {
    let period = ledger::period(&app.db, organisation_id, from, to, by).await?;
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
/// As [`period`], and if the format has no room for it.
pub async fn report(
    app: AppState,
    organisation_id: OrganisationId,
    languages: &[Language],
    query: LedgerQuery,
) -> ApiResult<Response> {
    let LedgerQuery { time, days: DaysQuery { by }, filter } = query;
    let TimeQuery { from, to, format } = time;
    let period = period(&app, organisation_id, time, by).await?;
    // Before the head of the answer, so that an unavailable database is reported as such.
    let numbers = ledger::numbers(&app.db, period, &filter, i64::MAX).await?;
    format.check_room(numbers.len())?;
    let (report, begin) = Report::begin::<Movement>(format, &app.texts.console(languages))?;
    let begin = stream::iter([Ok(begin)]);
    let body = Body::from_stream(begin.chain(rows(app, organisation_id, report, &numbers)));
    let by = if by == By::Booked { "" } else { "received-" };
    file(&format!("ledger-{by}{from}-{to}"), format, body)
}

/// An answer that browsers store as a file of this name.
pub fn file(name: &str, format: Format, body: Body) -> ApiResult<Response> {
    let name = format!("attachment; filename=\"{name}.{}\"", format.extension());
    let name = HeaderValue::try_from(name).map_err(|_| ApiError::Internal)?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(format.media_type())),
        (header::CONTENT_DISPOSITION, name),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, body).into_response())
}

/// The rows of a ledger with these numbers, and the end of the report.
fn rows(
    app: AppState,
    organisation_id: OrganisationId,
    report: Report,
    numbers: &[i64],
) -> impl Stream<Item = ApiResult<Vec<u8>>> + use<> {
    let chunks: VecDeque<Vec<i64>> = numbers.chunks(CHUNK).map(<[i64]>::to_vec).collect();
    stream::try_unfold(Some((report, chunks)), move |left| {
        let app = app.clone();
        async move {
            let Some((report, mut chunks)) = left else { return Ok(None) };
            let Some(chunk) = chunks.pop_front() else {
                return Ok(Some((report.end()?, None)));
            };
            let movements = ledger::movements(&app.db, organisation_id, &chunk).await?;
            let (report, text) = written(report, movements).await?;
            Ok(Some((text, Some((report, chunks)))))
        }
    })
}

/// Writes rows beside other requests: a chunk of a sheet takes milliseconds to compress.
pub async fn written<R: Row + Send + 'static>(
    mut report: Report,
    rows: Vec<R>,
) -> ApiResult<(Report, Vec<u8>)> {
    let writing = tokio::task::spawn_blocking(move || report.rows(rows).map(|text| (report, text)));
    writing.await.map_err(|_| ApiError::Internal)?
}
