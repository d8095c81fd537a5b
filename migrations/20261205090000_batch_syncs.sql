-- The syncs of lists wait here, not in the outbox, so that lists take turns at the course platform and leave calls to buyers.

CREATE TABLE batch_syncs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    -- The lowest comes first. Each sync adds the calls that it takes to the last rank of its list, and a list without any here
    -- begins at the lowest one, so that lists share the calls equally.
    rank bigint NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX batch_syncs_rank_idx ON batch_syncs (rank, id);
CREATE INDEX batch_syncs_batch_idx ON batch_syncs (batch_id, rank);

-- One row: when the next sync of any list may be sent, by the server's clock.
CREATE TABLE batch_pace (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    next_sync_at timestamptz NOT NULL
);
INSERT INTO batch_pace (next_sync_at) VALUES ('epoch');

-- Whether the only message of an enrollment's sync is still to come, once it is the turn of its list.
ALTER TABLE enrollments ADD COLUMN sync_held_back boolean NOT NULL DEFAULT false;
