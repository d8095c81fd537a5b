//! Locks that a transaction takes by name, and holds until it ends.

use std::fmt::{self, Display, Formatter};

use shared::email::Email;
use shared::ids::OrganisationId;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// Locks that a transaction can take, in the order in which it must: two that lock in different orders could deadlock.
pub enum Lock<'a> {
    /// Checkouts that could be the same or replace each other: a guest's by basket, a learner's (with `basket` None) by
    /// organisation.
    Attempts { buyer: String, organisation_id: OrganisationId, basket: Option<&'a [u8]> },
    /// The bank reference of money that an organisation has received: reports about two orders must see each other.
    BankReference(OrganisationId, &'a str),
    /// The learner with an address: no other transaction can store or erase one, or sell or grant to the address.
    Learner(&'a Email),
    /// The enrollment of an address in a course, with or without a learner.
    Enrollment(&'a Email, Uuid),
    /// The invitations of an address: transactions at the same moment must not all count the same ones.
    Invitations(&'a Email),
    /// The paid orders of a buyer: two that are fulfilled at the same moment must see each other.
    Paid(&'a str),
}

impl Display for Lock<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attempts { buyer, organisation_id, basket } => {
                write!(f, "{buyer} {organisation_id} {basket:?}")
            }
            Self::BankReference(organisation_id, reference) => {
                write!(f, "bank reference {organisation_id} {}", reference.to_lowercase())
            }
            Self::Learner(email) => write!(f, "learner {}", email.as_str()),
            Self::Enrollment(email, course_id) => write!(f, "enrollment {} {course_id}", email.as_str()),
            Self::Invitations(email) => write!(f, "invitation {}", email.as_str()),
            Self::Paid(buyer) => write!(f, "paid {buyer}"),
        }
    }
}

/// Takes locks in the given order.
///
/// # Errors
/// The database is unavailable, or another transaction holds a lock for too long.
pub async fn take(db: &mut PgConnection, locks: &[Lock<'_>]) -> JobResult<()> {
    let names: Vec<String> = locks.iter().map(Lock::to_string).collect();
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest($1::text[]) AS l (name)",
        &names
    )
    .execute(db)
    .await?;
    Ok(())
}
