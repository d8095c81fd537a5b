//! The closed sets of words that the database stores and the interface shows. Queries parse them, views write them.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantNames};
use utoipa::ToSchema;

pub use shared::words::{
    CartStatus, DocumentKind, DocumentStatus, MovementKind, PayoutMovementKind, PayoutStatus, PlatformState,
    WithdrawalProof, WithdrawalStatus,
};

/// Progress of a learner's own cart: `pending_payment` once its payment was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LearnerCartStatus {
    Open,
    PendingPayment,
}

/// Progress of an order: as of a cart, without carts whose checkout has not begun.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Display, EnumString, IntoStaticStr, VariantNames, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OrderStatus {
    PendingPayment,
    Held,
    Paid,
    Fulfilled,
    Cancelled,
    Expired,
    Refunded,
}

impl From<OrderStatus> for CartStatus {
    fn from(status: OrderStatus) -> Self {
        match status {
            OrderStatus::PendingPayment => Self::PendingPayment,
            OrderStatus::Held => Self::Held,
            OrderStatus::Paid => Self::Paid,
            OrderStatus::Fulfilled => Self::Fulfilled,
            OrderStatus::Cancelled => Self::Cancelled,
            OrderStatus::Expired => Self::Expired,
            OrderStatus::Refunded => Self::Refunded,
        }
    }
}

/// Category of a tax, by its code in EN 16931. `S`: taxed. `E`: the seller's rate is 0, and its note says why. `Z`: the rate is 0
/// without a note. `AE`: reverse charge, the buyer declares the tax. `O`: outside the scope, as the place has no rate, or the
/// organisation charged no tax when the order was placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display, EnumString, ToSchema)]
pub enum TaxCategory {
    S,
    E,
    Z,
    #[serde(rename = "AE")]
    #[strum(serialize = "AE")]
    Ae,
    O,
}

/// Status of the delivery of an event. `given_up`: after the last attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStatus {
    Waiting,
    Delivered,
    GivenUp,
}

/// Status of a bought item's enrollment. `refused`: the course platform has refused it for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display, EnumString, IntoStaticStr, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ItemEnrollment {
    Enrolled,
    PendingRegistration,
    Removed,
    Refused,
}

/// The status of a granted enrollment. `pending_registration`: the address has no active account, or the course platform has not
/// said yet whether it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantState {
    Enrolled,
    PendingRegistration,
}

/// Result of a removal. `cancelled`: a grant that waited for its registration. `none`: there was nothing to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RemovalState {
    Removed,
    Cancelled,
    None,
}

/// Progress of a batch: whether rows are still waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BatchStatus {
    Running,
    Done,
}

/// Outcome of a row.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    EnumString,
    IntoStaticStr,
    VariantNames,
    sqlx::Type,
    ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum BatchRowStatus {
    Waiting,
    Done,
    Failed,
}

/// Deduction of a voucher: a percentage of each item, an amount of the basket, or, of the kind `seat`, the whole price
/// of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VoucherKind {
    Percent,
    Amount,
    Seat,
}

/// Status of a seat. `pending`: its address has not registered. `ended`: its access has ended, and the seat stays spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum SeatStatus {
    Pending,
    Enrolled,
    Ended,
}

/// Status of a voucher's use. `held`: its order waits for the payment. `released`: the order has ended unpaid, and the use
/// is free again. `late`: the order was paid after that; the discount is honoured, and the use is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum VoucherUseStatus {
    Held,
    Used,
    Released,
    Late,
}

/// Why something needs a person. `payment`: an alert about a payment. `notification`: a provider's notification that contradicts the
/// record. `access`: a paid order without access. `enrollment`: the course platform has refused it. `refund`: the provider has not
/// answered. `overdue`: an invoice on account, or the rest of a transfer, was not paid when it was due. `invoice`: the support asks finance
/// for an invoice whose tax is paid back. `withdrawal`: a declared withdrawal waits for a decision. `mail`: the mail server has refused it. `endpoint`: a receiver of
/// events that was disabled. `dead_letter`: a message that the worker could not process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, IntoStaticStr, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum AttentionKind {
    Payment,
    Notification,
    Access,
    Enrollment,
    Refund,
    /// A refund that the organisation pays itself.
    RefundToPay,
    Overdue,
    Invoice,
    /// A document that another system has not issued.
    Document,
    Withdrawal,
    Mail,
    Endpoint,
    DeadLetter,
}

/// The unit of a program's duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum DurationMetric {
    Hours,
    Days,
    Weeks,
    Months,
    Years,
}

/// Learners who may see a course's outline on the course platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CourseVisibility {
    Private,
    PublicOutline,
    Public,
}

/// Reason why an item cannot be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartialErrorCode {
    UnreadableItem,
}
