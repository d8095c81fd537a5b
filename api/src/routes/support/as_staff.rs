//! Routes with which staff do what other routes do for learners and keys: refund an order, correct its invoice, move a line.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use shared::ids::CartId;
use shared::messages::{DeskCaller, OrderCaller};
use shared::staff::Role;

use crate::error::{ApiError, ApiResult};
use crate::extract::{Body, Caller, Commander, Desk, DeskOrder};
use crate::openapi::parameters::{IdempotencyKey, OrderInPath, OrganisationName, RequiredIdempotencyKey};
use crate::response::private;
use crate::routes::documents::{self, InvoiceRequest};
use crate::routes::moves::{self, MoveRequest};
use crate::routes::refunds::{self, RefundRequest};
use crate::views::moves::MoveBody;
use crate::views::refunds::RefundBody;

/// Refund an order as staff
///
/// As `refund_order`, for a member of the staff in the role finance. Tools use that route with a key of the scope `refunds`.
#[utoipa::path(
    post,
    path = "/storeapi/support/orders/{cart_id}/refunds/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrderInPath, OrganisationName, RequiredIdempotencyKey),
    request_body = RefundRequest,
    operation_id = "refund_order_as_staff",
    extensions(("x-problems" = json!([
        "called", "body", "command", "organisation_not_found", "forbidden", "not_found", "not_configured", "gateway_error"
    ]))),
    responses(
        (status = 200, body = RefundBody, description = "The provider has accepted the refund, or it has ended."),
        (status = 202, body = RefundBody, description = "The provider has not answered yet; the service continues to ask. The order shows the status of the refund."),
    )
)]
pub async fn refund(
    commander: Commander<DeskOrder>,
    Body(request): Body<RefundRequest>,
) -> ApiResult<Response> {
    let DeskOrder { desk, cart_id } = commander.caller.clone();
    let body = refund_at_desk(&commander, &desk, cart_id, request).await?;
    let status = if body.is_asked() { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok((status, private(body)).into_response())
}

/// Refunds an order for a member of the staff.
pub async fn refund_at_desk<C: Caller>(
    commander: &Commander<C>,
    desk: &Desk,
    cart_id: CartId,
    request: RefundRequest,
) -> ApiResult<RefundBody> {
    desk.require(Role::Finance)?;
    let DeskCaller::Staff(member) = desk.caller() else {
        return Err(ApiError::Forbidden("A key refunds with the scope refunds."));
    };
    let answer = refunds::ask(commander, cart_id, OrderCaller::Staff(member), request).await?;
    Ok(RefundBody::from(answer))
}

/// Correct an invoice as staff
///
/// As `correct_invoice`, for a member of the staff in the role support or finance. Where the VAT ID moves the tax to the buyer, finance
/// pays it back; the support asks finance by it, and `invoice_request` of the order shows that. The buyer gets the new invoice by mail.
#[utoipa::path(
    post,
    path = "/storeapi/support/orders/{cart_id}/invoice/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrderInPath, OrganisationName, IdempotencyKey),
    request_body = InvoiceRequest,
    operation_id = "correct_invoice_as_staff",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden", "not_found", "not_configured"]))),
    responses((status = 204, description = "The invoice is corrected, or finance is asked."))
)]
pub async fn invoice(
    commander: Commander<DeskOrder>,
    Body(request): Body<InvoiceRequest>,
) -> ApiResult<StatusCode> {
    let DeskOrder { desk, cart_id } = commander.caller.clone();
    correct_at_desk(&commander, &desk, cart_id, request).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Corrects the invoice of an order for a member of the staff.
pub async fn correct_at_desk<C: Caller>(
    commander: &Commander<C>,
    desk: &Desk,
    cart_id: CartId,
    request: InvoiceRequest,
) -> ApiResult<()> {
    if !desk.may(Role::Finance) {
        desk.require(Role::Support)?;
    }
    let Some(member) = desk.member() else {
        return Err(ApiError::Forbidden("A key corrects invoices with the scope orders."));
    };
    documents::ask(commander, cart_id, OrderCaller::Staff(member), request).await
}

/// Move a line as staff
///
/// As `move_line`, for a member of the staff in the role support.
#[utoipa::path(
    post,
    path = "/storeapi/support/orders/{cart_id}/moves/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrderInPath, OrganisationName, IdempotencyKey),
    request_body = MoveRequest,
    operation_id = "move_line_as_staff",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden", "not_found", "not_configured"]))),
    responses(
        (status = 200, body = MoveBody, description = "The open move is withdrawn, and the line keeps what it gives."),
        (status = 202, body = MoveBody, description = "The new access is granted. The old one ends when the platform has confirmed it."),
    )
)]
pub async fn move_line(
    commander: Commander<DeskOrder>,
    Body(request): Body<MoveRequest>,
) -> ApiResult<Response> {
    let DeskOrder { desk, cart_id } = commander.caller.clone();
    move_at_desk(&commander, &desk, cart_id, request).await.map(moves::answer)
}

/// Moves a line of an order for a caller at the desk.
pub async fn move_at_desk<C: Caller>(
    commander: &Commander<C>,
    desk: &Desk,
    cart_id: CartId,
    request: MoveRequest,
) -> ApiResult<MoveBody> {
    desk.require(Role::Support)?;
    let caller = match desk.caller() {
        DeskCaller::Key { id, organisation_id } => OrderCaller::Key { id, organisation_id },
        DeskCaller::Staff(member) => OrderCaller::Staff(member),
    };
    moves::ask(commander, cart_id, caller, request).await
}
