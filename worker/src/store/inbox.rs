//! Providers' events as they came, each once.

use chrono::{DateTime, Utc};
use shared::gateway::Gateway;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;
use crate::gateways::Event;

/// Keeps an event until it is matched with its transaction. False if it is known already.
pub async fn keep(
    db: &mut PgConnection,
    gateway: Gateway,
    organisation_id: Uuid,
    event: &Event,
    now: DateTime<Utc>,
) -> JobResult<bool> {
    let kept = sqlx::query!(
        "INSERT INTO inbox (gateway, organisation_id, event_id, type, body, received_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT ON CONSTRAINT inbox_event_key DO NOTHING",
        gateway.name(),
        organisation_id,
        event.id,
        event.kind,
        event.body,
        now,
    )
    .execute(db)
    .await?;
    Ok(kept.rows_affected() == 1)
}
