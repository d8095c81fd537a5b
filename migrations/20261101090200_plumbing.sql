-- What makes every effect happen once and leaves a record: state machines, answers stored with their effects, messages stored
-- with their commits, leases, and the audit log.

-- The only transitions of a state column; `refuse_other_moves` refuses every other one.
CREATE TABLE allowed_moves (
    entity text NOT NULL,
    from_state text NOT NULL,
    to_state text NOT NULL,
    PRIMARY KEY (entity, from_state, to_state)
);
INSERT INTO allowed_moves (entity, from_state, to_state) VALUES
    ('carts', 'open', 'pending_payment'), ('carts', 'open', 'held'), ('carts', 'open', 'fulfilled'),
    ('carts', 'open', 'cancelled'), ('carts', 'open', 'expired'),
    ('carts', 'pending_payment', 'paid'), ('carts', 'pending_payment', 'cancelled'), ('carts', 'pending_payment', 'expired'),
    ('carts', 'cancelled', 'paid'), ('carts', 'expired', 'paid'),
    ('carts', 'held', 'fulfilled'), ('carts', 'held', 'cancelled'),
    ('carts', 'paid', 'fulfilled'), ('carts', 'paid', 'refunded'), ('carts', 'fulfilled', 'refunded'),
    -- A full refund failed later, or a dispute was won; `paid` if the cart had not been fulfilled.
    ('carts', 'refunded', 'fulfilled'), ('carts', 'refunded', 'paid'),
    -- An operator restores a line that was refunded before the cart was fulfilled, and whose refund failed.
    ('carts', 'fulfilled', 'paid'),
    ('transactions', 'created', 'processing'), ('transactions', 'created', 'failed'), ('transactions', 'created', 'cancelled'),
    ('transactions', 'processing', 'succeeded'), ('transactions', 'processing', 'failed'),
    ('transactions', 'processing', 'cancelled'), ('transactions', 'processing', 'superseded'),
    ('transactions', 'failed', 'succeeded'), ('transactions', 'cancelled', 'succeeded'), ('transactions', 'superseded', 'succeeded'),
    ('transactions', 'succeeded', 'refunded'), ('transactions', 'refunded', 'succeeded'),
    ('refunds', 'asked', 'accepted'), ('refunds', 'asked', 'succeeded'), ('refunds', 'asked', 'failed'),
    ('refunds', 'accepted', 'succeeded'), ('refunds', 'accepted', 'failed'), ('refunds', 'succeeded', 'failed'),
    -- The provider counts a refund that was recorded as failed.
    ('refunds', 'failed', 'accepted');

CREATE FUNCTION refuse_other_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> OLD.state AND NOT EXISTS (
        SELECT FROM allowed_moves WHERE entity = TG_TABLE_NAME AND from_state = OLD.state AND to_state = NEW.state
    ) THEN
        RAISE EXCEPTION '% cannot move from % to %', TG_TABLE_NAME, OLD.state, NEW.state
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_moves';
    END IF;
    RETURN NEW;
END $$;

-- Commands and their answers; a request with the same Idempotency-Key gets the same answer.
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
CREATE INDEX commands_unanswered_idx ON commands (lease_until) WHERE answer IS NULL;

-- Messages that must follow a commit, published by a relay that deletes them once the broker has them.
CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id uuid NOT NULL,
    type text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    -- A job that waits for the platform's verdict makes the first attempt itself; its message is sent only if that attempt
    -- fails. Null: publish at once.
    not_before timestamptz,
    -- The W3C traceparent of the job that wrote the message, so that the message's job belongs to the same trace. Null outside
    -- of jobs.
    traceparent text
);

-- Which worker does a piece of work at present. A row instead of an advisory lock: behind a connection pooler, a session
-- lock stays with the pooled connection when its worker has gone, and no worker would take over.
CREATE TABLE leases (
    name text PRIMARY KEY,
    holder uuid NOT NULL,
    -- By the database server's clock. The holder extends it while it works.
    until timestamptz NOT NULL
);

-- Every change of state and every act of an operator.
CREATE TABLE audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    entity text NOT NULL CHECK (entity IN (
        'enrollment', 'cart', 'transaction', 'membership', 'refund', 'key', 'gateway', 'message', 'catalog', 'learner', 'endpoint',
        'voucher')),
    -- For `key`, the organisation's; the detail names the key.
    entity_id uuid NOT NULL,
    -- client, guest, a learner's platform user id, an operator's name, or system.
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
