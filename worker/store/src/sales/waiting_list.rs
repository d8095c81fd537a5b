//! The waiting list: who wants a place in a course that is full, and to whom a place that becomes free is offered.
//!
//! Addresses join, and places are offered, under a lock on the course, as a checkout checks places: a place is offered to one address,
//! and `places_taken` of the schema leaves none that is awaited or offered to other buyers.
//!
//! Why: `docs/decisions/waiting-list.md`

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::ids::{OrganisationId, VoucherId};
use shared::messages::{Mail, PlaceOffered, WaitingListed};
use shared::voucher::Code;
use sqlx::PgConnection;
use texts::Language;
use uuid::Uuid;

use crate::error::JobResult;
use crate::plumbing::audit::{self, Cause, Change, Entity};
use crate::plumbing::mails;

/// An address that asks again is told again after this time.
const MAILED_AGAIN: TimeDelta = TimeDelta::hours(1);

/// A person who wants a place.
pub struct Joining<'a> {
    pub id: Uuid,
    pub course_id: Uuid,
    pub email: &'a Email,
    pub language: Option<&'a Language>,
    /// Indicates whether the address is the person's.
    pub is_proved: bool,
}

/// Puts an address on the list of a course that is full, and tells it by mail; an address that is on the list already is told again,
/// at most once an hour.
/// Returns false if the course has places, or the address has one.
pub async fn join(
    db: &mut PgConnection,
    joining: &Joining<'_>,
    held_since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> JobResult<bool> {
    // Its mail was stored with it.
    let is_repeat = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM waiting_list WHERE id = $1) AS "is_repeat!""#,
        joining.id
    );
    if is_repeat.fetch_one(&mut *db).await? {
        return Ok(true);
    }
    let Some(course) = lock_full(db, joining.course_id, held_since, now).await? else { return Ok(false) };
    let email = joining.email.as_str();
    let state = if joining.is_proved { "waiting" } else { "unconfirmed" };
    let entry = sqlx::query!(
        r#"INSERT INTO waiting_list AS w (id, course_id, email, language, state, joined_at)
           SELECT $1, $2, $3, $4, $5, $6 WHERE NOT EXISTS (
               SELECT FROM place_takers($2) taker JOIN enrollments e ON e.id = taker WHERE e.email = $3)
           ON CONFLICT (course_id, email) WHERE ended_at IS NULL DO UPDATE SET
               language = coalesce(excluded.language, w.language),
               joined_at = CASE WHEN w.state = 'unconfirmed' THEN excluded.joined_at ELSE w.joined_at END,
               state = CASE WHEN w.state = 'unconfirmed' THEN excluded.state ELSE w.state END
           RETURNING id, state <> 'unconfirmed' AS "is_confirmed!", state <> 'offered' AND coalesce(mailed_at <= $7, true) AS "is_mailed!""#,
        joining.id,
        joining.course_id,
        email,
        joining.language.map(ToString::to_string),
        state,
        now,
        now - MAILED_AGAIN,
    )
    .fetch_optional(&mut *db)
    .await?;
    let Some(entry) = entry else { return Ok(false) };
    if entry.is_mailed {
        sqlx::query!("UPDATE waiting_list SET mailed_at = $2 WHERE id = $1", entry.id, now)
            .execute(&mut *db)
            .await?;
        let listed = WaitingListed {
            organisation_id: course.organisation_id,
            entry_id: entry.id,
            course: course.name,
            is_confirmed: entry.is_confirmed,
        };
        mails::push(db, joining.email, Mail::WaitingListed(listed), joining.language, now).await?;
    }
    Ok(true)
}

struct Course {
    organisation_id: OrganisationId,
    openedx_course_id: String,
    name: String,
    /// The mode in which a place is offered.
    mode: CourseMode,
    /// Places that neither a buyer nor an offer has; no end of them without a capacity.
    free: i64,
}

/// Locks a course; None if it is not sold now.
async fn lock(
    db: &mut PgConnection,
    id: Uuid,
    held_since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> JobResult<Option<Course>> {
    let course = sqlx::query!(
        r#"SELECT organisation_id AS "organisation_id: OrganisationId", openedx_course_id, display_name, capacity,
                  place_mode(id, $2) AS "mode: CourseMode"
           FROM courses WHERE id = $1 FOR NO KEY UPDATE"#,
        id,
        now,
    )
    .fetch_optional(&mut *db)
    .await?;
    let Some(course) = course else { return Ok(None) };
    let Some(mode) = course.mode else { return Ok(None) };
    // After the lock, in a statement of its own: the one above may have waited for a checkout that took a place.
    let taken = sqlx::query_scalar!(
        r#"SELECT places_taken($1, $2, NULL) - places_awaited($1) AS "taken!""#,
        id,
        held_since
    )
    .fetch_one(db)
    .await?;
    Ok(Some(Course {
        organisation_id: course.organisation_id,
        openedx_course_id: course.openedx_course_id,
        name: course.display_name,
        mode,
        free: course.capacity.map_or(i64::MAX, |capacity| i64::from(capacity) - taken),
    }))
}

/// As [`lock`], if no place is left for who is not on the list.
async fn lock_full(
    db: &mut PgConnection,
    id: Uuid,
    held_since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> JobResult<Option<Course>> {
    let course = lock(db, id, held_since, now).await?;
    let awaited = sqlx::query_scalar!(r#"SELECT places_awaited($1) AS "awaited!""#, id).fetch_one(db).await?;
    Ok(course.filter(|course| course.free <= awaited))
}

/// Confirms the address of an entry, which waits from now on.
pub async fn confirm(db: &mut PgConnection, id: Uuid, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE waiting_list SET state = 'waiting', joined_at = $2 WHERE id = $1 AND state = 'unconfirmed'",
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes an entry off the list, with the place that it is offered. If a checkout of its buyer has that place, the offer ends with the
/// checkout's hold.
pub async fn leave(db: &mut PgConnection, id: Uuid, now: DateTime<Utc>) -> JobResult<()> {
    // In a statement of its own: an offer may be under way.
    let entry = sqlx::query!(
        r#"SELECT state, voucher_id AS "voucher_id: VoucherId" FROM waiting_list WHERE id = $1 AND ended_at IS NULL FOR UPDATE"#,
        id
    );
    let Some(entry) = entry.fetch_optional(&mut *db).await? else { return Ok(()) };
    let Some(voucher_id) = entry.voucher_id else { return end(db, &[id], "left", now).await };
    if withdraw(db, &[voucher_id]).await?.is_empty() {
        sqlx::query!("UPDATE waiting_list SET offered_until = $2 WHERE id = $1", id, now).execute(db).await?;
        return Ok(());
    }
    end(db, &[id], "declined", now).await
}

/// Withdraws the places of these vouchers that no checkout has. Returns those that were.
async fn withdraw(db: &mut PgConnection, vouchers: &[VoucherId]) -> JobResult<Vec<VoucherId>> {
    Ok(sqlx::query_scalar!(
        r#"UPDATE vouchers SET max_uses = 0 WHERE id = ANY ($1) AND uses = 0 RETURNING id AS "id: VoucherId""#,
        vouchers as _,
    )
    .fetch_all(db)
    .await?)
}

/// Ends entries, which forgets their addresses.
async fn end(db: &mut PgConnection, entries: &[Uuid], state: &str, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE waiting_list SET state = $2, email = NULL, language = NULL, ended_at = $3 WHERE id = ANY ($1)",
        entries,
        state,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Ends offers that were taken, and those whose time is up, unless a checkout of their buyer has the place; and entries that were not
/// confirmed since `confirmed_since`, or whose course has ended. Returns how many.
pub async fn end_due(
    db: &mut PgConnection,
    confirmed_since: DateTime<Utc>,
    limit: i64,
    now: DateTime<Utc>,
) -> JobResult<u64> {
    // Entries before vouchers, as everywhere here.
    let offered = sqlx::query!(
        r#"SELECT w.id, w.voucher_id AS "voucher_id!: VoucherId",
                  EXISTS (SELECT FROM voucher_uses u WHERE u.voucher_id = w.voucher_id AND u.state = 'used') AS "is_bought!"
           FROM waiting_list w WHERE w.state = 'offered'
             AND (w.offered_until <= $1 OR EXISTS (SELECT FROM voucher_uses u WHERE u.voucher_id = w.voucher_id AND u.state = 'used'))
           LIMIT $2 FOR UPDATE SKIP LOCKED"#,
        now,
        limit,
    );
    let offered = offered.fetch_all(&mut *db).await?;
    let bought: Vec<Uuid> = offered.iter().filter(|entry| entry.is_bought).map(|entry| entry.id).collect();
    let over: Vec<_> =
        offered.iter().filter(|entry| !entry.is_bought).map(|entry| (entry.id, entry.voucher_id)).collect();
    let vouchers: Vec<VoucherId> = over.iter().map(|(_, voucher)| *voucher).collect();
    let withdrawn = withdraw(db, &vouchers).await?;
    let lapsed: Vec<Uuid> =
        over.iter().filter(|(_, voucher)| withdrawn.contains(voucher)).map(|(id, _)| *id).collect();
    let left = sqlx::query_scalar!(
        "SELECT id FROM waiting_list WHERE id = ANY (ARRAY(
             SELECT id FROM waiting_list WHERE state = 'unconfirmed' AND joined_at <= $1 ORDER BY joined_at LIMIT $3
             FOR UPDATE SKIP LOCKED))
         UNION ALL SELECT id FROM waiting_list WHERE id = ANY (ARRAY(
             SELECT w.id FROM courses c JOIN waiting_list w ON w.course_id = c.id
             WHERE c.ends_at <= $2 AND w.state = 'waiting' LIMIT $3 FOR UPDATE OF w SKIP LOCKED))",
        confirmed_since,
        now,
        limit,
    );
    let left: Vec<Uuid> = left.fetch_all(&mut *db).await?.into_iter().flatten().collect();
    for (entries, state) in [(&bought, "bought"), (&lapsed, "lapsed"), (&left, "left")] {
        end(db, entries, state, now).await?;
    }
    Ok((bought.len() + lapsed.len() + left.len()) as u64)
}

/// The courses with free places for which people wait.
pub async fn courses_to_offer(
    db: &mut PgConnection,
    held_since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> JobResult<Vec<Uuid>> {
    Ok(sqlx::query_scalar!(
        "SELECT c.id FROM courses c WHERE place_mode(c.id, $2) IS NOT NULL AND c.id IN (SELECT course_id FROM waiting_list WHERE state = 'waiting')
           AND (c.capacity > places_taken(c.id, $1, NULL) - places_awaited(c.id)) IS NOT FALSE",
        held_since,
        now,
    )
    .fetch_all(db)
    .await?)
}

/// Offers the free places of a course to those who wait for them: each gets a code for itself, which holds a place for as long as
/// `offered_for`. Who has a place by now leaves the list. Returns how many were offered.
pub async fn offer(
    db: &mut PgConnection,
    course_id: Uuid,
    held_since: DateTime<Utc>,
    offered_for: TimeDelta,
    limit: i64,
    now: DateTime<Utc>,
) -> JobResult<u64> {
    let Some(course) = lock(db, course_id, held_since, now).await? else { return Ok(0) };
    if course.free <= 0 {
        return Ok(0);
    }
    sqlx::query!(
        "UPDATE waiting_list w SET state = 'left', email = NULL, language = NULL, ended_at = $2
         WHERE w.course_id = $1 AND w.state = 'waiting'
           AND EXISTS (SELECT FROM place_takers($1) taker JOIN enrollments e ON e.id = taker WHERE e.email = w.email)",
        course_id,
        now,
    )
    .execute(&mut *db)
    .await?;
    let next = sqlx::query!(
        r#"SELECT id, email AS "email!: Email", language AS "language: Language" FROM waiting_list
           WHERE course_id = $1 AND state = 'waiting' ORDER BY first_at DESC NULLS LAST, joined_at, id LIMIT $2 FOR UPDATE"#,
        course_id,
        course.free.min(limit),
    )
    .fetch_all(&mut *db)
    .await?;
    let until = now + offered_for;
    for person in &next {
        let code = Code::generate();
        let voucher_id = insert_place(db, &course, course_id, &code, until, now).await?;
        sqlx::query!(
            "UPDATE waiting_list SET state = 'offered', voucher_id = $2, offered_at = $3, offered_until = $4 WHERE id = $1",
            person.id,
            voucher_id as _,
            now,
            until,
        )
        .execute(&mut *db)
        .await?;
        let offered = PlaceOffered {
            organisation_id: course.organisation_id,
            entry_id: person.id,
            course: course.name.clone(),
            openedx_course_id: course.openedx_course_id.clone(),
            mode: course.mode,
            code: code.as_str().to_owned(),
            until,
        };
        mails::push(db, &person.email, Mail::PlaceOffered(offered), person.language.as_ref(), now).await?;
    }
    Ok(next.len() as u64)
}

/// Stores the voucher that holds a place in a course. It takes nothing off.
async fn insert_place(
    db: &mut PgConnection,
    course: &Course,
    course_id: Uuid,
    code: &Code,
    until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> JobResult<VoucherId> {
    let id = VoucherId(Uuid::now_v7());
    sqlx::query!(
        "WITH voucher AS (
             INSERT INTO vouchers (id, organisation_id, code, kind, currency, max_uses, max_uses_per_buyer, valid_from, valid_until, created_at)
             SELECT $1, o.id, $3, 'place', o.currency, 1, 1, $5, $6, $5 FROM organisations o WHERE o.id = $2 RETURNING id)
         INSERT INTO voucher_scope (voucher_id, course_id) SELECT id, $4 FROM voucher",
        id as _,
        course.organisation_id as _,
        code.as_str(),
        course_id,
        now,
        until,
    )
    .execute(db)
    .await?;
    Ok(id)
}

/// Puts an address before all others of a course's list. False if it does not wait for a place in a course of the
/// organisation with this key.
pub async fn put_first(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    openedx_course_id: &str,
    email: &Email,
    cause: Cause,
) -> JobResult<bool> {
    let entry = sqlx::query_scalar!(
        "UPDATE waiting_list w SET first_at = $4 FROM courses c
         WHERE c.id = w.course_id AND c.organisation_id = $1 AND c.openedx_course_id = $2 AND w.email = $3
           AND w.state IN ('unconfirmed', 'waiting') RETURNING w.id",
        organisation_id as _,
        openedx_course_id,
        email.as_str(),
        cause.now,
    );
    let Some(id) = entry.fetch_optional(&mut *db).await? else { return Ok(false) };
    let change = Change {
        entity: Entity::Catalog,
        id: Uuid::nil(),
        from: None,
        to: "put_first",
        detail: json!({ "course": openedx_course_id, "entry": id }),
    };
    audit::record(db, cause, change).await?;
    Ok(true)
}

/// Forgets an address, with the places that it is offered.
pub async fn forget(db: &mut PgConnection, email: &str) -> JobResult<()> {
    sqlx::query!(
        "WITH gone AS (DELETE FROM waiting_list WHERE email = $1 RETURNING voucher_id)
         UPDATE vouchers SET max_uses = uses WHERE id IN (SELECT voucher_id FROM gone)",
        email,
    )
    .execute(db)
    .await?;
    Ok(())
}
