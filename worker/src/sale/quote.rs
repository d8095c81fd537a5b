//! Quotes a basket: the buyer's price for each item, or every reason why an item cannot be bought. Pure: callers load
//! the offers and the policy.
//!
//! Why: `docs/decisions/held-lines-grant-nothing.md`

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::messages::{BasketItem, BillingAddress, CartItem, FieldError, LineTax, ReverseCharge};
use shared::money::Money;
use shared::region::Country;
use shared::tax_id::TaxId;
use shared::voucher::Inapplicable;
use store::model::line::{CartVoucher, NewContents, NewLine};
use store::model::tax::TaxTerms;
use store::model::voucher::Voucher;
use uuid::Uuid;

use super::offer::{Offered, Terms};

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
    /// The first instant, as far as is known, at which a price is another or a sale is over.
    pub holds_until: Option<DateTime<Utc>>,
}

/// The voucher that pays for a part of a basket, or for all of it.
pub struct AppliedVoucher {
    pub cart: CartVoucher,
    pub code: String,
}

impl Quote {
    /// Quotes the items of a basket.
    ///
    /// # Errors
    /// The reasons why items cannot be bought, each with the index of its item.
    pub fn new(items: &[BasketItem], terms: &Terms<'_>) -> Result<Self, Vec<FieldError>> {
        let mut errors = Vec::new();
        let (mut lines, mut courses, mut all_courses) = (Vec::new(), Vec::new(), Vec::new());
        let mut holds_until: Option<DateTime<Utc>> = None;
        for (index, item) in items.iter().enumerate() {
            match terms.line(*item) {
                Ok(Offered { line, leads_to, is_held, holds_until: until }) => {
                    lines.push(line);
                    holds_until = holds_until.into_iter().chain(until).min();
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
                    let tax = terms.tax.clone();
                    return Ok(Self { lines, total, courses, voucher: None, tax, holds_until });
                }
                None => errors.push(FieldError::new("items", "their total is no amount that can be paid")),
            }
        }
        Err(errors)
    }

    /// The lines as their buyer sees them.
    pub fn items(&self) -> Vec<CartItem> {
        let discount = |line: &NewLine| Money::from_minor(line.voucher_discount, self.total.currency());
        let item = |line: &NewLine| CartItem {
            kind: line.item.kind,
            id: line.item.id,
            openedx_course_id: line.openedx_course_id.clone(),
            name: line.name.clone(),
            mode: line.item.mode,
            seats: line.item.seats,
            price_name: line.price_name.clone(),
            access: line.access,
            original: line.price.original,
            discount_pct: line.price.discount_pct.normalize(),
            price: line.price.price,
            tax: line.tax,
            voucher_discount: discount(line).ok().filter(|discount| discount.minor() > 0),
            upgrade_from: line.upgrade_from,
        };
        self.lines.iter().map(item).collect()
    }

    /// Returns whether the buyer is charged tax.
    pub fn is_taxed(&self) -> bool {
        self.lines.iter().any(|line| line.tax.is_some_and(|tax| tax.amount.minor() > 0))
    }

    /// The verdict on reverse charge; None if it does not come into question.
    pub fn reverse_charge(&self) -> Option<ReverseCharge> {
        self.tax.as_ref()?.vat_check.as_ref().map(ReverseCharge::from)
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
            self.holds_until = self.holds_until.into_iter().chain(voucher.valid_until).min();
            self.voucher = Some(AppliedVoucher { cart, code: voucher.code.clone() });
        }
    }

    /// Returns what a cart of this quote stores.
    pub fn contents(
        &self,
        country: Option<Country>,
        billing_address: Option<&BillingAddress>,
    ) -> NewContents<'_> {
        NewContents {
            total: self.total,
            voucher: self.voucher.as_ref().map(|voucher| voucher.cart),
            tax_terms: self.tax.as_ref(),
            consents: None,
            labels: None,
            gift: None,
            basket_hash: self.basket_hash(country, billing_address),
            lines: &self.lines,
            courses: &self.courses,
        }
    }

    /// A hash of items, prices, periods of access, tax, currency, voucher, country and billing address: checkouts with equal hashes
    /// buy the same at the same prices, billed to the same address.
    pub fn basket_hash(&self, country: Option<Country>, billing_address: Option<&BillingAddress>) -> Vec<u8> {
        let mut lines: Vec<_> = self.lines.iter().map(|line| (line.item, line.price.price.minor())).collect();
        lines.sort_unstable();
        let has_period = |line: &&NewLine| line.access != AccessPeriod::default();
        let mut periods: Vec<_> =
            self.lines.iter().filter(has_period).map(|line| (line.item, line.access)).collect();
        periods.sort_unstable_by_key(|(item, _)| *item);
        let address = billing_address.and_then(fields);
        let voucher = self.voucher.as_ref().map(|voucher| voucher.cart.id);
        let tax = self.tax.as_ref().map(|tax| (tax.is_included, &tax.components));
        let basket = (country, self.total.currency(), lines, address, voucher, tax);
        // Without periods, the hash is that of earlier versions, whose carts are still open.
        let basket =
            if periods.is_empty() { format!("{basket:?}") } else { format!("{basket:?}{periods:?}") };
        Sha256::digest(basket).to_vec()
    }
}

/// Sums what a voucher takes off the lines, in minor units.
fn discount(lines: &[NewLine]) -> i64 {
    lines.iter().map(|line| line.voucher_discount).sum()
}

/// The fields of an address. None if all are absent.
fn fields(address: &BillingAddress) -> Option<([Option<&str>; 8], Option<Country>)> {
    let BillingAddress { name, line1, line2, city, state, postal_code, country, company, tax_id } = address;
    let tax_id = tax_id.as_ref().map(TaxId::as_str);
    let texts = [name, line1, line2, city, state, postal_code, company].map(Option::as_deref);
    let [name, line1, line2, city, state, postal_code, company] = texts;
    let texts = [name, line1, line2, city, state, postal_code, company, tax_id];
    (country.is_some() || texts.iter().any(Option::is_some)).then_some((texts, *country))
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
