//! Seats: the commands with which their buyer takes assigned ones back, and reminds addresses of them. A batch of addresses is
//! assigned with `SubmitBatch`.

use serde::{Deserialize, Serialize};

use super::{CallerKey, CallerStaff, Idempotency, KeyOf, StaffMember};
use crate::email::Email;
use crate::ids::VoucherId;
use crate::organisation_key::KeyId;
use crate::staff::Role;

/// Manager of a pool of seats; the api has verified it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatsCaller {
    /// The organisation's backend, by its key.
    Key(KeyId),
    /// A manager of the organisation.
    Staff(StaffMember),
    /// The learner who has the pool, by platform user id.
    Learner(i64),
    /// The holder of the link that was mailed to the pool's buyer.
    Link,
}

/// Takes assigned seats back. One whose address has not registered is free again; access that an address has ends, and its seat
/// stays spent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RevokeSeats {
    pub voucher_id: VoucherId,
    pub caller: SeatsCaller,
    pub emails: Vec<Email>,
    pub idempotency: Option<Idempotency>,
}

/// Outcome for the addresses of a [`RevokeSeats`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevokedSeats {
    /// Each with whether its seat is free again.
    pub revoked: Vec<(Email, bool)>,
    /// Those that have no seat of the pool.
    pub not_found: Vec<Email>,
}

/// Mails addresses that have not registered for their seats, at most once a day each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RemindSeats {
    pub voucher_id: VoucherId,
    pub caller: SeatsCaller,
    /// None: all of the pool.
    pub emails: Option<Vec<Email>>,
    pub idempotency: Option<Idempotency>,
}

/// Outcome for the addresses of a [`RemindSeats`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemindedSeats {
    pub reminded: Vec<Email>,
    /// Those that wait for no registration here, or are among `too_recent`.
    pub skipped: Vec<Email>,
    /// Those that wait, and got a mail about it, or three invitations, within a day. Absent in answers of the version before.
    #[serde(default)]
    pub too_recent: Vec<Email>,
}

impl RevokeSeats {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.caller.key(self.voucher_id)
    }

    pub(super) fn staff_to_check(&self) -> Option<CallerStaff> {
        self.caller.staff(self.voucher_id)
    }
}

impl RemindSeats {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.caller.key(self.voucher_id)
    }

    pub(super) fn staff_to_check(&self) -> Option<CallerStaff> {
        self.caller.staff(self.voucher_id)
    }
}

impl SeatsCaller {
    pub(super) fn key(self, pool: VoucherId) -> Option<CallerKey> {
        match self {
            Self::Key(id) => Some(CallerKey { id, of: KeyOf::Voucher(pool) }),
            Self::Staff(_) | Self::Learner(_) | Self::Link => None,
        }
    }

    pub(super) fn staff(self, pool: VoucherId) -> Option<CallerStaff> {
        match self {
            Self::Staff(member) => {
                Some(CallerStaff { member, role: Role::Manager, of: KeyOf::Voucher(pool) })
            }
            Self::Key(_) | Self::Learner(_) | Self::Link => None,
        }
    }
}
