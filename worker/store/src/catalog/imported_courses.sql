-- Writes courses with their modes, contents, tags and reviews; former modes, contents and reviews are deleted. $1 to $5 are
-- arrays of rows as JSON; $6 are the ids of the courses. A course gets its price, rating and tag ids in the same write: another UPDATE of them would enter the row into all indexes again.
WITH mode AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($2) AS r (course_id uuid, slug text, display_name text, price bigint,
        currency text, price_order numeric, expires_at timestamptz, visible boolean, description text,
        upsellable_course_modes text[], sku text, bulk_sku text, dated_prices jsonb, access_days integer,
        access_until timestamptz)
), review AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($5) AS r (id uuid, course_id uuid, rating smallint, title text, comment text,
        author_name text, created_at timestamptz)
), rated AS (
    SELECT course_id, round(avg(rating), 1) AS avg_rating, count(*)::integer AS review_count
    FROM review GROUP BY course_id
), tagged AS MATERIALIZED (
    SELECT DISTINCT r.course_id, t.id AS tag_id FROM jsonb_to_recordset($4) AS r (course_id uuid, tag text)
    JOIN tags t ON lower(t.name) = lower(r.tag)
), tags_of AS (
    SELECT course_id, array_agg(tag_id ORDER BY tag_id) AS tag_ids FROM tagged GROUP BY course_id
), written AS (
    INSERT INTO courses (id, organisation_id, openedx_course_id, display_name, short_description, overview,
         image_url, course_video_url, number, language, self_paced, effort, total_minutes, is_published, hidden,
         is_invite_only, flagged_new, starts_at, ends_at, advertised_start, enrollment_start, enrollment_end,
         certificate_available_date, has_any_active_web_certificate, link_to_course, created_at, capacity, service_code, price, currency,
         course_mode, price_order, next_mode_expiry, has_dated_prices, avg_rating, review_count, tag_ids)
     SELECT r.*, avg_rating, coalesce(review_count, 0), coalesce(tag_ids, '{}')
     FROM jsonb_to_recordset($1) AS r (id uuid, organisation_id uuid, openedx_course_id text,
         display_name text, short_description text, overview text, image_url text, course_video_url text,
         number text, language text, self_paced boolean, effort text, total_minutes integer,
         is_published boolean, hidden boolean, is_invite_only boolean, flagged_new boolean,
         starts_at timestamptz, ends_at timestamptz, advertised_start text, enrollment_start timestamptz,
         enrollment_end timestamptz, certificate_available_date timestamptz,
         has_any_active_web_certificate boolean, link_to_course text, created_at timestamptz, capacity integer,
         service_code jsonb, price bigint, currency text, course_mode text, price_order numeric, next_mode_expiry timestamptz,
         has_dated_prices boolean)
     LEFT JOIN rated ON rated.course_id = r.id
     LEFT JOIN tags_of ON tags_of.course_id = r.id
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
         link_to_course = excluded.link_to_course, created_at = excluded.created_at, capacity = excluded.capacity,
         service_code = excluded.service_code, price = excluded.price,
         currency = excluded.currency, course_mode = excluded.course_mode, price_order = excluded.price_order,
         next_mode_expiry = excluded.next_mode_expiry, has_dated_prices = excluded.has_dated_prices, avg_rating = excluded.avg_rating,
         review_count = excluded.review_count, tag_ids = excluded.tag_ids
), modes_written AS (
    INSERT INTO course_modes (course_id, slug, display_name, price, currency, price_order, expires_at, visible,
        description, upsellable_course_modes, sku, bulk_sku, dated_prices, access_days, access_until)
    SELECT * FROM mode
), contents_written AS (
    INSERT INTO course_contents (course_id, outline, structure)
    SELECT course_id, nullif(outline, 'null'), nullif(structure, 'null')
    FROM jsonb_to_recordset($3) AS r (course_id uuid, outline jsonb, structure jsonb)
), tags_deleted AS (
    -- Only those that the course has lost: the trigger on this table would take all of them from the course's row.
    DELETE FROM course_tags WHERE course_id = ANY($6)
        AND (course_id, tag_id) NOT IN (SELECT course_id, tag_id FROM tagged)
), tags_written AS (
    INSERT INTO course_tags (course_id, tag_id) SELECT course_id, tag_id FROM tagged ON CONFLICT DO NOTHING
)
INSERT INTO reviews (id, course_id, rating, title, comment, author_name, created_at)
SELECT * FROM review
