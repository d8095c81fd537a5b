//! The lines of a cart: what a basket is frozen to.

use serde::Deserialize;
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::ids::VoucherId;
use shared::messages::{BasketItem, Gift, Labels, LineTax};
use shared::money::Money;
use shared::pricing::RegionalPrice;
use shared::withdrawal::Agreed;
use uuid::Uuid;

use super::tax::TaxTerms;

/// Contents that a cart freezes: its lines with their prices, and the courses that they grant.
pub struct NewContents<'a> {
    pub total: Money,
    /// None if the cart has none, or if it takes nothing off.
    pub voucher: Option<CartVoucher>,
    /// None if the organisation charges no tax.
    pub tax_terms: Option<&'a TaxTerms>,
    /// None if the buyer has no right of withdrawal.
    pub consents: Option<&'a Agreed>,
    pub labels: Option<&'a Labels>,
    pub gift: Option<&'a Gift>,
    /// Equal for carts of the same items, prices, voucher and country.
    pub basket_hash: Vec<u8>,
    pub lines: &'a [NewLine],
    /// Each course with its mode, and the index of the line that grants it.
    pub courses: &'a [(usize, (Uuid, CourseMode))],
}

impl NewContents<'_> {
    /// The courses that the cart grants, ordered by id.
    pub fn granted(&self) -> Vec<CourseGrant> {
        let grant = |(line, (course_id, mode)): &(usize, (Uuid, CourseMode))| CourseGrant {
            course_id: *course_id,
            mode: *mode,
            rests_on: self.lines.get(*line).and_then(|line| line.rests_on),
        };
        let mut courses: Vec<_> = self.courses.iter().map(grant).collect();
        courses.sort_unstable_by_key(|course| course.course_id);
        courses
    }
}

/// The voucher of a cart.
#[derive(Clone, Copy)]
pub struct CartVoucher {
    pub id: VoucherId,
    /// Amount that it takes off all lines, in minor units; 0 of a seat, which takes no money.
    pub discount: i64,
    /// Indicates whether it is a pool of seats, which pays for the cart.
    pub is_seat: bool,
    /// The course in which it holds a place for the buyer.
    pub place: Option<Uuid>,
}

/// One item of a basket with its price.
#[derive(Clone)]
pub struct NewLine {
    pub item: BasketItem,
    /// The course key; None for programs.
    pub openedx_course_id: Option<String>,
    pub name: String,
    /// The name of the dated price at which it is sold; None: at the full price.
    pub price_name: Option<String>,
    pub access: AccessPeriod,
    /// Its `price` is what the buyer pays, for all seats together.
    pub price: RegionalPrice,
    /// Amount that the voucher has taken off, in minor units.
    pub voucher_discount: i64,
    /// None if the organisation charges no tax.
    pub tax: Option<LineTax>,
    /// The mode that the buyer already holds; its price has been subtracted.
    pub upgrade_from: Option<CourseMode>,
    /// The grant whose price has been subtracted.
    pub rests_on: Option<Uuid>,
}

impl NewLine {
    /// The tax that the buyer pays beside the price, in minor units.
    pub fn tax_on_top(&self) -> i64 {
        self.tax.filter(|tax| !tax.is_included).map_or(0, |tax| tax.amount.minor())
    }
}

/// A course to grant.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct CourseGrant {
    pub course_id: Uuid,
    pub mode: CourseMode,
    /// The grant whose price an upgrade's price was reduced by.
    pub rests_on: Option<Uuid>,
}
