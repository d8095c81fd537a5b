-- Rows as two years of a shop leave them: {orders} orders, nine tenths of them of one organisation. Each part begins with a line that names
-- it. {now} is the time of the measurement.

-- part: definitions
-- Ids rise with time, as those of the programs do.
CREATE FUNCTION pg_temp.id(at timestamptz, kind integer, nth bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM at)::float8 * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') || '8'
            || lpad(to_hex(nth), 15, '0'))::uuid $$;
-- When the nth order came.
CREATE FUNCTION pg_temp.at(nth bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT '{now}'::timestamptz - interval '700 days' * (1.001 - nth::float8 / {orders}) $$;
-- Addresses come in no order.
CREATE FUNCTION pg_temp.email(person bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT substr(md5(person::text), 1, 12) || '.' || person || '@example.com' $$;
CREATE TEMP TABLE shop AS SELECT id FROM organisations WHERE short_name = 'northwind';

-- part: courses of one owner
INSERT INTO courses (id, organisation_id, openedx_course_id, display_name, short_description, overview, number, self_paced, is_published,
    hidden, is_invite_only, flagged_new, has_any_active_web_certificate, created_at)
SELECT pg_temp.id('{now}', 10, n), shop.id, 'course-v1:Big+C' || n || '+R', md5(n::text) || ' in ' || md5((n % 400)::text), 's', 'o', 'C' || n,
    true, true, false, false, false, false, pg_temp.at(n)
FROM generate_series(1, {orders} * 9 / 100) n, shop;
INSERT INTO course_modes (course_id, slug, display_name, price, currency, price_order, visible)
SELECT pg_temp.id('{now}', 10, n), slug, slug, 4900, 'USD', 49, true
FROM generate_series(1, {orders} * 9 / 100) n, unnest(ARRAY['professional', 'verified']) slug;
CREATE TEMP TABLE offers AS
    SELECT true AS is_big, n - 1 AS nth, pg_temp.id('{now}', 10, n) AS course_id, 'verified' AS mode, shop.id AS organisation_id, 'Course ' || n AS name,
           'stripe' AS gateway
    FROM generate_series(1, {orders} * 9 / 100) n, shop
    UNION ALL
    SELECT false, row_number() OVER (ORDER BY course_id) - 1, course_id, mode, organisation_id, name, gateway
    FROM (SELECT DISTINCT ON (m.course_id) m.course_id, m.slug AS mode, c.organisation_id, c.display_name AS name,
                 coalesce(o.gateway, 'stripe') AS gateway
          FROM course_modes m JOIN courses c ON c.id = m.course_id JOIN organisations o ON o.id = c.organisation_id
          WHERE m.expires_at IS NULL AND c.openedx_course_id NOT LIKE 'course-v1:Big+%' ORDER BY m.course_id, m.slug) offered;
ANALYZE offers;

-- part: learners, four fifths of the buyers
INSERT INTO learners (id, platform_user_id, username, email, name, created_at, updated_at, retirement_checked_at, retirement_due_at)
SELECT pg_temp.id(pg_temp.at(n), 1, n), 1000000000 + n, 'learner' || n, pg_temp.email(n), 'Learner ' || n, pg_temp.at(n), pg_temp.at(n),
       '{now}', '{now}'::timestamptz + interval '7 days' * random()
FROM generate_series(0, {orders} - 1) n WHERE n % 10 NOT IN (6, 7);

-- part: carts: of ten, five paid, one free, two of unregistered addresses, one cancelled, one never checked out
CREATE TEMP TABLE sold AS
    SELECT n, kind, person, pg_temp.id(at, 4, n) AS id, pg_temp.id(at, 6, n) AS transaction_id, pg_temp.id(pg_temp.at(person), 1, person) AS learner_id,
           pg_temp.email(person) AS email, o.course_id, o.organisation_id, o.name, o.mode, o.gateway, o.is_big,
           CASE kind WHEN 'held' THEN 'held' WHEN 'cancelled' THEN 'cancelled' WHEN 'expired' THEN 'expired' ELSE 'fulfilled' END AS state,
           CASE WHEN kind IN ('free', 'held') THEN 0 ELSE 4900 END AS price,
           -- Those that were not bought are forgotten after a year.
           CASE WHEN kind IN ('cancelled', 'expired') THEN '{now}'::timestamptz - interval '4 days' - interval '350 days' * (1 - n::float8 / {orders})
                ELSE at END AS at
    FROM (SELECT n, pg_temp.at(n) AS at,
                 -- Each two-hundredth is of one buyer, and as many are unpaid invoices.
                 CASE WHEN n % 200 = 0 THEN 0 ELSE n END AS person,
                 CASE WHEN n % 200 = 5 THEN 'owed'
                      ELSE (ARRAY['paid', 'paid', 'paid', 'paid', 'paid', 'free', 'unregistered', 'held', 'cancelled', 'expired'])[1 + n % 10] END AS kind
          FROM generate_series(0, {orders} - 1) n) each
    JOIN offers o ON o.is_big = (n / 10 % 10 < 9) AND o.nth = (hashint8(n)::bigint & 2147483647)
        % CASE WHEN n / 10 % 10 < 9 THEN {orders} * 9 / 100 ELSE (SELECT count(*) FROM offers WHERE NOT is_big) END;
CREATE INDEX ON sold (kind);
ANALYZE sold;
INSERT INTO carts (id, kind, buyer, email, learner_id, organisation_id, state, basket_hash, country, currency, total,
                   billing_address, created_at, paid_at, fulfilled_at)
SELECT id, CASE WHEN kind = 'expired' THEN 'learner' ELSE 'discovery' END,
       CASE WHEN kind IN ('unregistered', 'held') THEN 'guest:' || email ELSE (1000000000 + person)::text END, email,
       CASE WHEN kind NOT IN ('unregistered', 'held') THEN learner_id END, organisation_id, state, sha256(n::text::bytea), 'DE', 'USD', price,
       CASE WHEN price > 0 THEN jsonb_build_object('name', 'Buyer ' || n % 20 || ' of ' || n, 'line1', 'Some Street 17', 'city', 'Berlin',
                                                   'postal_code', '10115', 'country', 'DE') END,
       at, CASE WHEN kind IN ('paid', 'unregistered') THEN at END,
       CASE WHEN kind IN ('paid', 'unregistered', 'owed', 'free') THEN at END
FROM sold;
INSERT INTO cart_items (cart_id, position, course_id, name, mode, original_price, discount_pct, price)
SELECT id, 0, course_id, name, mode, price, 0, price FROM sold;
INSERT INTO cart_courses (cart_id, course_id, mode, position) SELECT id, course_id, mode, 0 FROM sold WHERE kind NOT IN ('cancelled', 'expired');
INSERT INTO joined_checkouts (id, cart_id, created_at)
SELECT gen_random_uuid(), id, '{now}'::timestamptz - interval '20 days' * random() FROM sold WHERE n % 100 = 0;

-- part: enrollments, with their grants
INSERT INTO enrollments (id, email, course_id, learner_id, state, mode, version, platform_version, platform_state, platform_mode,
                         platform_synced_at, invited_at, created_at, updated_at)
SELECT DISTINCT ON (email, course_id) pg_temp.id(at, 2, n), email, course_id, CASE WHEN kind <> 'unregistered' THEN learner_id END,
       CASE WHEN kind = 'unregistered' THEN 'pending_registration' ELSE 'enrolled' END, mode, 1, CASE WHEN kind <> 'unregistered' THEN 1 ELSE 0 END,
       CASE WHEN kind = 'unregistered' THEN 'queued' ELSE 'synced' END, CASE WHEN kind <> 'unregistered' THEN mode END,
       CASE WHEN kind <> 'unregistered' THEN at END, CASE WHEN kind = 'unregistered' THEN at END, at, at
FROM sold WHERE kind IN ('paid', 'owed', 'free', 'unregistered') ORDER BY email, course_id, n;
INSERT INTO enrollment_grants (id, enrollment_id, source, cart_id, mode, granted_at)
SELECT pg_temp.id(at, 3, n), e.id, CASE WHEN kind = 'free' THEN 'free' ELSE 'cart' END, s.id, s.mode, at
FROM sold s JOIN enrollments e ON e.id = pg_temp.id(at, 2, n);
INSERT INTO organisation_members (organisation_id, learner_id)
SELECT DISTINCT organisation_id, learner_id FROM sold WHERE kind IN ('paid', 'owed', 'free');

-- part: payments, a fortieth with an alert
INSERT INTO transactions (id, cart_id, organisation_id, gateway, provider_reference, state, amount, currency, discount_pct,
                          original_price, provider_request, provider_answer, created_at, updated_at, next_check_at, dead_at, alert,
                          on_account, due_on)
SELECT transaction_id, id, organisation_id, CASE kind WHEN 'owed' THEN 'external' ELSE gateway END, 'pi_' || md5(n::text),
       CASE kind WHEN 'owed' THEN 'processing' WHEN 'cancelled' THEN 'cancelled' ELSE 'succeeded' END, price, 'USD', 0, price,
       CASE WHEN at > '{now}'::timestamptz - interval '90 days'
            THEN jsonb_build_object('path', '/v1/payment_intents', 'body', repeat('amount=4900&currency=usd&', 16)) ELSE '{}' END,
       CASE WHEN at > '{now}'::timestamptz - interval '90 days' THEN '{"client_secret": "pi_1_secret_2"}'::jsonb END, at, at,
       CASE WHEN at > '{now}'::timestamptz - interval '180 days' AND kind IN ('paid', 'unregistered')
            THEN '{now}'::timestamptz + interval '1 day' + interval '29 days' * random() END,
       CASE WHEN kind = 'cancelled' THEN at END, CASE WHEN n % 40 = 1 THEN 'the buyer has bought it twice' END,
       CASE WHEN kind = 'owed' THEN 'now' END, CASE WHEN kind = 'owed' THEN ('{now}'::timestamptz + interval '20 days')::date END
FROM sold WHERE kind IN ('paid', 'owed', 'unregistered', 'cancelled');
INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway, provider_reference, received_at)
SELECT created_at, organisation_id, 'captured', cart_id, id, amount, currency, gateway, provider_reference, created_at
FROM transactions WHERE state = 'succeeded' ORDER BY created_at;

-- part: invoices of the shop
INSERT INTO documents (id, organisation_id, kind, number, cart_id, version, issued_at, total, currency, content)
SELECT pg_temp.id(at, 8, n), organisation_id, 'invoice', 'IN' || n, id, 0, at, 4900, 'USD', jsonb_build_object(
    'kind', 'invoice', 'number', 'IN' || n, 'issued_on', at::date, 'supplied_on', at::date, 'cart_id', id, 'gateway', gateway, 'currency', 'USD',
    'seller', jsonb_build_object('legal_name', 'Northwind GmbH', 'line1', '1 High Street', 'city', 'Berlin', 'postal_code', '12345', 'country', 'DE'),
    'buyer', jsonb_build_object('email', email, 'name', 'Buyer ' || n), 'tax_country', 'DE', 'net', '41.18', 'tax', '7.82', 'total', '49.00',
    'lines', jsonb_build_array(jsonb_build_object('name', name, 'rate', '19', 'net', '41.18', 'tax', '7.82', 'total', '49.00')),
    'taxes', jsonb_build_array(jsonb_build_object('rate', '19', 'net', '41.18', 'tax', '7.82')), 'notes', jsonb_build_array())
FROM sold WHERE is_big AND kind IN ('paid', 'owed', 'unregistered');

-- part: vouchers, half of whose uses are of the first one, and withdrawals that wait
INSERT INTO vouchers (id, organisation_id, code, kind, percent, currency, valid_from, created_at)
SELECT pg_temp.id('{now}', 11, n), shop.id, 'BIG' || n, 'percent', 10, 'USD', pg_temp.at(n), pg_temp.at(n)
FROM generate_series(1, {orders} / 10) n, shop;
INSERT INTO voucher_uses (cart_id, voucher_id, email, discount, state, at)
SELECT id, pg_temp.id('{now}', 11, CASE WHEN n / 10 % 2 = 0 THEN 1 ELSE 1 + n / 10 END), email, 100, 'used', at
FROM sold WHERE is_big AND n % 10 = 1 AND n / 10 < {orders} / 10 - 1;
INSERT INTO voucher_sums (voucher_id, part, uses, spent) SELECT voucher_id, 0, count(*), sum(discount) FROM voucher_uses GROUP BY voucher_id;
INSERT INTO withdrawals (id, organisation_id, state, proof, named_order, email, name, declared_at, waits_since, waits_because)
SELECT pg_temp.id(at, 12, n), shop.id, 'unmatched', 'none', 'x', email, 'n', at, at, 'no order' FROM sold, shop WHERE n % 40 = 3;

-- part: webhooks of the last 30 days, with the bodies of a week
INSERT INTO inbox (gateway, organisation_id, event_id, type, body, transaction_id, received_at, processed_at, reference, transaction_hint)
SELECT gateway, organisation_id, 'evt_' || md5(id::text), 'payment_intent.succeeded',
       CASE WHEN created_at > '{now}'::timestamptz - interval '7 days'
            THEN jsonb_build_object('id', 'evt', 'data', repeat('"metadata": null, ', 80)) ELSE '{}' END,
       id, created_at, created_at, provider_reference, id
FROM transactions WHERE state = 'succeeded' AND created_at > '{now}'::timestamptz - interval '30 days';

-- part: audit entries
INSERT INTO audit_log (at, entity, entity_id, actor, command_id, from_state, to_state, detail)
SELECT at, entity, CASE entity WHEN 'cart' THEN id WHEN 'transaction' THEN transaction_id ELSE pg_temp.id(at, 2, n) END, 'guest',
       pg_temp.id(at, 9, n), from_state, to_state, '{"total": 49, "currency": "USD"}'
FROM sold JOIN (VALUES ('cart', NULL, 'pending_payment'), ('cart', 'pending_payment', 'paid'), ('cart', 'paid', 'fulfilled'),
                       ('transaction', NULL, 'created'), ('transaction', 'created', 'succeeded'),
                       ('enrollment', NULL, 'enrolled')) AS moves (entity, from_state, to_state)
    ON kind IN ('paid', 'unregistered') OR to_state = 'fulfilled';

-- part: events of the last 20 days
INSERT INTO events (id, organisation_id, type, data, at, position)
SELECT pg_temp.id('{now}', 13, 2 * n + k), organisation_id, (ARRAY['order.paid', 'order.fulfilled'])[1 + k], jsonb_build_object(
           'cart_id', id, 'total', 4900, 'currency', 'USD', 'items', jsonb_build_array(jsonb_build_object('name', name, 'mode', mode))),
       '{now}'::timestamptz - interval '20 days' * (1.001 - n::float8 / {orders}), 1 + 2 * n + k
FROM sold, generate_series(0, 1) k WHERE kind NOT IN ('cancelled', 'expired') ORDER BY n, k;
UPDATE event_positions SET last = 2 * {orders} + 1;

-- part: the searches at the platform have come up to now
UPDATE registration_searches SET searched_to = '{now}';
