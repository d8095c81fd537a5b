//! Queries for waiting lists.

use chrono::{DateTime, FixedOffset, Utc};
use shared::db::Db;
use shared::voucher;
use texts::Language;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};

/// Returns whether a course has no place left; None if it is not sold now.
pub async fn is_full(db: &Db, course: Uuid, now: DateTime<Utc>) -> ApiResult<Option<bool>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT coalesce(capacity <= places_taken(id, $2, NULL), false) AS "is_full!" FROM courses
           WHERE id = $1 AND place_mode(id, $3) IS NOT NULL"#,
        course,
        now - voucher::HOLD,
        now,
    )
    .fetch_optional(db)
    .await?)
}

/// An entry, as the page of its link shows it.
pub struct Entry {
    pub course: String,
    pub openedx_course_id: String,
    pub language: Option<Language>,
    pub standing: Standing,
}

/// What has become of an entry.
#[derive(Clone)]
pub enum Standing {
    Unconfirmed,
    Waiting,
    /// A place is held for it until a time of the organisation; the code buys it.
    Offered {
        code: String,
        /// None if the course is not sold any more.
        mode: Option<String>,
        until: DateTime<FixedOffset>,
    },
    Ended,
}

pub async fn entry(db: &Db, id: Uuid, now: DateTime<Utc>) -> ApiResult<Option<Entry>> {
    let row = sqlx::query!(
        r#"SELECT w.state, c.display_name, c.openedx_course_id, w.language AS "language: Language", v.code AS "code?", w.offered_until, place_mode(w.course_id, $2) AS mode,
                  extract(epoch FROM (w.offered_until AT TIME ZONE day_zone(o.seller)) - (w.offered_until AT TIME ZONE 'UTC'))::integer AS seconds
           FROM waiting_list w JOIN courses c ON c.id = w.course_id JOIN organisations o ON o.id = c.organisation_id
           LEFT JOIN vouchers v ON v.id = w.voucher_id WHERE w.id = $1"#,
        id,
        now,
    );
    let Some(row) = row.fetch_optional(db).await? else { return Ok(None) };
    let standing = match (row.state.as_str(), row.code, row.offered_until) {
        ("unconfirmed", _, _) => Standing::Unconfirmed,
        ("waiting", _, _) => Standing::Waiting,
        ("offered", Some(code), Some(until)) if until > now => {
            let offset = row.seconds.and_then(FixedOffset::east_opt).ok_or(ApiError::Internal)?;
            Standing::Offered { code, mode: row.mode, until: until.with_timezone(&offset) }
        }
        _ => Standing::Ended,
    };
    let (course, openedx_course_id) = (row.display_name, row.openedx_course_id);
    Ok(Some(Entry { course, openedx_course_id, language: row.language, standing }))
}
