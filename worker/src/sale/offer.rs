//! Price of one item of a basket for its buyer, or the reason why it cannot be bought. Pure: callers load the offers
//! and what the buyer holds.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::dated_price::{self, DatedPrice, PresentPrice};
use shared::ids::OrganisationId;
use shared::messages::{BasketItem, ItemKind};
use shared::money::Money;
use shared::pricing::{Policy, RegionalPrice};
use shared::region::Country;
use store::model::line::NewLine;
use store::model::offer::ModeOffer;
use store::model::tax::TaxTerms;
use store::sales::holdings::{Held, Holdings};
use store::sales::offers::{CourseOffer, ProgramOffer};
use uuid::Uuid;

/// Inputs of the quote.
pub struct Terms<'a> {
    pub organisation_id: OrganisationId,
    pub policy: &'a Policy,
    pub country: Option<Country>,
    /// None if the organisation charges no tax.
    pub tax: Option<TaxTerms>,
    /// The tax in the catalog's prices, which a buyer under reverse charge does not pay.
    pub untaxed: Option<TaxTerms>,
    pub courses: &'a HashMap<Uuid, CourseOffer>,
    pub programs: &'a HashMap<Uuid, ProgramOffer>,
    /// Empty for a guest: the price must not reveal which courses an address has.
    pub held: &'a Holdings,
    /// Indicates whether a seat pays for the basket. It was bought while it was on sale, so only what gives no access
    /// any more is refused.
    pub is_prepaid: bool,
    pub now: DateTime<Utc>,
}

/// The wrong field, relative to `items[n]`, and the reason.
pub type Fault = (&'static str, String);

/// An item before discounts.
struct Offer {
    openedx_course_id: Option<String>,
    name: String,
    price: Money,
    /// The price without a dated one.
    full: Money,
    /// The name of the dated price that holds.
    price_name: Option<String>,
    access: AccessPeriod,
    /// As that of [`Offered`].
    holds_until: Option<DateTime<Utc>>,
    upgrade_from: Option<CourseMode>,
    /// The grant whose price is taken off.
    rests_on: Option<Uuid>,
    leads_to: Vec<(Uuid, CourseMode)>,
    /// The buyer holds it already, and pays nothing.
    is_held: bool,
}

/// A line, and the courses that it leads to.
pub struct Offered {
    pub line: NewLine,
    pub leads_to: Vec<(Uuid, CourseMode)>,
    /// The buyer holds it already, and pays nothing.
    pub is_held: bool,
    /// The first instant, as far as is known, at which the price is another or the sale is over.
    pub holds_until: Option<DateTime<Utc>>,
}

impl Terms<'_> {
    /// The line of an item, before a voucher and tax.
    ///
    /// # Errors
    /// Why it cannot be bought.
    pub fn line(&self, item: BasketItem) -> Result<Offered, Fault> {
        let offer = match item.kind {
            ItemKind::Course => self.course(item)?,
            ItemKind::Program => self.program(item)?,
        };
        let Offer { openedx_course_id, name, price, full, price_name, access, holds_until, .. } = offer;
        let Offer { upgrade_from, rests_on, mut leads_to, is_held, .. } = offer;
        if item.seats.is_some() {
            leads_to.clear();
        }
        let price = RegionalPrice { original: full, ..self.policy.apply(price, self.country) };
        let price = self.without_tax(times(price, item.seats)?);
        // One that a dated price makes free ends with what it is an upgrade of all the same.
        let rests_on = rests_on.filter(|_| price.original.minor() > 0);
        let line = NewLine {
            item,
            openedx_course_id,
            name,
            price_name,
            access,
            price,
            voucher_discount: 0,
            tax: None,
            upgrade_from,
            rests_on,
        };
        Ok(Offered { line, leads_to, is_held, holds_until })
    }

    fn without_tax(&self, price: RegionalPrice) -> RegionalPrice {
        let Some(terms) = &self.untaxed else { return price };
        let net = |gross: Money| {
            let net = gross.minor() - terms.contained_in(gross.minor());
            Money::from_minor(net, gross.currency()).unwrap_or(gross)
        };
        RegionalPrice { price: net(price.price), original: net(price.original), ..price }
    }

    fn course(&self, item: BasketItem) -> Result<Offer, Fault> {
        let course = self.courses.get(&item.id).ok_or((".id", "no such course".to_owned()))?;
        if course.organisation_id != self.organisation_id {
            return Err((".id", "belongs to another organisation".into()));
        }
        let sold = self.purchasable(course, item.mode)?;
        if !self.is_prepaid && sold.access.is_over(self.now) {
            return Err((
                ".mode",
                format!("access to {} in {} is over", course.openedx_course_id, item.mode),
            ));
        }
        let PresentPrice { price, full, dated } = sold.price_at(self.now);
        let mut offer = Offer {
            openedx_course_id: Some(course.openedx_course_id.clone()),
            name: course.display_name.clone(),
            price,
            full,
            price_name: dated.map(|dated| dated.name.clone()),
            access: sold.access,
            holds_until: end_of_sale(course, sold)
                .chain(sold.access.until)
                .chain(dated_price::next_change(&sold.dated_prices, self.now))
                .min(),
            upgrade_from: None,
            rests_on: None,
            leads_to: vec![(course.id, item.mode)],
            is_held: false,
        };
        let credit = self.credit(course, full).filter(|(held, _, _)| {
            // Access that ends is bought again, and then continues.
            let is_extended =
                held.mode >= item.mode && held.ends_at.is_some_and(|end| sold.access.extends(end));
            item.seats.is_none() && !is_extended
        });
        if let Some((held, credit, held_prices)) = credit {
            let difference = less(full, credit.full);
            offer.full = difference;
            // A dated price of the held mode alone makes no upgrade dearer.
            offer.price = cheaper(less(price, credit.price), difference);
            offer.upgrade_from = Some(held.mode);
            offer.rests_on = (credit.full.minor() > 0).then_some(held.grant);
            let end_of_credit =
                dated_price::next_change(held_prices, self.now).into_iter().chain(held.ends_at);
            offer.holds_until = offer.holds_until.into_iter().chain(end_of_credit).min();
            // What the platform alone gave is granted as well, so that the platform is asked for it. A dated price can make an upgrade
            // free, which then is still one.
            offer.is_held = offer.full.minor() == 0 && !held.is_platforms;
        }
        Ok(offer)
    }

    /// The mode that the buyer holds of a course, and its price at present, which an upgrade is reduced by.
    fn credit<'a>(
        &'a self,
        course: &'a CourseOffer,
        price: Money,
    ) -> Option<(&'a Held, PresentPrice<'a>, &'a [DatedPrice])> {
        let held = self.held.courses.get(&course.id)?;
        let offered = course.modes.iter().find(|offer| offer.mode == held.mode)?;
        (offered.price.currency() == price.currency())
            .then(|| (held, offered.price_at(self.now), offered.dated_prices.as_slice()))
    }

    /// A mode that can be bought now.
    fn purchasable<'a>(&self, course: &'a CourseOffer, mode: CourseMode) -> Result<&'a ModeOffer, Fault> {
        let fault = |reason: &str| Err((".id", format!("{} {reason}", course.openedx_course_id)));
        if self.is_prepaid {
            return self.offered(course, mode, |_| true);
        }
        if !course.is_published {
            return fault("is not published");
        }
        if course.is_invite_only {
            return fault("is open to invited learners only");
        }
        if course.ends_at.is_some_and(|end| end <= self.now) {
            return fault("has ended");
        }
        if course.enrollment_start.is_some_and(|start| start > self.now) {
            return fault("is not open for enrollment yet");
        }
        if course.enrollment_end.is_some_and(|end| end <= self.now) {
            return fault("is closed for enrollment");
        }
        self.offered(course, mode, |offer| offer.visible)
    }

    /// A mode that has not expired and that is `sold`.
    fn offered<'a>(
        &self,
        course: &'a CourseOffer,
        mode: CourseMode,
        sold: impl Fn(&ModeOffer) -> bool,
    ) -> Result<&'a ModeOffer, Fault> {
        let offered = course.modes.iter().find(|offer| offer.mode == mode);
        offered
            .filter(|offer| sold(offer) && offer.is_unexpired(self.now))
            .ok_or_else(|| (".mode", format!("{mode} cannot be bought for {}", course.openedx_course_id)))
    }

    fn program(&self, item: BasketItem) -> Result<Offer, Fault> {
        let program = self.programs.get(&item.id).ok_or((".id", "no such program".to_owned()))?;
        if program.organisation_id != self.organisation_id {
            return Err((".id", "belongs to another organisation".into()));
        }
        if !program.is_published && !self.is_prepaid {
            return Err((".id", "the program is not published".into()));
        }
        if !self.is_prepaid && program.access.is_over(self.now) {
            return Err((".id", "access to the program is over".into()));
        }
        if program.is_invite_only && !self.is_prepaid {
            return Err((".id", "the program is open to invited learners only".into()));
        }
        let courses = self.courses_of(program);
        if courses.is_empty() {
            return Err((".id", "the program has no published courses".into()));
        }
        let mut full = program.price;
        let mut holds_until = dated_price::next_change(&program.dated_prices, self.now)
            .into_iter()
            .chain(program.access.until)
            .min();
        for course in &courses {
            if course.organisation_id != self.organisation_id {
                return Err((".id", "the program holds a course of another organisation".into()));
            }
            let of_course = self.purchasable(course, item.mode)?;
            // A program that is no longer sold may have lost its price; a seat in it is paid for.
            full = full.or(self.is_prepaid.then_some(of_course.price));
            holds_until = holds_until.into_iter().chain(end_of_sale(course, of_course)).min();
        }
        let full = full.ok_or((".id", "the program has no price".to_owned()))?;
        let PresentPrice { price, dated, .. } = PresentPrice::at(full, &program.dated_prices, self.now);
        let bought = self.bought(item, price, &courses, program.access)?;
        Ok(Offer {
            openedx_course_id: None,
            name: program.name.clone(),
            price: if bought.is_some() { nothing(price) } else { price },
            full: if bought.is_some() { nothing(price) } else { full },
            price_name: dated.filter(|_| bought.is_none()).map(|dated| dated.name.clone()),
            access: program.access,
            holds_until,
            upgrade_from: bought,
            rests_on: None,
            leads_to: courses.iter().map(|course| (course.id, item.mode)).collect(),
            is_held: bought.is_some(),
        })
    }

    /// The courses that a program is sold with: the published ones. All of them for a seat in a program that has none any more.
    fn courses_of(&self, program: &ProgramOffer) -> Vec<&CourseOffer> {
        let all = || program.courses.iter().filter_map(|id| self.courses.get(id));
        let published: Vec<&CourseOffer> = all().filter(|course| course.is_published).collect();
        if published.is_empty() && self.is_prepaid { all().collect() } else { published }
    }

    /// The mode in which the buyer has bought a program already; None also if it is for others.
    fn bought(
        &self,
        item: BasketItem,
        price: Money,
        courses: &[&CourseOffer],
        access: AccessPeriod,
    ) -> Result<Option<CourseMode>, Fault> {
        if item.seats.is_some() {
            return Ok(None);
        }
        // Access that ends is bought again, and then continues.
        let ends = |course: &&CourseOffer| {
            let held = self.held.courses.get(&course.id).filter(|held| held.mode == item.mode);
            held.and_then(|held| held.ends_at)
        };
        if courses.iter().filter_map(ends).any(|end| access.extends(end)) {
            return Ok(None);
        }
        let bought = self.held.programs.get(&item.id).copied().filter(|bought| *bought >= item.mode);
        let holds = |course: &&CourseOffer| {
            self.held.courses.get(&course.id).is_some_and(|held| held.mode >= item.mode)
        };
        if bought.is_none() && price.minor() > 0 && courses.iter().all(holds) {
            let message = format!("every course of the program is held in the mode {} already", item.mode);
            return Err((".id", message));
        }
        Ok(bought)
    }
}

/// The price of as many seats; without a number, of one place.
fn times(price: RegionalPrice, seats: Option<i32>) -> Result<RegionalPrice, Fault> {
    let Some(seats) = seats else { return Ok(price) };
    if price.price.minor() == 0 {
        return Err((".seats", "cannot be bought for a free item".to_owned()));
    }
    let all = |one: Money| {
        let minor = one.minor().saturating_mul(seats.into());
        let too_much = |_| (".seats", "cost more than one payment can be".to_owned());
        Money::from_minor(minor, one.currency()).map_err(too_much)
    };
    Ok(RegionalPrice { price: all(price.price)?, original: all(price.original)?, ..price })
}

/// The instants at which a mode of a course is no longer sold, alone or in a program.
fn end_of_sale(course: &CourseOffer, mode: &ModeOffer) -> impl Iterator<Item = DateTime<Utc>> {
    [course.ends_at, course.enrollment_end, mode.expires_at].into_iter().flatten()
}

/// A price less a credit of its currency; at least nothing.
fn less(price: Money, credit: Money) -> Money {
    let left = price.minor().saturating_sub(credit.minor()).max(0);
    Money::from_minor(left, price.currency()).unwrap_or(price)
}

fn cheaper(price: Money, other: Money) -> Money {
    if other.minor() < price.minor() { other } else { price }
}

fn nothing(price: Money) -> Money {
    Money::from_minor(0, price.currency()).unwrap_or(price)
}
