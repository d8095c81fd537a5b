//! The access that a cart bought: ended when its money goes back, restored when the money returns. Other grants of the
//! same courses stay, and each enrollment falls back to the best of them. What changes is queued for the course platform.

use shared::course_mode::CourseMode;
use shared::ids::{CartId, EnrollmentId};
use sqlx::PgConnection;
use uuid::Uuid;

use super::periods;
use super::records::{Granted, PlatformState, Row, State, Target, change, enrollment_rows};
use super::sync_queue::SyncAt;
use crate::error::JobResult;
use crate::money::attention;
use crate::plumbing::audit::Cause;
use crate::sales::{gifts, seats};

/// Reason why bought access ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text")]
pub enum Ended {
    #[sqlx(rename = "refunded")]
    Refunded,
    /// An order on account was cancelled.
    #[sqlx(rename = "cancelled")]
    Cancelled,
    /// The buyer's bank took the money back. A dispute that is won restores the access.
    #[sqlx(rename = "charged back")]
    ChargedBack,
    /// End of an upgrade whose base was refunded.
    #[sqlx(rename = "what it upgraded was refunded")]
    BaseRefunded,
    /// End of an upgrade whose base was charged back.
    #[sqlx(rename = "what it upgraded was charged back")]
    BaseChargedBack,
    /// End of a seat that the buyer of the seats has taken back.
    #[sqlx(rename = "seat taken back")]
    Revoked,
    /// End of an upgrade of such a seat.
    #[sqlx(rename = "what it upgraded was taken back")]
    BaseRevoked,
    /// End of access that a move has given to another course or person.
    #[sqlx(rename = "moved")]
    Moved,
}

impl Ended {
    /// Reason why the upgrades that rest on this access end.
    fn of_upgrades(self) -> Self {
        match self {
            Self::Refunded | Self::BaseRefunded => Self::BaseRefunded,
            Self::ChargedBack | Self::BaseChargedBack => Self::BaseChargedBack,
            // What was upgraded is not moved.
            Self::Cancelled | Self::Revoked | Self::BaseRevoked | Self::Moved => Self::BaseRevoked,
        }
    }
}

/// Ends the access that these lines of a cart bought, and the upgrades that rest on it. Seats that others have stay theirs. Returns
/// the carts of those upgrades, whose buyers have paid a difference for nothing.
pub async fn end(
    db: &mut PgConnection,
    cart_id: CartId,
    positions: &[i32],
    reason: Ended,
    cause: Cause,
) -> JobResult<Vec<CartId>> {
    sqlx::query!(
        "UPDATE cart_items SET access_ended_at = coalesce(access_ended_at, $3) WHERE cart_id = $1 AND position = ANY($2)",
        cart_id as _,
        positions,
        cause.now,
    )
    .execute(&mut *db)
    .await?;
    // The purchase and the upgrades of its courses may be on two rows, while the address has no account yet.
    let enrollments = sqlx::query_scalar!(
        "SELECT e.id FROM enrollments e WHERE e.id IN (
             SELECT enrollment_id FROM enrollment_grants WHERE cart_id = $1 AND ended_at IS NULL)
         ORDER BY e.course_id, e.id FOR UPDATE",
        cart_id as _,
    )
    .fetch_all(&mut *db)
    .await?;
    let mut ended = sqlx::query_scalar!(
        "UPDATE enrollment_grants g SET ended_at = $3, ended_reason = $4
         FROM enrollments e JOIN cart_courses c ON c.course_id = e.course_id
         WHERE e.id = g.enrollment_id AND c.cart_id = g.cart_id AND g.cart_id = $1 AND c.position = ANY($2)
           AND g.ended_at IS NULL
         RETURNING g.id",
        cart_id as _,
        positions,
        cause.now,
        reason as Ended,
    )
    .fetch_all(&mut *db)
    .await?;
    ended.extend(over(db, cart_id, positions).await?);
    let (mut upgrades, mut enrollments) = (Vec::new(), enrollments);
    // Upgrades can rest on upgrades.
    while !ended.is_empty() {
        let resting = sqlx::query!(
            "UPDATE enrollment_grants SET ended_at = $2, ended_reason = $3
             WHERE rests_on = ANY($1) AND ended_at IS NULL
             RETURNING id, cart_id, enrollment_id",
            &ended,
            cause.now,
            reason.of_upgrades() as Ended,
        )
        .fetch_all(&mut *db)
        .await?;
        ended = resting.iter().map(|grant| grant.id).collect();
        enrollments.extend(resting.iter().map(|grant| grant.enrollment_id));
        upgrades.extend(resting.into_iter().filter_map(|grant| grant.cart_id));
    }
    settle_rows(db, &enrollments, SyncAt::Now, cause).await?;
    Ok(upgrades)
}

/// The grants of these lines whose time is up: upgrades can rest on them.
async fn over(db: &mut PgConnection, cart_id: CartId, positions: &[i32]) -> JobResult<Vec<Uuid>> {
    Ok(sqlx::query_scalar!(
        "SELECT g.id FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
         JOIN cart_courses c ON c.cart_id = g.cart_id AND c.course_id = e.course_id
         WHERE g.cart_id = $1 AND c.position = ANY($2) AND g.ended_reason = 'its time is up'",
        cart_id as _,
        positions,
    )
    .fetch_all(db)
    .await?)
}

/// The lines of a cart that are accessible again.
pub struct Reopened {
    /// Lines whose pool of seats exists: what was withdrawn from it is back.
    pub with_pool: usize,
    pub others: usize,
}

/// Marks the lines of a cart as accessible again, except those that a refund has ended, and returns withdrawn seats. A refund that
/// failed later still counts, unless an operator decides otherwise.
pub async fn reopen_lines(db: &mut PgConnection, cart_id: CartId, by_operator: bool) -> JobResult<Reopened> {
    let reopened = sqlx::query_scalar!(
        r#"UPDATE cart_items i SET access_ended_at = NULL
         WHERE i.cart_id = $1 AND i.access_ended_at IS NOT NULL AND NOT EXISTS (
             SELECT FROM transactions t JOIN refunds r ON r.transaction_id = t.id
             JOIN refund_lines l ON l.refund_id = r.id
             WHERE t.cart_id = i.cart_id AND l.position = i.position AND l.ends_access
               AND (r.state IN ('accepted', 'succeeded') OR NOT $2 AND r.accepted_at IS NOT NULL))
         RETURNING EXISTS (SELECT FROM vouchers v WHERE (v.cart_id, v.position) = (i.cart_id, i.position)) AS "has_pool!""#,
        cart_id as _,
        by_operator,
    );
    let reopened = reopened.fetch_all(&mut *db).await?;
    seats::restore(db, cart_id).await?;
    gifts::resume(db, cart_id).await?;
    let with_pool = reopened.iter().filter(|has_pool| **has_pool).count();
    Ok(Reopened { with_pool, others: reopened.len() - with_pool })
}

/// Restores the access of a cart that ended for this reason, on the lines that are not marked as ended, and the upgrades that
/// rested on it, unless these were refunded meanwhile. Returns how many enrollments that concerns.
pub async fn restore(
    db: &mut PgConnection,
    cart_id: CartId,
    reason: Ended,
    cause: Cause,
) -> JobResult<usize> {
    let mut restored = sqlx::query!(
        "UPDATE enrollment_grants g SET ended_at = NULL, ended_reason = NULL
         FROM enrollments e JOIN cart_courses c ON c.course_id = e.course_id
         JOIN cart_items i ON i.cart_id = c.cart_id AND i.position = c.position
         WHERE e.id = g.enrollment_id AND c.cart_id = g.cart_id AND g.cart_id = $1 AND g.ended_reason = $2
           AND i.access_ended_at IS NULL
         RETURNING g.id, g.enrollment_id",
        cart_id as _,
        reason as Ended,
    )
    .fetch_all(&mut *db)
    .await?
    .into_iter()
    .map(|grant| (grant.id, grant.enrollment_id))
    .collect::<Vec<_>>();
    let open = sqlx::query_scalar!(
        "SELECT position FROM cart_items WHERE cart_id = $1 AND access_ended_at IS NULL",
        cart_id as _,
    );
    let open = open.fetch_all(&mut *db).await?;
    let over = over(db, cart_id, &open).await?;
    let mut enrollments: Vec<EnrollmentId> = Vec::new();
    let mut bases = over;
    while !(restored.is_empty() && bases.is_empty()) {
        bases.extend(restored.iter().map(|(grant, _)| *grant));
        let grants = std::mem::take(&mut bases);
        enrollments.extend(restored.iter().map(|(_, enrollment)| *enrollment));
        let upgrades = sqlx::query!(
            "UPDATE enrollment_grants g SET ended_at = NULL, ended_reason = NULL
             FROM carts c, enrollments e JOIN cart_courses cc ON cc.course_id = e.course_id
             JOIN cart_items i ON i.cart_id = cc.cart_id AND i.position = cc.position
             WHERE g.rests_on = ANY($1) AND g.ended_reason = $2 AND c.id = g.cart_id AND c.state = 'fulfilled'
               AND e.id = g.enrollment_id AND cc.cart_id = g.cart_id AND i.access_ended_at IS NULL
             RETURNING g.id, g.enrollment_id, c.id AS cart_id",
            &grants,
            reason.of_upgrades() as Ended,
        )
        .fetch_all(&mut *db)
        .await?;
        for upgrade in &upgrades {
            let ended = upgrade_ended(cart_id, upgrade.cart_id);
            attention::end_of_cart(db, upgrade.cart_id, &ended, "the access is back", cause).await?;
        }
        restored = upgrades.into_iter().map(|grant| (grant.id, grant.enrollment_id)).collect();
    }
    settle_rows(db, &enrollments, SyncAt::Now, cause).await
}

/// The alert of an upgrade that has ended with the access of another cart; it ends when that is restored.
pub fn upgrade_ended(cart_id: CartId, upgrade: CartId) -> String {
    format!(
        "access ended: what it upgraded (cart {cart_id}) was refunded, charged back or taken back; refund the difference of \
         cart {upgrade}"
    )
}

/// Gives a seat back to the learner from whom it was taken, with the upgrades that rested on it. Returns what it grants again.
pub async fn give_back(db: &mut PgConnection, cart_id: CartId, cause: Cause) -> JobResult<Vec<Granted>> {
    sqlx::query!("UPDATE cart_items SET access_ended_at = NULL WHERE cart_id = $1", cart_id as _)
        .execute(&mut *db)
        .await?;
    restore(db, cart_id, Ended::Revoked, cause).await?;
    let granted = sqlx::query!(
        r#"SELECT e.id AS "id: EnrollmentId", e.state AS "state: State" FROM enrollment_grants g
           JOIN enrollments e ON e.id = g.enrollment_id WHERE g.cart_id = $1 AND g.ended_at IS NULL ORDER BY e.course_id"#,
        cart_id as _,
    );
    let granted = granted.fetch_all(db).await?.into_iter();
    let granted = granted.map(|row| Granted {
        enrollment_id: row.id,
        state: row.state,
        // Their syncs are queued.
        sync: None,
        invite: false,
    });
    Ok(granted.collect())
}

/// Brings the state and mode of enrollments in line with their live grants. Returns how many there are.
pub(super) async fn settle_rows(
    db: &mut PgConnection,
    ids: &[EnrollmentId],
    sync_at: SyncAt,
    cause: Cause,
) -> JobResult<usize> {
    let rows = enrollment_rows!(
        "SELECT",
        columns,
        "FROM enrollments WHERE id = ANY($1) ORDER BY course_id, id FOR UPDATE",
        ids as _,
    )
    .fetch_all(&mut *db)
    .await?;
    for row in &rows {
        periods::settle(db, row.id, cause.now).await?;
        settle_row(db, row, sync_at, cause).await?;
    }
    Ok(rows.len())
}

async fn settle_row(db: &mut PgConnection, row: &Row, sync_at: SyncAt, cause: Cause) -> JobResult<()> {
    let live = sqlx::query_scalar!(
        r#"SELECT mode AS "mode: CourseMode" FROM enrollment_grants WHERE enrollment_id = $1 AND ended_at IS NULL"#,
        row.id as _,
    )
    .fetch_all(&mut *db)
    .await?;
    let to = match live.into_iter().max() {
        Some(mode) => {
            Target { state: State::granted(row.learner_id.is_some()), mode, learner_id: row.learner_id }
        }
        None => Target { state: State::Removed, mode: row.mode, learner_id: row.learner_id },
    };
    let is_unchanged = to.state == row.state && (to.mode == row.mode || to.state == State::Removed);
    if is_unchanged { Ok(()) } else { change(db, row, to, sync_at, cause).await.map(drop) }
}

/// The platform's access to a course that a cart's line bought, and that has ended on record.
pub struct RemainingAccess {
    pub position: i32,
    pub username: String,
    pub course_key: String,
    /// Indicates whether the platform has refused to end it; otherwise it has not been asked yet.
    pub is_kept: bool,
}

/// Returns what the platform still gives of the ended access of a cart.
pub async fn remaining(db: &mut PgConnection, cart_id: CartId) -> JobResult<Vec<RemainingAccess>> {
    Ok(sqlx::query_as!(
        RemainingAccess,
        r#"SELECT cc.position, l.username, c.openedx_course_id AS course_key, e.platform_state = 'refused' AS "is_kept!"
           FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id JOIN learners l ON l.id = e.learner_id
           JOIN cart_courses cc ON cc.cart_id = g.cart_id AND cc.course_id = e.course_id
           JOIN courses c ON c.id = e.course_id
           WHERE g.cart_id = $1 AND e.state = 'removed' AND e.platform_state <> 'synced'
             AND g.ended_reason IS DISTINCT FROM 'moved'
           ORDER BY cc.position, c.id"#,
        cart_id as _,
    )
    .fetch_all(db)
    .await?)
}

/// The lines of a cart whose access a later purchase rests on: upgrades that are granted, or paid and not yet granted.
pub async fn lines_with_upgrades(db: &mut PgConnection, cart_id: CartId) -> JobResult<Vec<i32>> {
    Ok(sqlx::query_scalar!(
        "SELECT DISTINCT c.position FROM enrollment_grants g
         JOIN enrollments e ON e.id = g.enrollment_id
         JOIN cart_courses c ON c.cart_id = g.cart_id AND c.course_id = e.course_id
         WHERE g.cart_id = $1 AND (g.ended_at IS NULL OR g.ended_reason = 'its time is up') AND (
             -- An upgrade that cost nothing, by a voucher, cannot be refunded first; it ends with what it rests on.
             EXISTS (SELECT FROM enrollment_grants r JOIN transactions t ON t.cart_id = r.cart_id
                     WHERE r.rests_on = g.id AND r.ended_at IS NULL)
             OR EXISTS (SELECT FROM cart_items i JOIN carts o ON o.id = i.cart_id
                        WHERE i.rests_on = g.id AND o.state = 'paid'))
         ORDER BY 1",
        cart_id as _,
    )
    .fetch_all(db)
    .await?)
}
