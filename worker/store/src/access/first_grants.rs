//! The first grant of a course to an address: its enrollment and all that comes with it, for any number of courses in one
//! statement, because callers wait for it.

use std::collections::HashMap;

use serde_json::{Value, json};
use shared::course_mode::CourseMode;
use shared::ids::EnrollmentId;
use shared::messages::{Message, SyncEnrollment};
use shared::trace_parent::TraceParent;
use sqlx::PgConnection;
use uuid::Uuid;

use super::batch_syncs;
use super::records::{Granted, Grants, Holder, State};
use super::sync_queue::SyncAt;
use crate::error::JobResult;
use crate::model::line::CourseGrant;
use crate::plumbing::audit::Cause;

/// The parameters of the statement that differ by course.
struct Columns {
    ids: Vec<EnrollmentId>,
    grant_ids: Vec<Uuid>,
    message_ids: Vec<Uuid>,
    courses: Vec<Uuid>,
    modes: Vec<CourseMode>,
    rests_on: Vec<Option<Uuid>>,
    /// Details of the audit records.
    details: Vec<Value>,
    /// Bodies of the messages.
    bodies: Vec<Value>,
}

impl Columns {
    fn new(grants: &[CourseGrant]) -> JobResult<Self> {
        let ids: Vec<_> = grants.iter().map(|_| EnrollmentId::generate()).collect();
        let new_ids = || grants.iter().map(|_| Uuid::now_v7()).collect();
        let body = |id: &EnrollmentId| serde_json::to_value(SyncEnrollment { enrollment_id: *id });
        let detail = |grant: &CourseGrant| json!({ "from_mode": null, "to_mode": grant.mode });
        Ok(Self {
            bodies: ids.iter().map(body).collect::<Result<_, _>>()?,
            ids,
            grant_ids: new_ids(),
            message_ids: new_ids(),
            courses: grants.iter().map(|grant| grant.course_id).collect(),
            modes: grants.iter().map(|grant| grant.mode).collect(),
            rests_on: grants.iter().map(|grant| grant.rests_on).collect(),
            details: grants.iter().map(detail).collect(),
        })
    }
}

/// Inserts the enrollments that do not exist, each with its grant, its audit record, the learner's membership of the
/// organisation, and its sync, if a learner has it. Returns them by course; the other courses have an enrollment already.
pub(crate) async fn insert(
    db: &mut PgConnection,
    grants: &Grants<'_>,
    cause: Cause,
) -> JobResult<HashMap<Uuid, Granted>> {
    let state = State::granted(grants.holder.learner().is_some());
    let invite = grants.holder == Holder::Unknown;
    let inserted = write(db, grants, state, cause).await?;
    // No caller waits for a batch's grants, so these syncs are not part of the statement.
    if let (SyncAt::Turn(batch), State::Enrolled) = (grants.sync_at, state) {
        let ids: Vec<_> = inserted.iter().map(|row| EnrollmentId(row.id)).collect();
        batch_syncs::insert(db, batch, &ids, state, cause.now).await?;
    }
    let granted = inserted.into_iter().map(|row| {
        (row.course_id, Granted { enrollment_id: EnrollmentId(row.id), state, sync: row.sync, invite })
    });
    Ok(granted.collect())
}

/// An enrollment that the statement has inserted.
struct Inserted {
    id: Uuid,
    course_id: Uuid,
    /// The outbox row of its sync's message.
    sync: Option<i64>,
}

async fn write(
    db: &mut PgConnection,
    grants: &Grants<'_>,
    state: State,
    cause: Cause,
) -> JobResult<Vec<Inserted>> {
    let columns = Columns::new(grants.courses)?;
    // The audit records and messages are as `audit::record` and `outbox::push_at` write them.
    Ok(sqlx::query_as!(
        Inserted,
        r#"WITH asked AS (
               SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::jsonb[], $8::jsonb[])
                   AS a (id, grant_id, message_id, course_id, mode, rests_on, detail, body)),
           placed AS (
               INSERT INTO enrollments (id, email, course_id, learner_id, state, mode, sync_held_back, unresolved, invitation_waits,
                                        created_at, updated_at, language)
               SELECT id, $9, course_id, $10, $11, mode, $22 AND $10::uuid IS NOT NULL, $12, $13, $14, $14, $23 FROM asked
               WHERE $10::uuid IS NULL OR NOT EXISTS (
                   SELECT FROM enrollments e WHERE e.course_id = asked.course_id AND e.learner_id = $10)
               ON CONFLICT DO NOTHING RETURNING id),
           first AS (SELECT asked.* FROM asked JOIN placed USING (id)),
           given AS (
               INSERT INTO enrollment_grants (id, enrollment_id, source, cart_id, mode, granted_at, rests_on, begun_at, ends_at)
               SELECT grant_id, id, $15, $16::uuid, mode, $14, rests_on, CASE WHEN ends IS NOT NULL THEN $14::timestamptz END, ends
               FROM first, LATERAL (
                   SELECT CASE WHEN $10::uuid IS NOT NULL AND $16::uuid IS NOT NULL THEN grant_ends($16, course_id, $14) END AS ends) period),
           joined AS (
               INSERT INTO organisation_members (organisation_id, learner_id)
               SELECT DISTINCT c.organisation_id, $10::uuid FROM first JOIN courses c ON c.id = first.course_id
               WHERE $10::uuid IS NOT NULL AND $15 <> 'platform' ON CONFLICT DO NOTHING),
           recorded AS (
               INSERT INTO audit_log (at, entity, entity_id, actor, command_id, to_state, detail, trace)
               SELECT $14, 'enrollment', id, $17, $18, $11, detail, $20 FROM first),
           queued AS (
               INSERT INTO outbox (message_id, type, body, created_at, traceparent, not_before)
               SELECT message_id, $19, body, $14, $20, $21 FROM first WHERE NOT $22 AND $10::uuid IS NOT NULL
               RETURNING id, message_id)
           SELECT first.id AS "id!", first.course_id AS "course_id!", queued.id AS "sync?"
           FROM first LEFT JOIN queued USING (message_id)"#,
        &columns.ids as _,
        &columns.grant_ids,
        &columns.message_ids,
        &columns.courses,
        &columns.modes as &[CourseMode],
        &columns.rests_on as &[Option<Uuid>],
        &columns.details,
        &columns.bodies,
        grants.email.as_str(),
        grants.holder.learner() as _,
        state as State,
        grants.holder == Holder::Unresolved,
        grants.holder == Holder::Unknown,
        cause.now,
        <&str>::from(grants.source),
        grants.source.cart() as _,
        cause.actor.to_string(),
        cause.command_id,
        SyncEnrollment::KIND,
        TraceParent::current().map(|trace| trace.to_string()),
        grants.sync_at.not_before(),
        grants.sync_at.is_held_back(),
        grants.language.map(|language| language.to_string()),
    )
    .fetch_all(db)
    .await?)
}
