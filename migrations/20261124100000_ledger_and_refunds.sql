-- Money that comes back: refunds, disputes, and an append-only ledger of every movement of money.
--
-- Stop the workers of the former release before this migration: they do not write the ledger, and the trigger at the end
-- refuses a payment without its row.

-- Null: learners cannot ask for refunds.
ALTER TABLE organisations ADD COLUMN refund_days integer CHECK (refund_days BETWEEN 0 AND 3650);

INSERT INTO allowed_moves VALUES
    -- A full refund failed later, or a dispute was won; `paid` if the cart had not been fulfilled.
    ('transactions', 'refunded', 'succeeded'), ('carts', 'refunded', 'fulfilled'), ('carts', 'refunded', 'paid'),
    -- An operator restores a line that was refunded before the cart was fulfilled, and whose refund failed.
    ('carts', 'fulfilled', 'paid'),
    ('refunds', 'asked', 'accepted'), ('refunds', 'asked', 'succeeded'), ('refunds', 'asked', 'failed'),
    ('refunds', 'accepted', 'succeeded'), ('refunds', 'accepted', 'failed'), ('refunds', 'succeeded', 'failed'),
    -- The provider counts a refund that was recorded as failed.
    ('refunds', 'failed', 'accepted');

-- Refunds and lost disputes are counted apart.
ALTER TABLE transactions
    ADD COLUMN lost_amount bigint NOT NULL DEFAULT 0 CHECK (lost_amount BETWEEN 0 AND amount),
    DROP CONSTRAINT transactions_refunded_in_full,
    ADD CONSTRAINT transactions_refunded_in_full
        CHECK ((state = 'refunded') <= (refunded_amount + lost_amount >= amount));

ALTER TABLE cart_items
    -- Refunded or being refunded. Raised when a refund is asked for, lowered when it fails.
    ADD COLUMN refunded bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT cart_items_refunded_within_price CHECK (refunded BETWEEN 0 AND price),
    -- When a refund or a lost dispute ended the access to the courses of this line.
    ADD COLUMN access_ended_at timestamptz;

CREATE TABLE refunds (
    -- The id of the command that asked for it.
    id uuid PRIMARY KEY,
    transaction_id uuid NOT NULL REFERENCES transactions,
    -- provider: made at the provider's dashboard.
    origin text NOT NULL CHECK (origin IN ('api', 'learner', 'operator', 'provider')),
    -- The caller with its Idempotency-Key, and the hash of its request. Kept for good: a forgotten repeat would pay twice.
    request_key text,
    request_hash bytea,
    reason text CHECK (length(reason) <= 200),
    amount bigint NOT NULL CHECK (amount >= 0),
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    state text NOT NULL CHECK (state IN ('asked', 'accepted', 'succeeded', 'failed')),
    actor text NOT NULL,
    provider_reference text,
    asked_at timestamptz NOT NULL,
    accepted_at timestamptz,
    ended_at timestamptz,
    -- When the reconciler asks the provider again; null once it has ended.
    next_check_at timestamptz,
    -- Held by the one job that may be calling the provider.
    call_lease_until timestamptz,
    CONSTRAINT refunds_request_key UNIQUE (transaction_id, request_key),
    CONSTRAINT refunds_provider_reference_key UNIQUE (transaction_id, provider_reference),
    CHECK ((request_key IS NULL) = (request_hash IS NULL))
);
CREATE UNIQUE INDEX refunds_one_asked_key ON refunds (transaction_id) WHERE state = 'asked';
CREATE INDEX refunds_due_idx ON refunds (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE TRIGGER refunds_moves BEFORE UPDATE OF state ON refunds FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();

CREATE TABLE refund_lines (
    refund_id uuid NOT NULL REFERENCES refunds,
    position integer NOT NULL,
    amount bigint NOT NULL CHECK (amount >= 0),
    ends_access boolean NOT NULL,
    PRIMARY KEY (refund_id, position)
);

CREATE TABLE disputes (
    id uuid PRIMARY KEY,
    transaction_id uuid NOT NULL REFERENCES transactions,
    provider_reference text NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'won', 'lost')),
    -- What the buyer disputes, and what the bank has taken back; in minor units.
    amount bigint NOT NULL CHECK (amount >= 0),
    lost bigint NOT NULL CHECK (lost >= 0),
    opened_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT disputes_provider_reference_key UNIQUE (transaction_id, provider_reference)
);

CREATE TABLE ledger (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    organisation_id uuid NOT NULL REFERENCES organisations,
    kind text NOT NULL CHECK (kind IN ('captured', 'refunded', 'refund_failed', 'chargeback', 'chargeback_reversed')),
    cart_id uuid NOT NULL REFERENCES carts,
    transaction_id uuid NOT NULL REFERENCES transactions,
    refund_id uuid REFERENCES refunds,
    -- Positive: to the organisation.
    amount bigint NOT NULL,
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    gateway gateway_name NOT NULL,
    provider_reference text,
    CONSTRAINT ledger_sign CHECK (
        CASE WHEN kind IN ('refunded', 'chargeback') THEN amount < 0 ELSE amount > 0 END)
);
CREATE INDEX ledger_transaction_idx ON ledger (transaction_id);
CREATE INDEX ledger_organisation_idx ON ledger (organisation_id, at, seq);
CREATE UNIQUE INDEX ledger_captured_key ON ledger (transaction_id) WHERE kind = 'captured';
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

-- The past. A disputed payment's refunds were its lost dispute; a dispute has no known reference, so it gets none.
UPDATE transactions SET lost_amount = refunded_amount, refunded_amount = 0 WHERE disputed_at IS NOT NULL AND refunded_amount > 0;
INSERT INTO refunds (id, transaction_id, origin, amount, currency, state, actor, asked_at, accepted_at, ended_at)
SELECT gen_random_uuid(), id, 'provider', refunded_amount, currency, 'succeeded', 'system', updated_at, updated_at, updated_at
FROM transactions WHERE refunded_amount > 0 AND state IN ('succeeded', 'refunded');
-- Spread over the lines by their prices; the differences of rounded running sums always add up.
INSERT INTO refund_lines (refund_id, position, amount, ends_access)
SELECT r.id, i.position,
       (div(r.amount * sum(i.price) OVER upto, t.amount)
        - div(r.amount * (sum(i.price) OVER upto - i.price), t.amount))::bigint,
       t.state = 'refunded'
FROM refunds r JOIN transactions t ON t.id = r.transaction_id JOIN cart_items i ON i.cart_id = t.cart_id
WINDOW upto AS (PARTITION BY r.id ORDER BY i.position);
UPDATE cart_items i SET refunded = least(l.amount, i.price)
FROM refund_lines l JOIN refunds r ON r.id = l.refund_id JOIN transactions t ON t.id = r.transaction_id
WHERE i.cart_id = t.cart_id AND i.position = l.position;
UPDATE cart_items i SET access_ended_at = t.updated_at FROM transactions t
WHERE t.cart_id = i.cart_id AND t.state = 'refunded';
-- So that a chargeback which is reversed later restores the access.
UPDATE enrollment_grants g SET ended_reason = 'charged back' FROM transactions t
WHERE t.cart_id = g.cart_id AND t.state = 'refunded' AND t.lost_amount > 0 AND g.ended_reason = 'refunded';
INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, refund_id, amount, currency, gateway, provider_reference)
SELECT * FROM (
    SELECT coalesce(c.paid_at, t.updated_at) AS at, t.organisation_id, 'captured', t.cart_id, t.id, NULL::uuid, t.amount,
           t.currency, t.gateway, t.provider_reference
    FROM transactions t JOIN carts c ON c.id = t.cart_id WHERE t.state IN ('succeeded', 'refunded')
    UNION ALL
    SELECT r.asked_at, t.organisation_id, 'refunded', t.cart_id, t.id, r.id, -r.amount, t.currency, t.gateway, NULL
    FROM refunds r JOIN transactions t ON t.id = r.transaction_id
    UNION ALL
    SELECT t.updated_at, t.organisation_id, 'chargeback', t.cart_id, t.id, NULL, -t.lost_amount, t.currency, t.gateway, NULL
    FROM transactions t WHERE t.lost_amount > 0 AND t.state IN ('succeeded', 'refunded')
) past ORDER BY at;

-- At commit, a transaction's ledger adds up to what the organisation has of it.
CREATE FUNCTION require_balanced_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    checked uuid;
    kept bigint;
    booked bigint;
BEGIN
    IF TG_TABLE_NAME = 'ledger' THEN checked := NEW.transaction_id; ELSE checked := NEW.id; END IF;
    SELECT CASE WHEN state IN ('succeeded', 'refunded') THEN amount - refunded_amount - lost_amount ELSE 0 END
    INTO kept FROM transactions WHERE id = checked;
    SELECT coalesce(sum(amount), 0) INTO booked FROM ledger WHERE transaction_id = checked;
    IF kept <> booked THEN
        RAISE EXCEPTION 'the ledger of transaction % adds up to %, not to %', checked, booked, kept
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_balance';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER ledger_balance AFTER INSERT ON ledger
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_balanced_ledger();
CREATE CONSTRAINT TRIGGER transactions_ledger_balance AFTER UPDATE OF state, refunded_amount, lost_amount ON transactions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.state IN ('succeeded', 'refunded'))
    EXECUTE FUNCTION require_balanced_ledger();

GRANT SELECT ON ledger, refund_lines, disputes TO storefront_api;
GRANT SELECT (id, transaction_id, origin, reason, amount, currency, state, asked_at, accepted_at, ended_at)
    ON refunds TO storefront_api;
GRANT SELECT (id, organisation_id, amount, currency, region, discount_pct, original_price, refunded_amount, lost_amount,
              disputed_at) ON transactions TO storefront_api;

-- Lists of orders: an organisation's, newest first, or those of an address.
DROP INDEX carts_organisation_idx;
CREATE INDEX carts_organisation_idx ON carts (organisation_id, created_at DESC, id DESC);
CREATE INDEX carts_email_idx ON carts (email, organisation_id);
