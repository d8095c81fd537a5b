//! Uses of vouchers: a voucher is found by its code, and a cart takes a use and gives it back. Triggers let a use follow its cart.
//!
//! Why: `docs/decisions/voucher-uses.md`

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, OrganisationId};
use shared::money::Currency;
use sqlx::PgConnection;
use uuid::Uuid;

use super::carts::{NewCart, State};
use crate::error::{JobError, JobResult};
use crate::model::line::CartVoucher;
use crate::model::voucher::{Value, Voucher};

/// User whose uses count.
#[derive(Clone, Copy)]
pub struct User<'a> {
    pub email: &'a Email,
    /// A learner's key as a buyer. What the learner's own carts hold until they are paid is left to the learner: another
    /// checkout joins or replaces such a cart.
    pub learner: Option<&'a str>,
}

/// An organisation's voucher with a code; None if it has none. Without a user, no limit for one buyer counts.
pub async fn find(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    code: &str,
    user: Option<User<'_>>,
) -> JobResult<Option<Voucher>> {
    let row = sqlx::query!(
        r#"SELECT v.id, v.code, v.percent AS "percent: Decimal", v.amount, v.mode AS "mode: CourseMode", v.valid_from, v.valid_until, v.currency,
                  v.kind = 'place' AS "is_place!", coalesce((SELECT w.email FROM waiting_list w WHERE w.voucher_id = v.id), (
                      SELECT u.email FROM voucher_uses u WHERE v.kind = 'place' AND u.voucher_id = v.id AND u.state IN ('held', 'used') LIMIT 1))
                      AS "owner: Email",
                  ARRAY(SELECT coalesce(s.course_id, s.program_id) FROM voucher_scope s WHERE s.voucher_id = v.id)
                      AS "scope!: Vec<Uuid>",
                  v.budget - v.spent + own.spent AS budget_left,
                  v.kind = 'seat' AND (i.cart_id IS NOT NULL OR num_nonnulls(v.access_days, v.access_until) > 0) AS "has_period!",
                  coalesce(i.access_days, v.access_days) AS access_days, coalesce(i.access_until, v.access_until) AS access_until,
                  -- Of a guest, who may hold it, no more is known. The checkout joins, or takes it.
                  v.kind = 'place' AND EXISTS (SELECT FROM waiting_list w WHERE w.voucher_id = v.id AND w.state = 'offered')
                  OR (v.max_uses IS NULL OR v.uses - own.uses < v.max_uses)
                  AND (v.max_uses_per_buyer IS NULL OR v.max_uses_per_buyer > (
                      SELECT count(*) FROM voucher_uses u
                      WHERE u.voucher_id = v.id AND u.email = $3 AND u.state IN ('held', 'used') AND u.slot IS NOT NULL)
                      - own.uses) AS "has_uses!"
           -- A pool that was bought has the period of its line.
           FROM vouchers v LEFT JOIN cart_items i ON (i.cart_id, i.position) = (v.cart_id, v.position), LATERAL (
               SELECT count(*) AS uses, coalesce(sum(u.discount), 0)::bigint AS spent
               FROM voucher_uses u JOIN carts c ON c.id = u.cart_id
               WHERE u.voucher_id = v.id AND u.email = $3 AND u.state = 'held' AND c.buyer = $4
                 AND NOT EXISTS (SELECT FROM transactions t WHERE t.cart_id = c.id AND t.on_account IS NOT NULL)) own
           WHERE v.organisation_id = $1 AND v.code = $2"#,
        organisation_id as _,
        code,
        user.map(|user| user.email.as_str()),
        user.and_then(|user| user.learner),
    )
    .fetch_optional(db)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let value = match (row.percent, row.amount, row.mode) {
        _ if row.is_place => Value::Place,
        (Some(percent), _, _) => Value::Percent(percent),
        (None, Some(amount), _) => Value::Amount(amount),
        (None, None, Some(mode)) => Value::Seat(mode),
        (None, None, None) => {
            return Err(JobError::dead(
                "a voucher takes neither a percentage nor an amount off, nor is it a seat or a place",
            ));
        }
    };
    let currency = row.currency.parse::<Currency>();
    Ok(Some(Voucher {
        id: row.id,
        code: row.code,
        value,
        valid_from: row.valid_from,
        valid_until: row.valid_until,
        currency: currency.map_err(|error| JobError::dead(format!("stored currency: {error}")))?,
        scope: row.scope.into_iter().collect(),
        has_uses: row.has_uses,
        budget_left: row.budget_left,
        owner: row.owner,
        access: row.has_period.then_some(AccessPeriod { days: row.access_days, until: row.access_until }),
    }))
}

/// Gives back the use of a cart that its buyer could still pay, and does not. If it is paid after all, the use is late.
pub async fn release(db: &mut PgConnection, cart_id: CartId) -> JobResult<()> {
    sqlx::query!("SELECT release_voucher_use($1)", cart_id as _).execute(db).await?;
    Ok(())
}

/// The code of a cart's voucher and its discount in minor units, if the cart was paid after its use was given back.
pub async fn late(db: &mut PgConnection, cart_id: CartId) -> JobResult<Option<(String, i64)>> {
    let late = sqlx::query!(
        "SELECT v.code, u.discount FROM voucher_uses u JOIN vouchers v ON v.id = u.voucher_id
         WHERE u.cart_id = $1 AND u.state = 'late'",
        cart_id as _,
    );
    Ok(late.fetch_optional(db).await?.map(|late| (late.code, late.discount)))
}

/// Returns whether a cart holds a use that it took at this time or before.
pub async fn is_held_since(db: &Db, cart_id: CartId, time: DateTime<Utc>) -> JobResult<bool> {
    let held = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM voucher_uses WHERE cart_id = $1 AND state = 'held' AND at <= $2) AS "held!""#,
        cart_id as _,
        time,
    );
    Ok(held.fetch_one(db).await?)
}

/// Returns whether a cart has released its use.
pub async fn is_released(db: &mut PgConnection, cart_id: CartId) -> JobResult<bool> {
    let released = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM voucher_uses WHERE cart_id = $1 AND state = 'released') AS "released!""#,
        cart_id as _,
    );
    Ok(released.fetch_one(db).await?)
}

/// Takes the use again that a locked cart has given back while its buyer could still pay it, and has its payment checked, which
/// plans the end of the new hold. False if none is left. The voucher's row stays locked until the transaction ends.
pub async fn take_again(db: &mut PgConnection, cart_id: CartId, now: DateTime<Utc>) -> JobResult<bool> {
    let taken = sqlx::query_scalar!(
        r#"SELECT take_voucher_use_again($1, 'held', $2) AS "taken!""#,
        cart_id as _,
        now
    );
    if !taken.fetch_one(&mut *db).await? {
        return Ok(false);
    }
    sqlx::query!("UPDATE transactions SET next_check_at = $2 WHERE cart_id = $1", cart_id as _, now)
        .execute(db)
        .await?;
    Ok(true)
}

/// Takes a use for a cart that was inserted or is being checked out in the same transaction. False if none is left, or if the
/// voucher has ended since it was quoted: the caller must not commit. Its row stays locked until the transaction ends, so call
/// it last.
///
/// # Errors
/// `Conflict` if another transaction has taken the buyer's same use at the same moment: the job runs again.
pub async fn take(
    db: &mut PgConnection,
    cart: &NewCart<'_>,
    voucher: CartVoucher,
    state: State,
    now: DateTime<Utc>,
) -> JobResult<bool> {
    let use_state = if state == State::PendingPayment { "held" } else { "used" };
    let taken = sqlx::query!(
        r#"WITH counted AS (
               UPDATE vouchers SET uses = uses + 1, spent = spent + $4
               WHERE id = $1 AND num_nonnulls(max_uses, budget) > 0
                 AND valid_from <= $6 AND (valid_until IS NULL OR valid_until > $6)
                 AND (max_uses IS NULL OR uses < max_uses) AND (budget IS NULL OR spent + $4 <= budget)
               RETURNING id, max_uses_per_buyer),
           valid AS (
               SELECT id, max_uses_per_buyer FROM counted
               UNION ALL
               SELECT id, max_uses_per_buyer FROM vouchers
               WHERE id = $1 AND num_nonnulls(max_uses, budget) = 0
                 AND valid_from <= $6 AND (valid_until IS NULL OR valid_until > $6)),
           free AS (
               SELECT v.id, v.max_uses_per_buyer, (
                   SELECT min(n) FROM generate_series(1, v.max_uses_per_buyer) n WHERE NOT EXISTS (
                       SELECT FROM voucher_uses u WHERE u.voucher_id = v.id AND u.email = $3 AND u.slot = n
                         AND u.state IN ('held', 'used'))) AS slot
               FROM valid v),
           taken AS (
               INSERT INTO voucher_uses (cart_id, voucher_id, email, discount, slot, state, at)
               SELECT $2, id, $3, $4, slot, $5, $6 FROM free WHERE slot IS NOT NULL OR max_uses_per_buyer IS NULL
               ON CONFLICT DO NOTHING RETURNING 1)
           SELECT EXISTS (SELECT FROM free WHERE slot IS NOT NULL OR max_uses_per_buyer IS NULL) AS "is_free!",
                  EXISTS (SELECT FROM taken) AS "is_taken!""#,
        voucher.id as _,
        cart.id as _,
        cart.email.as_str(),
        voucher.discount,
        use_state,
        now,
    )
    .fetch_one(db)
    .await?;
    if taken.is_free && !taken.is_taken {
        return Err(JobError::Conflict("the buyer's use of the voucher was taken at the same moment".into()));
    }
    Ok(taken.is_taken)
}
