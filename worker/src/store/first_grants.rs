//! The first grant of a course to an address: its enrollment and all that comes with it, for any number of courses in one
//! statement, because callers wait for it.

use std::collections::HashMap;

use serde_json::json;
use shared::course_mode::CourseMode;
use shared::messages::{Message, SyncEnrollment};
use shared::telemetry::TraceParent;
use sqlx::PgConnection;
use uuid::Uuid;

use super::audit::Cause;
use super::enrollments::{Granted, Grants, Holder, Source, State};
use crate::error::JobResult;

/// Inserts the enrollments that do not exist, each with its grant, its audit record, the learner's membership of the
/// organisation, and the message of its sync. Returns them by course; the other courses have an enrollment already.
pub(super) async fn insert(
    db: &mut PgConnection,
    grants: &Grants<'_>,
    cause: Cause,
) -> JobResult<HashMap<Uuid, Granted>> {
    let learner_id = grants.holder.learner();
    let state = State::of(learner_id);
    let ids: Vec<Uuid> = grants.courses.iter().map(|_| Uuid::now_v7()).collect();
    let others = || grants.courses.iter().map(|_| Uuid::now_v7()).collect::<Vec<_>>();
    let (grant_ids, message_ids) = (others(), others());
    let courses: Vec<Uuid> = grants.courses.iter().map(|course| course.course_id).collect();
    let modes: Vec<CourseMode> = grants.courses.iter().map(|course| course.mode).collect();
    let rests_on: Vec<Option<Uuid>> = grants.courses.iter().map(|course| course.rests_on).collect();
    let details: Vec<_> = modes.iter().map(|mode| json!({ "from_mode": null, "to_mode": mode })).collect();
    let bodies = ids.iter().map(|id| serde_json::to_value(SyncEnrollment { enrollment_id: *id }));
    let cart_id = match grants.source {
        Source::Partner => None,
        Source::FreeCart(cart_id) | Source::PaidCart(cart_id) => Some(cart_id),
    };
    let rows = sqlx::query!(
        r#"WITH asked AS (
               SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::jsonb[],
                                    $8::jsonb[])
                   AS a (id, grant_id, message_id, course_id, mode, rests_on, detail, body)),
           placed AS (
               INSERT INTO enrollments (id, email, course_id, learner_id, state, mode, unresolved, invitation_waits,
                                        created_at, updated_at)
               SELECT id, $9, course_id, $10, $11, mode, $12, $13, $14, $14 FROM asked
               WHERE $10::uuid IS NULL OR NOT EXISTS (
                   SELECT FROM enrollments e WHERE e.course_id = asked.course_id AND e.learner_id = $10)
               ON CONFLICT DO NOTHING RETURNING id),
           first AS (SELECT asked.* FROM asked JOIN placed USING (id)),
           given AS (
               INSERT INTO enrollment_grants (id, enrollment_id, source, cart_id, mode, granted_at, rests_on)
               SELECT grant_id, id, $15, $16, mode, $14, rests_on FROM first),
           joined AS (
               INSERT INTO organisation_members (organisation_id, learner_id)
               SELECT DISTINCT c.organisation_id, $10::uuid FROM first JOIN courses c ON c.id = first.course_id
               WHERE $10::uuid IS NOT NULL ON CONFLICT DO NOTHING),
           recorded AS (
               INSERT INTO audit_log (at, entity, entity_id, actor, command_id, to_state, detail)
               SELECT $14, 'enrollment', id, $17, $18, $11, detail FROM first),
           queued AS (
               INSERT INTO outbox (message_id, type, body, created_at, traceparent, not_before)
               SELECT message_id, $19, body, $14, $20, $21 FROM first WHERE $10::uuid IS NOT NULL
               RETURNING id, message_id)
           SELECT first.id AS "id!", first.course_id AS "course_id!", queued.id AS "sync?"
           FROM first LEFT JOIN queued USING (message_id)"#,
        &ids,
        &grant_ids,
        &message_ids,
        &courses,
        &modes as &[CourseMode],
        &rests_on as &[Option<Uuid>],
        &details,
        &bodies.collect::<Result<Vec<_>, _>>()?,
        grants.email.as_str(),
        learner_id,
        state as State,
        grants.holder == Holder::Unresolved,
        grants.holder == Holder::Unknown,
        cause.now,
        <&str>::from(grants.source),
        cart_id,
        cause.actor.to_string(),
        cause.command_id,
        SyncEnrollment::KIND,
        TraceParent::current().map(|trace| trace.to_string()),
        grants.sync_at,
    )
    .fetch_all(db)
    .await?;
    let invite = grants.holder == Holder::Unknown;
    let granted = rows
        .into_iter()
        .map(|row| (row.course_id, Granted { enrollment_id: row.id, state, sync: row.sync, invite }));
    Ok(granted.collect())
}
