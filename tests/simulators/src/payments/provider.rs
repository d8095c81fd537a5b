//! The providers, and the differences between them. Each provider's folder has its values; everything else reads them
//! here.

use std::sync::Arc;

use axum::{Router, response::Response};
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::{
    Payment,
    events::{Event, Happened},
    mollie,
    payouts::Fees,
    razorpay, stripe,
};
use crate::state::Simulation;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Provider {
    Stripe,
    Mollie,
    Razorpay,
    Curlec,
}

impl Provider {
    /// Every provider.
    pub const ALL: &[Self] = Self::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub(super) fn profile(self) -> &'static Profile {
        match self {
            Self::Stripe => &stripe::PROFILE,
            Self::Mollie => &mollie::PROFILE,
            Self::Razorpay => &razorpay::PROFILE,
            Self::Curlec => &razorpay::CURLEC,
        }
    }
}

/// Differences between a provider and the others.
pub struct Profile {
    pub demo: DemoAccount,
    /// Indicates whether an account has a key id and a key secret instead of one key.
    pub has_key_id: bool,
    /// The paths of its API and of its own pages.
    pub routes: fn(Provider) -> Router<Arc<Simulation>>,
    /// The script that a payment page loads.
    pub script: Option<Script>,
    pub style: Style,
    /// The beginning of a payment's id.
    pub payment_prefix: &'static str,
    /// A new id of a refund.
    pub refund_id: fn() -> String,
    /// A new id of a dispute.
    pub dispute_id: fn() -> String,
    /// Indicates whether a refund is queued at first, and can be cancelled until it is done.
    pub queues_refunds: bool,
    /// Indicates whether a dispute takes the money when it is opened, and not when it is lost.
    pub takes_disputed_money: bool,
    /// Indicates whether a dispute can be lost in part.
    pub decides_parts: bool,
    /// Indicates whether a bank can inquire before it disputes, and the decision on a dispute can be appealed against.
    pub has_appeals: bool,
    pub fees: Fees,
    /// The beginning of a payout's id.
    pub payout_prefix: &'static str,
    /// Indicates whether the money of a payout that has failed is a movement of the next one.
    pub returns_failed_payouts: bool,
    /// The request header with the idempotency key of a call.
    pub key_header: &'static str,
    /// The answer to a call under a key that a running call uses.
    pub key_in_use: fn() -> Response,
    /// The answer to a key whose first call failed at the provider itself; None if it does not remember failures.
    pub repeated_failure: Option<fn() -> Response>,
    /// Its webhooks about a change, in the order in which it sends them.
    pub events: fn(&Payment, &Happened) -> Vec<Event>,
    /// The name and the value of the header that signs a body with a secret, in this order of parameters. The code is
    /// independent of the api's verification.
    pub signature: fn(&str, &str) -> (&'static str, String),
}

/// The demo's account: an organisation of its catalog, and its keys.
pub struct DemoAccount {
    pub organisation: &'static str,
    pub key: &'static str,
    pub key_secret: &'static str,
}

/// A provider's script, much simplified.
pub struct Script {
    pub path: &'static str,
    pub text: &'static str,
}

/// The course of a payment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// An intent: the buyer can try again after a failed attempt, or one that was not paid in time.
    Intent,
    /// A payment on the provider's page, which ends with its first failure.
    Redirect,
    /// An order, which the buyer pays in one of several attempts.
    Order,
}
