//! Carts that may lack documents, until these are issued and rendered.

use chrono::{DateTime, TimeDelta, Utc};
use shared::db::Db;
use shared::ids::CartId;
use sqlx::PgConnection;

use super::documents::File;
use crate::error::JobResult;

/// The longest time until the reconciler tries again to issue documents.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(6);

/// A note that a cart's documents may be missing, as it was when it was locked.
pub struct Due {
    written_by: String,
    /// Indicates whether the invoice waits for an exchange rate.
    pub awaits_rate: bool,
}

/// Locks the note that a cart's documents may be missing. None if there is none.
pub async fn lock(db: &mut PgConnection, cart_id: CartId) -> JobResult<Option<Due>> {
    // Whatever makes the documents due again writes the row, and so changes its xmin.
    let due = sqlx::query_as!(
        Due,
        r#"SELECT xmin::text AS "written_by!", awaits_rate FROM documents_due WHERE cart_id = $1 FOR UPDATE"#,
        cart_id as _
    );
    Ok(due.fetch_optional(db).await?)
}

/// Notes that a cart's invoice waits for an exchange rate. False if it was issued in the meantime.
pub async fn await_rate(db: &mut PgConnection, cart_id: CartId) -> JobResult<bool> {
    let noted = sqlx::query!(
        "UPDATE documents_due SET awaits_rate = true
         WHERE cart_id = $1 AND NOT EXISTS (SELECT FROM documents WHERE cart_id = $1 AND kind = 'invoice')",
        cart_id as _,
    );
    Ok(noted.execute(db).await?.rows_affected() == 1)
}

/// Notes that a cart's documents may be missing, and locks the note.
pub async fn note(db: &mut PgConnection, cart_id: CartId, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO documents_due (cart_id, since, next_attempt_at) VALUES ($1, $2, $2)
         ON CONFLICT (cart_id) DO UPDATE SET next_attempt_at = excluded.next_attempt_at",
        cart_id as _,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Stores the files of a cart's documents, and notes that it has all its documents, unless they were made due again since, or one that
/// the storefront has issued has no file. What waits for another system is made due by its report.
pub async fn settle(db: &Db, cart_id: CartId, due: &Due, files: &[File]) -> JobResult<()> {
    let (ids, pdfs): (Vec<_>, Vec<_>) = files.iter().map(|file| (file.id, file.pdf.as_slice())).unzip();
    sqlx::query!(
        "WITH stored AS (
             INSERT INTO document_files (document_id, pdf) SELECT * FROM unnest($3::uuid[], $4::bytea[]) ON CONFLICT DO NOTHING)
         DELETE FROM documents_due WHERE cart_id = $1 AND xmin::text = $2 AND NOT EXISTS (
             SELECT FROM documents d WHERE d.cart_id = $1 AND d.id <> ALL ($3) AND d.state = 'issued'
                AND d.content #>> '{seller,documents}' IS DISTINCT FROM 'external'
                AND NOT EXISTS (SELECT FROM document_files f WHERE f.document_id = d.id))",
        cart_id as _,
        due.written_by,
        &ids as _,
        &pdfs as _,
    )
    .execute(db)
    .await?;
    if due.awaits_rate {
        let kept =
            sqlx::query!("UPDATE documents_due SET awaits_rate = false WHERE cart_id = $1", cart_id as _);
        kept.execute(db).await?;
    }
    Ok(())
}

/// Takes carts whose documents were due before `now`, and puts their next attempt off, longer each time.
pub async fn take(db: &Db, now: DateTime<Utc>, limit: i64) -> JobResult<Vec<CartId>> {
    Ok(sqlx::query_scalar!(
        "UPDATE documents_due SET attempts = attempts + 1,
             next_attempt_at = $1::timestamptz + least($3::interval, interval '1 minute' * 2 ^ least(attempts, 20))
         WHERE cart_id = ANY (ARRAY(
             SELECT cart_id FROM documents_due WHERE next_attempt_at <= $1
             ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED))
         RETURNING cart_id",
        now,
        limit,
        sqlx::postgres::types::PgInterval::try_from(LONGEST_WAIT).unwrap_or_default(),
    )
    .fetch_all(db)
    .await?)
}
