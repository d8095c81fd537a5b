//! The page of the money that an organisation waits for.

use axum::response::Response;
use minijinja::{Value, context};
use shared::staff::Role;
use texts::Localizer;

use super::handler::Page;
use super::page::{listing, words};
use crate::error::ApiResult;
use crate::extract::Query;
use crate::queries::desk::owed::{self, Owed, OwedSum};
use crate::read::listing::PageQuery;
use crate::views::pages::amount;

/// Lists the orders whose money has not arrived, the longest due first, with their sums.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let (organisation, now) = (at.desk.organisation_id, app.now());
    let Query(PageQuery { limit, offset }) = Query::<PageQuery>::parse(&listing(visit))?;
    let sums = owed::sums(&app.db, organisation, now).await?;
    let orders = owed::page(&app.db, organisation, now, limit, offset).await?;
    let all: i64 = sums.iter().map(|sum| sum.orders).sum();
    let words = words(app, visit);
    let localizer = words.localizer();
    let values = context! {
        sums => in_words(&sums, &localizer),
        orders => orders.iter().map(|order| row(order, &localizer)).collect::<Vec<_>>(),
        found => context! { page => offset / limit + 1, has_more => offset + limit < all },
    };
    page.show("owed.html", values).await
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
        due_on => order.due_on.to_string(),
        is_overdue => order.is_overdue,
        is_on_account => order.is_on_account,
        total => amount(localizer, order.total),
        open => amount(localizer, order.open),
    }
}
