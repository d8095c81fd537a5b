-- Moves the orders of the table `batch` in, in the caller's transaction.

-- Without their sizes, the planner would read whole tables for each batch.
ANALYZE batch;

-- The platform knows them today; it is asked again whether they are retired after a while, not at once for all of them.
INSERT INTO learners (id, platform_user_id, username, email, name, retirement_due_at, created_at, updated_at)
SELECT DISTINCT ON (p.lms_id) gen_random_uuid(), p.lms_id, p.lms_username,
       CASE WHEN o.id IS NULL AND f.id IS NULL THEN p.email END, p.name,
       run.now + interval '1 day' + random() * interval '29 days', run.now, run.now
FROM run, batch b JOIN old_people p ON p.id = b.user_id
-- As joins, which find each by an index: an EXISTS would read all learners for each batch.
LEFT JOIN learners o ON o.email = p.email LEFT JOIN learners f ON f.former_email = p.email
WHERE b.is_new AND p.is_found AND NOT p.is_retired
ORDER BY p.lms_id, p.email NULLS LAST
ON CONFLICT ON CONSTRAINT learners_platform_user_id_key DO NOTHING;

-- Who is retired, deleted or unknown gets a tombstone.
INSERT INTO carts (id, kind, buyer, email, learner_id, organisation_id, state, basket_hash, currency, total, created_at, paid_at,
                   fulfilled_at, language, reference, metadata, former_shop)
SELECT b.cart_id, 'discovery', coalesce(l.platform_user_id::text, 'erased-' || nobody.id),
       CASE WHEN l.id IS NULL THEN 'erased-' || nobody.id || '@erased.invalid'
            ELSE coalesce(l.email, 'learner-' || l.id || '@moved.invalid') END,
       l.id, run.organisation_id, 'fulfilled', decode(md5(b.number), 'hex'), b.currency, b.total, b.placed,
       CASE WHEN b.total > 0 THEN b.placed END, b.placed, coalesce(l.language, run.language), b.number, nullif(b.labels, '{}'), run.site
FROM run, batch b
LEFT JOIN old_people p ON p.id = b.user_id AND p.is_found AND NOT p.is_retired
LEFT JOIN learners l ON l.platform_user_id = p.lms_id
CROSS JOIN LATERAL (SELECT md5(format('move-in %s person %s', run.site, coalesce(b.user_id::text, b.number)))::uuid AS id) nobody
WHERE b.is_new;

-- A price of before is kept as the one before the voucher: which part a voucher took off, no row says.
INSERT INTO cart_items (cart_id, position, course_id, name, mode, seats, original_price, discount_pct, price, voucher_discount)
SELECT b.cart_id, l.position, c.id, l.title, l.mode, CASE WHEN l.class = 'enrollment-code' THEN l.quantity END,
       greatest(l.before, l.paid) * b.unit, 0, l.paid * b.unit, greatest(l.before - l.paid, 0) * b.unit
FROM batch b JOIN old_lines l ON l.order_id = b.id JOIN courses c ON c.openedx_course_id = l.course
WHERE b.is_new ORDER BY b.cart_id, l.position;

INSERT INTO transactions (id, cart_id, organisation_id, gateway, provider_reference, state, amount, currency, discount_pct,
                          original_price, provider_request, created_at, updated_at)
SELECT md5(b.cart_id || ' payment')::uuid, b.cart_id, run.organisation_id,
       CASE WHEN b.has_own_reference AND o.id IS NULL THEN b.gateway ELSE 'external' END,
       CASE WHEN b.has_own_reference AND o.id IS NULL THEN b.reference END,
       'succeeded', b.total, b.currency, 0, b.before, '{}', b.placed, run.now
FROM run, batch b LEFT JOIN transactions o ON o.gateway = b.gateway AND o.provider_reference = b.reference
WHERE b.is_new AND b.total > 0;

INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway, provider_reference)
SELECT b.placed, run.organisation_id, 'captured', b.cart_id, t.id, b.total, b.currency, t.gateway, b.own_reference
FROM run, batch b JOIN transactions t ON t.cart_id = b.cart_id WHERE b.is_new AND b.total > 0 ORDER BY b.placed, b.id;

-- Refunds here and reports of the provider wait until the batch has ended.
SELECT t.id FROM batch b JOIN transactions t ON t.cart_id = b.cart_id WHERE NOT b.is_new ORDER BY t.id FOR UPDATE OF t;
UPDATE transactions t SET gateway = b.gateway, provider_reference = b.reference, updated_at = run.now
FROM run, batch b WHERE t.cart_id = b.cart_id AND NOT b.is_new AND b.gateway <> 'external' AND b.has_own_reference AND t.gateway = 'external'
    AND NOT EXISTS (SELECT FROM transactions o WHERE o.gateway = b.gateway AND o.provider_reference = b.reference);

-- What the former shop has paid back beyond what is here, as far as the payment has it left: refunds here take of the same money.
TRUNCATE batch_due;
INSERT INTO batch_due (cart_id, transaction_id, gateway, amount, is_mixed)
SELECT b.cart_id, t.id, t.gateway, least(b.refunded - o.refunded, t.amount - t.refunded_amount), i.refunded <> o.refunded
FROM batch b JOIN transactions t ON t.cart_id = b.cart_id CROSS JOIN LATERAL (SELECT pg_temp.taken_over(t.id, b.refunded) AS refunded) o
     CROSS JOIN LATERAL (SELECT sum(refunded) AS refunded FROM cart_items WHERE cart_id = b.cart_id) i
WHERE b.refunded > 0 AND b.refunded > o.refunded AND t.refunded_amount < t.amount;

-- Refunds whose money went back. What the payment gave back beyond them has no row of its own: its person was deleted. Where a refund
-- here has taken of the lines, too, a row has all of it.
TRUNCATE batch_refunds;
INSERT INTO batch_refunds (id, cart_id, old_id, amount, currency, ended, reference, reason)
SELECT md5(format('%s refund %s', n.cart_id, n.old_id))::uuid, n.cart_id, n.old_id, n.amount, n.currency, n.ended,
       CASE WHEN n.nth = 1 THEN n.reference END, nullif(n.status, 'Complete')
FROM (
    SELECT b.cart_id, b.currency, r.id AS old_id, (r.amount * b.unit)::bigint AS amount, r.ended, r.reference, r.status,
           row_number() OVER (PARTITION BY b.cart_id, r.reference ORDER BY r.id) AS nth,
           d.amount - sum((r.amount * b.unit)::bigint) OVER (PARTITION BY b.cart_id ORDER BY r.id) AS left_over
    FROM batch b JOIN batch_due d ON d.cart_id = b.cart_id AND NOT d.is_mixed JOIN old_refunds r ON r.order_id = b.id AND r.is_paid_back AND r.amount > 0
    WHERE NOT EXISTS (SELECT FROM refunds k WHERE k.id = md5(format('%s refund %s', b.cart_id, r.id))::uuid)
      AND NOT EXISTS (SELECT FROM refunds k WHERE k.transaction_id = d.transaction_id AND k.provider_reference = r.reference)) n
WHERE n.left_over >= 0;
INSERT INTO batch_refunds (id, cart_id, amount, currency, ended, reason)
SELECT md5(format('%s refunded %s beyond %s', b.cart_id, b.refunded, pg_temp.taken_over(d.transaction_id, b.refunded)))::uuid, b.cart_id, rest.amount, b.currency,
       CASE WHEN d.is_mixed THEN coalesce((SELECT max(r.ended) FROM old_refunds r WHERE r.order_id = b.id AND r.is_paid_back), b.placed) ELSE b.placed END,
       CASE WHEN d.is_mixed THEN 'paid back there, beside refunds here' ELSE 'the old shop has no refund for it' END
FROM batch b JOIN batch_due d ON d.cart_id = b.cart_id
LEFT JOIN (SELECT cart_id, sum(amount) AS amount FROM batch_refunds GROUP BY cart_id) n ON n.cart_id = b.cart_id
CROSS JOIN LATERAL (SELECT d.amount - coalesce(n.amount, 0) AS amount) rest
WHERE rest.amount > 0;
ANALYZE batch_refunds;

INSERT INTO refunds (id, transaction_id, origin, reason, amount, currency, state, actor, provider_reference, asked_at, accepted_at, ended_at)
SELECT n.id, md5(n.cart_id || ' payment')::uuid, 'operator', n.reason, n.amount, n.currency, 'succeeded', run.actor, n.reference,
       n.ended, n.ended, n.ended
FROM run, batch_refunds n;

INSERT INTO refund_lines (refund_id, position, amount, ends_access)
SELECT n.id, x.position, (x.amount * b.unit)::bigint, n.reason IS NULL
FROM batch_refunds n JOIN batch b ON b.cart_id = n.cart_id JOIN old_refund_lines x ON x.refund_id = n.old_id;
-- Without a refund of its own, the money is taken as that of the first lines.
INSERT INTO refund_lines (refund_id, position, amount, ends_access)
SELECT share.id, share.position, share.amount, false FROM (
    SELECT n.id, i.position, least(i.price - i.given, greatest(0,
               n.amount - sum(i.price - i.given) OVER (PARTITION BY n.id ORDER BY i.position) + i.price - i.given)) AS amount
    FROM batch_refunds n CROSS JOIN LATERAL (
        SELECT i.position, i.price, i.refunded + coalesce((
            SELECT sum(x.amount) FROM refund_lines x JOIN batch_refunds o ON o.id = x.refund_id
            WHERE o.cart_id = n.cart_id AND x.position = i.position), 0)::bigint AS given
        FROM cart_items i WHERE i.cart_id = n.cart_id) i
    WHERE n.old_id IS NULL) share
WHERE share.amount > 0;
UPDATE cart_items i SET refunded = i.refunded + x.amount
FROM (SELECT n.cart_id, x.position, sum(x.amount) AS amount FROM batch_refunds n JOIN refund_lines x ON x.refund_id = n.id GROUP BY 1, 2) x
WHERE (i.cart_id, i.position) = (x.cart_id, x.position);
UPDATE cart_items i SET access_ended_at = x.ended
FROM (SELECT b.cart_id, l.position, min(r.ended) AS ended FROM batch b
      JOIN old_refunds r ON r.order_id = b.id AND r.status = 'Complete' JOIN old_refund_lines l ON l.refund_id = r.id GROUP BY 1, 2) x
WHERE (i.cart_id, i.position) = (x.cart_id, x.position) AND i.access_ended_at IS NULL;

UPDATE transactions t SET refunded_amount = t.refunded_amount + n.amount,
    -- What an open dispute holds can come back.
    state = CASE WHEN t.refunded_amount + n.amount + t.lost_amount
                      - (SELECT coalesce(sum(d.lost), 0) FROM disputes d WHERE d.transaction_id = t.id AND d.state = 'open') >= t.amount
                 THEN 'refunded' ELSE t.state END, updated_at = run.now
FROM run, (SELECT cart_id, sum(amount) AS amount FROM batch_refunds GROUP BY cart_id) n WHERE t.cart_id = n.cart_id;
INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, refund_id, amount, currency, gateway, provider_reference)
SELECT n.ended, run.organisation_id, 'refunded', n.cart_id, d.transaction_id, n.id, -n.amount, n.currency, d.gateway, n.reference
FROM run, batch_refunds n JOIN batch_due d ON d.cart_id = n.cart_id ORDER BY n.ended, n.old_id;
UPDATE carts k SET state = 'refunded' FROM batch_refunds n JOIN transactions t ON t.cart_id = n.cart_id AND t.state = 'refunded'
WHERE k.id = n.cart_id AND k.state = 'fulfilled';

UPDATE carts k SET metadata = nullif(b.labels, '{}') FROM batch b
WHERE k.id = b.cart_id AND NOT b.is_new AND k.email NOT LIKE '%@erased.invalid' AND k.metadata IS DISTINCT FROM nullif(b.labels, '{}');
