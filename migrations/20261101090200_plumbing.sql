-- What makes every effect happen once and leaves a record: state machines, answers stored with their effects, messages stored
-- with their commits, leases, and the audit log.

CREATE TABLE allowed_moves (
    entity text NOT NULL,
    from_state text NOT NULL,
    to_state text NOT NULL,
    PRIMARY KEY (entity, from_state, to_state)
);
COMMENT ON TABLE allowed_moves IS
    'The only transitions of the states of carts, transactions, refunds and withdrawals; `refuse_other_moves` refuses every other one.';
INSERT INTO allowed_moves (entity, from_state, to_state) VALUES
    ('carts', 'open', 'pending_payment'), ('carts', 'open', 'held'), ('carts', 'open', 'fulfilled'),
    ('carts', 'open', 'cancelled'), ('carts', 'open', 'expired'),
    ('carts', 'pending_payment', 'paid'), ('carts', 'pending_payment', 'cancelled'), ('carts', 'pending_payment', 'expired'),
    ('carts', 'cancelled', 'paid'), ('carts', 'expired', 'paid'),
    ('carts', 'held', 'fulfilled'), ('carts', 'held', 'cancelled'),
    -- An order on account: access before the payment, and the end of such an order.
    ('carts', 'pending_payment', 'fulfilled'), ('carts', 'fulfilled', 'cancelled'),
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
    ('refunds', 'failed', 'accepted'),
    ('withdrawals', 'received', 'accepted'), ('withdrawals', 'received', 'refused'),
    ('withdrawals', 'unmatched', 'accepted'), ('withdrawals', 'unmatched', 'refused');

CREATE TABLE commands (
    id uuid PRIMARY KEY,
    type text NOT NULL,
    scope text,
    idempotency_key text CHECK (length(idempotency_key) <= 255),
    request_hash bytea,
    answer jsonb,
    lease_until timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT commands_idempotency_key UNIQUE (scope, idempotency_key),
    CONSTRAINT commands_keyed CHECK (num_nulls(scope, idempotency_key, request_hash) IN (0, 3))
);
COMMENT ON TABLE commands IS 'Commands with their answers: a request with the same Idempotency-Key gets the same answer.';
COMMENT ON COLUMN commands.scope IS 'The route and caller that an Idempotency-Key belongs to.';
COMMENT ON COLUMN commands.lease_until IS 'While unanswered: until when the command that claimed the key may work on it undisturbed.';
CREATE INDEX commands_created_at_idx ON commands (created_at);
CREATE INDEX commands_unanswered_idx ON commands (lease_until) WHERE answer IS NULL;

CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id uuid NOT NULL,
    type text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    not_before timestamptz,
    traceparent text
);
COMMENT ON TABLE outbox IS 'Messages that follow a commit, published by a relay that deletes them once the broker has them.';
COMMENT ON COLUMN outbox.not_before IS
    'A job that waits for the platform''s verdict makes the first attempt itself; its message is sent only if that attempt fails. Null: '
    'publish at once.';
COMMENT ON COLUMN outbox.traceparent IS
    'The W3C traceparent of the job that wrote the message, so that the message''s job belongs to the same trace. Null outside of jobs.';

-- A row instead of an advisory lock: behind a connection pooler, a session lock stays with the pooled connection when its worker has
-- gone, and no worker would take over.
CREATE TABLE leases (
    name text PRIMARY KEY,
    holder uuid NOT NULL,
    until timestamptz NOT NULL
);
COMMENT ON TABLE leases IS 'Which worker does a piece of work at present.';
COMMENT ON COLUMN leases.until IS 'By the database server''s clock. The holder extends it while it works.';

CREATE TABLE audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    entity text NOT NULL CHECK (entity IN (
        'enrollment', 'cart', 'transaction', 'membership', 'refund', 'key', 'gateway', 'message', 'catalog', 'learner', 'endpoint',
        'voucher', 'staff', 'withdrawal')),
    entity_id uuid NOT NULL,
    actor text NOT NULL,
    command_id uuid NOT NULL,
    from_state text,
    to_state text NOT NULL,
    detail jsonb NOT NULL DEFAULT '{}',
    trace text
);
COMMENT ON TABLE audit_log IS 'Every change of state and every act of an operator; append-only.';
COMMENT ON COLUMN audit_log.entity_id IS 'For `key`, the organisation''s; the detail names the key.';
COMMENT ON COLUMN audit_log.actor IS 'client, guest, a learner''s platform user id, an operator''s name, or system.';
COMMENT ON COLUMN audit_log.trace IS
    'The step of a trace that has made the change, as a `traceparent`, so that an operator finds its log lines and spans. Null outside of '
    'a request or a message.';
CREATE INDEX audit_log_entity_idx ON audit_log (entity, entity_id, id);
