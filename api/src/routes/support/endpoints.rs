//! Routes with which managers keep the endpoints for events of their organisation, and send events to them again.

use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use serde_json::Value;
use shared::messages::{DeskAction, EndpointChange, FieldError, KeepEndpoint, KeptEndpoint};
use shared::staff::Role;
use utoipa::ToSchema;
use uuid::Uuid;

use super::act;
use crate::error::ApiResult;
use crate::extract::{Body, Caller, Commander, Desk, FieldValue, Fields, ReadFields};
use crate::openapi::parameters::{IdempotencyKey, OrganisationName};
use crate::response::private;

/// The longest URL, in characters.
const URL: usize = 2_000;

/// An endpoint for events.
#[derive(Debug, Serialize, ToSchema)]
pub struct NamedEndpoint {
    /// As `list_endpoints` shows it; to enable it, a disabled one.
    pub endpoint_id: Uuid,
}

impl ReadFields for NamedEndpoint {
    fn read(fields: &mut Fields) -> Option<Self> {
        Some(Self { endpoint_id: fields.required("endpoint_id")? })
    }
}

/// Events to send again.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventAgain {
    pub endpoint_id: Uuid,
    /// An event that the endpoint has got or was to get, as `list_endpoints` shows it; left out, all events whose last attempt has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<Uuid>,
}

impl ReadFields for EventAgain {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (endpoint_id, event_id) = (fields.required("endpoint_id"), fields.optional("event_id"));
        Some(Self { endpoint_id: endpoint_id?, event_id: event_id? })
    }
}

impl EventAgain {
    pub fn action(self) -> DeskAction {
        let endpoint_id = self.endpoint_id;
        match self.event_id {
            Some(event_id) => DeskAction::SendEvent { endpoint_id, event_id },
            None => DeskAction::SendFailedEvents { endpoint_id },
        }
    }
}

/// An endpoint for events.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndpointRequest {
    /// An `https://` URL with a public address.
    #[schema(max_length = 2000, format = "uri", example = "https://crm.example/storefront")]
    pub url: String,
    /// The types of events that it gets; all if it is left out or empty.
    #[schema(max_items = 20, example = json!(["order.paid", "order.refunded"]))]
    pub types: Option<Vec<String>>,
}

/// A URL, which may be longer than other texts; the worker parses it.
struct UrlText(String);

impl FieldValue for UrlText {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        match value {
            Value::String(url) if url.chars().count() <= URL => Ok(Self(url)),
            Value::String(_) => Err(vec![FieldError::new(path, "is longer than 2000 characters")]),
            _ => Err(vec![FieldError::new(path, "must be a string")]),
        }
    }
}

impl ReadFields for EndpointRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (url, types) = (fields.required("url"), fields.optional_list("types", 20));
        let url = url.map(|UrlText(url)| url);
        Some(Self { url: url?, types: types? })
    }
}

/// An endpoint with its new secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndpointSecret {
    endpoint_id: Uuid,
    /// Signs the events, as Standard Webhooks has it: `whsec_` and base64. It is shown this once. Null if the endpoint keeps its
    /// secret.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]
    pub secret: Option<String>,
}

impl From<KeptEndpoint> for EndpointSecret {
    fn from(kept: KeptEndpoint) -> Self {
        Self { endpoint_id: kept.endpoint_id, secret: kept.secret }
    }
}

/// Set an endpoint for events
///
/// A new URL gets a secret, which is shown this once; for a URL that is set already, the types change and the secret stays. Needs a
/// person in the role manager.
#[utoipa::path(
    put,
    path = "/storeapi/support/endpoints/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrganisationName),
    request_body = EndpointRequest,
    operation_id = "set_endpoint",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden", "not_configured"]))),
    responses((status = 200, body = EndpointSecret, description = "It gets the events from now on."))
)]
pub async fn set(commander: Commander<Desk>, Body(request): Body<EndpointRequest>) -> ApiResult<Response> {
    let EndpointRequest { url, types } = request;
    let change = EndpointChange::Set { url, types: types.unwrap_or_default() };
    keep(&commander, &commander.caller, change).await.map(private)
}

/// Renew the secret of an endpoint
///
/// The new secret is shown this once; for a day, the former one signs beside it. Needs a person in the role manager.
#[utoipa::path(
    post,
    path = "/storeapi/support/endpoints/secret/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrganisationName),
    request_body = NamedEndpoint,
    operation_id = "renew_endpoint_secret",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden", "not_configured"]))),
    responses((status = 200, body = EndpointSecret, description = "The new secret."))
)]
pub async fn renew(
    commander: Commander<Desk>,
    Body(NamedEndpoint { endpoint_id }): Body<NamedEndpoint>,
) -> ApiResult<Response> {
    keep(&commander, &commander.caller, EndpointChange::Rotate { endpoint_id }).await.map(private)
}

/// Remove an endpoint
///
/// With its secret and what was still to be delivered. Needs a person in the role manager.
#[utoipa::path(
    post,
    path = "/storeapi/support/endpoints/removal/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrganisationName),
    request_body = NamedEndpoint,
    operation_id = "remove_endpoint",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden"]))),
    responses((status = 204, description = "It gets no events any more."))
)]
pub async fn remove(
    commander: Commander<Desk>,
    Body(NamedEndpoint { endpoint_id }): Body<NamedEndpoint>,
) -> ApiResult<StatusCode> {
    keep(&commander, &commander.caller, EndpointChange::Remove { endpoint_id }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Enable an endpoint
///
/// It gets the events that it has missed, and those that follow. Needs the role manager.
#[utoipa::path(
    post,
    path = "/storeapi/support/endpoints/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrganisationName, IdempotencyKey),
    request_body = NamedEndpoint,
    operation_id = "enable_endpoint",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden"]))),
    responses((status = 204, description = "Its events are on their way."))
)]
pub async fn enable(
    commander: Commander<Desk>,
    Body(NamedEndpoint { endpoint_id }): Body<NamedEndpoint>,
) -> ApiResult<StatusCode> {
    act::act(&commander, &commander.caller, DeskAction::EnableEndpoint { endpoint_id }, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Send events again
///
/// To one endpoint: one event, also if it has got it before, or all whose last attempt has failed. Needs the role manager.
#[utoipa::path(
    post,
    path = "/storeapi/support/deliveries/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrganisationName, IdempotencyKey),
    request_body = EventAgain,
    operation_id = "send_event_again",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden"]))),
    responses((status = 204, description = "The events are on their way again."))
)]
pub async fn send_again(commander: Commander<Desk>, Body(again): Body<EventAgain>) -> ApiResult<StatusCode> {
    act::act(&commander, &commander.caller, again.action(), None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Has the worker change an endpoint for a person at a desk.
pub async fn keep<C: Caller>(
    commander: &Commander<C>,
    desk: &Desk,
    change: EndpointChange,
) -> ApiResult<EndpointSecret> {
    desk.require(Role::Manager)?;
    commander.send(KeepEndpoint { caller: desk.caller(), change }, None).await.map(EndpointSecret::from)
}
