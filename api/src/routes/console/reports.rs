//! Pages for the accounts: what moved in a time, with its taxes, and the ledger to download.

use axum::extract::State;
use axum::response::Response;
use chrono::{Datelike, NaiveDate};
use minijinja::{Value, context};
use rust_decimal::Decimal;
use shared::staff::Role;
use texts::Localizer;

use super::page::{self, or_problem};
use crate::error::ApiResult;
use crate::extract::{AtConsole, ForPage, Query, Visit};
use crate::queries::ledger::{self, Edge, Total};
use crate::routes::reports::{self, LedgerQuery};
use crate::state::AppState;
use crate::views::ledger::{Format, MovementBody};

/// Movements that the page shows; the download has all.
const SHOWN: i64 = 20;

/// What moved from the beginning of the month, or in the time that the form asks for.
pub async fn show(State(app): State<AppState>, ForPage(visit, at): ForPage<AtConsole>) -> Response {
    let make = async {
        let at = at?;
        at.desk.require(Role::Finance)?;
        let (today, zone) = ledger::today(&app.db, at.desk.organisation_id, app.now()).await?;
        let query = asked(&visit, today)?;
        let period = reports::period(&app, at.desk.organisation_id, query).await?;
        let totals = ledger::totals(&app.db, period).await?;
        let movements = match ledger::bounds(&app.db, period).await? {
            Some(bounds) => ledger::after(&app.db, period, bounds.first - 1, bounds.last, SHOWN).await?,
            None => Vec::new(),
        };
        let all: i64 = totals.iter().map(|row| row.count).sum();
        let rows: Vec<MovementBody> = movements.into_iter().map(MovementBody::from).collect();
        let words = page::words(&app, &visit);
        let localizer = words.localizer();
        let values = context! {
            from => query.from.to_string(),
            to => query.to.to_string(),
            totals => totals.iter().map(|row| total(row, &localizer)).collect::<Vec<_>>(),
            movements => page::answer(&rows),
            has_more => all > SHOWN,
            zone,
        };
        page::show(&app, &visit, &at, "reports.html", values)
    };
    or_problem(&app, &visit, make.await)
}

/// The time that a query asks for; without one, this month until today.
fn asked(visit: &Visit, today: NaiveDate) -> ApiResult<LedgerQuery> {
    match visit.uri.query().unwrap_or_default() {
        "" => Ok(LedgerQuery {
            from: Edge::Day(today.with_day(1).unwrap_or(today)),
            to: Edge::Day(today),
            format: Format::Csv,
        }),
        query => Query::parse(query).map(|Query(query)| query),
    }
}

fn total(row: &Total, localizer: &Localizer<'_>) -> Value {
    let money = |amount: Decimal| localizer.money(amount, row.currency.code());
    context! {
        kind => row.kind.to_string(),
        place => row.tax_country.as_deref().map(|country| match &row.tax_state {
            Some(state) => format!("{country}-{state}"),
            None => country.to_owned(),
        }),
        rate => row.tax_rate.map(|rate| rate.normalize().to_string()),
        count => row.count,
        net => money(row.amount - row.tax),
        tax => money(row.tax),
        amount => money(row.amount),
    }
}

/// The ledger of the time that the page shows, as a file.
pub async fn download(State(app): State<AppState>, ForPage(visit, at): ForPage<AtConsole>) -> Response {
    let make = async {
        let at = at?;
        at.desk.require(Role::Finance)?;
        let Query(query) = Query::<LedgerQuery>::parse(visit.uri.query().unwrap_or_default())?;
        reports::report(app.clone(), at.desk.organisation_id, query).await
    };
    or_problem(&app, &visit, make.await)
}
