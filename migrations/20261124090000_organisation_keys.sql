-- Keys with which a backend of one organisation reads its orders and pays money back.

CREATE TABLE organisation_keys (
    -- The middle part of `sk_{id}_{secret}`; logs and the audit log name a key by it.
    id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{12}$'),
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    name text NOT NULL,
    -- SHA-256 of the secret.
    secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
    scopes text[] NOT NULL CHECK (
        cardinality(scopes) > 0 AND scopes <@ ARRAY['orders', 'refunds', 'vouchers', 'seats', 'events', 'reports']),
    created_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX organisation_keys_organisation_idx ON organisation_keys (organisation_id);
GRANT SELECT ON organisation_keys TO storefront_api;

-- For `key`, the entity id is the organisation's, and the detail names the key.
ALTER TABLE audit_log DROP CONSTRAINT audit_log_entity_check, ADD CONSTRAINT audit_log_entity_check
    CHECK (entity IN ('enrollment', 'cart', 'transaction', 'membership', 'refund', 'key')) NOT VALID;
