//! Queries for orders: carts that are no longer open, with their lines and refunds. The number of statements does not
//! depend on the number of orders.

use std::collections::HashMap;
use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use rust_decimal::Decimal;
use serde_json::Value;
use shared::email::Email;
use shared::messages::{CartItem, ItemKind, LineTax, RefundStatus};
use shared::money::{Currency, Money};
use shared::refund_window::refundable_until;
use sqlx::{PgPool, Postgres, QueryBuilder};
use uuid::Uuid;

use super::carts::discount;
use super::courses::Broken;
use crate::error::ApiResult;
use crate::words::{DocumentKind, OrderStatus};

/// Limit at which the total of a list ends: counting the orders of a large organisation would take longer than reading
/// a page of them.
pub const COUNTED: i64 = 1_000;

/// Filter of a list of orders; None filters nothing.
pub struct OrderFilter {
    pub organisation_id: Uuid,
    /// As `carts.buyer` spells them.
    pub buyers: Option<Vec<String>>,
    pub status: Option<OrderStatus>,
    pub email: Option<Email>,
    /// Paid at this time or later.
    pub paid_from: Option<DateTime<Utc>>,
    /// Paid before this time.
    pub paid_before: Option<DateTime<Utc>>,
}

pub struct Order {
    pub id: Uuid,
    pub state: OrderStatus,
    pub placed_at: DateTime<Utc>,
    pub paid_at: Option<DateTime<Utc>>,
    pub gateway: Option<String>,
    /// Amount that the buyer was charged, once the order is paid.
    pub total: Money,
    /// The part of the total that is tax; None if the organisation charged none.
    pub tax: Option<Money>,
    /// The code of its voucher.
    pub voucher: Option<String>,
    pub refunded: Money,
    /// Taken back by lost disputes.
    pub lost: Money,
    pub email: String,
    pub billing_address: Option<Value>,
    pub lines: Vec<OrderLine>,
    pub refunds: Vec<OrderRefund>,
    pub documents: Vec<OrderDocument>,
}

pub struct OrderLine {
    pub position: i32,
    pub item: CartItem,
    /// Refunded or being refunded.
    pub refunded: Money,
    pub refundable_until: Option<DateTime<Utc>>,
    /// As `carts::LineRow`.
    pub enrollments: Vec<String>,
}

pub struct OrderRefund {
    pub id: Uuid,
    pub state: RefundStatus,
    pub amount: Money,
    pub reason: Option<String>,
    pub at: DateTime<Utc>,
}

pub struct OrderDocument {
    pub id: Uuid,
    pub number: String,
    pub kind: DocumentKind,
    pub issued_at: DateTime<Utc>,
    pub total: Money,
}

impl OrderFilter {
    /// Adds the table and the conditions to a statement.
    fn push(&self, query: &mut QueryBuilder<Postgres>) {
        query.push(" FROM carts c WHERE c.state <> 'open' AND c.organisation_id = ");
        query.push_bind(self.organisation_id);
        if let Some(buyers) = &self.buyers {
            query.push(" AND c.buyer = ANY(").push_bind(buyers.clone()).push(")");
        }
        if let Some(status) = self.status {
            query.push(" AND c.state = ").push_bind(<&str>::from(status));
        }
        if let Some(email) = &self.email {
            query.push(" AND c.email = ").push_bind(email.as_str().to_owned());
        }
        if let Some(from) = self.paid_from {
            query.push(" AND c.paid_at >= ").push_bind(from);
        }
        if let Some(before) = self.paid_before {
            query.push(" AND c.paid_at < ").push_bind(before);
            // An order is created before it is paid; the day is for clocks that differ. Without this, PostgreSQL reads all
            // newer orders to find those paid long ago.
            query.push(" AND c.created_at < ").push_bind(before + TimeDelta::days(1));
        }
    }
}

/// The number of orders on all pages, or [`COUNTED`] if there are more.
pub async fn total(db: &PgPool, filter: &OrderFilter) -> ApiResult<i64> {
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

pub async fn page(db: &PgPool, filter: &OrderFilter, limit: i64, offset: i64) -> ApiResult<Page> {
    let mut select = QueryBuilder::<Postgres>::new("SELECT c.id");
    filter.push(&mut select);
    select.push(" ORDER BY c.created_at DESC, c.id DESC LIMIT ").push_bind(limit + 1);
    select.push(" OFFSET ").push_bind(offset);
    let mut ids: Vec<Uuid> = select.build_query_scalar().fetch_all(db).await?;
    let shown = usize::try_from(limit).unwrap_or_default();
    let has_more = ids.len() > shown;
    ids.truncate(shown);
    let (orders, broken) = read(db, &ids).await?;
    Ok(Page { orders, broken, has_more })
}

/// An order; None if there is none with this id, or if its checkout has not begun.
pub async fn find(db: &PgPool, id: Uuid) -> ApiResult<Option<Result<Order, Broken>>> {
    let (mut orders, mut broken) = read(db, &[id]).await?;
    Ok(orders.pop().map(Ok).or_else(|| broken.pop().map(Err)))
}

async fn read(db: &PgPool, ids: &[Uuid]) -> ApiResult<(Vec<Order>, Vec<Broken>)> {
    let rows = sqlx::query_as!(
        OrderRow,
        r#"SELECT c.id, c.state, c.created_at AS placed_at, c.paid_at, c.currency, c.total, v.code AS "voucher?", c.email,
                  c.billing_address,
                  o.refund_days, t.gateway AS "gateway?: String", t.tax AS "tax?",
                  t.refunded_amount AS "refunded?", t.lost_amount AS "lost?"
           FROM carts c JOIN organisations o ON o.id = c.organisation_id LEFT JOIN transactions t ON t.cart_id = c.id
           -- The code of a pool opens it for others, so it is its buyer's alone.
           LEFT JOIN vouchers v ON v.id = c.voucher_id AND v.kind <> 'seat'
           WHERE c.id = ANY($1) AND c.state <> 'open' ORDER BY c.created_at DESC, c.id DESC"#,
        ids,
    )
    .fetch_all(db)
    .await?;
    let (mut lines, mut refunds) = (lines(db, ids).await?, refunds(db, ids).await?);
    let mut documents = documents(db, ids).await?;
    let (mut orders, mut broken) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        let id = row.id;
        let (lines, refunds) =
            (lines.remove(&id).unwrap_or_default(), refunds.remove(&id).unwrap_or_default());
        match row.order(lines, refunds, documents.remove(&id).unwrap_or_default()) {
            Ok(order) => orders.push(order),
            Err(reason) => {
                tracing::error!(cart = %id, reason, "invalid stored order; not shown");
                broken.push(Broken { id, openedx_course_id: None, reason });
            }
        }
    }
    Ok((orders, broken))
}

struct OrderRow {
    id: Uuid,
    state: String,
    placed_at: DateTime<Utc>,
    paid_at: Option<DateTime<Utc>>,
    currency: String,
    total: i64,
    voucher: Option<String>,
    email: String,
    billing_address: Option<Value>,
    refund_days: Option<i32>,
    gateway: Option<String>,
    tax: Option<i64>,
    refunded: Option<i64>,
    lost: Option<i64>,
}

impl OrderRow {
    fn order(
        self,
        lines: Vec<LineRow>,
        refunds: Vec<RefundRow>,
        documents: Vec<DocumentRow>,
    ) -> Result<Order, String> {
        let currency: Currency = self.currency.parse().map_err(|error| format!("currency {error}"))?;
        let money = |minor| money(minor, currency);
        let (paid_at, refund_days) = (self.paid_at, self.refund_days);
        let is_taxed = lines.iter().any(|line| line.tax_is_included.is_some());
        let of_lines = lines.iter().map(|line| line.tax).sum();
        let tax = is_taxed.then(|| money(self.tax.unwrap_or(of_lines)));
        let lines = lines.into_iter().map(|line| line.line(currency, paid_at, refund_days));
        let refunds = refunds.into_iter().map(|refund| {
            let RefundRow { id, reason, at, .. } = refund;
            let state = word("refund", &refund.state)?;
            Ok(OrderRefund { id, state, amount: money(refund.amount)?, reason, at })
        });
        Ok(Order {
            id: self.id,
            state: word("state", &self.state)?,
            placed_at: self.placed_at,
            paid_at,
            gateway: self.gateway,
            total: money(self.total)?,
            tax: tax.transpose()?,
            voucher: self.voucher,
            refunded: money(self.refunded.unwrap_or_default())?,
            lost: money(self.lost.unwrap_or_default())?,
            email: self.email,
            billing_address: self.billing_address,
            lines: lines.collect::<Result<_, String>>()?,
            refunds: refunds.collect::<Result<_, String>>()?,
            documents: documents.into_iter().map(DocumentRow::document).collect::<Result<_, String>>()?,
        })
    }
}

/// Reads a stored word of a closed set.
fn word<T: FromStr>(what: &str, stored: &str) -> Result<T, String> {
    stored.parse().map_err(|_| format!("{what} {stored:?} is unknown"))
}

fn money(minor: i64, currency: Currency) -> Result<Money, String> {
    Money::from_minor(minor, currency).map_err(|error| format!("amount {error}"))
}

struct LineRow {
    cart_id: Uuid,
    position: i32,
    course_id: Option<Uuid>,
    program_id: Option<Uuid>,
    openedx_course_id: Option<String>,
    name: String,
    mode: String,
    seats: Option<i32>,
    original_price: i64,
    discount_pct: Decimal,
    price: i64,
    voucher_discount: i64,
    tax: i64,
    tax_is_included: Option<bool>,
    upgrade_from: Option<String>,
    refunded: i64,
    /// A refund or a lost dispute has ended it; not a refund that has failed. Of seats, those that become free can still be
    /// refunded.
    is_over: bool,
    latest_start: Option<DateTime<Utc>>,
    enrollments: Vec<Option<String>>,
}

impl LineRow {
    fn line(
        self,
        currency: Currency,
        paid_at: Option<DateTime<Utc>>,
        refund_days: Option<i32>,
    ) -> Result<OrderLine, String> {
        let (kind, id) = match self.program_id {
            Some(program) => (ItemKind::Program, Some(program)),
            None => (ItemKind::Course, self.course_id),
        };
        let mode = |slug: &str| slug.parse().map_err(|error| format!("mode {error}"));
        let item = CartItem {
            kind,
            id: id.ok_or("the line names neither a course nor a program")?,
            openedx_course_id: self.openedx_course_id,
            name: self.name,
            mode: mode(&self.mode)?,
            seats: self.seats,
            original: money(self.original_price, currency)?,
            discount_pct: self.discount_pct,
            price: money(self.price, currency)?,
            voucher_discount: discount(self.voucher_discount)
                .map(|minor| money(minor, currency))
                .transpose()?,
            tax: match self.tax_is_included {
                Some(is_included) => Some(LineTax { amount: money(self.tax, currency)?, is_included }),
                None => None,
            },
            upgrade_from: self.upgrade_from.as_deref().map(mode).transpose()?,
        };
        Ok(OrderLine {
            position: self.position,
            item,
            refunded: money(self.refunded, currency)?,
            refundable_until: refundable_until(
                paid_at.filter(|_| !self.is_over),
                self.latest_start,
                refund_days,
            ),
            enrollments: self.enrollments.into_iter().flatten().collect(),
        })
    }
}

async fn lines(db: &PgPool, carts: &[Uuid]) -> ApiResult<HashMap<Uuid, Vec<LineRow>>> {
    let rows = sqlx::query_as!(
        LineRow,
        r#"SELECT i.cart_id, i.position, i.course_id, i.program_id, c.openedx_course_id AS "openedx_course_id?", i.name,
                  i.mode, i.seats, i.original_price, i.discount_pct AS "discount_pct: Decimal", i.price,
                  i.voucher_discount, i.tax, (o.tax_terms ->> 'is_included')::boolean AS tax_is_included,
                  i.upgrade_from, i.refunded, line_is_settled(i) AS "is_over!",
                  line_starts(i) AS latest_start,
                  line_enrollments(i.cart_id, i.position) AS "enrollments!: Vec<Option<String>>"
           FROM cart_items i JOIN carts o ON o.id = i.cart_id LEFT JOIN courses c ON c.id = i.course_id
           WHERE i.cart_id = ANY($1) ORDER BY i.cart_id, i.position"#,
        carts,
    )
    .fetch_all(db)
    .await?;
    let mut by_cart: HashMap<Uuid, Vec<LineRow>> = HashMap::new();
    for row in rows {
        by_cart.entry(row.cart_id).or_default().push(row);
    }
    Ok(by_cart)
}

struct RefundRow {
    cart_id: Uuid,
    id: Uuid,
    state: String,
    amount: i64,
    reason: Option<String>,
    at: DateTime<Utc>,
}

async fn refunds(db: &PgPool, carts: &[Uuid]) -> ApiResult<HashMap<Uuid, Vec<RefundRow>>> {
    let rows = sqlx::query_as!(
        RefundRow,
        "SELECT t.cart_id, r.id, r.state, r.amount, r.reason, r.asked_at AS at
         FROM refunds r JOIN transactions t ON t.id = r.transaction_id
         WHERE t.cart_id = ANY($1) ORDER BY r.asked_at, r.id",
        carts,
    )
    .fetch_all(db)
    .await?;
    let mut by_cart: HashMap<Uuid, Vec<RefundRow>> = HashMap::new();
    for row in rows {
        by_cart.entry(row.cart_id).or_default().push(row);
    }
    Ok(by_cart)
}

struct DocumentRow {
    cart_id: Uuid,
    id: Uuid,
    number: String,
    kind: String,
    issued_at: DateTime<Utc>,
    total: Money,
}

impl DocumentRow {
    fn document(self) -> Result<OrderDocument, String> {
        let kind = word("document", &self.kind)?;
        let Self { id, number, issued_at, total, .. } = self;
        Ok(OrderDocument { id, number, kind, issued_at, total })
    }
}

/// The invoices and credit notes of carts, in the order of their issue.
async fn documents(db: &PgPool, carts: &[Uuid]) -> ApiResult<HashMap<Uuid, Vec<DocumentRow>>> {
    let rows = sqlx::query_as!(
        DocumentRow,
        r#"SELECT cart_id, id, number, kind, issued_at, (total, currency) AS "total!: Money" FROM documents
           WHERE cart_id = ANY($1) ORDER BY issued_at, id"#,
        carts,
    )
    .fetch_all(db)
    .await?;
    let mut by_cart: HashMap<Uuid, Vec<DocumentRow>> = HashMap::new();
    for row in rows {
        by_cart.entry(row.cart_id).or_default().push(row);
    }
    Ok(by_cart)
}
