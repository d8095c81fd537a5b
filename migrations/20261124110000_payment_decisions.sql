-- What a payment is waiting for, and what bought access rests on.

ALTER TABLE transactions
    -- Since when the provider works on the payment (a bank transfer, a voucher, an authorisation): it must not be cancelled.
    ADD COLUMN provider_pending_since timestamptz;
GRANT SELECT (provider_pending_since) ON transactions TO storefront_api;

ALTER TABLE carts
    -- Since when a paid cart's access waits for an operator, because what it was an upgrade of has ended.
    ADD COLUMN grant_blocked_at timestamptz;

-- The grant whose price an upgrade's price was reduced by. The upgrade ends when that grant is refunded.
ALTER TABLE cart_items ADD COLUMN rests_on uuid REFERENCES enrollment_grants;
ALTER TABLE enrollment_grants ADD COLUMN rests_on uuid REFERENCES enrollment_grants;
CREATE INDEX enrollment_grants_rests_on_idx ON enrollment_grants (rests_on) WHERE rests_on IS NOT NULL;
CREATE INDEX cart_items_rests_on_idx ON cart_items (rests_on) WHERE rests_on IS NOT NULL;

-- When the provider refused the account's key (401, 403): the reconciler asks nothing more with it until an operator sets
-- other credentials.
ALTER TABLE gateway_credentials ADD COLUMN refused_at timestamptz;

-- How the enrollments of a cart's line stand, for the status route and the orders: those that its cart granted, or, for a line
-- that was free because its buyer held it already, those that the buyer holds.
CREATE FUNCTION line_enrollments(of_cart uuid, of_position integer) RETURNS text[] LANGUAGE sql STABLE AS $$
SELECT ARRAY(SELECT CASE WHEN g.ended_at IS NOT NULL THEN 'removed'
                    WHEN e.state = 'enrolled' AND e.platform_state = 'refused' THEN 'refused'
                    ELSE e.state END
        FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
        WHERE g.cart_id = i.cart_id AND e.course_id IN (
            SELECT a.course_id FROM cart_courses a
            WHERE a.cart_id = i.cart_id AND a.position = i.position)
        UNION ALL
        SELECT CASE WHEN e.state = 'enrolled' AND e.platform_state = 'refused' THEN 'refused'
                    ELSE e.state END
        FROM enrollments e
        WHERE i.upgrade_from IS NOT NULL AND NOT EXISTS (
              SELECT FROM cart_courses a WHERE a.cart_id = i.cart_id AND a.position = i.position)
          AND (e.course_id = i.course_id OR e.course_id IN (
              SELECT p.course_id FROM program_courses p WHERE p.program_id = i.program_id))
          AND (e.learner_id = k.learner_id OR EXISTS (
              SELECT FROM enrollment_grants g JOIN carts o ON o.id = g.cart_id
              WHERE g.enrollment_id = e.id AND o.buyer = k.buyer)))
FROM cart_items i JOIN carts k ON k.id = i.cart_id WHERE i.cart_id = of_cart AND i.position = of_position
$$;
