//! The closed sets of words that the database stores and both programs know: the worker writes them, the api shows them. A word that
//! only one of them knows does not compile. The table `allowed_moves` has the moves between states.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

/// Defines sets of words. In the database, in JSON and as text, each word is its name in snake case.
macro_rules! words {
    ($($(#[$about:meta])* $Set:ident { $($(#[$meaning:meta])* $Word:ident),+ $(,)? })+) => { $(
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            Serialize,
            Deserialize,
            Display,
            EnumString,
            IntoStaticStr,
            VariantNames,
            sqlx::Type,
        )]
        #[serde(rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case")]
        #[sqlx(type_name = "text", rename_all = "snake_case")]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        $(#[$about])*
        pub enum $Set { $($(#[$meaning])* $Word),+ }
    )+ };
}

words! {
    /// Progress of a cart. `held`: free, and waiting for its address to register. `paid`: the provider has the money,
    /// and access follows at once. `fulfilled`: access was given.
    CartStatus {
        Open,
        PendingPayment,
        Held,
        Paid,
        Fulfilled,
        Cancelled,
        Expired,
        Refunded,
    }

    DocumentKind {
        Invoice,
        CreditNote,
    }

    /// Status of an invoice or a credit note. `requested`: another system has to clear or to issue it. `refused`: it has refused to, and
    /// can still issue it. `cancelled`: it has taken back what it had issued. `replaced`: it is void for good,
    /// and another one was requested if the order still lacked it.
    DocumentStatus {
        Requested,
        Issued,
        Refused,
        Cancelled,
        Replaced,
    }

    /// The state of an address's enrollment in a course after a grant or a removal.
    #[cfg_attr(
        feature = "openapi",
        schema(as = RowResult, description = "Result of a row: a grant as for one address, or a removal.")
    )]
    EnrollmentOutcome {
        Enrolled,
        PendingRegistration,
        /// An enrollment was removed.
        Removed,
        /// A pending enrollment was cancelled.
        Cancelled,
        /// There was nothing to remove.
        None,
    }

    /// State of an enrollment's record.
    EnrollmentStatus {
        Enrolled,
        /// The address has no account at the course platform yet.
        PendingRegistration,
        /// No live grant is left.
        Removed,
    }

    /// Cause of a movement of money. Refunds and chargebacks are negative; a refund that failed and a chargeback that was
    /// reversed are positive again, and a line that was moved to another course or person has an amount of 0. Most providers take the
    /// money of a chargeback when its dispute is opened. Fees and payouts are negative, and concern no single order.
    MovementKind {
        Captured,
        Refunded,
        RefundFailed,
        Chargeback,
        ChargebackReversed,
        Moved,
        /// The provider's fees for what is in a payout.
        Fee,
        /// A payout to the bank, or one that has come back.
        Payout,
    }

    /// Kind of a movement in a payout. `fee`: billed apart from what it is for. `payout`: an earlier one that came back. `rounding`: what
    /// rounding the payout has changed. `other`: a word of the provider that is not known.
    PayoutMovementKind {
        Payment,
        Refund,
        Dispute,
        Fee,
        Payout,
        Rounding,
        Other,
    }

    /// Status of a payout. One that is paid can still fail, and one that has failed can be paid after all.
    PayoutStatus {
        Pending,
        Paid,
        Failed,
    }

    /// Agreement of the course platform with the record. `queued`: it has not been told yet. `refused`: it refused for good.
    PlatformState {
        Queued,
        Synced,
        Refused,
    }

    /// Progress of a refund. `asked`: the provider has not answered. `accepted`: the money is on its way.
    RefundStatus {
        Asked,
        Accepted,
        Succeeded,
        /// The provider refused it, or the bank sent the money back.
        Failed,
    }

    /// Status of a declaration of withdrawal. `unmatched`: the order is unknown, or was bought under another address. `refused` frees its
    /// lines, which can be declared again.
    WithdrawalStatus {
        Received,
        Unmatched,
        Accepted,
        Refused,
    }

    /// What shows that the buyer has declared a withdrawal: a learner's session, the link of the receipt, or nothing.
    WithdrawalProof {
        Session,
        Link,
        None,
    }
}

impl EnrollmentStatus {
    /// A granted enrollment is pending until its address belongs to a learner.
    pub fn granted(is_learners: bool) -> Self {
        if is_learners { Self::Enrolled } else { Self::PendingRegistration }
    }

    /// Returns whether it was granted to an address without an account.
    pub fn is_pending(self) -> bool {
        matches!(self, Self::PendingRegistration)
    }
}

impl From<EnrollmentStatus> for EnrollmentOutcome {
    fn from(status: EnrollmentStatus) -> Self {
        match status {
            EnrollmentStatus::Enrolled => Self::Enrolled,
            EnrollmentStatus::PendingRegistration => Self::PendingRegistration,
            EnrollmentStatus::Removed => Self::Removed,
        }
    }
}

impl WithdrawalStatus {
    /// Returns whether nothing is decided yet.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Received | Self::Unmatched)
    }
}
