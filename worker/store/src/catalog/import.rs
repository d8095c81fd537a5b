//! Catalog rows from an import, written in batches: one statement for each table, whatever the number of rows.
//!
//! Why: `docs/decisions/tag-ids.md`

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::ids::OrganisationId;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::{JobError, JobResult};

/// Rows by table, as JSON objects with the column names as keys.
#[derive(Default)]
pub struct Batch {
    pub organisations: Vec<Value>,
    pub platform_organisations: Vec<Value>,
    pub policies: Vec<Value>,
    pub policy_countries: Vec<Value>,
    pub tax_rates: Vec<Value>,
    pub rates: Vec<Value>,
    pub tags: Vec<String>,
    pub courses: CourseRows,
    pub programs: ProgramRows,
    pub banners: Vec<Value>,
    pub course_ids: Vec<Uuid>,
    pub program_ids: Vec<Uuid>,
    pub policy_ids: Vec<OrganisationId>,
}

/// Rows of courses and of what belongs to them.
#[derive(Default)]
pub struct CourseRows {
    pub courses: Vec<Value>,
    pub modes: Vec<Value>,
    pub contents: Vec<Value>,
    pub tags: Vec<Value>,
    pub reviews: Vec<Value>,
}

/// Rows of programs and of what belongs to them.
#[derive(Default)]
pub struct ProgramRows {
    pub programs: Vec<Value>,
    pub courses: Vec<Value>,
    pub tags: Vec<Value>,
    pub reviews: Vec<Value>,
}

/// Writes a batch. Rows that are referred to come before the rows that refer to them.
pub async fn write(db: &mut PgConnection, batch: Batch, now: DateTime<Utc>) -> JobResult<()> {
    organisations(db, &batch, now).await?;
    platform_organisations(db, batch.platform_organisations.clone()).await?;
    policies(db, &batch).await?;
    tax_rates(db, batch.tax_rates.clone()).await?;
    tags(db, &batch.tags).await?;
    banners(db, batch.banners.clone()).await?;
    remember_prices(db, &batch, now).await?;
    // Before any is written, since a review may move from one to another.
    delete_parts(db, &batch.course_ids, &batch.program_ids).await?;
    courses(db, batch.courses, &batch.course_ids).await?;
    programs(db, batch.programs, &batch.program_ids).await
}

/// Remembers the prices that the batch changes.
async fn remember_prices(db: &mut PgConnection, batch: &Batch, now: DateTime<Utc>) -> JobResult<()> {
    if !batch.course_ids.is_empty() {
        sqlx::query!(
            "INSERT INTO former_prices (course_id, mode, price, currency, dated_prices, held_until)
             SELECT m.course_id, m.slug, m.price, m.currency, m.dated_prices, $3
             FROM course_modes m LEFT JOIN jsonb_to_recordset($2) AS r (course_id uuid, slug text, price bigint, currency text, dated_prices jsonb)
                 ON r.course_id = m.course_id AND r.slug = m.slug
             WHERE m.course_id = ANY($1)
               AND (r.price, r.currency, r.dated_prices) IS DISTINCT FROM (m.price, m.currency::text, m.dated_prices)",
            &batch.course_ids,
            Value::from(batch.courses.modes.clone()),
            now,
        )
        .execute(&mut *db)
        .await?;
    }
    if !batch.program_ids.is_empty() {
        sqlx::query!(
            "INSERT INTO former_prices (program_id, price, currency, dated_prices, held_until)
             SELECT p.id, p.price, p.currency, p.dated_prices, $2
             FROM programs p JOIN jsonb_to_recordset($1) AS r (id uuid, price bigint, currency text, dated_prices jsonb) USING (id)
             WHERE p.price IS NOT NULL
               AND (r.price, r.currency, r.dated_prices) IS DISTINCT FROM (p.price, p.currency::text, p.dated_prices)",
            Value::from(batch.programs.programs.clone()),
            now,
        )
        .execute(db)
        .await?;
    }
    Ok(())
}

/// Deletes what belongs to these courses and programs; the batch has all of it. The tags of courses are left to the write of
/// the courses, which stores them in the course's row as well.
async fn delete_parts(db: &mut PgConnection, courses: &[Uuid], programs: &[Uuid]) -> JobResult<()> {
    if courses.is_empty() && programs.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "WITH modes AS (DELETE FROM course_modes WHERE course_id = ANY($1)),
             contents AS (DELETE FROM course_contents WHERE course_id = ANY($1)),
             courses AS (DELETE FROM program_courses WHERE program_id = ANY($2)),
             program_tags AS (DELETE FROM program_tags WHERE program_id = ANY($2))
         DELETE FROM reviews WHERE course_id = ANY($1) OR program_id = ANY($2)",
        courses,
        programs,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Writes courses in one statement, and so in one message: sqlx 0.9.0 does not set TCP_NODELAY, and the end of each message
/// that does not fit into one segment waits up to 40 ms for the server's delayed acknowledgement.
async fn courses(db: &mut PgConnection, rows: CourseRows, ids: &[Uuid]) -> JobResult<()> {
    if rows.courses.is_empty() {
        return Ok(());
    }
    sqlx::query_file!(
        "src/catalog/imported_courses.sql",
        Value::from(rows.courses),
        Value::from(rows.modes),
        Value::from(rows.contents),
        Value::from(rows.tags),
        Value::from(rows.reviews),
        ids,
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn organisations(db: &mut PgConnection, batch: &Batch, now: DateTime<Utc>) -> JobResult<()> {
    if batch.organisations.is_empty() {
        return Ok(());
    }
    let lost = sqlx::query_scalar!(
        "SELECT o.short_name FROM organisations o JOIN jsonb_to_recordset($1) AS r (id uuid, seller jsonb) ON r.id = o.id
         WHERE o.seller IS NOT NULL AND r.seller IS NULL",
        Value::from(batch.organisations.clone()),
    );
    if let Some(name) = lost.fetch_optional(&mut *db).await? {
        let reason = format!(
            "organisation {name}: its record no longer has a seller, which its invoices need; change the seller instead"
        );
        return Err(JobError::dead(reason));
    }
    check_time_zones(db, batch).await?;
    sqlx::query!(
        "INSERT INTO organisations (id, short_name, name, logo_url, favicon_url, trademark_url, registration_url,
             return_url, open, marketing_page_metadata, gateway, currency, refund_days, move_days,
             moves_allowed, seller, seats_url, buy_url,
             orders_url, withdrawal, languages, colour, bank_transfer, created_at, seller_since)
         SELECT *, CASE WHEN seller IS NOT NULL THEN $2::timestamptz END
         FROM jsonb_to_recordset($1) AS r (id uuid, short_name text, name text, logo_url text, favicon_url text,
             trademark_url text, registration_url text, return_url text, open boolean, marketing_page_metadata jsonb,
             gateway text, currency text, refund_days integer, move_days integer, moves_allowed integer, seller jsonb, seats_url text, buy_url text,
             orders_url text, withdrawal jsonb, languages text[], colour text, bank_transfer jsonb,
             created_at timestamptz)
         ON CONFLICT (id) DO UPDATE SET short_name = excluded.short_name, name = excluded.name,
             logo_url = excluded.logo_url, favicon_url = excluded.favicon_url,
             trademark_url = excluded.trademark_url, registration_url = excluded.registration_url,
             return_url = excluded.return_url, open = excluded.open,
             marketing_page_metadata = excluded.marketing_page_metadata, gateway = excluded.gateway,
             currency = excluded.currency, refund_days = excluded.refund_days,
             move_days = excluded.move_days, moves_allowed = excluded.moves_allowed, seller = excluded.seller,
             seats_url = excluded.seats_url, buy_url = excluded.buy_url, orders_url = excluded.orders_url,
             withdrawal = excluded.withdrawal, languages = excluded.languages, colour = excluded.colour,
             bank_transfer = excluded.bank_transfer,
             seller_since = coalesce(organisations.seller_since, excluded.seller_since),
             created_at = excluded.created_at",
        Value::from(batch.organisations.clone()),
        now,
    )
    .execute(&mut *db)
    .await?;
    // Credentials may already exist for a changed gateway, or be missing.
    sqlx::query!(
        "UPDATE organisations o SET configured = NOT configured WHERE configured <> CASE o.gateway
             WHEN 'external' THEN o.bank_transfer IS NOT NULL
             ELSE EXISTS (
                 SELECT FROM gateway_credentials k WHERE k.organisation_id = o.id AND k.gateway = o.gateway) END"
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Checks that the database knows the time zones of these organisations.
async fn check_time_zones(db: &mut PgConnection, batch: &Batch) -> JobResult<()> {
    let unknown = sqlx::query!(
        r#"SELECT r.short_name AS "organisation!", r.seller ->> 'time_zone' AS "time_zone!"
           FROM jsonb_to_recordset($1) AS r (short_name text, seller jsonb)
           WHERE r.seller ->> 'time_zone' <> day_zone(r.seller)"#,
        Value::from(batch.organisations.clone()),
    );
    if let Some(row) = unknown.fetch_optional(db).await? {
        let reason = format!(
            "organisation {}: seller: time_zone {:?} is not a time zone of the database; if it is new, update the database's tzdata",
            row.organisation, row.time_zone
        );
        return Err(JobError::dead(reason));
    }
    Ok(())
}

async fn platform_organisations(db: &mut PgConnection, rows: Vec<Value>) -> JobResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO platform_organisations (org, organisation_id, prices)
         SELECT * FROM jsonb_to_recordset($1) AS r (org text, organisation_id uuid, prices text)
         ON CONFLICT (lower(org)) DO UPDATE SET org = excluded.org, organisation_id = excluded.organisation_id,
             prices = excluded.prices",
        Value::from(rows),
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn policies(db: &mut PgConnection, batch: &Batch) -> JobResult<()> {
    if batch.policies.is_empty() && batch.rates.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "DELETE FROM pricing_policy_countries WHERE organisation_id = ANY($1)",
        &batch.policy_ids as _
    )
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

async fn tax_rates(db: &mut PgConnection, rows: Vec<Value>) -> JobResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO tax_rates (organisation_id, country, state, postal_codes, valid_from, components, note)
         SELECT organisation_id, country, state, ARRAY(SELECT jsonb_array_elements_text(postal_codes)), valid_from, components, note
         FROM jsonb_to_recordset($1) AS r (organisation_id uuid, country text, state text, postal_codes jsonb, valid_from date,
             components jsonb, note text)
         ON CONFLICT (organisation_id, country, lower(state), valid_from)
         DO UPDATE SET state = excluded.state, postal_codes = excluded.postal_codes, components = excluded.components, note = excluded.note",
        Value::from(rows),
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn tags(db: &mut PgConnection, names: &[String]) -> JobResult<()> {
    if names.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO tags (name) SELECT * FROM unnest($1::text[])
         ON CONFLICT (lower(name)) DO UPDATE SET name = excluded.name",
        names,
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn programs(db: &mut PgConnection, rows: ProgramRows, ids: &[Uuid]) -> JobResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO programs (id, organisation_id, name, description, about, achievements, duration,
             duration_metric, image, price, currency, price_order, is_invite_only, is_published, created_at, service_code, dated_prices,
             access_days, access_until)
         SELECT * FROM jsonb_to_recordset($1) AS r (id uuid, organisation_id uuid, name text, description text,
             about text, achievements text, duration integer, duration_metric text, image text, price bigint,
             currency text, price_order numeric, is_invite_only boolean, is_published boolean,
             created_at timestamptz, service_code jsonb, dated_prices jsonb, access_days integer, access_until timestamptz)
         ON CONFLICT (id) DO UPDATE SET organisation_id = excluded.organisation_id, name = excluded.name,
             description = excluded.description, about = excluded.about, achievements = excluded.achievements,
             duration = excluded.duration, duration_metric = excluded.duration_metric, image = excluded.image,
             price = excluded.price, currency = excluded.currency, price_order = excluded.price_order,
             is_invite_only = excluded.is_invite_only, is_published = excluded.is_published,
             created_at = excluded.created_at, service_code = excluded.service_code, dated_prices = excluded.dated_prices,
             access_days = excluded.access_days, access_until = excluded.access_until",
        Value::from(rows.programs),
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "INSERT INTO program_courses (program_id, course_id, position)
         SELECT * FROM jsonb_to_recordset($1) AS r (program_id uuid, course_id uuid, position integer)",
        Value::from(rows.courses),
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "INSERT INTO program_tags (program_id, tag_id)
         SELECT DISTINCT r.program_id, t.id FROM jsonb_to_recordset($1) AS r (program_id uuid, tag text)
         JOIN tags t ON lower(t.name) = lower(r.tag)",
        Value::from(rows.tags),
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "INSERT INTO reviews (id, program_id, rating, title, comment, author_name, created_at)
         SELECT * FROM jsonb_to_recordset($1) AS r (id uuid, program_id uuid, rating smallint, title text,
             comment text, author_name text, created_at timestamptz)",
        Value::from(rows.reviews),
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE programs p SET avg_rating = (SELECT round(avg(rating), 1) FROM reviews WHERE program_id = p.id)
         WHERE p.id = ANY($1)",
        ids,
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn banners(db: &mut PgConnection, rows: Vec<Value>) -> JobResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO banners (id, organisation_id, title, image_url, link_url, position, starts_at, ends_at)
         SELECT * FROM jsonb_to_recordset($1) AS r (id uuid, organisation_id uuid, title text, image_url text,
             link_url text, position integer, starts_at timestamptz, ends_at timestamptz)
         ON CONFLICT (id) DO UPDATE SET organisation_id = excluded.organisation_id, title = excluded.title,
             image_url = excluded.image_url, link_url = excluded.link_url, position = excluded.position,
             starts_at = excluded.starts_at, ends_at = excluded.ends_at",
        Value::from(rows),
    )
    .execute(db)
    .await?;
    Ok(())
}
