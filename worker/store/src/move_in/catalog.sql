-- The records of the site's courses that the catalog lacks, as `catalog import` reads them: one for each course, or product without one.

SELECT json_strip_nulls(json_build_object(
    'kind', 'course', 'id', md5(format('move-in course %s', p.course))::uuid, 'organisation', run.short_name,
    'openedx_course_id', p.course, 'display_name', min(p.course_name), 'short_description', '', 'overview', '',
    'number', coalesce(substring(p.course FROM '[+/]([^+/]+)[+/]'), p.course), 'self_paced', false, 'is_published', false, 'hidden', true,
    'created_at', to_char(run.now AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    'modes', (
        SELECT json_agg(json_strip_nulls(json_build_object(
            'modeSlug', m.mode, 'modeDisplayName', initcap(replace(m.mode, '-', ' ')), 'minPrice', coalesce(m.price, 0),
            'currency', m.currency, 'expirationDatetime', to_char(m.expires AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'sku', m.sku, 'bulkSku', (SELECT min(b.sku) FROM old_products b
                                      WHERE b.course = p.course AND b.mode = m.mode AND b.class = 'enrollment-code'))) ORDER BY m.mode)
        FROM (SELECT DISTINCT ON (s.mode) s.mode, s.price, s.currency, s.expires, s.sku FROM old_products s
              WHERE s.course = p.course AND s.class IN ('seat', 'course-entitlement') AND s.mode = ANY (run.modes)
              -- Seats of the mobile apps are further products of the same course and mode, and so is a credit of another provider.
              ORDER BY s.mode, s.sku LIKE 'mobile.%', s.id) m)))::text
FROM run, (
    SELECT o.course, o.course_name FROM old_products o JOIN run r ON r.partner_id = o.partner_id WHERE o.class IN ('seat', 'course-entitlement')
    UNION SELECT l.course, l.title FROM old_lines l JOIN old_facts f ON f.id = l.order_id WHERE l.is_gone AND NOT f.is_coupon_sale) p
WHERE NOT EXISTS (SELECT FROM courses c WHERE c.openedx_course_id = p.course)
GROUP BY p.course, run.short_name, run.now, run.modes
ORDER BY p.course
