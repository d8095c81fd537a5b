//! The end of access by the clock, and the mails about it.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::ids::{CartId, EnrollmentId, OrganisationId};
use shared::messages::{AccessEnds, Mail};
use sqlx::PgConnection;
use sqlx::postgres::types::PgInterval;
use sqlx::types::Json;
use texts::Language;
use uuid::Uuid;

use super::bought_access;
use super::sync_queue::SyncAt;
use crate::error::{JobError, JobResult};
use crate::plumbing::audit::Cause;
use crate::plumbing::mails;

/// The syncs of enrollments whose access has ended take their turn at the course platform like those of one batch, so that many at
/// once do not hold up buyers.
const TURN: SyncAt = SyncAt::Turn(Uuid::nil());

/// Computes anew when the grants of an enrollment end.
pub(super) async fn settle(db: &mut PgConnection, id: EnrollmentId, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!("SELECT settle_periods($1, $2)", id as _, now).execute(db).await?;
    Ok(())
}

/// Ends grants whose time is up; each enrollment falls back to the best of its other grants. Skips enrollments that another
/// transaction has locked. Returns how many enrollments it concerns.
pub async fn end_due(db: &mut PgConnection, limit: i64, cause: Cause) -> JobResult<usize> {
    let due: Vec<EnrollmentId> = sqlx::query_scalar!(
        r#"SELECT e.id AS "id: EnrollmentId" FROM enrollments e WHERE e.id IN (
               SELECT enrollment_id FROM enrollment_grants WHERE ends_at <= $1 AND ended_at IS NULL ORDER BY ends_at LIMIT $2)
           ORDER BY e.course_id, e.id FOR UPDATE SKIP LOCKED"#,
        cause.now,
        limit,
    )
    .fetch_all(&mut *db)
    .await?;
    let ended = sqlx::query_scalar!(
        "UPDATE enrollment_grants SET ended_at = $2, ended_reason = 'its time is up'
         WHERE enrollment_id = ANY($1) AND ends_at <= $2 AND ended_at IS NULL RETURNING id",
        &due as _,
        cause.now,
    )
    .fetch_all(&mut *db)
    .await?;
    tell(db, &ended, true, cause.now).await?;
    bought_access::settle_rows(db, &due, TURN, cause).await
}

/// Tells learners by mail of access that ends within this time. Who has it longer by another grant, or had it for no longer than
/// this time from the beginning, is not told. Returns how many grants were looked at.
pub async fn remind(
    db: &mut PgConnection,
    before: TimeDelta,
    limit: i64,
    now: DateTime<Utc>,
) -> JobResult<u64> {
    let due = sqlx::query!(
        r#"UPDATE enrollment_grants g SET reminded_at = $1
           WHERE id IN (SELECT id FROM enrollment_grants WHERE ends_at <= $2 AND ended_at IS NULL AND reminded_at IS NULL
                        ORDER BY ends_at LIMIT $3 FOR UPDATE SKIP LOCKED)
           RETURNING id, ends_at > $1 AND ends_at - begun_at > $4 AS "is_told!""#,
        now,
        now + before,
        limit,
        PgInterval::try_from(before).map_err(|_| JobError::dead("the time of reminders is too long"))?,
    );
    let due = due.fetch_all(&mut *db).await?;
    let told: Vec<Uuid> = due.iter().filter(|grant| grant.is_told).map(|grant| grant.id).collect();
    tell(db, &told, false, now).await?;
    Ok(due.len() as u64)
}

/// Live access to the same course.
#[derive(Debug, Deserialize)]
struct Other {
    mode: CourseMode,
    ends_at: Option<DateTime<Utc>>,
}

/// Tells the learners of these grants that they end, or have ended, unless other access that is as good lasts longer: once for each
/// line of an order, of which an earlier call may have had other courses.
async fn tell(db: &mut PgConnection, grants: &[Uuid], is_over: bool, now: DateTime<Utc>) -> JobResult<()> {
    if grants.is_empty() {
        return Ok(());
    }
    let rows = sqlx::query!(
        r#"SELECT e.email AS "email: Email", i.position, k.organisation_id AS "organisation_id: OrganisationId",
                  k.id AS "cart_id: CartId", CASE WHEN i.program_id IS NULL THEN c.display_name ELSE i.name END AS "name!",
                  i.program_id, c.openedx_course_id, g.mode AS "mode: CourseMode", g.ends_at AS "ends_at!",
                  coalesce(e.language, k.language) AS "language!: Language",
                  coalesce(e.learner_id = k.learner_id, false) OR e.email = k.email AS "is_buyer!",
                  (SELECT coalesce(json_agg(json_build_object('mode', o.mode, 'ends_at', o.ends_at)), '[]') FROM enrollment_grants o
                   WHERE o.enrollment_id = e.id AND o.id <> g.id AND o.ended_at IS NULL) AS "others!: Json<Vec<Other>>"
           FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id JOIN courses c ON c.id = e.course_id
           JOIN carts k ON k.id = g.cart_id JOIN cart_courses a ON a.cart_id = k.id AND a.course_id = e.course_id
           JOIN cart_items i ON (i.cart_id, i.position) = (a.cart_id, a.position)
           WHERE g.id = ANY($1) AND e.email NOT LIKE '%@erased.invalid'
             AND NOT EXISTS (SELECT FROM enrollment_grants b JOIN enrollments f ON f.id = b.enrollment_id
                             JOIN cart_courses d ON (d.cart_id, d.course_id, d.position) = (k.id, f.course_id, i.position)
                             WHERE b.cart_id = k.id AND f.email = e.email AND b.ends_at = g.ends_at AND b.id <> ALL($1)
                               AND CASE WHEN $2 THEN b.ended_at >= b.ends_at ELSE b.reminded_at IS NOT NULL END)
           ORDER BY k.id, i.position, e.email, e.course_id"#,
        grants,
        is_over,
    );
    let mut told = HashSet::new();
    for row in rows.fetch_all(&mut *db).await? {
        let lasts =
            |other: &Other| other.mode >= row.mode && other.ends_at.is_none_or(|end| end > row.ends_at);
        if row.others.iter().any(lasts) || !told.insert((row.cart_id, row.position, row.email.clone())) {
            continue;
        }
        let ends = AccessEnds {
            organisation_id: row.organisation_id,
            cart_id: row.cart_id,
            name: row.name,
            program_id: row.program_id,
            openedx_course_id: row.openedx_course_id,
            mode: row.mode,
            ends_at: row.ends_at,
            is_over,
            is_buyer: row.is_buyer,
        };
        mails::push(db, &row.email, Mail::AccessEnds(ends), Some(&row.language), now).await?;
    }
    Ok(())
}
