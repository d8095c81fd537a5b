-- The orders that are new here, or have news: a refund, another state.

CREATE TEMP TABLE todo AS
SELECT row_number() OVER (ORDER BY f.placed, f.id) AS nth, f.id, k.id IS NULL AS is_new
FROM old_facts f LEFT JOIN carts k ON k.id = f.cart_id LEFT JOIN transactions t ON t.cart_id = f.cart_id
WHERE f.refusal IS NULL AND NOT f.is_coupon_sale
  AND (k.id IS NULL OR f.refunded > t.refunded_amount
       OR k.email NOT LIKE '%@erased.invalid' AND k.metadata IS DISTINCT FROM nullif(f.labels, '{}'));
CREATE INDEX ON todo (nth);
ANALYZE todo;

CREATE TEMP TABLE batch AS SELECT f.*, false AS is_new FROM old_facts f WITH NO DATA;
CREATE TEMP TABLE batch_refunds (
    id uuid, cart_id uuid, old_id bigint, amount bigint, currency text, ended timestamptz, reference text, reason text);
