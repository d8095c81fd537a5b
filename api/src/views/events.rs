//! JSON of the feed of events.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use shared::event::{EventBody, UnreadableEvent};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::openapi::schemas;
use crate::queries::events::StoredEvent;
use crate::views::documents::DocumentBody;
use crate::words;
use shared::course_mode::CourseMode;
use shared::withdrawal::Agreed;

#[derive(Debug, Serialize, ToSchema)]
pub struct EventPage {
    /// Oldest first.
    pub events: Vec<FeedEvent>,
    /// Value of `after` with which to continue, also when nothing is left.
    pub next: String,
    /// Indicates whether more events are there now.
    pub has_more: bool,
}

/// Something that has happened to an order or an enrollment.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Event)]
pub struct FeedEvent {
    /// The same as the header `webhook-id` of its delivery.
    id: Uuid,
    #[serde(rename = "type")]
    #[schema(value_type = schemas::EventType)]
    kind: String,
    timestamp: DateTime<Utc>,
    #[schema(value_type = EventData)]
    data: Map<String, Value>,
}

impl TryFrom<StoredEvent> for FeedEvent {
    type Error = UnreadableEvent;

    fn try_from(stored: StoredEvent) -> Result<Self, UnreadableEvent> {
        let StoredEvent { id, kind, at, organisation, email, data, .. } = stored;
        let EventBody { kind, timestamp, data } = EventBody::new(kind, at, organisation, email, data)?;
        Ok(Self { id, kind, timestamp, data })
    }
}

/// Data of an event, by type.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
// Triggers of the schema write the data, and the feed passes it on as it is: what reads it again could only lose some.
#[expect(dead_code, reason = "describes what the triggers of the schema write")]
enum EventData {
    Order(OrderEvent),
    Money(MoneyEvent),
    Withdrawal(WithdrawalEvent),
    Document(Box<DocumentEvent>),
    Enrollment(EnrollmentEvent),
    Moved(MovedEvent),
    Ended(EndedEvent),
    Mail(MailEvent),
}

/// The labels of an event's order.
#[derive(Serialize, ToSchema)]
struct OrderLabels {
    /// How the buyer's or the seller's own systems know the order; left out if the checkout named none.
    #[schema(nullable = false, max_length = 64, example = "PO-2026-0117")]
    reference: Option<String>,
    /// As the checkout gave it; left out if it gave none.
    #[schema(nullable = false, value_type = Option<schemas::Metadata>)]
    metadata: Option<BTreeMap<String, String>>,
}

/// Of `order.pending`, `order.closed`, `order.paid`, `order.fulfilled` and `order.overdue`.
#[derive(Serialize, ToSchema)]
struct OrderEvent {
    /// The organisation's short name.
    organisation: String,
    cart_id: Uuid,
    #[schema(value_type = words::CartStatus)]
    status: String,
    #[schema(minimum = 0, example = 199)]
    total_price: f64,
    /// Only of `order.overdue`: amount that is still to be paid.
    #[schema(nullable = false, minimum = 0, example = 199)]
    open_amount: Option<f64>,
    /// Only of `order.overdue`: day on which the invoice was due.
    #[schema(nullable = false)]
    due_on: Option<NaiveDate>,
    #[schema(pattern = "^[A-Z]{3}$", example = "USD")]
    currency: String,
    /// Left out if the buyer has no right of withdrawal by the organisation's terms.
    #[schema(nullable = false)]
    consents: Option<Agreed>,
    /// The order's: a tag of BCP 47. Events from before version 1.1 have none.
    #[schema(max_length = 35, example = "pt-BR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(flatten)]
    #[schema(inline)]
    labels: OrderLabels,
}

/// Of `order.refunded`, `order.refund_failed` and `order.disputed`.
#[derive(Serialize, ToSchema)]
struct MoneyEvent {
    /// The organisation's short name.
    organisation: String,
    cart_id: Uuid,
    #[schema(value_type = words::CartStatus)]
    status: String,
    /// Null for a dispute.
    refund_id: Option<Uuid>,
    /// Of the refund or the dispute.
    #[schema(minimum = 0, example = 49.99)]
    amount: f64,
    /// All that the provider has accepted to refund of the order.
    #[schema(minimum = 0, example = 49.99)]
    refunded_amount: f64,
    #[schema(pattern = "^[A-Z]{3}$", example = "USD")]
    currency: String,
    /// The order's: a tag of BCP 47. Events from before version 1.1 have none.
    #[schema(max_length = 35, example = "pt-BR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(flatten)]
    #[schema(inline)]
    labels: OrderLabels,
}

/// Of `order.withdrawn`: a withdrawal was declared, accepted or refused.
#[derive(Serialize, ToSchema)]
struct WithdrawalEvent {
    /// The organisation's short name.
    organisation: String,
    cart_id: Uuid,
    #[schema(value_type = words::CartStatus)]
    status: String,
    withdrawal_id: Uuid,
    withdrawal_status: words::WithdrawalStatus,
    /// The positions of its lines; null if the order was bought under another address than the declared one.
    items: Option<Vec<u32>>,
    declared_at: DateTime<Utc>,
    /// The refund of an accepted one; null otherwise, and if there was nothing to pay back.
    refund_id: Option<Uuid>,
}

/// Of `document.requested`, `document.issued` and `document.cancelled`: another system has to clear or to issue an invoice or a credit
/// note, the order has it, or it was taken back where it had been issued.
#[derive(Serialize, ToSchema)]
struct DocumentEvent {
    /// The organisation's short name.
    organisation: String,
    cart_id: Uuid,
    document_id: Uuid,
    /// Null as long as another program has not issued it under its own number.
    #[schema(max_length = 64, example = "NW26-000001")]
    number: Option<String>,
    #[schema(value_type = words::DocumentKind)]
    kind: String,
    /// The number of the invoice that a credit note takes back, in whole or in part; null for an invoice.
    refers_to: Option<String>,
    /// The refund of a credit note; null for an invoice, and for the credit note of a corrected one.
    refund_id: Option<Uuid>,
    /// Amount of the document, which is not negative for a credit note either.
    #[schema(minimum = 0, example = 199)]
    total: f64,
    #[schema(pattern = "^[A-Z]{3}$", example = "USD")]
    currency: String,
    /// Only of `document.requested`: everything that it says. Left out after an erasure; the document's route has it still.
    #[schema(nullable = false)]
    document: Option<DocumentBody>,
    /// Only of `document.requested`: the same in UBL. Left out of a document without a form in EN 16931, and of one of another program.
    #[schema(nullable = false)]
    e_invoice: Option<String>,
    #[serde(flatten)]
    #[schema(inline)]
    labels: OrderLabels,
}

/// Of `enrollment.changed`.
#[derive(Serialize, ToSchema)]
struct EnrollmentEvent {
    /// The short name of the organisation whose course it is.
    organisation: String,
    email: String,
    course_id: Uuid,
    openedx_course_id: String,
    #[schema(value_type = CourseMode)]
    mode: String,
    #[schema(value_type = schemas::ChangedEnrollment)]
    enrollment_state: String,
    #[schema(value_type = words::PlatformState)]
    platform_state: String,
    /// Reason why the course platform refused; null unless it did.
    reason: Option<String>,
    /// Grows with each event of the enrollment: the one with the highest version is the newest.
    #[schema(minimum = 1)]
    version: i32,
}

/// Of `enrollment.ended`: the time of access that an order has given is up.
#[derive(Serialize, ToSchema)]
struct EndedEvent {
    /// The short name of the organisation whose course it is.
    organisation: String,
    email: String,
    cart_id: Uuid,
    course_id: Uuid,
    openedx_course_id: String,
    /// The mode that has ended. The enrollment keeps the best of its others.
    #[schema(value_type = CourseMode)]
    mode: String,
    ends_at: DateTime<Utc>,
}

/// Of `mail.bounced`: the mail server refused a mail, it came back, its reader marked it as spam, or it was not sent because an earlier one
/// to the address had failed so.
#[derive(Serialize, ToSchema)]
struct MailEvent {
    /// The organisation's short name.
    organisation: String,
    mail_id: Uuid,
    /// The kind of the mail.
    #[schema(example = "registration_invitation")]
    mail: String,
    /// The order that it is about; null for a mail about a pool, and for invitations.
    cart_id: Option<Uuid>,
    /// The pool of seats that it is about.
    voucher_id: Option<Uuid>,
    /// Without an address.
    #[schema(example = "the address does not exist (550 5.1.1)")]
    reason: String,
}

/// Of `enrollment.moved`: a line of an order gives its access to another course or another person.
#[derive(Serialize, ToSchema)]
struct MovedEvent {
    /// The organisation's short name.
    organisation: String,
    /// The person who has the access now.
    email: String,
    cart_id: Uuid,
    /// The line, counted from 0.
    #[schema(minimum = 0)]
    position: i32,
    /// The course to which the line gives access now.
    course_id: Uuid,
    openedx_course_id: String,
    #[schema(value_type = CourseMode)]
    mode: String,
    /// The course whose access has ended; the same for another person.
    from_course_id: Uuid,
    from_openedx_course_id: String,
    to_person: bool,
}
