-- One of ten parts of the messages and commands that passed through: the relay deletes the first, and the reconciler those of
-- more than a day ago.

-- part: outbox
INSERT INTO outbox (message_id, type, body, created_at)
SELECT gen_random_uuid(), 'platform.sync_enrollment.v1', jsonb_build_object('enrollment_id', gen_random_uuid()), '{now}'
FROM generate_series(1, {orders} / 20);
DELETE FROM outbox;

-- part: commands
INSERT INTO commands (id, type, answer, created_at)
SELECT pg_temp.id('{now}'::timestamptz - interval '24 hours' * (25 * (1.0 - {tenth}) - n * 50.0 / {orders}), 9, n),
       'enrollment.grant.v1', '{"enrollment_state": "enrolled", "platform_refusal": null}',
       '{now}'::timestamptz - interval '24 hours' * (25 * (1.0 - {tenth}) - n * 50.0 / {orders})
FROM generate_series(1, {orders} / 20) n;
DELETE FROM commands WHERE created_at < '{now}'::timestamptz - interval '24 hours';
