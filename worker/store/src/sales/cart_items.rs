//! A cart's contents: its lines with their frozen prices, and the courses that it grants.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::ids::CartId;
use shared::messages::{BasketItem, CartItem, ItemKind, LineTax};
use shared::money::{Currency, Money};
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};

use crate::error::{JobError, JobResult};
use crate::model::line::CourseGrant;
use crate::model::tax;

/// Returns the lines of a cart, in their order.
pub async fn lines(db: impl PgExecutor<'_>, cart_id: CartId, currency: Currency) -> JobResult<Vec<CartItem>> {
    Ok(charged_lines(db, cart_id, currency).await?.into_iter().map(|line| line.item).collect())
}

/// A line of a cart, with what its buyer was charged for it and what is yet to be granted.
pub struct ChargedLine {
    pub item: CartItem,
    pub charged: Charged,
    /// Its courses that the cart has not granted yet; none once a refund has ended the line's access.
    pub courses: Vec<CourseGrant>,
}

/// Returns the lines of a cart, in their order, with what each was charged.
pub async fn charged_lines(
    db: impl PgExecutor<'_>,
    cart_id: CartId,
    currency: Currency,
) -> JobResult<Vec<ChargedLine>> {
    let rows = sqlx::query!(
        r#"SELECT i.course_id, i.program_id, c.openedx_course_id AS "openedx_course_id?", i.name,
                  i.mode AS "mode: CourseMode", i.seats, i.price_name, i.access_days, i.access_until, i.original_price, i.discount_pct AS "discount_pct: Decimal", i.price,
                  i.voucher_discount, i.tax, (k.tax_terms ->> 'is_included')::boolean AS "tax_is_included",
                  i.upgrade_from AS "upgrade_from: CourseMode", line_charged(i) AS "charged!", i.price + i.tax_on_top AS "total!",
                  (SELECT coalesce(json_agg(json_build_object('course_id', a.course_id, 'mode', a.mode, 'rests_on', i.rests_on)), '[]')
                   FROM cart_courses a WHERE a.cart_id = i.cart_id AND a.position = i.position AND i.access_ended_at IS NULL
                     AND NOT EXISTS (SELECT FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
                                     WHERE g.cart_id = a.cart_id AND e.course_id = a.course_id))
                      AS "courses!: Json<Vec<CourseGrant>>"
           FROM cart_items i JOIN carts k ON k.id = i.cart_id LEFT JOIN courses c ON c.id = i.course_id
           WHERE i.cart_id = $1 ORDER BY i.position"#,
        cart_id as _,
    )
    .fetch_all(db)
    .await?;
    let money =
        |minor| Money::from_minor(minor, currency).map_err(|e| JobError::dead(format!("stored price: {e}")));
    let lines = rows.into_iter().map(|row| {
        let (kind, id) = match row.program_id {
            Some(program) => (ItemKind::Program, Some(program)),
            None => (ItemKind::Course, row.course_id),
        };
        let item = CartItem {
            kind,
            id: id.ok_or_else(|| JobError::dead("a cart item has neither a course nor a program"))?,
            openedx_course_id: row.openedx_course_id,
            name: row.name,
            mode: row.mode,
            seats: row.seats,
            price_name: row.price_name,
            access: AccessPeriod { days: row.access_days, until: row.access_until },
            original: money(row.original_price)?,
            discount_pct: row.discount_pct.normalize(),
            price: money(row.price)?,
            voucher_discount: (row.voucher_discount > 0).then(|| money(row.voucher_discount)).transpose()?,
            tax: match row.tax_is_included {
                Some(is_included) => Some(LineTax { amount: money(row.tax)?, is_included }),
                None => None,
            },
            upgrade_from: row.upgrade_from,
        };
        let charged = Charged::new(row.charged, row.tax, row.total);
        Ok(ChargedLine { item, charged, courses: row.courses.0 })
    });
    lines.collect()
}

/// Returns whether a line gives access that ends by the clock.
pub async fn has_period(db: impl PgExecutor<'_>, cart_id: CartId) -> JobResult<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM cart_items WHERE cart_id = $1
               AND (access_days IS NOT NULL OR access_until IS NOT NULL)) AS "has_period!""#,
        cart_id as _,
    )
    .fetch_one(db)
    .await?)
}

/// The lines as a request for the same basket.
pub fn basket(lines: &[CartItem]) -> Vec<BasketItem> {
    let item = |line: &CartItem| {
        let CartItem { kind, id, mode, seats, .. } = *line;
        BasketItem { kind, id, mode, seats }
    };
    lines.iter().map(item).collect()
}

/// The courses that a cart has not granted yet, ordered by id; without those of lines whose access a refund has ended.
pub async fn courses(db: &mut PgConnection, cart_id: CartId) -> JobResult<Vec<CourseGrant>> {
    Ok(sqlx::query_as!(
        CourseGrant,
        r#"SELECT c.id AS course_id, cc.mode AS "mode: CourseMode", i.rests_on AS "rests_on?"
           FROM cart_courses cc JOIN courses c ON c.id = cc.course_id
           LEFT JOIN cart_items i ON (i.cart_id, i.position) = (cc.cart_id, cc.position)
           WHERE cc.cart_id = $1 AND i.access_ended_at IS NULL AND NOT EXISTS (
               SELECT FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
               WHERE g.cart_id = cc.cart_id AND e.course_id = cc.course_id)
           ORDER BY c.id"#,
        cart_id as _,
    )
    .fetch_all(db)
    .await?)
}

/// Amount that the buyer was charged for a line; amounts are in minor units.
pub struct Charged {
    /// With tax.
    pub total: i64,
    pub tax: i64,
}

impl Charged {
    /// `total` and `tax` are those of the price, of which `charged` may be a part.
    fn new(charged: i64, tax: i64, total: i64) -> Self {
        Self { total: charged, tax: tax::of_part(tax, total, charged) }
    }
}

/// Returns what the buyer was charged for each line of a cart, in their order: what they cost, unless the payment was
/// charged another amount.
pub async fn charged(db: &mut PgConnection, cart_id: CartId) -> JobResult<Vec<Charged>> {
    let lines = sqlx::query!(
        r#"SELECT line_charged(i) AS "charged!", i.price + i.tax_on_top AS "total!", i.tax
           FROM cart_items i WHERE i.cart_id = $1 ORDER BY i.position"#,
        cart_id as _,
    );
    let lines = lines.fetch_all(db).await?.into_iter();
    Ok(lines.map(|line| Charged::new(line.charged, line.tax, line.total)).collect())
}

/// Amounts of a line: charged, and already paid back.
pub struct RefundableLine {
    pub position: i32,
    /// Amount that the buyer was charged for it, with tax; in minor units, like `refunded`.
    pub charged: i64,
    /// Refunded, or asked to be.
    pub refunded: i64,
    /// The part of `charged` that is tax and was refunded by itself, since the buyer declares it.
    pub tax_refunded: i64,
    /// Of a line of seats: how many it bought, and how many of them are still left.
    pub seats: Option<i32>,
    pub seats_left: Option<i32>,
    pub is_ended: bool,
    /// Indicates whether its learner can refund nothing of it any more: a refund has ended it, and has not failed.
    pub is_settled: bool,
    /// Time when the latest of its courses starts.
    pub starts_at: Option<DateTime<Utc>>,
}

impl RefundableLine {
    /// Returns what can still be refunded, in minor units.
    pub fn left(&self) -> i64 {
        self.charged - self.refunded
    }

    /// Returns what a refund that ends the line's access can give back, in minor units: of seats, only the part of
    /// those that are left.
    pub fn unused(&self) -> i64 {
        let (Some(seats), Some(left)) = (self.seats, self.seats_left) else { return self.left() };
        let (seats, left) = (i128::from(seats), i128::from(left));
        let half_up = (2 * i128::from(self.charged - self.tax_refunded) * left + seats) / (2 * seats.max(1));
        i64::try_from(half_up).unwrap_or(i64::MAX).min(self.left())
    }
}

/// The lines of a cart as a refund sees them, in their order.
pub async fn refundable(db: &mut PgConnection, cart_id: CartId) -> JobResult<Vec<RefundableLine>> {
    let lines = sqlx::query!(
        r#"SELECT i.position, line_charged(i) AS "charged!", i.refunded, i.price + i.tax_on_top AS "total!", i.tax,
                  k.tax_terms ? 'refunded' AS is_untaxed, i.access_ended_at IS NOT NULL AS "is_ended!",
                  line_is_settled(i) AS "is_settled!", i.seats, CASE WHEN i.seats IS NOT NULL THEN coalesce(
                      (SELECT seats_left(v, i.seats) FROM vouchers v WHERE (v.cart_id, v.position) = (i.cart_id, i.position)),
                      i.seats) END AS seats_left,
                  line_starts(i) AS starts_at
           FROM cart_items i JOIN carts k ON k.id = i.cart_id WHERE i.cart_id = $1 ORDER BY i.position"#,
        cart_id as _,
    );
    let lines = lines.fetch_all(db).await?.into_iter().map(|line| RefundableLine {
        position: line.position,
        charged: line.charged,
        refunded: line.refunded,
        tax_refunded: match line.is_untaxed {
            Some(true) => tax::of_part(line.tax, line.total, line.charged),
            _ => 0,
        },
        seats: line.seats,
        seats_left: line.seats_left,
        is_ended: line.is_ended,
        is_settled: line.is_settled,
        starts_at: line.starts_at,
    });
    Ok(lines.collect())
}

/// A course that a line of a cart grants.
pub struct GrantedCourse {
    pub key: String,
    /// Username of a person with access; None without access, and while the person has no account.
    pub holder: Option<String>,
}

/// The courses that lines of a cart grant, each once for everybody who has it: while a move waits, these can be two people.
pub async fn granted_courses(
    db: &mut PgConnection,
    cart_id: CartId,
    positions: &[i32],
) -> JobResult<Vec<GrantedCourse>> {
    Ok(sqlx::query_as!(
        GrantedCourse,
        r#"SELECT DISTINCT c.openedx_course_id AS key, held.username AS "holder?"
           FROM cart_courses cc JOIN courses c ON c.id = cc.course_id
           LEFT JOIN LATERAL (
               SELECT l.username FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
               JOIN learners l ON l.id = e.learner_id
               WHERE g.cart_id = cc.cart_id AND e.course_id = cc.course_id AND g.ended_at IS NULL) held ON true
           WHERE cc.cart_id = $1 AND cc.position = ANY($2) ORDER BY c.openedx_course_id"#,
        cart_id as _,
        positions,
    )
    .fetch_all(db)
    .await?)
}
