//! Catalog rows from an import, written in batches: one statement for each table, whatever the number of rows.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use super::catalog;
use crate::error::JobResult;

/// What records of a catalog file can refer to: rows in the database and earlier records of the file.
#[derive(Debug, Default)]
pub struct References {
    /// By lower-cased short name.
    pub organisations: HashMap<String, Uuid>,
    /// The stored spelling, by lower-cased name.
    pub tags: HashMap<String, String>,
    /// By course key.
    pub courses: HashMap<String, Uuid>,
}

/// Rows by table, as JSON objects with the column names as keys.
#[derive(Default)]
pub struct Batch {
    pub organisations: Vec<Value>,
    pub platform_organisations: Vec<Value>,
    pub policies: Vec<Value>,
    pub policy_countries: Vec<Value>,
    pub rates: Vec<Value>,
    pub tags: Vec<String>,
    pub courses: Vec<Value>,
    pub modes: Vec<Value>,
    pub contents: Vec<Value>,
    pub tagged: Vec<Value>,
    pub reviews: Vec<Value>,
    pub programs: Vec<Value>,
    pub program_courses: Vec<Value>,
    pub banners: Vec<Value>,
    pub course_ids: Vec<Uuid>,
    pub program_ids: Vec<Uuid>,
    pub policy_ids: Vec<Uuid>,
}

/// Reads the organisations, tags and courses that records can refer to.
pub async fn load_references(db: &mut PgConnection) -> JobResult<References> {
    let organisations = sqlx::query!(r#"SELECT lower(short_name) AS "name!", id FROM organisations"#);
    let tags = sqlx::query_scalar!("SELECT name FROM tags");
    let courses = sqlx::query!("SELECT openedx_course_id, id FROM courses");
    Ok(References {
        organisations: organisations
            .fetch_all(&mut *db)
            .await?
            .into_iter()
            .map(|row| (row.name, row.id))
            .collect(),
        tags: tags.fetch_all(&mut *db).await?.into_iter().map(|tag| (tag.to_lowercase(), tag)).collect(),
        courses: courses
            .fetch_all(db)
            .await?
            .into_iter()
            .map(|row| (row.openedx_course_id, row.id))
            .collect(),
    })
}

/// Says which records differ from the last import, in the given order, and stores their digests.
pub async fn remember_changed<'a>(
    db: &mut PgConnection,
    records: impl Iterator<Item = (&'a str, &'a str, &'a [u8])>,
) -> JobResult<Vec<bool>> {
    let (mut kinds, mut keys, mut digests) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, key, digest) in records {
        kinds.push(kind.to_owned());
        keys.push(key.to_owned());
        digests.push(digest.to_owned());
    }
    let rows = sqlx::query!(
        r#"SELECT r.kind AS "kind!", r.key AS "key!", r.digest AS "digest!" FROM imported_records r
           WHERE (r.kind, r.key) IN (SELECT * FROM unnest($1::text[], $2::text[]))"#,
        &kinds,
        &keys,
    )
    .fetch_all(&mut *db)
    .await?;
    let known: HashMap<_, _> = rows.into_iter().map(|row| ((row.kind, row.key), row.digest)).collect();
    let changed = kinds
        .iter()
        .zip(&keys)
        .zip(&digests)
        .map(|((kind, key), digest)| known.get(&(kind.clone(), key.clone())) != Some(digest));
    let changed = changed.collect();
    sqlx::query!(
        "INSERT INTO imported_records (kind, key, digest) SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[])
         ON CONFLICT (kind, key) DO UPDATE SET digest = excluded.digest
         WHERE imported_records.digest <> excluded.digest",
        &kinds, &keys, &digests,
    )
    .execute(db)
    .await?;
    Ok(changed)
}

/// Writes a batch. Rows that are referred to come before the rows that refer to them.
pub async fn write(db: &mut PgConnection, batch: Batch, now: DateTime<Utc>) -> JobResult<()> {
    organisations(db, &batch).await?;
    platform_organisations(db, batch.platform_organisations.clone().into()).await?;
    policies(db, &batch).await?;
    tags(db, &batch.tags).await?;
    courses(db, batch.courses.into()).await?;
    course_parts(db, &batch.course_ids, batch.modes.into(), batch.contents.into()).await?;
    catalog::refresh_prices(db, &batch.course_ids, now).await?;
    programs(db, batch.programs.into(), &batch.program_ids, batch.program_courses.into()).await?;
    retag(db, &batch.course_ids, &batch.program_ids, batch.tagged.into()).await?;
    reviews(db, &batch.course_ids, &batch.program_ids, batch.reviews.into()).await?;
    banners(db, batch.banners.into()).await
}

async fn organisations(db: &mut PgConnection, batch: &Batch) -> JobResult<()> {
    if batch.organisations.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO organisations (id, short_name, name, logo_url, favicon_url, trademark_url, registration_url,
             return_url, open, marketing_page_metadata, gateway, currency, refund_days, created_at)
         SELECT * FROM jsonb_to_recordset($1) AS r (id uuid, short_name text, name text, logo_url text,
             favicon_url text, trademark_url text, registration_url text, return_url text, open boolean,
             marketing_page_metadata jsonb, gateway text, currency text, refund_days integer, created_at timestamptz)
         ON CONFLICT (id) DO UPDATE SET short_name = excluded.short_name, name = excluded.name,
             logo_url = excluded.logo_url, favicon_url = excluded.favicon_url,
             trademark_url = excluded.trademark_url, registration_url = excluded.registration_url,
             return_url = excluded.return_url, open = excluded.open,
             marketing_page_metadata = excluded.marketing_page_metadata, gateway = excluded.gateway,
             currency = excluded.currency, refund_days = excluded.refund_days, created_at = excluded.created_at",
        Value::from(batch.organisations.clone()),
    )
    .execute(&mut *db)
    .await?;
    // Credentials may already exist for a changed gateway, or be missing.
    sqlx::query!(
        "UPDATE organisations o SET configured = NOT configured WHERE configured <> EXISTS (
             SELECT FROM gateway_credentials k WHERE k.organisation_id = o.id AND k.gateway = o.gateway)"
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn platform_organisations(db: &mut PgConnection, rows: Value) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO platform_organisations (org, organisation_id, prices)
         SELECT * FROM jsonb_to_recordset($1) AS r (org text, organisation_id uuid, prices text)
         ON CONFLICT (lower(org)) DO UPDATE SET org = excluded.org, organisation_id = excluded.organisation_id,
             prices = excluded.prices",
        rows,
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn policies(db: &mut PgConnection, batch: &Batch) -> JobResult<()> {
    sqlx::query!("DELETE FROM pricing_policy_countries WHERE organisation_id = ANY($1)", &batch.policy_ids)
        .execute(&mut *db)
        .await?;
    sqlx::query!(
        "INSERT INTO pricing_policies (organisation_id, enabled)
         SELECT * FROM jsonb_to_recordset($1) AS r (organisation_id uuid, enabled boolean)
         ON CONFLICT (organisation_id) DO UPDATE SET enabled = excluded.enabled",
        Value::from(batch.policies.clone()),
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "INSERT INTO pricing_policy_countries (organisation_id, country, percent_off, display_currency)
         SELECT * FROM jsonb_to_recordset($1)
             AS r (organisation_id uuid, country text, percent_off numeric, display_currency text)",
        Value::from(batch.policy_countries.clone()),
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "INSERT INTO exchange_rates (base, quote, rate, as_of)
         SELECT * FROM jsonb_to_recordset($1) AS r (base text, quote text, rate numeric, as_of date)
         ON CONFLICT (base, quote) DO UPDATE SET rate = excluded.rate, as_of = excluded.as_of",
        Value::from(batch.rates.clone()),
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn tags(db: &mut PgConnection, names: &[String]) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO tags (name) SELECT * FROM unnest($1::text[])
         ON CONFLICT (lower(name)) DO UPDATE SET name = excluded.name",
        names,
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn courses(db: &mut PgConnection, rows: Value) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO courses (id, organisation_id, openedx_course_id, display_name, short_description, overview,
             image_url, course_video_url, number, language, self_paced, effort, total_minutes, is_published, hidden,
             is_invite_only, flagged_new, starts_at, ends_at, advertised_start, enrollment_start, enrollment_end,
             certificate_available_date, has_any_active_web_certificate, link_to_course, created_at)
         SELECT * FROM jsonb_to_recordset($1) AS r (id uuid, organisation_id uuid, openedx_course_id text,
             display_name text, short_description text, overview text, image_url text, course_video_url text,
             number text, language text, self_paced boolean, effort text, total_minutes integer,
             is_published boolean, hidden boolean, is_invite_only boolean, flagged_new boolean,
             starts_at timestamptz, ends_at timestamptz, advertised_start text, enrollment_start timestamptz,
             enrollment_end timestamptz, certificate_available_date timestamptz,
             has_any_active_web_certificate boolean, link_to_course text, created_at timestamptz)
         ON CONFLICT (id) DO UPDATE SET organisation_id = excluded.organisation_id,
             openedx_course_id = excluded.openedx_course_id, display_name = excluded.display_name,
             short_description = excluded.short_description, overview = excluded.overview,
             image_url = excluded.image_url, course_video_url = excluded.course_video_url,
             number = excluded.number, language = excluded.language, self_paced = excluded.self_paced,
             effort = excluded.effort, total_minutes = excluded.total_minutes,
             is_published = excluded.is_published, hidden = excluded.hidden,
             is_invite_only = excluded.is_invite_only, flagged_new = excluded.flagged_new,
             starts_at = excluded.starts_at, ends_at = excluded.ends_at,
             advertised_start = excluded.advertised_start, enrollment_start = excluded.enrollment_start,
             enrollment_end = excluded.enrollment_end,
             certificate_available_date = excluded.certificate_available_date,
             has_any_active_web_certificate = excluded.has_any_active_web_certificate,
             link_to_course = excluded.link_to_course, created_at = excluded.created_at",
        rows,
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn course_parts(db: &mut PgConnection, ids: &[Uuid], modes: Value, contents: Value) -> JobResult<()> {
    sqlx::query!("DELETE FROM course_modes WHERE course_id = ANY($1)", ids).execute(&mut *db).await?;
    sqlx::query!("DELETE FROM course_contents WHERE course_id = ANY($1)", ids).execute(&mut *db).await?;
    sqlx::query!(
        "INSERT INTO course_modes (course_id, slug, display_name, price, currency, price_order, expires_at, visible,
             description, upsellable_course_modes)
         SELECT * FROM jsonb_to_recordset($1) AS r (course_id uuid, slug text, display_name text, price bigint,
             currency text, price_order numeric, expires_at timestamptz, visible boolean, description text,
             upsellable_course_modes text[])",
        modes,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "INSERT INTO course_contents (course_id, outline, structure)
         SELECT course_id, nullif(outline, 'null'), nullif(structure, 'null')
         FROM jsonb_to_recordset($1) AS r (course_id uuid, outline jsonb, structure jsonb)",
        contents,
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn programs(db: &mut PgConnection, rows: Value, ids: &[Uuid], courses: Value) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO programs (id, organisation_id, name, description, about, achievements, duration,
             duration_metric, image, price, currency, price_order, is_invite_only, is_published, created_at)
         SELECT * FROM jsonb_to_recordset($1) AS r (id uuid, organisation_id uuid, name text, description text,
             about text, achievements text, duration integer, duration_metric text, image text, price bigint,
             currency text, price_order numeric, is_invite_only boolean, is_published boolean,
             created_at timestamptz)
         ON CONFLICT (id) DO UPDATE SET organisation_id = excluded.organisation_id, name = excluded.name,
             description = excluded.description, about = excluded.about, achievements = excluded.achievements,
             duration = excluded.duration, duration_metric = excluded.duration_metric, image = excluded.image,
             price = excluded.price, currency = excluded.currency, price_order = excluded.price_order,
             is_invite_only = excluded.is_invite_only, is_published = excluded.is_published,
             created_at = excluded.created_at",
        rows,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!("DELETE FROM program_courses WHERE program_id = ANY($1)", ids).execute(&mut *db).await?;
    sqlx::query!(
        "INSERT INTO program_courses (program_id, course_id, position)
         SELECT * FROM jsonb_to_recordset($1) AS r (program_id uuid, course_id uuid, position integer)",
        courses,
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn retag(db: &mut PgConnection, courses: &[Uuid], programs: &[Uuid], tagged: Value) -> JobResult<()> {
    sqlx::query!("DELETE FROM course_tags WHERE course_id = ANY($1)", courses).execute(&mut *db).await?;
    sqlx::query!("DELETE FROM program_tags WHERE program_id = ANY($1)", programs).execute(&mut *db).await?;
    sqlx::query!(
        "INSERT INTO course_tags (course_id, tag_id)
         SELECT DISTINCT r.course_id, t.id FROM jsonb_to_recordset($1) AS r (course_id uuid, tag text)
         JOIN tags t ON lower(t.name) = lower(r.tag) WHERE r.course_id IS NOT NULL",
        tagged,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "INSERT INTO program_tags (program_id, tag_id)
         SELECT DISTINCT r.program_id, t.id FROM jsonb_to_recordset($1) AS r (program_id uuid, tag text)
         JOIN tags t ON lower(t.name) = lower(r.tag) WHERE r.program_id IS NOT NULL",
        tagged,
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn reviews(db: &mut PgConnection, courses: &[Uuid], programs: &[Uuid], rows: Value) -> JobResult<()> {
    sqlx::query!("DELETE FROM reviews WHERE course_id = ANY($1) OR program_id = ANY($2)", courses, programs)
        .execute(&mut *db)
        .await?;
    sqlx::query!(
        "INSERT INTO reviews (id, course_id, program_id, rating, title, comment, author_name, created_at)
         SELECT * FROM jsonb_to_recordset($1) AS r (id uuid, course_id uuid, program_id uuid, rating smallint,
             title text, comment text, author_name text, created_at timestamptz)",
        rows,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE courses c SET avg_rating = r.average, review_count = r.count
         FROM (SELECT id.course_id, round(avg(v.rating), 1) AS average, count(v.id)::integer AS count
               FROM unnest($1::uuid[]) AS id (course_id) LEFT JOIN reviews v USING (course_id)
               GROUP BY id.course_id) r
         WHERE c.id = r.course_id",
        courses,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE programs p SET avg_rating = (SELECT round(avg(rating), 1) FROM reviews WHERE program_id = p.id)
         WHERE p.id = ANY($1)",
        programs,
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn banners(db: &mut PgConnection, rows: Value) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO banners (id, organisation_id, title, image_url, link_url, position, starts_at, ends_at)
         SELECT * FROM jsonb_to_recordset($1) AS r (id uuid, organisation_id uuid, title text, image_url text,
             link_url text, position integer, starts_at timestamptz, ends_at timestamptz)
         ON CONFLICT (id) DO UPDATE SET organisation_id = excluded.organisation_id, title = excluded.title,
             image_url = excluded.image_url, link_url = excluded.link_url, position = excluded.position,
             starts_at = excluded.starts_at, ends_at = excluded.ends_at",
        rows,
    )
    .execute(db)
    .await?;
    Ok(())
}
