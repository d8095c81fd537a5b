//! Pages of the console that show something.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use minijinja::{Value, context};
use serde::Serialize;
use shared::email::Email;
use shared::redaction;

use super::chart::chart;
use super::form::number;
use super::handler::Page;
use super::owed::in_words;
use super::page::{answer, query, respond, words};
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, Colleague, Visit, hyphenated, with_plus};
use crate::queries::desk::owed::OwedFilter;
use crate::queries::desk::{figures, owed, person as people};
use crate::queries::orders::{self, OrderFilter};
use crate::queries::seats;
use crate::queries::staff::{self as colleagues, Workplace};
use crate::response::private;
use crate::routes::support::look;
use crate::routes::withdrawals;
use crate::state::App;
use crate::views::desk::search::SupportSearch;
use crate::views::envelope::Envelope;
use crate::views::orders::{Links, OrderList};
use crate::views::pages::amount;
use crate::views::seats::SeatPools;
use shared::staff::Role;

/// The first page: where the person works, or at once the only place.
pub async fn entry(page: Page<Colleague>) -> ApiResult<Response> {
    let Page { app, visit, at, .. } = &page;
    if let [only] = at.workplaces.as_slice() {
        return Ok(Redirect::to(&format!("/console/{}/", only.short_name)).into_response());
    }
    let place = |place: &Workplace| context! { name => place.name.as_str(), root => format!("/console/{}", place.short_name) };
    let places: Vec<Value> = at.workplaces.iter().map(place).collect();
    respond(app, visit, StatusCode::OK, "choose.html", context! { places, me => at.name.as_str() })
}

/// The start page: search, what needs a person, and figures.
pub async fn start(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    let (organisation, now) = (at.desk.organisation_id, app.now());
    let words = words(app, visit);
    let localizer = words.localizer();
    let waiting = look::waiting(app, &at.desk, &localizer).await?;
    let today: Vec<Value> = figures::today(&app.db, organisation, now)
        .await?
        .iter()
        .map(|row| context! { orders => row.orders, taken => amount(&localizer, row.taken), refunded => amount(&localizer, row.refunded) })
        .collect();
    let owed = match at.desk.may(Role::Finance) {
        true => owed::sums(&app.db, organisation, OwedFilter::default(), now).await?,
        false => Vec::new(),
    };
    let days = figures::days(&app.db, organisation, now).await?;
    let chart = chart(&days, "start", &localizer);
    let owed = in_words(&owed, &localizer);
    let values = context! { waiting => answer(&waiting), moved => today, owed, chart };
    page.show("start.html", values).await
}

/// Shows what a text means, or leads to the only order that it means.
pub async fn search(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    let form = query(visit);
    let text: String = form.text("q").chars().filter(|c| *c != '\0').take(1_000).collect();
    let found = match text.chars().count() {
        0..look::SHORTEST => None,
        _ => Some(look::find(app, &at.desk, &text).await?),
    };
    if let Some(order) = found.as_ref().and_then(SupportSearch::only_order) {
        let order = format!("/console/{}/orders/{order}/", at.short_name);
        return Ok(Redirect::to(&order).into_response());
    }
    let found = found.map_or(Value::UNDEFINED, |found| answer(&found));
    page.show("search.html", context! { q => text, found }).await
}

/// An order, with what the person may do about it.
pub async fn order(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    let cart = at.desk.order(app, page.named("cart_id")).await?;
    let shown = look::shown(app, cart, &words(app, visit).localizer()).await?;
    page.show("order.html", context! { at => answer(&shown) }).await
}

/// A withdrawal that waits for a person, or what became of it. One of an unknown order has no other page.
pub async fn withdrawal(page: Page) -> ApiResult<Response> {
    let Page { app, at, .. } = &page;
    at.desk.require(Role::Finance)?;
    let id = hyphenated(page.named("withdrawal_id")).ok_or(ApiError::NotFound("Withdrawal"))?;
    let withdrawal = withdrawals::shown(app, &at.desk, id).await?;
    let values = context! { withdrawal => answer(&withdrawal) };
    page.show("withdrawal.html", values).await
}

/// Shows what a refund will do, before its button.
pub async fn refund(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Finance)?;
    let cart = at.desk.order(app, page.named("cart_id")).await?;
    let shown = look::shown(app, cart, &words(app, visit).localizer()).await?;
    let form = query(visit);
    if !form.text("amount").is_empty() {
        number(&form, "amount")?;
    }
    let chosen: Vec<String> = form.all("items").map(str::to_owned).collect();
    let keep = form.text("keep") == "yes";
    let values = context! {
        at => answer(&shown),
        chosen,
        keep,
        amount => form.text("amount").replace(',', "."),
        reason => form.text("reason").to_owned(),
    };
    page.show("refund.html", values).await
}

/// Extent of what is read of a person.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    Page,
    /// Without what belongs to others, such as the code of a pool of which the person has a seat.
    File,
}

/// All that an organisation has of an address.
pub async fn person(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    let known = known_of(app, at, visit, Extent::Page).await?;
    page.show("person.html", known).await
}

/// Sends the orders and courses of an address, and the seats that it has bought, as a file for that person.
pub async fn person_file(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    let known = known_of(app, at, visit, Extent::File).await?;
    let name = (header::CONTENT_DISPOSITION, "attachment; filename=\"person.json\"");
    Ok(([name], private(known)).into_response())
}

/// Orders, access and seats of the address that the query names, at the organisation.
async fn known_of(app: &App, at: &AtConsole, visit: &Visit, extent: Extent) -> ApiResult<Value> {
    let (most, most_access) = if extent == Extent::File { (10_000, 10_000) } else { (50, 200) };
    let email =
        Email::parse(&with_plus(query(visit).text("email"))).map_err(|_| ApiError::NotFound("Person"))?;
    let organisation_id = at.desk.organisation_id;
    let filter = OrderFilter {
        organisation_id,
        buyers: None,
        status: None,
        email: Some(email.clone()),
        reference: None,
        paid_from: None,
        paid_before: None,
    };
    let orders = orders::page(&app.db, &filter, most, 0).await?;
    let links = Links { settings: &app.config.links, now: app.now() };
    let orders = OrderList::new(orders.orders, true, Envelope::new(0, most, 0, Vec::new()), links);
    let access = people::access(&app.db, organisation_id, &email, most_access).await?;
    let access: Vec<Value> = access.iter().map(person_access).collect();
    let pools = people::pools(&app.db, organisation_id, &email, extent == Extent::File).await?;
    let pools = SeatPools::new(seats::by_ids(&app.db, &pools).await?, Envelope::new(0, 1, 0, Vec::new()));
    Ok(context! {
        email => email.as_str(),
        orders => without_secrets(&orders).get_attr("orders").unwrap_or_default(),
        access,
        seats => without_secrets(&pools),
    })
}

/// An answer without the codes of seats and the links to documents: not every role sees pools, and the file is passed on.
fn without_secrets(body: &impl Serialize) -> Value {
    let mut body = serde_json::to_value(body).unwrap_or_default();
    redaction::remove(&mut body, &["code", "url"]);
    answer(&body)
}

fn person_access(row: &people::PersonAccess) -> Value {
    context! {
        enrollment_id => row.enrollment_id.to_string(),
        course => row.course.as_str(),
        openedx_course_id => row.openedx_course_id.as_str(),
        status => row.state.as_str(),
        mode => row.mode.as_str(),
        platform_state => row.platform_state.as_str(),
        platform_reason => row.platform_reason.as_deref(),
        updated_at => row.updated_at.to_rfc3339(),
        cart_id => row.cart_id.map(|id| id.to_string()),
    }
}

/// The staff of the organisation.
pub async fn staff(page: Page) -> ApiResult<Response> {
    let Page { app, at, .. } = &page;
    let rows = colleagues::list(&app.db, at.desk.organisation_id).await?;
    let people: Vec<Value> = rows
        .iter()
        .map(|row| context! { email => row.email.as_str(), name => row.name.as_str(), roles => row.roles.clone(), added_at => row.added_at.to_rfc3339() })
        .collect();
    page.show("staff.html", context! { people }).await
}
