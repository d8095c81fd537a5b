//! The route that refunds an order, for backends with a key and for learners within the organisation's window.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::Value;
use shared::ids::CartId;
use shared::messages::{FieldError, OrderCaller, RefundAnswer, RefundOrder, RefundStatus};
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};
use crate::extract::{
    Body, Caller, Commander, FieldValue, Fields, OrderActor, ReadFields, RefundRequester, whole_number,
};
use crate::openapi::parameters::{OrderInPath, RequiredIdempotencyKey};
use crate::response::private;
use crate::views::refunds::RefundBody;

/// The most lines that a cart has.
const LINES: usize = 50;

/// The longest reason, in characters.
pub(super) const REASON: usize = 200;

/// Lines to refund. A learner sends `items` and `reason` alone.
#[derive(Debug, Serialize, ToSchema)]
pub struct RefundRequest {
    /// The positions of the lines, from 0; their access ends. Left out: all lines, with all that is left of the money. Empty:
    /// `amount` is allocated to all lines and no access ends.
    #[schema(value_type = Option<Vec<u32>>, max_items = 50)]
    items: Option<Positions>,
    /// Amount to pay back, allocated to the lines; left out: all that is left of them. Needs `items`.
    #[schema(value_type = Option<f64>, exclusive_minimum = 0, example = 49.99)]
    amount: Option<Decimal>,
    /// Reason for the refund. The order shows it, also to the learner.
    #[schema(value_type = Option<String>, max_length = 200, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    reason: Option<String>,
    /// Must be true to pay money back while a dispute of the payment is open: the bank may give the buyer the same money back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(default = false)]
    despite_dispute: Option<bool>,
}

#[derive(Debug, Serialize)]
pub(super) struct Positions(pub(super) Vec<u32>);

impl ReadFields for RefundRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (items, amount) = (fields.optional("items"), fields.optional("amount"));
        let reason = fields.optional_text("reason", REASON);
        let despite_dispute = fields.optional("despite_dispute");
        Some(Self { items: items?, amount: amount?, reason: reason?, despite_dispute: despite_dispute? })
    }
}

impl FieldValue for Positions {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let Value::Array(values) = value else { return Err(fault(path, "must be an array")) };
        if values.len() > LINES {
            return Err(fault(path, "has more than 50 positions"));
        }
        let position = |(index, value): (usize, &Value)| {
            let position = whole_number(value).and_then(|position| u32::try_from(position).ok());
            position.ok_or_else(|| FieldError::new(format!("{path}[{index}]"), "is not a position, from 0"))
        };
        let read: Vec<Result<u32, FieldError>> = values.iter().enumerate().map(position).collect();
        let errors: Vec<FieldError> = read.iter().filter_map(|read| read.clone().err()).collect();
        if errors.is_empty() {
            Ok(Self(read.into_iter().filter_map(Result::ok).collect()))
        } else {
            Err(errors)
        }
    }
}

fn fault(path: &str, message: &str) -> Vec<FieldError> {
    vec![FieldError::new(path, message)]
}

/// Refund an order, some of its lines, or an amount
///
/// The access to the chosen lines ends once the payment provider has accepted the refund. A learner can refund whole lines
/// until their `refundable_until`, but not after a certificate, not while a dispute of the payment is open, and not what the
/// organisation has kept of an earlier refund. A repetition under the same `Idempotency-Key` finds the same
/// refund, however late it comes.
#[utoipa::path(
    post,
    path = "/storeapi/payment/orders/{cart_id}/refunds/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["refunds"])),
    params(OrderInPath, RequiredIdempotencyKey),
    request_body = RefundRequest,
    operation_id = "refund_order",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden", "not_found", "not_configured", "gateway_error"]))),
    responses(
        (status = 200, body = RefundBody, description = "The provider has accepted the refund, or it has ended."),
        (status = 202, body = RefundBody, description = "The provider has not answered yet; the service continues to ask. The order shows the status of the refund."),
    )
)]
pub async fn refund(
    commander: Commander<RefundRequester>,
    Body(request): Body<RefundRequest>,
) -> ApiResult<Response> {
    let OrderActor { cart_id, caller } = commander.caller.0.clone();
    let answer = ask(&commander, cart_id, caller, request).await?;
    let status = if answer.status == RefundStatus::Asked { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok((status, private(RefundBody::from(answer))).into_response())
}

/// Asks the worker for a refund, once for each idempotency key, which is required.
pub async fn ask<C: Caller>(
    commander: &Commander<C>,
    cart_id: CartId,
    caller: OrderCaller,
    request: RefundRequest,
) -> ApiResult<RefundAnswer> {
    let idempotency = commander.idempotency(&(cart_id, &request))?;
    let missing = || ApiError::invalid("Idempotency-Key", "is required, so that a repeat does not pay twice");
    let command = RefundOrder {
        cart_id,
        caller,
        items: request.items.map(|Positions(items)| items),
        amount: request.amount,
        reason: request.reason,
        despite_dispute: request.despite_dispute.unwrap_or_default(),
        idempotency: idempotency.ok_or_else(missing)?,
    };
    commander.send(command, Some(cart_id)).await
}
