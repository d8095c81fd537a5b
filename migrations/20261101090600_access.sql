-- Access: enrollments as the union of their live grants, their sync with the course platform, moves, and batches of enrollments.

CREATE TABLE enrollments (
    id uuid PRIMARY KEY,
    email text NOT NULL CHECK (email = lower(btrim(email))),
    course_id uuid NOT NULL REFERENCES courses,
    learner_id uuid REFERENCES learners,
    state text NOT NULL CHECK (state IN ('enrolled', 'pending_registration', 'removed')),
    mode text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    platform_version integer NOT NULL DEFAULT 0,
    platform_state text NOT NULL DEFAULT 'queued' CHECK (platform_state IN ('queued', 'synced', 'refused')),
    platform_reason text,
    platform_mode text,
    platform_synced_at timestamptz,
    event_version integer NOT NULL DEFAULT 1,
    sync_lease_until timestamptz,
    sync_requested_at timestamptz,
    sync_failures integer NOT NULL DEFAULT 0,
    sync_held_back boolean NOT NULL DEFAULT false,
    unresolved boolean NOT NULL DEFAULT false,
    invitation_waits boolean NOT NULL DEFAULT false,
    invited_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    platform_seen_at timestamptz,
    language text CHECK (length(language) BETWEEN 2 AND 35),
    CONSTRAINT enrollments_email_course_key UNIQUE (email, course_id),
    CONSTRAINT enrollments_enrolled_has_learner CHECK (state <> 'enrolled' OR learner_id IS NOT NULL),
    CHECK (platform_version <= version)
);
COMMENT ON TABLE enrollments IS 'The access of an address to a course, and what the course platform has confirmed of it.';
COMMENT ON COLUMN enrollments.state IS 'removed: no live grant is left. The row stays, so that the platform can be told.';
COMMENT ON COLUMN enrollments.version IS 'Counts every change of state or mode.';
COMMENT ON COLUMN enrollments.platform_version IS 'The last version that the platform confirmed.';
COMMENT ON COLUMN enrollments.platform_mode IS
    'The mode that the platform last confirmed: a removal may end that one, but no other that the learner took elsewhere.';
COMMENT ON COLUMN enrollments.platform_synced_at IS 'When the platform last confirmed it.';
COMMENT ON COLUMN enrollments.event_version IS
    'The version in the events of the enrollment, which grows with each of them: `version` does not count the platform''s answers.';
COMMENT ON COLUMN enrollments.sync_lease_until IS 'Held by the one SyncEnrollment that may call the platform now.';
COMMENT ON COLUMN enrollments.sync_requested_at IS
    'When the reconciler last queued a SyncEnrollment of its own: it queues no other until that has had its time.';
COMMENT ON COLUMN enrollments.sync_failures IS
    'How often in a row the LMS answered 500 for this enrollment, as it does for an account without a profile: the reconciler retries less '
    'and less often, and an operator is alerted once.';
COMMENT ON COLUMN enrollments.sync_held_back IS 'The only message of the enrollment''s sync is yet to be sent, at the turn of its batch.';
COMMENT ON COLUMN enrollments.unresolved IS
    'The platform has not yet said whether it knows this address; until then no invitation is sent.';
COMMENT ON COLUMN enrollments.invitation_waits IS 'The next mail to the address must invite it to this course.';
COMMENT ON COLUMN enrollments.platform_seen_at IS
    'When the worker last read what the platform had, before its own first change. Null: it has not looked. Read before the first call '
    'that can change it: after a call without an answer, nobody can tell what the platform had.';
COMMENT ON COLUMN enrollments.language IS 'Of the invitation that the address waits for; null: as `buyer_language` says when it is sent.';
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

CREATE TABLE enrollment_grants (
    id uuid PRIMARY KEY,
    enrollment_id uuid NOT NULL REFERENCES enrollments,
    source text NOT NULL CONSTRAINT enrollment_grants_source_known CHECK (source IN ('partner', 'cart', 'free', 'platform')),
    cart_id uuid REFERENCES carts,
    mode text NOT NULL,
    rests_on uuid REFERENCES enrollment_grants,
    granted_at timestamptz NOT NULL,
    ended_at timestamptz,
    ended_reason text,
    CONSTRAINT enrollment_grants_cart_source CHECK ((source IN ('partner', 'platform')) = (cart_id IS NULL)),
    CONSTRAINT enrollment_grants_ended_with_reason CHECK ((ended_at IS NULL) = (ended_reason IS NULL))
);
COMMENT ON TABLE enrollment_grants IS
    'Why an enrollment exists: a partner''s grant, a cart, a free course, or what the platform gave by itself. Several grants may be live '
    'at once; the enrollment takes the best mode of them.';
COMMENT ON COLUMN enrollment_grants.source IS
    '`platform`: what the course platform gave the learner by itself, so that the end of a purchase falls back to it. It is never charged '
    'for, and the worker never ends it of its own accord.';
COMMENT ON COLUMN enrollment_grants.rests_on IS
    'The grant whose price an upgrade''s price was reduced by. The upgrade ends when that grant is refunded.';
CREATE UNIQUE INDEX enrollment_grants_live_partner_key ON enrollment_grants (enrollment_id)
    WHERE source = 'partner' AND ended_at IS NULL;
CREATE UNIQUE INDEX enrollment_grants_live_platform_key ON enrollment_grants (enrollment_id)
    WHERE source = 'platform' AND ended_at IS NULL;
CREATE UNIQUE INDEX enrollment_grants_cart_key ON enrollment_grants (enrollment_id, cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX enrollment_grants_enrollment_idx ON enrollment_grants (enrollment_id);
CREATE INDEX enrollment_grants_cart_idx ON enrollment_grants (cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX enrollment_grants_rests_on_idx ON enrollment_grants (rests_on) WHERE rests_on IS NOT NULL;

-- A cart's line grants access, and an upgrade's line refers to the grant that it builds on.
ALTER TABLE cart_items ADD CONSTRAINT cart_items_rests_on_fkey FOREIGN KEY (rests_on) REFERENCES enrollment_grants;

-- Moves ---------------------------------------------------------------------------------------------------------------

-- The old access ends once the course platform has confirmed the new one, so that no order of failures leaves a payer without access.
CREATE TABLE moves (
    id uuid PRIMARY KEY,
    cart_id uuid NOT NULL,
    position integer NOT NULL,
    from_grant uuid NOT NULL REFERENCES enrollment_grants,
    to_grant uuid NOT NULL REFERENCES enrollment_grants,
    to_person boolean NOT NULL,
    by_learner boolean NOT NULL,
    reason text,
    asked_at timestamptz NOT NULL,
    done_at timestamptz,
    withdrawn_at timestamptz,
    CONSTRAINT moves_one_end CHECK (num_nonnulls(done_at, withdrawn_at) <= 1),
    CONSTRAINT moves_line_fkey FOREIGN KEY (cart_id, position) REFERENCES cart_items (cart_id, position) ON DELETE CASCADE
);
COMMENT ON TABLE moves IS 'Lines whose access goes to another course or person. No money moves.';
COMMENT ON COLUMN moves.id IS 'The id of the command that asked for it.';
COMMENT ON COLUMN moves.from_grant IS 'The grant that ends.';
COMMENT ON COLUMN moves.to_grant IS 'The grant that takes the place of the one that ends.';
COMMENT ON COLUMN moves.to_person IS 'True if the access is another person''s than the buyer''s from then on.';
COMMENT ON COLUMN moves.done_at IS 'When the old access ended, which is after the platform has confirmed the new one.';
COMMENT ON COLUMN moves.withdrawn_at IS 'When the new access was taken back.';
CREATE INDEX moves_line_idx ON moves (cart_id, position);
CREATE INDEX moves_to_idx ON moves (to_grant);
CREATE INDEX moves_from_idx ON moves (from_grant);
CREATE UNIQUE INDEX moves_open_key ON moves (cart_id, position) WHERE done_at IS NULL AND withdrawn_at IS NULL;

-- Batches -------------------------------------------------------------------------------------------------------------

CREATE TABLE batches (
    id uuid PRIMARY KEY,
    total integer NOT NULL CHECK (total BETWEEN 1 AND 5000),
    voucher_id uuid REFERENCES vouchers,
    created_at timestamptz NOT NULL,
    done_at timestamptz,
    lease_id uuid,
    lease_until timestamptz NOT NULL,
    organisation_id uuid REFERENCES organisations,
    staff_user_id bigint,
    CONSTRAINT batches_staff_of_one_organisation CHECK ((organisation_id IS NULL) = (staff_user_id IS NULL))
);
COMMENT ON TABLE batches IS
    'Batches of rows that a partner, a manager or a buyer of seats has submitted at once: enrollments and removals, or assignments of '
    'seats.';
COMMENT ON COLUMN batches.id IS 'The id of the command that submitted it.';
COMMENT ON COLUMN batches.voucher_id IS 'The pool whose seats are assigned to the addresses of the rows; null: enrollments and removals.';
COMMENT ON COLUMN batches.done_at IS 'When its last row was done or had failed.';
COMMENT ON COLUMN batches.lease_id IS 'The message whose job processes the next rows. Null while the next message is yet to be sent.';
COMMENT ON COLUMN batches.lease_until IS 'Until when the lease is held.';
COMMENT ON COLUMN batches.organisation_id IS
    'The organisation in whose courses a manager''s batch is done; null for those of a trusted partner, and of seats.';
COMMENT ON COLUMN batches.staff_user_id IS 'The manager who submitted it, and under whom it is done: the platform user id.';
CREATE INDEX batches_created_idx ON batches (created_at);
CREATE INDEX batches_lease_idx ON batches (lease_until) WHERE done_at IS NULL;
CREATE INDEX batches_voucher_idx ON batches (voucher_id) WHERE voucher_id IS NOT NULL;
CREATE INDEX batches_organisation_idx ON batches (organisation_id) WHERE organisation_id IS NOT NULL;

CREATE TABLE batch_rows (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    row integer NOT NULL CHECK (row > 0),
    email text NOT NULL,
    action text NOT NULL CHECK (action IN ('enroll', 'unenroll')),
    course_id uuid,
    mode text,
    state text NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    result text CHECK (result IN ('enrolled', 'pending_registration', 'removed', 'cancelled', 'none')),
    enrollment_id uuid,
    message text,
    tries integer NOT NULL DEFAULT 0,
    language text CHECK (length(language) BETWEEN 2 AND 35),
    PRIMARY KEY (batch_id, row),
    CHECK ((state = 'done') = (result IS NOT NULL) AND (state = 'failed') = (message IS NOT NULL))
);
COMMENT ON TABLE batch_rows IS 'The rows of batches with their results. Each is processed by itself.';
COMMENT ON COLUMN batch_rows.row IS 'Counted from 1, without the header row of a CSV.';
COMMENT ON COLUMN batch_rows.email IS 'If it is not an address: as it was sent, without control characters, at most 255 characters.';
COMMENT ON COLUMN batch_rows.result IS 'The result of a row that is done.';
COMMENT ON COLUMN batch_rows.enrollment_id IS 'The enrollment that a row that is done granted.';
COMMENT ON COLUMN batch_rows.message IS 'Why a row has failed.';
COMMENT ON COLUMN batch_rows.tries IS 'How often a server was unavailable for it. Such rows come last.';
COMMENT ON COLUMN batch_rows.language IS 'A tag of BCP 47, if the row gave one.';
CREATE INDEX batch_rows_waiting_idx ON batch_rows (batch_id, tries, row) WHERE state = 'waiting';
-- To find a person's rows.
CREATE INDEX batch_rows_email_idx ON batch_rows (email);

CREATE TABLE batch_syncs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    rank bigint NOT NULL,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE batch_syncs IS
    'The syncs of batches, in their turn. They wait here, not in the outbox, so that batches take turns at the course platform and leave '
    'calls to buyers.';
COMMENT ON COLUMN batch_syncs.rank IS
    'The lowest comes first. Each sync adds the calls that it takes to the last rank of its batch, and a batch without any here begins at '
    'the lowest one, so that batches share the calls equally.';
CREATE INDEX batch_syncs_rank_idx ON batch_syncs (rank, id);
CREATE INDEX batch_syncs_batch_idx ON batch_syncs (batch_id, rank);

CREATE TABLE batch_pace (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    next_sync_at timestamptz NOT NULL
);
COMMENT ON TABLE batch_pace IS 'One row: when the next sync of any batch may be sent, by the database server''s clock.';
INSERT INTO batch_pace (next_sync_at) VALUES ('epoch');
