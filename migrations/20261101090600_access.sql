-- Access: enrollments as the union of their live grants, their sync with the course platform, and batches of enrollments.

CREATE TABLE enrollments (
    id uuid PRIMARY KEY,
    email text NOT NULL CHECK (email = lower(btrim(email))),
    course_id uuid NOT NULL REFERENCES courses,
    learner_id uuid REFERENCES learners,
    -- removed: no live grant is left. The row stays, so that the platform can be told.
    state text NOT NULL CHECK (state IN ('enrolled', 'pending_registration', 'removed')),
    mode text NOT NULL,
    -- Counts every change of state or mode; platform_version is the last one that the platform confirmed.
    version integer NOT NULL DEFAULT 1,
    platform_version integer NOT NULL DEFAULT 0,
    platform_state text NOT NULL DEFAULT 'queued' CHECK (platform_state IN ('queued', 'synced', 'refused')),
    platform_reason text,
    -- The mode that the platform last confirmed, and when: a removal may end that one, but no other that the learner took elsewhere.
    platform_mode text,
    platform_synced_at timestamptz,
    -- The version in the events of the enrollment, which grows with each of them: `version` does not count the platform's answers.
    event_version integer NOT NULL DEFAULT 1,
    -- Held by the one SyncEnrollment that may call the platform now.
    sync_lease_until timestamptz,
    -- When the reconciler last queued a SyncEnrollment of its own: it queues no other until that has had its time.
    sync_requested_at timestamptz,
    -- How often in a row the LMS answered 500 for this enrollment, as it does for an account without a profile: the reconciler
    -- retries less and less often, and an operator is alerted once.
    sync_failures integer NOT NULL DEFAULT 0,
    -- The only message of the enrollment's sync is yet to be sent, at the turn of its batch.
    sync_held_back boolean NOT NULL DEFAULT false,
    -- The platform has not yet said whether it knows this address; until then no invitation is sent.
    unresolved boolean NOT NULL DEFAULT false,
    -- The next mail to the address must invite it to this course.
    invitation_waits boolean NOT NULL DEFAULT false,
    invited_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT enrollments_email_course_key UNIQUE (email, course_id),
    CONSTRAINT enrollments_enrolled_has_learner CHECK (state <> 'enrolled' OR learner_id IS NOT NULL),
    CHECK (platform_version <= version)
);
CREATE UNIQUE INDEX enrollments_learner_course_key ON enrollments (learner_id, course_id) WHERE learner_id IS NOT NULL;
CREATE INDEX enrollments_course_idx ON enrollments (course_id);
CREATE INDEX enrollments_pending_idx ON enrollments (email) WHERE state = 'pending_registration';
CREATE INDEX enrollments_invitation_waits_idx ON enrollments (email)
    WHERE invitation_waits AND state = 'pending_registration';
-- The reconciler's and its metrics': enrollments that wait for the platform, those at the turn of their batch last, and those that
-- it refused. Records without a learner stay queued, and wait for nothing.
CREATE INDEX enrollments_waiting_idx ON enrollments (sync_held_back, updated_at)
    WHERE platform_state = 'queued' AND learner_id IS NOT NULL;
CREATE INDEX enrollments_refused_idx ON enrollments (updated_at)
    WHERE platform_state = 'refused' AND state = 'enrolled';

-- Why an enrollment exists. Several grants may be live at once; the enrollment takes the best mode of them.
CREATE TABLE enrollment_grants (
    id uuid PRIMARY KEY,
    enrollment_id uuid NOT NULL REFERENCES enrollments,
    source text NOT NULL CHECK (source IN ('partner', 'cart', 'free')),
    cart_id uuid REFERENCES carts,
    mode text NOT NULL,
    -- The grant whose price an upgrade's price was reduced by. The upgrade ends when that grant is refunded.
    rests_on uuid REFERENCES enrollment_grants,
    granted_at timestamptz NOT NULL,
    ended_at timestamptz,
    ended_reason text,
    CONSTRAINT enrollment_grants_cart_source CHECK ((source = 'partner') = (cart_id IS NULL)),
    CONSTRAINT enrollment_grants_ended_with_reason CHECK ((ended_at IS NULL) = (ended_reason IS NULL))
);
CREATE UNIQUE INDEX enrollment_grants_live_partner_key ON enrollment_grants (enrollment_id)
    WHERE source = 'partner' AND ended_at IS NULL;
CREATE UNIQUE INDEX enrollment_grants_cart_key ON enrollment_grants (enrollment_id, cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX enrollment_grants_enrollment_idx ON enrollment_grants (enrollment_id);
CREATE INDEX enrollment_grants_cart_idx ON enrollment_grants (cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX enrollment_grants_rests_on_idx ON enrollment_grants (rests_on) WHERE rests_on IS NOT NULL;

-- A cart's line grants access, and an upgrade's line refers to the grant that it builds on.
ALTER TABLE cart_items ADD CONSTRAINT cart_items_rests_on_fkey FOREIGN KEY (rests_on) REFERENCES enrollment_grants;

-- The states of the enrollments of a cart's line, for the status route and the orders: those that its cart granted, or, for a line
-- that was free because its buyer held it already, those that the buyer holds. They are found by the buyer instead of among all
-- enrollments in the line's courses: a course may have a hundred thousand of them.
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
          AND e.course_id = ANY (
              i.course_id || ARRAY(SELECT p.course_id FROM program_courses p WHERE p.program_id = i.program_id))
          AND e.id IN (
              SELECT own.id FROM enrollments own WHERE own.learner_id = k.learner_id
              UNION ALL
              SELECT g.enrollment_id FROM carts o JOIN enrollment_grants g ON g.cart_id = o.id WHERE o.buyer = k.buyer))
FROM cart_items i JOIN carts k ON k.id = i.cart_id WHERE i.cart_id = of_cart AND i.position = of_position
$$;

-- Batches -------------------------------------------------------------------------------------------------------------

-- Batches of rows that a trusted partner submits at once: enrollments and removals, or assignments of seats. Each row is
-- processed by itself.
CREATE TABLE batches (
    -- The id of the command that submitted it.
    id uuid PRIMARY KEY,
    total integer NOT NULL CHECK (total BETWEEN 1 AND 5000),
    -- The pool whose seats are assigned to the addresses of the rows; null: enrollments and removals.
    voucher_id uuid REFERENCES vouchers,
    created_at timestamptz NOT NULL,
    -- When its last row was done or had failed.
    done_at timestamptz,
    -- The message whose job processes the next rows, and until when. Null while the next message is yet to be sent.
    lease_id uuid,
    lease_until timestamptz NOT NULL
);
CREATE INDEX batches_created_idx ON batches (created_at);
CREATE INDEX batches_lease_idx ON batches (lease_until) WHERE done_at IS NULL;
CREATE INDEX batches_voucher_idx ON batches (voucher_id) WHERE voucher_id IS NOT NULL;

CREATE TABLE batch_rows (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    -- Counted from 1, without the header row of a CSV.
    row integer NOT NULL CHECK (row > 0),
    -- If it is not an address: as it was sent, without control characters, at most 255 characters.
    email text NOT NULL,
    action text NOT NULL CHECK (action IN ('enroll', 'unenroll')),
    course_id uuid,
    mode text,
    state text NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    -- The result of a row that is done.
    result text CHECK (result IN ('enrolled', 'pending_registration', 'removed', 'cancelled', 'none')),
    -- The enrollment that a row that is done granted.
    enrollment_id uuid,
    -- Why a row has failed.
    message text,
    -- How often a server was unavailable for it. Such rows come last.
    tries integer NOT NULL DEFAULT 0,
    PRIMARY KEY (batch_id, row),
    CHECK ((state = 'done') = (result IS NOT NULL) AND (state = 'failed') = (message IS NOT NULL))
);
CREATE INDEX batch_rows_waiting_idx ON batch_rows (batch_id, tries, row) WHERE state = 'waiting';
-- To find a person's rows.
CREATE INDEX batch_rows_email_idx ON batch_rows (email);

-- The syncs of batches wait here, not in the outbox, so that batches take turns at the course platform and leave calls to buyers.
CREATE TABLE batch_syncs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    -- The lowest comes first. Each sync adds the calls that it takes to the last rank of its batch, and a batch without any here
    -- begins at the lowest one, so that batches share the calls equally.
    rank bigint NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX batch_syncs_rank_idx ON batch_syncs (rank, id);
CREATE INDEX batch_syncs_batch_idx ON batch_syncs (batch_id, rank);

-- One row: when the next sync of any batch may be sent, by the database server's clock.
CREATE TABLE batch_pace (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    next_sync_at timestamptz NOT NULL
);
INSERT INTO batch_pace (next_sync_at) VALUES ('epoch');
