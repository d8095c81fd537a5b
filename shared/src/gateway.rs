//! The payment gateways and their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A payment provider, as this project connects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Gateway {
    /// Payment intents.
    Stripe,
    /// Payments on a page of its own.
    Mollie,
    /// Orders, paid on its checkout form.
    Razorpay,
    /// Razorpay's Malaysian brand: the same API, with separate accounts.
    Curlec,
}

impl Gateway {
    /// Every gateway.
    pub const ALL: [Gateway; 4] = [Gateway::Stripe, Gateway::Mollie, Gateway::Razorpay, Gateway::Curlec];

    /// The name in settings, messages and the database.
    pub fn name(self) -> &'static str {
        match self {
            Gateway::Stripe => "stripe",
            Gateway::Mollie => "mollie",
            Gateway::Razorpay => "razorpay",
            Gateway::Curlec => "curlec",
        }
    }
}

/// The text names no gateway.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not stripe, mollie, razorpay or curlec")]
pub struct UnknownGateway;

impl FromStr for Gateway {
    type Err = UnknownGateway;

    fn from_str(name: &str) -> Result<Self, UnknownGateway> {
        Self::ALL.into_iter().find(|gateway| gateway.name() == name).ok_or(UnknownGateway)
    }
}

impl fmt::Display for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
