//! The support desk: what an organisation's staff and tools do there.

use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{CallerKey, Idempotency, KeyOf};
use crate::course_mode::CourseMode;
use crate::dated_price::DatedPrice;
use crate::email::Email;
use crate::ids::{CartId, EnrollmentId, OrganisationId};
use crate::organisation_key::KeyId;
use crate::staff::Role;

/// A person who acts as a member of an organisation's staff. The worker checks that they are, and their role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaffMember {
    /// The platform's user id.
    pub user_id: i64,
    pub organisation_id: OrganisationId,
}

/// Caller at the support desk; the api has verified it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeskCaller {
    /// One of the organisation's tools, with a key of this organisation.
    Key {
        id: KeyId,
        organisation_id: OrganisationId,
    },
    Staff(StaffMember),
}

/// Does something at the support desk of the caller's organisation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ActAtDesk {
    pub caller: DeskCaller,
    pub action: DeskAction,
    pub idempotency: Option<Idempotency>,
}

/// Action at the support desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeskAction {
    /// Sends the receipt of a paid order again, with its invoice.
    SendReceipt {
        cart_id: CartId,
    },
    /// Sends the invitation to what an order has reserved for an address without an account again.
    SendInvitation {
        cart_id: CartId,
    },
    /// Sends a mail that the mail server has refused.
    SendMail {
        mail_id: Uuid,
    },
    /// Gives a guest's order to another address.
    CorrectAddress {
        cart_id: CartId,
        email: Email,
    },
    /// Asks the course platform again for an enrollment that it has refused.
    RetryEnrollment {
        enrollment_id: EnrollmentId,
    },
    /// Closes the alert about an order's payment, after a person has acted on it.
    CloseAlert {
        cart_id: CartId,
        reason: String,
    },
    /// Replays or drops a dead letter that concerns the organisation.
    DecideDeadLetter {
        message_id: Uuid,
        decision: LetterDecision,
    },
    /// Sends events to a disabled endpoint again, also those that it has missed.
    EnableEndpoint {
        endpoint_id: Uuid,
    },
    /// Sends an event to an endpoint again.
    SendEvent {
        endpoint_id: Uuid,
        event_id: Uuid,
    },
    /// Sends an endpoint all events again whose deliveries have failed.
    SendFailedEvents {
        endpoint_id: Uuid,
    },
    /// Refuses what the support asks of finance: an invoice whose tax would be paid back.
    RefuseInvoice {
        cart_id: CartId,
    },
    /// Closes the books of a month that is over, with all months before.
    CloseMonth {
        /// The first day of the month.
        month: NaiveDate,
    },
    /// Changes what buyers see of a course, or the price of one of its modes.
    ChangeCourse(CourseChanges),
    /// Offers an address the next place in a course for which it waits.
    PutFirst {
        openedx_course_id: String,
        email: Email,
    },
    /// Changes the roles of a member of the staff, or adds a person with an account to it.
    SetStaff {
        email: Email,
        roles: Vec<Role>,
    },
    RemoveStaff {
        email: Email,
    },
}

/// Sets up an endpoint for the events of the caller's organisation, renews its secret or removes it. No idempotency key keeps the
/// answer: a secret is stored sealed and nowhere else.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeepEndpoint {
    pub caller: DeskCaller,
    pub change: EndpointChange,
}

/// Change of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointChange {
    /// Sends events of these types to a URL; all types if there are none. For a URL that is set already, changes the types.
    Set {
        url: String,
        types: Vec<String>,
    },
    /// Makes a new secret; the former one signs beside it for a day.
    Rotate {
        endpoint_id: Uuid,
    },
    Remove {
        endpoint_id: Uuid,
    },
}

/// An endpoint after its change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptEndpoint {
    pub endpoint_id: Uuid,
    /// The new secret, if there is one. It can be shown this once.
    pub secret: Option<String>,
}

impl KeepEndpoint {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.caller.key_to_check()
    }
}

/// Changes of one course. What is None stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CourseChanges {
    pub openedx_course_id: String,
    pub is_published: Option<bool>,
    /// Indicates whether no list shows it.
    pub hidden: Option<bool>,
    /// The mode that `price`, `dated_prices` and `visible` are for.
    pub mode: Option<CourseMode>,
    /// In major units of the mode's currency.
    pub price: Option<Decimal>,
    /// All dated prices that the mode then has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dated_prices: Option<Vec<DatedPrice>>,
    pub visible: Option<bool>,
}

/// Decision about a dead letter.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::EnumString, strum::VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DeadLetterDecision))]
pub enum LetterDecision {
    /// Sends the message again, as if it were new.
    Replay,
    /// Deletes the message for good.
    Drop,
}

impl DeskAction {
    /// The role that it needs.
    pub fn role(&self) -> Role {
        match self {
            Self::SendReceipt { .. }
            | Self::SendInvitation { .. }
            | Self::SendMail { .. }
            | Self::CorrectAddress { .. }
            | Self::RetryEnrollment { .. }
            | Self::CloseAlert { .. } => Role::Support,
            Self::RefuseInvoice { .. } | Self::CloseMonth { .. } => Role::Finance,
            Self::DecideDeadLetter { .. }
            | Self::EnableEndpoint { .. }
            | Self::SendEvent { .. }
            | Self::SendFailedEvents { .. }
            | Self::ChangeCourse(_)
            | Self::PutFirst { .. }
            | Self::SetStaff { .. }
            | Self::RemoveStaff { .. } => Role::Manager,
        }
    }
}

impl DeskCaller {
    /// The organisation at whose desk the caller is.
    pub fn organisation_id(&self) -> OrganisationId {
        match self {
            Self::Key { organisation_id, .. } => *organisation_id,
            Self::Staff(staff) => staff.organisation_id,
        }
    }

    /// The key that the worker checks; None for a member of the staff, whose role it checks.
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        match *self {
            Self::Key { id, organisation_id } => {
                Some(CallerKey { id, of: KeyOf::Organisation(organisation_id) })
            }
            Self::Staff(_) => None,
        }
    }
}

impl ActAtDesk {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.caller.key_to_check()
    }
}
