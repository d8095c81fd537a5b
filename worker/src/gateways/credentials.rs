//! An organisation's credentials for a gateway. Stored sealed, and never printed.

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use shared::gateway::Gateway;

use super::{BooksKey, profile};

/// The credentials as an operator enters them and as they are sealed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// Stripe's `sk_…`, Mollie's `live_…`, Razorpay's and Curlec's key secret.
    pub secret_key: SecretString,
    /// The key that pages may see: Stripe's `pk_…`, Razorpay's and Curlec's key id. Mollie has none.
    #[serde(default)]
    pub public_key: Option<String>,
    /// The key that reads payouts: Mollie's `access_…`, the organisation's token, without which its settlements are not read; for Stripe
    /// a restricted key in place of `secret_key`. Razorpay and Curlec have none.
    #[serde(default)]
    pub books_key: Option<SecretString>,
    /// Indicates whether the account may charge only buyers who give a billing address, by its contract or the law of its
    /// country.
    #[serde(default)]
    pub requires_billing_address: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum InvalidCredentials {
    #[error(
        "are not a JSON object with secret_key, public_key (if the gateway has one) and optionally books_key and \
         requires_billing_address"
    )]
    Shape,
    #[error("have an empty secret_key")]
    NoSecret,
    #[error("of {0} need a public_key")]
    NoPublicKey(Gateway),
    #[error("of {0} have a books_key that it has no use for, or an empty one")]
    BooksKey(Gateway),
    #[error("are not used by {0}: the organisation's record has its bank_transfer")]
    NoProvider(Gateway),
}

impl Credentials {
    /// Parses credentials and checks that they have the keys that the gateway needs.
    ///
    /// # Errors
    /// The fields that are missing. The error quotes nothing from the text.
    pub fn parse(gateway: Gateway, json: &str) -> Result<Self, InvalidCredentials> {
        if !gateway.has_provider() {
            return Err(InvalidCredentials::NoProvider(gateway));
        }
        let credentials: Self = serde_json::from_str(json).map_err(|_| InvalidCredentials::Shape)?;
        if credentials.secret_key.expose_secret().is_empty() {
            return Err(InvalidCredentials::NoSecret);
        }
        if profile(gateway).has_public_key && credentials.public_key.as_ref().is_none_or(String::is_empty) {
            return Err(InvalidCredentials::NoPublicKey(gateway));
        }
        if let Some(key) = &credentials.books_key {
            let provider = profile(gateway).provider.as_ref();
            let has_none = provider.is_none_or(|provider| provider.books_key == BooksKey::Same);
            if has_none || key.expose_secret().is_empty() {
                return Err(InvalidCredentials::BooksKey(gateway));
            }
        }
        Ok(credentials)
    }

    /// The credentials with the key that reads payouts; None if it is missing and the provider needs one.
    pub fn of_books(mut self, key: BooksKey) -> Option<Self> {
        match self.books_key.take() {
            Some(secret_key) => Some(Self { secret_key, ..self }),
            None => (key != BooksKey::Needed).then_some(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_hold_what_their_gateway_needs_and_errors_repeat_nothing() {
        let full = r#"{"secret_key":"sk_1","public_key":"pk_1"}"#;
        assert!(Credentials::parse(Gateway::External, full).is_err());
        for gateway in Gateway::PROVIDERS.iter().copied() {
            assert!(Credentials::parse(gateway, full).is_ok());
            let books = Credentials::parse(
                gateway,
                r#"{"secret_key":"sk_1","public_key":"pk_1","books_key":"sk_2"}"#,
            );
            let key = profile(gateway).provider.as_ref().unwrap().books_key;
            assert_eq!(books.is_err(), key == BooksKey::Same);
            assert_eq!(
                Credentials::parse(gateway, full).unwrap().of_books(key).is_none(),
                key == BooksKey::Needed
            );
            let alone = Credentials::parse(gateway, r#"{"secret_key":"sk_1"}"#);
            assert_eq!(alone.is_err(), profile(gateway).has_public_key);
            for bad in [
                "",
                "sk_1",
                "{}",
                r#"{"secret_key":""}"#,
                r#"{"secret_key":"sk_1","public_key":"pk_1","x":1}"#,
            ] {
                let error = Credentials::parse(gateway, bad).map(|_| ()).unwrap_err().to_string();
                assert!(!error.contains("sk_1"), "{error}");
            }
        }
    }
}
