-- Places: how many learners a course takes, as the platform says or the operator has set. Checkouts take a place with the cart.

-- Null: as many as come.
ALTER TABLE courses ADD COLUMN capacity integer CONSTRAINT courses_capacity_positive CHECK (capacity > 0);

-- True if a cart takes places. An unpaid one does from the begin of its payment until `held_since`, as it holds its voucher; longer while
-- the provider works on the payment. One that is paid after that takes its places again, also if none is left: it is honoured.
-- Its columns one by one: the api may not read a whole cart.
CREATE FUNCTION takes_places(of_cart uuid, state text, held_since timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT state IN ('held', 'paid', 'fulfilled') OR state = 'pending_payment' AND EXISTS (
        SELECT FROM transactions t WHERE t.cart_id = of_cart AND (t.created_at > held_since OR t.provider_pending_since IS NOT NULL))
$$;

-- The places of a course that carts take, without those of `but_buyer`'s unpaid carts. Counted from the carts, so that every edge that
-- ends a cart or a line gives its places back. An upgrade takes none: its buyer has one. A cart that redeems a seat takes none
-- either: the pool's line has taken it.
CREATE FUNCTION places_taken(of_course uuid, held_since timestamptz, but_buyer text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(places), 0)::bigint FROM (
        SELECT 1 AS places
        FROM cart_courses a JOIN carts c ON c.id = a.cart_id
        JOIN cart_items i ON i.cart_id = a.cart_id AND i.position = a.position
        WHERE a.course_id = of_course AND i.upgrade_from IS NULL AND i.access_ended_at IS NULL AND takes_places(c.id, c.state, held_since)
          AND NOT (c.state = 'pending_payment' AND c.buyer IS NOT DISTINCT FROM but_buyer)
          AND NOT EXISTS (SELECT FROM vouchers v WHERE v.id = c.voucher_id AND v.kind = 'seat')
        UNION ALL
        SELECT i.seats - coalesce(v.withdrawn, 0)
        FROM cart_items i JOIN carts c ON c.id = i.cart_id
        LEFT JOIN vouchers v ON v.cart_id = i.cart_id AND v.position = i.position
        WHERE i.seats IS NOT NULL AND takes_places(c.id, c.state, held_since)
          AND NOT (c.state = 'pending_payment' AND c.buyer IS NOT DISTINCT FROM but_buyer)
          AND (i.course_id = of_course OR i.program_id IN (SELECT p.program_id FROM program_courses p WHERE p.course_id = of_course))
    ) taken
$$;
-- For the places that are left, which the api shows.
GRANT SELECT (created_at) ON transactions TO storefront_api;
