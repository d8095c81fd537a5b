-- Enrollments.

-- Found by the buyer instead of among all enrollments in the line's courses: a course may have a hundred thousand of them. Of the buyer's
-- orders, a thousand perhaps, only those with one of these courses: each OFFSET leaves the planner only the way by the key.
CREATE OR REPLACE FUNCTION line_enrollments(of_cart uuid, of_position integer) RETURNS text[] LANGUAGE sql STABLE AS $$
SELECT ARRAY(SELECT CASE WHEN g.ended_at IS NOT NULL THEN 'removed'
                    WHEN e.state = 'enrolled' AND e.platform_state = 'refused' THEN 'refused'
                    ELSE e.state END
        FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
        WHERE g.cart_id = i.cart_id AND g.ended_reason IS DISTINCT FROM 'moved'
          AND NOT EXISTS (SELECT FROM moves m WHERE m.to_grant = g.id AND m.done_at IS NULL AND g.ended_at IS NOT NULL
                          AND EXISTS (SELECT FROM enrollment_grants f WHERE f.id = m.from_grant AND f.ended_at IS NULL))
          AND e.course_id IN (
            SELECT a.course_id FROM cart_courses a
            WHERE a.cart_id = i.cart_id AND a.position = i.position)
        UNION ALL
        SELECT CASE WHEN e.state = 'enrolled' AND e.platform_state = 'refused' THEN 'refused'
                    ELSE e.state END
        FROM (SELECT i.course_id || ARRAY(SELECT p.course_id FROM program_courses p WHERE p.program_id = i.program_id) AS ids) sold
        JOIN enrollments e ON e.id = ANY (ARRAY(
            SELECT own.id FROM enrollments own WHERE own.learner_id = k.learner_id AND own.course_id = ANY (sold.ids)
            UNION ALL
            SELECT g.enrollment_id FROM (SELECT id FROM carts WHERE buyer = k.buyer OFFSET 0) o
            CROSS JOIN LATERAL (SELECT FROM cart_courses WHERE cart_id = o.id AND course_id = ANY (sold.ids) OFFSET 0) a
            CROSS JOIN LATERAL (SELECT enrollment_id FROM enrollment_grants WHERE cart_id = o.id OFFSET 0) g))
        WHERE i.upgrade_from IS NOT NULL AND e.course_id = ANY (sold.ids) AND NOT EXISTS (
              SELECT FROM cart_courses a WHERE a.cart_id = i.cart_id AND a.position = i.position))
FROM cart_items i JOIN carts k ON k.id = i.cart_id WHERE i.cart_id = of_cart AND i.position = of_position
$$;
COMMENT ON FUNCTION line_enrollments(uuid, integer) IS
    'Lists the states of the enrollments of a cart''s line, for the status route and the orders: those that its cart granted, or, for a '
    'line that was free because its buyer held it already, those that the buyer holds. Without the access that a move has taken away, and '
    'without that of a move which came to nothing.';

CREATE OR REPLACE FUNCTION platform_is_unseen(e enrollments) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN e.state = 'enrolled' AND (e.platform_seen_at IS NULL OR e.platform_seen_at < coalesce(e.platform_synced_at, '-infinity'))
       AND EXISTS (SELECT FROM enrollment_grants g
                   WHERE g.enrollment_id = e.id AND g.ended_at IS NULL AND g.cart_id IS NOT NULL AND g.mode <> 'audit')
       AND NOT EXISTS (SELECT FROM enrollment_grants g
                       WHERE g.enrollment_id = e.id AND g.source <> 'platform' AND g.granted_at <= e.platform_synced_at
                         AND (g.ended_at IS NULL OR g.ended_at > e.platform_synced_at));
END $$;
COMMENT ON FUNCTION platform_is_unseen(enrollments) IS
    'True if the next sync of an enrollment must first read what the platform has: a purchase is about to change an enrollment that the '
    'worker has not changed yet, or has ended since. Free audits and a partner''s grants take no extra call. What the platform gave may be '
    'over there, so it does not count as seen.';

CREATE OR REPLACE FUNCTION grant_ends(of_cart uuid, of_course uuid, begins timestamptz)
RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
    sold record;
    zone text;
BEGIN
    SELECT i.access_days AS days, i.access_until AS until, k.organisation_id INTO sold
    FROM cart_courses a JOIN cart_items i ON (i.cart_id, i.position) = (a.cart_id, a.position) JOIN carts k ON k.id = a.cart_id
    WHERE a.cart_id = of_cart AND a.course_id = of_course;
    IF sold.days IS NULL THEN
        RETURN sold.until;
    END IF;
    SELECT day_zone(seller) INTO zone FROM organisations WHERE id = sold.organisation_id;
    -- An end is the beginning of a day: the instant before it is of the last one.
    RETURN least(sold.until, day_begins(
        ((begins - interval '1 microsecond') AT TIME ZONE zone)::date + sold.days + 1, zone));
END $$;
COMMENT ON FUNCTION grant_ends(uuid, uuid, timestamptz) IS
    'Computes when what a cart grants of a course ends by the clock: with the last of its days at the seller, and at the latest when the sale '
    'said. Null: never.';

CREATE OR REPLACE FUNCTION settle_periods(of_enrollment uuid, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    g record;
    chain text;
    after timestamptz;
    begins timestamptz;
    ends timestamptz;
BEGIN
    FOR g IN SELECT o.id, o.cart_id, o.mode, o.ended_at, o.begun_at, o.ends_at, e.course_id
             FROM enrollment_grants o JOIN enrollments e ON e.id = o.enrollment_id
             WHERE o.enrollment_id = of_enrollment AND e.learner_id IS NOT NULL AND o.cart_id IS NOT NULL
               AND (o.ended_at IS NULL OR o.ended_reason = 'its time is up')
             ORDER BY o.mode, o.begun_at, o.granted_at, o.id
    LOOP
        IF g.mode IS DISTINCT FROM chain THEN
            chain := g.mode;
            after := NULL;
        END IF;
        -- Days that have begun stay as they are; those that wait begin after the ones before them, or now.
        IF g.ended_at IS NULL AND (g.ends_at IS NULL OR g.begun_at > at) THEN
            begins := CASE WHEN g.begun_at <= at THEN g.begun_at ELSE greatest(at, after) END;
            ends := grant_ends(g.cart_id, g.course_id, begins);
            IF ends IS NOT NULL THEN
                UPDATE enrollment_grants SET begun_at = begins, ends_at = ends, reminded_at = NULL
                WHERE id = g.id AND (begun_at, ends_at) IS DISTINCT FROM (begins, ends);
                after := greatest(after, ends);
            END IF;
        ELSE
            after := greatest(after, g.ends_at);
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION settle_periods(uuid, timestamptz) IS
    'Computes when the live grants of an enrollment begin and end by the clock: in each mode, the days of one follow those before it. To be called '
    'after a grant is added, moved, ended or restored, and when the address has its account.';

CREATE OR REPLACE FUNCTION enrollment_ends(of_enrollment uuid, of_mode text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN bool_and(ends_at IS NOT NULL) THEN max(ends_at) END
    FROM enrollment_grants WHERE enrollment_id = of_enrollment AND ended_at IS NULL AND mode = of_mode
$$;
COMMENT ON FUNCTION enrollment_ends(uuid, text) IS 'Finds when the access of an enrollment in a mode ends by the clock. Null: never.';

CREATE OR REPLACE FUNCTION line_ends(of_cart uuid, of_position integer) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT max(g.ends_at) FROM cart_courses a JOIN enrollment_grants g ON g.cart_id = a.cart_id
    JOIN enrollments e ON e.id = g.enrollment_id AND e.course_id = a.course_id
    WHERE a.cart_id = of_cart AND a.position = of_position AND (g.ended_at IS NULL OR g.ended_reason = 'its time is up')
$$;
COMMENT ON FUNCTION line_ends(uuid, integer) IS 'Finds when the access that a line of a cart has given ends by the clock. Null: never, or none is given.';
