//! The endpoints for an organisation's events, with their latest deliveries.

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::ids::OrganisationId;
use uuid::Uuid;

use crate::error::ApiResult;

/// Deliveries that are shown of each endpoint.
const DELIVERIES: i64 = 20;

/// An endpoint of webhooks.
pub struct Endpoint {
    pub id: Uuid,
    pub url: String,
    pub types: Vec<String>,
    pub failing_since: Option<DateTime<Utc>>,
    pub disabled_at: Option<DateTime<Utc>>,
    pub disabled_reason: Option<String>,
    /// Deliveries that have neither succeeded nor been given up.
    pub waiting: i64,
    /// Deliveries whose last attempt has failed.
    pub failed: i64,
}

/// The delivery of an event to an endpoint.
pub struct Delivery {
    pub endpoint_id: Uuid,
    pub event_id: Uuid,
    pub kind: String,
    /// The order that the event is about; None for an enrollment that no order has given.
    pub cart_id: Option<String>,
    pub at: DateTime<Utc>,
    pub attempts: i32,
    pub next_attempt_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    pub last_status: Option<i32>,
    pub last_answer: Option<String>,
}

/// The endpoints of an organisation, the oldest first.
pub async fn list(db: &Db, organisation_id: OrganisationId) -> ApiResult<Vec<Endpoint>> {
    Ok(sqlx::query_as!(
        Endpoint,
        r#"SELECT w.id, w.url, w.types, w.failing_since, w.disabled_at, w.disabled_reason,
                  (SELECT count(*) FROM webhook_deliveries d WHERE d.endpoint_id = w.id AND d.next_attempt_at IS NOT NULL)
                      AS "waiting!",
                  (SELECT count(*) FROM webhook_deliveries d WHERE d.endpoint_id = w.id AND d.delivered_at IS NULL AND d.attempts > 0)
                      AS "failed!"
           FROM webhook_endpoints w WHERE w.organisation_id = $1 ORDER BY w.id"#,
        organisation_id as _,
    )
    .fetch_all(db)
    .await?)
}

/// The latest deliveries to each endpoint of an organisation, the newest event first.
pub async fn deliveries(db: &Db, organisation_id: OrganisationId) -> ApiResult<Vec<Delivery>> {
    Ok(sqlx::query_as!(
        Delivery,
        r#"SELECT d.endpoint_id, d.event_id, e.type AS kind, e.data ->> 'cart_id' AS cart_id, d.at, d.attempts, d.next_attempt_at, d.delivered_at,
                  d.last_status, d.last_answer
           FROM webhook_endpoints w
           CROSS JOIN LATERAL (
               SELECT d.endpoint_id, d.event_id, d.at, d.attempts, d.next_attempt_at, d.delivered_at, d.last_status, d.last_answer
               FROM webhook_deliveries d WHERE d.endpoint_id = w.id ORDER BY d.at DESC LIMIT $2) d
           JOIN events e ON e.id = d.event_id
           WHERE w.organisation_id = $1 ORDER BY d.at DESC"#,
        organisation_id as _,
        DELIVERIES,
    )
    .fetch_all(db)
    .await?)
}
