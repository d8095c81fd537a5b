-- Events: what has happened to orders and enrollments, for the organisations' own systems, and the webhooks that deliver them.
-- Triggers write each event in the transaction that makes it true, so that no way to change an order or an enrollment can
-- forget it.

CREATE FUNCTION event_types() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
SELECT ARRAY['order.pending', 'order.closed', 'order.paid', 'order.fulfilled', 'order.refunded', 'order.refund_failed',
             'order.disputed', 'enrollment.changed']
$$;

CREATE TABLE events (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    -- No foreign key: its check would lock the organisation's row for each event, and organisations are never deleted.
    organisation_id uuid NOT NULL,
    type text NOT NULL CHECK (type = ANY (event_types())),
    -- Without the address: the feed reads it from the enrollment, and it disappears with that. Amounts are in minor units.
    data jsonb NOT NULL,
    -- Of an enrollment's event.
    enrollment_id uuid,
    -- By the database server's clock.
    at timestamptz NOT NULL DEFAULT now(),
    -- The place in the feed. The worker assigns it after the commit, one worker at a time, so that no event appears below a
    -- position that a reader has passed.
    position bigint,
    CONSTRAINT events_position_key UNIQUE (organisation_id, position)
);
CREATE INDEX events_new_idx ON events (at) WHERE position IS NULL;
-- To erase what the platform has said about a person.
CREATE INDEX events_enrollment_idx ON events (enrollment_id) WHERE enrollment_id IS NOT NULL;

-- The last assigned position. Its row lock lets one worker at a time assign positions.
CREATE TABLE event_positions (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    last bigint NOT NULL
);
INSERT INTO event_positions (last) VALUES (0);

-- Webhooks ------------------------------------------------------------------------------------------------------------

-- Where an organisation receives its events.
CREATE TABLE webhook_endpoints (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    url text NOT NULL CHECK (length(url) <= 2000),
    types text[] NOT NULL CHECK (cardinality(types) > 0 AND types <@ event_types()),
    created_at timestamptz NOT NULL,
    -- Since when no delivery has succeeded; null after a success.
    failing_since timestamptz,
    -- Held by the one job that delivers to it.
    lease_id uuid,
    lease_until timestamptz,
    disabled_at timestamptz,
    disabled_reason text,
    CONSTRAINT webhook_endpoints_url_key UNIQUE (organisation_id, url),
    CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
    CHECK ((lease_id IS NULL) = (lease_until IS NULL))
);

-- The secrets that sign an endpoint's events, sealed with a key of GATEWAY_KEYS.
CREATE TABLE webhook_secrets (
    endpoint_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    -- previous: still signs beside the current one until `ends_at`.
    slot text NOT NULL CHECK (slot IN ('current', 'previous')),
    key_id text NOT NULL,
    sealed bytea NOT NULL,
    ends_at timestamptz,
    PRIMARY KEY (endpoint_id, slot),
    CHECK ((slot = 'previous') = (ends_at IS NOT NULL))
);

CREATE TABLE webhook_deliveries (
    endpoint_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    event_id uuid NOT NULL REFERENCES events ON DELETE CASCADE,
    -- When the event happened.
    at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    -- Null once it was delivered or abandoned.
    next_attempt_at timestamptz,
    delivered_at timestamptz,
    -- Of the last attempt: the status, and the beginning of the answer or the error.
    last_status integer,
    last_answer text,
    PRIMARY KEY (endpoint_id, event_id)
);
CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (endpoint_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_event_idx ON webhook_deliveries (event_id);

-- Events of orders ----------------------------------------------------------------------------------------------------

-- An order that is fulfilled or paid again after it was refunded has an event too, so that a receiver never keeps a wrong status.
CREATE FUNCTION cart_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kind text := CASE
        WHEN NEW.state = 'pending_payment' THEN 'order.pending'
        -- An operator has a line of a fulfilled order granted later: the order is fulfilled before and after that.
        WHEN NEW.state = 'paid' AND OLD.state IS DISTINCT FROM 'fulfilled' THEN 'order.paid'
        WHEN NEW.state = 'fulfilled' AND (OLD.state = 'refunded' OR OLD.fulfilled_at IS NULL) THEN 'order.fulfilled'
        WHEN NEW.state IN ('cancelled', 'expired') AND OLD.state IN ('pending_payment', 'held') THEN 'order.closed'
    END;
BEGIN
    IF kind IS NOT NULL THEN
        INSERT INTO events (organisation_id, type, data) VALUES (NEW.organisation_id, kind, jsonb_build_object(
            'cart_id', NEW.id, 'status', NEW.state, 'total_price', NEW.total, 'currency', NEW.currency));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER carts_new_event AFTER INSERT ON carts FOR EACH ROW EXECUTE FUNCTION cart_event();
CREATE TRIGGER carts_event AFTER UPDATE OF state ON carts FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION cart_event();

-- The triggers of money run at commit, when the transaction's sums and the cart's state are those that the refund or the dispute
-- has led to.
CREATE FUNCTION money_event(of_type text, of_transaction uuid, of_refund uuid, of_amount bigint) RETURNS void LANGUAGE sql AS $$
INSERT INTO events (organisation_id, type, data)
SELECT t.organisation_id, of_type, jsonb_build_object(
    'cart_id', t.cart_id, 'status', k.state, 'refund_id', of_refund, 'amount', of_amount,
    'refunded_amount', t.refunded_amount, 'currency', t.currency)
FROM transactions t JOIN carts k ON k.id = t.cart_id WHERE t.id = of_transaction
$$;

CREATE FUNCTION refund_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A refund of the provider's dashboard is inserted as accepted.
    IF NEW.state IN ('accepted', 'succeeded') AND (OLD.state IS NULL OR OLD.state IN ('asked', 'failed')) THEN
        PERFORM money_event('order.refunded', NEW.transaction_id, NEW.id, NEW.amount);
    ELSIF NEW.state = 'failed' AND OLD.state <> 'failed' THEN
        PERFORM money_event('order.refund_failed', NEW.transaction_id, NEW.id, NEW.amount);
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER refunds_event AFTER INSERT OR UPDATE OF state ON refunds DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION refund_event();

CREATE FUNCTION dispute_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM money_event('order.disputed', NEW.transaction_id, NULL, NEW.amount);
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER disputes_event AFTER INSERT ON disputes DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION dispute_event();

-- A lost dispute that has taken the rest of an order's money.
CREATE FUNCTION dispute_loss_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM transactions t JOIN carts k ON k.id = t.cart_id
               WHERE t.id = NEW.transaction_id AND k.state = 'refunded')
    THEN
        PERFORM money_event('order.refunded', NEW.transaction_id, NULL, NEW.lost - OLD.lost);
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER disputes_loss_event AFTER UPDATE OF lost ON disputes DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.lost > OLD.lost) EXECUTE FUNCTION dispute_loss_event();

-- Events of enrollments -----------------------------------------------------------------------------------------------

CREATE FUNCTION enrollment_event_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.event_version := OLD.event_version + 1;
    RETURN NEW;
END $$;
CREATE TRIGGER enrollments_event_version BEFORE UPDATE OF state, mode, platform_state, platform_reason ON enrollments FOR EACH ROW
    EXECUTE FUNCTION enrollment_event_version();

CREATE FUNCTION enrollment_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (organisation_id, type, enrollment_id, data)
    SELECT c.organisation_id, 'enrollment.changed', NEW.id, jsonb_build_object(
        'course_id', c.id, 'openedx_course_id', c.openedx_course_id, 'mode', NEW.mode,
        -- As the route that removes it answers.
        'enrollment_state', CASE WHEN OLD.state = 'pending_registration' AND NEW.state = 'removed' THEN 'cancelled' ELSE NEW.state END,
        'platform_state', NEW.platform_state, 'reason', NEW.platform_reason, 'version', NEW.event_version)
    FROM courses c WHERE c.id = NEW.course_id;
    RETURN NULL;
END $$;
CREATE TRIGGER enrollments_new_event AFTER INSERT ON enrollments FOR EACH ROW EXECUTE FUNCTION enrollment_event();
-- `queued` is not a verdict, and an erased person's enrollment has no events.
CREATE TRIGGER enrollments_event AFTER UPDATE OF state, mode, platform_state, platform_reason ON enrollments FOR EACH ROW
    WHEN (NEW.email NOT LIKE '%@erased.invalid' AND (
        (OLD.state, OLD.mode) IS DISTINCT FROM (NEW.state, NEW.mode)
        OR NEW.platform_state <> 'queued'
            AND (OLD.platform_state, OLD.platform_reason) IS DISTINCT FROM (NEW.platform_state, NEW.platform_reason)))
    EXECUTE FUNCTION enrollment_event();
