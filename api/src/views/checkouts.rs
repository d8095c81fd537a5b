//! JSON of what checkouts lead to. Each shape is a complete object, told apart by `status` and `gateway`.

use chrono::NaiveDate;
use serde::Serialize;
use shared::gateway::Gateway;
use shared::messages::{CheckoutAnswer, CheckoutCartAnswer, PayableCart, PaymentStart, ReverseCharge};
use shared::money::Amount;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use super::carts::ItemDetail;
use crate::gateways::{Style, profile};
use crate::openapi::schemas;
use uuid::Uuid;

/// Result of a checkout. `status` says whether there is something to pay, and `gateway` how the buyer pays.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum CheckoutReply {
    Intent(IntentCheckout),
    Redirect(RedirectCheckout),
    Order(OrderCheckout),
    Transfer(TransferCheckout),
    Free(FreeCheckout),
}

/// Items that are paid for.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaidCheckout {
    #[schema(schema_with = success)]
    status: &'static str,
    /// The cart of this checkout, or of an earlier attempt at the same basket that it has joined.
    cart_id: Uuid,
    #[schema(value_type = f64, minimum = 0, example = 199)]
    total_price: Amount,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    items_detail: Vec<ItemDetail>,
    /// Whether the buyer declares the tax, as companies of other EU member states do, and if not, why. Left out if it does not come
    /// into question.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reverse_charge: Option<ReverseCharge>,
}

/// The provider waits for the buyer, who confirms an intent with the provider's script. Access follows the provider's signed
/// notification.
#[derive(Debug, Serialize, ToSchema)]
pub struct IntentCheckout {
    #[serde(flatten)]
    paid: PaidCheckout,
    #[schema(schema_with = intent_gateways)]
    gateway: &'static str,
    client_secret: String,
    publishable_key: String,
    /// For signed-in learners. Left out when unavailable.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    customer_session_client_secret: Option<String>,
}

/// The provider waits for the buyer on a page of its own. Access follows the provider's signed notification.
#[derive(Debug, Serialize, ToSchema)]
pub struct RedirectCheckout {
    #[serde(flatten)]
    paid: PaidCheckout,
    #[schema(schema_with = redirect_gateways)]
    gateway: &'static str,
    /// The provider's page.
    #[schema(format = "uri")]
    redirect_url: String,
    payment_id: String,
}

/// The provider waits for the buyer, who pays an order with the provider's script. Access follows the provider's signed
/// notification.
#[derive(Debug, Serialize, ToSchema)]
pub struct OrderCheckout {
    #[serde(flatten)]
    paid: PaidCheckout,
    #[schema(schema_with = order_gateways)]
    gateway: &'static str,
    order_id: String,
    key_id: String,
    /// In subunits of the currency.
    #[schema(minimum = 1)]
    amount: i64,
}

/// The buyer pays to the organisation's bank account. Access follows the organisation's report that all of the money has arrived.
#[derive(Debug, Serialize, ToSchema)]
pub struct TransferCheckout {
    #[serde(flatten)]
    paid: PaidCheckout,
    #[schema(schema_with = transfer_gateways)]
    gateway: &'static str,
    /// The creditor reference of ISO 11649 that the buyer gives with the transfer.
    #[schema(pattern = "^RF[0-9]{2}[0-9A-Z]{1,21}$", example = "RF18539007547034")]
    payment_reference: String,
    /// The account, a line each.
    bank_lines: Vec<String>,
    due_on: NaiveDate,
}

/// Nothing to pay: access is given, or held until the address registers.
#[derive(Debug, Serialize, ToSchema)]
pub struct FreeCheckout {
    #[schema(schema_with = free)]
    status: &'static str,
    /// The cart of this checkout, or of an earlier attempt at the same basket that it has joined.
    cart_id: Uuid,
}

fn success() -> RefOr<Schema> {
    schemas::one_of("There is something to pay.", ["success"].into_iter())
}

fn free() -> RefOr<Schema> {
    schemas::one_of("There is nothing to pay.", ["free"].into_iter())
}

fn intent_gateways() -> RefOr<Schema> {
    gateways(Style::Intent)
}

fn redirect_gateways() -> RefOr<Schema> {
    gateways(Style::Redirect)
}

fn order_gateways() -> RefOr<Schema> {
    gateways(Style::Order)
}

fn transfer_gateways() -> RefOr<Schema> {
    gateways(Style::Transfer)
}

fn gateways(style: Style) -> RefOr<Schema> {
    let gateways = Gateway::ALL.iter().filter(|gateway| profile(**gateway).style == style);
    schemas::one_of("A payment gateway of this style.", gateways.map(|gateway| gateway.name()))
}

impl From<CheckoutAnswer> for CheckoutReply {
    fn from(answer: CheckoutAnswer) -> Self {
        let PayableCart { cart_id, gateway, total, items, reverse_charge, start } = match answer {
            CheckoutAnswer::Free { cart_id } => {
                return Self::Free(FreeCheckout { status: "free", cart_id: cart_id.into() });
            }
            CheckoutAnswer::Success(cart) => *cart,
        };
        let gateway = gateway.name();
        let paid = PaidCheckout {
            status: "success",
            cart_id: cart_id.into(),
            total_price: Amount(total),
            currency: total.currency().code(),
            items_detail: items.into_iter().map(ItemDetail::from).collect(),
            reverse_charge,
        };
        match start {
            PaymentStart::Intent { client_secret, publishable_key, customer_session_client_secret } => {
                Self::Intent(IntentCheckout {
                    paid,
                    gateway,
                    client_secret,
                    publishable_key,
                    customer_session_client_secret,
                })
            }
            PaymentStart::Redirect { redirect_url, payment_id } => {
                Self::Redirect(RedirectCheckout { paid, gateway, redirect_url, payment_id })
            }
            PaymentStart::Order { order_id, key_id, amount } => {
                Self::Order(OrderCheckout { paid, gateway, order_id, key_id, amount })
            }
            PaymentStart::Transfer { payment_reference, bank_lines, due_on } => {
                Self::Transfer(TransferCheckout { paid, gateway, payment_reference, bank_lines, due_on })
            }
        }
    }
}

/// Result of the checkout of a learner's cart. `status` says whether there is something to pay.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum CartCheckoutReply {
    Paid(PaidCartCheckout),
    Free(FreeCartCheckout),
}

/// The buyer pays at `redirect_url`.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaidCartCheckout {
    #[schema(schema_with = payment_required)]
    status: &'static str,
    cart_id: Uuid,
    #[schema(value_type = Gateway)]
    gateway: &'static str,
    #[schema(value_type = f64, example = 199)]
    total_price: Amount,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    /// Whether the buyer declares the tax, as companies of other EU member states do, and if not, why. Left out if it does not come
    /// into question.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reverse_charge: Option<ReverseCharge>,
    /// The provider's page, or the payment page of this service.
    #[schema(format = "uri")]
    redirect_url: String,
}

/// Nothing to pay: the learner is enrolled.
#[derive(Debug, Serialize, ToSchema)]
pub struct FreeCartCheckout {
    #[schema(schema_with = enrollment_pending)]
    status: &'static str,
    cart_id: Uuid,
    /// 0.
    #[schema(value_type = f64, maximum = 0, example = 0)]
    total_price: Amount,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    /// The status route of the cart.
    #[schema(format = "uri")]
    redirect_url: String,
}

fn payment_required() -> RefOr<Schema> {
    schemas::one_of("There is something to pay.", ["payment_required"].into_iter())
}

fn enrollment_pending() -> RefOr<Schema> {
    schemas::one_of("There is nothing to pay.", ["enrollment_pending"].into_iter())
}

impl From<CheckoutCartAnswer> for CartCheckoutReply {
    fn from(answer: CheckoutCartAnswer) -> Self {
        match answer {
            CheckoutCartAnswer::EnrollmentPending { cart_id, total, redirect_url } => {
                let (total_price, currency) = (Amount(total), total.currency().code());
                let status = "enrollment_pending";
                Self::Free(FreeCartCheckout {
                    status,
                    cart_id: cart_id.into(),
                    total_price,
                    currency,
                    redirect_url,
                })
            }
            CheckoutCartAnswer::PaymentRequired { cart_id, gateway, total, reverse_charge, redirect_url } => {
                let (gateway, total_price) = (gateway.name(), Amount(total));
                let (status, currency) = ("payment_required", total.currency().code());
                Self::Paid(PaidCartCheckout {
                    status,
                    cart_id: cart_id.into(),
                    gateway,
                    total_price,
                    currency,
                    reverse_charge,
                    redirect_url,
                })
            }
        }
    }
}
