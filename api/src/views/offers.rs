//! JSON of what courses cost, as pages on other hosts show it.

use std::collections::HashMap;

use rust_decimal::Decimal;
use serde::Serialize;
use shared::course_mode::CourseMode;
use shared::ids::OrganisationId;
use shared::money::{Amount, Money, serialize_optional_decimal};
use shared::pricing::tax_of;
use utoipa::ToSchema;
use uuid::Uuid;

use super::price::{HoldingPrice, Pricing, number};
use crate::queries::courses::{Mode, Price};
use crate::queries::offers::{CourseOnSale, ProgramOnSale, Tax};

#[derive(Debug, Serialize, ToSchema)]
pub struct OfferList {
    /// The published ones of the courses that were asked for, by key.
    offers: Vec<CourseOffer>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CourseOffer {
    openedx_course_id: String,
    /// Indicates whether it can be bought now.
    availability: Availability,
    /// The modes that cost something, cheapest first.
    modes: Vec<ModeOffer>,
    /// The programs with this course that can be bought now, by name.
    programs: Vec<ProgramOffer>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Availability {
    Open,
    /// All places are taken.
    SoldOut,
    /// By invitation only, over, or not open for enrollment at this time.
    Closed,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ModeOffer {
    #[schema(value_type = CourseMode)]
    mode_slug: String,
    has_certificate: bool,
    #[serde(flatten)]
    price: OfferedPrice,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ProgramOffer {
    id: Uuid,
    name: String,
    #[schema(value_type = CourseMode)]
    mode_slug: CourseMode,
    #[serde(flatten)]
    price: OfferedPrice,
}

/// A price for the visitor's country.
#[derive(Debug, Serialize, ToSchema)]
pub struct OfferedPrice {
    /// In major units; with the tax, unless `tax` is `excluded`.
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    price: Amount,
    /// The full price, in the same way: before the regional discount and without a dated price.
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    original_price: Amount,
    /// The regional discount in percent; 0 without one.
    #[serde(serialize_with = "number")]
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 0)]
    discount_pct: Decimal,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    tax: TaxInPrice,
    /// In percent; null if there is no tax, or the state decides it.
    #[serde(serialize_with = "serialize_optional_decimal")]
    #[schema(value_type = Option<f64>, minimum = 0, example = 20)]
    tax_pct: Option<Decimal>,
    /// The dated price that holds. Left out if the full one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    dated_price: Option<HoldingPrice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum TaxInPrice {
    /// Nothing is taxed.
    None,
    Included,
    /// It comes on top, by the state of the billing address.
    Excluded,
}

/// What the prices of a list depend on besides the items.
#[derive(Clone, Copy)]
pub struct Market<'a> {
    pub pricing: Pricing<'a>,
    pub taxes: &'a HashMap<OrganisationId, Tax>,
}

impl OfferList {
    pub fn new(courses: Vec<CourseOnSale>, market: Market<'_>) -> Self {
        Self { offers: courses.into_iter().map(|course| CourseOffer::new(course, market)).collect() }
    }
}

impl CourseOffer {
    fn new(course: CourseOnSale, market: Market<'_>) -> Self {
        let owner = course.organisation_id;
        let availability = match (course.is_open, course.is_full) {
            (false, _) => Availability::Closed,
            (true, true) => Availability::SoldOut,
            (true, false) => Availability::Open,
        };
        let mut paid = course.modes;
        paid.retain(|mode| mode.price.full.minor() > 0);
        market.pricing.cheapest_first(&mut paid);
        let mode = |mode: Mode| ModeOffer {
            price: OfferedPrice::new(&mode.price, owner, market),
            has_certificate: mode.slug.parse().is_ok_and(CourseMode::has_certificate),
            mode_slug: mode.slug,
        };
        Self {
            openedx_course_id: course.openedx_course_id,
            availability,
            modes: paid.into_iter().map(mode).collect(),
            programs: course.programs.into_iter().map(|program| ProgramOffer::new(program, market)).collect(),
        }
    }
}

impl ProgramOffer {
    fn new(program: ProgramOnSale, market: Market<'_>) -> Self {
        let ProgramOnSale { id, name, organisation_id, mode, price } = program;
        Self { id, name, mode_slug: mode, price: OfferedPrice::new(&price, organisation_id, market) }
    }
}

impl OfferedPrice {
    fn new(stored: &Price, owner: OrganisationId, market: Market<'_>) -> Self {
        let of_visitor = market.pricing.of(owner, stored);
        let shown = of_visitor.price;
        let tax = market.taxes.get(&owner).filter(|tax| tax.rate != Some(Decimal::ZERO));
        let on_top = tax.filter(|tax| !tax.is_included).and_then(|tax| tax.rate).unwrap_or_default();
        let with_tax = |price: Money| {
            let total = price.minor().saturating_add(tax_of(price.minor(), on_top, false));
            Amount(Money::from_minor(total, price.currency()).unwrap_or(price))
        };
        Self {
            price: with_tax(shown.price),
            original_price: with_tax(shown.original),
            discount_pct: shown.discount_pct,
            currency: stored.full.currency().code(),
            tax: match tax {
                None => TaxInPrice::None,
                Some(tax) if tax.is_included || tax.rate.is_some() => TaxInPrice::Included,
                Some(_) => TaxInPrice::Excluded,
            },
            tax_pct: tax.and_then(|tax| tax.rate),
            dated_price: of_visitor.holding(with_tax),
        }
    }
}
