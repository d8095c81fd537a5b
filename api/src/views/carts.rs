//! JSON of carts and their lines.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use shared::messages::{CartItem, ItemKind, LearnerCart};
use shared::money::{Amount, Money};
use utoipa::ToSchema;
use uuid::Uuid;

use super::price::number;
use super::standing::Standing;
use super::transfers::AwaitedTransferBody;
use crate::queries::carts::{AwaitedTransfer, CartRow, LineRow};
use crate::words::{CartStatus, ItemEnrollment, LearnerCartStatus};
use shared::course_mode::CourseMode;
use shared::gateway::Gateway;

pub(super) use super::standing::worst;

/// A line of a cart, priced as it was frozen.
#[derive(Debug, Serialize, ToSchema)]
pub struct ItemDetail {
    r#type: ItemKind,
    /// The service UUID of the course or program.
    id: Uuid,
    /// Null for programs.
    openedx_course_id: Option<String>,
    name: String,
    #[schema(value_type = CourseMode)]
    mode: &'static str,
    /// The seats that the line buys for others; its amounts are those of all of them. Left out for a place of the buyer's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1000, example = 30)]
    seats: Option<i32>,
    /// The name of the dated price at which the line is sold. Left out at the full price.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Early bird")]
    price_name: Option<String>,
    /// How many days of access it gives, to the end of the last one at the seller; those bought again follow the first. Left out if they
    /// do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, example = 180)]
    access_days: Option<i32>,
    /// When the access ends at the latest. Left out without such a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    access_until: Option<DateTime<Utc>>,
    /// The full price: before the regional discount and without a dated price. For an upgrade, the price of the held mode is already taken off.
    #[serde(rename = "originalPrice")]
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    original_price: Amount,
    /// The regional discount in percent; 0 without one.
    #[serde(rename = "discountPct", serialize_with = "number")]
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 0)]
    discount_pct: Decimal,
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    price: Amount,
    /// Deduction of the voucher; `price` is what is left. Left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, nullable = false, exclusive_minimum = 0, example = 12.5)]
    voucher_discount: Option<Amount>,
    /// The tax of the line, rounded to the minor unit: contained in `price`, or charged on top of it, as the organisation's
    /// `prices_include_tax` says. Left out if the organisation charges none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, nullable = false, minimum = 0, example = 7.98)]
    tax: Option<Amount>,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    /// The mode that the buyer held already, whose price was taken off; null without an upgrade. At a price of 0 for what
    /// is held, the checkout changes nothing.
    #[schema(value_type = Option<CourseMode>)]
    upgrade_from: Option<&'static str>,
}

impl From<CartItem> for ItemDetail {
    fn from(item: CartItem) -> Self {
        Self {
            r#type: item.kind,
            id: item.id,
            openedx_course_id: item.openedx_course_id,
            name: item.name,
            mode: item.mode.slug(),
            seats: item.seats,
            price_name: item.price_name,
            access_days: item.access.days,
            access_until: item.access.until,
            original_price: Amount(item.original),
            discount_pct: item.discount_pct,
            price: Amount(item.price),
            voucher_discount: item.voucher_discount.map(Amount),
            tax: item.tax.map(|tax| Amount(tax.amount)),
            currency: item.price.currency().code(),
            upgrade_from: item.upgrade_from.map(|mode| mode.slug()),
        }
    }
}

/// The tax of all lines; None if the organisation charges none.
pub fn total_tax<'a>(items: impl Iterator<Item = &'a CartItem>) -> Option<Amount> {
    let taxes: Vec<Money> = items.filter_map(|item| Some(item.tax?.amount)).collect();
    let minor = taxes.iter().map(|tax| tax.minor()).sum();
    Money::from_minor(minor, taxes.first()?.currency()).ok().map(Amount)
}

/// The tax that a buyer pays beside the prices; None without any.
pub fn tax_on_top<'a>(items: impl Iterator<Item = &'a CartItem>) -> Option<Money> {
    let on_top = items.filter(|item| item.tax.is_some_and(|tax| !tax.is_included));
    total_tax(on_top).map(|Amount(tax)| tax).filter(|tax| tax.minor() > 0)
}

/// A learner's own cart.
#[derive(Debug, Serialize, ToSchema)]
pub struct CartBody {
    /// Null while it is empty.
    cart_id: Option<Uuid>,
    status: LearnerCartStatus,
    /// 0 for an empty cart.
    #[schema(value_type = f64, minimum = 0, example = 199)]
    total_price: TotalPrice,
    #[schema(pattern = "^[A-Z]{3}$", example = "USD")]
    currency: String,
    /// The code of its voucher. Left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "SPRING-26")]
    voucher: Option<String>,
    items: Vec<ItemDetail>,
}

/// An amount; 0 if there is none.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum TotalPrice {
    Nothing(u8),
    Amount(Amount),
}

impl CartBody {
    /// A cart from its stored rows; an empty one shows the organisation's `currency`.
    pub fn stored(cart: Option<CartRow>, lines: Vec<LineRow>, currency: String) -> Self {
        let is_pending = cart.as_ref().is_some_and(|cart| cart.state == CartStatus::PendingPayment);
        let items = lines.into_iter().map(|line| line.item).collect();
        let voucher = cart.as_ref().and_then(|cart| cart.voucher.clone());
        let (cart_id, total) = cart.map(|cart| (cart.id, cart.total)).unzip();
        Self::answered(LearnerCart { cart_id, is_pending, voucher, total, items }, currency)
    }

    pub fn answered(cart: LearnerCart, currency: String) -> Self {
        let LearnerCart { cart_id, is_pending, voucher, total, items } = cart;
        Self {
            cart_id: cart_id.map(Into::into),
            voucher,
            status: if is_pending { LearnerCartStatus::PendingPayment } else { LearnerCartStatus::Open },
            currency: total.map_or(currency, |total| total.currency().code().to_owned()),
            total_price: total.map_or(TotalPrice::Nothing(0), |total| TotalPrice::Amount(Amount(total))),
            items: items.into_iter().map(ItemDetail::from).collect(),
        }
    }
}

/// Status of a cart and its payment.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatusBody {
    /// The id of the cart itself, also if the path names another checkout that has joined it.
    cart_id: Uuid,
    status: CartStatus,
    /// Null if there was nothing to pay.
    #[schema(value_type = Option<Gateway>)]
    gateway: Option<String>,
    /// Amount that the buyer was charged, or is to be charged: with an offer of the provider, less than the items cost
    /// together.
    #[schema(value_type = f64, minimum = 0, example = 199)]
    total_price: Amount,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    /// True only if every attempt at this cart is known to be dead at the provider, so that a new charge is safe.
    safe_to_charge_again: bool,
    /// True while the provider works on the payment: the buyer has chosen a bank transfer, a voucher or another slow means
    /// of payment, or the bank has authorised the payment. Do not offer to pay again; it can take days.
    waiting_for_bank: bool,
    standing: Standing,
    /// What the buyer is yet to transfer to the organisation. Left out if nothing is awaited, or a provider takes the money.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    transfer: Option<AwaitedTransferBody>,
    items: Vec<StatusItem>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct StatusItem {
    #[serde(flatten)]
    item: ItemDetail,
    /// Null before it is granted. For a program, the state that needs the most attention. An item that the learner held
    /// already, and which costs nothing, shows the state of what is held.
    enrollment_state: Option<ItemEnrollment>,
}

impl StatusBody {
    pub fn new(cart: CartRow, lines: Vec<LineRow>, awaited: Option<AwaitedTransfer>) -> Self {
        use CartStatus::{Cancelled, Expired, Open, Refunded};
        let is_over = matches!(cart.state, Open | Cancelled | Expired | Refunded);
        let standing = cart.standing(&lines);
        let items = lines
            .into_iter()
            .map(|line| StatusItem { enrollment_state: worst(&line.enrollments), item: line.item.into() });
        Self {
            cart_id: cart.id.into(),
            items: items.collect(),
            safe_to_charge_again: is_over && !cart.may_be_charged,
            waiting_for_bank: cart.payment.waits_for_bank,
            standing,
            transfer: awaited.map(AwaitedTransferBody::from),
            status: cart.state,
            gateway: cart.gateway,
            total_price: Amount(cart.total),
            currency: cart.total.currency().code(),
        }
    }
}

impl CartRow {
    /// Standing of the cart with these lines.
    pub fn standing(&self, lines: &[LineRow]) -> Standing {
        let lines = lines.iter().map(|line| (line.item.seats.is_some(), line.enrollments.as_slice()));
        Standing::new(self.state, self.payment, lines)
    }
}
