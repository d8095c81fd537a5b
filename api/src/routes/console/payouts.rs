//! The page of the providers' payouts, with what is in each, and both as files.

use axum::response::Response;
use minijinja::{Value, context};
use shared::staff::Role;

use super::handler::Page;
use super::page::answer;
use super::reports::asked;
use crate::error::ApiResult;
use crate::extract::Query;
use crate::queries::ledger::{self, By, Edge};
use crate::queries::payouts::{self, Unread};
use crate::routes::payouts::{movements_report, report};
use crate::routes::reports::{self, TimeQuery};
use crate::routes::taxes::TaxesQuery;

/// Shows the payouts that were made from the beginning of the month, or in the time that the form asks for.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let (today, zone) = ledger::today(&app.db, at.desk.organisation_id, app.now()).await?;
    let TaxesQuery { from, to, format } = asked(visit, today)?;
    let query = TimeQuery { from: Edge::Day(from), to: Edge::Day(to), format };
    let period = reports::period(app, at.desk.organisation_id, query, By::Booked).await?;
    let payouts = payouts::payouts(&app.db, period).await?;
    let unread = payouts::unread(&app.db, at.desk.organisation_id).await?;
    let values = context! {
        from => from.to_string(),
        to => to.to_string(),
        payouts => answer(&payouts),
        unread => unread.iter().map(account).collect::<Vec<_>>(),
        zone,
    };
    page.show("payouts.html", values).await
}

/// An account whose payouts are not all shown.
pub fn account(account: &Unread) -> Value {
    context! {
        gateway => account.gateway.as_str(),
        refused_at => account.refused_at.map(|at| at.to_rfc3339()),
    }
}

/// The payouts of the time that the page shows, as a file.
pub async fn file(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let Query(query) = Query::<TimeQuery>::parse(visit.uri.query().unwrap_or_default())?;
    report(app, at.desk.organisation_id, &visit.languages, query).await
}

/// The movements in these payouts, as a file.
pub async fn movements_file(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let Query(query) = Query::<TimeQuery>::parse(visit.uri.query().unwrap_or_default())?;
    movements_report(app.clone(), at.desk.organisation_id, &visit.languages, query).await
}
