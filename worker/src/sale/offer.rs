//! Price of one item of a basket for its buyer, or the reason why it cannot be bought. Pure: callers load the offers
//! and what the buyer holds.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use shared::course_mode::CourseMode;
use shared::ids::OrganisationId;
use shared::messages::{BasketItem, ItemKind};
use shared::money::Money;
use shared::pricing::{Policy, RegionalPrice};
use shared::region::Country;
use store::model::line::NewLine;
use store::model::tax::TaxTerms;
use store::sales::holdings::{Held, Holdings};
use store::sales::offers::{CourseOffer, ModeOffer, ProgramOffer};
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
}

impl Terms<'_> {
    /// The line of an item, before a voucher and tax.
    ///
    /// # Errors
    /// Why it cannot be bought.
    pub fn line(&self, item: BasketItem) -> Result<Offered, Fault> {
        let Offer { openedx_course_id, name, price, upgrade_from, rests_on, mut leads_to, is_held } =
            match item.kind {
                ItemKind::Course => self.course(item)?,
                ItemKind::Program => self.program(item)?,
            };
        if item.seats.is_some() {
            leads_to.clear();
        }
        let price = self.without_tax(times(self.policy.apply(price, self.country), item.seats)?);
        let rests_on = rests_on.filter(|_| price.price.minor() > 0);
        let line = NewLine {
            item,
            openedx_course_id,
            name,
            price,
            voucher_discount: 0,
            tax: None,
            upgrade_from,
            rests_on,
        };
        Ok(Offered { line, leads_to, is_held })
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
        let price = self.purchasable(course, item.mode)?;
        let mut offer = Offer {
            openedx_course_id: Some(course.openedx_course_id.clone()),
            name: course.display_name.clone(),
            price,
            upgrade_from: None,
            rests_on: None,
            leads_to: vec![(course.id, item.mode)],
            is_held: false,
        };
        if let Some((held, credit)) = self.credit(course, price).filter(|_| item.seats.is_none()) {
            let left = price.minor().saturating_sub(credit.minor()).max(0);
            offer.price = Money::from_minor(left, price.currency()).unwrap_or(price);
            offer.upgrade_from = Some(held.mode);
            offer.rests_on = (credit.minor() > 0).then_some(held.grant);
            // What the platform alone gave is granted as well, so that the platform is asked for it.
            offer.is_held = left == 0 && !held.is_platforms;
        }
        Ok(offer)
    }

    /// The mode that the buyer holds of a course, and its price, which an upgrade is reduced by.
    fn credit(&self, course: &CourseOffer, price: Money) -> Option<(&Held, Money)> {
        let held = self.held.courses.get(&course.id)?;
        let offered = course.modes.iter().find(|offer| offer.mode == held.mode)?;
        (offered.price.currency() == price.currency()).then_some((held, offered.price))
    }

    /// The price of a mode, if it can be bought now.
    fn purchasable(&self, course: &CourseOffer, mode: CourseMode) -> Result<Money, Fault> {
        let fault = |reason: &str| Err((".id", format!("{} {reason}", course.openedx_course_id)));
        if self.is_prepaid {
            return self.price_of(course, mode, |_| true);
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
        self.price_of(course, mode, |offer| offer.visible)
    }

    /// The price of a mode that has not expired and that is `sold`.
    fn price_of(
        &self,
        course: &CourseOffer,
        mode: CourseMode,
        sold: impl Fn(&ModeOffer) -> bool,
    ) -> Result<Money, Fault> {
        let offered = course.modes.iter().find(|offer| offer.mode == mode);
        match offered.filter(|offer| sold(offer) && offer.expires_at.is_none_or(|end| end > self.now)) {
            Some(offer) => Ok(offer.price),
            None => Err((".mode", format!("{mode} cannot be bought for {}", course.openedx_course_id))),
        }
    }

    fn program(&self, item: BasketItem) -> Result<Offer, Fault> {
        let program = self.programs.get(&item.id).ok_or((".id", "no such program".to_owned()))?;
        if program.organisation_id != self.organisation_id {
            return Err((".id", "belongs to another organisation".into()));
        }
        if !program.is_published && !self.is_prepaid {
            return Err((".id", "the program is not published".into()));
        }
        if program.is_invite_only && !self.is_prepaid {
            return Err((".id", "the program is open to invited learners only".into()));
        }
        let courses = self.courses_of(program);
        if courses.is_empty() {
            return Err((".id", "the program has no published courses".into()));
        }
        let mut price = program.price;
        for course in &courses {
            if course.organisation_id != self.organisation_id {
                return Err((".id", "the program holds a course of another organisation".into()));
            }
            let of_course = self.purchasable(course, item.mode)?;
            // A program that is no longer sold may have lost its price; a seat in it is paid for.
            price = price.or(self.is_prepaid.then_some(of_course));
        }
        let price = price.ok_or((".id", "the program has no price".to_owned()))?;
        let bought = self.bought(item, price, &courses)?;
        Ok(Offer {
            openedx_course_id: None,
            name: program.name.clone(),
            price: if bought.is_some() { nothing(price) } else { price },
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
    ) -> Result<Option<CourseMode>, Fault> {
        if item.seats.is_some() {
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

fn nothing(price: Money) -> Money {
    Money::from_minor(0, price.currency()).unwrap_or(price)
}
