//! Checkout commands: a basket becomes a cart. A free cart is granted at once; a paid cart waits for its payment.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize};
use texts::Language;
use uuid::Uuid;

use super::{Gift, Idempotency, PaymentStart};
use crate::access_period::AccessPeriod;
use crate::course_mode::CourseMode;
use crate::email::Email;
use crate::gateway::Gateway;
use crate::ids::{CartId, OrganisationId};
use crate::money::{Money, optional_decimal};
use crate::region::Country;
use crate::tax_id::TaxId;
use crate::typed;
use crate::withdrawal::Consents;

/// Checks out a guest's or a learner's basket. The command's id becomes the cart's id.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StartCheckout {
    /// The buyer's address.
    pub email: Email,
    /// The signed-in buyer; None for a guest.
    pub learner: Option<LearnerAccount>,
    pub organisation_id: OrganisationId,
    pub items: Vec<BasketItem>,
    pub billing_address: Option<BillingAddress>,
    /// The code of a voucher, as the buyer wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voucher: Option<String>,
    /// The visitor's country, which decides the regional prices; None if it is unknown.
    pub country: Option<Country>,
    /// Consents that the buyer gives.
    #[serde(default, skip_serializing_if = "Consents::is_none")]
    pub consents: Consents,
    /// A guest's visitor, as the backend tells its visitors apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visitor_id: Option<String>,
    /// In which the buyer reads; None: as the worker knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// None: through the organisation's gateway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pay_by: Option<PayBy>,
    /// The total that the buyer has seen, in major units; None: any total will do.
    #[serde(default, with = "optional_decimal", skip_serializing_if = "Option::is_none")]
    pub expected_total: Option<Decimal>,
    /// Makes its one item, of one seat, a gift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gift: Option<Gift>,
    #[serde(flatten)]
    pub labels: Labels,
    pub idempotency: Option<Idempotency>,
}

/// Another way to pay than through the organisation's gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(description = "Another way to pay than through the organisation's gateway.")
)]
pub enum PayBy {
    /// On account: the company gets its invoice at once, and pays it later.
    Invoice,
}

/// Names of an order in the seller's own systems. They are kept with it, and decide nothing: the same basket with other
/// labels is the same attempt, which keeps its first ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// A purchase order or a deal, for example; at most 64 characters. The invoice shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
}

/// A learner's account on the course platform, taken from a verified credential.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LearnerAccount {
    pub user_id: i64,
    pub username: String,
    pub name: String,
    /// Indicates whether the learner has confirmed the account's email address.
    pub is_active: bool,
}

/// One item that a buyer asks for; the worker computes its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BasketItem {
    pub kind: ItemKind,
    pub id: Uuid,
    pub mode: CourseMode,
    /// Number of seats that it buys for others: 1 to [`MOST_SEATS`]. None: a place for the buyer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<i32>,
}

/// The most seats of one item.
pub const MOST_SEATS: i32 = 1_000;

/// The most seats that an organisation can raise a pool to.
pub const MOST_IN_POOL: i32 = 100_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(as = ItemType, description = "Type of a checkout item.")
)]
pub enum ItemKind {
    Course,
    Program,
}

/// Blank fields count as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BillingAddress {
    #[cfg_attr(feature = "openapi", schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$"))]
    #[serde(default, deserialize_with = "given")]
    pub name: Option<String>,
    #[cfg_attr(feature = "openapi", schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$"))]
    #[serde(default, deserialize_with = "given")]
    pub line1: Option<String>,
    #[cfg_attr(feature = "openapi", schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$"))]
    #[serde(default, deserialize_with = "given")]
    pub line2: Option<String>,
    #[cfg_attr(feature = "openapi", schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$"))]
    #[serde(default, deserialize_with = "given")]
    pub city: Option<String>,
    /// Its name or its code of ISO 3166-2, such as `CA-QC`. Where the seller's tax depends on the state, others are refused.
    #[cfg_attr(feature = "openapi", schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$"))]
    #[serde(default, deserialize_with = "given")]
    pub state: Option<String>,
    #[cfg_attr(feature = "openapi", schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$"))]
    #[serde(default, deserialize_with = "given")]
    pub postal_code: Option<String>,
    /// ISO 3166-1 alpha-2: `GB` and `GR`, not `UK` and `EL`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, pattern = "^([A-Za-z]{2})?$", example = "IN"))]
    pub country: Option<Country>,
    /// For invoices.
    #[cfg_attr(feature = "openapi", schema(max_length = 255, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$"))]
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    /// The buyer's tax number, for invoices. The VAT ID of a company of another EU member state moves the tax to the buyer.
    #[cfg_attr(
        feature = "openapi",
        schema(
            value_type = Option<String>,
            max_length = 32,
            pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$",
            example = "DE123456789"
        )
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax_id: Option<TaxId>,
}

/// A text of an address, as requests, messages and columns have it.
fn given<'de, D: Deserializer<'de>>(text: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(text).map(typed::given)
}

/// The outcome of a checkout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum CheckoutAnswer {
    /// There is nothing to pay: the worker has granted the cart, or holds it until the address registers.
    Free { cart_id: CartId },
    /// The payment provider has the payment and waits for the buyer.
    Success(Box<PayableCart>),
}

impl CheckoutAnswer {
    /// The cart of the checkout, or that it has joined.
    pub fn cart_id(&self) -> CartId {
        match self {
            Self::Free { cart_id } => *cart_id,
            Self::Success(cart) => cart.cart_id,
        }
    }
}

/// A cart, and what the buyer's page needs to pay for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayableCart {
    pub cart_id: CartId,
    pub gateway: Gateway,
    pub total: Money,
    pub items: Vec<CartItem>,
    /// None if it did not come into question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse_charge: Option<ReverseCharge>,
    pub start: PaymentStart,
}

/// Whether the tax is the buyer's own to declare: reverse charge, for companies of other EU member states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReverseCharge {
    pub status: ReverseChargeStatus,
    /// The number under which VIES, the EU's register, can prove its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, example = "WAPIAAAAZdPWFsMr"))]
    pub consultation_number: Option<String>,
}

/// Verdict on reverse charge. `applied`: the seller charges no tax. `invalid`: VIES does not know the VAT ID, so the tax is
/// charged. `unavailable`: VIES has not said in time, so the tax is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum ReverseChargeStatus {
    Applied,
    Invalid,
    Unavailable,
}

/// A line of a cart, with the price fixed at checkout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CartItem {
    pub kind: ItemKind,
    pub id: Uuid,
    /// The course key; None for programs.
    pub openedx_course_id: Option<String>,
    pub name: String,
    pub mode: CourseMode,
    /// The seats whose prices follow; None for a place for the buyer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<i32>,
    /// The name of the dated price at which it is sold; None: at the full price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_name: Option<String>,
    /// How long it gives access.
    #[serde(flatten)]
    pub access: AccessPeriod,
    pub original: Money,
    /// The discount in percent: 0 to 100.
    pub discount_pct: Decimal,
    /// After all discounts.
    pub price: Money,
    /// Deduction of the voucher; None without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voucher_discount: Option<Money>,
    /// None if the organisation charged no tax when the line was priced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax: Option<LineTax>,
    /// The mode that the buyer already held, whose price was deducted.
    pub upgrade_from: Option<CourseMode>,
}

/// The tax of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineTax {
    pub amount: Money,
    /// Indicates whether the price contains it; otherwise it is charged on top.
    pub is_included: bool,
}

/// Replaces the items of a signed-in learner's own cart; without items it empties the cart.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SetCart {
    pub email: Email,
    pub learner: LearnerAccount,
    pub organisation_id: OrganisationId,
    pub items: Vec<BasketItem>,
    pub billing_address: Option<BillingAddress>,
    /// The code of a voucher, which the checkout of the cart uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voucher: Option<String>,
    /// Consents that the buyer gives at the checkout of the cart.
    #[serde(default, skip_serializing_if = "Consents::is_none")]
    pub consents: Consents,
    pub country: Option<Country>,
    /// In which the buyer reads; None: as the worker knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    #[serde(flatten)]
    pub labels: Labels,
    pub idempotency: Option<Idempotency>,
}

/// A learner's own cart with its prices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnerCart {
    /// None if the cart is empty.
    pub cart_id: Option<CartId>,
    /// Indicates whether a payment of the cart has been started.
    pub is_pending: bool,
    /// The code of its voucher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voucher: Option<String>,
    pub total: Option<Money>,
    pub items: Vec<CartItem>,
}

/// Checks out the learner's own cart, for the country that it was filled with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckoutCart {
    pub email: Email,
    pub learner: LearnerAccount,
    pub organisation_id: OrganisationId,
    pub idempotency: Option<Idempotency>,
}

/// The outcome of [`CheckoutCart`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum CheckoutCartAnswer {
    /// There is nothing to pay, and the worker grants the cart.
    EnrollmentPending { cart_id: CartId, total: Money, redirect_url: String },
    PaymentRequired {
        cart_id: CartId,
        gateway: Gateway,
        total: Money,
        /// None if it did not come into question.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reverse_charge: Option<ReverseCharge>,
        redirect_url: String,
    },
}

impl CheckoutCartAnswer {
    /// The learner's cart.
    pub fn cart_id(&self) -> CartId {
        match self {
            Self::EnrollmentPending { cart_id, .. } | Self::PaymentRequired { cart_id, .. } => *cart_id,
        }
    }
}

/// Grants the courses of a paid cart.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FulfilCart {
    pub cart_id: CartId,
}
