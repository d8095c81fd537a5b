//! The right of withdrawal of consumers: the terms of an organisation, and what a buyer agrees to at the checkout. Pure: no I/O
//! here. `docs/withdrawal.md` says what the choices mean.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::region::Country;

/// The law's default, in days.
const DAYS: i32 = 14;

/// Kind of service that an organisation sells, in the sense of the law. The seller decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(
        as = WithdrawalKind,
        description = "What a consumer's right of withdrawal depends on. `service`: it can end once the service is performed. \
                       `digital_content`: it can end with the access."
    )
)]
pub enum Kind {
    /// The right ends early once the service is fully performed.
    Service,
    /// The right ends early once the buyer has access.
    DigitalContent,
}

/// The right of withdrawal that an organisation offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The period in days, after the day of the purchase.
    #[serde(default = "days")]
    pub days: i32,
    /// Legal kind of what the organisation sells.
    pub kind: Kind,
    /// The countries whose buyers have the right; None: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub countries: Option<Vec<Country>>,
    /// The page with the terms of sale, to which a buyer must agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms_url: Option<String>,
    /// The version of these terms, frozen with the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms_version: Option<String>,
}

fn days() -> i32 {
    DAYS
}

/// A consent by its field in a checkout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(
        description = "A field of `consents` in a checkout. `terms`: agrees to the terms of sale. `begin_now`: wants to begin \
                       before the period of withdrawal has ended. `loses_right`: knows that the right of withdrawal is lost by that."
    )
)]
pub enum Consent {
    /// Agrees to the terms of sale.
    Terms,
    /// Wants to begin before the period of withdrawal has ended.
    BeginNow,
    /// Knows that the right of withdrawal is lost by that.
    LosesRight,
}

/// What a buyer agrees to at a checkout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Consents {
    /// Agrees to the organisation's terms of sale.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(default = false))]
    pub terms: bool,
    /// Wants to begin before the period of withdrawal has ended.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(default = false))]
    pub begin_now: bool,
    /// Knows that the right of withdrawal is lost by that.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(default = false))]
    pub loses_right: bool,
}

/// What the buyer of an order has agreed to, with the terms as of then. Frozen with the order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = OrderConsents))]
pub struct Agreed {
    /// Agreed to the terms of sale.
    pub terms: bool,
    /// Wanted to begin before the period of withdrawal had ended.
    pub begin_now: bool,
    /// Knew that the right of withdrawal is lost by that.
    pub loses_right: bool,
    /// Time when the buyer agreed.
    pub at: DateTime<Utc>,
    /// What the organisation sold.
    pub kind: Kind,
    /// The period of withdrawal in days, after the day of the purchase.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, example = 14))]
    pub days: i32,
    /// The page with the terms of sale. Left out if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = "uri"))]
    pub terms_url: Option<String>,
    /// The version of these terms. Left out if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, example = "2026-06"))]
    pub terms_version: Option<String>,
}

impl Terms {
    /// Returns whether a buyer in this country has the right. An unknown place counts as one with the right.
    pub fn apply_in(&self, country: Option<Country>) -> bool {
        match (&self.countries, country) {
            (Some(countries), Some(country)) => countries.contains(&country),
            (None, _) | (_, None) => true,
        }
    }

    /// The consents without which a buyer cannot check out.
    pub fn required(&self) -> Vec<Consent> {
        let terms = self.terms_url.is_some().then_some(Consent::Terms);
        // A service keeps the right until it is performed in full, so its buyer may leave that open.
        let loses_right = (self.kind == Kind::DigitalContent).then_some(Consent::LosesRight);
        terms.into_iter().chain([Consent::BeginNow]).chain(loses_right).collect()
    }

    /// Freezes what a buyer agrees to.
    pub fn agreed(&self, given: Consents, at: DateTime<Utc>) -> Agreed {
        Agreed {
            terms: given.terms,
            begin_now: given.begin_now,
            loses_right: given.loses_right,
            at,
            kind: self.kind,
            days: self.days,
            terms_url: self.terms_url.clone(),
            terms_version: self.terms_version.clone(),
        }
    }
}

impl Consents {
    /// Returns whether the buyer has given none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether the buyer has given a consent.
    pub fn has(&self, consent: Consent) -> bool {
        match consent {
            Consent::Terms => self.terms,
            Consent::BeginNow => self.begin_now,
            Consent::LosesRight => self.loses_right,
        }
    }
}

impl Agreed {
    /// Returns the consents that the buyer has given.
    pub fn given(&self) -> Consents {
        Consents { terms: self.terms, begin_now: self.begin_now, loses_right: self.loses_right }
    }

    /// Returns the consents that the buyer has given, if the terms are still these; none otherwise.
    pub fn given_for(&self, terms: &Terms) -> Consents {
        let now = terms.agreed(self.given(), self.at);
        if *self == now { self.given() } else { Consents::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(kind: Kind, terms_url: Option<&str>) -> Terms {
        let terms_url = terms_url.map(str::to_owned);
        Terms { days: 14, kind, countries: None, terms_url, terms_version: None }
    }

    #[test]
    fn what_is_required_depends_on_what_is_sold_and_on_terms() {
        use Consent::{BeginNow, LosesRight, Terms};
        assert_eq!(terms(Kind::Service, None).required(), [BeginNow]);
        assert_eq!(
            terms(Kind::DigitalContent, Some("https://t.example")).required(),
            [Terms, BeginNow, LosesRight]
        );
    }

    #[test]
    fn a_consent_to_other_terms_counts_for_nothing() {
        let (old, given) =
            (terms(Kind::Service, None), Consents { terms: true, begin_now: true, loses_right: true });
        let agreed = old.agreed(given, DateTime::UNIX_EPOCH);
        assert_eq!(agreed.given_for(&old), given);
        assert_eq!(agreed.given_for(&terms(Kind::DigitalContent, None)), Consents::default());
    }

    #[test]
    fn a_list_of_countries_leaves_the_others_out_and_not_the_unknown() {
        let terms = Terms { countries: Some(vec!["DE".parse().unwrap()]), ..terms(Kind::Service, None) };
        let applies = |country: Option<&str>| terms.apply_in(country.map(|country| country.parse().unwrap()));
        assert_eq!((applies(Some("DE")), applies(Some("US")), applies(None)), (true, false, true));
    }
}
