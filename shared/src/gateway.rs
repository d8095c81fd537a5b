//! The payment gateways and their names. What differs by gateway is in the profiles of the worker and of the api.

use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Means by which an organisation takes money: a payment provider as this project connects it, or the organisation itself.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[derive(sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownGateway, parse_err_fn = unknown)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(description = "A payment gateway."))]
pub enum Gateway {
    /// Payment intents.
    Stripe,
    /// Payments on a page of its own.
    Mollie,
    /// Orders, paid on its checkout form.
    Razorpay,
    /// Razorpay's Malaysian brand: the same API, with separate accounts.
    Curlec,
    /// No provider: the organisation takes the money, for example as bank transfers, and reports it.
    External,
}

impl Gateway {
    /// Every gateway.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The gateways with a payment provider: an API that is called, and signed notifications.
    pub const PROVIDERS: &[Self] = &[Self::Stripe, Self::Mollie, Self::Razorpay, Self::Curlec];

    /// Returns whether a payment provider is behind it.
    pub fn has_provider(self) -> bool {
        self != Self::External
    }

    /// The name in messages, URLs and the database.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A text that names no gateway.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownGateway;

impl std::error::Error for UnknownGateway {}

impl fmt::Display for UnknownGateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Gateway::ALL.iter().map(|gateway| gateway.name()).collect();
        write!(f, "is none of {}", names.join(", "))
    }
}

fn unknown(_: &str) -> UnknownGateway {
    UnknownGateway
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gateway_but_the_organisation_itself_has_a_provider() {
        let with_provider: Vec<Gateway> =
            Gateway::ALL.iter().copied().filter(|gateway| gateway.has_provider()).collect();
        assert_eq!(with_provider, Gateway::PROVIDERS);
    }

    #[test]
    fn a_gateway_has_one_name_in_texts_and_in_json() {
        for gateway in Gateway::ALL {
            let name = gateway.name();
            assert_eq!((name.parse(), name), (Ok(*gateway), gateway.to_string().as_str()));
            assert_eq!(serde_json::to_value(gateway).unwrap(), name);
        }
        for unknown in ["", "Stripe", "paypal"] {
            assert_eq!(unknown.parse::<Gateway>(), Err(UnknownGateway));
        }
    }
}
