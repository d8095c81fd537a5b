//! A buyer's attempts at a basket: which one a checkout joins, and which ones it replaces.
//!
//! Why: `docs/decisions/joined-free-checkouts.md`

use shared::email::Email;
use shared::ids::{CartId, OrganisationId};
use sqlx::PgConnection;
use uuid::Uuid;

use super::carts::{self, NewCart};
use crate::error::JobResult;

/// The buyer's earlier attempts at the same basket.
pub struct Earlier {
    /// One in progress or on account and unpaid, or a free one that still grants all of its courses. It grants every course that the new cart would:
    /// a learner's earlier one may have left out what the learner held then.
    pub live: Option<CartId>,
    /// Indicates whether there is a held one; if it is not live, it has lost some of its grants.
    pub has_held: bool,
}

/// The buyer's earlier attempts at a cart's basket.
pub async fn earlier(db: &mut PgConnection, cart: &NewCart<'_>) -> JobResult<Earlier> {
    let is_guest = cart.buyer.starts_with(carts::GUEST);
    let courses = cart.contents.courses.iter().filter(|_| !is_guest);
    let needed: Vec<Uuid> = courses.map(|(_, (course, _))| *course).collect();
    let attempts = sqlx::query!(
        r#"SELECT id, state = 'held' AS "is_held!",
                  (state IN ('open', 'pending_payment', 'paid')
                   OR state = 'fulfilled' AND EXISTS (
                       SELECT FROM transactions t WHERE t.cart_id = carts.id AND t.on_account IS NOT NULL AND t.state = 'processing')
                   OR state IN ('held', 'fulfilled') AND total = 0
                   -- What a move has given away is not the buyer's any more.
                   AND NOT EXISTS (SELECT FROM moves m WHERE m.cart_id = carts.id AND m.withdrawn_at IS NULL)
                   AND NOT EXISTS (
                       SELECT FROM cart_courses c WHERE c.cart_id = carts.id AND NOT EXISTS (
                           SELECT FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
                           WHERE g.cart_id = carts.id AND e.course_id = c.course_id AND g.ended_at IS NULL)))
                  AND NOT EXISTS (
                      SELECT FROM unnest($4::uuid[]) AS needed
                      WHERE needed NOT IN (SELECT course_id FROM cart_courses WHERE cart_id = carts.id)) AS "is_live!"
           FROM carts WHERE buyer = $1 AND organisation_id = $2 AND basket_hash = $3 AND kind = 'discovery'
             AND state IN ('open', 'pending_payment', 'paid', 'held', 'fulfilled')
           ORDER BY id DESC"#,
        cart.buyer,
        cart.organisation_id as _,
        cart.contents.basket_hash,
        &needed,
    )
    .fetch_all(db)
    .await?;
    Ok(Earlier {
        live: attempts.iter().find(|attempt| attempt.is_live).map(|attempt| attempt.id),
        has_held: attempts.iter().any(|attempt| attempt.is_held),
    })
}

/// The buyer's carts with this organisation that wait for payment, or are paid and about to be fulfilled; also what was
/// paid as a guest of the learner's proved address. Not those on account, which have an invoice.
pub async fn pending(
    db: &mut PgConnection,
    buyer: &str,
    organisation_id: OrganisationId,
    proved_email: Option<&Email>,
) -> JobResult<Vec<CartId>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM carts WHERE organisation_id = $2 AND grant_blocked_at IS NULL
           AND (buyer = $1 AND state IN ('pending_payment', 'paid') OR buyer = 'guest:' || $3 AND state = 'paid')
           AND NOT EXISTS (SELECT FROM transactions t WHERE t.cart_id = carts.id AND t.on_account IS NOT NULL)
         ORDER BY id",
        buyer,
        organisation_id as _,
        proved_email.map(Email::as_str),
    )
    .fetch_all(db)
    .await?)
}
