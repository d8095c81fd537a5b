//! Pools of seats: vouchers that pay for places in one course or program. `vouchers` takes their uses.

use chrono::{DateTime, TimeDelta, Utc};
use shared::course_mode::CourseMode;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, LearnerId, OrganisationId, RefundId, VoucherId};
use shared::messages::{BasketItem, ItemKind, Mail, SeatsReady};
use shared::voucher::Code;
use sqlx::PgConnection;
use texts::Language;
use uuid::Uuid;

use super::carts::{Cart, State};
use super::gifts;
use crate::error::{JobError, JobResult};
use crate::plumbing::mails;

/// Number of times that each seat of a pool can be assigned, on average.
const ASSIGNMENTS_A_SEAT: i32 = 4;

/// Minimum time between two mails to an address about its seat.
const REMINDER_PAUSE: TimeDelta = TimeDelta::days(1);

/// A pool of seats.
pub struct Pool {
    pub id: VoucherId,
    pub organisation_id: OrganisationId,
    pub code: String,
    pub item: BasketItem,
    /// The name of the course or program.
    pub name: String,
    /// Its buyer's address.
    pub email: Email,
    /// Of the order that paid for it; None if the organisation has made it.
    pub language: Option<Language>,
}

/// A line of a cart that buys seats and has no pool yet.
pub struct SeatLine {
    pub position: i32,
    pub item: BasketItem,
    pub name: String,
    pub seats: i32,
    /// When the access of all of them ends at the latest.
    pub access_until: Option<DateTime<Utc>>,
}

/// Reads a pool, which must exist.
pub async fn get(db: &Db, id: VoucherId) -> JobResult<Pool> {
    let row = sqlx::query!(
        r#"SELECT v.organisation_id, v.code, v.mode AS "mode: CourseMode", v.email AS "email: Email",
                  s.course_id, s.program_id, coalesce(c.display_name, p.name) AS "name!",
                  (SELECT k.language FROM carts k WHERE k.id = v.cart_id) AS "language: Language"
           FROM vouchers v JOIN voucher_scope s ON s.voucher_id = v.id
           LEFT JOIN courses c ON c.id = s.course_id LEFT JOIN programs p ON p.id = s.program_id
           WHERE v.id = $1 AND v.kind = 'seat'"#,
        id as _,
    );
    let row =
        row.fetch_optional(db).await?.ok_or_else(|| JobError::dead(format!("no pool of seats {id}")))?;
    let (Some(mode), Some(email)) = (row.mode, row.email) else {
        return Err(JobError::dead("a pool of seats lacks its mode or its buyer"));
    };
    Ok(Pool {
        id,
        organisation_id: row.organisation_id,
        code: row.code,
        item: item(row.course_id, row.program_id, mode)?,
        name: row.name,
        email,
        language: row.language,
    })
}

fn item(course: Option<Uuid>, program: Option<Uuid>, mode: CourseMode) -> JobResult<BasketItem> {
    let (kind, id) = match program {
        Some(program) => (ItemKind::Program, Some(program)),
        None => (ItemKind::Course, course),
    };
    let id = id.ok_or_else(|| JobError::dead("seats are of neither a course nor a program"))?;
    Ok(BasketItem { kind, id, mode, seats: None })
}

/// The lines of a cart whose seats have no pool yet, without those whose access has ended.
pub async fn lines(db: &mut PgConnection, cart_id: CartId) -> JobResult<Vec<SeatLine>> {
    let rows = sqlx::query!(
        r#"SELECT i.position, i.course_id, i.program_id, i.mode AS "mode: CourseMode", i.name, i.seats AS "seats!",
                  i.access_until
           FROM cart_items i WHERE i.cart_id = $1 AND i.seats IS NOT NULL AND i.access_ended_at IS NULL
             AND NOT EXISTS (SELECT FROM vouchers v WHERE (v.cart_id, v.position) = (i.cart_id, i.position))
           ORDER BY i.position"#,
        cart_id as _,
    );
    let rows = rows.fetch_all(db).await?.into_iter().map(|row| {
        let item = item(row.course_id, row.program_id, row.mode)?;
        Ok(SeatLine {
            position: row.position,
            item,
            name: row.name,
            seats: row.seats,
            access_until: row.access_until,
        })
    });
    rows.collect()
}

/// Reasons why a pool may be unable to assign a seat. Advisory: read before the transaction.
pub struct Outlook {
    /// Indicates whether the address has a seat of it, other than one that was taken back.
    pub has_one: bool,
    /// Indicates whether it has no seat for the address; one that was taken back from the same learner is left for them.
    pub is_used_up: bool,
    /// Indicates whether all of its seats went back with the money.
    pub is_withdrawn: bool,
    /// Indicates whether it has made all of its assignments.
    pub is_exhausted: bool,
}

/// Returns whether a pool can assign an address a seat.
pub async fn outlook(db: &Db, pool: VoucherId, email: &Email) -> JobResult<Outlook> {
    Ok(sqlx::query_as!(
        Outlook,
        r#"SELECT back IS NULL AND EXISTS (
                      SELECT FROM voucher_uses u WHERE u.voucher_id = v.id AND u.email = $2 AND u.state IN ('held', 'used'))
                      AS "has_one!",
                  back IS NULL AND v.uses >= v.max_uses AS "is_used_up!", v.max_uses = 0 AS "is_withdrawn!",
                  v.assigned >= $3::bigint * (v.max_uses::bigint + v.withdrawn) AS "is_exhausted!"
           FROM vouchers v, seat_taken_back(v.id, $2) back WHERE v.id = $1"#,
        pool as _,
        email.as_str(),
        i64::from(ASSIGNMENTS_A_SEAT),
    )
    .fetch_one(db)
    .await?)
}

/// Counts an assignment whose use was taken in the same transaction. False if the pool has none left: the caller must not commit.
pub async fn count_assignment(db: &mut PgConnection, pool: VoucherId) -> JobResult<bool> {
    let counted = sqlx::query!(
        "UPDATE vouchers SET assigned = assigned + 1 WHERE id = $1 AND assigned < $2::bigint * (max_uses::bigint + withdrawn)",
        pool as _,
        i64::from(ASSIGNMENTS_A_SEAT),
    );
    Ok(counted.execute(db).await?.rows_affected() == 1)
}

/// A seat that an address has.
pub struct Taken {
    pub cart_id: CartId,
    pub email: Email,
    /// Held if the address has not registered.
    pub state: State,
}

/// Locks and returns the carts through which addresses, or with None all, have seats of some pools, without those whose access has
/// ended.
pub async fn taken(
    db: &mut PgConnection,
    pools: &[VoucherId],
    emails: Option<&[Email]>,
) -> JobResult<Vec<Taken>> {
    let emails: Option<Vec<&str>> = emails.map(|emails| emails.iter().map(Email::as_str).collect());
    Ok(sqlx::query_as!(
        Taken,
        r#"SELECT c.id AS cart_id, c.email AS "email: Email", c.state AS "state: State" FROM carts c
           WHERE c.id IN (SELECT u.cart_id FROM voucher_uses u
                          WHERE u.voucher_id = ANY ($1) AND ($2::text[] IS NULL OR u.email = ANY ($2))
                            AND u.state IN ('held', 'used'))
             AND EXISTS (SELECT FROM enrollment_grants g WHERE g.cart_id = c.id AND g.ended_at IS NULL)
             -- Read again once the row is locked.
             AND c.state IN ('held', 'fulfilled')
           ORDER BY c.email, c.id FOR UPDATE"#,
        pools as _,
        emails.as_deref() as Option<&[&str]>,
    )
    .fetch_all(db)
    .await?)
}

/// Locks and returns the cart of a seat that was taken back from a learner with this address, with the learner.
pub async fn taken_back(
    db: &mut PgConnection,
    pool: VoucherId,
    email: &Email,
) -> JobResult<Option<(CartId, LearnerId)>> {
    let cart = sqlx::query_scalar!(
        r#"SELECT id AS "id: CartId" FROM carts WHERE id = seat_taken_back($1, $2) FOR UPDATE"#,
        pool as _,
        email.as_str(),
    );
    let Some(cart_id) = cart.fetch_optional(&mut *db).await? else { return Ok(None) };
    let learner = sqlx::query_scalar!(
        r#"SELECT e.learner_id AS "id!: LearnerId" FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
           WHERE g.cart_id = $1 AND e.learner_id IS NOT NULL LIMIT 1"#,
        cart_id as _,
    );
    Ok(learner.fetch_optional(db).await?.map(|learner| (cart_id, learner)))
}

/// Mails the pools of a cart to its new address, with new codes: those that the old one knows redeem no more seats.
pub async fn hand_over(db: &mut PgConnection, cart: &Cart, to: &Email, now: DateTime<Utc>) -> JobResult<()> {
    for id in pools(db, cart.id).await? {
        let code = Code::generate();
        let pool = sqlx::query!(
            r#"UPDATE vouchers v SET code = $2 FROM cart_items i
               WHERE v.id = $1 AND (i.cart_id, i.position) = (v.cart_id, v.position)
               RETURNING i.name, v.max_uses AS "seats!""#,
            id as _,
            code.as_str(),
        );
        let pool = pool.fetch_one(&mut *db).await?;
        sqlx::query!(
            "DELETE FROM mails WHERE recipient = $1 AND voucher_id = $2",
            cart.email.as_str(),
            id as _,
        )
        .execute(&mut *db)
        .await?;
        if pool.seats == 0 {
            continue;
        }
        let ready = SeatsReady {
            organisation_id: cart.organisation_id,
            voucher_id: id,
            code: code.into(),
            item: pool.name,
            seats: pool.seats,
            gift: gifts::planned(db, cart.id, now).await?,
        };
        mails::push(db, to, Mail::SeatsReady(ready), Some(&cart.language), now).await?;
    }
    Ok(())
}

/// The pools that a cart has bought.
pub async fn pools(db: &mut PgConnection, cart_id: CartId) -> JobResult<Vec<VoucherId>> {
    let pools = sqlx::query_scalar!(
        r#"SELECT id AS "id: VoucherId" FROM vouchers WHERE cart_id = $1 ORDER BY position"#,
        cart_id as _
    );
    Ok(pools.fetch_all(db).await?)
}

/// A seat whose address has not registered.
pub struct WaitingSeat {
    pub cart_id: CartId,
    pub email: Email,
    /// Of its cart.
    pub language: Language,
    /// Indicates whether a mail may remind it now.
    pub is_due: bool,
}

/// Addresses that have not registered for their seats of a pool, those without a mail for longest first, each with whether a mail
/// may remind it now.
pub async fn waiting(
    db: &mut PgConnection,
    pool: VoucherId,
    emails: Option<&[Email]>,
    limit: i64,
    now: DateTime<Utc>,
) -> JobResult<Vec<WaitingSeat>> {
    let emails: Option<Vec<&str>> = emails.map(|emails| emails.iter().map(Email::as_str).collect());
    let rows = sqlx::query_as!(
        WaitingSeat,
        r#"SELECT u.cart_id, u.email AS "email: Email", c.language AS "language: Language",
                  coalesce(u.mailed_at, u.at) <= $3 AS "is_due!"
           FROM voucher_uses u JOIN carts c ON c.id = u.cart_id
           WHERE u.voucher_id = $1 AND c.state = 'held' AND u.state = 'used' AND ($2::text[] IS NULL OR u.email = ANY($2))
           ORDER BY coalesce(u.mailed_at, u.at), u.email LIMIT $4 FOR NO KEY UPDATE OF u"#,
        pool as _,
        emails.as_deref() as Option<&[&str]>,
        now - REMINDER_PAUSE,
        limit,
    );
    Ok(rows.fetch_all(db).await?)
}

/// Records that an address is mailed about its seat.
pub async fn mailed(db: &mut PgConnection, cart_id: CartId, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!("UPDATE voucher_uses SET mailed_at = $2 WHERE cart_id = $1", cart_id as _, now)
        .execute(db)
        .await?;
    Ok(())
}

/// Locks the pools of a cart until the transaction ends.
pub async fn lock(db: &mut PgConnection, cart_id: CartId) -> JobResult<()> {
    sqlx::query!("SELECT FROM vouchers WHERE cart_id = $1 ORDER BY position FOR NO KEY UPDATE", cart_id as _)
        .execute(db)
        .await?;
    Ok(())
}

/// Withdraws the seats that are left in the pools of a cart, because all of its money has gone. Seats that the organisation has
/// added stay.
pub async fn withdraw(db: &mut PgConnection, cart_id: CartId) -> JobResult<()> {
    // A full pool, too: one of its seats may become free at this moment.
    lock(db, cart_id).await?;
    sqlx::query!(
        "UPDATE vouchers v SET withdrawn = v.withdrawn + seats_left(v, i.seats), max_uses = v.max_uses - seats_left(v, i.seats)
         FROM cart_items i WHERE v.cart_id = $1 AND (i.cart_id, i.position) = (v.cart_id, v.position)",
        cart_id as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Withdraws the seats that a refund pays back, and notes them on its lines; for one that had failed, as many as before, as far as
/// they are left. Lines without a pool, and those whose access it does not end, stay as they are.
pub async fn withdraw_for(db: &mut PgConnection, refund_id: RefundId) -> JobResult<()> {
    sqlx::query!(
        "WITH pool AS (
             SELECT v.id, l.position, least(coalesce(l.seats, i.seats), seats_left(v, i.seats)) AS seats
             FROM refund_lines l JOIN refunds r ON r.id = l.refund_id JOIN transactions t ON t.id = r.transaction_id
             JOIN cart_items i ON (i.cart_id, i.position) = (t.cart_id, l.position)
             JOIN vouchers v ON (v.cart_id, v.position) = (i.cart_id, i.position)
             WHERE l.refund_id = $1 AND l.ends_access AND (l.seats IS NULL OR r.state = 'failed') FOR NO KEY UPDATE OF v),
         noted AS (
             UPDATE refund_lines l SET seats = pool.seats FROM pool
             WHERE l.refund_id = $1 AND l.position = pool.position)
         UPDATE vouchers v SET max_uses = v.max_uses - pool.seats, withdrawn = v.withdrawn + pool.seats
         FROM pool WHERE v.id = pool.id",
        refund_id as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the seats that a refund has withdrawn, because it has just failed. Its lines keep their number.
pub async fn restore_of(db: &mut PgConnection, refund_id: RefundId) -> JobResult<()> {
    sqlx::query!(
        "UPDATE vouchers v SET max_uses = v.max_uses + l.seats, withdrawn = v.withdrawn - l.seats
         FROM refund_lines l JOIN refunds r ON r.id = l.refund_id JOIN transactions t ON t.id = r.transaction_id
         WHERE l.refund_id = $1 AND l.seats > 0 AND (v.cart_id, v.position) = (t.cart_id, l.position)",
        refund_id as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the seats that were withdrawn from the pools of a cart, except those that refunds pay back: its money is here again.
pub async fn restore(db: &mut PgConnection, cart_id: CartId) -> JobResult<()> {
    sqlx::query!(
        "WITH pool AS (
             SELECT v.id, v.withdrawn - (
                 SELECT coalesce(sum(l.seats), 0) FROM transactions t JOIN refunds r ON r.transaction_id = t.id
                 JOIN refund_lines l ON l.refund_id = r.id
                 WHERE t.cart_id = v.cart_id AND l.position = v.position AND r.state <> 'failed')::integer AS seats
             FROM vouchers v WHERE v.cart_id = $1 FOR NO KEY UPDATE)
         UPDATE vouchers v SET max_uses = v.max_uses + pool.seats, withdrawn = v.withdrawn - pool.seats
         FROM pool WHERE v.id = pool.id AND pool.seats > 0",
        cart_id as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Addresses of a pool's batches.
pub struct Submitted {
    pub addresses: i64,
    /// The most that there may be: for each seat ten, and 2,000 more.
    pub most: i64,
}

/// Counts the addresses of a pool's batches. Locks the pool.
pub async fn submitted(db: &mut PgConnection, pool: VoucherId) -> JobResult<Submitted> {
    // By itself: the sum must see the batches of the transaction that held the lock.
    sqlx::query!("SELECT FROM vouchers WHERE id = $1 FOR NO KEY UPDATE", pool as _).execute(&mut *db).await?;
    let submitted = sqlx::query_as!(
        Submitted,
        r#"SELECT (SELECT coalesce(sum(b.total), 0) FROM batches b WHERE b.voucher_id = v.id)::bigint AS "addresses!",
                  10 * (v.max_uses::bigint + v.withdrawn) + 2000 AS "most!"
           FROM vouchers v WHERE v.id = $1"#,
        pool as _,
    );
    Ok(submitted.fetch_one(db).await?)
}
