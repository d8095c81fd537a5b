//! Queries for orders: carts that are no longer open, with their lines and refunds. The number of statements does not
//! depend on the number of orders.

mod lines;
mod rows;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, DocumentId, OrganisationId, RefundId};
use shared::messages::{CartItem, Gift, Labels, MoveStatus, RefundStatus, ReverseCharge};
use shared::money::Money;
use shared::withdrawal::Agreed;
use sqlx::{Postgres, QueryBuilder};
use utoipa::ToSchema;

use self::rows::read;
use super::COUNTED;
use super::carts::PaymentFacts;
use super::courses::Broken;
use crate::error::ApiResult;
use crate::words::{DocumentKind, OrderStatus};

/// Filter of a list of orders; None filters nothing.
pub struct OrderFilter {
    pub organisation_id: OrganisationId,
    /// As `carts.buyer` spells them.
    pub buyers: Option<Vec<String>>,
    pub status: Option<OrderStatus>,
    pub email: Option<Email>,
    pub reference: Option<String>,
    /// Paid at this time or later.
    pub paid_from: Option<DateTime<Utc>>,
    /// Paid before this time.
    pub paid_before: Option<DateTime<Utc>>,
}

pub struct Order {
    pub id: CartId,
    pub state: OrderStatus,
    pub placed_at: DateTime<Utc>,
    /// The day of it at the organisation.
    pub placed_on: NaiveDate,
    pub paid_at: Option<DateTime<Utc>>,
    pub gateway: Option<String>,
    /// Amount that the buyer was charged, once the order is paid.
    pub total: Money,
    /// The part of the total that is tax; None if the organisation charged none.
    pub tax: Option<Money>,
    /// None if it did not come into question.
    pub reverse_charge: Option<ReverseCharge>,
    /// The code of its voucher.
    pub voucher: Option<String>,
    pub refunded: Money,
    /// Taken by disputes, of which open ones may give some back.
    pub lost: Money,
    pub email: String,
    pub language: String,
    pub labels: Labels,
    /// The site that sold it before it was moved in.
    pub former_shop: Option<String>,
    pub billing_address: Option<Value>,
    /// None if its buyer has no right of withdrawal.
    pub consents: Option<Agreed>,
    /// The end of the period of withdrawal; None if the buyer has no such right, or the order is not paid.
    pub withdrawable_until: Option<DateTime<Utc>>,
    /// None unless the order is one.
    pub gift: Option<OrderGift>,
    pub lines: Vec<OrderLine>,
    pub refunds: Vec<OrderRefund>,
    pub documents: Vec<OrderDocument>,
    /// None if a provider takes the money.
    pub transfer: Option<OrderTransfer>,
    pub payment: PaymentFacts,
}

/// Transfer that the buyer is to make to the organisation, and what has arrived.
pub struct OrderTransfer {
    /// The creditor reference.
    pub reference: String,
    /// The organisation's account, a line each.
    pub bank_lines: Vec<String>,
    pub due_on: NaiveDate,
    /// Indicates whether the invoice was issued before the payment.
    pub on_account: bool,
    /// Time when the invoice was found unpaid after it was due.
    pub overdue_at: Option<DateTime<Utc>>,
    /// Amount that is still to be paid.
    pub open: Money,
    /// In the order in which they were reported.
    pub payments: Vec<OrderPayment>,
}

pub struct OrderPayment {
    pub amount: Money,
    pub received_at: DateTime<Utc>,
    /// Reference by which the bank knows it.
    pub reference: String,
    /// Time when it was paid back without a refund.
    pub returned_at: Option<DateTime<Utc>>,
}

pub struct OrderLine {
    pub position: i32,
    pub item: CartItem,
    /// Refunded or being refunded.
    pub refunded: Money,
    pub refundable_until: Option<DateTime<Utc>>,
    /// When the access that it has given ends by the clock.
    pub access_ends_at: Option<DateTime<Utc>>,
    /// As `carts::LineRow`.
    pub enrollments: Vec<String>,
    pub moved_to: Option<MovedTo>,
}

/// To whom the order gives its seat.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct OrderGift {
    #[serde(flatten)]
    #[schema(inline)]
    gift: Gift,
    /// Time when the seat was assigned to the recipient. Left out if it was not: before its day, or if the buyer has assigned the seat by hand
    /// or was refunded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    given_at: Option<DateTime<Utc>>,
}

/// The course or person that has the access of a line, or gets it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct MovedTo {
    #[schema(example = "course-v1:Northwind+DS101+2026_T2")]
    openedx_course_id: String,
    /// Of the course.
    name: String,
    /// True if another person has the access now.
    to_another_person: bool,
    /// Time when it was asked for.
    at: DateTime<Utc>,
    status: MoveStatus,
}

pub struct OrderRefund {
    pub id: RefundId,
    pub state: RefundStatus,
    pub amount: Money,
    pub reason: Option<String>,
    pub at: DateTime<Utc>,
}

pub struct OrderDocument {
    pub id: DocumentId,
    pub number: String,
    pub kind: DocumentKind,
    pub issued_at: DateTime<Utc>,
    pub total: Money,
    /// Of the order's links.
    pub link_version: i32,
}

impl OrderFilter {
    /// Adds the table and the conditions to a statement.
    fn push(&self, query: &mut QueryBuilder<Postgres>) {
        query.push(" FROM carts c WHERE c.organisation_id = ").push_bind(self.organisation_id);
        // What is paid is not open, and needs no look at the table to be counted.
        if self.paid_from.is_none() && self.paid_before.is_none() {
            query.push(" AND c.state <> 'open'");
        }
        if let Some(buyers) = &self.buyers {
            query.push(" AND c.buyer = ANY(").push_bind(buyers.clone()).push(")");
        }
        if let Some(status) = self.status {
            query.push(" AND c.state = ").push_bind(<&str>::from(status));
        }
        if let Some(email) = &self.email {
            query.push(" AND c.email = ").push_bind(email.as_str().to_owned());
        }
        if let Some(reference) = &self.reference {
            query.push(" AND c.reference = ").push_bind(reference.clone());
        }
        if let Some(from) = self.paid_from {
            query.push(" AND c.paid_at >= ").push_bind(from);
        }
        if let Some(before) = self.paid_before {
            query.push(" AND c.paid_at < ").push_bind(before);
        }
    }
}

/// The number of orders on all pages, or [`COUNTED`] if there are more.
pub async fn total(db: &Db, filter: &OrderFilter) -> ApiResult<i64> {
    let mut count = QueryBuilder::<Postgres>::new("SELECT count(*) FROM (SELECT");
    filter.push(&mut count);
    count.push(" LIMIT ").push_bind(COUNTED).push(") counted");
    Ok(count.build_query_scalar().fetch_one(db).await?)
}

/// Some orders of a list, newest first.
#[derive(Default)]
pub struct Page {
    pub orders: Vec<Order>,
    /// Those that cannot be shown.
    pub broken: Vec<Broken>,
    pub has_more: bool,
}

pub async fn page(db: &Db, filter: &OrderFilter, limit: i64, offset: i64) -> ApiResult<Page> {
    let mut select = QueryBuilder::<Postgres>::new("SELECT c.id");
    filter.push(&mut select);
    if let Some(before) = filter.paid_before {
        // An order is created before it is paid; the day is for clocks that differ. Without this, PostgreSQL reads all
        // newer orders to find those paid long ago.
        select.push(" AND c.created_at < ").push_bind(before + TimeDelta::days(1));
    }
    select.push(" ORDER BY c.created_at DESC, c.id DESC LIMIT ").push_bind(limit + 1);
    select.push(" OFFSET ").push_bind(offset);
    let mut ids: Vec<CartId> = select.build_query_scalar().fetch_all(db).await?;
    let shown = usize::try_from(limit).unwrap_or_default();
    let has_more = ids.len() > shown;
    ids.truncate(shown);
    let (orders, broken) = read(db, &ids).await?;
    Ok(Page { orders, broken, has_more })
}

/// The order with a number of a former shop.
pub async fn of_former_number(db: &Db, number: &str) -> ApiResult<Option<CartId>> {
    let id = sqlx::query_scalar!(
        r#"SELECT id AS "id: CartId" FROM carts WHERE reference = $1 AND former_shop IS NOT NULL ORDER BY created_at LIMIT 1"#,
        number,
    );
    Ok(id.fetch_optional(db).await?)
}

/// The newest orders of these buyers, of all organisations. Leaves out those that cannot be shown.
pub async fn newest(db: &Db, buyers: &[String], limit: i64) -> ApiResult<Vec<Order>> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM carts WHERE buyer = ANY($1) AND state <> 'open' ORDER BY created_at DESC, id DESC LIMIT $2",
        buyers,
        limit,
    );
    Ok(read(db, &ids.fetch_all(db).await?).await?.0)
}

/// The orders with these ids, newest first. Leaves out those that cannot be shown.
pub async fn of_ids(db: &Db, ids: &[CartId]) -> ApiResult<Vec<Order>> {
    Ok(read(db, ids).await?.0)
}

/// An order; None if there is none with this id, or if its checkout has not begun.
pub async fn find(db: &Db, id: CartId) -> ApiResult<Option<Result<Order, Broken>>> {
    let (mut orders, mut broken) = read(db, &[id]).await?;
    Ok(orders.pop().map(Ok).or_else(|| broken.pop().map(Err)))
}
