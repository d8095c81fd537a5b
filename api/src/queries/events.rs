//! Queries for the feed of an organisation's events.

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::db::Db;
use shared::ids::OrganisationId;
use uuid::Uuid;

use crate::error::ApiResult;

/// Filter of a page of the feed.
pub struct FeedFilter {
    pub organisation_id: OrganisationId,
    /// Only events after this position.
    pub after: i64,
    /// Only events up to this position.
    pub until: i64,
    /// Only events that happened at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Empty for all types.
    pub types: Vec<String>,
}

/// An event as it is stored.
pub struct StoredEvent {
    pub id: Uuid,
    pub position: i64,
    pub kind: String,
    pub at: DateTime<Utc>,
    /// The organisation's short name.
    pub organisation: String,
    /// Of an enrollment's event.
    pub email: Option<String>,
    pub data: Value,
}

/// State of the feed, as a cursor sees it.
pub struct FeedState {
    /// The last position that an event has. All events up to it are committed.
    pub last: i64,
    /// The present epoch; None before the first one.
    pub epoch: Option<String>,
    /// True if the cursor's epoch is one of this database. Its positions hold up to `until`.
    pub is_known: bool,
    pub until: i64,
}

/// The state of the feed for a cursor of this epoch; without one, the cursor is of the first.
pub async fn state(db: &Db, epoch: Option<&str>) -> ApiResult<FeedState> {
    Ok(sqlx::query_as!(
        FeedState,
        r#"SELECT p.last, (SELECT id FROM feed_epochs WHERE number > (SELECT min(number) FROM feed_epochs)
                       ORDER BY number DESC LIMIT 1) AS epoch,
                  $1::text IS NULL OR e.number IS NOT NULL AS "is_known!",
                  coalesce((SELECT min(began_after) FROM feed_epochs WHERE number > e.number), p.last) AS "until!"
           FROM event_positions p LEFT JOIN LATERAL (
               SELECT number FROM feed_epochs WHERE $1::text IS NULL OR id = $1 ORDER BY number LIMIT 1) e ON true"#,
        epoch,
    )
    .fetch_one(db)
    .await?)
}

/// Events that a page with types walks through, at most.
const WALKED: i64 = 100_000;

/// Last event that a page looks at.
pub struct Reach {
    pub position: i64,
    pub at: DateTime<Utc>,
}

/// Where a page of some types ends at the latest; None if that is the end of the feed.
pub async fn reach(db: &Db, filter: &FeedFilter) -> ApiResult<Option<Reach>> {
    if filter.types.is_empty() {
        return Ok(None);
    }
    Ok(sqlx::query_as!(
        Reach,
        r#"SELECT e.position AS "position!", e.at
           FROM (SELECT position FROM events WHERE organisation_id = $1 AND position > $2 AND position <= $3
                 ORDER BY position OFFSET $4 LIMIT 1) last
           JOIN events e ON e.organisation_id = $1 AND e.position = last.position"#,
        filter.organisation_id as _,
        filter.after,
        filter.until,
        WALKED - 1,
    )
    .fetch_optional(db)
    .await?)
}

/// The first events that match, in the order of their positions.
pub async fn page(db: &Db, filter: &FeedFilter, limit: i64) -> ApiResult<Vec<StoredEvent>> {
    Ok(sqlx::query_as!(
        StoredEvent,
        r#"SELECT e.id, e.position AS "position!", e.type AS kind, e.at, o.short_name AS organisation, n.email AS "email?", e.data
           FROM events e JOIN organisations o ON o.id = e.organisation_id LEFT JOIN enrollments n ON n.id = e.enrollment_id
           WHERE e.organisation_id = $1 AND e.position > $2 AND e.position <= $3 AND ($6::timestamptz IS NULL OR e.at >= $6) AND (cardinality($4::text[]) = 0 OR e.type = ANY ($4))
           ORDER BY e.position LIMIT $5"#,
        filter.organisation_id as _,
        filter.after,
        filter.until,
        &filter.types,
        limit,
        filter.since,
    )
    .fetch_all(db)
    .await?)
}
