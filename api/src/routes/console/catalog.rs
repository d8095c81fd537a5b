//! The page of an organisation's courses, and the form that changes one.

use axum::response::{Redirect, Response};
use minijinja::context;
use serde_json::{Map, Value, json};
use shared::staff::Role;

use super::form::{given, number};
use super::handler::{Page, Sent};
use super::page::{answer, listing, query};
use super::times;
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, ConsoleForm, Fields, Query};
use crate::queries::desk::catalog;
use crate::routes::support::act;
use crate::routes::support::catalog::{CourseChangeRequest, FirstRequest, OwnCoursesQuery, listed};
use crate::state::App;

/// The courses of the organisation, each with its form.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Manager)?;
    let Query(asked) = Query::<OwnCoursesQuery>::parse(&listing(visit))?;
    let found = answer(&listed(app, &at.desk, &asked).await?);
    let query = query(visit);
    let values = context! { found, text => query.text("text"), open => query.text("open") };
    page.show("catalog.html", values).await
}

/// The form that changes a course or one of its modes.
pub async fn change(sent: Sent) -> ApiResult<Redirect> {
    let Sent { app, commander, form, .. } = &sent;
    let at = &commander.caller;
    let course = form.text("course");
    let action = match (form.text("first"), form.text("dated")) {
        ("", "") => changes(form)?.action(),
        ("", _) => dated_changes(app, at, form).await?.action(),
        _ => first(form)?.action(),
    };
    act::act(commander, &at.desk, action, None).await?;
    let query: String = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("text", course)
        .append_pair("open", course)
        .finish();
    Ok(sent.next(format_args!("catalog/?{query}&done=catalog")))
}

/// Reads the dated prices that a mode has once a form has added one or has taken one out.
async fn dated_changes(app: &App, at: &AtConsole, form: &ConsoleForm) -> ApiResult<CourseChangeRequest> {
    at.desk.require(Role::Manager)?;
    let (course, mode) = (form.text("course"), form.text("mode"));
    let prices = catalog::dated_prices(&app.db, at.desk.organisation_id, course, mode).await?;
    let mut prices: Vec<Value> = prices.into_iter().flatten().map(|price| json!(price)).collect();
    match form.text("dated") {
        "remove" => {
            // A colleague may have changed the list since it was shown.
            let place: Option<usize> = form.text("place").parse().ok();
            let place = place
                .filter(|place| prices.get(*place).is_some_and(|price| price["name"] == form.text("name")));
            let place =
                place.ok_or_else(|| ApiError::invalid("dated_prices", "have changed: look at them again"))?;
            prices.remove(place);
        }
        _ => {
            let mut price = given(form, &["name"]);
            for name in ["from", "until"] {
                if !form.text(name).is_empty() {
                    price.insert(name.to_owned(), json!(times::read(app, at, form.text(name)).await?));
                }
            }
            for name in ["price", "percent_off"] {
                if !form.text(name).is_empty() {
                    price.insert(name.to_owned(), number(form, name)?);
                }
            }
            prices.push(price.into());
        }
    }
    let body = json!({ "openedx_course_id": course, "mode": mode, "dated_prices": prices });
    Fields::read_object(body, "").map_err(ApiError::InvalidRequest)
}

/// Reads whom a form puts first on a course's waiting list.
fn first(form: &ConsoleForm) -> ApiResult<FirstRequest> {
    let body = json!({ "openedx_course_id": form.text("course"), "email": form.text("email") });
    Fields::read_object(body, "").map_err(ApiError::InvalidRequest)
}

/// Reads the changes that a form asks for, as the route does. A form is about the course itself, or about one mode.
fn changes(form: &ConsoleForm) -> ApiResult<CourseChangeRequest> {
    let is_ticked = |name| json!(form.text(name) == "yes");
    let mut body = Map::new();
    body.insert("openedx_course_id".to_owned(), json!(form.text("course")));
    if form.text("mode").is_empty() {
        body.insert("is_published".to_owned(), is_ticked("is_published"));
        body.insert("hidden".to_owned(), is_ticked("hidden"));
    } else {
        body.insert("mode".to_owned(), json!(form.text("mode")));
        body.insert("visible".to_owned(), is_ticked("visible"));
        let (price, before) = (form.text("price"), form.text("price_before"));
        // A price that is shown and not changed is not sent: the course platform may have set it.
        if price != before {
            body.insert("price".to_owned(), number(form, "price")?);
        }
    }
    Fields::read_object(body.into(), "").map_err(ApiError::InvalidRequest)
}
