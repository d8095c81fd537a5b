-- Writes the codes as vouchers and seats, in the caller's transaction. Those that are here already stay as they are.

CREATE TEMP TABLE new_codes ON COMMIT DROP AS
SELECT f.* FROM old_fates f
WHERE f.refusal IS NULL AND (f.line_id IS NULL OR f.is_here) AND NOT EXISTS (SELECT FROM vouchers v WHERE v.id = f.voucher_id);

INSERT INTO vouchers (id, organisation_id, code, kind, percent, amount, currency, max_uses, max_uses_per_buyer, valid_from, valid_until,
                      campaign, note, created_at, uses, mode, email, buyer)
SELECT n.voucher_id, run.organisation_id, n.folded,
       CASE WHEN n.line_id IS NOT NULL THEN 'seat' WHEN n.value_kind = 'Percentage' THEN 'percent' ELSE 'amount' END,
       CASE WHEN n.line_id IS NULL AND n.value_kind = 'Percentage' THEN n.value END,
       CASE WHEN n.line_id IS NULL AND n.value_kind = 'Absolute' THEN (n.value * run.unit)::bigint END,
       run.currency, n.limit_of_uses, CASE WHEN n.line_id IS NOT NULL OR n.usage = 'Once per customer' THEN 1 END,
       n.from, n.until, left(n.coupon, 100), left('from ' || run.site, 200), run.now,
       -- A voucher counts the uses that it has had there. A seat's are the seats that are taken.
       n.used,
       CASE WHEN n.line_id IS NOT NULL THEN n.seat_mode END, CASE WHEN n.line_id IS NOT NULL THEN n.email END,
       CASE WHEN n.line_id IS NOT NULL THEN n.buyer END
FROM run, new_codes n;

INSERT INTO voucher_scope (voucher_id, course_id)
SELECT n.voucher_id, c.id FROM new_codes n
CROSS JOIN LATERAL (SELECT n.seat_course AS id WHERE n.line_id IS NOT NULL
                    UNION SELECT unnest(n.courses) WHERE n.line_id IS NULL AND n.program IS NULL) c;
INSERT INTO voucher_scope (voucher_id, program_id)
SELECT n.voucher_id, n.program_id FROM new_codes n WHERE n.line_id IS NULL AND n.program IS NOT NULL;

-- Who has used one there cannot use it again here, where each buyer has one.
INSERT INTO voucher_uses (cart_id, voucher_id, email, discount, slot, state, at)
SELECT k.id, n.voucher_id, k.email, coalesce(i.discount, 0),
       CASE WHEN n.usage = 'Once per customer' AND row_number() OVER (PARTITION BY n.voucher_id, k.email ORDER BY k.created_at, k.id) = 1 THEN 1 END,
       'used', k.created_at
FROM new_codes n JOIN old_code_uses u ON u.code_id = n.id JOIN old_facts f ON f.id = u.order_id JOIN carts k ON k.id = f.cart_id
CROSS JOIN LATERAL (SELECT sum(voucher_discount) AS discount FROM cart_items WHERE cart_id = k.id) i
WHERE n.line_id IS NULL
ON CONFLICT (cart_id) DO NOTHING;
UPDATE carts k SET voucher_id = u.voucher_id FROM new_codes n JOIN voucher_uses u ON u.voucher_id = n.voucher_id WHERE k.id = u.cart_id;
UPDATE vouchers v SET spent = s.spent
FROM (SELECT u.voucher_id, sum(u.discount) AS spent FROM new_codes n JOIN voucher_uses u ON u.voucher_id = n.voucher_id GROUP BY 1) s
WHERE v.id = s.voucher_id;
