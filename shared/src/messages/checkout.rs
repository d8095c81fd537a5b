//! Buying: a basket becomes a cart, and a free one is granted at once.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Asked, Idempotency, Message};
use crate::course_mode::CourseMode;
use crate::email::Email;
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
}

impl StartCheckout {
    pub const KIND: &str = "checkout.start.v1";
}

impl From<StartCheckout> for Message {
    fn from(message: StartCheckout) -> Self {
        Self::StartCheckout(Box::new(message))
    }
}

impl Asked for StartCheckout {
    type Answer = CheckoutAnswer;
}
