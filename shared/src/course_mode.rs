//! The course platform's enrollment modes, ordered by their value to a learner.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A mode slug of Open edX's `CourseMode`, declared from the least to the most valuable. If several active grants cover
/// the same course, the enrollment takes the most valuable mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CourseMode {
    Audit,
    Honor,
    UnpaidBootcamp,
    UnpaidExecutiveEducation,
    Verified,
    NoIdProfessional,
    Professional,
    PaidBootcamp,
    PaidExecutiveEducation,
    ExecutiveEducation,
    Credit,
    Masters,
}

const SLUGS: [(CourseMode, &str); 12] = [
    (CourseMode::Audit, "audit"),
    (CourseMode::Honor, "honor"),
    (CourseMode::UnpaidBootcamp, "unpaid-bootcamp"),
    (CourseMode::UnpaidExecutiveEducation, "unpaid-executive-education"),
    (CourseMode::Verified, "verified"),
    (CourseMode::NoIdProfessional, "no-id-professional"),
    (CourseMode::Professional, "professional"),
    (CourseMode::PaidBootcamp, "paid-bootcamp"),
    (CourseMode::PaidExecutiveEducation, "paid-executive-education"),
    (CourseMode::ExecutiveEducation, "executive-education"),
    (CourseMode::Credit, "credit"),
    (CourseMode::Masters, "masters"),
];

impl CourseMode {
    /// The mode's name on the course platform.
    pub fn slug(self) -> &'static str {
        SLUGS.iter().find(|(mode, _)| *mode == self).map_or("", |(_, slug)| slug)
    }

    /// The slugs of all modes.
    pub fn slugs() -> impl Iterator<Item = &'static str> {
        SLUGS.into_iter().map(|(_, slug)| slug)
    }

    /// Every mode but audit leads to a certificate.
    pub fn has_certificate(self) -> bool {
        self != CourseMode::Audit
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a course mode")]
pub struct UnknownMode;

impl FromStr for CourseMode {
    type Err = UnknownMode;

    fn from_str(slug: &str) -> Result<Self, UnknownMode> {
        SLUGS.iter().find(|(_, known)| *known == slug).map(|(mode, _)| *mode).ok_or(UnknownMode)
    }
}

impl fmt::Display for CourseMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slug_is_its_serde_name_and_parses_back() {
        for (mode, slug) in SLUGS {
            assert_eq!(serde_json::to_value(mode).unwrap(), slug);
            assert_eq!(slug.parse(), Ok(mode));
        }
    }

    #[test]
    fn a_paid_mode_beats_audit() {
        assert!(CourseMode::Verified > CourseMode::Audit);
        assert!(CourseMode::Masters > CourseMode::Verified);
    }
}
