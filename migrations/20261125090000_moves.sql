-- Moves: the access that a line bought goes to another course or to another person. No money moves. The old access ends once the course
-- platform has confirmed the new one, so that no order of failures leaves a payer without access.

-- In which time a buyer may move a line without asking (null: never), and how often (null: once).
ALTER TABLE organisations
    ADD COLUMN move_days integer CONSTRAINT organisations_move_days CHECK (move_days BETWEEN 0 AND 3650),
    ADD COLUMN moves_allowed integer CONSTRAINT organisations_moves_allowed CHECK (moves_allowed BETWEEN 1 AND 100);

CREATE TABLE moves (
    -- The id of the command that asked for it.
    id uuid PRIMARY KEY,
    cart_id uuid NOT NULL,
    position integer NOT NULL,
    -- The grant that ends, and the one that takes its place.
    from_grant uuid NOT NULL REFERENCES enrollment_grants,
    to_grant uuid NOT NULL REFERENCES enrollment_grants,
    -- True if the access is another person's than the buyer's from then on.
    to_person boolean NOT NULL,
    by_learner boolean NOT NULL,
    reason text,
    asked_at timestamptz NOT NULL,
    -- When the old access ended, which is after the platform has confirmed the new one; or when the new access was taken back.
    done_at timestamptz,
    withdrawn_at timestamptz,
    CONSTRAINT moves_one_end CHECK (num_nonnulls(done_at, withdrawn_at) <= 1),
    CONSTRAINT moves_line_fkey FOREIGN KEY (cart_id, position) REFERENCES cart_items (cart_id, position) ON DELETE CASCADE
);
CREATE INDEX moves_line_idx ON moves (cart_id, position);
CREATE INDEX moves_to_idx ON moves (to_grant);
CREATE INDEX moves_from_idx ON moves (from_grant);
CREATE UNIQUE INDEX moves_open_key ON moves (cart_id, position) WHERE done_at IS NULL AND withdrawn_at IS NULL;

-- When the latest course of a line starts: of those that it grants, or that its seats are for. A line that was moved keeps the start of
-- the course that was sold, so that a move reopens no period.
CREATE OR REPLACE FUNCTION line_starts(line cart_items) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT max(c.starts_at) FROM courses c WHERE c.id IN (
        SELECT a.course_id FROM cart_courses a WHERE a.cart_id = line.cart_id AND a.position = line.position
            AND NOT EXISTS (SELECT FROM moves m WHERE (m.cart_id, m.position) = (line.cart_id, line.position))
        UNION ALL SELECT line.course_id WHERE line.seats IS NOT NULL
            OR EXISTS (SELECT FROM moves m WHERE (m.cart_id, m.position) = (line.cart_id, line.position))
        UNION ALL SELECT p.course_id FROM program_courses p WHERE p.program_id = line.program_id AND line.seats IS NOT NULL)
$$;

-- The enrollments of a line without the access that a move has taken away, and without that of a move which came to nothing.
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

-- A move is in the ledger's report, so that the report explains why a sale's course has changed.
ALTER TABLE ledger
    DROP CONSTRAINT ledger_kind_check,
    ADD CONSTRAINT ledger_kind_known CHECK (kind IN
        ('captured', 'refunded', 'refund_failed', 'chargeback', 'chargeback_reversed', 'moved')),
    DROP CONSTRAINT ledger_sign,
    ADD CONSTRAINT ledger_sign CHECK (CASE kind WHEN 'refunded' THEN amount < 0 WHEN 'chargeback' THEN amount < 0
                                                WHEN 'moved' THEN amount = 0 ELSE amount > 0 END);

CREATE OR REPLACE FUNCTION event_types() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
SELECT ARRAY['order.pending', 'order.closed', 'order.paid', 'order.fulfilled', 'order.refunded', 'order.refund_failed',
             'order.disputed', 'order.withdrawn', 'enrollment.changed', 'enrollment.moved']
$$;

-- The end of a move: its event, and the ledger's row if the order was paid.
CREATE FUNCTION move_done() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (organisation_id, type, enrollment_id, data)
    SELECT k.organisation_id, 'enrollment.moved', t.enrollment_id, jsonb_build_object(
        'cart_id', NEW.cart_id, 'position', NEW.position, 'mode', t.mode,
        'course_id', tc.id, 'openedx_course_id', tc.openedx_course_id,
        'from_course_id', fc.id, 'from_openedx_course_id', fc.openedx_course_id, 'to_person', NEW.to_person)
    FROM carts k, enrollment_grants t JOIN enrollments te ON te.id = t.enrollment_id JOIN courses tc ON tc.id = te.course_id,
         enrollment_grants f JOIN enrollments fe ON fe.id = f.enrollment_id JOIN courses fc ON fc.id = fe.course_id
    WHERE k.id = NEW.cart_id AND t.id = NEW.to_grant AND f.id = NEW.from_grant;
    INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway, provider_reference)
    SELECT NEW.done_at, t.organisation_id, 'moved', t.cart_id, t.id, 0, t.currency, t.gateway, t.provider_reference
    FROM transactions t WHERE t.cart_id = NEW.cart_id AND EXISTS (SELECT FROM ledger l WHERE l.transaction_id = t.id);
    RETURN NULL;
END $$;
CREATE TRIGGER moves_done AFTER UPDATE OF done_at ON moves FOR EACH ROW
    WHEN (OLD.done_at IS NULL AND NEW.done_at IS NOT NULL) EXECUTE FUNCTION move_done();

-- Where a line has gone, which its order shows; not why.
GRANT SELECT (cart_id, position, from_grant, to_grant, to_person, asked_at, done_at, withdrawn_at) ON moves TO storefront_api;

-- The courses of an organisation by name, published or not, as its managers list them.
CREATE INDEX courses_own_idx ON courses (organisation_id, display_name, id);
