-- Discounts for buying all courses of a program, each as the price that the program gets here, or the reason why it gets none.

CREATE TEMP TABLE old_program_prices AS
SELECT o.name, o.program, o.value || CASE WHEN o.is_percent THEN ' percent' ELSE ' ' || run.currency END AS discount, p.id AS program_id, run.currency, o.until,
       -- The former shop rounds a percentage down.
       round(CASE WHEN o.is_percent THEN c.price - trunc(c.price * o.value / 100, k.digits) ELSE greatest(c.price - o.value, 0) END, k.digits) AS price,
       CASE
           WHEN NOT o.is_valid THEN 'it is not valid today'
           WHEN o.is_percent IS NULL OR o.value IS NULL OR o.value <= 0 OR (o.is_percent AND o.value > 100)
               THEN 'its discount is unknown'
           WHEN count(*) FILTER (WHERE o.is_valid) OVER (PARTITION BY o.program) > 1 THEN 'the program has several discounts'
           WHEN p.id IS NULL THEN 'the catalog has no such program'
           WHEN p.price IS NOT NULL THEN 'the program has a price'
           WHEN c.price IS NULL THEN 'the program has no courses'
           WHEN c.unclear IS NOT NULL THEN format('%s does not have one paid mode in %s', c.unclear, run.currency)
           WHEN NOT o.is_percent AND trunc(o.value, k.digits) <> o.value THEN format('its amount has more decimals than %s', run.currency)
           WHEN CASE WHEN o.is_percent THEN o.value = 100 ELSE o.value >= c.price END THEN 'the program would be free'
       END AS refusal
FROM run
JOIN LATERAL (
    SELECT *, CASE WHEN benefit LIKE '%Percentage%' THEN true WHEN benefit LIKE '%Absolute%' THEN false END AS is_percent,
           coalesce(status, 'Open') = 'Open' AND coalesce("from" <= run.now, true) AND coalesce(until >= run.now, true) AS is_valid
    FROM old_program_offers WHERE partner_id = run.partner_id OR partner_id IS NULL) o ON true
LEFT JOIN currencies k ON k.code = run.currency
LEFT JOIN programs p ON replace(p.id::text, '-', '') = lower(replace(o.program, '-', '')) AND p.organisation_id = run.organisation_id
LEFT JOIN LATERAL (
    SELECT sum(m.price) AS price, min(m.course) FILTER (WHERE m.modes <> 1) AS unclear FROM (
        SELECT c.openedx_course_id AS course, count(x.slug) AS modes, coalesce(min(x.price_order), 0) AS price
        FROM program_courses pc JOIN courses c ON c.id = pc.course_id
        -- Credit is sold beside a program, not in it.
        LEFT JOIN course_modes x ON x.course_id = c.id AND x.visible AND x.price > 0 AND x.slug <> 'credit' AND x.currency = run.currency
            AND coalesce(x.expires_at > run.now, true)
        WHERE pc.program_id = p.id GROUP BY c.id) m) c ON true;
