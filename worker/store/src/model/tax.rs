//! The tax of a basket and of what is refunded of it. Pure arithmetic: callers load the rates.
//!
//! Each line is taxed by itself, rounded half-up to the minor unit; all sums are sums of lines.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use rust_decimal::{Decimal, prelude::ToPrimitive};
use serde::{Deserialize, Serialize};
use shared::messages::ReverseChargeStatus;
use shared::pricing::tax_of;
use shared::region::Country;
use shared::subdivision;
use shared::territory::{self, Territory};

use super::allocate::allocate;
use super::vat::VatCheck;

/// Taxation of a basket, as its cart freezes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxTerms {
    /// Indicates whether prices contain the tax; otherwise it is charged on top of them.
    pub is_included: bool,
    /// The place whose rate applies.
    pub country: Country,
    pub state: Option<String>,
    /// None of them: nothing is taxed there.
    pub components: Vec<Component>,
    /// Note on the rate for invoices, such as why it is 0.
    pub note: Option<String>,
    /// The countries that were known of the buyer. Sellers in the EU keep them as evidence of the place of supply.
    pub evidence: Evidence,
    /// Answer of VIES about the buyer's VAT ID. None if reverse charge did not come into question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vat_check: Option<VatCheck>,
    /// The tax that was refunded after the payment, because the buyer declares it. The cart's lines still contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refunded: Option<RefundedTax>,
}

/// Place and rate at which an order was taxed when it was paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundedTax {
    pub country: Country,
    pub state: Option<String>,
    pub components: Vec<Component>,
}

/// One tax of a rate, such as CGST.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Component {
    pub name: String,
    /// In percent.
    pub rate: Decimal,
}

/// Place of a buyer or a seller, as it decides the tax.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The country whose VAT is charged there.
    pub country: Country,
    pub state: Option<&'a str>,
    pub postal_code: Option<&'a str>,
}

/// A rate of a country, from a day on.
#[derive(Clone, Debug, Deserialize)]
pub struct TaxRate {
    /// None: of every place without rates of its own.
    pub state: Option<String>,
    /// Prefixes of the postal codes that are of the state, however their addresses name it.
    #[serde(default)]
    pub postal_codes: Vec<String>,
    /// In the seller's time zone.
    pub valid_from: NaiveDate,
    pub components: Vec<Component>,
    pub note: Option<String>,
}

impl<'a> Place<'a> {
    /// The place of an address in a country. A part of it that ISO 3166-1 has as a country is one: Réunion's postal codes are French.
    pub fn of(country: Country, state: Option<&'a str>, postal_code: Option<&'a str>) -> Self {
        let part = Territory::of(country, state, postal_code).and_then(Territory::country);
        match part {
            Some(country) => Self { country, state: None, postal_code },
            None => Self { country: country.of_vat(), state, postal_code },
        }
    }

    /// The territory without VAT that it is in.
    fn territory(self) -> Option<&'static Territory> {
        Territory::of(self.country, self.state, self.postal_code)
    }

    /// How narrowly a rate is of the place: by a prefix of its postal code, by its state, or by its country alone. None: it is of another
    /// place.
    fn nearness(self, rate: &TaxRate) -> Option<(usize, bool)> {
        let Some(state) = &rate.state else { return Some((0, false)) };
        let key = |state: &str| subdivision::key(self.country, state);
        let is_state = self.state.is_some_and(|own| key(own) == key(state));
        let length = self.postal_code.and_then(|code| territory::matched(&rate.postal_codes, code));
        (is_state || length.is_some()).then(|| (length.unwrap_or_default(), is_state))
    }
}

/// Chooses the rate that applies at a place on a day from those of its country: of the newest valid ones of the states and of the
/// country, that of its postal code, else of its state, else of the country. A territory without the country's VAT, and without a rate
/// of its own, has one without taxes, unless the seller is at home there.
pub fn rate_at(rates: Vec<TaxRate>, place: Place<'_>, home: Place<'_>, day: NaiveDate) -> Option<TaxRate> {
    let mut valid: Vec<TaxRate> = rates.into_iter().filter(|rate| rate.valid_from <= day).collect();
    valid.sort_by_key(|rate| rate.valid_from);
    let state = |rate: &TaxRate| rate.state.as_deref().map(|state| subdivision::key(place.country, state));
    let newest: BTreeMap<_, _> = valid.into_iter().map(|rate| (state(&rate), rate)).collect();
    let near = newest.into_values().filter_map(|rate| Some((place.nearness(&rate)?, rate)));
    let nearest = near.max_by_key(|(nearness, _)| *nearness).map(|(_, rate)| rate);
    match place.territory().filter(|territory| home.territory() != Some(territory)) {
        Some(territory) if nearest.as_ref().is_none_or(|rate| rate.state.is_none()) => {
            Some(untaxed(territory))
        }
        _ => nearest,
    }
}

fn untaxed(territory: &Territory) -> TaxRate {
    TaxRate {
        state: Some(territory.name.to_owned()),
        postal_codes: Vec::new(),
        valid_from: NaiveDate::MIN,
        components: Vec::new(),
        note: None,
    }
}

/// Returns whether a place names no state of its country although the rate depends on the state. It does not where the rates of a
/// country are the same in all states, or where the postal code tells the place.
pub fn is_unknown_state(rates: &[TaxRate], place: Place<'_>) -> bool {
    let Some(state) = place.state else { return false };
    let is_near = |rate: &TaxRate| place.nearness(rate).is_some_and(|nearness| nearness > (0, false));
    let is_decisive = |rate: &TaxRate| {
        rate.state.is_some() && (place.postal_code.is_none() || rate.postal_codes.is_empty())
    };
    let has_states = rates.iter().any(is_decisive);
    has_states && subdivision::code(place.country, state).is_none() && !rates.iter().any(is_near)
}

/// Evidence of where the buyer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Of the billing address.
    pub billing: Option<Country>,
    /// Of the request.
    pub visitor: Option<Country>,
}

impl TaxTerms {
    /// All components together, in percent.
    pub fn rate(&self) -> Decimal {
        self.components.iter().map(|component| component.rate).sum()
    }

    /// The tax of a price, in minor units: contained in it, or on top of it.
    pub fn of(&self, price: i64) -> i64 {
        tax_of(price, self.rate(), self.is_included)
    }

    /// The tax that a price contains, in minor units: 0 if it is charged on top.
    pub fn contained_in(&self, price: i64) -> i64 {
        if self.is_included { self.of(price) } else { 0 }
    }

    /// The check that moved the tax to the buyer.
    pub fn reverse_charge(&self) -> Option<&VatCheck> {
        self.vat_check.as_ref().filter(|check| check.status == ReverseChargeStatus::Applied)
    }

    /// The same terms after a check of the buyer's VAT ID, which may move the tax to the buyer.
    pub fn checked(mut self, check: VatCheck) -> Self {
        self.vat_check = Some(check);
        if self.reverse_charge().is_some() {
            (self.components, self.note) = (Vec::new(), None);
        }
        self
    }
}

/// A tax by its components, in their order. The parts add up to it.
pub fn by_component(components: &[Component], tax: i64) -> Vec<i64> {
    // Ten-thousandths of a percent, which the catalog does not refine further.
    let weight =
        |component: &Component| (component.rate * Decimal::from(10_000)).to_i64().unwrap_or_default();
    let weights: Vec<i64> = components.iter().map(weight).collect();
    share_by(tax, &weights)
}

/// The tax of a part of a taxed total, all in minor units: 0 of nothing, and all of it for the whole.
pub fn of_part(tax: i64, total: i64, part: i64) -> i64 {
    if total <= 0 {
        return 0;
    }
    let (tax, total, part) = (i128::from(tax), i128::from(total), i128::from(part.max(0)));
    // Half-up for numbers that are not negative.
    i64::try_from((2 * tax * part + total) / (2 * total)).unwrap_or_default()
}

/// Shares an amount by weights, which need not add up to as much.
fn share_by(amount: i64, weights: &[i64]) -> Vec<i64> {
    // `allocate` gives no line more than its capacity, so the weights are scaled until they hold the amount.
    let scale = amount / weights.iter().sum::<i64>().max(1) + 1;
    let capacities: Vec<i64> = weights.iter().map(|weight| weight.saturating_mul(scale)).collect();
    allocate(amount, &capacities)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(is_included: bool, rates: &[Decimal]) -> TaxTerms {
        let component = |rate: &Decimal| Component { name: format!("T{rate}"), rate: *rate };
        TaxTerms {
            is_included,
            country: "DE".parse().unwrap(),
            state: None,
            components: rates.iter().map(component).collect(),
            note: None,
            evidence: Evidence::default(),
            vat_check: None,
            refunded: None,
        }
    }

    #[test]
    fn known_taxes() {
        let percent = |text: &str| text.parse::<Decimal>().unwrap();
        for (is_included, rate, price, tax) in [
            (true, "19", 11_900, 1_900),
            (true, "19", 100, 16),
            (true, "20", 100, 17),
            (false, "19", 10_000, 1_900),
            (false, "8.875", 4_999, 444),
            (false, "10", 5, 1),
            (true, "100", 1, 1),
            (true, "0", 100, 0),
            // Without decimals, and with three: minor units all the same.
            (true, "10", 1_100, 100),
            (false, "5", 1_234, 62),
        ] {
            assert_eq!(terms(is_included, &[percent(rate)]).of(price), tax, "{rate} % of {price}");
        }
        assert_eq!(terms(true, &[]).of(100), 0);
        let india = terms(false, &[percent("9"), percent("9")]);
        assert_eq!(india.of(99_95), 17_99);
        assert_eq!(by_component(&india.components, 17_99), [9_00, 8_99]);
    }

    #[test]
    fn the_newest_valid_rate_of_the_state_or_else_of_the_country_applies() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        fn place(state: Option<&str>) -> Place<'_> {
            Place { country: "US".parse().unwrap(), state, postal_code: None }
        }
        let rates: Vec<TaxRate> = [
            (None, "2026-01-01", "country"),
            (None, "2026-06-01", "country, newer"),
            (Some("CA"), "2025-01-01", "California"),
            (Some("California"), "2026-03-01", "California, newer"),
            (Some("NY"), "2027-01-01", "New York"),
            (Some("Zone Ä"), "2025-01-01", "Zone"),
        ]
        .map(|(state, from, note)| TaxRate {
            state: state.map(str::to_owned),
            postal_codes: Vec::new(),
            valid_from: day(from),
            components: Vec::new(),
            note: Some(note.to_owned()),
        })
        .into();
        for (state, on, expected) in [
            (None, "2025-12-31", None),
            (None, "2026-01-01", Some("country")),
            (None, "2026-07-01", Some("country, newer")),
            (Some("TX"), "2026-07-01", Some("country, newer")),
            (Some("Ca"), "2026-02-28", Some("California")),
            (Some("cA"), "2026-07-01", Some("California, newer")),
            (Some("US-CA"), "2026-07-01", Some("California, newer")),
            (Some(" california"), "2026-07-01", Some("California, newer")),
            (Some("zone a\u{308}"), "2026-07-01", Some("Zone")),
            // The state's rate is still to come.
            (Some("NY"), "2026-07-01", Some("country, newer")),
            (Some("NY"), "2027-01-01", Some("New York")),
        ] {
            let rate = rate_at(rates.clone(), place(state), place(None), day(on));
            assert_eq!(rate.and_then(|rate| rate.note).as_deref(), expected, "{state:?} on {on}");
        }
        let is_unknown = |state: &str| is_unknown_state(&rates, place(Some(state)));
        assert!(is_unknown("Calif.") && is_unknown("Bayern") && is_unknown("-"));
        assert!(!is_unknown("Texas") && !is_unknown("us-tx") && !is_unknown("ZONE Ä"));
        assert!(!is_unknown_state(&rates[..2], place(Some("Calif."))));
    }

    #[test]
    fn a_postal_code_decides_before_the_state_and_the_country() {
        let rate = |state: Option<&str>, postal_codes: &[&str]| TaxRate {
            state: state.map(str::to_owned),
            postal_codes: postal_codes.iter().map(|code| (*code).to_owned()).collect(),
            valid_from: NaiveDate::MIN,
            components: Vec::new(),
            note: None,
        };
        let rates = [
            rate(None, &[]),
            rate(Some("Madeira"), &["90", "91", "92", "93", "94"]),
            rate(Some("Açores"), &["95", "96", "97", "98", "99"]),
            rate(Some("Corvo"), &["9980"]),
            rate(Some("Setúbal"), &[]),
        ];
        let at = |country: &str, state: Option<&str>, postal_code: Option<&str>, rates: &[TaxRate]| {
            let place = Place::of(country.parse().unwrap(), state, postal_code);
            let lisbon = Place::of("PT".parse().unwrap(), None, Some("1000-001"));
            let rate = rate_at(rates.to_vec(), place, lisbon, "2026-11-29".parse().unwrap());
            (place.country.to_string(), rate.and_then(|rate| rate.state))
        };
        for (state, postal_code, expected) in [
            (None, None, None),
            (Some("Lisboa"), Some("1000-001"), None),
            (None, Some("9000-001"), Some("Madeira")),
            (None, Some("PT-9500 001"), Some("Açores")),
            (None, Some("9980-020"), Some("Corvo")),
            (Some("Setúbal"), Some("9000-001"), Some("Madeira")),
            (Some("setubal"), None, Some("Setúbal")),
            (Some("Madeira"), None, Some("Madeira")),
        ] {
            let (_, state_of_rate) = at("PT", state, postal_code, &rates);
            assert_eq!(state_of_rate.as_deref(), expected, "{state:?} {postal_code:?}");
        }
        let of_country = &rates[..1];
        let place = |country: &str, name: Option<&str>| (country.to_owned(), name.map(str::to_owned));
        assert_eq!(at("ES", None, Some("35001"), of_country), place("ES", Some("Canary Islands")));
        assert_eq!(
            at("ES", Some("Las Palmas"), Some("35001"), &[rate(Some("ES-GC"), &[])]),
            place("ES", Some("ES-GC"))
        );
        assert_eq!(
            at("ES", None, Some("35001"), &[rate(Some("Canarias"), &["35"])]),
            place("ES", Some("Canarias"))
        );
        assert_eq!(at("FR", None, Some("97300"), &[]), place("GF", None));
        assert_eq!(at("FR", None, Some("97400"), of_country), place("FR", None));
        let canaries = Place::of("ES".parse().unwrap(), None, Some("38001"));
        let at_home = rate_at(of_country.to_vec(), canaries, canaries, "2026-11-29".parse().unwrap());
        assert_eq!(at_home.map(|rate| rate.state), Some(None));
        assert_eq!(at("MC", None, Some("98000"), of_country), place("FR", None));
        // A newer rate of a state takes the place of its older ones, with their postal codes.
        let newer = |postal_codes| TaxRate {
            valid_from: "2026-01-01".parse().unwrap(),
            ..rate(Some("madeira"), postal_codes)
        };
        let with = |newer: TaxRate| [&rates[..], &[newer]].concat();
        assert_eq!(at("PT", None, Some("9000-001"), &with(newer(&[]))), place("PT", None));
        assert_eq!(at("PT", Some("Madeira"), None, &with(newer(&[]))), place("PT", Some("madeira")));
        assert_eq!(at("PT", None, Some("9100-001"), &with(newer(&["90"]))), place("PT", None));
    }

    proptest! {
        #[test]
        fn a_tax_is_within_half_a_unit_of_exact_and_its_components_add_up(
            price in 0_i64..1_000_000_000_000, is_included: bool,
            rates in prop::collection::vec(0_i64..=333_333, 1..=3),
        ) {
            let terms = terms(is_included, &rates.iter().map(|rate| Decimal::new(*rate, 4)).collect::<Vec<_>>());
            let tax = terms.of(price);
            // On integers, without decimals: an independent computation of the same number.
            let rate: i128 = rates.iter().map(|rate| i128::from(*rate)).sum();
            let base = 1_000_000 + if is_included { rate } else { 0 };
            let exact = (2 * i128::from(price) * rate + base) / (2 * base);
            prop_assert_eq!(i128::from(tax), exact);
            prop_assert!(tax >= 0 && (!is_included || tax <= price));
            let parts = by_component(&terms.components, tax);
            prop_assert_eq!(parts.iter().sum::<i64>(), if rate == 0 { 0 } else { tax });
            for (part, own) in parts.iter().zip(&rates) {
                let exact = i128::from(tax) * i128::from(*own);
                prop_assert!((i128::from(*part) * rate - exact).abs() < rate.max(1));
            }
        }

        #[test]
        fn the_taxes_of_parts_add_up_to_the_tax_of_the_whole(
            total in 1_i64..1_000_000_000, share in 0_i64..=100, parts in prop::collection::vec(1_i64..1_000, 1..12),
        ) {
            let tax = total * share / 100;
            let amounts = share_by(total, &parts);
            let (mut refunded, mut credited) = (0, 0);
            for amount in &amounts {
                refunded += amount;
                let now = of_part(tax, total, refunded) - credited;
                prop_assert!(now >= 0 && now <= *amount);
                credited += now;
            }
            prop_assert_eq!((refunded, credited), (total, tax));
        }
    }
}
