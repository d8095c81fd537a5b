//! Reports of payouts, and of the movements in them.

use std::collections::VecDeque;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use futures_util::{Stream, StreamExt, stream};
use shared::ids::OrganisationId;
use texts::Language;
use uuid::Uuid;

use super::reports::{TimeQuery, file, period, written};
use crate::error::ApiResult;
use crate::extract::{Query, ReportsReader, WantsPage};
use crate::openapi::parameters::OrganisationName;
use crate::queries::ledger::{By, CHUNK};
use crate::queries::payouts::{self, Payout, PayoutMovement};
use crate::state::{App, AppState};
use crate::views::report::{Report, XlsxFile};

/// Report the payouts of the provider
///
/// For a key with the scope `reports`, or finance staff of the organisation. One row for each payout that was made in this time, with
/// the sums of its movements. The worker reads both from the provider every hour. XLSX as in the ledger's report.
#[utoipa::path(
    get,
    path = "/storeapi/reports/payouts/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["reports"])),
    operation_id = "report_payouts",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    params(TimeQuery, OrganisationName),
    responses(
        (status = 200, content((String = "text/csv"), (Vec<Payout> = "application/json"), (inline(XlsxFile) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")), description = "The payouts of this time."),
    )
)]
pub async fn list(
    ReportsReader(desk): ReportsReader,
    State(app): State<AppState>,
    WantsPage { languages, .. }: WantsPage,
    Query(query): Query<TimeQuery>,
) -> ApiResult<Response> {
    report(&app, desk.organisation_id, &languages, query).await
}

/// Report the movements in payouts
///
/// For a key with the scope `reports`, or finance staff of the organisation. One row for each movement in the payouts that were made in
/// this time, exactly as the provider states it. Mollie adds up movements by month and method.
#[utoipa::path(
    get,
    path = "/storeapi/reports/payouts/movements/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["reports"])),
    operation_id = "report_payout_movements",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    params(TimeQuery, OrganisationName),
    responses(
        (status = 200, content((String = "text/csv"), (Vec<PayoutMovement> = "application/json"), (inline(XlsxFile) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")), description = "The movements of these payouts."),
    )
)]
pub async fn movements(
    ReportsReader(desk): ReportsReader,
    State(app): State<AppState>,
    WantsPage { languages, .. }: WantsPage,
    Query(query): Query<TimeQuery>,
) -> ApiResult<Response> {
    movements_report(app, desk.organisation_id, &languages, query).await
}

/// Sends an organisation's payouts.
///
/// # Errors
/// As [`period`].
pub async fn report(
    app: &App,
    organisation_id: OrganisationId,
    languages: &[Language],
    query: TimeQuery,
) -> ApiResult<Response> {
    let TimeQuery { from, to, format } = query;
    let payouts = payouts::payouts(&app.db, period(app, organisation_id, query, By::Booked).await?).await?;
    format.check_room(payouts.len())?;
    let (report, begin) = Report::begin::<Payout>(format, &app.texts.console(languages))?;
    let (report, rows) = written(report, payouts).await?;
    file(&format!("payouts-{from}-{to}"), format, [begin, rows, report.end()?].concat().into())
}

/// Streams the movements in an organisation's payouts.
///
/// # Errors
/// As [`period`], and if the format has no room for them.
pub async fn movements_report(
    app: AppState,
    organisation_id: OrganisationId,
    languages: &[Language],
    query: TimeQuery,
) -> ApiResult<Response> {
    let TimeQuery { from, to, format } = query;
    let period = period(&app, organisation_id, query, By::Booked).await?;
    let (payouts, count) = payouts::itemised(&app.db, period).await?;
    format.check_room(count)?;
    let (report, begin) = Report::begin::<PayoutMovement>(format, &app.texts.console(languages))?;
    let place = Place { payouts: payouts.into(), after: String::new() };
    let body = Body::from_stream(stream::iter([Ok(begin)]).chain(rows(app, report, place)));
    file(&format!("payout-movements-{from}-{to}"), format, body)
}

/// Where a report continues: in the first of these payouts, after a movement.
struct Place {
    payouts: VecDeque<Uuid>,
    after: String,
}

/// The movements of payouts, and the end of the report.
fn rows(app: AppState, report: Report, place: Place) -> impl Stream<Item = ApiResult<Vec<u8>>> + use<> {
    stream::try_unfold(Some((report, place)), move |left| {
        let app = app.clone();
        async move {
            let Some((report, place)) = left else { return Ok(None) };
            let Some(payout) = place.payouts.front() else {
                return Ok(Some((report.end()?, None)));
            };
            let movements = payouts::movements(&app.db, *payout, &place.after).await?;
            let place = place.after_these(&movements);
            let (report, text) = written(report, movements).await?;
            Ok(Some((text, Some((report, place)))))
        }
    })
}

impl Place {
    fn after_these(mut self, movements: &[PayoutMovement]) -> Self {
        match movements.last() {
            Some(last) if movements.len() == CHUNK => self.after = last.id().to_owned(),
            _ => {
                self.payouts.pop_front();
                self.after.clear();
            }
        }
        self
    }
}
