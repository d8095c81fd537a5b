-- Events: what has happened to orders and enrollments, for the organisations' own systems, and the webhooks that deliver them.
-- Triggers write each event in the transaction that makes it true, so that no way to change an order or an enrollment can
-- forget it.

-- In PL/pgSQL, which keeps its plan, as `buyer_language` does.
CREATE FUNCTION event_types() RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN ARRAY['order.pending', 'order.closed', 'order.paid', 'order.fulfilled', 'order.overdue', 'order.refunded',
                 'order.refund_failed', 'order.disputed', 'order.withdrawn', 'document.issued', 'enrollment.changed',
                 'enrollment.moved'];
END $$;
COMMENT ON FUNCTION event_types() IS 'Lists the types of events.';

CREATE TABLE events (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    organisation_id uuid NOT NULL,
    type text NOT NULL CHECK (type = ANY (event_types())),
    data jsonb NOT NULL,
    enrollment_id uuid,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    position bigint,
    CONSTRAINT events_position_key UNIQUE (organisation_id, position)
);
COMMENT ON TABLE events IS 'What has happened to orders and enrollments, in the order of the feed.';
COMMENT ON COLUMN events.organisation_id IS
    'No foreign key: its check would lock the organisation''s row for each event, and organisations are never deleted.';
COMMENT ON COLUMN events.data IS
    'Without the address: the feed reads it from the enrollment, and it disappears with that. Amounts are in minor units.';
COMMENT ON COLUMN events.enrollment_id IS 'Of an enrollment''s event.';
COMMENT ON COLUMN events.at IS
    'By the database server''s clock: of the change itself, not of the begin of its transaction. Of two transactions that change one '
    'order, the one that began first may have waited for the other.';
COMMENT ON COLUMN events.position IS
    'The place in the feed. The worker assigns it after the commit, one worker at a time, so that no event appears below a position that a '
    'reader has passed.';
CREATE INDEX events_new_idx ON events (at) WHERE position IS NULL;
-- To erase what the platform has said about a person.
CREATE INDEX events_enrollment_idx ON events (enrollment_id) WHERE enrollment_id IS NOT NULL;
-- For erasure, which takes the metadata off.
CREATE INDEX events_metadata_idx ON events ((data ->> 'cart_id')) WHERE data ? 'metadata';

CREATE TABLE event_positions (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    last bigint NOT NULL
);
COMMENT ON TABLE event_positions IS
    'One row: the last position that was assigned. Its row lock lets one worker at a time assign positions.';
INSERT INTO event_positions (last) VALUES (0);

-- Places in the feed stay what they are only while the database does. One that was restored, or a standby that lacks the last commits of
-- the primary which it replaces, gives the same positions again, to other events. A cursor of before that must not pass for one of the
-- present: each names the epoch of its position.
CREATE TABLE feed_epochs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12),
    place text NOT NULL,
    began_after bigint NOT NULL,
    began_at timestamptz NOT NULL
);
COMMENT ON TABLE feed_epochs IS 'Where the feed was, and from which position on: a restore begins an epoch.';
COMMENT ON COLUMN feed_epochs.id IS 'Random: two restores of one dump begin different epochs with the same number.';
COMMENT ON COLUMN feed_epochs.began_after IS
    'The last position of the epoch before. The events up to it are those that its readers have seen.';

-- Webhooks ------------------------------------------------------------------------------------------------------------

CREATE TABLE webhook_endpoints (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    url text NOT NULL CHECK (length(url) <= 2000),
    types text[] NOT NULL CHECK (cardinality(types) > 0 AND types <@ event_types()),
    created_at timestamptz NOT NULL,
    failing_since timestamptz,
    lease_id uuid,
    lease_until timestamptz,
    disabled_at timestamptz,
    disabled_reason text,
    CONSTRAINT webhook_endpoints_url_key UNIQUE (organisation_id, url),
    CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
    CHECK ((lease_id IS NULL) = (lease_until IS NULL))
);
COMMENT ON TABLE webhook_endpoints IS 'Where organisations receive their events.';
COMMENT ON COLUMN webhook_endpoints.failing_since IS 'Since when no delivery has succeeded; null after a success.';
COMMENT ON COLUMN webhook_endpoints.lease_id IS 'Held by the one job that delivers to it.';

CREATE TABLE webhook_secrets (
    endpoint_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    slot text NOT NULL CHECK (slot IN ('current', 'previous')),
    key_id text NOT NULL,
    sealed bytea NOT NULL,
    ends_at timestamptz,
    PRIMARY KEY (endpoint_id, slot),
    CHECK ((slot = 'previous') = (ends_at IS NOT NULL))
);
COMMENT ON TABLE webhook_secrets IS 'The secrets that sign an endpoint''s deliveries, sealed with a key of GATEWAY_KEYS.';
COMMENT ON COLUMN webhook_secrets.slot IS 'previous: still signs beside the current one until `ends_at`.';

CREATE TABLE webhook_deliveries (
    endpoint_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    event_id uuid NOT NULL REFERENCES events ON DELETE CASCADE,
    at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,
    delivered_at timestamptz,
    last_status integer,
    last_answer text,
    PRIMARY KEY (endpoint_id, event_id)
);
COMMENT ON TABLE webhook_deliveries IS 'The delivery of an event to an endpoint.';
COMMENT ON COLUMN webhook_deliveries.at IS 'When the event happened.';
COMMENT ON COLUMN webhook_deliveries.next_attempt_at IS 'Null once it was delivered or abandoned.';
COMMENT ON COLUMN webhook_deliveries.last_status IS 'The status of the last attempt.';
COMMENT ON COLUMN webhook_deliveries.last_answer IS 'The beginning of the answer to the last attempt, or its error.';
CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (endpoint_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_event_idx ON webhook_deliveries (event_id);
-- The latest deliveries to each receiver, which managers see.
CREATE INDEX webhook_deliveries_recent_idx ON webhook_deliveries (endpoint_id, at);
