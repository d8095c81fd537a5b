//! JSON of orders.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use shared::link;
use shared::messages::{BillingAddress, ReverseCharge};
use shared::money::Amount;
use shared::settings::LinkSettings;
use utoipa::ToSchema;

use super::carts::{ItemDetail, worst};
use super::envelope::Envelope;
use super::standing::Standing;
use super::transfers::OrderTransferBody;
use crate::openapi::schemas;
use crate::queries::orders::{MovedTo, Order, OrderDocument, OrderGift, OrderLine, OrderRefund};
use crate::words::{DocumentKind, ItemEnrollment, OrderStatus};
use shared::gateway::Gateway;
use shared::messages::RefundStatus;
use shared::withdrawal::Agreed;
use uuid::Uuid;

#[derive(Debug, Serialize, ToSchema)]
pub struct OrderList {
    orders: Vec<OrderBody>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// A cart that is no longer open: its checkout has begun, or it was emptied or has expired.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Order)]
pub struct OrderBody {
    cart_id: Uuid,
    status: OrderStatus,
    standing: Standing,
    /// Time when the cart was made.
    placed_at: DateTime<Utc>,
    /// Null if the provider has no money for it.
    paid_at: Option<DateTime<Utc>>,
    /// Null if there was nothing to pay.
    #[schema(value_type = Option<Gateway>)]
    gateway: Option<String>,
    /// Amount that the buyer was charged, or is to be charged. It differs from the sum of the items where an offer of
    /// the provider has reduced it, or where an operator has confirmed another amount.
    #[schema(value_type = f64, minimum = 0, example = 199)]
    total_price: Amount,
    /// The part of `total_price` that is tax. Left out if the organisation charged none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, nullable = false, minimum = 0, example = 31.77)]
    tax: Option<Amount>,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    /// The code of its voucher, or null.
    #[schema(example = "SPRING-26")]
    voucher: Option<String>,
    /// Amount that the provider has accepted to refund.
    #[schema(value_type = f64, minimum = 0, example = 0)]
    refunded_amount: Amount,
    /// Amount that disputes have taken: lost ones, and open ones whose money the provider holds.
    #[schema(value_type = f64, minimum = 0, example = 0)]
    lost_amount: Amount,
    /// What VIES said of the buyer's VAT ID, when the order was placed or its tax was taken back. Left out if it did not come into
    /// question.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reverse_charge: Option<ReverseCharge>,
    /// In which the buyer reads its pages, mails and documents: a tag of BCP 47.
    #[schema(max_length = 35, example = "pt-BR")]
    language: String,
    /// How the buyer's or the seller's own systems know it; null if the checkout named none.
    #[schema(max_length = 64, example = "PO-2026-0117")]
    reference: Option<String>,
    /// The site that sold the order before it was moved in. Receipts of it are asked for there, refunds as well if `gateway` is
    /// `external`, and its items have no `enrollment_state`. Left out if this storefront sold it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "shop.example.com")]
    former_shop: Option<String>,
    /// To whom it gives its seat. Left out unless it is a gift.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    gift: Option<OrderGift>,
    items: Vec<OrderItem>,
    /// Oldest first.
    refunds: Vec<OrderRefundBody>,
    /// The invoices and credit notes that are issued, oldest first.
    documents: Vec<OrderDocumentBody>,
    /// What the buyer is to transfer. Left out if a provider takes the money.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    transfer: Option<OrderTransferBody>,
    /// What the buyer has agreed to. Left out if the buyer has no right of withdrawal by the organisation's terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    consents: Option<Agreed>,
    /// The end of the period in which the buyer can withdraw. Left out if the order is not paid, or the buyer has no such right.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    withdrawable_until: Option<DateTime<Utc>>,
    #[serde(flatten)]
    buyer: Option<OrderBuyer>,
}

/// One line of an order.
#[derive(Debug, Serialize, ToSchema)]
pub struct OrderItem {
    /// Counted from 0.
    #[schema(minimum = 0)]
    position: i32,
    #[serde(flatten)]
    item: ItemDetail,
    /// Amount of the line that is refunded, or is being refunded.
    #[schema(value_type = f64, minimum = 0, example = 0)]
    refunded_amount: Amount,
    /// Until when the learner may refund the line; null if the order is not paid, if a refund has ended the line's access, or if
    /// the organisation leaves refunds to itself.
    refundable_until: Option<DateTime<Utc>>,
    /// When the access that it gives ends, or has ended, by the clock. Left out if it does not, or before it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    access_ends_at: Option<DateTime<Utc>>,
    /// Null before it is granted. For a program, the state that needs the most attention.
    enrollment_state: Option<ItemEnrollment>,
    /// The course or person that a move has given the access to. Left out if the line was not moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    moved_to: Option<MovedTo>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderRefund)]
pub struct OrderRefundBody {
    refund_id: Uuid,
    status: RefundStatus,
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    amount: Amount,
    /// As it was given, or null. The learner sees it, too.
    reason: Option<String>,
    /// Time when it was asked for.
    at: DateTime<Utc>,
}

/// An invoice or a credit note.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderDocument)]
pub struct OrderDocumentBody {
    document_id: Uuid,
    #[schema(max_length = 64, example = "NW26-000001")]
    number: String,
    kind: DocumentKind,
    issued_at: DateTime<Utc>,
    /// Amount that it charges, or gives back.
    #[schema(value_type = f64, minimum = 0, example = 199)]
    total: Amount,
    /// Opens it in a browser, for 90 days from now.
    #[schema(format = "uri")]
    url: String,
}

/// Details that only the organisation's own backend sees. Left out for other callers.
#[derive(Debug, Serialize, ToSchema)]
pub struct OrderBuyer {
    #[schema(example = "ada@example.com")]
    email: String,
    /// Null if the buyer gave none.
    billing_address: Option<OrderAddress>,
    /// As the checkout gave it; empty if it gave none.
    #[schema(value_type = schemas::Metadata)]
    metadata: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct OrderAddress {
    pub(super) name: Option<String>,
    pub(super) line1: Option<String>,
    pub(super) line2: Option<String>,
    pub(super) city: Option<String>,
    pub(super) state: Option<String>,
    pub(super) postal_code: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub(super) country: Option<String>,
    pub(super) company: Option<String>,
    pub(super) tax_id: Option<String>,
}

impl OrderAddress {
    pub(super) fn stored(address: Value) -> Option<Self> {
        // What cannot be read is left out rather than hiding the whole order.
        let address: BillingAddress = serde_json::from_value(address).ok()?;
        Some(Self {
            name: address.name,
            line1: address.line1,
            line2: address.line2,
            city: address.city,
            state: address.state,
            postal_code: address.postal_code,
            country: address.country.map(|country| country.to_string()),
            company: address.company,
            tax_id: address.tax_id.map(|id| id.to_string()),
        })
    }
}

/// Keys with which links to documents are signed.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    pub settings: &'a LinkSettings,
    pub now: DateTime<Utc>,
}

impl Links<'_> {
    fn document(self, document: OrderDocument) -> OrderDocumentBody {
        let path =
            link::document_path(&self.settings.link_secret, document.id, document.link_version, self.now);
        OrderDocumentBody {
            document_id: document.id.into(),
            number: document.number,
            kind: document.kind,
            issued_at: document.issued_at,
            total: Amount(document.total),
            url: format!("{}{path}", self.settings.public_base_url),
        }
    }
}

impl OrderList {
    pub fn new(orders: Vec<Order>, by_key: bool, envelope: Envelope, links: Links<'_>) -> Self {
        let orders = orders.into_iter().map(|order| OrderBody::new(order, by_key, links)).collect();
        Self { orders, envelope }
    }
}

impl OrderBody {
    /// An order; `by_key` adds what only the organisation's own backend sees.
    pub fn new(order: Order, by_key: bool, links: Links<'_>) -> Self {
        let standing = order.standing();
        let buyer = by_key.then(|| OrderBuyer {
            email: order.email,
            billing_address: order.billing_address.and_then(OrderAddress::stored),
            metadata: order.labels.metadata.unwrap_or_default(),
        });
        Self {
            cart_id: order.id.into(),
            status: order.state,
            standing,
            placed_at: order.placed_at,
            paid_at: order.paid_at,
            gateway: order.gateway,
            total_price: Amount(order.total),
            tax: order.tax.map(Amount),
            reverse_charge: order.reverse_charge,
            language: order.language,
            reference: order.labels.reference,
            former_shop: order.former_shop,
            currency: order.total.currency().code(),
            voucher: order.voucher,
            refunded_amount: Amount(order.refunded),
            lost_amount: Amount(order.lost),
            gift: order.gift,
            items: order.lines.into_iter().map(OrderItem::from).collect(),
            refunds: order.refunds.into_iter().map(OrderRefundBody::from).collect(),
            documents: order.documents.into_iter().map(|document| links.document(document)).collect(),
            transfer: order.transfer.map(OrderTransferBody::from),
            consents: order.consents,
            withdrawable_until: order.withdrawable_until,
            buyer,
        }
    }
}

impl Order {
    /// Standing of the order.
    pub fn standing(&self) -> Standing {
        let lines = self.lines.iter().map(|line| (line.item.seats.is_some(), line.enrollments.as_slice()));
        Standing::new(self.state.into(), self.payment, lines)
    }
}

impl From<OrderLine> for OrderItem {
    fn from(line: OrderLine) -> Self {
        Self {
            position: line.position,
            item: line.item.into(),
            refunded_amount: Amount(line.refunded),
            refundable_until: line.refundable_until,
            access_ends_at: line.access_ends_at,
            enrollment_state: worst(&line.enrollments),
            moved_to: line.moved_to,
        }
    }
}

impl From<OrderRefund> for OrderRefundBody {
    fn from(refund: OrderRefund) -> Self {
        Self {
            refund_id: refund.id.into(),
            status: refund.state,
            amount: Amount(refund.amount),
            reason: refund.reason,
            at: refund.at,
        }
    }
}
