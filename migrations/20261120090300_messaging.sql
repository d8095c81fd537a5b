-- What makes every effect happen once: answers kept with effects, messages kept with commits, and the record of both.

CREATE TABLE commands (
    id uuid PRIMARY KEY,
    type text NOT NULL,
    -- The route and caller that an Idempotency-Key belongs to.
    scope text,
    idempotency_key text CHECK (length(idempotency_key) <= 255),
    request_hash bytea,
    answer jsonb,
    -- While unanswered: until when the command that claimed the key may work on it undisturbed.
    lease_until timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT commands_idempotency_key UNIQUE (scope, idempotency_key),
    CONSTRAINT commands_keyed CHECK (num_nulls(scope, idempotency_key, request_hash) IN (0, 3))
);
CREATE INDEX commands_created_at_idx ON commands (created_at);

-- Messages that must follow a commit, published by a relay that deletes them once the broker has them.
CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id uuid NOT NULL,
    type text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL
);

-- Provider notifications, kept before they are acted on.
CREATE TABLE inbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    gateway text NOT NULL CHECK (gateway IN ('stripe', 'mollie', 'razorpay', 'curlec')),
    organisation_id uuid NOT NULL REFERENCES organisations,
    event_id text NOT NULL,
    type text NOT NULL,
    body jsonb NOT NULL,
    transaction_id uuid REFERENCES transactions,
    received_at timestamptz NOT NULL,
    processed_at timestamptz,
    CONSTRAINT inbox_event_key UNIQUE (gateway, organisation_id, event_id)
);
CREATE INDEX inbox_organisation_idx ON inbox (organisation_id);
CREATE INDEX inbox_transaction_idx ON inbox (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX inbox_unprocessed_idx ON inbox (received_at) WHERE processed_at IS NULL;

CREATE TABLE audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    entity text NOT NULL CHECK (entity IN ('enrollment', 'cart', 'transaction')),
    entity_id uuid NOT NULL,
    -- Who: client, guest, a learner's platform user id, or the system.
    actor text NOT NULL,
    command_id uuid NOT NULL,
    from_state text,
    to_state text NOT NULL,
    detail jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_log_entity_idx ON audit_log (entity, entity_id, id);

CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
