//! Catalog rows as records of a catalog file. The database builds the records, in one statement for each kind.

use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// Makes the transaction read-only, with one snapshot for all its reads.
pub async fn freeze(db: &mut PgConnection) -> JobResult<()> {
    sqlx::query!("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY").execute(&mut *db).await?;
    super::allow_idle(db).await
}

pub async fn organisations(db: &mut PgConnection) -> JobResult<Vec<Value>> {
    let rows = sqlx::query_scalar!(
        r#"SELECT to_jsonb(o) - ARRAY['configured', 'seller_since'] || '{"kind": "organisation"}' AS "line!"
           FROM organisations o ORDER BY created_at, id"#
    );
    Ok(rows.fetch_all(db).await?)
}

pub async fn platform_organisations(db: &mut PgConnection) -> JobResult<Vec<Value>> {
    let rows = sqlx::query_scalar!(
        r#"SELECT jsonb_build_object('kind', 'platform_organisation', 'org', p.org, 'organisation', o.short_name,
               'prices', p.prices) AS "line!"
           FROM platform_organisations p LEFT JOIN organisations o ON o.id = p.organisation_id ORDER BY lower(p.org)"#
    );
    Ok(rows.fetch_all(db).await?)
}

pub async fn policies(db: &mut PgConnection) -> JobResult<Vec<Value>> {
    let rows = sqlx::query_scalar!(
        r#"SELECT jsonb_build_object('kind', 'pricing_policy', 'organisation', o.short_name, 'enabled', p.enabled,
               'countries', (SELECT coalesce(jsonb_agg(jsonb_build_object('country', c.country,
                   'percent_off', c.percent_off::text, 'display_currency', c.display_currency) ORDER BY c.country), '[]')
                   FROM pricing_policy_countries c WHERE c.organisation_id = o.id)) AS "line!"
           FROM pricing_policies p JOIN organisations o ON o.id = p.organisation_id ORDER BY o.created_at, o.id"#
    );
    Ok(rows.fetch_all(db).await?)
}

pub async fn tax_rates(db: &mut PgConnection) -> JobResult<Vec<Value>> {
    let rows = sqlx::query_scalar!(
        r#"SELECT jsonb_build_object('kind', 'tax_rate', 'organisation', o.short_name, 'country', r.country, 'state', r.state,
               'postal_codes', r.postal_codes, 'valid_from', r.valid_from, 'components', r.components, 'note', r.note) AS "line!"
           FROM tax_rates r JOIN organisations o ON o.id = r.organisation_id
           ORDER BY o.created_at, o.id, r.country, r.state, r.valid_from"#
    );
    Ok(rows.fetch_all(db).await?)
}

pub async fn rates(db: &mut PgConnection) -> JobResult<Vec<Value>> {
    let rows = sqlx::query_scalar!(
        r#"SELECT jsonb_build_object('kind', 'exchange_rate', 'base', base, 'quote', quote, 'rate', rate::text,
               'as_of', as_of) AS "line!" FROM exchange_rates ORDER BY base, quote"#
    );
    Ok(rows.fetch_all(db).await?)
}

pub async fn tags(db: &mut PgConnection) -> JobResult<Vec<Value>> {
    let rows = sqlx::query_scalar!(
        r#"SELECT jsonb_build_object('kind', 'tag', 'name', name) AS "line!" FROM tags ORDER BY id"#
    );
    Ok(rows.fetch_all(db).await?)
}

/// The next batch of course ids, in order.
pub async fn course_ids(db: &mut PgConnection, after: Uuid, limit: i64) -> JobResult<Vec<Uuid>> {
    let ids = sqlx::query_scalar!("SELECT id FROM courses WHERE id > $1 ORDER BY id LIMIT $2", after, limit);
    Ok(ids.fetch_all(db).await?)
}

/// The records of these courses, ordered by id.
pub async fn courses(db: &mut PgConnection, ids: &[Uuid]) -> JobResult<Vec<Value>> {
    let rows = sqlx::query_scalar!(
        r#"SELECT jsonb_build_object('kind', 'course', 'id', c.id, 'organisation', o.short_name,
               'openedx_course_id', c.openedx_course_id, 'display_name', c.display_name,
               'short_description', c.short_description, 'overview', c.overview, 'display_image', c.image_url,
               'course_video_url', c.course_video_url, 'number', c.number, 'language', c.language,
               'self_paced', c.self_paced, 'effort', c.effort, 'is_published', c.is_published, 'hidden', c.hidden,
               'is_invite_only', c.is_invite_only, 'is_new', c.flagged_new, 'start', c.starts_at, 'end', c.ends_at,
               'start_display', c.advertised_start, 'enrollment_start', c.enrollment_start,
               'enrollment_end', c.enrollment_end, 'certificate_available_date', c.certificate_available_date,
               'has_any_active_web_certificate', c.has_any_active_web_certificate,
               'link_to_course', c.link_to_course, 'created_at', c.created_at,
               'total_minutes', c.total_minutes, 'capacity', c.capacity, 'service_code', c.service_code,
               'outline', x.outline, 'course_structure', x.structure)
             || jsonb_build_object(
               'tags', (SELECT coalesce(jsonb_agg(t.name ORDER BY lower(t.name)), '[]') FROM course_tags ct
                        JOIN tags t ON t.id = ct.tag_id WHERE ct.course_id = c.id),
               'modes', (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('sku', m.sku, 'bulkSku', m.bulk_sku, 'datedPrices', nullif(m.dated_prices, '[]'),
                        'accessDays', m.access_days, 'accessUntil', m.access_until))
                        || jsonb_build_object('modeSlug', m.slug,
                        'modeDisplayName', m.display_name, 'minPrice', m.price_order::text, 'currency', m.currency,
                        'expirationDatetime', m.expires_at, 'visible', m.visible, 'description', m.description,
                        'upsellableCourseModes', m.upsellable_course_modes) ORDER BY m.slug), '[]')
                        FROM course_modes m WHERE m.course_id = c.id),
               'reviews', (SELECT coalesce(jsonb_agg(to_jsonb(r) - 'course_id' - 'program_id' ORDER BY r.id), '[]')
                           FROM reviews r WHERE r.course_id = c.id)) AS "line!"
           FROM courses c JOIN organisations o ON o.id = c.organisation_id
           LEFT JOIN course_contents x ON x.course_id = c.id
           WHERE c.id = ANY($1) ORDER BY c.id"#,
        ids,
    );
    Ok(rows.fetch_all(db).await?)
}

pub async fn programs(db: &mut PgConnection) -> JobResult<Vec<Value>> {
    let rows = sqlx::query_scalar!(
        r#"SELECT jsonb_build_object('kind', 'program', 'id', p.id, 'organisation', o.short_name, 'name', p.name,
               'description', p.description, 'about', p.about, 'achievements', p.achievements,
               'duration', p.duration, 'duration_metric', p.duration_metric, 'image', p.image,
               'price', p.price_order::text, 'currency', p.currency, 'invite_only', p.is_invite_only,
               'published', p.is_published, 'created_at', p.created_at, 'service_code', p.service_code, 'dated_prices', p.dated_prices, 'access_days', p.access_days, 'access_until', p.access_until,
               'tags', (SELECT coalesce(jsonb_agg(t.name ORDER BY lower(t.name)), '[]') FROM program_tags pt
                        JOIN tags t ON t.id = pt.tag_id WHERE pt.program_id = p.id),
               'courses', (SELECT coalesce(jsonb_agg(c.openedx_course_id ORDER BY pc.position), '[]')
                           FROM program_courses pc JOIN courses c ON c.id = pc.course_id WHERE pc.program_id = p.id),
               'reviews', (SELECT coalesce(jsonb_agg(to_jsonb(r) - 'course_id' - 'program_id' ORDER BY r.id), '[]')
                           FROM reviews r WHERE r.program_id = p.id)) AS "line!"
           FROM programs p JOIN organisations o ON o.id = p.organisation_id ORDER BY p.created_at, p.id"#
    );
    Ok(rows.fetch_all(db).await?)
}

pub async fn banners(db: &mut PgConnection) -> JobResult<Vec<Value>> {
    let rows = sqlx::query_scalar!(
        r#"SELECT to_jsonb(b) - 'organisation_id' || jsonb_build_object('kind', 'banner', 'organisation', o.short_name)
               AS "line!" FROM banners b JOIN organisations o ON o.id = b.organisation_id ORDER BY b.position, b.id"#
    );
    Ok(rows.fetch_all(db).await?)
}
