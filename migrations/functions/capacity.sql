-- Places of a course with a capacity. They are counted by who has one, whatever opened it: a purchase, a seat of any pool, an upgrade of
-- what somebody else gave, a move. The lines that were sold do not tell.

-- In SQL: PostgreSQL plans it as a part of the statements that read it.
CREATE OR REPLACE FUNCTION place_takers(of_course uuid) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
    SELECT e.id FROM enrollments e JOIN enrollment_grants g ON g.enrollment_id = e.id
    WHERE e.course_id = of_course AND g.ended_at IS NULL AND (g.cart_id IS NOT NULL OR g.source = 'partner' AND g.mode <> 'audit')
      AND NOT EXISTS (
          SELECT FROM moves m JOIN enrollment_grants t ON t.id = m.to_grant JOIN enrollments theirs ON theirs.id = t.enrollment_id
          WHERE m.from_grant = g.id AND num_nonnulls(m.done_at, m.withdrawn_at) = 0 AND theirs.course_id = of_course)
$$;
COMMENT ON FUNCTION place_takers(uuid) IS
    'Lists the enrollments that take a place of a course, some more than once: they rest on a purchase or a seat, or a partner gave them '
    'in a mode other than audit. What the course platform gave by itself takes none, nor does a partner''s audit: an upgrade of them does. '
    'Access that an open move gives to another person in the same course counts there alone.';

CREATE OR REPLACE FUNCTION has_place(of_course uuid, of_buyer text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM place_takers(of_course) taker WHERE taker IN (
            SELECT own.id FROM learners l JOIN enrollments own ON own.learner_id = l.id
            WHERE l.platform_user_id = CASE WHEN of_buyer ~ '^[0-9]{1,18}$' THEN of_buyer::bigint END
            UNION ALL
            SELECT g.enrollment_id FROM carts c JOIN enrollment_grants g ON g.cart_id = c.id
            WHERE c.buyer = of_buyer AND g.ended_at IS NULL
              AND NOT EXISTS (SELECT FROM moves m WHERE m.to_grant = g.id AND m.to_person)))
$$;
COMMENT ON FUNCTION has_place(uuid, text) IS
    'True if a buyer has a place in a course, so that a purchase takes no other one: as a learner, or by an earlier purchase that is still '
    'the buyer''s. The buyer is named as in carts.';

-- The columns of the cart one by one, also below: the api may not read a whole cart.
CREATE OR REPLACE FUNCTION holds_places(of_cart uuid, state text, held_since timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT state = 'paid' OR state = 'pending_payment' AND EXISTS (
        SELECT FROM transactions t WHERE t.cart_id = of_cart AND (t.created_at > held_since OR t.provider_pending_since IS NOT NULL))
$$;
COMMENT ON FUNCTION holds_places(uuid, text, timestamptz) IS
    'True if a cart holds the places that its lines are yet to open: an unpaid one from the begin of its payment until `held_since`, as it '
    'holds its voucher, and longer while the provider works on the payment; a paid one until its access opens, also if none is left.';

CREATE OR REPLACE FUNCTION has_offered_place(of_cart uuid, state text, of_course uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT state = 'pending_payment' AND EXISTS (
        SELECT FROM voucher_uses u JOIN vouchers v ON v.id = u.voucher_id JOIN voucher_scope s ON s.voucher_id = v.id
        WHERE u.cart_id = of_cart AND u.state = 'held' AND v.kind = 'place' AND s.course_id = of_course)
$$;
COMMENT ON FUNCTION has_offered_place(uuid, text, uuid) IS
    'True if an unpaid cart holds the code of a place in a course, which it does however old its payment is.';

CREATE OR REPLACE FUNCTION is_replaced(of_cart uuid, state text, buyer text, by_buyer text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT state = 'pending_payment' AND buyer IS NOT DISTINCT FROM by_buyer AND NOT EXISTS (
        SELECT FROM transactions t WHERE t.cart_id = of_cart AND t.on_account IS NOT NULL)
$$;
COMMENT ON FUNCTION is_replaced(uuid, text, text, text) IS
    'True if another checkout of the buyer replaces an unpaid cart, whose places then do not count. Those on account stay.';

CREATE OR REPLACE FUNCTION place_mode(of_course uuid, at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT m.slug FROM courses c JOIN course_modes m ON m.course_id = c.id
    WHERE c.id = of_course AND c.is_published AND NOT c.is_invite_only AND coalesce(c.ends_at > at, true)
      AND coalesce(c.enrollment_start <= at, true) AND coalesce(c.enrollment_end > at, true)
      AND m.visible AND coalesce(m.expires_at > at, true) AND coalesce(m.access_until > at, true)
    ORDER BY m.price = 0, m.price_order, m.slug LIMIT 1
$$;
COMMENT ON FUNCTION place_mode(uuid, timestamptz) IS
    'Finds the mode in which a place of a course is offered: the cheapest that costs something, else a free one. Null if the course is not '
    'sold at that time.';

CREATE OR REPLACE FUNCTION places_awaited(of_course uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT count(*) FROM waiting_list w WHERE w.course_id = of_course AND w.state = 'waiting'
$$;
COMMENT ON FUNCTION places_awaited(uuid) IS 'Counts who waits for a place in a course, and is not offered one yet.';

CREATE OR REPLACE FUNCTION places_taken(of_course uuid, held_since timestamptz, but_buyer text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT (SELECT count(DISTINCT taker) FROM place_takers(of_course) taker)
    + (SELECT count(*) FROM cart_courses a JOIN carts c ON c.id = a.cart_id
       JOIN cart_items i ON i.cart_id = a.cart_id AND i.position = a.position
       WHERE a.course_id = of_course AND i.access_ended_at IS NULL AND c.state IN ('paid', 'pending_payment')
         AND (holds_places(c.id, c.state, held_since) OR has_offered_place(c.id, c.state, of_course))
         AND NOT is_replaced(c.id, c.state, c.buyer, but_buyer) AND NOT has_place(of_course, c.buyer))
    + (SELECT coalesce(sum(i.seats), 0) FROM cart_items i JOIN carts c ON c.id = i.cart_id
       WHERE i.seats IS NOT NULL AND i.access_ended_at IS NULL AND c.state IN ('paid', 'pending_payment') AND holds_places(c.id, c.state, held_since)
         AND NOT is_replaced(c.id, c.state, c.buyer, but_buyer)
         AND NOT EXISTS (SELECT FROM vouchers v WHERE (v.cart_id, v.position) = (i.cart_id, i.position))
         AND (i.course_id = of_course OR i.program_id IN (SELECT p.program_id FROM program_courses p WHERE p.course_id = of_course)))
    + (SELECT coalesce(sum(v.max_uses - v.uses), 0) FROM voucher_scope s JOIN vouchers v ON v.id = s.voucher_id
       WHERE v.kind = 'seat' AND (v.valid_until IS NULL OR v.valid_until > held_since)
         AND (s.course_id = of_course OR s.program_id IN (SELECT p.program_id FROM program_courses p WHERE p.course_id = of_course)))
    -- A cart that another checkout replaces gives its place back to the offer; one on which the provider works again has it already.
    + (SELECT count(*) FROM waiting_list w JOIN vouchers v ON v.id = w.voucher_id
       WHERE w.course_id = of_course AND w.state = 'offered'
         AND CASE WHEN v.uses = 0 THEN NOT EXISTS (
                 SELECT FROM voucher_uses r JOIN carts k ON k.id = r.cart_id JOIN transactions t ON t.cart_id = k.id
                 WHERE r.voucher_id = v.id AND r.state = 'released' AND k.state = 'pending_payment' AND t.provider_pending_since IS NOT NULL)
             ELSE EXISTS (SELECT FROM voucher_uses u JOIN carts c ON c.id = u.cart_id
                          WHERE u.voucher_id = v.id AND u.state = 'held' AND is_replaced(c.id, c.state, c.buyer, but_buyer)) END)
    + places_awaited(of_course)
$$;
COMMENT ON FUNCTION places_taken(uuid, timestamptz, text) IS
    'Counts the places of a course that are taken: by who has one, by carts whose access is yet to open, without those of `but_buyer` that '
    'another checkout replaces, by the free seats of its pools, paid here or elsewhere, until the pool has ended, by places that are '
    'offered, and by those who wait for one: a place that becomes free is theirs.';
