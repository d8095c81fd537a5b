//! The page of an organisation's courses, and the form that changes one.

use axum::response::{Redirect, Response};
use minijinja::context;
use serde_json::{Map, json};
use shared::staff::Role;

use super::form::number;
use super::handler::{Page, Sent};
use super::page::{answer, listing, query};
use crate::error::{ApiError, ApiResult};
use crate::extract::{ConsoleForm, Fields, Query};
use crate::routes::support::act;
use crate::routes::support::catalog::{CourseChangeRequest, OwnCoursesQuery, listed};

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
    let Sent { commander, form, .. } = &sent;
    let at = &commander.caller;
    let course = form.text("course");
    act::act(commander, &at.desk, changes(form)?.action(), None).await?;
    let query: String = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("text", course)
        .append_pair("open", course)
        .finish();
    Ok(sent.next(format_args!("catalog/?{query}&done=catalog")))
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
