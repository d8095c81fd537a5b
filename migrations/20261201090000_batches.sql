-- Lists of enrollments and removals that a trusted partner submits at once. Each row is done by itself.

CREATE TABLE batches (
    -- The id of the command that submitted it.
    id uuid PRIMARY KEY,
    total integer NOT NULL CHECK (total BETWEEN 1 AND 5000),
    created_at timestamptz NOT NULL,
    -- When its last row was done or had failed.
    done_at timestamptz,
    -- The message whose job does the next rows, and until when. Null while the next message is still to come.
    lease_id uuid,
    lease_until timestamptz NOT NULL
);
CREATE INDEX batches_created_idx ON batches (created_at);
CREATE INDEX batches_lease_idx ON batches (lease_until) WHERE done_at IS NULL;

CREATE TABLE batch_rows (
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    -- Counted from 1, without the header row of a CSV.
    row integer NOT NULL CHECK (row > 0),
    -- If it is no address: as it was sent, without control characters, at most 255 characters.
    email text NOT NULL,
    action text NOT NULL CHECK (action IN ('enroll', 'unenroll')),
    course_id uuid,
    mode text,
    state text NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    -- Of a row that is done.
    result text CHECK (result IN ('enrolled', 'pending_registration', 'removed', 'cancelled', 'none')),
    -- Of a row that is done: what it granted.
    enrollment_id uuid,
    -- Why a row has failed.
    message text,
    -- Times that a server was unavailable for it. Such rows come last.
    tries integer NOT NULL DEFAULT 0,
    PRIMARY KEY (batch_id, row),
    CHECK ((state = 'done') = (result IS NOT NULL) AND (state = 'failed') = (message IS NOT NULL))
);
CREATE INDEX batch_rows_waiting_idx ON batch_rows (batch_id, tries, row) WHERE state = 'waiting';
-- To find a person's rows.
CREATE INDEX batch_rows_email_idx ON batch_rows (email);

GRANT SELECT (id, total, created_at, done_at) ON batches TO storefront_api;
GRANT SELECT ON batch_rows TO storefront_api;
