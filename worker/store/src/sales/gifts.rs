//! Gifts: orders of one seat that is assigned to somebody else on a day. `seats` has the pools of the seats.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, OrganisationId, VoucherId};
use shared::messages::{Gift, PlannedGift};
use sqlx::PgConnection;
use texts::Language;

use crate::error::JobResult;

/// A task to give a gift is sent again after this time.
const ASKED_AGAIN: TimeDelta = TimeDelta::hours(1);

/// Returns the present day at an organisation.
pub async fn today(db: &Db, organisation: OrganisationId, now: DateTime<Utc>) -> JobResult<NaiveDate> {
    let today = sqlx::query_scalar!(
        r#"SELECT ($2::timestamptz AT TIME ZONE day_zone(seller))::date AS "today!" FROM organisations WHERE id = $1"#,
        organisation as _,
        now,
    );
    Ok(today.fetch_one(db).await?)
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
           FROM carts c JOIN organisations o ON o.id = c.organisation_id WHERE g.cart_id = $1 AND c.id = $1 AND g.given_at IS NULL
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

/// Ends the task of a gift; `given_at`: when its seat was assigned to the recipient, if it was. False if that was done before: the
/// caller must not commit.
pub async fn close(
    db: &mut PgConnection,
    cart_id: CartId,
    given_at: Option<DateTime<Utc>>,
) -> JobResult<bool> {
    let closed = sqlx::query!(
        "UPDATE gifts SET due_at = NULL, given_at = $2 WHERE cart_id = $1 AND due_at IS NOT NULL",
        cart_id as _,
        given_at,
    );
    Ok(closed.execute(db).await?.rows_affected() == 1)
}

/// Returns whether a cart is a gift.
pub async fn is_one(db: &mut PgConnection, cart_id: CartId) -> JobResult<bool> {
    let is_one = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM gifts WHERE cart_id = $1) AS "is_one!""#,
        cart_id as _
    );
    Ok(is_one.fetch_one(db).await?)
}

/// Forgets an erased person: gifts to the address, and what the buyer of these carts has written. A seat that was not given is its
/// buyer's.
pub async fn forget(db: &mut PgConnection, email: &str, carts: &[CartId]) -> JobResult<()> {
    sqlx::query!("DELETE FROM gifts WHERE recipient = $1", email).execute(&mut *db).await?;
    sqlx::query!("UPDATE gifts SET giver = NULL, message = NULL WHERE cart_id = ANY ($1)", carts as _)
        .execute(db)
        .await?;
    Ok(())
}
