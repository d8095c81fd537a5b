//! Messages that must follow a commit: written in its transaction, published by the relay.

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::messages::Message;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

pub struct OutboxRow {
    pub id: i64,
    pub message_id: Uuid,
    pub kind: String,
    pub body: Value,
    pub created_at: DateTime<Utc>,
}

pub async fn push(db: &mut PgConnection, message: impl Into<Message>, now: DateTime<Utc>) -> JobResult<()> {
    let message = message.into();
    sqlx::query!(
        "INSERT INTO outbox (message_id, type, body, created_at) VALUES ($1, $2, $3, $4)",
        Uuid::now_v7(),
        message.kind(),
        serde_json::to_value(&message)?,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The oldest rows that no other relay holds, of other kinds than these; they stay locked until the transaction ends.
pub async fn lock_batch(
    db: &mut PgConnection,
    but: &[String],
    limit: i64,
) -> Result<Vec<OutboxRow>, sqlx::Error> {
    sqlx::query_as!(
        OutboxRow,
        r#"SELECT id, message_id, type AS kind, body, created_at FROM outbox
           WHERE type <> ALL($1) ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED"#,
        but,
        limit,
    )
    .fetch_all(db)
    .await
}

pub async fn delete(db: &mut PgConnection, ids: &[i64]) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM outbox WHERE id = ANY($1)", ids).execute(db).await?;
    Ok(())
}
