//! Routes by which an organisation that takes payments itself reports what it has seen at its bank.

use axum::response::Response;
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use shared::messages::{PaymentReport, ReportPayment, ReportedPayment};
use shared::money::Amount;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};
use crate::extract::{
    Body, Caller, Commander, DeskOrder, EmptyBody, Fields, PaymentReporter, ReadFields, RefundPath,
};
use crate::openapi::parameters::{OrderInPath, OrganisationName, RefundInPath, RequiredIdempotencyKey};
use crate::response::private;
use crate::state::AppState;

/// The routes with their OpenAPI description.
pub fn table() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(report))
        .routes(routes!(report_return))
        .routes(routes!(cancel))
        .routes(routes!(report_refund))
}

/// The longest reference of a bank, in characters: that of an ISO 20022 message.
const REFERENCE: usize = 140;

/// Money that has arrived.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceivedPayment {
    /// In the order's currency.
    #[schema(value_type = f64, exclusive_minimum = 0, example = 49.99)]
    amount: Decimal,
    received_at: DateTime<Utc>,
    /// How the bank knows it, such as the line of a statement. Two reports of an order with the same reference
    /// are one, from any caller; letter case and runs of spaces make no difference.
    #[schema(
        min_length = 1,
        max_length = 140,
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$",
        example = "2026-11-26/0042"
    )]
    reference: String,
}

impl From<ReceivedPayment> for PaymentReport {
    fn from(payment: ReceivedPayment) -> Self {
        let ReceivedPayment { amount, received_at, reference } = payment;
        Self::Received { amount, received_at, reference }
    }
}

impl ReadFields for ReceivedPayment {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (amount, received_at) = (fields.required::<Decimal>("amount"), fields.required("received_at"));
        let reference = bank_reference(fields);
        if amount.is_some_and(|amount| amount <= Decimal::ZERO) {
            fields.error("amount", "must be more than 0");
        }
        Some(Self { amount: amount?, received_at: received_at?, reference: reference? })
    }
}

/// Reads how a bank knows a payment, with single spaces: statements differ in them.
fn bank_reference(fields: &mut Fields) -> Option<String> {
    let text: String = fields.required("reference")?;
    let reference = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if (1..=REFERENCE).contains(&reference.chars().count()) {
        return Some(reference);
    }
    fields.error("reference", format!("must have 1 to {REFERENCE} characters"));
    None
}

/// Money that was paid back without a refund.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReturnedPayment {
    /// As it was reported.
    #[schema(
        min_length = 1,
        max_length = 140,
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$",
        example = "2026-11-26/0042"
    )]
    reference: String,
}

impl ReadFields for ReturnedPayment {
    fn read(fields: &mut Fields) -> Option<Self> {
        Some(Self { reference: bank_reference(fields)? })
    }
}

/// The end of a refund that the organisation has paid back itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct RefundReport {
    status: RefundOutcome,
}

/// `succeeded`: the money has reached the buyer. `failed`: it came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, strum::EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RefundOutcome {
    Succeeded,
    Failed,
}

impl ReadFields for RefundReport {
    fn read(fields: &mut Fields) -> Option<Self> {
        let word: String = fields.required("status")?;
        match word.parse() {
            Ok(status) => Some(Self { status }),
            Err(_) => {
                fields.error("status", "is not one of succeeded, failed");
                None
            }
        }
    }
}

/// What has arrived for an order.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaymentBody {
    cart_id: Uuid,
    #[schema(value_type = f64, example = 199)]
    total_price: Amount,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    /// The sum of what has arrived.
    #[schema(value_type = f64, minimum = 0, example = 149.01)]
    received_amount: Amount,
    /// Amount that is still to be paid.
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    open_amount: Amount,
}

impl From<ReportedPayment> for PaymentBody {
    fn from(reported: ReportedPayment) -> Self {
        let ReportedPayment { cart_id, total, received, open } = reported;
        Self {
            cart_id: cart_id.into(),
            total_price: Amount(total),
            currency: total.currency().code(),
            received_amount: Amount(received),
            open_amount: Amount(open),
        }
    }
}

/// Report a payment that the organisation has received itself
///
/// For orders of the gateway `external`. Once all of the money has arrived, the order is paid: access, receipt and invoice follow as
/// with a provider. A part waits for the rest; for more than the total an alert asks to pay it back. A repetition under the same
/// `Idempotency-Key`, or with the same `reference`, is the same payment. Finance staff report it, too.
#[utoipa::path(
    post,
    path = "/storeapi/payment/orders/{cart_id}/payments/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["payments"])),
    params(OrderInPath, RequiredIdempotencyKey, OrganisationName),
    request_body = ReceivedPayment,
    operation_id = "report_payment",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden", "not_found", "organisation_not_found"]))),
    responses((status = 200, body = PaymentBody, description = "The payment is booked."))
)]
pub async fn report(
    commander: Commander<PaymentReporter>,
    Body(payment): Body<ReceivedPayment>,
) -> ApiResult<Response> {
    Ok(private(send(&commander, &commander.caller.0, payment.into()).await?))
}

/// Report that a refund has reached the buyer
///
/// For orders of the gateway `external`, whose refunds the organisation pays itself: a refund is `accepted` until this says that the
/// money has arrived, or came back.
#[utoipa::path(
    post,
    path = "/storeapi/payment/orders/{cart_id}/refunds/{refund_id}/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["payments"])),
    params(OrderInPath, RefundInPath, OrganisationName),
    request_body = RefundReport,
    operation_id = "report_refund",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden", "not_found", "organisation_not_found"]))),
    responses((status = 200, body = PaymentBody, description = "The refund has ended."))
)]
pub async fn report_refund(
    commander: Commander<PaymentReporter>,
    RefundPath(refund_id): RefundPath,
    Body(report): Body<RefundReport>,
) -> ApiResult<Response> {
    let has_arrived = report.status == RefundOutcome::Succeeded;
    let report = PaymentReport::Refund { refund_id, has_arrived };
    Ok(private(send(&commander, &commander.caller.0, report).await?))
}

/// Report that a received payment was paid back
///
/// For money of the gateway `external` that pays for no order: a part that the rest did not follow, or a surplus. It counts no more.
/// What pays for an order is refunded instead.
#[utoipa::path(
    post,
    path = "/storeapi/payment/orders/{cart_id}/payments/return/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["payments"])),
    params(OrderInPath, OrganisationName),
    request_body = ReturnedPayment,
    operation_id = "report_returned_payment",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden", "not_found", "organisation_not_found"]))),
    responses((status = 200, body = PaymentBody, description = "The payment counts no more."))
)]
pub async fn report_return(
    commander: Commander<PaymentReporter>,
    Body(ReturnedPayment { reference }): Body<ReturnedPayment>,
) -> ApiResult<Response> {
    Ok(private(send(&commander, &commander.caller.0, PaymentReport::Returned { reference }).await?))
}

/// End an order that waits for its payment
///
/// For orders of the gateway `external` for which no money has arrived. Its voucher and its places are free again. A transfer that
/// comes after all is honoured, with an alert.
#[utoipa::path(
    post,
    path = "/storeapi/payment/orders/{cart_id}/payments/cancel/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["payments"])),
    params(OrderInPath, OrganisationName),
    operation_id = "cancel_payment",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden", "not_found", "organisation_not_found"]))),
    responses((status = 200, body = PaymentBody, description = "The order has ended."))
)]
pub async fn cancel(commander: Commander<PaymentReporter>, _: EmptyBody) -> ApiResult<Response> {
    Ok(private(send(&commander, &commander.caller.0, PaymentReport::Cancelled).await?))
}

/// Sends a report about an order. Money that has arrived needs an idempotency key.
pub async fn send<C: Caller>(
    commander: &Commander<C>,
    DeskOrder { desk, cart_id }: &DeskOrder,
    report: PaymentReport,
) -> ApiResult<PaymentBody> {
    let idempotency = match &report {
        PaymentReport::Received { .. } => {
            let missing =
                || ApiError::invalid("Idempotency-Key", "is required, so that a repeat does not book twice");
            Some(commander.idempotency(&(cart_id, &report))?.ok_or_else(missing)?)
        }
        _ => None,
    };
    let command = ReportPayment { cart_id: *cart_id, caller: desk.caller(), report, idempotency };
    commander.send(command, Some(*cart_id)).await.map(PaymentBody::from)
}
