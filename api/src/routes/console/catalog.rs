//! The page of an organisation's courses, and the form that changes one.

use axum::extract::State;
use axum::response::Response;
use minijinja::context;
use serde_json::{Map, json};
use shared::staff::Role;

use super::form::{begin, fields, number, then};
use super::page::{self, or_problem};
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, Commander, ConsoleForm, Fields, ForPage, Query};
use crate::routes::support::act;
use crate::routes::support::catalog::{CourseChangeRequest, OwnCoursesQuery, listed};
use crate::state::AppState;

/// The courses of the organisation, each with its form.
pub async fn show(State(app): State<AppState>, ForPage(visit, at): ForPage<AtConsole>) -> Response {
    let make = async {
        let at = at?;
        at.desk.require(Role::Manager)?;
        let Query(query) = Query::<OwnCoursesQuery>::parse(&page::listing(&visit))?;
        let found = page::answer(&listed(&app, &at.desk, &query).await?);
        let query = page::query(&visit);
        let values = context! { found, text => query.text("text"), open => query.text("open") };
        page::show(&app, &visit, &at, "catalog.html", values).await
    };
    or_problem(&app, &visit, make.await)
}

/// The form that changes a course or one of its modes.
pub async fn change(
    State(app): State<AppState>,
    ForPage(visit, sent): ForPage<Commander<AtConsole>>,
    form: Result<ConsoleForm, ApiError>,
) -> Response {
    let (form, arrived) = fields(form);
    let did = async {
        let commander = begin(sent, &form, arrived)?;
        let at = &commander.caller;
        let course = form.text("course");
        act::act(&commander, &at.desk, changes(&form)?.action(), None).await?;
        let query: String = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("text", course)
            .append_pair("open", course)
            .finish();
        Ok(format!("/console/{}/catalog/?{query}&done=catalog", at.short_name))
    };
    then(&app, &visit, &form, did.await)
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
