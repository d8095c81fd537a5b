-- Declarations of withdrawal: what a buyer has declared, and what has become of it.

ALTER TABLE audit_log DROP CONSTRAINT audit_log_entity_check;
ALTER TABLE audit_log ADD CONSTRAINT audit_log_entity_check CHECK (entity IN (
    'enrollment', 'cart', 'transaction', 'membership', 'refund', 'key', 'gateway', 'message', 'catalog', 'learner', 'endpoint',
    'voucher', 'staff', 'withdrawal')) NOT VALID;

ALTER TABLE refunds DROP CONSTRAINT refunds_origin_check;
ALTER TABLE refunds ADD CONSTRAINT refunds_origin_check
    CHECK (origin IN ('api', 'learner', 'operator', 'provider', 'withdrawal'));

CREATE TABLE withdrawals (
    -- The id of the message that declared it.
    id uuid PRIMARY KEY,
    -- Null if no order is known by the name that was given.
    organisation_id uuid REFERENCES organisations,
    cart_id uuid REFERENCES carts ON DELETE CASCADE,
    -- unmatched: the order is unknown, or was bought under another address.
    state text NOT NULL CHECK (state IN ('received', 'unmatched', 'accepted', 'refused')),
    -- What shows that the buyer has declared it: a learner's session, the signed link of a receipt, or nothing.
    proof text NOT NULL CHECK (proof IN ('session', 'link', 'none')),
    -- As they were declared.
    named_order text NOT NULL CHECK (length(named_order) <= 255),
    email text NOT NULL CHECK (email = lower(btrim(email))),
    name text NOT NULL CHECK (length(name) <= 255),
    -- The positions of its lines. Null if the order is unknown.
    items integer[],
    -- The time that counts: when the api received it.
    declared_at timestamptz NOT NULL,
    -- Access to one of the lines had begun at that time.
    access_begun boolean NOT NULL DEFAULT false,
    -- When it is judged, or judged again; null once it is decided, or waits for a person.
    judge_at timestamptz,
    waits_since timestamptz,
    waits_because text,
    -- The holder of the order's address says that it is not theirs.
    objected_at timestamptz,
    decided_at timestamptz,
    decided_by text,
    -- The reason of a decision; the buyer sees it.
    reason text CHECK (length(reason) <= 200),
    -- Null if nothing is paid back, or no refund was needed.
    refund_id uuid REFERENCES refunds,
    CHECK ((state IN ('accepted', 'refused')) = (decided_at IS NOT NULL)),
    CHECK ((decided_at IS NULL) = (decided_by IS NULL)),
    CHECK ((waits_since IS NULL) = (waits_because IS NULL)),
    CHECK (judge_at IS NULL OR waits_since IS NULL AND decided_at IS NULL),
    CHECK (state <> 'received' OR cart_id IS NOT NULL)
);
CREATE INDEX withdrawals_organisation_idx ON withdrawals (organisation_id, declared_at DESC, id DESC);
CREATE INDEX withdrawals_cart_idx ON withdrawals (cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX withdrawals_email_idx ON withdrawals (email);
CREATE INDEX withdrawals_refund_idx ON withdrawals (refund_id) WHERE refund_id IS NOT NULL;
CREATE INDEX withdrawals_due_idx ON withdrawals (judge_at) WHERE judge_at IS NOT NULL;
CREATE INDEX withdrawals_waiting_idx ON withdrawals (waits_since) WHERE waits_since IS NOT NULL;

INSERT INTO allowed_moves (entity, from_state, to_state) VALUES
    ('withdrawals', 'received', 'accepted'), ('withdrawals', 'received', 'refused'),
    ('withdrawals', 'unmatched', 'accepted'), ('withdrawals', 'unmatched', 'refused');
CREATE TRIGGER withdrawals_moves BEFORE UPDATE OF state ON withdrawals FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();

-- The lines that are declared, so that none is declared twice. A refused declaration frees its lines.
CREATE TABLE withdrawal_lines (
    cart_id uuid NOT NULL REFERENCES carts ON DELETE CASCADE,
    position integer NOT NULL,
    withdrawal_id uuid NOT NULL REFERENCES withdrawals ON DELETE CASCADE,
    PRIMARY KEY (cart_id, position)
);
CREATE INDEX withdrawal_lines_withdrawal_idx ON withdrawal_lines (withdrawal_id);

REVOKE UPDATE ON withdrawal_lines FROM storefront_worker;
GRANT SELECT ON withdrawals TO storefront_api;

-- The end of the period: the end of the last day where the seller is, and of the next working day if that is a Saturday or a
-- Sunday (Regulation (EEC, Euratom) 1182/71, Article 3). Public holidays are not known here.
CREATE FUNCTION withdrawal_ends(paid_at timestamptz, days integer, zone text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT (last + CASE extract(isodow FROM last) WHEN 6 THEN 3 WHEN 7 THEN 2 ELSE 1 END)::timestamp AT TIME ZONE coalesce(zone, 'UTC')
    FROM (SELECT (paid_at AT TIME ZONE coalesce(zone, 'UTC'))::date + days AS last) period
$$;

-- Events --------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION event_types() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
SELECT ARRAY['order.pending', 'order.closed', 'order.paid', 'order.fulfilled', 'order.refunded', 'order.refund_failed',
             'order.disputed', 'order.withdrawn', 'enrollment.changed']
$$;

-- Each state of a declaration. One of an unknown order belongs to no organisation, and has none.
CREATE FUNCTION withdrawal_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (organisation_id, type, data)
    SELECT NEW.organisation_id, 'order.withdrawn', jsonb_build_object(
        'cart_id', k.id, 'status', k.state, 'withdrawal_id', NEW.id, 'withdrawal_status', NEW.state, 'items', NEW.items,
        'declared_at', NEW.declared_at, 'refund_id', NEW.refund_id)
    FROM carts k WHERE k.id = NEW.cart_id;
    RETURN NULL;
END $$;
CREATE TRIGGER withdrawals_new_event AFTER INSERT ON withdrawals FOR EACH ROW EXECUTE FUNCTION withdrawal_event();
CREATE TRIGGER withdrawals_event AFTER UPDATE OF state ON withdrawals FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION withdrawal_event();
