//! Stored lines of orders.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use shared::access_period::AccessPeriod;
use shared::db::Db;
use shared::ids::CartId;
use shared::messages::{CartItem, ItemKind, LineTax};
use shared::money::{Currency, Money};
use shared::refund_window::refundable_until;
use sqlx::types::Json;
use uuid::Uuid;

use super::{MovedTo, OrderLine};
use crate::error::ApiResult;
use crate::queries::carts::discount;

/// A stored line.
pub(super) struct LineRow {
    cart_id: CartId,
    position: i32,
    course_id: Option<Uuid>,
    program_id: Option<Uuid>,
    openedx_course_id: Option<String>,
    name: String,
    mode: String,
    seats: Option<i32>,
    price_name: Option<String>,
    access_days: Option<i32>,
    access_until: Option<DateTime<Utc>>,
    access_ends_at: Option<DateTime<Utc>>,
    original_price: i64,
    discount_pct: Decimal,
    price: i64,
    voucher_discount: i64,
    pub(super) tax: i64,
    pub(super) tax_is_included: Option<bool>,
    upgrade_from: Option<String>,
    refunded: i64,
    /// A refund or a lost dispute has ended it; not a refund that has failed. Of seats, those that become free can still be
    /// refunded.
    is_over: bool,
    latest_start: Option<DateTime<Utc>>,
    enrollments: Vec<Option<String>>,
    moved_to: Option<Json<MovedTo>>,
}

impl LineRow {
    pub(super) fn line(
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
            price_name: self.price_name,
            access: AccessPeriod { days: self.access_days, until: self.access_until },
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
            access_ends_at: self.access_ends_at,
            enrollments: self.enrollments.into_iter().flatten().collect(),
            moved_to: self.moved_to.map(|moved| moved.0),
        })
    }
}

/// The lines of carts.
pub(super) async fn lines(db: &Db, carts: &[CartId]) -> ApiResult<HashMap<CartId, Vec<LineRow>>> {
    let rows = sqlx::query_as!(
        LineRow,
        r#"SELECT i.cart_id, i.position, i.course_id, i.program_id, c.openedx_course_id AS "openedx_course_id?", i.name,
                  i.mode, i.seats, i.price_name, i.access_days, i.access_until, line_ends(i.cart_id, i.position) AS access_ends_at, i.original_price, i.discount_pct AS "discount_pct: Decimal", i.price,
                  i.voucher_discount, i.tax, (o.tax_terms ->> 'is_included')::boolean AS tax_is_included,
                  i.upgrade_from, i.refunded, line_is_settled(i) AS "is_over!",
                  line_starts(i) AS latest_start,
                  line_enrollments(i.cart_id, i.position) AS "enrollments!: Vec<Option<String>>",
                  (SELECT jsonb_build_object('openedx_course_id', k.openedx_course_id, 'name', k.display_name,
                              'to_another_person', m.to_person, 'at', m.asked_at,
                              'status', CASE WHEN m.done_at IS NULL THEN 'waiting' ELSE 'done' END)
                   FROM moves m JOIN enrollment_grants g ON g.id = m.to_grant JOIN enrollments e ON e.id = g.enrollment_id
                   JOIN courses k ON k.id = e.course_id
                   WHERE (m.cart_id, m.position) = (i.cart_id, i.position) AND m.withdrawn_at IS NULL
                     AND (m.done_at IS NOT NULL OR g.ended_at IS NULL)
                   ORDER BY m.asked_at DESC LIMIT 1) AS "moved_to: Json<MovedTo>"
           FROM cart_items i JOIN carts o ON o.id = i.cart_id LEFT JOIN courses c ON c.id = i.course_id
           WHERE i.cart_id = ANY($1) ORDER BY i.cart_id, i.position"#,
        carts as _,
    )
    .fetch_all(db)
    .await?;
    let mut by_cart: HashMap<CartId, Vec<LineRow>> = HashMap::new();
    for row in rows {
        by_cart.entry(row.cart_id).or_default().push(row);
    }
    Ok(by_cart)
}

/// An amount of an order.
pub(super) fn money(minor: i64, currency: Currency) -> Result<Money, String> {
    Money::from_minor(minor, currency).map_err(|error| format!("amount {error}"))
}
