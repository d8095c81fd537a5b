-- What becomes of each order of the site: it is moved in, or the reason why not. Amounts are in minor units of the order's currency.

-- True if a payment with this reference is refunded by it, at an account that another program has charged with.
CREATE FUNCTION pg_temp.can_refund(gateway text, reference text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(reference ~ CASE gateway
        WHEN 'stripe' THEN '^(pi|ch|py)_[A-Za-z0-9]+$' WHEN 'mollie' THEN '^tr_[A-Za-z0-9]+$'
        WHEN 'razorpay' THEN '^order_[A-Za-z0-9]+$' WHEN 'curlec' THEN '^order_[A-Za-z0-9]+$' END, false)
$$;

-- What of an order's refunds here is the former shop's, which has paid so much back: those that were moved in, which have no key of a
-- request, and those that the account has shown before.
CREATE FUNCTION pg_temp.taken_over(of_transaction uuid, paid_back bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT moved + least(shown, greatest(paid_back - moved, 0)) FROM (
        SELECT coalesce(sum(amount) FILTER (WHERE origin = 'operator' AND request_key IS NULL), 0)::bigint AS moved,
               coalesce(sum(amount) FILTER (WHERE origin = 'provider' AND state <> 'failed'), 0)::bigint AS shown
        FROM refunds WHERE transaction_id = of_transaction) r
$$;

CREATE TEMP TABLE old_facts AS
SELECT o.id, o.number, o.user_id, o.status, o.currency, o.placed, o.total AS major, c.unit,
       md5(format('move-in %s %s', run.site, o.number))::uuid AS cart_id, extract(year FROM o.placed AT TIME ZONE 'UTC')::integer AS year,
       (o.total * c.unit)::bigint AS total, (l.before * c.unit)::bigint AS before,
       (greatest(coalesce(p.refunded, 0), coalesce(r.paid_back, 0)) * c.unit)::bigint AS refunded,
       coalesce(l.before - l.paid, 0) AS discount, coalesce(p.debited, 0) AS debited, coalesce(p.refunded, 0) AS books_refunded,
       coalesce(r.paid_back, 0) AS paid_back, p.processor, p.reference, p.own_reference, p.is_charge,
       CASE WHEN p.processor = ANY (run.same_accounts) AND p.payments = 1 AND p.debited = o.total AND pg_temp.can_refund(p.processor, p.reference)
           THEN p.processor ELSE 'external' END AS gateway,
       row_number() OVER (PARTITION BY p.reference ORDER BY o.id) = 1 AS has_own_reference, l.codes, coalesce(l.is_coupon OR o.invoiced AND l.is_gone, false) AS is_coupon_sale,
       r.open_refunds, jsonb_strip_nulls(jsonb_build_object(
           'processor', p.processor, 'status', nullif(o.status, 'Complete'), 'voucher', left(o.vouchers, 100), 'refund', left(r.open_refunds, 100))) AS labels,
       CASE
           WHEN l.is_coupon OR o.invoiced AND l.is_gone THEN NULL
           WHEN c.unit IS NULL THEN format('its currency %s is not one of ISO 4217', o.currency)
           WHEN l.lines IS NULL THEN 'it has no lines'
           WHEN length(o.number) NOT BETWEEN 1 AND 64 THEN 'its number has more than 64 characters'
           WHEN l.bad_mode IS NOT NULL THEN format('%s is not a mode of courses', l.bad_mode)
           WHEN l.missing IS NOT NULL THEN format('the catalog has no course %s', l.missing)
           WHEN l.paid <> o.total THEN format('its lines add up to %s, not to %s', l.paid, o.total)
           WHEN l.is_negative OR o.total < 0 THEN 'it has a negative amount'
           WHEN l.is_finer OR trunc(o.total, c.digits) <> o.total OR trunc(coalesce(p.refunded, 0), c.digits) <> coalesce(p.refunded, 0)
                OR trunc(coalesce(r.paid_back, 0), c.digits) <> coalesce(r.paid_back, 0)
               THEN format('an amount has more decimals than %s', o.currency)
           WHEN l.seats > 1000 THEN format('%s enrollment codes are more than the 1000 seats of a line', l.seats)
           WHEN p.currency <> o.currency THEN format('it was paid in %s', p.currency)
           WHEN o.total > 0 AND p.order_id IS NULL THEN 'no payment is on record'
           WHEN greatest(coalesce(p.refunded, 0), coalesce(r.paid_back, 0)) > o.total THEN 'more was paid back than it cost'
           WHEN v.order_id IS NOT NULL THEN 'a refund gives back more of a line than it cost'
       END AS refusal
FROM run, old_orders o
LEFT JOIN currencies c ON c.code = o.currency
LEFT JOIN (
    SELECT l.order_id, count(*) AS lines, sum(l.paid) AS paid, sum(greatest(l.before, l.paid)) AS before,
           bool_or(l.class = 'coupon') AS is_coupon, bool_and(l.is_gone) AS is_gone, sum(l.quantity) FILTER (WHERE l.class = 'enrollment-code') AS codes,
           max(l.quantity) FILTER (WHERE l.class = 'enrollment-code') AS seats, bool_or(l.paid < 0 OR l.before < 0) AS is_negative,
           bool_or(trunc(l.paid, k.digits) <> l.paid OR trunc(l.before, k.digits) <> l.before) AS is_finer,
           min(l.course) FILTER (WHERE c.id IS NULL) AS missing,
           min(l.mode) FILTER (WHERE l.mode <> ALL (run.modes)) AS bad_mode
    FROM run, old_lines l JOIN old_orders o ON o.id = l.order_id LEFT JOIN currencies k ON k.code = o.currency
    LEFT JOIN courses c ON c.openedx_course_id = l.course AND c.organisation_id = (SELECT organisation_id FROM run)
    GROUP BY l.order_id) l ON l.order_id = o.id
LEFT JOIN (
    SELECT order_id, sum(debited) AS debited, sum(refunded) AS refunded, max(currency) AS currency,
           string_agg(DISTINCT processor, ', ') AS processor, count(*) AS payments,
           (array_agg(coalesce(refund_reference, nullif(reference, '')) ORDER BY debited DESC, id))[1] AS reference,
           (array_agg(nullif(reference, '') ORDER BY debited DESC, id))[1] AS own_reference,
           bool_or(processor = 'stripe' AND reference LIKE 'ch\_%') AS is_charge
    FROM old_payments GROUP BY order_id) p ON p.order_id = o.id
LEFT JOIN (
    SELECT f.order_id, sum(f.amount) FILTER (WHERE f.is_paid_back) AS paid_back,
           string_agg(f.status || ' ' || f.amount, ', ' ORDER BY f.id) FILTER (WHERE NOT f.is_paid_back) AS open_refunds
    FROM old_refunds f GROUP BY f.order_id) r ON r.order_id = o.id
LEFT JOIN (
    SELECT DISTINCT l.order_id
    FROM (SELECT x.order_id, x.position, sum(x.amount) AS amount FROM old_refund_lines x JOIN old_refunds y ON y.id = x.refund_id AND y.is_paid_back
          GROUP BY x.order_id, x.position) t
    JOIN old_lines l ON l.order_id = t.order_id AND l.position = t.position AND l.paid < t.amount) v ON v.order_id = o.id
WHERE o.site_id = run.site_id;
CREATE UNIQUE INDEX ON old_facts (id);
ANALYZE old_facts;

-- What a person has to know: kind, key, and why.
CREATE TEMP TABLE findings (kind text NOT NULL, key text NOT NULL, reason text NOT NULL);

INSERT INTO findings
SELECT 'left out', number, refusal FROM old_facts WHERE refusal IS NOT NULL
UNION ALL SELECT 'left out', number, 'its site is unknown' FROM old_orders WHERE site_id IS NULL
UNION ALL SELECT 'coupon sale', number, format('sold a coupon for %s %s, and gave nobody access', major, currency) FROM old_facts WHERE is_coupon_sale
UNION ALL SELECT 'refund', number, format('%s: it is not paid back yet', open_refunds) FROM old_facts
    WHERE open_refunds IS NOT NULL AND open_refunds !~ '^(Denied [0-9.]+(, )?)*$' AND NOT is_coupon_sale
UNION ALL SELECT 'refund', number, format('%s was denied', open_refunds) FROM old_facts
    WHERE open_refunds ~ '^(Denied [0-9.]+(, )?)*$' AND NOT is_coupon_sale
UNION ALL SELECT 'refund', number, format('the payment gave back %s, its refunds %s', books_refunded, paid_back) FROM old_facts
    WHERE books_refunded <> paid_back AND NOT is_coupon_sale
UNION ALL SELECT 'refund', f.number, format('refund %s: the money is back, and the learner may still be enrolled', r.id)
    FROM old_facts f JOIN old_refunds r ON r.order_id = f.id WHERE r.status IN ('Payment Refunded', 'Revocation Error')
UNION ALL SELECT 'refund', number, 'a part of a charge was given back; up to the release Olive Stripe gave all of it back: compare with Stripe'
    FROM old_facts WHERE is_charge AND refunded BETWEEN 1 AND total - 1
UNION ALL SELECT 'payment', number, format('%s %s were debited for a total of %s', p.debited, f.currency, f.major)
    FROM old_facts f JOIN (SELECT order_id, sum(debited) AS debited FROM old_payments GROUP BY 1) p ON p.order_id = f.id
    WHERE p.debited <> f.major AND NOT f.is_coupon_sale
UNION ALL SELECT 'payment', f.number, format('the reference %s is also that of another order', f.reference)
    FROM (SELECT *, count(*) OVER (PARTITION BY reference) AS n FROM old_facts WHERE reference IS NOT NULL) f WHERE n > 1
UNION ALL SELECT 'payment', number, format('the account at %s cannot refund it by the reference %s', processor, reference) FROM old_facts, run
    WHERE processor = ANY (run.same_accounts) AND (gateway = 'external' OR NOT has_own_reference) AND total > 0 AND NOT is_coupon_sale
UNION ALL SELECT 'payment', number, format('the shop does not know the processor %s', processor) FROM old_facts, run
    WHERE processor IS NOT NULL AND NOT string_to_array(processor, ', ') <@
        (run.same_accounts || ARRAY['paypal', 'stripe', 'cybersource', 'cybersource-rest', 'authorizenet', 'adyen', 'android-iap', 'ios-iap'])
UNION ALL SELECT 'not delivered', number, format('is %s%s', status, CASE WHEN codes > 0 THEN format(': %s enrollment codes', codes) ELSE '' END)
    FROM old_facts WHERE status <> 'Complete' AND NOT is_coupon_sale
UNION ALL SELECT 'not delivered', f.number, format('line %s: %s of %s enrollment codes were made', l.position, count(c.id), l.quantity)
    FROM old_facts f JOIN old_lines l ON l.order_id = f.id AND l.class = 'enrollment-code' LEFT JOIN old_codes c ON c.line_id = l.id
    GROUP BY f.number, l.position, l.quantity HAVING count(c.id) <> l.quantity
UNION ALL SELECT 'line', f.number, format('line %s: %s was deleted; its title tells the mode %s', l.position, l.sku, l.mode)
    FROM old_facts f JOIN old_lines l ON l.order_id = f.id WHERE l.is_gone
UNION ALL SELECT 'program offer', name, format('%s off all courses of program %s: %s', discount, program,
        coalesce(refusal, format('the catalog file has the price %s %s%s', price, currency,
            coalesce(', without an end: there it ends on ' || until::date, '')))) FROM old_program_prices
UNION ALL SELECT 'basket', b.number, format('%s %s was paid, and no order was placed: %s', b.processor, b.reference, b.skus)
    FROM old_baskets b, run WHERE b.site_id = run.site_id AND b.reference IS NOT NULL
UNION ALL SELECT 'basket', b.number, format('a payment was begun on %s and never completed', b.created::date)
    FROM old_baskets b, run WHERE b.site_id = run.site_id AND b.reference IS NULL
UNION ALL SELECT 'person', u.who, u.reason FROM (
    SELECT DISTINCT coalesce(p.username, f.number) AS who, CASE
        WHEN p.id IS NULL THEN 'its person is not on record there'
        WHEN NOT run.has_lms AND p.lms_id IS NULL THEN 'has no id of the course platform'
        WHEN NOT run.has_lms THEN NULL
        WHEN NOT p.is_found THEN 'has no account at the course platform'
        WHEN p.is_retired THEN 'is retired at the course platform'
        WHEN p.email IS NULL THEN 'shares an address with another account, or has none' END AS reason
    FROM run, old_facts f LEFT JOIN old_people p ON p.id = f.user_id WHERE NOT f.is_coupon_sale) u WHERE u.reason IS NOT NULL
UNION ALL SELECT 'enrollment', f.number, format('line %s: %s in %s, the course platform says %s', l.position, l.mode, l.own_course,
        coalesce(CASE WHEN e.is_active THEN e.mode ELSE e.mode || ', not enrolled' END, 'nothing'))
    FROM run, old_facts f JOIN old_lines l ON l.order_id = f.id AND l.class = 'seat' JOIN old_people p ON p.id = f.user_id AND p.is_found
    LEFT JOIN lms_enrollments e ON e.user_id = p.lms_id AND e.course = l.own_course
    WHERE run.has_lms AND NOT p.is_retired AND l.paid > 0 AND (NOT coalesce(e.is_active, false) OR e.mode <> l.mode)
      AND NOT EXISTS (SELECT FROM old_refunds r JOIN old_refund_lines x ON x.refund_id = r.id
                      WHERE r.order_id = f.id AND r.is_paid_back AND x.position = l.position);
