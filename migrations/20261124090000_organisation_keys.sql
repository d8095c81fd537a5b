-- API keys of an organisation: each belongs to one organisation and opens only the routes of its scopes.

CREATE TABLE organisation_keys (
    -- The public part of the key, by which a request names it.
    id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{12}$'),
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    -- What the operator calls it.
    name text NOT NULL,
    -- SHA-256 of the secret part, which is stored nowhere.
    secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
    scopes text[] NOT NULL CONSTRAINT organisation_keys_scopes CHECK (
        cardinality(scopes) > 0
        AND scopes <@ ARRAY['orders', 'refunds', 'vouchers', 'seats', 'events', 'reports']),
    created_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX organisation_keys_organisation_idx ON organisation_keys (organisation_id);
GRANT SELECT ON organisation_keys TO storefront_api;

-- Creating and revoking a key is audited under the organisation's id.
ALTER TABLE audit_log DROP CONSTRAINT audit_log_entity_check;
ALTER TABLE audit_log ADD CONSTRAINT audit_log_entity_check
    CHECK (entity IN ('enrollment', 'cart', 'transaction', 'membership', 'key', 'refund')) NOT VALID;
