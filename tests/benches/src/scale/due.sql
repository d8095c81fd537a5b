-- Rows of each kind whose time is over: a hundredth of the orders, and as many more commands.
INSERT INTO commands (id, type, answer, created_at)
SELECT gen_random_uuid(), 'enrollment.grant.v1', '{"enrollment_state": "enrolled"}', '{now}'::timestamptz - interval '2 days'
FROM generate_series(1, {orders} / 50);
INSERT INTO inbox (gateway, organisation_id, event_id, type, body, received_at, processed_at)
SELECT 'stripe', o.id, 'old_' || n, 'payment_intent.succeeded', '{}', '{now}'::timestamptz - interval '40 days', '{now}'
FROM generate_series(1, {orders} / 100) n, (SELECT id FROM organisations LIMIT 1) o;
UPDATE inbox SET body = jsonb_build_object('data', repeat('"metadata": null, ', 80))
WHERE body = '{}' AND processed_at < '{now}'::timestamptz - interval '8 days';
UPDATE carts SET created_at = created_at - interval '1 year' WHERE id IN (
    SELECT id FROM carts WHERE state = 'expired' ORDER BY id LIMIT {orders} / 100);
UPDATE transactions SET provider_request = jsonb_build_object('body', repeat('amount=4900&currency=usd&', 16)) WHERE id IN (
    SELECT id FROM transactions WHERE state = 'succeeded' ORDER BY id LIMIT {orders} / 100);
INSERT INTO joined_checkouts (id, cart_id, created_at)
SELECT gen_random_uuid(), id, '{now}'::timestamptz - interval '40 days' FROM carts WHERE state = 'fulfilled' LIMIT {orders} / 100;
INSERT INTO invitations (email, invited_at)
SELECT n || '@example.com', '{now}'::timestamptz - interval '2 days' FROM generate_series(1, {orders} / 100) n;
ANALYZE;
