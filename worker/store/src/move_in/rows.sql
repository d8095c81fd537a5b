-- The lines of an export as typed tables of the session. What follows reads these.

CREATE TEMP TABLE old_sites AS
SELECT r.* FROM old_rows o, jsonb_to_record(o.row) AS r (id bigint, domain text, partner_id bigint, short_code text, name text)
WHERE o.kind = 'site';

-- A product without a course (an entitlement, a product that was deleted) gets a key of its own, under which the catalog file has it.
CREATE FUNCTION pg_temp.key_without_course(short_code text, sku text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'course-v1:' || regexp_replace(short_code, '[^A-Za-z0-9_-]', '_', 'g') || '+'
        || regexp_replace(coalesce(nullif(sku, ''), 'none'), '[^A-Za-z0-9_-]', '_', 'g') || '+former'
$$;

-- So does a course with a key of the old form, ORG/COURSE/RUN, which the catalog does not have.
CREATE FUNCTION pg_temp.catalog_key(course text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN course ~ '^[^/]+/[^/]+/[^/]+$'
        THEN regexp_replace(course, '^([^/]+)/([^/]+)/([^/]+)$', 'course-v1:\1+\2_\3+former') ELSE course END
$$;

CREATE TEMP TABLE old_products AS
SELECT r.id, r.class, r.title, r.partner_id, r.sku, r.price, r.currency, r.expires, r.course AS own_course,
       coalesce(pg_temp.catalog_key(r.course), pg_temp.key_without_course(p.short_code, r.sku)) AS course, coalesce(r.course_name, r.title) AS course_name,
       -- A seat has the one, an enrollment code the other.
       CASE coalesce(nullif(r.seat_type, ''), r.certificate, '')
           WHEN '' THEN 'audit'
           WHEN 'professional' THEN CASE r.verified_id WHEN 1 THEN 'professional' ELSE 'no-id-professional' END
           ELSE coalesce(nullif(r.seat_type, ''), r.certificate) END AS mode
FROM old_rows o, jsonb_to_record(o.row) AS r (
    id bigint, class text, title text, course text, course_name text, partner_id bigint, sku text, price numeric, currency text,
    expires timestamptz, certificate text, verified_id integer, seat_type text, uuid text)
LEFT JOIN (SELECT DISTINCT partner_id, short_code FROM old_sites) p USING (partner_id)
WHERE o.kind = 'product';
CREATE INDEX ON old_products (id);

CREATE TEMP TABLE old_orders AS
SELECT r.id, r.number, s.id AS site_id, s.short_code, r.user_id, r.status, r.currency, r.total, r.placed, r.vouchers, r.invoiced <> 0 AS invoiced
FROM old_rows o, jsonb_to_record(o.row) AS r (
    id bigint, number text, site_id bigint, partner_id bigint, user_id bigint, status text, currency text, total numeric,
    placed timestamptz, invoiced integer, vouchers text)
-- Old rows have no site, and some no seller: the number begins with the seller's short code.
LEFT JOIN old_sites s ON s.id = coalesce(r.site_id, (
    SELECT max(p.id) FROM old_sites p
    WHERE p.partner_id = r.partner_id OR r.partner_id IS NULL AND upper(p.short_code) = regexp_replace(r.number, '-[^-]*$', '')
    HAVING count(*) = 1))
WHERE o.kind = 'order';
CREATE UNIQUE INDEX ON old_orders (id);

CREATE TEMP TABLE old_lines AS
SELECT r.id, r.order_id, row_number() OVER (PARTITION BY r.order_id ORDER BY r.id) - 1 AS position, r.product_id, r.sku, r.title,
       r.quantity, r.before, r.paid, p.class, p.own_course, p.id IS NULL AS is_gone,
       coalesce(p.course, pg_temp.key_without_course(o.short_code, r.sku)) AS course,
       -- The title of a product that was deleted tells its mode.
       coalesce(p.mode, lower(substring(r.title FROM ' with (\S+) certificate')), 'audit') AS mode
FROM old_rows l, jsonb_to_record(l.row) AS r (
    id bigint, order_id bigint, product_id bigint, sku text, title text, quantity integer, before numeric, paid numeric)
LEFT JOIN old_products p ON p.id = r.product_id
LEFT JOIN old_orders o ON o.id = r.order_id
WHERE l.kind = 'line';
CREATE INDEX ON old_lines (order_id);

CREATE TEMP TABLE old_payments AS
SELECT r.* FROM old_rows o, jsonb_to_record(o.row) AS r (
    id bigint, order_id bigint, processor text, reference text, currency text, debited numeric, refunded numeric)
WHERE o.kind = 'payment';
CREATE INDEX ON old_payments (order_id);

-- A refund is found at the provider by the event of the order with its amount: nothing else leads from one to the other.
CREATE TEMP TABLE old_refunds AS
WITH refunds AS (
    SELECT r.*, r.status IN ('Complete', 'Payment Refunded', 'Revocation Error') AS is_paid_back
    FROM old_rows o, jsonb_to_record(o.row) AS r (
        id bigint, order_id bigint, status text, amount numeric, created timestamptz, changed timestamptz)
    WHERE o.kind = 'refund'),
numbered AS (
    SELECT *, row_number() OVER (PARTITION BY order_id, amount, is_paid_back ORDER BY id) AS nth FROM refunds),
events AS (
    SELECT r.*, row_number() OVER (PARTITION BY r.order_id, r.amount ORDER BY r.id) AS nth
    FROM old_rows o, jsonb_to_record(o.row) AS r (id bigint, order_id bigint, amount numeric, reference text, at timestamptz)
    WHERE o.kind = 'refunded')
SELECT r.id, r.order_id, r.status, r.amount, r.created, coalesce(e.at, r.changed) AS ended, r.is_paid_back, e.reference
FROM numbered r LEFT JOIN events e ON r.is_paid_back AND (e.order_id, e.amount, e.nth) = (r.order_id, r.amount, r.nth);
CREATE INDEX ON old_refunds (order_id);

CREATE TEMP TABLE old_refund_lines AS
SELECT f.order_id, r.refund_id, l.position, sum(r.amount) AS amount
FROM old_rows o, jsonb_to_record(o.row) AS r (refund_id bigint, line_id bigint, amount numeric)
JOIN old_refunds f ON f.id = r.refund_id JOIN old_lines l ON l.id = r.line_id AND l.order_id = f.order_id
WHERE o.kind = 'refund_line' GROUP BY f.order_id, r.refund_id, l.position;
CREATE INDEX ON old_refund_lines (refund_id);
CREATE INDEX ON old_refund_lines (order_id);

-- Accounts of the course platform, and who had which of them in the old shop.

CREATE TEMP TABLE lms_accounts AS
SELECT r.id, r.username, lower(btrim(r.email)) AS email, coalesce(r.name, '') AS name, r.retired <> 0 AS is_retired
FROM old_rows o, jsonb_to_record(o.row) AS r (id bigint, username text, email text, name text, retired integer)
WHERE o.kind = 'account';
CREATE INDEX ON lms_accounts (id);
CREATE INDEX ON lms_accounts (username);

CREATE TEMP TABLE old_people AS
WITH read AS (
    SELECT r.id, r.username, r.lms_id, substring(r.social FROM '"user_id": ?"?(\d{1,18})')::bigint AS social,
           substring(r.tracking FROM '"lms_user_id": ?"?(\d{1,18})')::bigint AS tracking
    FROM old_rows o, jsonb_to_record(o.row) AS r (id bigint, username text, lms_id bigint, social text, tracking text)
    WHERE o.kind = 'user'),
known AS (SELECT *, coalesce(lms_id, social, tracking) AS known_id FROM read),
found AS (
    SELECT k.id AS person, a.* FROM known k JOIN lms_accounts a ON a.id = k.known_id
    UNION ALL SELECT k.id, a.* FROM known k JOIN lms_accounts a ON a.username = k.username WHERE k.known_id IS NULL)
SELECT r.id, r.username, coalesce(r.known_id, a.id) AS lms_id,
       CASE WHEN r.lms_id IS NOT NULL THEN 'column' WHEN r.social IS NOT NULL THEN 'social_auth'
            WHEN r.tracking IS NOT NULL THEN 'tracking_context' WHEN a.id IS NOT NULL THEN 'username' END AS id_from,
       a.id IS NOT NULL AS is_found, a.is_retired, a.username AS lms_username, a.name,
       -- An address belongs to one account: to that with the lowest id.
       CASE WHEN a.id = min(a.id) FILTER (WHERE NOT a.is_retired) OVER (PARTITION BY a.email) THEN nullif(a.email, '') END AS email
FROM known r LEFT JOIN found a ON a.person = r.id;
CREATE UNIQUE INDEX ON old_people (id);

CREATE TEMP TABLE lms_enrollments AS
SELECT r.user_id, r.course, r.mode, r.active <> 0 AS is_active
FROM old_rows o, jsonb_to_record(o.row) AS r (user_id bigint, course text, mode text, active integer)
WHERE o.kind = 'enrollment';
CREATE INDEX ON lms_enrollments (user_id, course);

-- Codes --------------------------------------------------------------------------------------------------------------

CREATE TEMP TABLE old_codes AS
SELECT r.*, s.order_id, s.position, s.class AS line_class,
       CASE WHEN r.usage = 'Single use' THEN 1 ELSE coalesce(r.most, 10000) END AS limit_of_uses,
       CASE WHEN r.usage = 'Single use' THEN r.orders ELSE coalesce(r.applications, 0) END AS used
FROM old_rows o, jsonb_to_record(o.row) AS r (
    id bigint, code text, usage text, "from" timestamptz, until timestamptz, orders integer, offer_id bigint, applications integer,
    most integer, most_each integer, domains text, kind text, value numeric, benefit text, program text, range_id bigint, query text,
    catalog bigint, coupon_id bigint, coupon text, partner_id bigint, line_id bigint)
LEFT JOIN old_lines s ON s.id = r.line_id
WHERE o.kind = 'code';

CREATE TEMP TABLE old_code_uses AS
SELECT r.* FROM old_rows o, jsonb_to_record(o.row) AS r (id bigint, code_id bigint, order_id bigint) WHERE o.kind = 'code_use';
CREATE INDEX ON old_code_uses (code_id);

CREATE TEMP TABLE old_ranges AS
SELECT DISTINCT r.id, p.id AS product_id, p.course, p.mode, p.sku, p.class
FROM old_rows o, jsonb_to_record(o.row) AS r (id bigint, product_id bigint) JOIN old_products p ON p.id = r.product_id
WHERE o.kind = 'range';

CREATE TEMP TABLE old_program_offers AS
SELECT r.* FROM old_rows o, jsonb_to_record(o.row) AS r (
    id bigint, name text, partner_id bigint, program text, benefit text, value numeric, "from" timestamptz, until timestamptz, status text)
WHERE o.kind = 'program_offer';

CREATE TEMP TABLE old_baskets AS
SELECT r.*, upper(s.short_code) || '-' || 100000 + r.id AS number, p.processor, p.reference
FROM old_rows o, jsonb_to_record(o.row) AS r (id bigint, site_id bigint, user_id bigint, status text, created timestamptz, skus text)
LEFT JOIN old_sites s ON s.id = r.site_id
LEFT JOIN (SELECT DISTINCT ON (a.basket_id) a.* FROM old_rows x, jsonb_to_record(x.row) AS a (basket_id bigint, processor text, reference text)
           WHERE x.kind = 'answer' ORDER BY a.basket_id, a.reference) p ON p.basket_id = r.id
WHERE o.kind = 'basket';

DROP TABLE old_rows;
ANALYZE old_products; ANALYZE old_orders; ANALYZE old_lines; ANALYZE old_payments; ANALYZE old_refunds; ANALYZE old_refund_lines;
ANALYZE lms_accounts; ANALYZE old_people; ANALYZE lms_enrollments; ANALYZE old_codes; ANALYZE old_code_uses; ANALYZE old_ranges;
