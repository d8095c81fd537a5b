//! Upgrades rest on the grants whose price they were reduced by. Without such a grant, a paid upgrade waits for an
//! operator.
//!
//! Why: `docs/decisions/upgrades-rest.md`

use serde_json::json;
use shared::course_mode::CourseMode;
use shared::ids::{CartId, EnrollmentId};
use shared::messages::FulfilCart;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::alert::Alert;
use crate::error::JobResult;
use crate::money::attention;
use crate::plumbing::audit::{self, Cause, Change, Entity};
use crate::plumbing::locks::{self, Lock};
use crate::plumbing::outbox;
use crate::sales::cart_items;
use crate::sales::carts::{Cart, State};
use crate::sales::holdings::{self, Owner};

/// A line of a cart whose price was reduced by that of a grant.
struct Upgrade {
    position: i32,
    course_id: Uuid,
    rests_on: Uuid,
    from: CourseMode,
}

/// Returns whether the learner still holds what the cart's upgrades were credited for. An upgrade whose grant has ended
/// rests on another one of its mode from now on, if the learner has one. Locks the enrollments until the transaction
/// ends.
pub async fn still_rest(db: &mut PgConnection, cart: &Cart) -> JobResult<bool> {
    let upgrades = sqlx::query_as!(
        Upgrade,
        r#"SELECT position, course_id AS "course_id!", rests_on AS "rests_on!", upgrade_from AS "from!: CourseMode"
           FROM cart_items WHERE cart_id = $1 AND rests_on IS NOT NULL AND access_ended_at IS NULL
           ORDER BY course_id"#,
        cart.id as _,
    )
    .fetch_all(&mut *db)
    .await?;
    if upgrades.is_empty() {
        return Ok(true);
    }
    // In the order in which the grants lock them afterwards.
    let courses = cart_items::courses(db, cart.id).await?;
    let needed: Vec<_> =
        courses.iter().map(|course| Lock::Enrollment(&cart.email, course.course_id)).collect();
    locks::take(db, &needed).await?;
    let bases: Vec<Uuid> = upgrades.iter().map(|upgrade| upgrade.rests_on).collect();
    sqlx::query!(
        "SELECT e.id FROM enrollments e JOIN enrollment_grants g ON g.enrollment_id = e.id
         WHERE g.id = ANY($1) ORDER BY e.course_id, e.id FOR UPDATE OF e",
        &bases,
    )
    .fetch_all(&mut *db)
    .await?;
    let ended = sqlx::query_scalar!(
        "SELECT id FROM enrollment_grants WHERE id = ANY($1) AND ended_at IS NOT NULL AND ended_reason <> 'its time is up'",
        &bases,
    )
    .fetch_all(&mut *db)
    .await?;
    for upgrade in upgrades.iter().filter(|upgrade| ended.contains(&upgrade.rests_on)) {
        if !rest_on_another(db, cart, upgrade).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn rest_on_another(db: &mut PgConnection, cart: &Cart, upgrade: &Upgrade) -> JobResult<bool> {
    // Only a learner's price is reduced; a learner's key as a buyer is the platform user id.
    let Ok(platform_user_id) = cart.buyer.parse() else { return Ok(false) };
    let owner = Owner { platform_user_id, proved_email: None };
    let held = holdings::read(db, owner, &[upgrade.course_id], &[]).await?;
    let held = held.courses.get(&upgrade.course_id).filter(|held| held.mode >= upgrade.from);
    let Some(held) = held else { return Ok(false) };
    sqlx::query!(
        "UPDATE cart_items SET rests_on = $3 WHERE cart_id = $1 AND position = $2",
        cart.id as _,
        upgrade.position,
        held.grant,
    )
    .execute(db)
    .await?;
    Ok(true)
}

/// Lets a cart wait for an operator before it is granted. Returns the alert to raise after the commit.
pub async fn block(
    db: &mut PgConnection,
    cart_id: CartId,
    reason: &str,
    cause: Cause,
) -> JobResult<Option<Alert>> {
    sqlx::query!("UPDATE carts SET grant_blocked_at = $2 WHERE id = $1", cart_id as _, cause.now)
        .execute(&mut *db)
        .await?;
    record(db, cart_id, json!({ "grant": "blocked" }), cause).await?;
    let reason = format!("cart {cart_id} is not granted: {reason}");
    attention::alert_cart(db, cart_id, &reason, cause.now).await
}

/// Queues the fulfilment of a waiting paid cart again, after some of its lines were refunded: the others may be free to be granted.
pub async fn look_again(db: &mut PgConnection, cart_id: CartId, cause: Cause) -> JobResult<()> {
    let waited = sqlx::query!(
        "UPDATE carts SET grant_blocked_at = NULL, fulfil_requested_at = $2
         WHERE id = $1 AND state = 'paid' AND grant_blocked_at IS NOT NULL",
        cart_id as _,
        cause.now,
    );
    if waited.execute(&mut *db).await?.rows_affected() > 0 {
        outbox::push(db, FulfilCart { cart_id }, cause.now).await?;
    }
    Ok(())
}

/// Queues the fulfilment of a waiting paid cart, by an operator's decision. False if the cart does not wait. `reason` goes into the audit log.
pub async fn restore(db: &mut PgConnection, cart_id: CartId, reason: &str, cause: Cause) -> JobResult<bool> {
    let restored = sqlx::query!(
        "UPDATE carts SET grant_blocked_at = NULL, fulfil_requested_at = $2
         WHERE id = $1 AND state = 'paid' AND grant_blocked_at IS NOT NULL",
        cart_id as _,
        cause.now,
    )
    .execute(&mut *db)
    .await?;
    if restored.rows_affected() == 0 {
        return Ok(false);
    }
    // From now on these lines rest on nothing, so that the next delivery grants them too.
    sqlx::query!(
        "UPDATE cart_items i SET rests_on = NULL FROM enrollment_grants g
         WHERE i.cart_id = $1 AND g.id = i.rests_on AND g.ended_at IS NOT NULL AND g.ended_reason <> 'its time is up'",
        cart_id as _,
    )
    .execute(&mut *db)
    .await?;
    record(db, cart_id, json!({ "grant": "restored", "reason": reason }), cause).await?;
    outbox::push(db, FulfilCart { cart_id }, cause.now).await?;
    Ok(true)
}

async fn record(
    db: &mut PgConnection,
    cart_id: CartId,
    detail: serde_json::Value,
    cause: Cause,
) -> JobResult<()> {
    let paid = State::Paid.into();
    audit::record(
        db,
        cause,
        Change { entity: Entity::Cart, id: cart_id.into(), from: Some(paid), to: paid, detail },
    )
    .await
}

/// Lets everything that rests on the partner's grant of one enrollment rest on that of another.
pub(crate) async fn move_bases(db: &mut PgConnection, from: EnrollmentId, to: EnrollmentId) -> JobResult<()> {
    sqlx::query!(
        "WITH moved AS (
             SELECT f.id AS old, t.id AS new FROM enrollment_grants f JOIN enrollment_grants t ON t.enrollment_id = $2
             WHERE f.enrollment_id = $1 AND f.source = 'partner' AND f.ended_at IS NULL
               AND t.source = 'partner' AND t.ended_at IS NULL),
         lines AS (UPDATE cart_items i SET rests_on = moved.new FROM moved WHERE i.rests_on = moved.old)
         UPDATE enrollment_grants g SET rests_on = moved.new FROM moved WHERE g.rests_on = moved.old",
        from as _,
        to as _,
    )
    .execute(db)
    .await?;
    Ok(())
}
