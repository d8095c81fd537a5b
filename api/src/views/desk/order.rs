//! JSON of an order as the support desk sees it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use shared::gateway::Gateway;
use shared::messages::{BillingAddress, MailFate};
use shared::money::Amount;
use texts::Localizer;
use utoipa::ToSchema;
use uuid::Uuid;

use super::words;
use crate::queries::desk::order::{AccessRow, DisputeRow, InvoiceRequestRow, MailRow, MomentRow, PaymentRow};
use crate::queries::documents::DocumentStanding;
use crate::views::orders::OrderBody;
use crate::views::withdrawals::WithdrawalBody;

/// An order with all that is on record about it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportOrder {
    pub order: OrderBody,
    /// Null if there was nothing to pay.
    pub payment: Option<SupportPayment>,
    /// The invoice that the support asks of finance; null if it asks for none.
    pub invoice_request: Option<SupportInvoiceRequest>,
    /// Oldest first.
    pub disputes: Vec<SupportDispute>,
    /// Declarations of withdrawal, newest first.
    pub withdrawals: Vec<WithdrawalBody>,
    /// The access that the order has given, a row for each course.
    pub access: Vec<SupportAccess>,
    /// The mails that wait or have failed, and, where the mail service reports what became of them, those that were sent in the last days. All
    /// that were sent are in the timeline.
    pub mails: Vec<SupportMail>,
    /// The documents that another system clears or issues, oldest first.
    pub reported_documents: Vec<DocumentStanding>,
    /// What happened, oldest first.
    pub timeline: Vec<Moment>,
}

/// The payment of an order.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportPayment {
    #[schema(value_type = Gateway)]
    gateway: String,
    /// The provider's id of the payment; null before the provider was asked.
    reference: Option<String>,
    status: String,
    #[schema(value_type = f64, minimum = 0, example = 199)]
    amount: Amount,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    /// Why the payment needs a person, or null.
    alert: Option<String>,
    /// Since when the provider works on it, such as on a bank transfer.
    waiting_since: Option<DateTime<Utc>>,
    disputed_at: Option<DateTime<Utc>>,
}

/// A corrected invoice that the support asks of finance, as its tax is paid back to the buyer.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportInvoiceRequest {
    /// The buyer that it shall name.
    #[schema(value_type = BillingAddress)]
    billing_address: Value,
    asked_at: DateTime<Utc>,
}

/// A dispute of a payment at the buyer's bank.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportDispute {
    reference: String,
    status: String,
    #[schema(value_type = f64, minimum = 0, example = 199)]
    amount: Amount,
    /// Amount that it has taken back.
    #[schema(value_type = f64, minimum = 0, example = 0)]
    lost_amount: Amount,
    opened_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

/// Access to a course.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportAccess {
    enrollment_id: Uuid,
    course: String,
    openedx_course_id: String,
    email: String,
    status: String,
    mode: String,
    platform_state: String,
    /// The course platform's own reason, or null.
    platform_reason: Option<String>,
    granted_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
    ended_reason: Option<String>,
}

/// A mail.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportMail {
    mail_id: Uuid,
    template: Option<String>,
    email: String,
    created_at: DateTime<Utc>,
    /// When the mail server has refused it, or it came back or was marked as spam.
    failed_at: Option<DateTime<Utc>>,
    failed_reason: Option<String>,
    /// When the mail server has taken it; null if it has not.
    sent_at: Option<DateTime<Utc>>,
    /// What was reported of it since; null if nothing was.
    fate: Option<MailFate>,
}

/// One thing that happened.
#[derive(Debug, Serialize, ToSchema)]
pub struct Moment {
    at: DateTime<Utc>,
    /// What happened, in words.
    #[schema(example = "The payment arrived.")]
    words: String,
    /// Who did it, in words.
    #[schema(example = "the payment provider")]
    by: String,
    /// What the person wrote, or why it happened; null if nothing is on record.
    reason: Option<String>,
}

impl From<PaymentRow> for SupportPayment {
    fn from(row: PaymentRow) -> Self {
        Self {
            gateway: row.gateway,
            reference: row.reference,
            status: row.state,
            amount: Amount(row.amount),
            currency: row.amount.currency().code(),
            alert: row.alert,
            waiting_since: row.waiting_since,
            disputed_at: row.disputed_at,
        }
    }
}

impl From<InvoiceRequestRow> for SupportInvoiceRequest {
    fn from(row: InvoiceRequestRow) -> Self {
        Self { billing_address: row.billing_address, asked_at: row.asked_at }
    }
}

impl From<DisputeRow> for SupportDispute {
    fn from(row: DisputeRow) -> Self {
        Self {
            reference: row.reference,
            status: row.state,
            amount: Amount(row.amount),
            lost_amount: Amount(row.lost),
            opened_at: row.opened_at,
            updated_at: row.updated_at,
        }
    }
}

impl From<AccessRow> for SupportAccess {
    fn from(row: AccessRow) -> Self {
        Self {
            enrollment_id: row.enrollment_id.into(),
            course: row.course,
            openedx_course_id: row.openedx_course_id,
            email: row.email,
            status: row.state,
            mode: row.mode,
            platform_state: row.platform_state,
            platform_reason: row.platform_reason,
            granted_at: row.granted_at,
            ended_at: row.ended_at,
            ended_reason: row.ended_reason,
        }
    }
}

impl From<MailRow> for SupportMail {
    fn from(row: MailRow) -> Self {
        Self {
            mail_id: row.id,
            template: row.template,
            email: row.recipient,
            created_at: row.created_at,
            failed_at: row.failed_at,
            failed_reason: row.failed_reason,
            sent_at: row.sent_at,
            fate: row.fate,
        }
    }
}

impl Moment {
    pub fn new(row: &MomentRow, localizer: &Localizer<'_>) -> Self {
        Self {
            at: row.at,
            words: words::moment(row, localizer),
            by: words::actor(row, localizer),
            reason: words::reason(row),
        }
    }
}
