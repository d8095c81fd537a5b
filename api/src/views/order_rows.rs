//! Rows of orders for CSV: one for each line, which repeats its order.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use shared::course_mode::CourseMode;
use shared::messages::ItemKind;
use shared::money::{Amount, Currency};
use utoipa::ToSchema;
use uuid::Uuid;

use super::carts::worst;
use super::orders::OrderAddress;
use super::price::number;
use crate::queries::orders::{Order, OrderLine};
use crate::words::{ItemEnrollment, OrderStatus};

/// A line of an order. Amounts are as in its JSON.
#[derive(Serialize, ToSchema)]
pub struct OrderRow {
    cart_id: Uuid,
    status: OrderStatus,
    placed_at: DateTime<Utc>,
    paid_at: Option<DateTime<Utc>>,
    gateway: Option<String>,
    total_price: Amount,
    tax: Option<Amount>,
    #[schema(value_type = String)]
    currency: Currency,
    voucher: Option<String>,
    refunded_amount: Amount,
    lost_amount: Amount,
    email: String,
    billing_name: Option<String>,
    billing_line1: Option<String>,
    billing_line2: Option<String>,
    billing_city: Option<String>,
    billing_state: Option<String>,
    billing_postal_code: Option<String>,
    billing_country: Option<String>,
    billing_company: Option<String>,
    billing_tax_id: Option<String>,
    item_position: i32,
    item_type: ItemKind,
    item_id: Uuid,
    item_openedx_course_id: Option<String>,
    item_name: String,
    item_mode: CourseMode,
    #[serde(rename = "item_originalPrice")]
    item_original_price: Amount,
    #[serde(rename = "item_discountPct", serialize_with = "number")]
    #[schema(value_type = f64)]
    item_discount_pct: Decimal,
    item_price: Amount,
    item_voucher_discount: Option<Amount>,
    item_tax: Option<Amount>,
    item_upgrade_from: Option<CourseMode>,
    item_refunded_amount: Amount,
    item_refundable_until: Option<DateTime<Utc>>,
    item_enrollment_state: Option<ItemEnrollment>,
    item_seats: Option<i32>,
    reference: Option<String>,
    metadata: BTreeMap<String, String>,
}

/// The rows of orders, in their order.
pub fn rows(orders: Vec<Order>) -> impl Iterator<Item = OrderRow> {
    orders.into_iter().flat_map(|mut order| {
        let address = order.billing_address.take().and_then(OrderAddress::stored).unwrap_or_default();
        let lines = std::mem::take(&mut order.lines);
        lines.into_iter().map(move |line| row(&order, address.clone(), line))
    })
}

fn row(order: &Order, address: OrderAddress, line: OrderLine) -> OrderRow {
    let item = line.item;
    OrderRow {
        cart_id: order.id.into(),
        status: order.state,
        placed_at: order.placed_at,
        paid_at: order.paid_at,
        gateway: order.gateway.clone(),
        total_price: Amount(order.total),
        tax: order.tax.map(Amount),
        currency: order.total.currency(),
        voucher: order.voucher.clone(),
        refunded_amount: Amount(order.refunded),
        lost_amount: Amount(order.lost),
        email: order.email.clone(),
        billing_name: address.name,
        billing_line1: address.line1,
        billing_line2: address.line2,
        billing_city: address.city,
        billing_state: address.state,
        billing_postal_code: address.postal_code,
        billing_country: address.country,
        billing_company: address.company,
        billing_tax_id: address.tax_id,
        item_position: line.position,
        item_type: item.kind,
        item_id: item.id,
        item_openedx_course_id: item.openedx_course_id,
        item_name: item.name,
        item_mode: item.mode,
        item_original_price: Amount(item.original),
        item_discount_pct: item.discount_pct.normalize(),
        item_price: Amount(item.price),
        item_voucher_discount: item.voucher_discount.map(Amount),
        item_tax: item.tax.map(|tax| Amount(tax.amount)),
        item_upgrade_from: item.upgrade_from,
        item_refunded_amount: Amount(line.refunded),
        item_refundable_until: line.refundable_until,
        item_enrollment_state: worst(&line.enrollments),
        item_seats: item.seats,
        reference: order.labels.reference.clone(),
        metadata: order.labels.metadata.clone().unwrap_or_default(),
    }
}
