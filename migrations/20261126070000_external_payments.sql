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
    -- How the bank knows it. Two reports with the same reference are one, whoever sends them.
    reference text NOT NULL CHECK (length(reference) BETWEEN 1 AND 140),
    actor text NOT NULL,
    -- The caller with its Idempotency-Key, and the hash of its request. Never deleted: a forgotten repeat would book twice.
    request_key text NOT NULL,
    request_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT received_payments_reference_key UNIQUE (transaction_id, reference),
    CONSTRAINT received_payments_request_key UNIQUE (transaction_id, request_key)
);
REVOKE UPDATE, DELETE ON received_payments FROM storefront_worker;
GRANT SELECT (id, transaction_id, amount, received_at, reference, created_at) ON received_payments TO storefront_api;

-- A key with this scope reports payments.
ALTER TABLE organisation_keys DROP CONSTRAINT organisation_keys_scopes_check;
ALTER TABLE organisation_keys ADD CONSTRAINT organisation_keys_scopes_check CHECK (cardinality(scopes) > 0
    AND scopes <@ ARRAY['orders', 'refunds', 'vouchers', 'seats', 'events', 'reports', 'support', 'payments']);

-- Until when the buyer is to pay; null if a provider takes the money.
ALTER TABLE transactions ADD COLUMN due_on date;
GRANT SELECT (due_on) ON transactions TO storefront_api;

-- Refunds that have not arrived yet: at an organisation that pays them itself, they wait for a person.
CREATE INDEX refunds_accepted_idx ON refunds (asked_at) WHERE state = 'accepted';
