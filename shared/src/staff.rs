//! Roles of an organisation's staff at its support desk.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// Part of the support desk that a member of staff may use. Every role may search and look.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// Sends mails again, corrects addresses, retries enrollments, moves lines, closes alerts.
    Support,
    /// Refunds, and reads reports.
    Finance,
    /// Keeps vouchers, seats, batches, the catalog and endpoints, and the staff of the organisation.
    Manager,
}

impl Role {
    /// Every role.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The name on the command line and in the database.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The roles with these names; a name that is none is left out.
    pub fn parse_all(names: &[String]) -> Vec<Self> {
        names.iter().filter_map(|name| name.parse().ok()).collect()
    }
}
