-- Rows as two years of use leave them: {enrollments} enrollments, a fifth as many learners and carts. Each part begins with a
-- line that names it. {now} is the time of the measurement.

-- part: definitions
-- Ids rise with time, as those of the programs do.
CREATE FUNCTION pg_temp.id(at timestamptz, kind integer, nth bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM at)::float8 * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') || '8'
            || lpad(to_hex(nth), 15, '0'))::uuid $$;
-- When the nth enrollment came.
CREATE FUNCTION pg_temp.at(nth bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT '{now}'::timestamptz - interval '700 days' * (1.001 - nth::float8 / {enrollments}) $$;
-- Addresses come in no order.
CREATE FUNCTION pg_temp.email(learner bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT substr(md5(learner::text), 1, 12) || '.' || learner || '@example.com' $$;
CREATE TEMP TABLE offers AS
    SELECT row_number() OVER (ORDER BY course_id) - 1 AS nth, course_id, mode, organisation_id, name, gateway
    FROM (SELECT DISTINCT ON (m.course_id) m.course_id, m.slug AS mode, c.organisation_id, c.display_name AS name,
                 coalesce(o.gateway, 'stripe') AS gateway
          FROM course_modes m JOIN courses c ON c.id = m.course_id JOIN organisations o ON o.id = c.organisation_id
          WHERE m.expires_at IS NULL ORDER BY m.course_id, m.slug) offered;
ANALYZE offers;

-- part: learners
INSERT INTO learners (id, platform_user_id, username, email, name, created_at, updated_at, retirement_checked_at)
SELECT pg_temp.id(pg_temp.at(l * 5), 1, l), 1000000000 + l, 'learner' || l, pg_temp.email(l), 'Learner ' || l, pg_temp.at(l * 5),
       pg_temp.at(l * 5), '{now}'
FROM generate_series(0, {enrollments} / 5 - 1) l;

-- part: enrollments, a tenth of which waited for a registration, and a hundredth of which were removed
INSERT INTO enrollments (id, email, course_id, learner_id, state, mode, version, platform_version, platform_state, platform_mode,
                         platform_synced_at, invited_at, created_at, updated_at)
SELECT pg_temp.id(at, 2, n), pg_temp.email(n / 5), o.course_id, pg_temp.id(pg_temp.at(n / 5 * 5), 1, n / 5),
       CASE WHEN n % 100 = 99 THEN 'removed' ELSE 'enrolled' END, o.mode, version, version, 'synced', o.mode, at,
       CASE WHEN n % 10 = 3 THEN at END, at, at
FROM (SELECT n, pg_temp.at(n) AS at, 1 + (n % 10 = 3)::integer + (n % 100 = 99)::integer AS version
      FROM generate_series(0, {enrollments} - 1) n) e
JOIN offers o ON o.nth = (e.n / 5 + 11 * (e.n % 5)) % (SELECT count(*) FROM offers);

-- part: grants
INSERT INTO enrollment_grants (id, enrollment_id, source, cart_id, mode, granted_at, ended_at, ended_reason)
SELECT pg_temp.id(at, 3, n), pg_temp.id(at, 2, n), source, CASE WHEN source <> 'partner' THEN pg_temp.id(at, 4, n / 5) END, o.mode,
       at, CASE WHEN n % 100 = 99 THEN at END, CASE WHEN n % 100 = 99 THEN 'removed by the partner' END
FROM (SELECT n, pg_temp.at(n) AS at, CASE WHEN n % 5 <> 0 OR n / 5 % 10 > 7 THEN 'partner' WHEN n / 5 % 10 < 5 THEN 'cart'
                                     ELSE 'free' END AS source
      FROM generate_series(0, {enrollments} - 1) n) e
JOIN offers o ON o.nth = (e.n / 5 + 11 * (e.n % 5)) % (SELECT count(*) FROM offers);

-- part: members of organisations
INSERT INTO organisation_members (organisation_id, learner_id)
SELECT DISTINCT o.organisation_id, pg_temp.id(pg_temp.at(l * 5), 1, l)
FROM generate_series(0, {enrollments} / 5 - 1) l CROSS JOIN generate_series(0, 4) k
JOIN offers o ON o.nth = (l + 11 * k) % (SELECT count(*) FROM offers);

-- part: carts: of ten, five paid, three free, one whose payment was cancelled, and one that was never checked out
CREATE TEMP TABLE sold AS
    SELECT j, pg_temp.id(pg_temp.at(j * 5), 4, j) AS id, pg_temp.id(pg_temp.at(j * 5), 6, j) AS transaction_id,
           pg_temp.id(pg_temp.at(j * 5), 1, j) AS learner_id, o.course_id, o.organisation_id, o.name, o.mode, o.gateway,
           CASE WHEN j % 10 > 7 THEN 'expired' ELSE 'fulfilled' END AS state,
           CASE WHEN j % 10 IN (5, 6, 7) THEN 0 ELSE 4900 END AS price,
           -- Those that were not bought are forgotten after a year.
           CASE WHEN j % 10 > 7 THEN '{now}'::timestamptz - interval '4 days' - interval '350 days' * (1 - j * 5.0::float8 / {enrollments})
                ELSE pg_temp.at(j * 5) END AS at
    FROM generate_series(0, {enrollments} / 5 - 1) j JOIN offers o ON o.nth = j % (SELECT count(*) FROM offers);
INSERT INTO carts (id, kind, buyer, email, learner_id, organisation_id, state, basket_hash, country, currency, total,
                   billing_address, created_at, paid_at, fulfilled_at)
SELECT id, CASE WHEN j % 10 = 9 THEN 'learner' ELSE 'discovery' END,
       CASE WHEN j % 3 = 0 AND j % 10 <> 9 THEN 'guest:' || pg_temp.email(j) ELSE (1000000000 + j)::text END, pg_temp.email(j),
       learner_id, organisation_id, state, sha256(j::text::bytea), 'DE', 'USD', price,
       CASE WHEN j % 10 < 5 THEN '{"name": "A Learner", "line1": "Some Street 17", "city": "Berlin", "postal_code": "10115", "country": "DE"}'::jsonb END,
       at, CASE WHEN j % 10 < 5 THEN at END, CASE WHEN j % 10 < 8 THEN at END
FROM sold;
INSERT INTO cart_items (cart_id, position, course_id, name, mode, original_price, discount_pct, price)
SELECT id, 0, course_id, name, mode, price, 0, price FROM sold;
INSERT INTO cart_courses (cart_id, course_id, mode, position) SELECT id, course_id, mode, 0 FROM sold;
INSERT INTO joined_checkouts (id, cart_id, created_at)
SELECT gen_random_uuid(), id, '{now}'::timestamptz - interval '20 days' * random() FROM sold WHERE j % 100 = 0;

-- part: payments, with the providers' requests of the last 90 days, and checks of those of the last half year
INSERT INTO transactions (id, cart_id, organisation_id, gateway, provider_reference, state, amount, currency, discount_pct,
                          original_price, provider_request, provider_answer, created_at, updated_at, next_check_at, dead_at)
SELECT transaction_id, id, organisation_id, gateway, 'pi_' || md5(j::text), CASE WHEN j % 10 < 5 THEN 'succeeded' ELSE 'cancelled' END,
       price, 'USD', 0, price,
       CASE WHEN at > '{now}'::timestamptz - interval '90 days'
            THEN jsonb_build_object('path', '/v1/payment_intents', 'body', repeat('amount=4900&currency=usd&', 16)) ELSE '{}' END,
       CASE WHEN at > '{now}'::timestamptz - interval '90 days' THEN '{"client_secret": "pi_1_secret_2"}'::jsonb END, at, at,
       CASE WHEN at > '{now}'::timestamptz - interval '180 days' AND j % 10 < 5
            THEN '{now}'::timestamptz + interval '1 day' + interval '29 days' * random() END,
       CASE WHEN j % 10 = 8 THEN at END
FROM sold WHERE j % 10 < 5 OR j % 10 = 8;
INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway, provider_reference)
SELECT created_at, organisation_id, 'captured', cart_id, id, amount, currency, gateway, provider_reference
FROM transactions WHERE state = 'succeeded' ORDER BY created_at;

-- part: webhooks of the last 30 days, with the bodies of a week
INSERT INTO inbox (gateway, organisation_id, event_id, type, body, transaction_id, received_at, processed_at, reference, transaction_hint)
SELECT gateway, organisation_id, 'evt_' || md5(id::text), 'payment_intent.succeeded',
       CASE WHEN created_at > '{now}'::timestamptz - interval '7 days'
            THEN jsonb_build_object('id', 'evt', 'data', repeat('"metadata": null, ', 80)) ELSE '{}' END,
       id, created_at, created_at, provider_reference, id
FROM transactions WHERE state = 'succeeded' AND created_at > '{now}'::timestamptz - interval '30 days';

-- part: audit entries of enrollments
INSERT INTO audit_log (at, entity, entity_id, actor, command_id, from_state, to_state, detail)
SELECT at, 'enrollment', pg_temp.id(at, 2, n), 'client', pg_temp.id(at, 5, n), NULL,
       CASE WHEN n % 10 = 3 THEN 'pending_registration' ELSE 'enrolled' END, '{"from_mode": null, "to_mode": "verified"}'
FROM (SELECT n, pg_temp.at(n) AS at FROM generate_series(0, {enrollments} - 1) n) e;
INSERT INTO audit_log (at, entity, entity_id, actor, command_id, from_state, to_state, detail)
SELECT at, 'enrollment', pg_temp.id(at, 2, n), 'system', pg_temp.id(at, 7, n),
       CASE WHEN n % 10 = 3 THEN 'pending_registration' ELSE 'enrolled' END, CASE WHEN n % 10 = 3 THEN 'enrolled' ELSE 'removed' END,
       '{"from_mode": "verified", "to_mode": "verified"}'
FROM (SELECT n, pg_temp.at(n) AS at FROM generate_series(0, {enrollments} - 1) n WHERE n % 10 = 3 OR n % 100 = 99) e;

-- part: audit entries of carts and payments
INSERT INTO audit_log (at, entity, entity_id, actor, command_id, from_state, to_state, detail)
SELECT at, entity, CASE entity WHEN 'cart' THEN id ELSE transaction_id END, 'guest', pg_temp.id(at, 8, j), from_state, to_state,
       '{"total": 49, "currency": "USD"}'
FROM sold JOIN (VALUES ('cart', NULL, 'pending_payment'), ('cart', 'pending_payment', 'paid'), ('cart', 'paid', 'fulfilled'),
                       ('transaction', NULL, 'created'), ('transaction', 'created', 'processing'),
                       ('transaction', 'processing', 'succeeded')) AS moves (entity, from_state, to_state) ON j % 10 < 5;
INSERT INTO audit_log (at, entity, entity_id, actor, command_id, to_state)
SELECT at, 'cart', id, 'guest', pg_temp.id(at, 8, j), state FROM sold WHERE j % 10 >= 5;
