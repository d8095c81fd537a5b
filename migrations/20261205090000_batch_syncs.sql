-- The syncs of lists wait here, not in the outbox, so that lists take turns at the course platform and leave calls to buyers.

CREATE TABLE batch_syncs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
    enrollment_id uuid NOT NULL,
    -- How many calls to the platform the sync takes.
    calls integer NOT NULL CHECK (calls > 0),
    -- The lowest comes first. Each sync adds its calls to the turn of its list, and a list without any here begins at the
    -- lowest turn, so that lists share the calls equally.
    turn bigint NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX batch_syncs_turn_idx ON batch_syncs (turn, id);
CREATE INDEX batch_syncs_batch_idx ON batch_syncs (batch_id, turn);

-- One row: when the next sync of any list may be sent.
CREATE TABLE batch_pace (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    next_sync_at timestamptz NOT NULL
);
INSERT INTO batch_pace (next_sync_at) VALUES ('epoch');
