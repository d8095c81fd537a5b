//! A provider's books: its payouts, and the movements in each. They have a circuit breaker of their own, so that their failures stop no
//! payment.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde_json::Value;
use shared::money::Currency;
use store::model::payout::{Movement, Payout};

use super::{Amounts, GatewayError, text, unreadable};

/// The books of one organisation's account.
#[async_trait]
pub trait Books: Send + Sync {
    /// A page of the payouts that were made at `since` or later, and perhaps of earlier ones, newest first.
    async fn payouts(
        &self,
        since: Option<DateTime<Utc>>,
        page: Option<&str>,
    ) -> Result<Page<Payout>, GatewayError>;

    /// A page of the movements in a payout.
    async fn movements(
        &self,
        payout: &PayoutPlace,
        page: Option<&str>,
    ) -> Result<Page<Movement>, GatewayError>;
}

/// Part of a list.
#[derive(Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Where the list continues, in the provider's words; None at its end.
    pub next: Option<String>,
}

/// A payout, to be found at its provider.
pub struct PayoutPlace {
    pub reference: String,
    pub made_at: DateTime<Utc>,
}

/// Converts the provider's subunits to minor units.
pub fn minor(amounts: &Amounts, subunits: i64, currency: Currency) -> Option<Decimal> {
    let major = Decimal::try_new(subunits, amounts.digits(currency)).ok()?;
    in_minor_units(major, currency)
}

/// Converts an amount of major units with any number of decimals to minor units.
pub fn in_minor_units(major: Decimal, currency: Currency) -> Option<Decimal> {
    let minor = major.checked_mul(Decimal::from(10_i64.checked_pow(currency.digits())?))?;
    Some(minor.normalize())
}

/// A time in seconds.
pub fn seconds(object: &Value, name: &str) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(object.get(name)?.as_i64()?, 0)
}

/// Reads a list in which each item must be readable.
pub fn all<T>(items: Option<&Value>, read: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>, GatewayError> {
    let items = items.and_then(Value::as_array).ok_or_else(|| unreadable("list"))?;
    let read = |item: &Value| {
        let name = || text(item, "/id").or_else(|| text(item, "/entity_id")).unwrap_or_default().to_owned();
        read(item).ok_or_else(|| unreadable(&format!("readable object {}", name())))
    };
    items.iter().map(read).collect()
}
