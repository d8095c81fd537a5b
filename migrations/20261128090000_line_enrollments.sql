-- How the enrollments of a cart's line stand, as before, found by the buyer instead of among all enrollments in the line's courses:
-- a course may have a hundred thousand of them.
CREATE OR REPLACE FUNCTION line_enrollments(of_cart uuid, of_position integer) RETURNS text[] LANGUAGE sql STABLE AS $$
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
          AND e.course_id = ANY (
              i.course_id || ARRAY(SELECT p.course_id FROM program_courses p WHERE p.program_id = i.program_id))
          AND e.id IN (
              SELECT own.id FROM enrollments own WHERE own.learner_id = k.learner_id
              UNION ALL
              SELECT g.enrollment_id FROM carts o JOIN enrollment_grants g ON g.cart_id = o.id WHERE o.buyer = k.buyer))
FROM cart_items i JOIN carts k ON k.id = i.cart_id WHERE i.cart_id = of_cart AND i.position = of_position
$$;
