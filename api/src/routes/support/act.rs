//! Routes with which the support desk acts. Each action is on record under the person or the key.

use axum::http::StatusCode;
use serde::Serialize;
use shared::email::Email;
use shared::ids::{CartId, EnrollmentId};
use shared::messages::{ActAtDesk, DeskAction, LetterDecision};
use shared::typed::given;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::ApiResult;
use crate::extract::{Body, Caller, Commander, Desk, DeskOrder, EmptyBody, Fields, ReadFields};
use crate::openapi::parameters::{IdempotencyKey, OrderInPath, OrganisationName};

/// The longest reason, in characters.
const REASON: usize = 200;

/// A mail to send again.
#[derive(Debug, Serialize, ToSchema)]
pub struct MailAgain {
    /// A mail that has failed, as an order or the list of what needs a person shows it.
    pub mail_id: Uuid,
}

impl ReadFields for MailAgain {
    fn read(fields: &mut Fields) -> Option<Self> {
        Some(Self { mail_id: fields.required("mail_id")? })
    }
}

/// An address to correct.
#[derive(Debug, Serialize, ToSchema)]
pub struct CorrectedAddress {
    /// The right address of the buyer.
    #[schema(value_type = String, format = "email", max_length = 254, example = "ada@example.com")]
    pub email: Email,
}

impl ReadFields for CorrectedAddress {
    fn read(fields: &mut Fields) -> Option<Self> {
        Some(Self { email: fields.required("email")? })
    }
}

/// An enrollment to retry.
#[derive(Debug, Serialize, ToSchema)]
pub struct EnrollmentAgain {
    /// An enrollment that the course platform has refused.
    pub enrollment_id: Uuid,
}

impl ReadFields for EnrollmentAgain {
    fn read(fields: &mut Fields) -> Option<Self> {
        Some(Self { enrollment_id: fields.required("enrollment_id")? })
    }
}

/// A decision about a dead letter.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeadLetterRequest)]
pub struct DecidedLetter {
    /// A dead letter, as the list of what needs a person shows it.
    pub message_id: Uuid,
    pub decision: LetterDecision,
}

impl ReadFields for DecidedLetter {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (message_id, decision) = (fields.required("message_id"), fields.required::<String>("decision"));
        let decision = decision.and_then(|word| match word.parse() {
            Ok(decision) => Some(decision),
            Err(_) => {
                fields.error("decision", "is not one of replay, drop");
                None
            }
        });
        Some(Self { message_id: message_id?, decision: decision? })
    }
}

/// The end of an alert.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClosedAlert {
    /// What was done about it, for the record. It must say something.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\x00-\\x20\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$"
    )]
    pub reason: String,
}

impl ReadFields for ClosedAlert {
    fn read(fields: &mut Fields) -> Option<Self> {
        let reason = fields.optional_text("reason", REASON)?;
        match given(reason) {
            Some(reason) => Some(Self { reason }),
            None => {
                fields.error("reason", "is required, for the record");
                None
            }
        }
    }
}

/// Sends an action for a caller at a desk, once for each idempotency key.
pub async fn act<C: Caller>(
    commander: &Commander<C>,
    desk: &Desk,
    action: DeskAction,
    cart_id: Option<CartId>,
) -> ApiResult<()> {
    desk.require(action.role())?;
    if let DeskAction::CorrectAddress { email, .. } = &action {
        commander.reaches(email)?;
    }
    let idempotency = commander.idempotency(&action)?;
    commander.send(ActAtDesk { caller: desk.caller(), action, idempotency }, cart_id).await
}

/// Sends an action about the order that the path names.
async fn act_on(commander: Commander<DeskOrder>, action: DeskAction) -> ApiResult<StatusCode> {
    let DeskOrder { desk, cart_id } = &commander.caller;
    act(&commander, desk, action, Some(*cart_id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Send a receipt again
///
/// With the newest invoice, to the order's present address. Of an order that waits for a transfer, what the buyer needs for that.
#[utoipa::path(
    post,
    path = "/storeapi/support/orders/{cart_id}/receipt/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrderInPath, OrganisationName, IdempotencyKey),
    operation_id = "send_receipt_again",
    extensions(("x-problems" = json!(["called", "command", "request_timeout", "unsupported_media_type", "organisation_not_found", "forbidden", "not_found"]))),
    responses((status = 204, description = "The mail is on its way."))
)]
pub async fn receipt(commander: Commander<DeskOrder>, _: EmptyBody) -> ApiResult<StatusCode> {
    let cart_id = commander.caller.cart_id;
    act_on(commander, DeskAction::SendReceipt { cart_id }).await
}

/// Send an invitation again
///
/// To each address that has no account and waits for the order's courses. An address gets at most three invitations a day.
#[utoipa::path(
    post,
    path = "/storeapi/support/orders/{cart_id}/invitation/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrderInPath, OrganisationName, IdempotencyKey),
    operation_id = "send_invitation_again",
    extensions(("x-problems" = json!(["called", "command", "request_timeout", "unsupported_media_type", "organisation_not_found", "forbidden", "not_found"]))),
    responses((status = 204, description = "The mail is on its way."))
)]
pub async fn invitation(commander: Commander<DeskOrder>, _: EmptyBody) -> ApiResult<StatusCode> {
    let cart_id = commander.caller.cart_id;
    act_on(commander, DeskAction::SendInvitation { cart_id }).await
}

/// Correct a guest's address
///
/// For an order whose address was mistyped. What waits for the address moves, the new one is looked up, and invited if it has no
/// account; it gets the receipt of a complete order, or what says how it is to be paid. The invoice stays as it is. Not once an account
/// has opened a course with the order.
#[utoipa::path(
    post,
    path = "/storeapi/support/orders/{cart_id}/address/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrderInPath, OrganisationName, IdempotencyKey),
    request_body = CorrectedAddress,
    operation_id = "correct_address",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden", "not_found"]))),
    responses((status = 204, description = "The order has the address now."))
)]
pub async fn address(
    commander: Commander<DeskOrder>,
    Body(CorrectedAddress { email }): Body<CorrectedAddress>,
) -> ApiResult<StatusCode> {
    let cart_id = commander.caller.cart_id;
    act_on(commander, DeskAction::CorrectAddress { cart_id, email }).await
}

/// Close the alert of a payment
///
/// After a person has acted on it. The reason goes into the record.
#[utoipa::path(
    post,
    path = "/storeapi/support/orders/{cart_id}/alert/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrderInPath, OrganisationName, IdempotencyKey),
    request_body = ClosedAlert,
    operation_id = "close_alert",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden", "not_found"]))),
    responses((status = 204, description = "The alert is closed."))
)]
pub async fn alert(
    commander: Commander<DeskOrder>,
    Body(ClosedAlert { reason }): Body<ClosedAlert>,
) -> ApiResult<StatusCode> {
    let cart_id = commander.caller.cart_id;
    act_on(commander, DeskAction::CloseAlert { cart_id, reason }).await
}

/// Send a failed mail again
///
/// To the address that it has now.
#[utoipa::path(
    post,
    path = "/storeapi/support/mails/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrganisationName, IdempotencyKey),
    request_body = MailAgain,
    operation_id = "send_mail_again",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden"]))),
    responses((status = 204, description = "The mail is on its way."))
)]
pub async fn mail(
    commander: Commander<Desk>,
    Body(MailAgain { mail_id }): Body<MailAgain>,
) -> ApiResult<StatusCode> {
    act(&commander, &commander.caller, DeskAction::SendMail { mail_id }, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Retry an enrollment
///
/// Asks the course platform again for an enrollment that it has refused.
#[utoipa::path(
    post,
    path = "/storeapi/support/enrollments/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrganisationName, IdempotencyKey),
    request_body = EnrollmentAgain,
    operation_id = "retry_enrollment",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden"]))),
    responses((status = 204, description = "The course platform is asked again."))
)]
pub async fn enrollment(
    commander: Commander<Desk>,
    Body(EnrollmentAgain { enrollment_id }): Body<EnrollmentAgain>,
) -> ApiResult<StatusCode> {
    let action = DeskAction::RetryEnrollment { enrollment_id: EnrollmentId(enrollment_id) };
    act(&commander, &commander.caller, action, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Replay or drop a dead letter
///
/// A message about the organisation that the worker could not process, once the reason is gone. A replayed one is processed as if it
/// were new, and is a dead letter again if it fails again. Needs the role manager.
#[utoipa::path(
    post,
    path = "/storeapi/support/dead-letters/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrganisationName, IdempotencyKey),
    request_body = DecidedLetter,
    operation_id = "decide_dead_letter",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden"]))),
    responses((status = 204, description = "The message is on its way again, or deleted."))
)]
pub async fn dead_letter(
    commander: Commander<Desk>,
    Body(DecidedLetter { message_id, decision }): Body<DecidedLetter>,
) -> ApiResult<StatusCode> {
    let action = DeskAction::DecideDeadLetter { message_id, decision };
    act(&commander, &commander.caller, action, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Refuse an invoice that the support asks for
///
/// The invoice stays as it is. Needs the role finance.
#[utoipa::path(
    post,
    path = "/storeapi/support/orders/{cart_id}/invoice/refusal/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrderInPath, OrganisationName, IdempotencyKey),
    operation_id = "refuse_invoice",
    extensions(("x-problems" = json!(["called", "command", "request_timeout", "unsupported_media_type", "organisation_not_found", "forbidden", "not_found"]))),
    responses((status = 204, description = "The request is closed."))
)]
pub async fn refuse_invoice(commander: Commander<DeskOrder>, _: EmptyBody) -> ApiResult<StatusCode> {
    let cart_id = commander.caller.cart_id;
    act_on(commander, DeskAction::RefuseInvoice { cart_id }).await
}
