//! The page on which finance looks at a month and closes it.

use axum::response::{Redirect, Response};
use chrono::{Datelike, Months, NaiveDate};
use minijinja::context;
use shared::messages::DeskAction;
use shared::staff::Role;

use super::handler::{Page, Sent};
use super::page::{answer, query, words};
use super::payouts::account;
use crate::error::{ApiError, ApiResult};
use crate::queries::{ledger, payouts};
use crate::routes::months::{self, NO_MONTH, first_day};
use crate::routes::support::act;
use crate::views::desk::words::author;

/// Shows the month that the form asks for; without one, the last that is over.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let organisation = at.desk.organisation_id;
    let (today, _) = ledger::today(&app.db, organisation, app.now()).await?;
    let first = match query(visit).text("month") {
        "" => today.with_day(1).and_then(|first| first.checked_sub_months(Months::new(1))).unwrap_or(today),
        text => read(text)?,
    };
    let report = months::shown(app, organisation, first).await?;
    let unread = payouts::unread(&app.db, organisation).await?;
    let words = words(app, visit);
    let closed = report.closed.as_ref();
    let values = context! {
        month => answer(&report),
        closed_by => closed.map(|closed| author(&closed.by, closed.name.as_deref(), &words.localizer())),
        before => first.checked_sub_months(Months::new(1)).map(named),
        after => first.checked_add_months(Months::new(1)).filter(|first| *first <= today).map(named),
        unread => unread.iter().map(account).collect::<Vec<_>>(),
    };
    page.show("month.html", values).await
}

/// The form that closes a month.
pub async fn close(sent: Sent) -> ApiResult<Redirect> {
    let Sent { commander, form, .. } = &sent;
    let month = read(form.text("month"))?;
    act::act(commander, &commander.caller.desk, DeskAction::CloseMonth { month }, None).await?;
    Ok(sent.next(format_args!("month/?month={}&done=month", named(month))))
}

fn read(text: &str) -> ApiResult<NaiveDate> {
    first_day(text).ok_or_else(|| ApiError::invalid("month", NO_MONTH))
}

fn named(first: NaiveDate) -> String {
    first.format("%Y-%m").to_string()
}
