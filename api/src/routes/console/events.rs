//! The page of the endpoints for events, and the forms that set them up.

use axum::response::{IntoResponse, Response};
use minijinja::context;
use serde_json::json;
use shared::event;
use shared::messages::EndpointChange;
use shared::staff::Role;

use super::form::read;
use super::handler::{Page, Sent};
use super::page::answer;
use crate::error::{ApiError, ApiResult};
use crate::extract::{ConsoleForm, Fields};
use crate::routes::support::endpoints::{EndpointRequest, NamedEndpoint, keep};
use crate::routes::support::look;

/// The endpoints for events, with their latest deliveries.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, .. } = &page;
    at.desk.require(Role::Manager)?;
    let found = answer(&look::endpoints(app, &at.desk).await?);
    let values = context! { found, types => event::TYPES };
    page.show("events.html", values).await
}

/// The forms that set an endpoint up, renew its secret and remove it. A secret is shown on the page that answers, and nowhere again.
pub async fn change(sent: Sent) -> ApiResult<Response> {
    let Sent { commander, form, .. } = &sent;
    let change = change_of(form, sent.named("action"))?;
    match keep(commander, &commander.caller.desk, change).await?.secret {
        Some(secret) => sent.show("secret.html", context! { secret }).await,
        None => Ok(sent.next("events/?done=endpoint-changed").into_response()),
    }
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
