//! Mollie: buyers pay on its own page.

use super::Profile;

pub const PROFILE: Profile = Profile { script: None, has_subscriptions: true, has_billing_portal: false };
