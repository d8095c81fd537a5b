//! Pages and the form that move a line of an order: to what, what will happen, and doing it.

use axum::response::{Redirect, Response};
use minijinja::{Value, context};
use serde_json::{Map, json};
use shared::email::Email;
use shared::ids::CartId;
use shared::staff::Role;
use texts::Localizer;

use super::form::number;
use super::handler::{Page, Sent};
use super::page::{answer, query, words};
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, ConsoleForm, Fields, with_plus};
use crate::queries::courses;
use crate::queries::desk::runs::{self, Run, Wanted};
use crate::routes::moves::MoveRequest;
use crate::routes::support::{as_staff, look};
use crate::state::App;
use crate::views::pages::amount;

/// Shows the courses to which a line can move, or what a move will do before its button.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Support)?;
    let cart_id = at.desk.order(app, page.named("cart_id")).await?;
    let words = words(app, visit);
    let localizer = words.localizer();
    let shown = look::shown(app, cart_id, &localizer).await?;
    let form = query(visit);
    let text = |name| form.text(name).to_owned();
    let (course, email, wanted) = (text("course"), text("email"), text("text"));
    let position: i32 = text("position").parse().map_err(|_| ApiError::invalid("position", "is needed"))?;
    let line = runs::line(&app.db, cart_id, position).await?;
    let line = line.ok_or_else(|| ApiError::invalid("position", "gives no access that can be moved"))?;
    let price = amount(&localizer, line.price);
    let values = context! { at => answer(&shown), position, price, name => line.name, mode => line.mode };
    if course.is_empty() && email.is_empty() {
        let wanted_runs = Wanted { cart_id, position, text: &wanted, key: &with_plus(&wanted), only: None };
        let runs = runs::list(&app.db, &wanted_runs, app.now()).await?;
        let has_more = i64::try_from(runs.len()).unwrap_or_default() >= runs::MOST;
        let runs: Vec<Value> = runs.iter().map(|run| in_words(run, &localizer)).collect();
        let values = context! { runs, has_more, text => wanted, ..values };
        return page.show("runs.html", values).await;
    }
    if !course.is_empty() && !email.is_empty() {
        return Err(ApiError::invalid("course", "or an address is needed, and not both"));
    }
    let run = match course.is_empty() {
        true => None,
        false => Some(chosen(app, at, cart_id, position, &course).await?),
    };
    if run.is_none() {
        Email::parse(&email).map_err(|error| ApiError::invalid("email", error.to_string()))?;
    }
    let is_other_price = run.as_ref().is_some_and(|run| run.price != line.price);
    let run = run.map(|run| in_words(&run, &localizer));
    let values = context! { course, email, run, is_other_price, reason => text("reason"), ..values };
    page.show("move.html", values).await
}

/// The course that was chosen, by its key.
///
/// # Errors
/// `InvalidRequest`, which says why the line cannot move there.
async fn chosen(app: &App, at: &AtConsole, cart_id: CartId, position: i32, course: &str) -> ApiResult<Run> {
    let wanted = Wanted { cart_id, position, text: "", key: "", only: Some(course) };
    if let Some(run) = runs::list(&app.db, &wanted, app.now()).await?.pop() {
        return Ok(run);
    }
    let known = courses::of_organisation(&app.db, at.desk.organisation_id, &[course]).await?;
    Err(ApiError::invalid(
        "to.openedx_course_id",
        match known.is_empty() {
            true => "is not a course of the organisation",
            false => "is not on sale in this mode, or the buyer has it already",
        },
    ))
}

fn in_words(run: &Run, localizer: &Localizer<'_>) -> Value {
    context! {
        key => run.openedx_course_id.as_str(),
        name => run.name.as_str(),
        starts_at => run.starts_at.map(|at| at.to_rfc3339()),
        price => amount(localizer, run.price),
        is_same_course => run.is_same_course,
    }
}

/// The form that moves a line of an order.
pub async fn carry_out(sent: Sent) -> ApiResult<Redirect> {
    let Sent { app, commander, form, .. } = &sent;
    let at = &commander.caller;
    let cart_id = at.desk.order(app, sent.named("cart_id")).await?;
    as_staff::move_at_desk(commander, &at.desk, cart_id, move_of(form)?).await?;
    Ok(sent.next(format_args!("orders/{cart_id}/?done=move")))
}

/// Reads the move that a form asks for, as the route does.
fn move_of(form: &ConsoleForm) -> ApiResult<MoveRequest> {
    let (course, email, reason) = (form.text("course"), form.text("email"), form.text("reason"));
    if reason.is_empty() {
        return Err(ApiError::invalid("reason", "is required, for the record"));
    }
    let mut to = Map::new();
    for (name, given) in [("openedx_course_id", course), ("email", email)] {
        if !given.is_empty() {
            to.insert(name.to_owned(), json!(given));
        }
    }
    let body = json!({
        "position": number(form, "position")?, "to": to, "reason": reason,
        "waive": form.text("waive") == "yes",
    });
    Fields::read_object(body, "").map_err(ApiError::InvalidRequest)
}
