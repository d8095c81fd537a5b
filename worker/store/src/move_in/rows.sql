-- What the rows of an export say. What follows reads these tables.

ALTER TABLE export_site RENAME TO old_sites;

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
FROM export_product r
LEFT JOIN (SELECT DISTINCT partner_id, short_code FROM old_sites) p USING (partner_id);
CREATE INDEX ON old_products (id);
ANALYZE old_products;

CREATE TEMP TABLE old_orders AS
SELECT r.id, r.number, s.id AS site_id, s.short_code, r.user_id, r.status, r.currency, r.total, r.placed, r.vouchers, r.invoiced <> 0 AS invoiced
FROM export_order r
-- Old rows have no site, and some no seller: the number begins with the seller's short code.
LEFT JOIN old_sites s ON s.id = coalesce(r.site_id, (
    SELECT max(p.id) FROM old_sites p
    WHERE p.partner_id = r.partner_id OR r.partner_id IS NULL AND upper(p.short_code) = regexp_replace(r.number, '-[^-]*$', '')
    HAVING count(*) = 1));
CREATE UNIQUE INDEX ON old_orders (id);
ANALYZE old_orders;

CREATE TEMP TABLE old_lines AS
SELECT r.id, r.order_id, row_number() OVER (PARTITION BY r.order_id ORDER BY r.id) - 1 AS position, r.product_id, r.sku, r.title,
       r.quantity, r.before, r.paid, p.class, p.own_course, p.id IS NULL AS is_gone,
       coalesce(p.course, pg_temp.key_without_course(o.short_code, r.sku)) AS course,
       -- The title of a product that was deleted tells its mode.
       coalesce(p.mode, lower(substring(r.title FROM ' with (\S+) certificate')), 'audit') AS mode
FROM export_line r
LEFT JOIN old_products p ON p.id = r.product_id
LEFT JOIN old_orders o ON o.id = r.order_id;
CREATE INDEX ON old_lines (order_id);
ANALYZE old_lines;

ALTER TABLE export_payment RENAME TO old_payments;
CREATE INDEX ON old_payments (order_id);
ANALYZE old_payments;

-- A refund is found at the provider by the event of the order with its amount: nothing else leads from one to the other.
CREATE TEMP TABLE old_refunds AS
WITH refunds AS (
    SELECT r.*, r.status IN ('Complete', 'Payment Refunded', 'Revocation Error') AS is_paid_back
    FROM export_refund r),
numbered AS (
    SELECT *, row_number() OVER (PARTITION BY order_id, amount, is_paid_back ORDER BY id) AS nth FROM refunds),
events AS (
    SELECT r.*, row_number() OVER (PARTITION BY r.order_id, r.amount ORDER BY r.id) AS nth
    FROM export_refunded r)
SELECT r.id, r.order_id, r.status, r.amount, r.created, coalesce(e.at, r.changed) AS ended, r.is_paid_back, e.reference
FROM numbered r LEFT JOIN events e ON r.is_paid_back AND (e.order_id, e.amount, e.nth) = (r.order_id, r.amount, r.nth);
CREATE INDEX ON old_refunds (order_id);
ANALYZE old_refunds;

CREATE TEMP TABLE old_refund_lines AS
SELECT f.order_id, r.refund_id, l.position, sum(r.amount) AS amount
FROM export_refund_line r
JOIN old_refunds f ON f.id = r.refund_id JOIN old_lines l ON l.id = r.line_id AND l.order_id = f.order_id
GROUP BY f.order_id, r.refund_id, l.position;
CREATE INDEX ON old_refund_lines (refund_id);
CREATE INDEX ON old_refund_lines (order_id);
ANALYZE old_refund_lines;

-- Accounts of the course platform, and who had which of them in the old shop.

CREATE TEMP TABLE lms_accounts AS
SELECT r.id, r.username, lower(btrim(r.email)) AS email, coalesce(r.name, '') AS name, r.retired <> 0 AS is_retired
FROM export_account r;
CREATE INDEX ON lms_accounts (id);
CREATE INDEX ON lms_accounts (username);
ANALYZE lms_accounts;

CREATE TEMP TABLE old_people AS
WITH read AS (
    SELECT r.id, r.username, r.lms_id, substring(r.social FROM '"user_id": ?"?(\d{1,18})')::bigint AS social,
           substring(r.tracking FROM '"lms_user_id": ?"?(\d{1,18})')::bigint AS tracking
    FROM export_user r),
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
ANALYZE old_people;

CREATE TEMP TABLE lms_enrollments AS
SELECT r.user_id, r.course, r.mode, r.active <> 0 AS is_active
FROM export_enrollment r;
CREATE INDEX ON lms_enrollments (user_id, course);
ANALYZE lms_enrollments;

-- Codes --------------------------------------------------------------------------------------------------------------

CREATE TEMP TABLE old_codes AS
SELECT r.*, s.order_id, s.position, s.class AS line_class,
       CASE WHEN r.usage = 'Single use' THEN 1 ELSE coalesce(r.most, 10000) END AS limit_of_uses,
       CASE WHEN r.usage = 'Single use' THEN r.orders ELSE coalesce(r.applications, 0) END AS used
FROM export_code r
LEFT JOIN old_lines s ON s.id = r.line_id;
ANALYZE old_codes;

ALTER TABLE export_code_use RENAME TO old_code_uses;
CREATE INDEX ON old_code_uses (code_id);
ANALYZE old_code_uses;

CREATE TEMP TABLE old_ranges AS
SELECT DISTINCT r.id, p.id AS product_id, p.course, p.mode, p.sku, p.class
FROM export_range r JOIN old_products p ON p.id = r.product_id;
ANALYZE old_ranges;

ALTER TABLE export_program_offer RENAME TO old_program_offers;

CREATE TEMP TABLE old_baskets AS
SELECT r.*, upper(s.short_code) || '-' || 100000 + r.id AS number, p.processor, p.reference
FROM export_basket r
LEFT JOIN old_sites s ON s.id = r.site_id
LEFT JOIN (SELECT DISTINCT ON (a.basket_id) a.* FROM export_answer a ORDER BY a.basket_id, a.reference) p ON p.basket_id = r.id;

DROP TABLE export_product, export_user, export_order, export_line, export_refund, export_refund_line, export_refunded, export_code,
    export_range, export_basket, export_answer, export_account, export_enrollment;
