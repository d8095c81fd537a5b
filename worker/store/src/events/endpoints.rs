//! The endpoints at which organisations receive events, and their secrets.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use shared::db::Db;
use shared::event::TYPES;
use shared::ids::OrganisationId;
use shared::seal::Sealed;
use sqlx::PgConnection;
use uuid::Uuid;

use super::feed;
use crate::error::JobResult;
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// An event is recorded this much before its first attempt at most, unless no worker runs.
const BEFORE_FAILURE: TimeDelta = TimeDelta::hours(1);

/// An endpoint as an operator sees it.
#[derive(Debug, Serialize)]
pub struct Endpoint {
    pub id: Uuid,
    /// The organisation's short name.
    pub organisation: String,
    pub url: String,
    pub types: Vec<String>,
    pub failing_since: Option<DateTime<Utc>>,
    /// Null while it receives events.
    pub disabled_at: Option<DateTime<Utc>>,
    pub disabled_reason: Option<String>,
    /// Deliveries that have neither succeeded nor been given up.
    pub waiting: i64,
    /// Deliveries that were given up after their last attempt.
    pub given_up: i64,
    /// Of the last attempt that failed: the status and the beginning of the answer, or the fault.
    pub last_failure: Option<String>,
}

/// A secret that signs an endpoint's events.
pub struct EndpointSecret {
    pub endpoint_id: Uuid,
    /// `current` or `previous`.
    pub slot: String,
    /// Of a previous one: until when it signs.
    pub ends_at: Option<DateTime<Utc>>,
    pub sealed: Sealed,
}

/// The states of an endpoint in the audit log.
#[derive(Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum State {
    Enabled,
    Disabled,
    Removed,
}

impl State {
    fn of(is_disabled: bool) -> Self {
        if is_disabled { Self::Disabled } else { Self::Enabled }
    }
}

/// Result of `set`.
pub struct Set {
    pub id: Uuid,
    pub is_new: bool,
    pub state: State,
}

/// Stores an endpoint, or other types of events for one with the same URL. It gets all types if none is named.
pub async fn set(
    db: &mut PgConnection,
    organisation: OrganisationId,
    url: &str,
    types: &[String],
    cause: Cause,
) -> JobResult<Set> {
    let mut types = if types.is_empty() { TYPES.map(str::to_owned).to_vec() } else { types.to_vec() };
    types.sort_unstable();
    types.dedup();
    let row = sqlx::query!(
        r#"INSERT INTO webhook_endpoints (id, organisation_id, url, types, created_at) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (organisation_id, url) DO UPDATE SET types = excluded.types
           RETURNING id, id = $1 AS "is_new!", disabled_at IS NOT NULL AS "is_disabled!""#,
        Uuid::now_v7(),
        organisation as _,
        url,
        &types,
        cause.now,
    )
    .fetch_one(&mut *db)
    .await?;
    let (detail, state) = (json!({ "url": url, "types": types }), State::of(row.is_disabled));
    record(db, row.id, (!row.is_new).then_some(state), state, detail, cause).await?;
    Ok(Set { id: row.id, is_new: row.is_new, state })
}

/// Time that the secret before a new one still signs.
const ROTATION: TimeDelta = TimeDelta::hours(24);

/// Stores an endpoint's new secret. The one before it, if there is one, signs beside it for a day: if it does so already, it stays,
/// so that the receiver's secret survives a form that is sent twice.
pub async fn set_secret(
    db: &mut PgConnection,
    endpoint: Uuid,
    sealed: &Sealed,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "DELETE FROM webhook_secrets WHERE endpoint_id = $1 AND slot = 'previous' AND ends_at <= $2",
        endpoint,
        now,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "DELETE FROM webhook_secrets WHERE endpoint_id = $1 AND slot = 'current'
             AND EXISTS (SELECT FROM webhook_secrets p WHERE p.endpoint_id = $1 AND p.slot = 'previous')",
        endpoint,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE webhook_secrets SET slot = 'previous', ends_at = $2 WHERE endpoint_id = $1 AND slot = 'current'",
        endpoint,
        now + ROTATION,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "INSERT INTO webhook_secrets (endpoint_id, slot, key_id, sealed) VALUES ($1, 'current', $2, $3)",
        endpoint,
        sealed.key_id,
        sealed.bytes,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The secrets that sign an endpoint's events now, the current one first.
pub async fn signing_secrets(db: &Db, endpoint: Uuid, now: DateTime<Utc>) -> JobResult<Vec<EndpointSecret>> {
    let kept = secrets_of(db, Some(endpoint)).await?;
    Ok(kept.into_iter().filter(|kept| kept.ends_at.is_none_or(|ends| ends > now)).collect())
}

/// The secrets of all endpoints.
pub async fn secrets(db: &Db) -> JobResult<Vec<EndpointSecret>> {
    secrets_of(db, None).await
}

async fn secrets_of(db: &Db, endpoint: Option<Uuid>) -> JobResult<Vec<EndpointSecret>> {
    let rows = sqlx::query!(
        "SELECT endpoint_id, slot, key_id, sealed, ends_at FROM webhook_secrets
         WHERE $1::uuid IS NULL OR endpoint_id = $1 ORDER BY endpoint_id, slot",
        endpoint,
    );
    let secrets = rows.fetch_all(db).await?.into_iter().map(|row| EndpointSecret {
        endpoint_id: row.endpoint_id,
        slot: row.slot,
        ends_at: row.ends_at,
        sealed: Sealed { key_id: row.key_id, bytes: row.sealed },
    });
    Ok(secrets.collect())
}

/// Replaces a secret by the same one under another key. False if it has been replaced meanwhile.
pub async fn reseal(
    db: &mut PgConnection,
    kept: &EndpointSecret,
    resealed: &Sealed,
    cause: Cause,
) -> JobResult<bool> {
    let moved = sqlx::query!(
        "UPDATE webhook_secrets SET key_id = $3, sealed = $4 WHERE endpoint_id = $1 AND sealed = $2",
        kept.endpoint_id,
        kept.sealed.bytes,
        resealed.key_id,
        resealed.bytes,
    );
    if moved.execute(&mut *db).await?.rows_affected() == 0 {
        return Ok(false);
    }
    let detail = json!({ "resealed": kept.slot, "from_key": kept.sealed.key_id, "to_key": resealed.key_id });
    note(db, kept.endpoint_id, detail, cause).await?;
    Ok(true)
}

/// An endpoint's URL and its organisation's short name; None if there is no such endpoint.
pub async fn find(db: &Db, id: Uuid) -> JobResult<Option<(String, String)>> {
    let found = sqlx::query!(
        "SELECT w.url, o.short_name FROM webhook_endpoints w JOIN organisations o ON o.id = w.organisation_id WHERE w.id = $1",
        id,
    );
    Ok(found.fetch_optional(db).await?.map(|row| (row.url, row.short_name)))
}

/// Puts on record what an operator does with an endpoint. Returns its state; None if there is no such endpoint.
pub async fn note(db: &mut PgConnection, id: Uuid, detail: Value, cause: Cause) -> JobResult<Option<State>> {
    let found = sqlx::query_scalar!(
        r#"SELECT disabled_at IS NOT NULL AS "is_disabled!" FROM webhook_endpoints WHERE id = $1 FOR KEY SHARE"#,
        id,
    );
    let Some(is_disabled) = found.fetch_optional(&mut *db).await? else { return Ok(None) };
    let state = State::of(is_disabled);
    record(db, id, Some(state), state, detail, cause).await?;
    Ok(Some(state))
}

/// Lets an endpoint receive events again, also those that it has missed. Returns how many these are; None if it is not disabled,
/// or of another organisation than this.
pub async fn enable(
    db: &mut PgConnection,
    id: Uuid,
    organisation: Option<OrganisationId>,
    cause: Cause,
) -> JobResult<Option<u64>> {
    let enabled = sqlx::query_scalar!(
        r#"UPDATE webhook_endpoints w SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL
           FROM webhook_endpoints before WHERE w.id = $1 AND before.id = w.id AND w.disabled_at IS NOT NULL
             AND ($2::uuid IS NULL OR w.organisation_id = $2)
           RETURNING least(before.failing_since, before.disabled_at, (
               SELECT min(d.at) FROM webhook_deliveries d WHERE d.endpoint_id = w.id AND d.next_attempt_at IS NOT NULL))
               AS "since!""#,
        id,
        organisation as _,
    );
    let Some(since) = enabled.fetch_optional(&mut *db).await? else { return Ok(None) };
    record(db, id, Some(State::Disabled), State::Enabled, json!({ "failing_since": since }), cause).await?;
    feed::replay(db, id, since - BEFORE_FAILURE, false, cause.now).await.map(Some)
}

/// Sends an event to an endpoint again, and puts it on record. False if the endpoint is of another organisation, disabled, or was
/// never to get the event.
pub async fn send_again(
    db: &mut PgConnection,
    organisation: OrganisationId,
    id: Uuid,
    event: Uuid,
    cause: Cause,
) -> JobResult<bool> {
    let again = sqlx::query!(
        "UPDATE webhook_deliveries d SET attempts = 0, next_attempt_at = $4, delivered_at = NULL
         FROM webhook_endpoints w WHERE w.id = d.endpoint_id AND w.organisation_id = $3 AND w.disabled_at IS NULL
           AND d.endpoint_id = $1 AND d.event_id = $2",
        id,
        event,
        organisation as _,
        cause.now,
    );
    if again.execute(&mut *db).await?.rows_affected() == 0 {
        return Ok(false);
    }
    note(db, id, json!({ "sent_again": event }), cause).await?;
    Ok(true)
}

/// Sends an endpoint all events again whose last attempt has failed, also those that were given up, and puts it on record. Returns how
/// many; 0 if there are none, or the endpoint is of another organisation or disabled.
pub async fn send_failed_again(
    db: &mut PgConnection,
    organisation: OrganisationId,
    id: Uuid,
    cause: Cause,
) -> JobResult<u64> {
    let again = sqlx::query!(
        "UPDATE webhook_deliveries d SET attempts = 0, next_attempt_at = $3
         FROM webhook_endpoints w WHERE w.id = d.endpoint_id AND w.organisation_id = $2 AND w.disabled_at IS NULL
           AND d.endpoint_id = $1 AND d.delivered_at IS NULL AND d.attempts > 0",
        id,
        organisation as _,
        cause.now,
    );
    let sent = again.execute(&mut *db).await?.rows_affected();
    if sent > 0 {
        note(db, id, json!({ "failed_sent_again": sent }), cause).await?;
    }
    Ok(sent)
}

/// Lets an endpoint receive no more events if it has failed since this time or longer. False if it has not, or if it is
/// disabled already.
pub async fn disable(
    db: &mut PgConnection,
    id: Uuid,
    failing_before: DateTime<Utc>,
    reason: &str,
    cause: Cause,
) -> JobResult<bool> {
    let disabled = sqlx::query!(
        "UPDATE webhook_endpoints SET disabled_at = $2, disabled_reason = $3
         WHERE id = $1 AND disabled_at IS NULL AND failing_since <= $4",
        id,
        cause.now,
        reason,
        failing_before,
    );
    if disabled.execute(&mut *db).await?.rows_affected() == 0 {
        return Ok(false);
    }
    record(db, id, Some(State::Enabled), State::Disabled, json!({ "reason": reason }), cause).await?;
    Ok(true)
}

/// Returns whether an organisation has an endpoint with this id, and locks it.
pub async fn lock(db: &mut PgConnection, id: Uuid, organisation: OrganisationId) -> JobResult<bool> {
    let found = sqlx::query_scalar!(
        "SELECT id FROM webhook_endpoints WHERE id = $1 AND organisation_id = $2 FOR UPDATE",
        id,
        organisation as _,
    );
    Ok(found.fetch_optional(db).await?.is_some())
}

/// Counts the endpoints of an organisation, and lets no other transaction add one until this one ends.
pub async fn count(db: &mut PgConnection, organisation: OrganisationId) -> JobResult<i64> {
    sqlx::query!("SELECT id FROM organisations WHERE id = $1 FOR NO KEY UPDATE", organisation as _)
        .fetch_optional(&mut *db)
        .await?;
    let count = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM webhook_endpoints WHERE organisation_id = $1"#,
        organisation as _,
    );
    Ok(count.fetch_one(db).await?)
}

/// Deletes an endpoint with its secrets and deliveries. False if there is no such endpoint.
pub async fn remove(db: &mut PgConnection, id: Uuid, cause: Cause) -> JobResult<bool> {
    let removed = sqlx::query!(
        r#"DELETE FROM webhook_endpoints WHERE id = $1 RETURNING url, disabled_at IS NOT NULL AS "is_disabled!""#,
        id,
    );
    let Some(removed) = removed.fetch_optional(&mut *db).await? else { return Ok(false) };
    let (from, detail) = (State::of(removed.is_disabled), json!({ "url": removed.url }));
    record(db, id, Some(from), State::Removed, detail, cause).await?;
    Ok(true)
}

/// All endpoints, or those of one organisation.
pub async fn list(db: &Db, organisation: Option<OrganisationId>) -> JobResult<Vec<Endpoint>> {
    Ok(sqlx::query_as!(
        Endpoint,
        r#"SELECT w.id, o.short_name AS organisation, w.url, w.types, w.failing_since, w.disabled_at, w.disabled_reason,
                  (SELECT count(*) FROM webhook_deliveries d WHERE d.endpoint_id = w.id AND d.next_attempt_at IS NOT NULL)
                      AS "waiting!",
                  (SELECT count(*) FROM webhook_deliveries d
                   WHERE d.endpoint_id = w.id AND d.next_attempt_at IS NULL AND d.delivered_at IS NULL) AS "given_up!",
                  (SELECT concat_ws(' ', d.last_status, d.last_answer) FROM webhook_deliveries d
                   WHERE d.endpoint_id = w.id AND d.delivered_at IS NULL AND d.attempts > 0 ORDER BY d.at DESC LIMIT 1)
                      AS last_failure
           FROM webhook_endpoints w JOIN organisations o ON o.id = w.organisation_id
           WHERE $1::uuid IS NULL OR w.organisation_id = $1 ORDER BY o.short_name, w.created_at, w.id"#,
        organisation as _,
    )
    .fetch_all(db)
    .await?)
}

async fn record(
    db: &mut PgConnection,
    id: Uuid,
    from: Option<State>,
    to: State,
    detail: Value,
    cause: Cause,
) -> JobResult<()> {
    let change = Change { entity: Entity::Endpoint, id, from: from.map(Into::into), to: to.into(), detail };
    audit::record(db, cause, change).await
}
