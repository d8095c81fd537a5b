//! The page of the money that an organisation waits for.

use axum::response::Response;
use minijinja::{Value, context};
use shared::ids::OrganisationId;
use shared::staff::Role;
use texts::Localizer;

use super::handler::Page;
use super::page::{listing, query, words};
use crate::error::{ApiError, ApiResult};
use crate::extract::{ConsoleForm, Query};
use crate::queries::desk::owed::{self, Owed, OwedFilter, OwedSum};
use crate::queries::months;
use crate::read::listing::PageQuery;
use crate::routes::months::{NO_MONTH, first_day};
use crate::state::App;
use crate::views::pages::amount;

/// Lists the orders whose money has not arrived, the longest due first, with their sums.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let (organisation, now) = (at.desk.organisation_id, app.now());
    let Query(PageQuery { limit, offset }) = Query::<PageQuery>::parse(&listing(visit))?;
    let asked = query(visit);
    let filter = filter(app, organisation, &asked).await?;
    let sums = owed::sums(&app.db, organisation, filter, now).await?;
    let orders = owed::page(&app.db, organisation, filter, now, limit, offset).await?;
    let all: i64 = sums.iter().map(|sum| sum.orders).sum();
    let words = words(app, visit);
    let localizer = words.localizer();
    let values = context! {
        sums => in_words(&sums, &localizer),
        orders => orders.iter().map(|order| row(order, &localizer)).collect::<Vec<_>>(),
        is_pending => filter.is_pending,
        month => asked.text("month"),
        currency => asked.text("currency"),
        found => context! { page => offset / limit + 1, has_more => offset + limit < all },
    };
    page.show("owed.html", values).await
}

/// Reads which orders a query is about: of payments that a provider works on, placed until the end of a month, in a currency.
async fn filter(app: &App, organisation: OrganisationId, asked: &ConsoleForm) -> ApiResult<OwedFilter> {
    let before = match asked.text("month") {
        "" => None,
        text => {
            let first = first_day(text).ok_or_else(|| ApiError::invalid("month", NO_MONTH))?;
            Some(months::month(&app.db, organisation, first).await?.period.before)
        }
    };
    let currency = match asked.text("currency") {
        "" => None,
        code => Some(code.parse().map_err(|_| ApiError::invalid("currency", "is not a currency"))?),
    };
    Ok(OwedFilter { is_pending: asked.text("pending") == "true", before, currency })
}

/// The money that is owed, in each currency.
pub fn in_words(sums: &[OwedSum], localizer: &Localizer<'_>) -> Vec<Value> {
    let sum = |sum: &OwedSum| {
        context! {
            orders => sum.orders,
            open => amount(localizer, sum.open),
            overdue_orders => sum.overdue_orders,
            overdue => amount(localizer, sum.overdue),
        }
    };
    sums.iter().map(sum).collect()
}

fn row(order: &Owed, localizer: &Localizer<'_>) -> Value {
    context! {
        cart_id => order.id.to_string(),
        name => order.name.as_deref().unwrap_or(&order.email),
        email => order.email.as_str(),
        reference => order.reference.as_deref(),
        payment_reference => order.payment_reference.as_deref(),
        due_on => order.due_on.map(|day| day.to_string()),
        placed_at => order.placed_at.to_rfc3339(),
        is_overdue => order.is_overdue,
        is_on_account => order.is_on_account,
        total => amount(localizer, order.total),
        open => amount(localizer, order.open),
    }
}
