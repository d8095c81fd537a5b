//! Mollie: buyers pay on its own page.

use super::{Profile, Style};

pub const PROFILE: Profile =
    Profile { style: Style::Redirect, script: None, has_subscriptions: true, has_billing_portal: false };
