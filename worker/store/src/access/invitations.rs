//! Invitations of addresses without an account: at most three mails a day for each address, over all courses. What they
//! leave out waits for the next one, which names it all.

use chrono::{DateTime, TimeDelta, Utc};
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, OrganisationId};
use shared::messages::{Mail, Places};
use sqlx::PgConnection;
use texts::Language;

use crate::error::JobResult;
use crate::plumbing::mails;

const DAY: TimeDelta = TimeDelta::days(1);

/// Invitations that an address may get in a day.
const A_DAY: i64 = 3;

/// The time that a job has to send the invitation for what it granted. A batch's job grants for up to 15 s, and then sends each
/// address one mail for all its courses.
const OWN_JOB: TimeDelta = TimeDelta::seconds(20);

/// A course to which an address is to be invited.
struct Waiting {
    organisation_id: OrganisationId,
    organisation: String,
    course: String,
    language: Option<Language>,
}

/// Sends an address one invitation to all courses that wait for one, unless it got three within a day. True if it did. The
/// transaction must have locked the address's invitations.
pub async fn send(db: &mut PgConnection, email: &Email, now: DateTime<Utc>) -> JobResult<bool> {
    let waiting = take_waiting(db, email, now).await?;
    let Some(first) = waiting.first() else { return Ok(false) };
    let organisation_id = first.organisation_id;
    // One mail for all: in the language of the first course that has one.
    let language = waiting.iter().find_map(|waiting| waiting.language.clone());
    let mut places: Vec<Places> = Vec::new();
    for Waiting { organisation, course, .. } in waiting {
        match places.last_mut().filter(|last| last.organisation == organisation) {
            Some(last) => last.courses.push(course),
            None => places.push(Places { organisation, courses: vec![course] }),
        }
    }
    let courses = places.remove(0).courses;
    let mail = Mail::RegistrationInvitation { organisation_id, courses, elsewhere: places };
    mails::push(db, email, mail, language.as_ref(), now).await?;
    Ok(true)
}

/// Counts a mail that invites an address. False if it got its mails of the day. The transaction must have locked the address's
/// invitations.
pub async fn count(db: &mut PgConnection, email: &Email, now: DateTime<Utc>) -> JobResult<bool> {
    let counted = sqlx::query!(
        "INSERT INTO invitations (email, invited_at)
         SELECT $1, $2 WHERE (SELECT count(*) FROM invitations WHERE email = $1 AND invited_at > $3) < $4",
        email.as_str(),
        now,
        now - DAY,
        A_DAY,
    );
    Ok(counted.execute(db).await?.rows_affected() == 1)
}

/// Counts a mail that takes the place of the invitation to a cart's courses, and marks them as invited to. False if the address got
/// its mails of the day. The transaction must have locked the address's invitations.
pub async fn take_cart(
    db: &mut PgConnection,
    email: &Email,
    cart_id: CartId,
    now: DateTime<Utc>,
) -> JobResult<bool> {
    let is_counted = count(db, email, now).await?;
    if is_counted {
        invited(db, cart_id, now).await?;
    }
    Ok(is_counted)
}

/// Marks the courses of a cart that wait for a registration as invited to.
pub async fn invited(db: &mut PgConnection, cart_id: CartId, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE enrollments SET invitation_waits = false, invited_at = $2
         WHERE id IN (SELECT enrollment_id FROM enrollment_grants WHERE cart_id = $1) AND state = 'pending_registration'",
        cart_id as _,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The addresses that wait for a registration with a cart's courses, in the order in which their invitations are locked.
pub async fn waiting(db: &mut PgConnection, cart_id: CartId) -> JobResult<Vec<Email>> {
    let emails = sqlx::query!(
        r#"SELECT DISTINCT e.email AS "email: Email" FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
           WHERE g.cart_id = $1 AND g.ended_at IS NULL AND e.state = 'pending_registration' ORDER BY 1"#,
        cart_id as _,
    );
    Ok(emails.fetch_all(db).await?.into_iter().map(|row| row.email).collect())
}

/// Lets a cart's courses that wait for a registration wait for an invitation, too. The transaction must have locked the invitations of
/// their addresses.
pub async fn repeat(db: &mut PgConnection, cart_id: CartId) -> JobResult<()> {
    sqlx::query!(
        "UPDATE enrollments SET invitation_waits = true, unresolved = false
         WHERE id IN (SELECT enrollment_id FROM enrollment_grants WHERE cart_id = $1 AND ended_at IS NULL)
           AND state = 'pending_registration'",
        cart_id as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Marks the courses that wait for an invitation as invited to, counts the invitation, and returns the courses by
/// organisation. Empty if the address got its invitations of the day.
async fn take_waiting(db: &mut PgConnection, email: &Email, now: DateTime<Utc>) -> JobResult<Vec<Waiting>> {
    Ok(sqlx::query_as!(
        Waiting,
        // A row that another transaction has locked is taken by that one, or by the reconciler.
        r#"WITH due AS (
             UPDATE enrollments SET invitation_waits = false, invited_at = $2
             WHERE id IN (
                 SELECT id FROM enrollments
                 WHERE email = $1 AND invitation_waits AND state = 'pending_registration'
                   AND (SELECT count(*) FROM invitations WHERE email = $1 AND invited_at > $3) < $4
                 FOR UPDATE SKIP LOCKED)
             RETURNING course_id, language),
         counted AS (INSERT INTO invitations (email, invited_at) SELECT $1, $2 WHERE EXISTS (SELECT FROM due))
         SELECT c.organisation_id, o.name AS organisation, c.display_name AS course,
                due.language AS "language: Language"
         FROM due JOIN courses c ON c.id = due.course_id JOIN organisations o ON o.id = c.organisation_id
         ORDER BY o.name, o.id, c.display_name"#,
        email.as_str(),
        now,
        now - DAY,
        A_DAY,
    )
    .fetch_all(db)
    .await?)
}

/// Addresses for which an invitation waits and may be sent now. Leaves out courses granted just now, whose job sends it.
pub async fn due(db: &Db, now: DateTime<Utc>, limit: i64) -> JobResult<Vec<Email>> {
    let rows = sqlx::query!(
        r#"SELECT DISTINCT e.email AS "email: Email" FROM enrollments e
           WHERE e.invitation_waits AND e.state = 'pending_registration' AND e.updated_at <= $4 AND (
               SELECT count(*) FROM invitations i WHERE i.email = e.email AND i.invited_at > $1) < $2
           ORDER BY 1 LIMIT $3"#,
        now - DAY,
        A_DAY,
        limit,
        now - OWN_JOB,
    );
    Ok(rows.fetch_all(db).await?.into_iter().map(|row| row.email).collect())
}

/// Deletes a batch of invitations that no longer count. Returns how many.
pub async fn forget_old(db: &mut PgConnection, now: DateTime<Utc>) -> JobResult<u64> {
    let gone = sqlx::query!(
        "DELETE FROM invitations WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM invitations WHERE invited_at <= $1 ORDER BY invited_at LIMIT 10000))",
        now - DAY,
    );
    Ok(gone.execute(db).await?.rows_affected())
}
