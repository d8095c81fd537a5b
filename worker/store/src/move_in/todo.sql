-- The orders that are new here, or have news: a refund, another state, an account that can refund them.

CREATE TEMP TABLE todo AS
SELECT row_number() OVER (ORDER BY f.placed, f.id) AS nth, f.id, k.id IS NULL AS is_new
FROM old_facts f LEFT JOIN carts k ON k.id = f.cart_id LEFT JOIN transactions t ON t.cart_id = f.cart_id
WHERE f.refusal IS NULL AND NOT f.is_coupon_sale
  AND (k.id IS NULL OR f.gateway <> 'external' AND f.has_own_reference AND t.gateway = 'external' AND NOT EXISTS (
           SELECT FROM transactions o WHERE o.gateway = f.gateway AND o.provider_reference = f.reference)
       OR CASE WHEN f.refunded > 0 AND t.refunded_amount < t.amount THEN f.refunded > pg_temp.taken_over(t.id, f.refunded) ELSE false END
       OR k.email NOT LIKE '%@erased.invalid' AND k.metadata IS DISTINCT FROM nullif(f.labels, '{}'));
CREATE INDEX ON todo (nth);
ANALYZE todo;

CREATE TEMP TABLE batch AS SELECT f.*, false AS is_new FROM old_facts f WITH NO DATA;
CREATE TEMP TABLE batch_due (cart_id uuid, transaction_id uuid, gateway text, amount bigint, is_mixed boolean);
CREATE TEMP TABLE batch_refunds (
    id uuid, cart_id uuid, old_id bigint, amount bigint, currency text, ended timestamptz, reference text, reason text);
