//! The state of `catalog sync`: the courses that the platform lists, the organisation that each platform organisation
//! maps to, the courses that changed, and the time of the last complete sync.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::ids::OrganisationId;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// A course of our catalog, as the sync sees it.
#[derive(Clone, Debug)]
pub struct Known {
    pub id: Uuid,
    pub is_published: bool,
    /// Time when the platform last returned the course; None if it never has.
    pub synced_at: Option<DateTime<Utc>>,
    /// True if the sync has unpublished it.
    pub withdrawn: bool,
}

/// Mapping of a platform organisation's courses.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// The short name of our organisation; None: the sync skips the courses.
    pub organisation: Option<String>,
    pub own_prices: bool,
}

/// The courses of our catalog among these keys, by key.
pub async fn known(db: &mut PgConnection, keys: &[String]) -> JobResult<HashMap<String, Known>> {
    let rows = sqlx::query!(
        r#"SELECT c.openedx_course_id AS "key!", c.id AS "id!", c.is_published AS "is_published!",
               s.synced_at AS "synced_at?",
               coalesce(s.withdrawn, false) AS "withdrawn!"
           FROM courses c LEFT JOIN synced_courses s ON s.course_id = c.id WHERE c.openedx_course_id = ANY($1)"#,
        keys,
    )
    .fetch_all(db)
    .await?;
    let known = rows.into_iter().map(|row| {
        let known = Known {
            id: row.id,
            is_published: row.is_published,
            synced_at: row.synced_at,
            withdrawn: row.withdrawn,
        };
        (row.key, known)
    });
    Ok(known.collect())
}

/// Returns when the sync last read each course from the platform, by course key.
pub async fn synced(db: &Db) -> JobResult<HashMap<String, DateTime<Utc>>> {
    let rows = sqlx::query!(
        "SELECT c.openedx_course_id AS key, s.synced_at FROM synced_courses s JOIN courses c ON c.id = s.course_id"
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (row.key, row.synced_at)).collect())
}

/// The keys of the synced courses that the sync has not withdrawn.
pub async fn present(db: &Db) -> JobResult<Vec<String>> {
    let keys = sqlx::query_scalar!(
        "SELECT c.openedx_course_id FROM synced_courses s JOIN courses c ON c.id = s.course_id
         WHERE NOT s.withdrawn ORDER BY c.openedx_course_id"
    );
    Ok(keys.fetch_all(db).await?)
}

/// The mappings by lower-cased platform organisation: the operator's, and our own short names for the rest.
pub async fn mappings(db: &mut PgConnection) -> JobResult<HashMap<String, Mapping>> {
    let rows = sqlx::query!(
        r#"SELECT lower(m.org) AS "org!", o.short_name AS "organisation?", m.prices = 'own' AS "own_prices!"
           FROM platform_organisations m LEFT JOIN organisations o ON o.id = m.organisation_id
           UNION ALL
           SELECT lower(short_name), short_name, false FROM organisations
           WHERE lower(short_name) NOT IN (SELECT lower(org) FROM platform_organisations)"#
    )
    .fetch_all(db)
    .await?;
    let mapping =
        rows.into_iter().map(|r| (r.org, Mapping { organisation: r.organisation, own_prices: r.own_prices }));
    Ok(mapping.collect())
}

/// Our organisations: short name, id and currency.
pub async fn organisations(db: &mut PgConnection) -> JobResult<Vec<(String, OrganisationId, String)>> {
    let rows = sqlx::query!("SELECT short_name, id, currency FROM organisations").fetch_all(db).await?;
    Ok(rows.into_iter().map(|row| (row.short_name, row.id, row.currency)).collect())
}

/// Records when the platform returned these courses, and ends an earlier withdrawal.
pub async fn note(db: &mut PgConnection, ids: &[Uuid], times: &[DateTime<Utc>]) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO synced_courses (course_id, synced_at) SELECT * FROM unnest($1::uuid[], $2::timestamptz[])
         ON CONFLICT (course_id) DO UPDATE SET synced_at = excluded.synced_at, withdrawn = false",
        ids,
        times,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Unpublishes a course that the platform no longer has.
pub async fn withdraw(db: &mut PgConnection, id: Uuid, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!("UPDATE courses SET is_published = false WHERE id = $1", id).execute(&mut *db).await?;
    sqlx::query!("UPDATE synced_courses SET withdrawn = true, synced_at = $2 WHERE course_id = $1", id, now)
        .execute(&mut *db)
        .await?;
    // The course now differs from its imported record, so the next import must write it.
    sqlx::query!("DELETE FROM imported_records WHERE kind = 'course' AND key = $1::uuid::text", id)
        .execute(db)
        .await?;
    Ok(())
}

/// Deletes the sync state of a course, as if the platform had never returned it.
pub async fn forget(db: &mut PgConnection, id: Uuid) -> JobResult<()> {
    sqlx::query!("DELETE FROM synced_courses WHERE course_id = $1", id).execute(db).await?;
    Ok(())
}

/// Paid modes on sale of the synced courses.
pub struct SoldModes {
    /// Those that the platform's buttons can name.
    pub with_sku: i64,
    pub without_sku: i64,
}

/// Counts the paid modes on sale of the synced courses, for `doctor`.
pub async fn sold_modes(db: &Db, now: DateTime<Utc>) -> JobResult<SoldModes> {
    Ok(sqlx::query_as!(
        SoldModes,
        r#"SELECT count(m.sku) AS "with_sku!", count(*) - count(m.sku) AS "without_sku!"
           FROM synced_courses s JOIN courses c ON c.id = s.course_id JOIN course_modes m ON m.course_id = c.id
           WHERE c.is_published AND m.visible AND m.price > 0 AND (m.expires_at IS NULL OR m.expires_at > $1)"#,
        now,
    )
    .fetch_one(db)
    .await?)
}

/// A learner with the free mode of a course whose mode `verified` has a sku: the only one that the LMS offers upgrades to.
pub struct Upgradable {
    pub username: String,
    pub course_key: String,
}

/// Returns the learners who joined such courses last, for `doctor`: the platform shows them an upgrade button.
pub async fn upgradable(db: &Db, now: DateTime<Utc>) -> JobResult<Vec<Upgradable>> {
    Ok(sqlx::query_as!(
        Upgradable,
        "SELECT l.username, c.openedx_course_id AS course_key
         FROM enrollments e JOIN learners l ON l.id = e.learner_id JOIN courses c ON c.id = e.course_id
         JOIN synced_courses s ON s.course_id = c.id JOIN course_modes m ON m.course_id = c.id
         WHERE e.state = 'enrolled' AND e.mode = 'audit' AND e.platform_state = 'synced' AND m.slug = 'verified' AND m.sku IS NOT NULL AND m.visible
           AND m.price > 0 AND (m.expires_at IS NULL OR m.expires_at > $1)
         ORDER BY e.created_at DESC LIMIT 3",
        now,
    )
    .fetch_all(db)
    .await?)
}

/// Returns when the last full sync finished.
pub async fn finished_at(db: &Db) -> JobResult<Option<DateTime<Utc>>> {
    Ok(sqlx::query_scalar!("SELECT finished_at FROM catalog_sync_state").fetch_optional(db).await?)
}

/// Records that a full sync finished at `now`.
pub async fn finish(db: &Db, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO catalog_sync_state (finished_at) VALUES ($1)
         ON CONFLICT (only_row) DO UPDATE SET finished_at = excluded.finished_at",
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Requests a sync of a course at `due_at`, unless an earlier one is requested.
pub async fn request(db: &Db, key: &str, due_at: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO catalog_sync_requests AS r (openedx_course_id, due_at) VALUES ($1, $2)
         ON CONFLICT (openedx_course_id) DO UPDATE SET due_at = least(r.due_at, excluded.due_at)",
        key,
        due_at,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Leases the requests that are due. They become due again at `until` unless they are settled before.
pub async fn lease(db: &Db, now: DateTime<Utc>, until: DateTime<Utc>, limit: i64) -> JobResult<Vec<String>> {
    let keys = sqlx::query_scalar!(
        "UPDATE catalog_sync_requests SET due_at = $2 WHERE openedx_course_id IN (
             SELECT openedx_course_id FROM catalog_sync_requests WHERE due_at <= $1 ORDER BY due_at LIMIT $3
             FOR UPDATE SKIP LOCKED)
         RETURNING openedx_course_id",
        now,
        until,
        limit,
    );
    Ok(keys.fetch_all(db).await?)
}

/// Deletes a leased request, unless the course changed again during the lease.
pub async fn settle(db: &Db, key: &str, leased_until: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "DELETE FROM catalog_sync_requests WHERE openedx_course_id = $1 AND due_at = $2",
        key,
        leased_until,
    )
    .execute(db)
    .await?;
    Ok(())
}
