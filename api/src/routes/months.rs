//! The report of a month that finance closes.

use axum::extract::State;
use axum::response::Response;
use chrono::NaiveDate;
use shared::ids::OrganisationId;
use utoipa::IntoParams;

use crate::error::ApiResult;
use crate::extract::{Params, Query, ReadParams, ReportsReader};
use crate::openapi::parameters::OrganisationName;
use crate::openapi::schemas;
use crate::queries::desk::owed::{self, OwedFilter};
use crate::queries::months;
use crate::response::private;
use crate::state::{App, AppState};
use crate::views::months::{MonthFacts, MonthReport};

pub const NO_MONTH: &str = "is not a month, such as 2026-11";

/// A month that the caller asks for.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MonthQuery {
    /// A month of the seller's time zone, which is UTC without a `seller`.
    #[param(inline, value_type = schemas::CalendarMonth)]
    pub month: NaiveDate,
}

impl ReadParams for MonthQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let text = params.text("month");
        let month = first_day(&text);
        if month.is_none() {
            params.error("month", if text.is_empty() { "is required" } else { NO_MONTH });
        }
        month.map(|month| Self { month })
    }
}

/// The first day of a month in exactly this form: `2026-11`.
pub fn first_day(text: &str) -> Option<NaiveDate> {
    let first: NaiveDate = format!("{text}-01").parse().ok()?;
    (first.format("%Y-%m").to_string() == text).then_some(first)
}

/// Report a month before it is closed
///
/// For a key with the scope `reports`, or finance staff of the organisation. The money of a month by the day of receipt, for each
/// currency and provider: what was there before and all that has moved add up to what is still with the provider. `gaps` names what
/// does not add up with the provider's payouts, and by how much. Beside it: what is unpaid now, documents that are missing, and what
/// came late.
#[utoipa::path(
    get,
    path = "/storeapi/reports/month/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["reports"])),
    operation_id = "report_month",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    params(MonthQuery, OrganisationName),
    responses((status = 200, body = MonthReport, description = "The month."))
)]
pub async fn report(
    ReportsReader(desk): ReportsReader,
    State(app): State<AppState>,
    Query(MonthQuery { month }): Query<MonthQuery>,
) -> ApiResult<Response> {
    Ok(private(shown(&app, desk.organisation_id, month).await?))
}

/// What an organisation's books have of the month that begins on a day.
pub async fn shown(app: &App, organisation_id: OrganisationId, first: NaiveDate) -> ApiResult<MonthReport> {
    let (db, now) = (&app.db, app.now());
    let month = months::month(db, organisation_id, first).await?;
    let closing = months::closing(db, &month).await?;
    let own =
        closing.as_ref().filter(|closing| closing.month == first && closing.before == month.period.before);
    let kept = match own {
        Some(closing) => Some(months::balances(db, organisation_id, closing.month).await?),
        None => None,
    };
    let until = |is_pending| OwedFilter { is_pending, before: Some(month.period.before), currency: None };
    Ok(MonthReport::new(MonthFacts {
        month,
        now,
        closing,
        kept,
        opening: months::opening(db, month.period).await?,
        changes: months::changes(db, month.period).await?,
        gaps: months::gaps(db, month.period).await?,
        unpaid: owed::sums(db, organisation_id, until(false), now).await?,
        pending: owed::sums(db, organisation_id, until(true), now).await?,
        missing_documents: months::missing_documents(db, month.period).await?,
        late_movements: months::late(db, month.period).await?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_has_one_form() {
        assert_eq!(first_day("2026-11"), NaiveDate::from_ymd_opt(2026, 11, 1));
        for text in
            ["", "2026", "2026-13", "2026-1", "26-11", "2026-11-01", "+2026-11", " 2026-11", "2026-11-"]
        {
            assert_eq!(first_day(text), None, "{text}");
        }
    }
}
