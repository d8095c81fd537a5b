//! Carts: made with a frozen quote, moved along the edges that the schema allows.

use serde_json::json;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{Account, BillingAddress, ItemKind};
use shared::money::Amount;
use shared::region::Country;
use sqlx::PgConnection;
use uuid::Uuid;

use super::audit::{self, Cause, Change, Entity};
use crate::error::{JobError, JobResult};
use crate::quote::Quote;

pub struct NewCart<'a> {
    pub id: Uuid,
    pub buyer: String,
    pub email: &'a Email,
    pub learner_id: Option<Uuid>,
    pub organisation_id: Uuid,
    pub country: Option<Country>,
    pub billing_address: Option<&'a BillingAddress>,
    pub quote: &'a Quote,
}

/// Whose the attempts at a basket are. A guest is never mixed up with the learner of the same address.
pub fn buyer(email: &Email, learner: Option<&Account>) -> String {
    match learner {
        Some(learner) => learner.user_id.to_string(),
        None => format!("guest:{}", email.as_str()),
    }
}

/// Makes equal checkouts wait for each other, until the transaction ends.
pub async fn lock_basket(db: &mut PgConnection, cart: &NewCart<'_>) -> JobResult<()> {
    let basket =
        format!("{} {} {:?}", cart.buyer, cart.organisation_id, cart.quote.basket_hash(cart.country));
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", basket).execute(db).await?;
    Ok(())
}

/// The buyer's attempt at the same basket, if there is one that still stands: under way, or a free one whose every
/// course is still granted by it.
pub async fn live_attempt(db: &mut PgConnection, cart: &NewCart<'_>) -> JobResult<Option<Uuid>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM carts WHERE buyer = $1 AND organisation_id = $2 AND basket_hash = $3 AND kind = 'discovery'
           AND (state IN ('open', 'pending_payment')
                OR state IN ('held', 'fulfilled') AND total = 0 AND NOT EXISTS (
                    SELECT FROM cart_courses c WHERE c.cart_id = carts.id AND NOT EXISTS (
                        SELECT FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
                        WHERE g.cart_id = carts.id AND e.course_id = c.course_id AND g.ended_at IS NULL)))
         ORDER BY id DESC LIMIT 1",
        cart.buyer,
        cart.organisation_id,
        cart.quote.basket_hash(cart.country),
    )
    .fetch_optional(db)
    .await?)
}

/// Ends a held cart of the same basket that no longer gives all of it: a new one takes its place.
pub async fn cancel_torn(db: &mut PgConnection, cart: &NewCart<'_>, cause: Cause) -> JobResult<()> {
    let torn = sqlx::query_scalar!(
        "UPDATE carts SET state = 'cancelled'
         WHERE buyer = $1 AND organisation_id = $2 AND basket_hash = $3 AND kind = 'discovery' AND state = 'held'
         RETURNING id",
        cart.buyer,
        cart.organisation_id,
        cart.quote.basket_hash(cart.country),
    )
    .fetch_all(&mut *db)
    .await?;
    for id in torn {
        moved(db, id, "held", "cancelled", cause).await?;
    }
    Ok(())
}

/// Makes removals of one address wait for each other where a cart is held for it: each must see what the other has ended.
pub async fn lock_held(db: &mut PgConnection, email: &Email) -> JobResult<()> {
    sqlx::query!(
        "SELECT id FROM carts WHERE email = $1 AND state = 'held' ORDER BY id FOR UPDATE",
        email.as_str()
    )
    .fetch_all(db)
    .await?;
    Ok(())
}

/// Writes an open cart with its items and the courses that it leads to.
pub async fn insert(db: &mut PgConnection, cart: &NewCart<'_>, cause: Cause) -> JobResult<()> {
    let quote = cart.quote;
    let country = cart.country.map(|country| country.to_string());
    let billing_address = cart.billing_address.map(serde_json::to_value).transpose()?;
    sqlx::query!(
        "INSERT INTO carts (id, kind, buyer, email, learner_id, organisation_id, state, basket_hash, country,
                            currency, total, billing_address, created_at)
         VALUES ($1, 'discovery', $2, $3, $4, $5, 'open', $6, $7, $8, $9, $10, $11)",
        cart.id,
        cart.buyer,
        cart.email.as_str(),
        cart.learner_id,
        cart.organisation_id,
        quote.basket_hash(cart.country),
        country,
        quote.total.currency().code(),
        quote.total.minor(),
        billing_address,
        cause.now,
    )
    .execute(&mut *db)
    .await?;
    insert_items(db, cart).await?;
    let detail = json!({ "total": Amount(quote.total), "currency": quote.total.currency() });
    audit::record(db, cause, Change { entity: Entity::Cart, id: cart.id, from: None, to: "open", detail })
        .await
}

async fn insert_items(db: &mut PgConnection, cart: &NewCart<'_>) -> JobResult<()> {
    for (position, line) in (0_i32..).zip(&cart.quote.lines) {
        let (course_id, program_id) = match line.item.kind {
            ItemKind::Course => (Some(line.item.id), None),
            ItemKind::Program => (None, Some(line.item.id)),
        };
        sqlx::query!(
            "INSERT INTO cart_items (cart_id, position, course_id, program_id, name, mode, original_price,
                                     discount_pct, price, upgrade_from)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            cart.id,
            position,
            course_id,
            program_id,
            line.name,
            line.item.mode.slug(),
            line.price.original.minor(),
            line.price.discount_pct,
            line.price.price.minor(),
            line.upgrade_from.map(CourseMode::slug),
        )
        .execute(&mut *db)
        .await?;
    }
    let courses: Vec<Uuid> = cart.quote.courses.iter().map(|(id, _)| *id).collect();
    let modes: Vec<String> = cart.quote.courses.iter().map(|(_, mode)| mode.slug().to_owned()).collect();
    sqlx::query!(
        "INSERT INTO cart_courses (cart_id, course_id, mode)
         SELECT $1, course_id, mode FROM unnest($2::uuid[], $3::text[]) AS c (course_id, mode)",
        cart.id,
        &courses,
        &modes,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The free cart's courses are granted.
pub async fn fulfil(db: &mut PgConnection, id: Uuid, cause: Cause) -> JobResult<()> {
    let from = sqlx::query_scalar!("SELECT state FROM carts WHERE id = $1 FOR UPDATE", id)
        .fetch_optional(&mut *db)
        .await?
        .ok_or_else(|| JobError::dead(format!("no cart {id}")))?;
    sqlx::query!("UPDATE carts SET state = 'fulfilled', fulfilled_at = $2 WHERE id = $1", id, cause.now)
        .execute(&mut *db)
        .await?;
    moved(db, id, &from, "fulfilled", cause).await
}

/// The free cart waits until its address registers.
pub async fn hold(db: &mut PgConnection, id: Uuid, cause: Cause) -> JobResult<()> {
    sqlx::query!("UPDATE carts SET state = 'held' WHERE id = $1", id).execute(&mut *db).await?;
    moved(db, id, "open", "held", cause).await
}

/// The carts that wait for this address.
pub async fn held(db: &mut PgConnection, email: &Email) -> JobResult<Vec<Uuid>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM carts WHERE email = $1 AND state = 'held' ORDER BY id",
        email.as_str()
    )
    .fetch_all(db)
    .await?)
}

/// Held carts of which nothing is left to grant: their enrollments were cancelled.
pub async fn cancel_emptied(db: &mut PgConnection, email: &Email, cause: Cause) -> JobResult<()> {
    let cancelled = sqlx::query_scalar!(
        "UPDATE carts SET state = 'cancelled' WHERE email = $1 AND state = 'held' AND NOT EXISTS (
             SELECT FROM enrollment_grants g WHERE g.cart_id = carts.id AND g.ended_at IS NULL)
         RETURNING id",
        email.as_str(),
    )
    .fetch_all(&mut *db)
    .await?;
    for id in cancelled {
        moved(db, id, "held", "cancelled", cause).await?;
    }
    Ok(())
}

async fn moved(db: &mut PgConnection, id: Uuid, from: &str, to: &str, cause: Cause) -> JobResult<()> {
    let entry = Change { entity: Entity::Cart, id, from: Some(from), to, detail: json!({}) };
    audit::record(db, cause, entry).await
}
