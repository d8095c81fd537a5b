-- What becomes of each code of the site's seller that still has uses: it becomes a voucher or a seat, or the reason why not.

CREATE TEMP TABLE old_fates AS
WITH scope AS (
    -- A voucher here is for all modes of a course: the codes of a range that leaves a paid mode out would open more than they did.
    SELECT r.id AS range_id, array_agg(DISTINCT c.id) FILTER (WHERE c.id IS NOT NULL) AS courses,
           min(r.course) FILTER (WHERE c.id IS NULL) AS missing,
           min(m.slug || ' of ' || r.course) AS other_mode
    FROM run CROSS JOIN old_ranges r LEFT JOIN courses c ON c.openedx_course_id = r.course AND c.organisation_id = run.organisation_id
    LEFT JOIN course_modes m ON m.course_id = c.id AND m.price > 0
        AND NOT EXISTS (SELECT FROM old_ranges o WHERE o.id = r.id AND o.course = r.course AND o.mode = m.slug)
    GROUP BY r.id),
offers AS (SELECT id, count(*) AS n FROM old_codes GROUP BY id),
refunded AS (
    SELECT DISTINCT x.order_id, x.position FROM old_refund_lines x JOIN old_refunds r ON r.id = x.refund_id AND r.is_paid_back),
terms AS (
    SELECT o.*, upper(o.code) AS folded, f.n AS offers, s.courses, s.missing, s.other_mode, p.id AS program_id,
           t.refusal AS order_refusal, k.email, k.buyer, k.state, k.id IS NOT NULL AS is_here, l.mode AS seat_mode, c.id AS seat_course,
           m.slug AS sold_mode, b.order_id IS NOT NULL AS is_over,
           coalesce(o.kind, CASE WHEN o.benefit LIKE '%Percentage%' THEN 'Percentage' WHEN o.benefit LIKE '%Absolute%' THEN 'Absolute' END) AS value_kind
    FROM run CROSS JOIN old_codes o JOIN offers f ON f.id = o.id
    LEFT JOIN scope s ON s.range_id = o.range_id
    LEFT JOIN programs p ON replace(p.id::text, '-', '') = lower(replace(o.program, '-', '')) AND p.organisation_id = run.organisation_id
    LEFT JOIN old_facts t ON t.id = o.order_id
    LEFT JOIN carts k ON k.id = t.cart_id
    LEFT JOIN old_lines l ON l.id = o.line_id
    LEFT JOIN refunded b ON (b.order_id, b.position) = (o.order_id, o.position)
    LEFT JOIN courses c ON c.openedx_course_id = l.course AND c.organisation_id = run.organisation_id
    LEFT JOIN course_modes m ON m.course_id = c.id AND m.slug = l.mode
    WHERE CASE WHEN o.line_id IS NULL THEN coalesce(o.partner_id, run.partner_id) = run.partner_id ELSE t.id IS NOT NULL END)
SELECT t.*, md5(format('move-in %s code %s', run.site, t.id))::uuid AS voucher_id, t.limit_of_uses - t.used AS uses_left,
       CASE
           WHEN t.used >= t.limit_of_uses THEN 'used up'
           WHEN t.until < run.now THEN 'over'
           WHEN t.offers > 1 THEN 'it has several offers'
           WHEN t.folded !~ '^[A-Z0-9_-]{3,40}$' THEN 'a code here has 3 to 40 letters A to Z, digits, - and _'
           WHEN EXISTS (SELECT FROM vouchers v WHERE v.organisation_id = run.organisation_id AND v.code = t.folded
                        AND v.id <> md5(format('move-in %s code %s', run.site, t.id))::uuid) THEN 'there is a voucher with this code'
           WHEN t.line_id IS NOT NULL THEN CASE
               WHEN t.order_refusal IS NOT NULL THEN 'its order is left out'
               WHEN t.is_over THEN 'its line was refunded'
               WHEN t.sold_mode IS NULL THEN 'the catalog does not have its course in its mode' END
           WHEN t.partner_id IS NULL THEN 'its seller is unknown'
           WHEN t.usage = 'Multi-use-per-Customer' THEN 'only one person may use it, several times'
           WHEN t.usage NOT IN ('Single use', 'Multi-use', 'Once per customer') THEN format('its usage is %s', t.usage)
           WHEN coalesce(t.domains, '') <> '' THEN format('it is for addresses of %s alone', t.domains)
           WHEN coalesce(t.query, '') <> '' OR t.catalog IS NOT NULL
               THEN format('only the discovery service knows its courses: %s', coalesce(nullif(t.query, ''), 'catalog ' || t.catalog))
           WHEN t.program IS NOT NULL AND t.program_id IS NULL THEN format('the catalog has no program %s', t.program)
           WHEN t.program IS NULL AND t.range_id IS NULL THEN 'it names no courses'
           WHEN t.program IS NULL AND t.missing IS NOT NULL THEN format('the catalog has no course %s', t.missing)
           WHEN t.program IS NULL AND t.courses IS NULL THEN 'it names no courses'
           WHEN t.program IS NULL AND t.other_mode IS NOT NULL THEN format('it is not for %s, and a voucher is for all modes of a course', t.other_mode)
           WHEN t.value_kind IS NULL OR t.value IS NULL OR t.value <= 0 THEN 'its discount is unknown'
           WHEN t.value_kind = 'Percentage' AND t.value > 100 THEN format('%s percent is more than 100', t.value)
           WHEN t.value_kind = 'Absolute' AND (SELECT p.currency FROM old_products p WHERE p.id = t.coupon_id) <> run.currency
               THEN format('its amount is not in %s', run.currency)
           WHEN t.value_kind = 'Absolute' AND trunc(t.value * run.unit) <> t.value * run.unit
               THEN format('its amount has more decimals than %s', run.currency)
       END AS refusal
FROM run, terms t;
CREATE INDEX ON old_fates (voucher_id);
ANALYZE old_fates;

INSERT INTO findings
SELECT DISTINCT 'code', code, refusal FROM old_fates WHERE refusal IS NOT NULL AND refusal NOT IN ('used up', 'over');
