//! Commands with which a trusted partner grants and removes enrollments.

use serde::{Deserialize, Serialize};
use texts::Language;
use uuid::Uuid;

use super::Idempotency;
use crate::course_mode::CourseMode;
use crate::email::Email;
use crate::words::EnrollmentOutcome;

/// Grants a course to an address, at once or when it registers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GrantEnrollment {
    pub email: Email,
    pub course_id: Uuid,
    pub mode: CourseMode,
    /// In which an address without an account is invited; None: as the worker knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    pub idempotency: Option<Idempotency>,
}

/// Removes an address's enrollment or pending grant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RemoveEnrollment {
    pub email: Email,
    pub course_id: Uuid,
    pub idempotency: Option<Idempotency>,
}

/// The outcome of a grant or a removal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnrollmentAnswer {
    pub enrollment_state: EnrollmentOutcome,
    /// Reason why the course platform refused the enrollment for good, if it did so before the worker answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform_refusal: Option<String>,
    /// Indicates whether it is unknown if the address has an account: the course platform has not said so in time, and
    /// there is no record.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unresolved: bool,
}
