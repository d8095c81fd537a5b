//! Converts money to the units of each provider, which differ from ISO 4217 for some currencies. Refuses what a
//! provider cannot charge before a payment starts.

use shared::money::{Currency, Money};

/// The amounts that a provider can charge.
pub struct Amounts {
    /// The only currencies that the storefront charges through it; None: all.
    pub currencies: Option<&'static [&'static str]>,
    /// Decimal places of its subunits, where they differ from ISO's.
    pub digits: &'static [(&'static str, u32)],
    /// The smallest charge, in its subunits; 1 for currencies not listed.
    pub least: &'static [(&'static str, i64)],
    /// The largest charge, in its subunits.
    pub most: i64,
    /// Indicates whether it charges amounts of three decimal places only in tens of the smallest unit, as all providers do.
    pub in_tens: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unpayable {
    #[error("cannot be charged in {0} by the payment gateway")]
    Currency(Currency),
    #[error("cannot be charged exactly by the payment gateway, which counts {0} in larger steps")]
    Fraction(Currency),
    #[error("is below the least that the payment gateway charges in {0}")]
    TooSmall(Currency),
    #[error("is more than the payment gateway charges in {0}")]
    TooLarge(Currency),
}

impl Amounts {
    /// Converts a total to the provider's subunits.
    ///
    /// # Errors
    /// The reason why the provider cannot charge it.
    pub fn subunits(&self, total: Money) -> Result<i64, Unpayable> {
        let currency = total.currency();
        currency.check().map_err(|_| Unpayable::Currency(currency))?;
        match self.exact(total)? {
            subunits if subunits < least(self.least, currency) => Err(Unpayable::TooSmall(currency)),
            subunits if subunits > self.most => Err(Unpayable::TooLarge(currency)),
            subunits => Ok(subunits),
        }
    }

    /// Converts an amount of any size, such as a part of a charge.
    ///
    /// # Errors
    /// The provider does not use the currency, or counts it in larger steps.
    pub fn exact(&self, amount: Money) -> Result<i64, Unpayable> {
        let (currency, minor) = (amount.currency(), amount.minor());
        if self.currencies.is_some_and(|currencies| !currencies.contains(&currency.code())) {
            return Err(Unpayable::Currency(currency));
        }
        let digits = self.digits(currency);
        let subunits = match digits.checked_sub(currency.digits()) {
            Some(more) => minor.checked_mul(10_i64.pow(more)).ok_or(Unpayable::TooLarge(currency))?,
            None => {
                let step = 10_i64.pow(currency.digits().saturating_sub(digits));
                if minor % step != 0 {
                    return Err(Unpayable::Fraction(currency));
                }
                minor / step
            }
        };
        if digits == 3 && subunits % 10 != 0 && self.in_tens {
            Err(Unpayable::Fraction(currency))
        } else {
            Ok(subunits)
        }
    }

    /// Rounds an amount of minor units down to one that [`Self::exact`] converts.
    pub fn payable(&self, minor: i64, currency: Currency) -> i64 {
        let digits = self.digits(currency);
        let step = if digits == 3 && self.in_tens {
            10
        } else {
            10_i64.pow(currency.digits().saturating_sub(digits))
        };
        minor - minor % step
    }

    /// Converts the provider's subunits to ISO's minor units, rounded down.
    pub fn minor(&self, subunits: i64, currency: Currency) -> i64 {
        let (theirs, ours) = (self.digits(currency), currency.digits());
        match ours.checked_sub(theirs) {
            Some(more) => subunits.saturating_mul(10_i64.pow(more)),
            None => subunits / 10_i64.pow(theirs.saturating_sub(ours)),
        }
    }

    /// Decimal places of the provider's subunits of a currency.
    pub fn digits(&self, currency: Currency) -> u32 {
        let special = self.digits.iter().find(|(code, _)| *code == currency.code());
        special.map_or(currency.digits(), |(_, digits)| *digits)
    }
}

fn least(least: &[(&str, i64)], currency: Currency) -> i64 {
    least.iter().find(|(code, _)| *code == currency.code()).map_or(1, |(_, least)| *least)
}

#[cfg(test)]
mod tests {
    use shared::gateway::Gateway;

    use super::*;
    use crate::gateways::profile;

    fn asked(gateway: Gateway, minor: i64, currency: &str) -> Result<i64, Unpayable> {
        profile(gateway).amounts.subunits(Money::from_minor(minor, currency.parse().unwrap()).unwrap())
    }

    #[test]
    fn providers_count_some_currencies_in_their_own_way() {
        let currency = |code: &str| code.parse::<Currency>().unwrap();
        for (gateway, minor, code, expected) in [
            (Gateway::Stripe, 4999, "USD", Ok(4999)),
            (Gateway::Stripe, 5000, "JPY", Ok(5000)),
            (Gateway::Stripe, 1230, "KWD", Ok(1230)),
            (Gateway::Stripe, 1234, "KWD", Err(Unpayable::Fraction(currency("KWD")))),
            (Gateway::Stripe, 500, "ISK", Ok(50_000)),
            (Gateway::Stripe, 100_000, "MGA", Ok(1_000)),
            (Gateway::Stripe, 100_050, "MGA", Err(Unpayable::Fraction(currency("MGA")))),
            (Gateway::Stripe, 49, "USD", Err(Unpayable::TooSmall(currency("USD")))),
            // 1,500,000 IDR are 90 USD, and as many INR 17,000 USD.
            (Gateway::Stripe, 150_000_000, "IDR", Ok(150_000_000)),
            (Gateway::Stripe, 150_000_000, "INR", Ok(150_000_000)),
            (Gateway::Stripe, 999_999_999_999, "USD", Ok(999_999_999_999)),
            (Gateway::Stripe, 1_000_000_000_000, "USD", Err(Unpayable::TooLarge(currency("USD")))),
            // One króna is a hundred subunits.
            (Gateway::Stripe, 10_000_000_000, "ISK", Err(Unpayable::TooLarge(currency("ISK")))),
            (Gateway::Stripe, 5_000, "BGN", Err(Unpayable::Currency(currency("BGN")))),
            (Gateway::External, 5_000, "HRK", Err(Unpayable::Currency(currency("HRK")))),
            (Gateway::Stripe, 100, "CLF", Err(Unpayable::Currency(currency("CLF")))),
            (Gateway::Mollie, 12_999, "EUR", Ok(12_999)),
            (Gateway::Mollie, 5000, "JPY", Ok(5000)),
            (Gateway::Mollie, 5000, "INR", Err(Unpayable::Currency(currency("INR")))),
            (Gateway::Razorpay, 100, "INR", Ok(100)),
            (Gateway::Razorpay, 99, "INR", Err(Unpayable::TooSmall(currency("INR")))),
            (Gateway::Razorpay, 1230, "KWD", Ok(1230)),
            (Gateway::Curlec, 100, "MYR", Ok(100)),
            (Gateway::Curlec, 99, "MYR", Err(Unpayable::TooSmall(currency("MYR")))),
        ] {
            assert_eq!(asked(gateway, minor, code), expected, "{gateway} {minor} {code}");
        }
    }

    #[test]
    fn a_part_is_rounded_down_to_what_the_provider_counts() {
        for (gateway, minor, code, expected) in [
            (Gateway::Stripe, 1_234, "USD", 1_234),
            (Gateway::Stripe, 1_234, "JPY", 1_234),
            (Gateway::Stripe, 1_239, "KWD", 1_230),
            (Gateway::Stripe, 1_234, "ISK", 1_234),
            (Gateway::Stripe, 1_299, "MGA", 1_200),
            (Gateway::Razorpay, 9, "KWD", 0),
        ] {
            let (amounts, currency) = (&profile(gateway).amounts, code.parse().unwrap());
            let rounded = amounts.payable(minor, currency);
            assert_eq!(rounded, expected, "{gateway} {minor} {code}");
            assert!(amounts.exact(Money::from_minor(rounded, currency).unwrap()).is_ok());
        }
    }

    #[test]
    fn what_is_given_back_is_counted_as_it_was_charged() {
        for gateway in Gateway::ALL.iter().copied() {
            let amounts = &profile(gateway).amounts;
            for code in amounts.currencies.unwrap_or(&["EUR", "JPY", "KWD"]) {
                let currency: Currency = code.parse().unwrap_or_else(|_| panic!("{code} is no currency"));
                let minor = 50_000_000;
                // Also in a currency of the past, in which nothing new is sold.
                let charged = amounts.exact(Money::from_minor(minor, currency).unwrap());
                let back = charged.map(|subunits| amounts.minor(subunits, currency));
                assert_eq!(back, Ok(minor), "{gateway} {code}");
            }
        }
    }
}
