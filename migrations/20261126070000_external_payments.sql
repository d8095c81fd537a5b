-- Payments without a provider: the organisation takes the money, for example as bank transfers, and reports what has arrived.

ALTER DOMAIN gateway_name DROP CONSTRAINT gateway_name_known;
ALTER DOMAIN gateway_name ADD CONSTRAINT gateway_name_known
    CHECK (VALUE IN ('stripe', 'mollie', 'razorpay', 'curlec', 'external'));

-- The bank account to which buyers pay, and when a payment is due.
ALTER TABLE organisations
    ADD COLUMN bank_transfer jsonb CONSTRAINT organisations_bank_transfer CHECK (jsonb_typeof(bank_transfer) = 'object');

-- Money that has arrived at an organisation, as it was reported.
CREATE TABLE received_payments (
    -- The id of the command that reported it.
    id uuid PRIMARY KEY,
    transaction_id uuid NOT NULL REFERENCES transactions,
    -- In minor units of the transaction's currency.
    amount bigint NOT NULL CHECK (amount > 0),
    received_at timestamptz NOT NULL,
    -- How the bank knows it. Two reports of an order with the same reference are one, from any caller.
    reference text NOT NULL CHECK (length(reference) BETWEEN 1 AND 140),
    actor text NOT NULL,
    -- The caller with its Idempotency-Key, and the hash of its request. Never deleted: a forgotten repeat would book twice.
    request_key text NOT NULL,
    request_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    -- When it was paid back without a refund, because it was never, or is not needed for, a payment of the whole order.
    returned_at timestamptz,
    CONSTRAINT received_payments_request_key UNIQUE (request_key)
);
CREATE UNIQUE INDEX received_payments_reference_key ON received_payments (transaction_id, lower(reference));
-- To find another order that the same money was reported for.
CREATE INDEX received_payments_reference_idx ON received_payments (lower(reference));
REVOKE UPDATE, DELETE ON received_payments FROM storefront_worker;
-- The worker marks what was paid back, and erases a reference, which may hold a name.
GRANT UPDATE (returned_at, reference) ON received_payments TO storefront_worker;
GRANT SELECT (id, transaction_id, amount, received_at, reference, created_at, returned_at) ON received_payments TO storefront_api;

-- A key with this scope reports payments.
ALTER TABLE organisation_keys DROP CONSTRAINT organisation_keys_scopes_check;
ALTER TABLE organisation_keys ADD CONSTRAINT organisation_keys_scopes_check CHECK (cardinality(scopes) > 0
    AND scopes <@ ARRAY['orders', 'refunds', 'vouchers', 'seats', 'events', 'reports', 'support', 'payments']);

-- Until when the buyer is to pay; null if a provider takes the money.
ALTER TABLE transactions ADD COLUMN due_on date;
GRANT SELECT (due_on) ON transactions TO storefront_api;

-- Refunds that have not arrived yet: at an organisation that pays them itself, they wait for a person.
CREATE INDEX refunds_accepted_idx ON refunds (asked_at) WHERE state = 'accepted';
