//! Reports of taxes: by place and rate, by day, and as a return of the One-Stop-Shop asks for them.

use axum::extract::State;
use axum::response::Response;
use chrono::NaiveDate;
use shared::ids::OrganisationId;
use texts::{Language, Localizer};
use utoipa::IntoParams;

use super::reports::{LONGEST_DAYS, TOO_LONG, TURNED, file, written};
use crate::error::{ApiError, ApiResult};
use crate::extract::{Params, Query, ReadParams, ReportsReader, WantsPage};
use crate::openapi::parameters::OrganisationName;
use crate::queries::one_stop_shop::{self, OneStopShopTotal};
use crate::queries::taxes::{self, DailyTaxTotal, TaxDay, TaxTotal};
use crate::read::dates;
use crate::state::{App, AppState};
use crate::views::report::{Format, Report, Row, XlsxFile};

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

impl TaxesQuery {
    /// Its days.
    ///
    /// # Errors
    /// `InvalidRequest` if they are too many, or end before they begin.
    fn days(self) -> ApiResult<(NaiveDate, NaiveDate)> {
        let Self { from, to, .. } = self;
        if to < from {
            return Err(ApiError::invalid("to", TURNED));
        }
        if (to - from).num_days() >= LONGEST_DAYS {
            return Err(ApiError::invalid("to", TOO_LONG));
        }
        Ok((from, to))
    }
}

/// The day that a tax counts on.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TaxDayQuery {
    /// The day that counts: `issued` is the one that a document shows, and totals are of documents; `paid` is the one of the bank or the
    /// provider, as `received` of the ledger's report, and totals are of payments less refunds.
    #[param(inline, value_type = Option<TaxDay>)]
    pub by: TaxDay,
}

/// What the caller asks for of the taxes by day.
#[derive(Clone, Copy)]
pub struct DailyTaxesQuery {
    pub time: TaxesQuery,
    pub day: TaxDayQuery,
}

impl ReadParams for DailyTaxesQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let (time, by) = (TaxesQuery::read(params), params.word("by"));
        Some(Self { time: time?, day: TaxDayQuery { by: by?.unwrap_or_default() } })
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
        (status = 200, content((String = "text/csv"), (Vec<TaxTotal> = "application/json"), (inline(XlsxFile) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")), description = "The taxes of this time."),
    )
)]
pub async fn report(
    ReportsReader(desk): ReportsReader,
    State(app): State<AppState>,
    WantsPage { languages, .. }: WantsPage,
    Query(query): Query<TaxesQuery>,
) -> ApiResult<Response> {
    taxes_report(&app, desk.organisation_id, &languages, query).await
}

/// The taxes of an organisation's documents.
///
/// # Errors
/// `InvalidRequest` if the time is too long, or ends before it begins.
pub async fn tax_totals(
    app: &App,
    organisation_id: OrganisationId,
    query: TaxesQuery,
) -> ApiResult<Vec<TaxTotal>> {
    let (from, to) = query.days()?;
    taxes::totals(&app.db, organisation_id, from, to).await
}

/// Sends an organisation's tax report.
///
/// # Errors
/// As [`tax_totals`].
pub async fn taxes_report(
    app: &App,
    organisation_id: OrganisationId,
    languages: &[Language],
    query: TaxesQuery,
) -> ApiResult<Response> {
    let totals = tax_totals(app, organisation_id, query).await?;
    sent("taxes", query, totals, &app.texts.console(languages)).await
}

/// Sends the rows of a report, all at once.
async fn sent<R: Row + Send + 'static>(
    name: &str,
    TaxesQuery { from, to, format }: TaxesQuery,
    totals: Vec<R>,
    localizer: &Localizer<'_>,
) -> ApiResult<Response> {
    let (report, begin) = Report::begin::<R>(format, localizer)?;
    let (report, rows) = written(report, totals).await?;
    file(&format!("{name}-{from}-{to}"), format, [begin, rows, report.end()?].concat().into())
}

/// Report the taxes of each day
///
/// For a key with the scope `reports`, or finance staff of the organisation. One row for each day, place, rate, category, kind of buyer
/// and currency: what the documents of the day have taxed, or with `by=paid` what was paid on it of what they have taxed, less refunds.
#[utoipa::path(
    get,
    path = "/storeapi/reports/taxes/days/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["reports"])),
    operation_id = "report_daily_taxes",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    params(TaxesQuery, TaxDayQuery, OrganisationName),
    responses(
        (status = 200, content((String = "text/csv"), (Vec<DailyTaxTotal> = "application/json"), (inline(XlsxFile) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")), description = "The taxes of these days."),
    )
)]
pub async fn days(
    ReportsReader(desk): ReportsReader,
    State(app): State<AppState>,
    WantsPage { languages, .. }: WantsPage,
    Query(query): Query<DailyTaxesQuery>,
) -> ApiResult<Response> {
    days_report(&app, desk.organisation_id, &languages, query).await
}

/// Sends the taxes of each day.
///
/// # Errors
/// `InvalidRequest` if the time is too long, or ends before it begins, and if the format has no room for it.
pub async fn days_report(
    app: &App,
    organisation_id: OrganisationId,
    languages: &[Language],
    DailyTaxesQuery { time, day: TaxDayQuery { by } }: DailyTaxesQuery,
) -> ApiResult<Response> {
    let (from, to) = time.days()?;
    let totals = taxes::daily(&app.db, organisation_id, from, to, by).await?;
    time.format.check_room(totals.len())?;
    let name = if by == TaxDay::Paid { "taxes-paid" } else { "taxes-issued" };
    sent(name, time, totals, &app.texts.console(languages)).await
}

/// Report the taxes of consumers in other member states
///
/// For a key with the scope `reports`, or finance staff of the organisation. What a return of the One-Stop-Shop of the EU asks for, from the
/// documents of this time, which should be a quarter: one row for each member state and rate, and one for each earlier quarter that they
/// correct. Without documents that tax nothing, or at the rate of the seller's own member state.
#[utoipa::path(
    get,
    path = "/storeapi/reports/taxes/one-stop-shop/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["reports"])),
    operation_id = "report_one_stop_shop",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    params(TaxesQuery, OrganisationName),
    responses(
        (status = 200, content((String = "text/csv"), (Vec<OneStopShopTotal> = "application/json"), (inline(XlsxFile) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")), description = "The taxes of this time."),
    )
)]
pub async fn one_stop_shop(
    ReportsReader(desk): ReportsReader,
    State(app): State<AppState>,
    WantsPage { languages, .. }: WantsPage,
    Query(query): Query<TaxesQuery>,
) -> ApiResult<Response> {
    one_stop_shop_report(&app, desk.organisation_id, &languages, query).await
}

/// Sends what a return of the One-Stop-Shop asks for.
///
/// # Errors
/// As [`tax_totals`].
pub async fn one_stop_shop_report(
    app: &App,
    organisation_id: OrganisationId,
    languages: &[Language],
    query: TaxesQuery,
) -> ApiResult<Response> {
    let (from, to) = query.days()?;
    let totals = one_stop_shop::totals(&app.db, organisation_id, from, to).await?;
    sent("one-stop-shop", query, totals, &app.texts.console(languages)).await
}
