//! Buying: a basket becomes a cart; a free one is granted at once, and a paid one waits for its payment.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Asked, Idempotency, Message, PaymentStart};
use crate::course_mode::CourseMode;
use crate::email::Email;
use crate::gateway::Gateway;
use crate::money::Money;
use crate::region::Country;

/// A guest's or a learner's checkout. The command's id becomes the cart's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StartCheckout {
    /// The purchaser's.
    pub email: Email,
    /// The signed-in buyer; None for a guest.
    #[serde(default)]
    pub learner: Option<Account>,
    pub organisation_id: Uuid,
    pub items: Vec<BasketItem>,
    pub billing_address: Option<BillingAddress>,
    /// Where the visitor is, as the storefront backend says; prices follow it.
    pub country: Option<Country>,
    pub idempotency: Option<Idempotency>,
}

/// A learner's account on the course platform, as a credential proved it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    pub user_id: i64,
    pub username: String,
    pub name: String,
    /// Whether it has proved its address.
    pub is_active: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BasketItem {
    pub kind: ItemKind,
    pub id: Uuid,
    pub mode: CourseMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    Course,
    Program,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BillingAddress {
    pub name: Option<String>,
    pub line1: Option<String>,
    pub line2: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub postal_code: Option<String>,
    pub country: Option<Country>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum CheckoutAnswer {
    /// Nothing to pay: granted, or held until the address registers.
    Free { cart_id: Uuid },
    /// The provider knows the payment, and waits for the buyer.
    Success(Box<PayableCart>),
}

/// A cart, and what its buyer pays with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayableCart {
    pub cart_id: Uuid,
    pub gateway: Gateway,
    pub total: Money,
    pub items: Vec<CartItem>,
    pub start: PaymentStart,
}

/// A line of a cart, as it was frozen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CartItem {
    pub kind: ItemKind,
    pub id: Uuid,
    /// Courses only.
    pub openedx_course_id: Option<String>,
    pub name: String,
    pub mode: CourseMode,
    pub original: Money,
    /// 0 to 100.
    pub discount_pct: Decimal,
    pub price: Money,
    /// The mode that the buyer held already, whose price was taken off.
    pub upgrade_from: Option<CourseMode>,
}

/// What a signed-in learner's own cart shall hold from now on; nothing empties it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SetCart {
    pub email: Email,
    pub learner: Account,
    pub organisation_id: Uuid,
    pub items: Vec<BasketItem>,
    pub billing_address: Option<BillingAddress>,
    pub country: Option<Country>,
    pub idempotency: Option<Idempotency>,
}

/// The learner's own cart, priced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnerCart {
    /// None if it is empty.
    pub cart_id: Option<Uuid>,
    /// Whether its payment has been started.
    pub is_pending: bool,
    pub total: Option<Money>,
    pub items: Vec<CartItem>,
}

/// Checkout of the learner's own cart, with the country that it was made with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckoutCart {
    pub email: Email,
    pub learner: Account,
    pub organisation_id: Uuid,
    pub idempotency: Option<Idempotency>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum CheckoutCartAnswer {
    /// Nothing to pay.
    EnrollmentPending {
        cart_id: Uuid,
        total: Money,
        redirect_url: String,
    },
    PaymentRequired {
        cart_id: Uuid,
        gateway: Gateway,
        total: Money,
        redirect_url: String,
    },
}

/// Access for a paid cart.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FulfilCart {
    pub cart_id: Uuid,
}

impl StartCheckout {
    pub const KIND: &str = "checkout.start.v1";
}

impl SetCart {
    pub const KIND: &str = "checkout.set_cart.v1";
}

impl CheckoutCart {
    pub const KIND: &str = "checkout.cart.v1";
}

impl FulfilCart {
    /// Among the grants: it waits for the platform and not for a payment provider.
    pub const KIND: &str = "enrollment.fulfil_cart.v1";
}

impl From<StartCheckout> for Message {
    fn from(message: StartCheckout) -> Self {
        Self::StartCheckout(Box::new(message))
    }
}

impl From<SetCart> for Message {
    fn from(message: SetCart) -> Self {
        Self::SetCart(Box::new(message))
    }
}

impl From<CheckoutCart> for Message {
    fn from(message: CheckoutCart) -> Self {
        Self::CheckoutCart(message)
    }
}

impl From<FulfilCart> for Message {
    fn from(message: FulfilCart) -> Self {
        Self::FulfilCart(message)
    }
}

impl Asked for StartCheckout {
    type Answer = CheckoutAnswer;
}

impl Asked for SetCart {
    type Answer = LearnerCart;
}

impl Asked for CheckoutCart {
    type Answer = CheckoutCartAnswer;
}
