//! A cart's contents: its lines with their frozen prices, and the courses that it grants.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use shared::course_mode::CourseMode;
use shared::ids::CartId;
use shared::messages::{BasketItem, CartItem, ItemKind, LineTax};
use shared::money::{Currency, Money};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::error::{JobError, JobResult};
use crate::model::line::{CourseGrant, NewContents, NewLine};
use crate::model::tax;

/// The parameters of [`write_cart`] for the lines and courses.
pub(crate) struct Columns {
    pub courses: Vec<Uuid>,
    pub modes: Vec<CourseMode>,
    /// The index of the line that grants each course.
    pub lines: Vec<i32>,
    pub items: Vec<Option<Uuid>>,
    pub programs: Vec<Option<Uuid>>,
    pub names: Vec<String>,
    pub item_modes: Vec<CourseMode>,
    pub seats: Vec<Option<i32>>,
    pub originals: Vec<i64>,
    pub discounts: Vec<Decimal>,
    pub prices: Vec<i64>,
    pub voucher_discounts: Vec<i64>,
    pub taxes: Vec<i64>,
    pub taxes_on_top: Vec<i64>,
    pub upgrades: Vec<Option<CourseMode>>,
    pub rests_on: Vec<Option<Uuid>>,
}

impl Columns {
    pub fn new(contents: &NewContents<'_>) -> Self {
        let id = |line: &NewLine, kind| (line.item.kind == kind).then_some(line.item.id);
        let (courses, modes) = contents.courses.iter().map(|(_, course)| *course).unzip();
        let lines = contents.lines;
        Self {
            courses,
            modes,
            lines: contents.courses.iter().filter_map(|(line, _)| i32::try_from(*line).ok()).collect(),
            items: lines.iter().map(|line| id(line, ItemKind::Course)).collect(),
            programs: lines.iter().map(|line| id(line, ItemKind::Program)).collect(),
            names: lines.iter().map(|line| line.name.clone()).collect(),
            item_modes: lines.iter().map(|line| line.item.mode).collect(),
            seats: lines.iter().map(|line| line.item.seats).collect(),
            originals: lines.iter().map(|line| line.price.original.minor()).collect(),
            discounts: lines.iter().map(|line| line.price.discount_pct).collect(),
            prices: lines.iter().map(|line| line.price.price.minor()).collect(),
            voucher_discounts: lines.iter().map(|line| line.voucher_discount).collect(),
            taxes: lines.iter().map(|line| line.tax.map_or(0, |tax| tax.amount.minor())).collect(),
            taxes_on_top: lines.iter().map(NewLine::tax_on_top).collect(),
            upgrades: lines.iter().map(|line| line.upgrade_from).collect(),
            rests_on: lines.iter().map(|line| line.rests_on).collect(),
        }
    }
}

/// Writes a cart with its lines and courses in one statement, which returns the cart's id. `$cart` is a list of common table
/// expressions; the one named `cart` writes the row of cart $1 and returns its id, or no row if nothing is to be written.
/// Its own parameters begin with $18. A macro, so that the statement is written once and the compiler still checks each
/// query.
macro_rules! write_cart {
    ($cart:literal, $id:expr, $columns:expr, $($value:expr),+ $(,)?) => {
        sqlx::query_scalar!(
            "WITH " + $cart + ",
             items AS (
                 INSERT INTO cart_items (cart_id, position, course_id, program_id, name, mode, original_price, discount_pct,
                                         price, upgrade_from, rests_on, voucher_discount, tax, tax_on_top, seats)
                 SELECT cart.id, nth - 1, course_id, program_id, name, mode, original, discount, price, upgrade_from, rests_on,
                        voucher_discount, tax, tax_on_top, seats
                 FROM cart, unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::bigint[], $10::numeric[],
                                   $11::bigint[], $12::text[], $13::uuid[], $14::bigint[], $15::bigint[], $16::bigint[],
                                   $17::integer[])
                      WITH ORDINALITY
                      AS i (course_id, program_id, name, mode, original, discount, price, upgrade_from, rests_on,
                            voucher_discount, tax, tax_on_top, seats, nth)),
             courses AS (
                 INSERT INTO cart_courses (cart_id, course_id, mode, position)
                 SELECT cart.id, course_id, mode, position
                 FROM cart, unnest($2::uuid[], $3::text[], $4::integer[]) AS c (course_id, mode, position))
             SELECT id FROM cart",
            $id,
            &$columns.courses,
            &$columns.modes as &[CourseMode],
            &$columns.lines,
            &$columns.items as &[Option<Uuid>],
            &$columns.programs as &[Option<Uuid>],
            &$columns.names,
            &$columns.item_modes as &[CourseMode],
            &$columns.originals,
            &$columns.discounts,
            &$columns.prices,
            &$columns.upgrades as &[Option<CourseMode>],
            &$columns.rests_on as &[Option<Uuid>],
            &$columns.voucher_discounts,
            &$columns.taxes,
            &$columns.taxes_on_top,
            &$columns.seats as &[Option<i32>],
            $($value),+
        )
    };
}

pub(crate) use write_cart;

/// Copies the lines and courses of one cart to another.
pub async fn copy(db: &mut PgConnection, from: CartId, to: CartId) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO cart_items (cart_id, position, course_id, program_id, name, mode, original_price, discount_pct, price,
                                 upgrade_from, rests_on, voucher_discount, tax, tax_on_top, seats)
         SELECT $2, position, course_id, program_id, name, mode, original_price, discount_pct, price, upgrade_from, rests_on,
                voucher_discount, tax, tax_on_top, seats
         FROM cart_items WHERE cart_id = $1",
        from as _,
        to as _,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "INSERT INTO cart_courses (cart_id, course_id, mode, position)
         SELECT $2, course_id, mode, position FROM cart_courses WHERE cart_id = $1",
        from as _,
        to as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes the lines and courses of a cart.
pub async fn delete(db: &mut PgConnection, cart_id: CartId) -> JobResult<()> {
    sqlx::query!("DELETE FROM cart_items WHERE cart_id = $1", cart_id as _).execute(&mut *db).await?;
    sqlx::query!("DELETE FROM cart_courses WHERE cart_id = $1", cart_id as _).execute(db).await?;
    Ok(())
}

/// Returns the lines of a cart, in their order.
pub async fn lines(db: impl PgExecutor<'_>, cart_id: CartId, currency: Currency) -> JobResult<Vec<CartItem>> {
    Ok(charged_lines(db, cart_id, currency).await?.into_iter().map(|line| line.item).collect())
}

/// A line of a cart, and what its buyer was charged for it.
pub struct ChargedLine {
    pub item: CartItem,
    pub charged: Charged,
}

/// Returns the lines of a cart, in their order, with what each was charged.
pub async fn charged_lines(
    db: impl PgExecutor<'_>,
    cart_id: CartId,
    currency: Currency,
) -> JobResult<Vec<ChargedLine>> {
    let rows = sqlx::query!(
        r#"SELECT i.course_id, i.program_id, c.openedx_course_id AS "openedx_course_id?", i.name,
                  i.mode AS "mode: CourseMode", i.seats, i.original_price, i.discount_pct AS "discount_pct: Decimal", i.price,
                  i.voucher_discount, i.tax, (k.tax_terms ->> 'is_included')::boolean AS "tax_is_included",
                  i.upgrade_from AS "upgrade_from: CourseMode", line_charged(i) AS "charged!", i.price + i.tax_on_top AS "total!"
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
        Ok(ChargedLine { item, charged: Charged::new(row.charged, row.tax, row.total) })
    });
    lines.collect()
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
