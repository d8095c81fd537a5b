//! Gifts: orders of one seat that is assigned to a recipient on a day. `seats` has the pools of the seats.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, LearnerId, OrganisationId, VoucherId};
use shared::messages::{Gift, GiftNote, PlannedGift};
use sqlx::PgConnection;
use texts::Language;

use crate::error::JobResult;

/// A task to give a gift is sent again after this time.
const ASKED_AGAIN: TimeDelta = TimeDelta::hours(1);

/// Day at an organisation on which a gift is to be given.
pub struct Day {
    pub today: NaiveDate,
    pub gives_at: DateTime<Utc>,
}

impl Day {
    /// Reads the present day at an organisation, and when a gift is given on this one.
    pub async fn at(
        db: &Db,
        organisation: OrganisationId,
        on: NaiveDate,
        now: DateTime<Utc>,
    ) -> JobResult<Self> {
        let day = sqlx::query_as!(
            Day,
            r#"SELECT ($2::timestamptz AT TIME ZONE zone)::date AS "today!", ($3::date + time '08:00') AT TIME ZONE zone AS "gives_at!"
               FROM (SELECT day_zone(seller) AS zone FROM organisations WHERE id = $1) o"#,
            organisation as _,
            now,
            on,
        );
        Ok(day.fetch_one(db).await?)
    }
}

/// Stores to whom a cart gives its seat, and when.
pub async fn insert(
    db: &mut PgConnection,
    cart_id: CartId,
    gift: &Gift,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO gifts (cart_id, recipient, giver, message, language, gives_at)
         SELECT c.id, $2, $3, $4, $5, greatest($7, ($6::date + time '08:00') AT TIME ZONE day_zone(o.seller))
         FROM carts c JOIN organisations o ON o.id = c.organisation_id WHERE c.id = $1",
        cart_id as _,
        gift.email.as_str(),
        gift.giver,
        gift.message,
        gift.language.as_ref().map(Language::to_string),
        gift.on,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Lets workers give the gift of a cart that has its seat, on its day. Returns what the buyer is told, and whether it is given at once;
/// None if the cart is no gift.
pub async fn schedule(
    db: &mut PgConnection,
    cart_id: CartId,
    now: DateTime<Utc>,
) -> JobResult<Option<(PlannedGift, bool)>> {
    let row = sqlx::query!(
        r#"UPDATE gifts g SET due_at = CASE WHEN gives_at > $2 THEN gives_at ELSE $3 END
           FROM carts c JOIN organisations o ON o.id = c.organisation_id
           WHERE g.cart_id = $1 AND c.id = $1 AND num_nonnulls(g.given_at, g.ended_at) = 0
           RETURNING recipient AS "recipient: Email", gives_at <= $2 AS "is_due!",
                     (gives_at AT TIME ZONE day_zone(o.seller))::date AS "on!""#,
        cart_id as _,
        now,
        now + ASKED_AGAIN,
    );
    Ok(row.fetch_optional(db).await?.map(|row| {
        let on = (!row.is_due).then_some(row.on);
        (PlannedGift { recipient: row.recipient, on }, row.is_due)
    }))
}

/// Returns what the buyer is told of a gift that is yet to be given.
pub async fn planned(
    db: &mut PgConnection,
    cart_id: CartId,
    now: DateTime<Utc>,
) -> JobResult<Option<PlannedGift>> {
    let row = sqlx::query!(
        r#"SELECT recipient AS "recipient: Email",
                  CASE WHEN g.gives_at > $2 THEN (g.gives_at AT TIME ZONE day_zone(o.seller))::date END AS on
           FROM gifts g JOIN carts c ON c.id = g.cart_id JOIN organisations o ON o.id = c.organisation_id
           WHERE g.cart_id = $1 AND g.due_at IS NOT NULL"#,
        cart_id as _,
        now,
    );
    Ok(row.fetch_optional(db).await?.map(|row| PlannedGift { recipient: row.recipient, on: row.on }))
}

/// Takes a batch of gifts whose day has come, and puts their next task off.
pub async fn take_due(db: &mut PgConnection, now: DateTime<Utc>, limit: i64) -> JobResult<Vec<CartId>> {
    let due = sqlx::query_scalar!(
        r#"UPDATE gifts SET due_at = $2 WHERE cart_id = ANY (ARRAY(
               SELECT cart_id FROM gifts WHERE due_at <= $1 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED))
           RETURNING cart_id AS "cart_id: CartId""#,
        now,
        now + ASKED_AGAIN,
        limit,
    );
    Ok(due.fetch_all(db).await?)
}

/// A gift whose day has come.
pub struct DueGift {
    pub pool: VoucherId,
    pub recipient: Email,
    pub giver: Option<String>,
    pub message: Option<String>,
    pub language: Option<Language>,
}

/// Reads the gift of a cart; None if it was given, or is over.
pub async fn due(db: &Db, cart_id: CartId) -> JobResult<Option<DueGift>> {
    let due = sqlx::query_as!(
        DueGift,
        r#"SELECT v.id AS pool, g.recipient AS "recipient: Email", g.giver, g.message, g.language AS "language: Language"
           FROM gifts g JOIN vouchers v ON v.cart_id = g.cart_id WHERE g.cart_id = $1 AND g.due_at IS NOT NULL"#,
        cart_id as _,
    );
    Ok(due.fetch_optional(db).await?)
}

/// Records that the seat of a gift was assigned to its recipient. False if the gift was done before: the caller must not commit.
pub async fn given(db: &mut PgConnection, cart_id: CartId, now: DateTime<Utc>) -> JobResult<bool> {
    let given = sqlx::query!(
        "UPDATE gifts SET due_at = NULL, given_at = $2 WHERE cart_id = $1 AND due_at IS NOT NULL",
        cart_id as _,
        now,
    );
    Ok(given.execute(db).await?.rows_affected() == 1)
}

/// Ends a gift that was yet to be given. False if it is done, or waits for its seat, by now.
pub async fn close(db: &mut PgConnection, cart_id: CartId, now: DateTime<Utc>) -> JobResult<bool> {
    let closed = sqlx::query!(
        "UPDATE gifts SET due_at = NULL, ended_at = $2 WHERE cart_id = $1 AND due_at IS NOT NULL",
        cart_id as _,
        now,
    );
    Ok(closed.execute(db).await?.rows_affected() == 1)
}

/// Lets a gift that was yet to be given wait for its seat, which went back with the money of its cart.
pub async fn wait_for_seat(db: &Db, cart_id: CartId) -> JobResult<()> {
    sqlx::query!("UPDATE gifts SET due_at = NULL WHERE cart_id = $1 AND due_at IS NOT NULL", cart_id as _)
        .execute(db)
        .await?;
    Ok(())
}

/// Ends the gift of a cart, unless it was given.
pub async fn end(db: &mut PgConnection, cart_id: CartId, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE gifts SET due_at = NULL, ended_at = coalesce(ended_at, $2) WHERE cart_id = $1 AND given_at IS NULL",
        cart_id as _,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Ends the gift of a pool whose buyer assigns the seat by hand, unless it was given.
pub async fn end_of_pool(db: &mut PgConnection, pool: VoucherId, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE gifts g SET due_at = NULL, ended_at = $2 FROM vouchers v
         WHERE v.id = $1 AND g.cart_id = v.cart_id AND num_nonnulls(g.given_at, g.ended_at) = 0",
        pool as _,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Lets a gift wait for its seat, which was taken back from these addresses. One that its buyer has taken back before is over.
pub async fn suspend(db: &mut PgConnection, cart_id: CartId, from: &[Email]) -> JobResult<()> {
    let from: Vec<&str> = from.iter().map(Email::as_str).collect();
    sqlx::query!(
        "UPDATE gifts SET due_at = NULL, given_at = NULL WHERE cart_id = $1 AND (given_at IS NULL OR recipient = ANY ($2))",
        cart_id as _,
        &from as &[&str],
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Has a gift given whose cart has its seat again.
pub async fn resume(db: &mut PgConnection, cart_id: CartId) -> JobResult<()> {
    sqlx::query!(
        "UPDATE gifts g SET due_at = gives_at WHERE cart_id = $1 AND num_nonnulls(due_at, given_at, ended_at) = 0
           AND EXISTS (SELECT FROM vouchers v WHERE v.cart_id = g.cart_id)",
        cart_id as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns whether a person with an account has the seat of a gift; None if the cart is no gift.
pub async fn is_taken(db: &mut PgConnection, cart_id: CartId) -> JobResult<Option<bool>> {
    let is_taken = sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM vouchers v JOIN voucher_uses u ON u.voucher_id = v.id JOIN carts c ON c.id = u.cart_id
               WHERE v.cart_id = g.cart_id AND u.state = 'used' AND c.state <> 'held') AS "is_taken!"
           FROM gifts g WHERE g.cart_id = $1"#,
        cart_id as _,
    );
    Ok(is_taken.fetch_optional(db).await?)
}

/// Returns what the mail to an address says of its seat of a pool, if it is the address's gift.
pub async fn note(db: &mut PgConnection, pool: VoucherId, email: &Email) -> JobResult<Option<GiftNote>> {
    let note = sqlx::query_as!(
        GiftNote,
        "SELECT g.giver, g.message FROM gifts g JOIN vouchers v ON v.cart_id = g.cart_id
         WHERE v.id = $1 AND g.recipient = $2 AND g.given_at IS NOT NULL",
        pool as _,
        email.as_str(),
    );
    Ok(note.fetch_optional(db).await?)
}

/// Forgets an erased person: the address, to which nothing is given any more, and what the buyer of these carts has written. The next
/// task of a gift that was yet to be given says so.
pub async fn forget(
    db: &mut PgConnection,
    email: &str,
    carts: &[CartId],
    tombstone: LearnerId,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!("UPDATE gifts SET giver = NULL, message = NULL WHERE cart_id = ANY ($1)", carts as _)
        .execute(&mut *db)
        .await?;
    sqlx::query!(
        "UPDATE gifts SET recipient = 'erased-' || $2::uuid || '@erased.invalid', giver = NULL, message = NULL,
             due_at = CASE WHEN due_at IS NOT NULL THEN $3::timestamptz END
         WHERE recipient = $1",
        email,
        tombstone as _,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}
