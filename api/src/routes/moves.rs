//! The route that moves the access of an order's line to another course or person, for support and for learners within the
//! organisation's window.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use shared::email::Email;
use shared::ids::CartId;
use shared::messages::{FieldError, MoveLine, MoveTarget, OrderCaller};
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};
use crate::extract::{Body, Caller, Commander, FieldValue, Fields, MoveRequester, OrderActor, ReadFields};
use crate::openapi::parameters::{IdempotencyKey, OrderInPath};
use crate::response::private;
use crate::routes::refunds::REASON;
use crate::views::moves::MoveBody;

/// The highest position of a line.
const LAST: i64 = 49;

/// A line to move, and where its access goes.
#[derive(Debug, Serialize, ToSchema)]
pub struct MoveRequest {
    /// The line, counted from 0.
    #[schema(minimum = 0, maximum = 49)]
    position: u32,
    to: MoveTo,
    /// Reason for the move, for the record.
    #[schema(value_type = Option<String>, max_length = 200, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    reason: Option<String>,
    /// Must be true to move to a course of another price: nothing is paid or paid back. A learner cannot waive it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(default = false)]
    waive: Option<bool>,
}

/// Target of a move: another course for the same person, or another person for the same course.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum MoveTo {
    Course(MoveToCourse),
    Person(MoveToPerson),
}

/// Another course of the organisation, for the same person.
#[derive(Debug, Serialize, ToSchema)]
pub struct MoveToCourse {
    #[schema(max_length = 255, example = "course-v1:Northwind+DS101+2026_T2")]
    openedx_course_id: String,
}

/// Another person, for the same course. Without an account, the person is invited.
#[derive(Debug, Serialize, ToSchema)]
pub struct MoveToPerson {
    #[schema(value_type = String, format = "email", max_length = 254, example = "ada@example.com")]
    email: Email,
}

impl ReadFields for MoveRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let position = fields.optional_number("position", 0, LAST);
        let (to, reason) = (fields.required("to"), fields.optional_text("reason", REASON));
        let waive = fields.optional("waive");
        let position = position.and_then(|position| {
            if position.is_none() {
                fields.error("position", "is required");
            }
            position
        });
        Some(Self { position: position?, to: to?, reason: reason?, waive: waive? })
    }
}

impl FieldValue for MoveTo {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        Fields::read_object(value, path)
    }
}

impl ReadFields for MoveTo {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (course, email) = (fields.optional("openedx_course_id"), fields.optional("email"));
        let fault = match (course?, email?) {
            (Some(openedx_course_id), None) => return Some(Self::Course(MoveToCourse { openedx_course_id })),
            (None, Some(email)) => return Some(Self::Person(MoveToPerson { email })),
            (Some(_), Some(_)) => ("email", "cannot be given with openedx_course_id: move to one of them"),
            (None, None) => ("openedx_course_id", "is required, unless the line moves to an email"),
        };
        fields.error(fault.0, fault.1);
        None
    }
}

/// Move a line to another course or person
///
/// The line gives access to the other course, or gives its access to the other person; no money moves, and refunds and withdrawals
/// of the line end the new access. The old access ends once the course platform has confirmed the new one. Refused after a
/// certificate, and for programs, seats and upgrades. A move that the platform has refused, or whose address has no account yet, can
/// be replaced by another one, or withdrawn by a move to what the line gives. A learner can move a line of the own order as often
/// and as long as the organisation allows, to a course of the same price.
#[utoipa::path(
    post,
    path = "/storeapi/payment/orders/{cart_id}/moves/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrderInPath, IdempotencyKey),
    request_body = MoveRequest,
    operation_id = "move_line",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden", "not_found", "not_configured"]))),
    responses(
        (status = 200, body = MoveBody, description = "The open move is withdrawn, and the line keeps what it gives."),
        (status = 202, body = MoveBody, description = "The new access is granted. The old one ends when the platform has confirmed it; `enrollment.moved` is the event."),
    )
)]
pub async fn move_line(
    commander: Commander<MoveRequester>,
    Body(request): Body<MoveRequest>,
) -> ApiResult<Response> {
    let OrderActor { cart_id, caller } = commander.caller.0.clone();
    ask(&commander, cart_id, caller, request).await.map(answer)
}

/// The answer to a move.
pub fn answer(body: MoveBody) -> Response {
    let status = if body.is_waiting() { StatusCode::ACCEPTED } else { StatusCode::OK };
    (status, private(body)).into_response()
}

/// Asks the worker for a move, once for each idempotency key.
pub async fn ask<C: Caller>(
    commander: &Commander<C>,
    cart_id: CartId,
    caller: OrderCaller,
    request: MoveRequest,
) -> ApiResult<MoveBody> {
    let idempotency = commander.idempotency(&(cart_id, &request))?;
    let MoveRequest { position, to, reason, waive } = request;
    let to = match to {
        MoveTo::Course(course) => MoveTarget::OpenedxCourseId(course.openedx_course_id),
        MoveTo::Person(person) => {
            if let Some(message) = commander.unreachable(&person.email) {
                return Err(ApiError::invalid("to.email", message));
            }
            commander.limited_by(&person.email)?;
            MoveTarget::Email(person.email)
        }
    };
    let waive = waive.unwrap_or_default();
    let command = MoveLine { cart_id, caller, position, to, reason, waive, idempotency };
    commander.send(command, Some(cart_id)).await.map(MoveBody::from)
}
