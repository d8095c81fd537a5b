//! The end of alerts whose matter is over: access given or refunded, one of two purchases refunded, a provider that agrees. A person
//! closes the others.

use shared::ids::{CartId, EnrollmentId, TransactionId};
use sqlx::PgConnection;

use super::attention;
use crate::error::JobResult;
use crate::plumbing::audit::Cause;

/// The beginning of the alert about a provider whose answer contradicts the payment.
const DISAGREES: &str = "the provider disagrees: ";

/// The alert about a paid enrollment that the platform refuses, for good as far as the worker knows.
pub fn refused(course: &str, status: Option<u16>, enrollment: EnrollmentId) -> String {
    let status = status.map(|status| format!(" with {status}")).unwrap_or_default();
    format!("paid, and the platform refuses {course}{status} (enrollment {enrollment})")
}

/// The alert about a purchase of what another cart has bought.
pub fn bought_twice(other: CartId) -> String {
    format!("bought twice: cart {other} was paid for the same, refund one of them")
}

/// The alert about a payment beside that of another attempt.
pub fn two_attempts(other: CartId) -> String {
    format!(
        "two attempts are paid: cart {other} is another attempt of the same buyer; refund one of them if the buyer wanted one"
    )
}

/// The alert about a provider whose answer contradicts the payment.
pub fn disagrees(reason: &str) -> String {
    format!("{DISAGREES}{reason}")
}

/// An alert that is over.
struct Over {
    transaction: TransactionId,
    reason: String,
}

async fn end(db: &mut PgConnection, over: Vec<Over>, because: &str, cause: Cause) -> JobResult<()> {
    for Over { transaction, reason } in over {
        attention::end(db, transaction, &reason, because, cause).await?;
    }
    Ok(())
}

/// Ends the alerts about a provider's contradiction, because it agrees now.
pub async fn agreed(db: &mut PgConnection, id: TransactionId, cause: Cause) -> JobResult<()> {
    let over = sqlx::query_as!(
        Over,
        r#"SELECT t.id AS "transaction: TransactionId", m[1] AS "reason!"
           FROM transactions t, regexp_matches(t.alert, '(' || $2 || '[^;]*)', 'g') m WHERE t.id = $1 AND t.alert IS NOT NULL"#,
        id as _,
        DISAGREES,
    );
    let over = over.fetch_all(&mut *db).await?;
    end(db, over, "the provider agrees", cause).await
}

/// Ends the alerts about refusals of the platform which concern a cart or an enrollment, except those of access that is still granted
/// and that the platform does not give. Those of a seat are at the cart that paid for it.
pub async fn opened(
    db: &mut PgConnection,
    cart: Option<CartId>,
    enrollment: Option<EnrollmentId>,
    cause: Cause,
) -> JobResult<()> {
    let over = sqlx::query_as!(
        Over,
        r#"SELECT t.id AS "transaction: TransactionId", m[1] AS "reason!"
           FROM transactions t,
                regexp_matches(t.alert, '(paid, and the platform refuses [^;]* \(enrollment ([0-9a-f-]{36})\))', 'g') m
           WHERE t.alert IS NOT NULL
             AND t.cart_id IN (
                 SELECT $1::uuid
                 UNION SELECT unnest(ARRAY[c.id, v.cart_id]) FROM enrollment_grants g JOIN carts c ON c.id = g.cart_id
                       LEFT JOIN vouchers v ON v.id = c.voucher_id WHERE g.enrollment_id = $2)
             AND NOT EXISTS (
                 SELECT FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id JOIN carts c ON c.id = g.cart_id
                 LEFT JOIN vouchers v ON v.id = c.voucher_id
                 WHERE g.enrollment_id = m[2]::uuid AND g.ended_at IS NULL AND t.cart_id IN (c.id, v.cart_id)
                   AND e.state = 'enrolled' AND e.platform_state <> 'synced')"#,
        cart as _,
        enrollment as _,
    );
    let over = over.fetch_all(&mut *db).await?;
    end(db, over, "the platform gives the access, or it has ended", cause).await
}

/// Ends the alerts about two purchases, of a cart or about it, of which one was refunded, or has ended for what both have bought.
pub async fn undone(db: &mut PgConnection, cart_id: CartId, cause: Cause) -> JobResult<()> {
    let over = sqlx::query_as!(
        Over,
        r#"SELECT t.id AS "transaction: TransactionId", m[1] AS "reason!"
           FROM transactions t JOIN carts own ON own.id = t.cart_id,
                regexp_matches(t.alert, '((bought twice|two attempts are paid): cart ([0-9a-f-]{36}) (?:was paid for the same, refund one of them|is another attempt of the same buyer; refund one of them if the buyer wanted one))', 'g') m
           JOIN carts other ON other.id = m[3]::uuid
           WHERE t.alert IS NOT NULL AND (own.id = $1 OR position($1::text IN t.alert) > 0) AND $1 IN (own.id, other.id) AND (
               own.state NOT IN ('paid', 'fulfilled') OR other.state NOT IN ('paid', 'fulfilled')
               OR m[2] = 'bought twice' AND NOT EXISTS (
                   SELECT FROM cart_courses ours JOIN cart_courses theirs ON theirs.course_id = ours.course_id
                   JOIN cart_items a ON (a.cart_id, a.position) = (ours.cart_id, ours.position)
                   JOIN cart_items b ON (b.cart_id, b.position) = (theirs.cart_id, theirs.position)
                   WHERE ours.cart_id = own.id AND theirs.cart_id = other.id
                     AND a.access_ended_at IS NULL AND b.access_ended_at IS NULL))"#,
        cart_id as _,
    );
    let over = over.fetch_all(&mut *db).await?;
    end(db, over, "one of the two has ended", cause).await
}

/// Ends the alerts of a cart that ask for its refund, because all of its money has gone back.
pub async fn refunded(db: &mut PgConnection, cart_id: CartId, cause: Cause) -> JobResult<()> {
    let over = sqlx::query_as!(
        Over,
        r#"SELECT t.id AS "transaction: TransactionId", m[1] AS "reason!"
           FROM transactions t,
                regexp_matches(t.alert, '(cart [0-9a-f-]{36} is not granted: [^;]*; [^;]*|access ended: what it upgraded [^;]*; refund the difference of cart [0-9a-f-]{36})', 'g') m
           WHERE t.cart_id = $1 AND t.alert IS NOT NULL"#,
        cart_id as _,
    );
    let over = over.fetch_all(&mut *db).await?;
    end(db, over, "the order was refunded", cause).await
}
