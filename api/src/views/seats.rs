//! JSON of pools of seats.

use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::email::Email;
use shared::messages::{ItemKind, RemindedSeats, RevokedSeats};
use utoipa::ToSchema;
use uuid::Uuid;

use super::batches::BatchBody;
use super::envelope::Envelope;
use crate::queries::seats::{Pool, SeatAssignment};
use shared::course_mode::CourseMode;

/// Seats in one course or program, which are paid for and given to others.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SeatPool)]
pub struct PoolBody {
    voucher_id: Uuid,
    /// Each address can take one seat with it, as the `voucher` of a checkout of the item.
    #[schema(example = "7K3QW9ZX4M2T")]
    code: String,
    item: SeatedItem,
    /// The order that paid for them; null if they were paid elsewhere.
    cart_id: Option<Uuid>,
    #[schema(minimum = 0)]
    seats: i32,
    /// Those that are taken, also by addresses that have not registered.
    #[schema(minimum = 0)]
    used: i32,
    #[schema(minimum = 0)]
    left: i32,
    /// Null: no end.
    valid_until: Option<DateTime<Utc>>,
    /// Days of access that a seat gives, after the day on which it begins. Left out: as the mode says, or without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 36500)]
    access_days: Option<i32>,
    /// When the access of a seat ends at the latest. Left out: as the mode says, or without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    access_until: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

/// Item that a seat gives access to.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeatedItem {
    r#type: ItemKind,
    id: Uuid,
    name: String,
    #[schema(value_type = CourseMode)]
    mode: String,
}

/// Pools of seats, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeatPools {
    pools: Vec<PoolBody>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// A pool with a page of who has its seats; or, for `batch_id`, with the progress of that batch of addresses.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum SeatPoolDetail {
    Assigned(SeatPoolAssignments),
    Assigning(SeatPoolBatch),
}

/// A pool with a page of who has its seats.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeatPoolAssignments {
    #[serde(flatten)]
    pool: PoolBody,
    /// Newest first.
    assignments: Vec<SeatAssignment>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// A pool with the progress of a batch of addresses.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeatPoolBatch {
    #[serde(flatten)]
    pool: PoolBody,
    batch: BatchBody,
}

/// Outcome for the addresses whose seats were taken back.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeatsRevoked {
    revoked: Vec<SeatRevoked>,
    /// Those that have no seat of the pool.
    not_found: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SeatRevoked {
    email: String,
    /// Indicates whether the seat can be given out again: its address had not registered.
    freed: bool,
}

/// Outcome for the addresses to be reminded.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeatsReminded {
    /// Each gets a mail.
    reminded: Vec<String>,
    /// Addresses that get none: they have no seat waiting for a registration, or are among `too_recent`.
    skipped: Vec<String>,
    /// Those of `skipped` that wait, and got a mail about their seat, or three invitations, within a day.
    too_recent: Vec<String>,
}

impl From<Pool> for PoolBody {
    fn from(pool: Pool) -> Self {
        let item = SeatedItem { r#type: pool.kind, id: pool.item, name: pool.name, mode: pool.mode };
        Self {
            voucher_id: pool.id.into(),
            code: pool.code,
            item,
            cart_id: pool.cart_id.map(Into::into),
            seats: pool.seats,
            used: pool.used,
            left: pool.seats - pool.used,
            valid_until: pool.valid_until,
            access_days: pool.access.days,
            access_until: pool.access.until,
            created_at: pool.created_at,
        }
    }
}

impl SeatPools {
    pub fn new(pools: Vec<Pool>, envelope: Envelope) -> Self {
        Self { pools: pools.into_iter().map(PoolBody::from).collect(), envelope }
    }
}

impl SeatPoolDetail {
    pub fn assigned(pool: Pool, assignments: Vec<SeatAssignment>, envelope: Envelope) -> Self {
        Self::Assigned(SeatPoolAssignments { pool: pool.into(), assignments, envelope })
    }

    pub fn assigning(pool: Pool, batch: BatchBody) -> Self {
        Self::Assigning(SeatPoolBatch { pool: pool.into(), batch })
    }
}

impl From<RevokedSeats> for SeatsRevoked {
    fn from(answer: RevokedSeats) -> Self {
        let revoked = answer.revoked.into_iter();
        Self {
            revoked: revoked.map(|(email, freed)| SeatRevoked { email: text(&email), freed }).collect(),
            not_found: answer.not_found.into_iter().map(|email| text(&email)).collect(),
        }
    }
}

impl From<RemindedSeats> for SeatsReminded {
    fn from(answer: RemindedSeats) -> Self {
        Self {
            reminded: answer.reminded.iter().map(text).collect(),
            skipped: answer.skipped.iter().map(text).collect(),
            too_recent: answer.too_recent.iter().map(text).collect(),
        }
    }
}

fn text(email: &Email) -> String {
    email.as_str().to_owned()
}
