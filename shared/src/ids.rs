//! Identifiers: a type for each kind of record whose id travels through functions and messages, so that the compiler
//! refuses a cart's id where a refund's belongs; and the course platform's keys of course runs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use uuid::Uuid;

/// Defines identifiers that are a UUID in JSON, in URLs and in PostgreSQL.
macro_rules! ids {
    ($($(#[$doc:meta])+ $name:ident;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type)]
        #[serde(transparent)]
        #[sqlx(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new id, which sorts after earlier ones.
            pub fn generate() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                text.parse().map(Self)
            }
        }
    )+};
}

ids! {
    /// The id of an organisation.
    OrganisationId;
    /// The id of a learner.
    LearnerId;
    /// The id of a cart, which is the id of its order.
    CartId;
    /// The id of a voucher. A pool of seats has the id of its voucher.
    VoucherId;
    /// The id of a payment's transaction.
    TransactionId;
    /// The id of a refund.
    RefundId;
    /// The id of the enrollment of a learner, or of an address, in a course.
    EnrollmentId;
    /// The id of an invoice or a credit note.
    DocumentId;
}

/// A course run's key, `course-v1:ORG+COURSE+RUN`, at most 255 characters.
/// Branches, versions, libraries and the old slash form are refused: none of them names a course run that can be sold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct CourseKey(String);

/// The text is not the key of a course run.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a course key of the form course-v1:ORG+COURSE+RUN")]
pub struct InvalidCourseKey;

impl CourseKey {
    /// The key as the platform writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CourseKey {
    type Err = InvalidCourseKey;

    fn from_str(text: &str) -> Result<Self, InvalidCourseKey> {
        let rest = text.strip_prefix("course-v1:").ok_or(InvalidCourseKey)?;
        let parts: Vec<&str> = rest.split('+').collect();
        let is_part = |part: &&str| {
            // `\w` in the platform's own pattern, of Python, matches letters and numbers by their category: no combining marks.
            let is_word = |c: char| {
                matches!(
                    c.general_category_group(),
                    GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number
                )
            };
            !part.is_empty() && part.chars().all(|c| is_word(c) || "_-~.:".contains(c))
        };
        if parts.len() == 3 && parts.iter().all(is_part) && text.chars().count() <= 255 {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidCourseKey)
        }
    }
}

impl TryFrom<String> for CourseKey {
    type Error = InvalidCourseKey;

    fn try_from(text: String) -> Result<Self, InvalidCourseKey> {
        text.parse()
    }
}

impl fmt::Display for CourseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_the_platform_uses_are_accepted() {
        for key in [
            "course-v1:Org+Course+Run",
            "course-v1:O.r-g~1:x+C_1+R",
            "course-v1:Örg+C+R",
            "course-v1:日本+C²+Ⅷ",
            "course-v1:क+٤+ª",
        ] {
            assert_eq!(key.parse::<CourseKey>().unwrap().as_str(), key);
        }
    }

    #[test]
    fn other_keys_are_refused() {
        for key in [
            "course-v1:Org+C+R+branch@published",
            "edX/DemoX/Demo_Course",
            "library-v1:Org+Lib",
            "course-v1:Org+Course",
            "course-v1:Org Course+X+R",
            "course-v1:Org+C+R+",
            "course-v1:a+b+c\n",
            "course-v1:Org%2BC+C+R",
            "course-v1:Org+C+R/x",
            "edX/DemoX",
            "",
            // Combining marks, and a symbol that Unicode counts as alphabetic: refused by opaque-keys 4.0.0.
            "course-v1:गीता+C+1",
            "course-v1:Org\u{308}+C+R",
            "course-v1:Ⓐ+C+R",
        ] {
            assert_eq!(key.parse::<CourseKey>(), Err(InvalidCourseKey), "{key:?}");
        }
        assert!(format!("course-v1:O+C+{}", "x".repeat(250)).parse::<CourseKey>().is_err());
    }
}
