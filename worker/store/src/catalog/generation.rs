//! The catalog generation, and course prices that change when a mode expires.
//!
//! Why: `docs/decisions/catalog-generation.md`

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::messages::CatalogChanged;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;
use crate::plumbing::outbox;

/// The advisory lock that an import or a batch of a sync holds until its transaction ends.
const WRITERS: i64 = 7_316_075;

/// Lets one transaction at a time write courses, so that what it has read stays true until it writes.
pub async fn lock_writers(db: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock($1)", WRITERS).execute(db).await?;
    Ok(())
}

/// Raises the catalog generation in the transaction that changes the catalog, and queues its publication to Redis.
pub async fn raise(db: &mut PgConnection, now: DateTime<Utc>) -> JobResult<i64> {
    let current = lock(db).await?;
    set(db, current + 1, now).await
}

/// Raises the catalog generation past one that is known elsewhere. None if it is past that already, as after a change since
/// that one was read.
pub async fn raise_past(db: &mut PgConnection, known: i64, now: DateTime<Utc>) -> JobResult<Option<i64>> {
    match lock(db).await? {
        current if current < known => Ok(Some(set(db, known.saturating_add(1), now).await?)),
        _ => Ok(None),
    }
}

/// Locks the generation. A statement of its own: an UPDATE that waited for another change would count the courses without that
/// change.
async fn lock(db: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!("SELECT generation FROM catalog_generation FOR UPDATE").fetch_one(db).await
}

async fn set(db: &mut PgConnection, generation: i64, now: DateTime<Utc>) -> JobResult<i64> {
    sqlx::query!(
        "UPDATE catalog_generation SET generation = $1,
             listed_courses = (SELECT count(*) FROM courses WHERE is_published AND NOT hidden),
             listed_programs = (SELECT count(*) FROM programs WHERE is_published)",
        generation,
    )
    .execute(&mut *db)
    .await?;
    outbox::push(db, CatalogChanged { generation }, now).await?;
    Ok(generation)
}

/// The last committed catalog generation.
pub async fn current(db: &Db) -> JobResult<i64> {
    Ok(sqlx::query_scalar!("SELECT generation FROM catalog_generation").fetch_one(db).await?)
}

/// Locks and returns courses whose cheapest mode may have expired. Skips courses that another transaction has locked.
pub async fn courses_with_expired_modes(
    db: &mut PgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT id FROM courses WHERE next_mode_expiry <= $1 ORDER BY next_mode_expiry LIMIT $2 FOR UPDATE SKIP LOCKED",
        now,
        limit,
    )
    .fetch_all(db)
    .await
}

/// Sets each course's price to that of its cheapest visible, unexpired mode.
pub async fn refresh_prices(
    db: &mut PgConnection,
    courses: &[Uuid],
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE courses c SET price = best.price, currency = best.currency, course_mode = best.slug,
             price_order = best.price_order, next_mode_expiry = best.next_expiry
         FROM (
             SELECT id.course_id, cheapest.*,
                 (SELECT min(expires_at) FROM course_modes m
                  WHERE m.course_id = id.course_id AND m.visible AND m.expires_at > $2) AS next_expiry
             FROM unnest($1::uuid[]) AS id (course_id)
             LEFT JOIN LATERAL (
                 SELECT m.price, m.currency, m.slug, m.price_order FROM course_modes m
                 WHERE m.course_id = id.course_id AND m.visible AND (m.expires_at IS NULL OR m.expires_at > $2)
                 ORDER BY m.price_order, m.slug LIMIT 1
             ) cheapest ON true
         ) best
         WHERE c.id = best.course_id AND (c.price, c.currency, c.course_mode, c.next_mode_expiry)
             IS DISTINCT FROM (best.price, best.currency, best.slug, best.next_expiry)",
        courses, now,
    )
    .execute(db)
    .await?;
    Ok(())
}
