//! Money: integer minor units and an ISO 4217 currency. Floats appear only where amounts are written as JSON numbers.

use std::fmt;
use std::str::FromStr;

use rust_decimal::{Decimal, RoundingStrategy, prelude::ToPrimitive};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sqlx::Decode;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::PgRecordDecoder;
use sqlx::postgres::{PgValueRef, Postgres};

/// An ISO 4217 currency with a defined number of digits (0 for JPY), which gold and test codes lack. One that was stored may have
/// left the standard since: history keeps it, and [`Self::check`] refuses it for anything new.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(into = "String")]
pub struct Currency {
    code: &'static str,
    digits: u32,
}

/// Codes that ISO 4217 has withdrawn since there are course platforms, with their digits: those of its list one of 2026-01-01 that
/// earlier ones had. Only add to them, for orders of the past have them.
const WITHDRAWN: [(&str, u32); 6] = [("ANG", 2), ("BGN", 2), ("CUC", 2), ("HRK", 2), ("SLL", 2), ("ZWL", 2)];

/// Reason why a text or number is not money.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// ISO 4217 has no such code, or gives it no number of digits.
    #[error("is not an ISO 4217 currency code")]
    UnknownCurrency,
    /// ISO 4217 has withdrawn the code.
    #[error("is a currency that ISO 4217 has withdrawn")]
    WithdrawnCurrency,
    /// The text is not a decimal number.
    #[error("is not an amount of money")]
    NotAnAmount,
    /// The amount is below zero.
    #[error("is negative")]
    Negative,
    /// The amount is not a whole number of minor units.
    #[error("has more digits than its currency")]
    TooManyDigits,
    /// The amount exceeds 10^15 minor units.
    #[error("is too large")]
    TooLarge,
}

/// 10^15 minor units: a JSON number still represents this amount exactly.
const LARGEST_MINOR: i64 = 1_000_000_000_000_000;

impl Currency {
    /// The code of three letters, such as `USD`.
    pub fn code(self) -> &'static str {
        self.code
    }

    /// Digits after the point: 2 for USD, 0 for JPY, 3 for KWD.
    pub fn digits(self) -> u32 {
        self.digits
    }

    /// Reads a code as other systems write it, in any case: the course platform and Stripe have `usd`. Files and requests have
    /// the one form of [`FromStr`].
    ///
    /// # Errors
    /// As [`FromStr`].
    pub fn read(text: &str) -> Result<Self, MoneyError> {
        text.trim().to_ascii_uppercase().parse()
    }

    /// Checks that ISO 4217 still has the currency.
    ///
    /// # Errors
    /// `WithdrawnCurrency`.
    pub fn check(self) -> Result<(), MoneyError> {
        let is_past = WITHDRAWN.iter().any(|(code, _)| *code == self.code);
        if is_past { Err(MoneyError::WithdrawnCurrency) } else { Ok(()) }
    }
}

impl FromStr for Currency {
    type Err = MoneyError;

    fn from_str(code: &str) -> Result<Self, MoneyError> {
        // The library keeps some of them, and no others.
        if let Some((code, digits)) = WITHDRAWN.iter().copied().find(|(past, _)| *past == code) {
            return Ok(Self { code, digits });
        }
        let listed = iso_currency::Currency::from_code(code).ok_or(MoneyError::UnknownCurrency)?;
        let digits = listed.exponent().map(u32::from).ok_or(MoneyError::UnknownCurrency)?;
        Ok(Self { code: listed.code(), digits })
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.code().to_owned()
    }
}

impl<'r> Decode<'r, Postgres> for Currency {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(<&str as Decode<Postgres>>::decode(value)?.parse()?)
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// An amount that is never negative. Caches and messages hold its own JSON; the interface shows an [`Amount`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Money {
    minor: i64,
    currency: Currency,
}

impl Money {
    /// An amount in minor units, 4999 for 49.99 USD.
    ///
    /// # Errors
    /// `Negative`, or `TooLarge` above 10^15.
    pub fn from_minor(minor: i64, currency: Currency) -> Result<Self, MoneyError> {
        match minor {
            ..0 => Err(MoneyError::Negative),
            0..=LARGEST_MINOR => Ok(Self { minor, currency }),
            _ => Err(MoneyError::TooLarge),
        }
    }

    /// An amount in major units.
    ///
    /// # Errors
    /// `TooManyDigits` if it does not fit the currency's digits exactly, `Negative` or `TooLarge`.
    pub fn from_major(major: Decimal, currency: Currency) -> Result<Self, MoneyError> {
        let minor = scale(major, currency).ok_or(MoneyError::TooLarge)?;
        if minor != minor.trunc() {
            return Err(MoneyError::TooManyDigits);
        }
        Self::from_minor(minor.to_i64().ok_or(MoneyError::TooLarge)?, currency)
    }

    /// An amount in major units, rounded half-up to the currency's minor unit.
    ///
    /// # Errors
    /// `Negative` or `TooLarge`.
    pub fn rounded(major: Decimal, currency: Currency) -> Result<Self, MoneyError> {
        let minor = scale(major, currency).ok_or(MoneyError::TooLarge)?;
        let minor = minor.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
        Self::from_minor(minor.to_i64().ok_or(MoneyError::TooLarge)?, currency)
    }

    /// The amount in minor units: 4999 for 49.99 USD.
    pub fn minor(self) -> i64 {
        self.minor
    }

    /// Returns the currency of the amount.
    pub fn currency(self) -> Currency {
        self.currency
    }

    /// The amount in major units, with all the currency's digits.
    pub fn major(self) -> Decimal {
        Decimal::new(self.minor, self.currency.digits())
    }
}

/// Reads a pair of columns: the minor units as `bigint`, and the currency's code.
impl<'r> Decode<'r, Postgres> for Money {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        let mut pair = PgRecordDecoder::new(value)?;
        let (minor, currency) = (pair.try_decode()?, pair.try_decode::<String>()?);
        Ok(Self::from_minor(minor, currency.parse()?)?)
    }
}

/// Writes `49.99 USD`, with all the currency's digits.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.major(), self.currency)
    }
}

fn scale(major: Decimal, currency: Currency) -> Option<Decimal> {
    major.checked_mul(Decimal::from(10_i64.pow(currency.digits())))
}

/// Money as the interface shows it: a JSON number in major units (`49.99`, `5000` for JPY). The currency is in a
/// separate field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = f64))]
pub struct Amount(pub Money);

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_decimal(self.0.major(), serializer)
    }
}

/// An amount that may be negative, in major units with all the currency's digits. The interface shows it as an [`Amount`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balance(Decimal);

impl Balance {
    /// An amount in major units, rounded to the currency's digits.
    pub fn new(mut major: Decimal, currency: Currency) -> Self {
        major.rescale(currency.digits());
        Self(major)
    }
}

/// Reads a pair of columns, as [`Money`] does.
impl<'r> Decode<'r, Postgres> for Balance {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        let mut pair = PgRecordDecoder::new(value)?;
        let (minor, currency) = (pair.try_decode()?, pair.try_decode::<String>()?.parse::<Currency>()?);
        Ok(Self(Decimal::new(minor, currency.digits())))
    }
}

impl Serialize for Balance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_decimal(self.0, serializer)
    }
}

/// An amount with the digits of its currency, and further ones where it has them: what a provider states before it rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact(pub Decimal);

/// Reads a pair of columns: the minor units as `numeric`, and the currency's code.
impl<'r> Decode<'r, Postgres> for Exact {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        let mut pair = PgRecordDecoder::new(value)?;
        let (minor, currency) =
            (pair.try_decode::<Decimal>()?, pair.try_decode::<String>()?.parse::<Currency>()?);
        let mut major = (minor / Decimal::from(10_i64.pow(currency.digits()))).normalize();
        major.rescale(major.scale().max(currency.digits()));
        Ok(Self(major))
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_decimal(self.0, serializer)
    }
}

/// Writes a decimal as the shortest JSON number that reads back as the same value; in CSV, with all its digits.
///
/// # Errors
/// The serializer's own.
pub fn serialize_decimal<S: Serializer>(value: Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    if !serializer.is_human_readable() {
        return serializer.collect_str(&value);
    }
    let value = value.normalize();
    match value.to_i64() {
        Some(whole) if value.scale() == 0 => serializer.serialize_i64(whole),
        _ => serializer.serialize_f64(value.to_f64().unwrap_or_default()),
    }
}

/// Writes an optional decimal, as [`serialize_decimal`] does.
///
/// # Errors
/// The serializer's own.
pub fn serialize_optional_decimal<S: Serializer>(
    value: &Option<Decimal>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serialize_decimal(*value, serializer),
        None => serializer.serialize_none(),
    }
}

/// Reads a decimal that is a JSON number or a string, from its text, so that 49.99 does not become 49.9899….
///
/// # Errors
/// The value is no decimal number.
pub fn deserialize_decimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    let text = match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::Number(number) => number.to_string(),
        serde_json::Value::String(text) => text,
        other => return Err(D::Error::custom(format!("{other} is not a decimal number"))),
    };
    text.parse().map_err(|_| D::Error::custom(format!("{text:?} is not a decimal number")))
}

/// Decimals as JSON numbers that may be missing; strings are read, too.
pub mod optional_decimal {
    use rust_decimal::Decimal;
    use serde::{Deserialize, Deserializer};

    pub use super::serialize_optional_decimal as serialize;

    /// Reads a decimal as [`super::deserialize_decimal`] does, or null.
    ///
    /// # Errors
    /// The value is neither null nor a decimal number.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decimal>, D::Error> {
        #[derive(Deserialize)]
        struct Present(#[serde(deserialize_with = "super::deserialize_decimal")] Decimal);
        Ok(Option::<Present>::deserialize(deserializer)?.map(|present| present.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(minor: i64, code: &str) -> Money {
        Money::from_minor(minor, code.parse().unwrap()).unwrap()
    }

    #[test]
    fn amounts_are_json_numbers_with_at_most_the_currencys_digits() {
        let json = |m: Money| serde_json::to_string(&Amount(m)).unwrap();
        assert_eq!(json(money(4999, "USD")), "49.99");
        assert_eq!(json(money(4900, "USD")), "49");
        assert_eq!(json(money(4910, "USD")), "49.1");
        assert_eq!(json(money(5000, "JPY")), "5000");
        assert_eq!(json(money(1234, "KWD")), "1.234");
        assert_eq!(json(money(LARGEST_MINOR - 1, "USD")), "9999999999999.99");
    }

    #[test]
    fn an_amount_that_does_not_fit_its_currency_is_refused() {
        let major = |text: &str, code: &str| Money::from_major(text.parse().unwrap(), code.parse().unwrap());
        assert_eq!(major("49.99", "USD").unwrap().minor(), 4999);
        assert_eq!(major("49.999", "USD"), Err(MoneyError::TooManyDigits));
        assert_eq!(major("0.5", "JPY"), Err(MoneyError::TooManyDigits));
        assert_eq!(major("-1", "USD"), Err(MoneyError::Negative));
        assert_eq!(major("100000000000000", "USD"), Err(MoneyError::TooLarge));
        assert_eq!("usd".parse::<Currency>(), Err(MoneyError::UnknownCurrency));
        for (text, code) in [("usd", Some("USD")), (" Kwd ", Some("KWD")), ("hrk", Some("HRK")), ("us", None)]
        {
            assert_eq!(Currency::read(text).ok().map(Currency::code), code, "{text:?}");
        }
        assert_eq!("XAU".parse::<Currency>(), Err(MoneyError::UnknownCurrency));
    }

    /// ISO 4217, list one as published by SIX on 2026-01-01: the codes with a number of decimals, by it.
    const LISTED: [(u32, &str); 4] = [
        (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
        (
            2,
            "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP \
             COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR \
             JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN \
             NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL \
             THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG",
        ),
        (3, "BHD IQD JOD KWD LYD OMR TND"),
        (4, "CLF UYW"),
    ];

    #[test]
    fn new_money_has_a_currency_of_the_standard_and_stored_money_may_have_a_past_one() {
        let listed: Vec<(u32, &str)> =
            LISTED.iter().flat_map(|(digits, codes)| codes.split(' ').map(|code| (*digits, code))).collect();
        let letters = || 'A'..='Z';
        let codes = letters().flat_map(|a| letters().flat_map(move |b| letters().map(move |c| [a, b, c])));
        let mut past = Vec::new();
        for code in codes.map(String::from_iter) {
            let parsed = code.parse::<Currency>();
            let is_listed = listed.iter().find(|(_, listed)| *listed == code);
            match parsed {
                Ok(currency) if currency.check().is_ok() => {
                    assert_eq!(is_listed, Some(&(currency.digits(), currency.code())), "{code}");
                }
                Ok(currency) => past.push(currency.code()),
                Err(_) => assert_eq!(is_listed, None, "{code}"),
            }
        }
        assert_eq!(past, WITHDRAWN.map(|(code, _)| code));
        assert_eq!(money(4_999, "ANG").to_string(), "49.99 ANG");
    }
}
