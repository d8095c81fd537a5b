//! The tasks of enrollments, registrations, mail and the catalog. Those of carts and payments are beside their commands.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};
use uuid::Uuid;

use super::{GiftNote, LineTax, PlannedGift};
use crate::access_period::AccessPeriod;
use crate::course_mode::CourseMode;
use crate::email::Email;
use crate::ids::{CartId, CourseKey, DocumentId, EnrollmentId, OrganisationId, RefundId, VoucherId};
use crate::money::Money;
use crate::smtp_reply::Reply;
use crate::withdrawal::Agreed;

/// Brings the course platform in line with the storefront's record of one enrollment, as of when the job runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SyncEnrollment {
    pub enrollment_id: EnrollmentId,
}

/// An unverified hint that an address has registered. The worker asks the course platform before it grants anything.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegistrationHint {
    pub email: Email,
}

/// An unverified hint that a learner's enrollment has changed at the course platform. The worker asks the platform before it
/// records anything.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EnrollmentHint {
    /// The platform's user id of the learner.
    pub user_id: i64,
    pub course: CourseKey,
    /// None if the learner is no longer enrolled.
    pub mode: Option<CourseMode>,
}

/// Asks the course platform whether an address has registered, and if so makes the grants that wait for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResolveRegistration {
    pub email: Email,
}

/// Sends one stored email.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SendEmail {
    pub mail_id: Uuid,
}

/// Records what became of emails that were sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportMails {
    pub reports: Vec<MailReport>,
}

/// What a mail service or a mail server says of one email.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailReport {
    pub mail_id: Uuid,
    pub fate: MailFate,
    /// The codes of a bounce, such as `550 5.1.1`, or the service's own word for it. Without an address.
    pub reason: String,
    /// Indicates whether no email can reach the address, as the reason stands.
    pub is_final: bool,
}

impl MailReport {
    /// Report of a mail that came back, with the reply of the server that did not take it, if one is quoted.
    pub fn bounced(mail_id: Uuid, reply: Option<Reply>) -> Self {
        let reason = reply.map_or_else(|| "it came back, for an unknown reason".to_owned(), Reply::explained);
        Self { mail_id, fate: MailFate::Bounced, reason, is_final: reply.is_some_and(Reply::is_of_address) }
    }

    /// Report of a mail that came back and whose address the service gives up; not if the reply is about something else.
    pub fn given_up(mail_id: Uuid, reply: Option<Reply>) -> Self {
        let bounced = Self::bounced(mail_id, reply);
        Self { is_final: bounced.is_final || !reply.is_some_and(Reply::is_specific), ..bounced }
    }

    /// Report of a mail that the service has withheld. `is_final`: because it sends none to the address.
    pub fn withheld(mail_id: Uuid, is_final: bool) -> Self {
        let reason = match is_final {
            true => "the mail service sends nothing to the address any more",
            false => "the mail service has not sent it",
        };
        Self { mail_id, fate: MailFate::Bounced, reason: reason.to_owned(), is_final }
    }

    /// Report of a mail that was put off or delivered.
    pub fn on_its_way(mail_id: Uuid, fate: MailFate) -> Self {
        Self { mail_id, fate, reason: String::new(), is_final: false }
    }

    /// Report of a mail that its reader has marked as spam.
    pub fn complained(mail_id: Uuid) -> Self {
        Self {
            mail_id,
            fate: MailFate::Complained,
            reason: "its reader has marked it as spam".to_owned(),
            is_final: true,
        }
    }
}

/// What became of an email, in the order in which reports count: an earlier word does not follow a later one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames, sqlx::Type,
)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum MailFate {
    /// A server has put it off, and tries again.
    Deferred,
    /// The recipient's server has taken it.
    Delivered,
    /// It came back, or was given up.
    Bounced,
    /// Its reader has marked it as spam.
    Complained,
}

/// The kind of an email and its values; the worker has a template for each kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "template", rename_all = "snake_case")]
pub enum Mail {
    /// Invites the address to register, because grants for these courses of the organisation wait for it, and those of
    /// others elsewhere.
    RegistrationInvitation { organisation_id: OrganisationId, courses: Vec<String>, elsewhere: Vec<Places> },
    /// Confirms that a cart has been paid and its courses are granted.
    Receipt(Box<Receipt>),
    /// Tells the buyer of an order that waits for a transfer how to pay it.
    TransferRequested(Box<Receipt>),
    /// Delivers an invoice or a credit note again, whose link had ended.
    DocumentAgain { organisation_id: OrganisationId, cart_id: CartId, document_id: DocumentId },
    /// Delivers the document that the mail about a payment or a refund went without: the invoice, or a refund's credit note.
    DocumentFollows { organisation_id: OrganisationId, cart_id: CartId, refund_id: Option<RefundId> },
    /// Tells the buyer that an order on account, and its invoice, were cancelled.
    InvoiceCancelled { organisation_id: OrganisationId, cart_id: CartId },
    /// Gives the buyer the invoice that takes the place of another one.
    InvoiceCorrected { organisation_id: OrganisationId, cart_id: CartId },
    /// Tells the buyer that a line of an order gives access to another course, or to another person.
    AccessMoved(AccessMoved),
    /// Tells a learner that access to a course ends soon, or has ended.
    AccessEnds(AccessEnds),
    /// Tells the buyer that money is on its way back.
    RefundIssued(RefundIssued),
    /// Gives a buyer the code of the seats that were bought.
    SeatsReady(SeatsReady),
    /// Tells an address of the seat that it was assigned.
    SeatAssigned(SeatAssigned),
    /// Acknowledges a declaration of withdrawal.
    WithdrawalReceived(Box<WithdrawalReceived>),
    /// Tells the buyer that a withdrawal was refused, and why.
    WithdrawalRefused(WithdrawalRefused),
    /// Asks an address whether it is to be on a waiting list, or tells it that it is.
    WaitingListed(WaitingListed),
    /// Offers a place to an address that has waited for it.
    PlaceOffered(PlaceOffered),
}

impl Mail {
    /// True if it goes to every address, also to one that an earlier mail did not reach: what confirms a contract on a durable medium (directive
    /// 2011/83/EU, article 8(7)), invoices, and what acknowledges a withdrawal (article 11a(4)).
    pub fn is_due_by_law(&self) -> bool {
        match self {
            Self::Receipt(_)
            | Self::TransferRequested(_)
            | Self::DocumentAgain { .. }
            | Self::DocumentFollows { .. }
            | Self::InvoiceCancelled { .. }
            | Self::InvoiceCorrected { .. }
            | Self::RefundIssued(_)
            | Self::WithdrawalReceived(_)
            | Self::WithdrawalRefused(_) => true,
            Self::RegistrationInvitation { .. }
            | Self::AccessMoved(_)
            | Self::AccessEnds(_)
            | Self::SeatsReady(_)
            | Self::SeatAssigned(_)
            | Self::WaitingListed(_)
            | Self::PlaceOffered(_) => false,
        }
    }
}

/// Courses of one organisation that wait for an address.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Places {
    /// The organisation's name.
    pub organisation: String,
    /// The names of the courses.
    pub courses: Vec<String>,
}

/// Items that were bought, and at which prices.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    pub organisation_id: OrganisationId,
    pub cart_id: CartId,
    pub paid_at: DateTime<Utc>,
    pub total: Money,
    /// The name of each cart line, and what was charged for it, without a tax on top.
    pub items: Vec<(String, Money)>,
    /// The seats of each item; None for a place for the buyer. Absent in mails from before version 1.1, whose names say it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<Option<i32>>,
    /// The period of access of each item. Absent if none has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<AccessPeriod>,
    /// The code of the voucher, and what it has taken off the prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voucher: Option<(String, Money)>,
    /// The tax that the prices contain, or that the total has beside them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax: Option<LineTax>,
    /// Consents that the buyer has given; None without a right of withdrawal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consents: Option<Agreed>,
    /// Terms of payment, if it is on account or waits for a transfer; None if it is paid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<PaymentDue>,
}

/// Terms of payment of an invoice: how and until when it is to be paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentDue {
    pub due_on: NaiveDate,
    /// The creditor reference of ISO 11649 that the buyer gives with the transfer.
    pub reference: String,
    /// The seller's account, a line each.
    pub bank_lines: Vec<String>,
    /// What is still to be paid; None: the total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<Money>,
}

/// Access that has moved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AccessMoved {
    pub organisation_id: OrganisationId,
    pub cart_id: CartId,
    /// The names of the courses; the same course if the access went to another person.
    pub from: String,
    pub to: String,
}

/// Access whose time is up, or will be soon.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AccessEnds {
    pub organisation_id: OrganisationId,
    /// The order that has given it.
    pub cart_id: CartId,
    /// The name of the course or program.
    pub name: String,
    /// With which it can be bought again: the program, or the course's key, and the mode.
    pub program_id: Option<Uuid>,
    pub openedx_course_id: String,
    pub mode: CourseMode,
    pub ends_at: DateTime<Utc>,
    pub is_over: bool,
    /// Indicates whether the learner has bought it; others got a seat, or a place that was given to them.
    pub is_buyer: bool,
}

/// An address on the waiting list of a course.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WaitingListed {
    pub organisation_id: OrganisationId,
    pub entry_id: Uuid,
    /// The name of the course.
    pub course: String,
    /// Indicates whether it waits already; otherwise the mail asks for a confirmation.
    pub is_confirmed: bool,
}

/// A place that is held for an address.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlaceOffered {
    pub organisation_id: OrganisationId,
    pub entry_id: Uuid,
    /// The name of the course.
    pub course: String,
    pub openedx_course_id: String,
    pub mode: CourseMode,
    /// The code with which this address, and no other, buys the place.
    pub code: String,
    pub until: DateTime<Utc>,
}

/// Items that were refunded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RefundIssued {
    pub organisation_id: OrganisationId,
    pub cart_id: CartId,
    pub refund_id: RefundId,
    pub amount: Money,
    /// The name of each refunded line, and its part of the amount.
    pub items: Vec<(String, Money)>,
}

/// Seats that are ready to be given out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeatsReady {
    pub organisation_id: OrganisationId,
    pub voucher_id: VoucherId,
    pub code: String,
    /// The name of the course or program.
    pub item: String,
    pub seats: i32,
    /// None unless the seat is a gift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gift: Option<PlannedGift>,
}

/// A seat that an address was assigned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeatAssigned {
    pub organisation_id: OrganisationId,
    /// Its pool; the mail names the pool's buyer.
    pub voucher_id: VoucherId,
    /// The name of the course or program.
    pub item: String,
    /// Indicates whether the address has an account; otherwise it is invited to create one.
    pub is_registered: bool,
    pub is_reminder: bool,
    /// None unless it is a gift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gift: Option<GiftNote>,
}

/// A declaration of withdrawal, as it is acknowledged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WithdrawalReceived {
    pub organisation_id: OrganisationId,
    pub cart_id: CartId,
    pub withdrawal_id: Uuid,
    pub email: Email,
    pub name: String,
    /// The names of its lines.
    pub items: Vec<String>,
    pub declared_at: DateTime<Utc>,
    /// Indicates whether something has shown that the buyer declares it; otherwise the holder of the address may object.
    pub is_proved: bool,
    /// Time when it is judged.
    pub judged_at: DateTime<Utc>,
}

/// A withdrawal that the organisation has refused.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WithdrawalRefused {
    pub organisation_id: OrganisationId,
    pub cart_id: CartId,
    pub reason: String,
    pub declared_at: DateTime<Utc>,
}

/// Mails a document again to the address of its order, because its link has ended. A task, because its sender must not learn which
/// documents exist.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MailDocument {
    pub document_id: DocumentId,
}

/// The catalog has changed, so caches of older generations are outdated.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CatalogChanged {
    pub generation: i64,
}

/// The course platform has published a new version of a course, and the catalog may need an update.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CourseChanged {
    pub course: CourseKey,
}

/// Sends an endpoint the events that are due.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeliverEvents {
    pub endpoint_id: Uuid,
    /// The endpoint's lease, which this message has. A message whose lease is over does nothing.
    pub lease_id: Uuid,
}
