-- The books of the shop in big_shop.sql, in the same session: a payout each day, with what was sold on the day before, and an invoice for
-- each sale.
SET session_replication_role = replica;
UPDATE organisations SET seller = (SELECT seller FROM organisations WHERE seller IS NOT NULL LIMIT 1), seller_since = now() - interval '500 days'
WHERE short_name = 'northwind';
INSERT INTO payouts (id, organisation_id, gateway, reference, state, amount, currency, made_at, is_itemised, read_at, difference)
SELECT pg_temp.id(14, day), o.id, 'stripe', 'po_' || day, 'paid', 1, 'USD', now() - interval '1 day' * day, true, now() - interval '1 day' * day, 0
FROM generate_series(0, 400) day, organisations o WHERE o.short_name = 'northwind';
INSERT INTO payout_rows (payout_id, reference, kind, provider_kind, gross, fee, fee_tax, currency, moved_at, transaction_id)
SELECT pg_temp.id(14, extract(day FROM now() - created_at)::integer), provider_reference, 'payment', 'charge', 4900, 100, 0, 'USD', created_at, id
FROM transactions WHERE state = 'succeeded';
INSERT INTO ledger (at, organisation_id, kind, payout_id, amount, currency, gateway, provider_reference, received_at)
SELECT made_at, organisation_id, kind, id, -amount, currency, gateway, reference, made_at FROM payouts, unnest(ARRAY['payout', 'fee']) kind;
INSERT INTO documents (id, organisation_id, kind, number, cart_id, version, issued_at, total, currency, content)
SELECT gen_random_uuid(), organisation_id, 'invoice', 'BIG' || row_number() OVER (), cart_id, 0, created_at, 4900, 'USD',
       jsonb_build_object('issued_on', created_at::date)
FROM transactions WHERE state = 'succeeded';
SET session_replication_role = origin;
