//! The skus that the storefront gives the modes of courses at the course platform, whose links name a mode by its sku.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::course_mode::CourseMode;

/// End of a sku that buys seats for others.
const SEATS: &str = ".seats";

/// A sku of the storefront's own: `{course id}.{mode}`, with `.seats` at its end for seats. Every character of it passes
/// through a URL unchanged, because some pages of the platform do not encode it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sku {
    /// The course's id in the catalog.
    pub course_id: Uuid,
    /// The mode that it sells.
    pub mode: CourseMode,
    /// Indicates whether it buys seats for others.
    pub is_for_seats: bool,
}

impl fmt::Display for Sku {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = if self.is_for_seats { SEATS } else { "" };
        write!(f, "{}.{}{end}", self.course_id, self.mode)
    }
}

/// Error for a text that is not a sku of the storefront's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a sku of the storefront")]
pub struct ForeignSku;

impl FromStr for Sku {
    type Err = ForeignSku;

    fn from_str(text: &str) -> Result<Self, ForeignSku> {
        let (one, is_for_seats) = text.strip_suffix(SEATS).map_or((text, false), |one| (one, true));
        let (course_id, mode) = one.split_once('.').ok_or(ForeignSku)?;
        let course_id = course_id.parse().map_err(|_| ForeignSku)?;
        let mode = mode.parse().map_err(|_| ForeignSku)?;
        Ok(Self { course_id, mode, is_for_seats })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sku_is_read_as_it_was_written_and_needs_no_encoding() {
        let course_id = Uuid::from_u128(7);
        for (mode, is_for_seats) in [(CourseMode::NoIdProfessional, false), (CourseMode::Verified, true)] {
            let sku = Sku { course_id, mode, is_for_seats };
            let text = sku.to_string();
            assert_eq!(text.parse(), Ok(sku));
            let plain = url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            assert_eq!(plain, text);
        }
        for foreign in ["", "None", "8CF08E5", "00000000-0000-0000-0000-000000000007.gold"] {
            assert_eq!(foreign.parse::<Sku>(), Err(ForeignSku), "{foreign}");
        }
    }
}
