-- A shop of {orders} orders, all of one organisation, with what comes with them in time. Without triggers and foreign keys, which would take
-- minutes. Ids tell their kind and number.
SET session_replication_role = replica;
CREATE TEMP TABLE shop AS SELECT id FROM organisations WHERE short_name = 'northwind';
CREATE FUNCTION pg_temp.id(kind integer, nth bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex(nth), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') || '8' || lpad('0', 15, '0'))::uuid $$;
CREATE FUNCTION pg_temp.at(nth bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT now() - interval '400 days' * (1.0001 - nth::float8 / {orders}) $$;

INSERT INTO courses (id, organisation_id, openedx_course_id, display_name, short_description, overview, number, self_paced, is_published,
    hidden, is_invite_only, flagged_new, has_any_active_web_certificate, created_at)
SELECT pg_temp.id(1, n), shop.id, 'course-v1:Big+C' || n || '+R', md5(n::text) || ' in ' || md5((n % 400)::text), 's', 'o', 'C' || n, true, true,
    false, false, false, false, now()
FROM generate_series(1, {orders} / 2) n, shop;
INSERT INTO course_modes (course_id, slug, display_name, price, currency, price_order, visible)
SELECT pg_temp.id(1, n), slug, slug, 4900, 'USD', 49, true FROM generate_series(1, {orders} / 2) n, unnest(ARRAY['audit', 'verified']) slug;

INSERT INTO programs (id, organisation_id, name, description, about, achievements, is_invite_only, is_published, created_at)
SELECT pg_temp.id(13, n), shop.id, 'p' || n, '', '', '', false, true, now() FROM generate_series(1, 10) n, shop;
INSERT INTO program_courses (program_id, course_id, position)
SELECT pg_temp.id(13, 1 + n % 10), pg_temp.id(1, n), n FROM generate_series(1, 40) n;

INSERT INTO learners (id, platform_user_id, username, email, name, created_at, updated_at, retirement_checked_at, retirement_due_at)
SELECT pg_temp.id(2, n), 1000000000 + n, 'u' || n, 'l' || n || '@big.example', 'L', now(), now(), now(), now() + interval '1 day' FROM generate_series(1, {orders}) n;

-- The last twentieth is of one buyer. Of ten: five paid, one on account and still unpaid, two held, one cancelled, one expired.
CREATE TEMP TABLE sold AS
SELECT n, n % 10 AS kind, pg_temp.id(3, n) AS cart, pg_temp.id(4, n) AS payment, pg_temp.id(1, 1 + n % ({orders} / 10)) AS course, pg_temp.at(n) AS at,
    least(n, {orders} - {orders} / 20) AS person, 'l' || least(n, {orders} - {orders} / 20) || '@big.example' AS email,
    (ARRAY['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'held', 'held', 'cancelled', 'expired'])[1 + n % 10] AS state
FROM generate_series(1, {orders}) n;
INSERT INTO carts (id, kind, buyer, email, learner_id, organisation_id, state, basket_hash, currency, total, created_at, paid_at, fulfilled_at)
SELECT cart, 'discovery', 1000000000 + person, email, pg_temp.id(2, person), shop.id, state, decode(md5(n::text), 'hex'), 'USD', 4900, at,
    CASE WHEN kind < 5 THEN at + interval '1 minute' END, CASE WHEN kind < 6 THEN at + interval '1 minute' END
FROM sold, shop;
INSERT INTO cart_items (cart_id, position, course_id, name, mode, original_price, discount_pct, price)
SELECT cart, 0, course, 'c', 'verified', 4900, 0, 4900 FROM sold;
INSERT INTO cart_courses (cart_id, course_id, mode, position) SELECT cart, course, 'verified', 0 FROM sold WHERE kind <= 7;
INSERT INTO transactions (id, cart_id, organisation_id, gateway, state, amount, currency, discount_pct, original_price, provider_request,
    provider_reference, created_at, updated_at, on_account, due_on, dead_at)
SELECT payment, cart, shop.id, CASE kind WHEN 5 THEN 'external' ELSE 'stripe' END,
    CASE kind WHEN 5 THEN 'processing' WHEN 8 THEN 'cancelled' ELSE 'succeeded' END, 4900, 'USD', 0, 4900, '{}', 'pi_' || n, at, at,
    CASE kind WHEN 5 THEN 'now' END, CASE kind WHEN 5 THEN at::date END, CASE kind WHEN 8 THEN at END
FROM sold, shop WHERE kind <= 5 OR kind = 8;
INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway, provider_reference, received_at)
SELECT at + interval '1 minute', shop.id, 'captured', cart, payment, 4900, 'USD', 'stripe', 'pi_' || n, at + interval '1 minute' FROM sold, shop WHERE kind < 5 ORDER BY at;
INSERT INTO inbox (gateway, organisation_id, event_id, type, body, transaction_id, received_at, processed_at, reference, transaction_hint)
SELECT 'stripe', shop.id, 'evt_' || n, 'payment_intent.succeeded', '{}', payment, at, at, 'pi_' || n, payment FROM sold, shop WHERE kind < 5;
INSERT INTO audit_log (at, entity, entity_id, actor, command_id, from_state, to_state)
SELECT at, entity, CASE entity WHEN 'cart' THEN cart WHEN 'transaction' THEN payment ELSE pg_temp.id(5, n) END, 'guest', pg_temp.id(9, n), f, t
FROM sold, (VALUES ('cart', NULL, 'pending_payment'), ('cart', 'pending_payment', 'paid'), ('cart', 'paid', 'fulfilled'),
                   ('transaction', NULL, 'created'), ('transaction', 'created', 'succeeded'), ('enrollment', NULL, 'enrolled')) m (entity, f, t)
WHERE kind < 5;

-- Each paid order opens a course; a fifth of all addresses waits to register.
INSERT INTO enrollments (id, email, course_id, learner_id, state, mode, platform_state, platform_synced_at, created_at, updated_at)
SELECT pg_temp.id(5, n), CASE WHEN kind < 6 THEN email ELSE 'w' || n || '@big.example' END, course,
    CASE WHEN kind < 6 THEN pg_temp.id(2, person) END, CASE WHEN kind < 6 THEN 'enrolled' ELSE 'pending_registration' END, 'verified',
    CASE WHEN kind < 6 THEN 'synced' ELSE 'queued' END, at, at, at
FROM sold WHERE kind <= 7 ON CONFLICT DO NOTHING;
INSERT INTO enrollment_grants (id, enrollment_id, source, cart_id, mode, granted_at)
SELECT pg_temp.id(6, n), pg_temp.id(5, n), CASE WHEN kind < 6 THEN 'cart' ELSE 'partner' END, CASE WHEN kind < 6 THEN cart END, 'verified', at
FROM sold WHERE kind <= 7;

INSERT INTO vouchers (id, organisation_id, code, kind, percent, currency, valid_from, created_at)
SELECT pg_temp.id(7, n), shop.id, 'BIG' || n, 'percent', 10, 'USD', now(), now() - interval '1 day' + interval '1 millisecond' * n
FROM generate_series(1, {orders} / 10) n, shop;
INSERT INTO voucher_uses (cart_id, voucher_id, email, discount, state, at)
SELECT cart, pg_temp.id(7, CASE WHEN n % 2 = 0 THEN 1 ELSE 1 + n % ({orders} / 10) END), email, 100, 'used', at FROM sold WHERE kind < 2;
INSERT INTO voucher_sums (voucher_id, part, uses, spent)
SELECT v.id, 0, count(u.cart_id), coalesce(sum(u.discount), 0) FROM vouchers v LEFT JOIN voucher_uses u ON u.voucher_id = v.id GROUP BY v.id;
INSERT INTO withdrawals (id, organisation_id, state, proof, named_order, email, name, declared_at, waits_since, waits_because)
SELECT pg_temp.id(8, n), shop.id, 'unmatched', 'none', 'x', 'l' || n || '@big.example', 'n', pg_temp.at(n), pg_temp.at(n), 'no order'
FROM generate_series(1, {orders} / 10) n, shop;

INSERT INTO events (id, organisation_id, type, data, at, position)
SELECT pg_temp.id(10, n), shop.id, (ARRAY['order.paid', 'order.fulfilled', 'enrollment.changed', 'order.pending', 'order.closed'])[1 + n % 5], '{}',
    now() - interval '20 days' + interval '1 millisecond' * n, 1000 + n
FROM generate_series(1, {orders} * 5) n, shop;
UPDATE event_positions SET last = 1000 + {orders} * 5;
INSERT INTO webhook_endpoints (id, organisation_id, url, types, created_at, lease_id, lease_until)
SELECT pg_temp.id(11, 1), shop.id, 'https://receiver.example/', ARRAY['order.paid'], now(), pg_temp.id(12, 1), now() + interval '1 day' FROM shop;
INSERT INTO webhook_deliveries (endpoint_id, event_id, at, next_attempt_at)
SELECT pg_temp.id(11, 1), pg_temp.id(10, n * 5), now() - interval '1 day', now() - interval '1 day' + interval '1 millisecond' * n
FROM generate_series(1, {orders} / 10) n;
UPDATE registration_searches SET searched_to = now();
SET session_replication_role = origin;
DROP TABLE shop, sold;
