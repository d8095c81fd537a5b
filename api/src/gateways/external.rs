//! No provider: buyers pay to the organisation's bank account.

use super::{Profile, Style};

pub const PROFILE: Profile =
    Profile { style: Style::Transfer, script: None, has_subscriptions: false, has_billing_portal: false };
