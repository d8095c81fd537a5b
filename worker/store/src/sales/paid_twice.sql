-- Other paid orders of the buyer or the address of the order $1, where one of the two may be a mistake. $2: its address, $3: its buyer, $4:
-- its organisation.
SELECT (
    -- One that charged for one of the courses, programs expanded, where neither purchase is an upgrade of the other.
    WITH RECURSIVE bases (course_id, id) AS (
        SELECT e.course_id, g.rests_on FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
        WHERE g.cart_id = $1 AND g.rests_on IS NOT NULL
        UNION
        SELECT bases.course_id, g.rests_on FROM bases JOIN enrollment_grants g ON g.id = bases.id
        WHERE g.rests_on IS NOT NULL)
    -- The buyer's orders before their courses: a course can have a hundred thousand buyers. Each OFFSET leaves the planner only
    -- the way by the key.
    SELECT o.id FROM (SELECT id, state FROM carts WHERE email = $2 OR buyer = $3 OFFSET 0) o
    CROSS JOIN LATERAL (
        SELECT * FROM cart_courses WHERE cart_id = o.id
          AND course_id = ANY (ARRAY(SELECT course_id FROM cart_courses WHERE cart_id = $1)) OFFSET 0) theirs
    JOIN cart_items other ON other.cart_id = o.id AND other.position = theirs.position
    JOIN cart_courses ours ON ours.course_id = theirs.course_id AND ours.cart_id = $1
    JOIN cart_items own ON own.cart_id = $1 AND own.position = ours.position
    WHERE o.id <> $1 AND o.state IN ('paid', 'fulfilled')
      AND own.price > 0 AND other.price > 0
      -- Days of access that are bought again follow the first ones.
      AND NOT (own.access_days IS NOT NULL AND own.access_until IS NULL AND other.access_days IS NOT NULL)
      AND own.access_ended_at IS NULL AND other.access_ended_at IS NULL
      AND NOT EXISTS (SELECT FROM moves m JOIN enrollment_grants g ON g.id = m.to_grant
                      WHERE (m.cart_id, m.position) = (other.cart_id, other.position) AND m.to_person
                        AND m.done_at IS NOT NULL AND g.ended_at IS NULL)
      AND own.upgrade_from IS DISTINCT FROM theirs.mode AND other.upgrade_from IS DISTINCT FROM ours.mode
      AND NOT EXISTS (
          SELECT FROM bases JOIN enrollment_grants g ON g.id = bases.id
          WHERE bases.course_id = ours.course_id AND g.cart_id = o.id)
    ORDER BY o.id LIMIT 1) AS "bought_before: CartId",
(
    -- One with the same organisation, where the earlier one was still unpaid when the later one was checked out: it had been replaced or
    -- had ended before it was paid, or both buy seats in the same item. A former shop's order is none of them. Each OFFSET leaves the planner only the way by the key: it would
    -- read the organisation's orders, their payments or the audit log.
    WITH own AS (
        SELECT c.id, c.paid_at, t.created_at AS begun_at FROM carts c JOIN transactions t ON t.cart_id = c.id
        WHERE c.id = $1 AND c.state IN ('paid', 'fulfilled'))
    SELECT o.id FROM own
    CROSS JOIN (SELECT id, organisation_id, state, paid_at FROM carts
                WHERE (email = $2 OR buyer = $3) AND former_shop IS NULL OFFSET 0) o
    CROSS JOIN LATERAL (SELECT created_at AS begun_at FROM transactions WHERE cart_id = o.id OFFSET 0) t
    CROSS JOIN LATERAL (
        SELECT own.id, own.paid_at WHERE own.begun_at <= t.begun_at
        UNION ALL SELECT o.id, o.paid_at WHERE t.begun_at <= own.begun_at) earlier
    WHERE o.id <> $1 AND o.organisation_id = $4 AND o.state IN ('paid', 'fulfilled')
      AND earlier.paid_at > greatest(own.begun_at, t.begun_at) AND (
        EXISTS (SELECT FROM audit_log a WHERE a.entity = 'cart' AND a.entity_id = earlier.id
                AND a.from_state IN ('cancelled', 'expired') AND a.to_state = 'paid' OFFSET 0)
        OR EXISTS (SELECT FROM cart_items i JOIN cart_items j ON j.cart_id = o.id
                   AND coalesce(j.course_id, j.program_id) = coalesce(i.course_id, i.program_id)
                   WHERE i.cart_id = own.id AND i.seats > 0 AND j.seats > 0
                     AND i.access_ended_at IS NULL AND j.access_ended_at IS NULL OFFSET 0))
    ORDER BY o.id LIMIT 1) AS "paid_beside: CartId"
