//! Quotes a basket: the buyer's price for each item, or every reason why an item cannot be bought. Pure: callers load
//! the offers and the policy.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use shared::course_mode::CourseMode;
use shared::messages::{BasketItem, BillingAddress, FieldError, ItemKind, LineTax};
use shared::money::Money;
use shared::pricing::{Policy, RegionalPrice};
use shared::region::Country;
use shared::voucher::Inapplicable;
use uuid::Uuid;

use super::tax::TaxTerms;
use super::voucher::Voucher;
use crate::store::cart_items::{CartVoucher, NewContents, NewLine};
use crate::store::holdings::{Held, Holdings};
use crate::store::offers::{CourseOffer, ModeOffer, ProgramOffer};

/// The prices that the cart freezes.
pub struct Quote {
    pub lines: Vec<NewLine>,
    pub total: Money,
    /// Every course that the basket grants, programs expanded: index of the line, course id, mode. A line for which the
    /// buyer pays nothing, because the buyer holds it already, grants none, nor do seats for others.
    pub courses: Vec<(usize, (Uuid, CourseMode))>,
    /// The voucher of which the cart takes a use; None also if it took nothing off.
    pub voucher: Option<AppliedVoucher>,
    /// None if the organisation charges no tax.
    pub tax: Option<TaxTerms>,
}

/// The voucher that pays for a part of a basket, or for all of it.
pub struct AppliedVoucher {
    pub cart: CartVoucher,
    pub code: String,
}

/// What the quote depends on.
pub struct Terms<'a> {
    pub organisation_id: Uuid,
    pub policy: &'a Policy,
    pub country: Option<Country>,
    /// None if the organisation charges no tax.
    pub tax: Option<TaxTerms>,
    pub courses: &'a HashMap<Uuid, CourseOffer>,
    pub programs: &'a HashMap<Uuid, ProgramOffer>,
    /// Empty for a guest: the price must not reveal which courses an address has.
    pub held: &'a Holdings,
    /// Whether a seat pays for the basket. It was bought while it was on sale, so only what gives no access any more is refused.
    pub is_prepaid: bool,
    pub now: DateTime<Utc>,
}

impl Quote {
    /// Quotes the items of a basket.
    ///
    /// # Errors
    /// The reasons why items cannot be bought, each with the index of its item.
    pub fn new(items: &[BasketItem], terms: Terms<'_>) -> Result<Self, Vec<FieldError>> {
        let mut errors = Vec::new();
        let (mut lines, mut courses, mut all_courses) = (Vec::new(), Vec::new(), Vec::new());
        for (index, item) in items.iter().enumerate() {
            match terms.line(*item) {
                Ok(Offered { line, leads_to, is_held }) => {
                    lines.push(line);
                    let leads_to = leads_to.into_iter().map(|course| (index, course));
                    all_courses.extend(leads_to.clone());
                    courses.extend(leads_to.filter(|_| !is_held));
                }
                Err((field, message)) => {
                    errors.push(FieldError::new(format!("items[{index}]{field}"), message))
                }
            }
        }
        errors.extend(repeated(&all_courses));
        if errors.is_empty() {
            // Every item has a line with the same index.
            errors = clashing(&lines);
        }
        if errors.is_empty() {
            match total(&mut lines, terms.tax.as_ref()) {
                Some(total) => {
                    return Ok(Self { lines, total, courses, voucher: None, tax: terms.tax });
                }
                None => errors.push(FieldError::new("items", "their total is no amount that can be paid")),
            }
        }
        Err(errors)
    }

    /// Takes a voucher off, if uses of it are left as far as is known.
    ///
    /// # Errors
    /// Why it does not apply; the quote is as before.
    pub fn apply_if_left(&mut self, voucher: &Voucher, now: DateTime<Utc>) -> Result<(), Inapplicable> {
        let mut lines = self.lines.clone();
        voucher.apply(&mut lines, now)?;
        if !voucher.has_uses_for(discount(&lines)) {
            return Err(Inapplicable::Exhausted);
        }
        self.discounted(voucher, lines);
        Ok(())
    }

    /// Takes a voucher off, whether or not uses are left: the checkout asks when it takes one.
    ///
    /// # Errors
    /// Why it does not apply; the quote is as before.
    pub fn apply(&mut self, voucher: &Voucher, now: DateTime<Utc>) -> Result<(), Inapplicable> {
        let mut lines = self.lines.clone();
        voucher.apply(&mut lines, now)?;
        self.discounted(voucher, lines);
        Ok(())
    }

    /// Replaces the lines by those from which the voucher is taken off.
    fn discounted(&mut self, voucher: &Voucher, mut lines: Vec<NewLine>) {
        let Some(cart) = voucher.use_with(discount(&lines)) else { return };
        if let Some(total) = total(&mut lines, self.tax.as_ref()) {
            (self.lines, self.total) = (lines, total);
            self.voucher = Some(AppliedVoucher { cart, code: voucher.code.clone() });
        }
    }

    /// What a cart of this quote stores.
    pub fn contents(
        &self,
        country: Option<Country>,
        billing_address: Option<&BillingAddress>,
    ) -> NewContents<'_> {
        NewContents {
            total: self.total,
            voucher: self.voucher.as_ref().map(|voucher| voucher.cart),
            tax_terms: self.tax.as_ref(),
            basket_hash: self.basket_hash(country, billing_address),
            lines: &self.lines,
            courses: &self.courses,
        }
    }

    /// A hash of items, prices, tax, currency, voucher, country and billing address: checkouts with equal hashes buy the same
    /// at the same prices, billed to the same address.
    pub fn basket_hash(&self, country: Option<Country>, billing_address: Option<&BillingAddress>) -> Vec<u8> {
        let mut lines: Vec<_> = self.lines.iter().map(|line| (line.item, line.price.price.minor())).collect();
        lines.sort_unstable();
        // A basket without seats has the same hash as in releases that knew none.
        let text = |(BasketItem { kind, id, mode, seats }, price): &(BasketItem, i64)| {
            let seats = seats.map(|seats| format!(", seats: {seats}")).unwrap_or_default();
            format!("(BasketItem {{ kind: {kind:?}, id: {id}, mode: {mode:?}{seats} }}, {price})")
        };
        let lines: Vec<String> = lines.iter().map(text).collect();
        let mut hash = Sha256::new();
        hash.update(format!("{country:?} {} [{}]", self.total.currency(), lines.join(", ")));
        // A basket without an address has the same hash as in releases that left the address out.
        if let Some((texts, country)) = billing_address.and_then(given) {
            hash.update(format!(" {texts:?} {country:?}"));
        }
        if let Some(voucher) = &self.voucher {
            hash.update(format!(" voucher {}", voucher.cart.id));
        }
        // Nor does tax change the hash of a basket without tax.
        if let Some(tax) = self.tax.as_ref().filter(|tax| !tax.components.is_empty()) {
            hash.update(format!(" tax {} {:?}", tax.is_included, tax.components));
        }
        hash.finalize().to_vec()
    }
}

/// What a voucher takes off the lines, in minor units.
fn discount(lines: &[NewLine]) -> i64 {
    lines.iter().map(|line| line.voucher_discount).sum()
}

/// The fields of an address; a blank field counts as absent. None if all are absent.
fn given(address: &BillingAddress) -> Option<(Vec<Option<&str>>, Option<Country>)> {
    let BillingAddress { name, line1, line2, city, state, postal_code, country, company, tax_id } = address;
    let mut texts = [name, line1, line2, city, state, postal_code, company, tax_id]
        .map(|text| text.as_deref().map(str::trim).filter(|text| !text.is_empty()))
        .to_vec();
    // The last two came later: an address without them has the same hash as before.
    if texts.iter().skip(6).all(Option::is_none) {
        texts.truncate(6);
    }
    (country.is_some() || texts.iter().any(Option::is_some)).then_some((texts, *country))
}

/// The wrong field, relative to `items[n]`, and the reason.
type Fault = (&'static str, String);

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
struct Offered {
    line: NewLine,
    leads_to: Vec<(Uuid, CourseMode)>,
    is_held: bool,
}

impl Terms<'_> {
    fn line(&self, item: BasketItem) -> Result<Offered, Fault> {
        let Offer { openedx_course_id, name, price, upgrade_from, rests_on, mut leads_to, is_held } =
            match item.kind {
                ItemKind::Course => self.course(item)?,
                ItemKind::Program => self.program(item)?,
            };
        if item.seats.is_some() {
            leads_to.clear();
        }
        let price = times(self.policy.apply(price, self.country), item.seats)?;
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
            offer.is_held = left == 0;
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
        return Err((".seats", "cannot be bought of what is free".to_owned()));
    }
    let all = |one: Money| {
        let minor = one.minor().saturating_mul(seats.into());
        let too_much = |_| (".seats", "their price is no amount that can be paid".to_owned());
        Money::from_minor(minor, one.currency()).map_err(too_much)
    };
    Ok(RegionalPrice { price: all(price.price)?, original: all(price.original)?, ..price })
}

fn nothing(price: Money) -> Money {
    Money::from_minor(0, price.currency()).unwrap_or(price)
}

/// One error for each item with a course that the same or an earlier item already contains.
fn repeated(courses: &[(usize, (Uuid, CourseMode))]) -> Vec<FieldError> {
    let mut seen = HashSet::new();
    let mut errors: Vec<FieldError> = courses
        .iter()
        .filter(|(_, (course, _))| !seen.insert(course))
        .map(|(index, _)| {
            FieldError::new(format!("items[{index}].id"), "leads to a course that is in the basket already")
        })
        .collect();
    errors.dedup();
    errors
}

/// One error for each line that names its currency, if the currencies differ.
fn clashing(lines: &[NewLine]) -> Vec<FieldError> {
    let currencies: HashSet<&str> = lines.iter().map(|line| line.price.price.currency().code()).collect();
    if currencies.len() < 2 {
        return Vec::new();
    }
    let clash = |(index, line): (usize, &NewLine)| {
        let message = format!(
            "is priced in {}; all items of one basket must be priced in the same currency",
            line.price.price.currency()
        );
        FieldError::new(format!("items[{index}]"), message)
    };
    lines.iter().enumerate().map(clash).collect()
}

/// Sets the tax of each line, and adds the lines up. None if there are no lines, the currencies differ, or an amount is out
/// of range.
fn total(lines: &mut [NewLine], terms: Option<&TaxTerms>) -> Option<Money> {
    let currency = lines.first()?.price.price.currency();
    let mut total: i64 = 0;
    for line in lines {
        let price = line.price.price;
        if price.currency() != currency {
            return None;
        }
        if let Some(terms) = terms {
            let amount = Money::from_minor(terms.of(price.minor()), currency).ok()?;
            line.tax = Some(LineTax { amount, is_included: terms.is_included });
        }
        total = total.checked_add(price.minor())?.checked_add(line.tax_on_top())?;
    }
    Money::from_minor(total, currency).ok()
}
