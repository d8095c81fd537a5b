//! Background messages: work that follows a commit and has no caller that waits for an answer.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Message;
use crate::email::Email;
use crate::ids::CourseKey;
use crate::money::Money;

/// Brings the course platform in line with the storefront's record of one enrollment, as of when the job runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SyncEnrollment {
    pub enrollment_id: Uuid,
}

/// An unverified hint that an address has registered. The worker asks the course platform before it grants anything.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegistrationHint {
    pub email: Email,
}

/// Asks the course platform whether an address has registered, and if so makes the grants that wait for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResolveRegistration {
    pub email: Email,
}

/// Sends one email.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SendEmail {
    pub to: Email,
    pub mail: Mail,
}

/// The kind of an email and its values; the worker has a template for each kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "template", rename_all = "snake_case")]
pub enum Mail {
    /// Invites the address to register, because grants for these courses wait for it.
    RegistrationInvitation { organisation_id: Uuid, courses: Vec<String> },
    /// Confirms that a cart has been paid and its courses are granted.
    Receipt(Receipt),
}

/// What was bought, and at which prices.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    pub organisation_id: Uuid,
    pub cart_id: Uuid,
    pub paid_at: DateTime<Utc>,
    pub total: Money,
    /// The name and price of each cart line.
    pub items: Vec<(String, Money)>,
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

impl SyncEnrollment {
    pub const KIND: &str = "platform.sync_enrollment.v1";
}

impl RegistrationHint {
    pub const KIND: &str = "registration.hint.v1";
}

impl ResolveRegistration {
    pub const KIND: &str = "registration.resolve.v1";
    /// The type's former name, from when it shared a queue with `SyncEnrollment` and had to wait for the rate limit of
    /// platform calls with it. Messages of that type may still be queued.
    pub const FORMER_KIND: &str = "platform.resolve_registration.v1";
}

impl SendEmail {
    pub const KIND: &str = "email.send.v1";
}

impl CatalogChanged {
    pub const KIND: &str = "catalog.changed.v1";
}

impl CourseChanged {
    pub const KIND: &str = "catalog.course_changed.v1";
}

impl From<SyncEnrollment> for Message {
    fn from(message: SyncEnrollment) -> Self {
        Self::SyncEnrollment(message)
    }
}

impl From<RegistrationHint> for Message {
    fn from(message: RegistrationHint) -> Self {
        Self::RegistrationHint(message)
    }
}

impl From<ResolveRegistration> for Message {
    fn from(message: ResolveRegistration) -> Self {
        Self::ResolveRegistration(message)
    }
}

impl From<SendEmail> for Message {
    fn from(message: SendEmail) -> Self {
        Self::SendEmail(message)
    }
}

impl From<CourseChanged> for Message {
    fn from(message: CourseChanged) -> Self {
        Self::CourseChanged(message)
    }
}

impl From<CatalogChanged> for Message {
    fn from(message: CatalogChanged) -> Self {
        Self::CatalogChanged(message)
    }
}
