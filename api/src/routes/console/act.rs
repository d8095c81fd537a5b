//! Forms of the console. Each calls the function of the route that does the same.

use axum::response::Redirect;
use serde_json::{Map, Value, json};
use shared::email::Email;
use shared::ids::{CartId, DocumentId, EnrollmentId, RefundId};
use shared::messages::{DeskAction, FieldError, PaymentReport};
use shared::staff::Role;
use uuid::Uuid;

use super::form::{given, number, read};
use super::handler::Sent;
use super::times;
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, ConsoleForm, DeskOrder, Fields, hyphenated};
use crate::queries::documents;
use crate::routes::document_reports::{self, ReportRequest};
use crate::routes::payments::{self, ReceivedPayment};
use crate::routes::refunds::RefundRequest;
use crate::routes::support::act::{
    self, ClosedAlert, CorrectedAddress, DecidedLetter, EnrollmentAgain, MailAgain,
};
use crate::routes::support::as_staff;
use crate::routes::support::endpoints::{EventAgain, NamedEndpoint};
use crate::routes::withdrawals::{self, DecisionRequest};
use crate::state::App;

/// A form about the order that the path names.
pub async fn order(sent: Sent) -> ApiResult<Redirect> {
    let Sent { app, commander, form, .. } = &sent;
    let (at, action) = (&commander.caller, sent.named("action"));
    let cart_id = at.desk.order(app, sent.named("cart_id")).await?;
    if let Some(report) = report_of(app, at, form, action).await? {
        at.desk.require(Role::Finance)?;
        payments::send(commander, &DeskOrder { desk: at.desk.clone(), cart_id }, report).await?;
        return Ok(sent.next(format_args!("orders/{cart_id}/?done={action}")));
    }
    if let Some(request) = document_report(form, action)? {
        at.desk.require(Role::Finance)?;
        let document_id = document_of(app, form, cart_id).await?;
        document_reports::send(commander, &at.desk, document_id, cart_id, request).await?;
        return Ok(sent.next(format_args!("orders/{cart_id}/?done=document")));
    }
    let wanted = match action {
        "receipt" => DeskAction::SendReceipt { cart_id },
        "invitation" => DeskAction::SendInvitation { cart_id },
        "address" => {
            let CorrectedAddress { email } = read(form, &["email"])?;
            DeskAction::CorrectAddress { cart_id, email }
        }
        "alert" => {
            let ClosedAlert { reason } = read(form, &["reason"])?;
            DeskAction::CloseAlert { cart_id, reason }
        }
        "invoice-refused" => DeskAction::RefuseInvoice { cart_id },
        _ => return Err(ApiError::NotFound("Form")),
    };
    act::act(commander, &at.desk, wanted, Some(cart_id)).await?;
    Ok(sent.next(format_args!("orders/{cart_id}/?done={action}")))
}

/// Reads what a form reports about a document that another system clears or issues; None if it is another form.
fn document_report(form: &ConsoleForm, action: &str) -> ApiResult<Option<ReportRequest>> {
    let body = match action {
        "document-cleared" => {
            json!({ "status": "issued", "clearance": given(form, &["authority", "number", "qr"]) })
        }
        "document-issued" => {
            json!({ "status": "issued", "number": form.text("number"), "issued_on": form.text("issued_on"),
            "total": number(form, "total")? })
        }
        "document-refused" => json!({ "status": "refused", "reason": form.text("reason") }),
        "document-cancelled" => json!({ "status": "cancelled", "reason": form.text("reason") }),
        "document-requested" => json!({ "status": "requested" }),
        _ => return Ok(None),
    };
    Fields::read_object(body, "").map(Some).map_err(ApiError::InvalidRequest)
}

/// The document that a form names, which must be one of the order.
async fn document_of(app: &App, form: &ConsoleForm, cart_id: CartId) -> ApiResult<DocumentId> {
    let missing = || ApiError::NotFound("Document");
    let id = hyphenated(form.text("document_id")).map(DocumentId).ok_or_else(missing)?;
    let order = documents::order(&app.db, id).await?.filter(|order| order.owner.id == cart_id);
    order.map(|_| id).ok_or_else(missing)
}

/// Reads what a form reports about the money of an order that the organisation takes itself; None if it is another form.
async fn report_of(
    app: &App,
    at: &AtConsole,
    form: &ConsoleForm,
    action: &str,
) -> ApiResult<Option<PaymentReport>> {
    match action {
        "payment" => {
            let body = json!({
                "amount": number(form, "amount")?,
                "received_at": times::read(app, at, &format!("{}T00:00", form.text("received_on"))).await?,
                "reference": form.text("reference"),
            });
            let payment: ReceivedPayment = Fields::read_object(body, "").map_err(ApiError::InvalidRequest)?;
            Ok(Some(payment.into()))
        }
        "refund-arrived" | "refund-back" => {
            let refund_id = hyphenated(form.text("refund_id")).map(RefundId);
            let refund_id = refund_id.ok_or_else(|| ApiError::invalid("refund_id", "is not a UUID"))?;
            Ok(Some(PaymentReport::Refund { refund_id, has_arrived: action == "refund-arrived" }))
        }
        "payment-returned" => {
            Ok(Some(PaymentReport::Returned { reference: form.text("reference").to_owned() }))
        }
        "payment-cancelled" => Ok(Some(PaymentReport::Cancelled)),
        _ => Ok(None),
    }
}

/// The form that refunds an order.
pub async fn refund(sent: Sent) -> ApiResult<Redirect> {
    let Sent { app, commander, form, .. } = &sent;
    let at = &commander.caller;
    let cart_id = at.desk.order(app, sent.named("cart_id")).await?;
    as_staff::refund_at_desk(commander, &at.desk, cart_id, refund_of(form)?).await?;
    Ok(sent.next(format_args!("orders/{cart_id}/?done=refund")))
}

/// Reads what a form refunds, as the body of the route would say it.
fn refund_of(form: &ConsoleForm) -> ApiResult<RefundRequest> {
    let items: Vec<Value> =
        form.all("items").map(|text| serde_json::from_str(text).unwrap_or_else(|_| json!(text))).collect();
    let (given, reason) = (form.text("amount"), form.text("reason"));
    let mut body = Map::new();
    body.insert("despite_dispute".to_owned(), json!(form.text("despite_dispute") == "yes"));
    // No line means the amount alone, which ends no access; all that is left names none.
    if form.text("all") != "yes" {
        body.insert("items".to_owned(), items.into());
    }
    if !given.is_empty() {
        body.insert("amount".to_owned(), number(form, "amount")?);
    }
    if reason.is_empty() {
        return Err(ApiError::invalid("reason", "is required, for the record"));
    }
    body.insert("reason".to_owned(), json!(reason));
    Fields::read_object(body.into(), "").map_err(ApiError::InvalidRequest)
}

/// The forms that decide a withdrawal.
pub async fn withdrawal(sent: Sent) -> ApiResult<Redirect> {
    let Sent { app, commander, form, .. } = &sent;
    let at = &commander.caller;
    at.desk.require(Role::Finance)?;
    let id = hyphenated(sent.named("withdrawal_id")).ok_or(ApiError::NotFound("Withdrawal"))?;
    let request = decision_of(form, sent.named("action"))?;
    withdrawals::decide_at(app, commander, &at.desk, id, request).await?;
    let page = match Uuid::try_parse(form.text("order")) {
        Ok(order) => format!("orders/{order}"),
        Err(_) => format!("withdrawals/{id}"),
    };
    Ok(sent.next(format_args!("{page}/?done=withdrawal")))
}

/// Reads what a form decides, as the body of the route would say it.
fn decision_of(form: &ConsoleForm, action: &str) -> ApiResult<DecisionRequest> {
    let mut body = Map::new();
    let decision = match action {
        "accept" => "accept",
        // An amount that is left empty must not pay everything back.
        "part" if form.text("amount").is_empty() => {
            return Err(ApiError::invalid("amount", "is required"));
        }
        "part" => "accept",
        "refuse" => "refuse",
        _ => return Err(ApiError::NotFound("Form")),
    };
    body.insert("decision".to_owned(), json!(decision));
    if action == "part" {
        body.insert("amount".to_owned(), number(form, "amount")?);
    }
    if !form.text("reason").is_empty() {
        body.insert("reason".to_owned(), json!(form.text("reason")));
    }
    Fields::read_object(body.into(), "").map_err(ApiError::InvalidRequest)
}

/// A form about a mail, an enrollment, a dead letter or an endpoint, which need not belong to an order.
pub async fn other(sent: Sent) -> ApiResult<Redirect> {
    let Sent { commander, form, .. } = &sent;
    let (at, action) = (&commander.caller, sent.named("action"));
    let wanted = match action {
        "mails" => {
            let MailAgain { mail_id } = read(form, &["mail_id"])?;
            DeskAction::SendMail { mail_id }
        }
        "enrollments" => {
            let EnrollmentAgain { enrollment_id } = read(form, &["enrollment_id"])?;
            DeskAction::RetryEnrollment { enrollment_id: EnrollmentId(enrollment_id) }
        }
        "dead-letters" => {
            let DecidedLetter { message_id, decision } = read(form, &["message_id", "decision"])?;
            DeskAction::DecideDeadLetter { message_id, decision }
        }
        "endpoints" => {
            let NamedEndpoint { endpoint_id } = read(form, &["endpoint_id"])?;
            DeskAction::EnableEndpoint { endpoint_id }
        }
        "deliveries" => {
            let body = given(form, &["endpoint_id", "event_id"]).into();
            let again: EventAgain = Fields::read_object(body, "").map_err(ApiError::InvalidRequest)?;
            again.action()
        }
        _ => return Err(ApiError::NotFound("Form")),
    };
    act::act(commander, &at.desk, wanted, None).await?;
    let is_batch = action == "deliveries" && form.text("event_id").is_empty();
    let done = if is_batch { "deliveries-failed" } else { action };
    Ok(match (Uuid::try_parse(form.text("order")), action) {
        (Ok(order), _) => sent.next(format_args!("orders/{order}/?done={done}")),
        (Err(_), "endpoints" | "deliveries") => sent.next(format_args!("events/?done={done}")),
        (Err(_), _) => sent.next(format_args!("?done={done}")),
    })
}

/// The forms of the page of the staff.
pub async fn staff(sent: Sent) -> ApiResult<Redirect> {
    let Sent { commander, form, .. } = &sent;
    let at = &commander.caller;
    let email =
        Email::parse(form.text("email")).map_err(|error| ApiError::invalid("email", error.to_string()))?;
    let wanted = match sent.named("action") {
        "set" => DeskAction::SetStaff { email, roles: roles(form)? },
        "remove" => DeskAction::RemoveStaff { email },
        _ => return Err(ApiError::NotFound("Form")),
    };
    act::act(commander, &at.desk, wanted, None).await?;
    Ok(sent.next(format_args!("staff/?done=staff")))
}

fn roles(form: &ConsoleForm) -> ApiResult<Vec<Role>> {
    let roles: Vec<Role> = form.all("roles").filter_map(|name| name.parse().ok()).collect();
    if roles.is_empty() {
        return Err(ApiError::InvalidRequest(vec![FieldError::new("roles", "must name at least one role")]));
    }
    Ok(roles)
}
