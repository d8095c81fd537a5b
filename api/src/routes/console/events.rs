//! The page of the endpoints for events, and the forms that set them up.

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use minijinja::context;
use serde_json::json;
use shared::event;
use shared::messages::EndpointChange;
use shared::staff::Role;

use super::form::{begin, fields, read};
use super::page::{self, or_problem};
use super::problem;
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, Commander, ConsoleForm, Fields, ForPage, PagePath};
use crate::routes::support::endpoints::{EndpointRequest, NamedEndpoint, keep};
use crate::routes::support::look;
use crate::state::AppState;

/// The endpoints for events, with their latest deliveries.
pub async fn show(State(app): State<AppState>, ForPage(visit, at): ForPage<AtConsole>) -> Response {
    let make = async {
        let at = at?;
        at.desk.require(Role::Manager)?;
        let found = page::answer(&look::endpoints(&app, &at.desk).await?);
        let values = context! { found, types => event::TYPES };
        page::show(&app, &visit, &at, "events.html", values).await
    };
    or_problem(&app, &visit, make.await)
}

/// The forms that set an endpoint up, renew its secret and remove it. A secret is shown on the page that answers, and nowhere again.
pub async fn change(
    State(app): State<AppState>,
    PagePath((_, action)): PagePath<(String, String)>,
    ForPage(visit, sent): ForPage<Commander<AtConsole>>,
    form: Result<ConsoleForm, ApiError>,
) -> Response {
    let (form, arrived) = fields(form);
    let did = async {
        let commander = begin(sent, &form, arrived)?;
        let at = &commander.caller;
        let kept = keep(&commander, &at.desk, change_of(&form, &action)?).await?;
        match kept.secret {
            Some(secret) => page::show(&app, &visit, at, "secret.html", context! { secret }).await,
            None => {
                let next = format!("/console/{}/events/?done=endpoint-changed", at.short_name);
                Ok(Redirect::to(&next).into_response())
            }
        }
    };
    did.await.unwrap_or_else(|error| problem::show(&app, &visit, error, Some(&form)))
}

/// Reads the change that a form asks for, as the routes do.
fn change_of(form: &ConsoleForm, action: &str) -> ApiResult<EndpointChange> {
    Ok(match action {
        "set" => {
            let types: Vec<&str> = form.all("types").collect();
            if types.is_empty() {
                let fault = "must be at least one; remove the endpoint to send it nothing";
                return Err(ApiError::invalid("types", fault));
            }
            let body = json!({ "url": form.text("url"), "types": types });
            let request: EndpointRequest = Fields::read_object(body, "").map_err(ApiError::InvalidRequest)?;
            EndpointChange::Set { url: request.url, types: request.types.unwrap_or_default() }
        }
        "secret" => {
            let NamedEndpoint { endpoint_id } = read(form, &["endpoint_id"])?;
            EndpointChange::Rotate { endpoint_id }
        }
        "removal" => {
            let NamedEndpoint { endpoint_id } = read(form, &["endpoint_id"])?;
            EndpointChange::Remove { endpoint_id }
        }
        _ => return Err(ApiError::NotFound("Form")),
    })
}
