//! Pages for the accounts: what moved and what was taxed in a time, and both reports to download.

use axum::response::Response;
use chrono::{Datelike, NaiveDate};
use minijinja::{Value, context};
use rust_decimal::Decimal;
use shared::gateway::Gateway;
use shared::staff::Role;
use texts::Localizer;

use super::handler::Page;
use super::page::{answer, words};
use crate::error::ApiResult;
use crate::extract::{Query, Visit};
use crate::queries::ledger::{self, By, Edge, MovementFilter, Total};
use crate::routes::reports::{self, LedgerQuery, TimeQuery};
use crate::routes::taxes::{self, DailyTaxesQuery, TaxesQuery};
use crate::views::report::Format;
use crate::words::MovementKind;

/// Movements that the page shows; the download has all.
const SHOWN: i64 = 20;

/// Shows what moved from the beginning of the month, or in the time that the form asks for.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let (today, zone) = ledger::today(&app.db, at.desk.organisation_id, app.now()).await?;
    let (query, (by, filter)) = (asked(visit, today)?, movements(visit)?);
    let TaxesQuery { from, to, format } = query;
    let time = TimeQuery { from: Edge::Day(from), to: Edge::Day(to), format };
    let period = reports::period(app, at.desk.organisation_id, time, by).await?;
    let totals = ledger::totals(&app.db, period, &filter).await?;
    let first = ledger::numbers(&app.db, period, &filter, SHOWN).await?;
    let movements = ledger::movements(&app.db, at.desk.organisation_id, &first).await?;
    let all: i64 = totals.iter().map(|row| row.count).sum();
    let taxes = taxes::tax_totals(app, at.desk.organisation_id, query).await?;
    let words = words(app, visit);
    let localizer = words.localizer();
    let values = context! {
        from => from.to_string(),
        to => to.to_string(),
        by => by.to_string(),
        only => only(&filter),
        taxes => answer(&taxes),
        totals => totals.iter().map(|row| total(row, &localizer)).collect::<Vec<_>>(),
        movements => answer(&movements),
        has_more => all > SHOWN,
        has_chargeback => totals.iter().any(|row| matches!(row.kind, MovementKind::Chargeback | MovementKind::ChargebackReversed)),
        zone,
    };
    page.show("reports.html", values).await
}

/// The time that a query asks for; without one, this month until today.
pub fn asked(visit: &Visit, today: NaiveDate) -> ApiResult<TaxesQuery> {
    match visit.uri.query().unwrap_or_default() {
        "" => Ok(TaxesQuery { from: today.with_day(1).unwrap_or(today), to: today, format: Format::Csv }),
        query => Query::parse(query).map(|Query(query)| query),
    }
}

/// The days that a query goes by and its movements; without one, all by the days of their booking.
fn movements(visit: &Visit) -> ApiResult<(By, MovementFilter)> {
    match visit.uri.query().unwrap_or_default() {
        "" => Ok((By::Booked, MovementFilter::default())),
        query => Query::<LedgerQuery>::parse(query).map(|Query(query)| (query.days.by, query.filter)),
    }
}

/// What a filter leaves; None if it leaves all.
fn only(filter: &MovementFilter) -> Option<Value> {
    let kinds: Vec<String> = filter.kinds.iter().map(MovementKind::to_string).collect();
    let only = || {
        context! {
            kind => kinds.join(","),
            kinds,
            currency => filter.currency.as_deref(),
            gateway => filter.gateway.map(Gateway::name),
        }
    };
    (!filter.is_unset()).then(only)
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
pub async fn ledger_file(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let Query(query) = Query::<LedgerQuery>::parse(visit.uri.query().unwrap_or_default())?;
    reports::report(app.clone(), at.desk.organisation_id, &visit.languages, query).await
}

/// The taxes of the time that the page shows, as a file.
pub async fn taxes_file(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let Query(query) = Query::<TaxesQuery>::parse(visit.uri.query().unwrap_or_default())?;
    taxes::taxes_report(app, at.desk.organisation_id, &visit.languages, query).await
}

/// The taxes of each day of the time that the page shows, as a file.
pub async fn tax_days_file(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let Query(query) = Query::<DailyTaxesQuery>::parse(visit.uri.query().unwrap_or_default())?;
    taxes::days_report(app, at.desk.organisation_id, &visit.languages, query).await
}

/// What a return of the One-Stop-Shop asks for of the time that the page shows, as a file.
pub async fn one_stop_shop_file(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let Query(query) = Query::<TaxesQuery>::parse(visit.uri.query().unwrap_or_default())?;
    taxes::one_stop_shop_report(app, at.desk.organisation_id, &visit.languages, query).await
}
