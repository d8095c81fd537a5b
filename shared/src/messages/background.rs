//! Messages that nobody waits for: what must follow a commit.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Message;
use crate::email::Email;
use crate::ids::CourseKey;
use crate::money::Money;

/// Makes the course platform agree with our record of one enrollment, as it is when the job runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SyncEnrollment {
    pub enrollment_id: Uuid,
}

/// Somebody says that an address has registered: a reason to ask the platform, and no proof of anything.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegistrationHint {
    pub email: Email,
}

/// Asks the platform about one address, and grants what waits for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResolveRegistration {
    pub email: Email,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SendEmail {
    pub to: Email,
    pub mail: Mail,
}

/// What a mail says; the worker has a template for each.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "template", rename_all = "snake_case")]
pub enum Mail {
    /// Courses wait for whoever registers with this address.
    RegistrationInvitation { organisation_id: Uuid, courses: Vec<String> },
    /// A cart has been paid, and its courses are granted.
    Receipt(Receipt),
}

/// What was bought, for which money.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    pub organisation_id: Uuid,
    pub cart_id: Uuid,
    pub paid_at: DateTime<Utc>,
    pub total: Money,
    /// Each line's name and price.
    pub items: Vec<(String, Money)>,
}

/// The catalog has changed: caches of older generations are of no use any more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CatalogChanged {
    pub generation: i64,
}

/// The platform has published a course anew: the catalog may have to follow.
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
    /// As it was called when it shared a queue with `SyncEnrollment`, which waits for the platform's limit.
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
