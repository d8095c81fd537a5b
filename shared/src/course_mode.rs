//! The course platform's enrollment modes, ordered by their value to a learner.

use serde::{Deserialize, Serialize};
use strum::VariantNames;

/// A mode slug of Open edX's `CourseMode`, declared from the least to the most valuable. If several active grants cover
/// the same course, the enrollment takes the most valuable mode.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[sqlx(type_name = "text", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownMode, parse_err_fn = UnknownMode::of)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(as = Mode, description = "An enrollment mode of the course platform.", examples("verified"))
)]
pub enum CourseMode {
    /// Free access, without a certificate.
    Audit,
    /// Free access with an honour-code certificate.
    Honor,
    /// A bootcamp seat that is not paid yet.
    UnpaidBootcamp,
    /// An executive education seat that is not paid yet.
    UnpaidExecutiveEducation,
    /// A certificate for a verified identity.
    Verified,
    /// Professional education without identity verification.
    NoIdProfessional,
    /// Professional education with identity verification.
    Professional,
    /// A paid bootcamp seat.
    PaidBootcamp,
    /// A paid executive education seat.
    PaidExecutiveEducation,
    /// Executive education.
    ExecutiveEducation,
    /// A certificate that earns academic credit.
    Credit,
    /// A master's degree track.
    Masters,
}

impl CourseMode {
    /// The mode's name on the course platform.
    pub fn slug(self) -> &'static str {
        self.into()
    }

    /// The slugs of all modes.
    pub fn slugs() -> impl Iterator<Item = &'static str> {
        Self::VARIANTS.iter().copied()
    }

    /// Every mode but audit leads to a certificate.
    pub fn has_certificate(self) -> bool {
        self != CourseMode::Audit
    }
}

/// A slug that names none of the modes.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a course mode")]
pub struct UnknownMode;

impl UnknownMode {
    fn of(_slug: &str) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slug_is_its_serde_name_and_parses_back() {
        for slug in CourseMode::slugs() {
            let mode: CourseMode = slug.parse().unwrap();
            assert_eq!((mode.slug(), serde_json::to_value(mode).unwrap()), (slug, slug.into()));
        }
        assert_eq!("Verified".parse::<CourseMode>(), Err(UnknownMode));
    }

    #[test]
    fn a_paid_mode_beats_audit() {
        assert!(CourseMode::Verified > CourseMode::Audit);
        assert!(CourseMode::Masters > CourseMode::Verified);
    }
}
