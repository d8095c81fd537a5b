-- Staff: the people who work for an organisation with accounts at the course platform, and what each may do at its support
-- desk. The name and the address are those of the account when the person was added.

CREATE TABLE staff (
    organisation_id uuid NOT NULL REFERENCES organisations (id) ON DELETE CASCADE,
    learner_id uuid NOT NULL REFERENCES learners (id) ON DELETE CASCADE,
    email text NOT NULL CHECK (email = lower(btrim(email))),
    name text NOT NULL,
    roles text[] NOT NULL CHECK (cardinality(roles) > 0 AND roles <@ ARRAY['support', 'finance', 'manager']),
    added_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, learner_id)
);
CREATE INDEX staff_learner_idx ON staff (learner_id);
GRANT SELECT ON staff TO storefront_api;

ALTER TABLE audit_log DROP CONSTRAINT audit_log_entity_check;
ALTER TABLE audit_log ADD CONSTRAINT audit_log_entity_check CHECK (entity IN (
    'enrollment', 'cart', 'transaction', 'membership', 'refund', 'key', 'gateway', 'message', 'catalog', 'learner', 'endpoint',
    'voucher', 'staff')) NOT VALID;

-- The scope of the keys that open the support desk to an organisation's own tools.
ALTER TABLE organisation_keys DROP CONSTRAINT organisation_keys_scopes_check;
ALTER TABLE organisation_keys ADD CONSTRAINT organisation_keys_scopes_check CHECK (cardinality(scopes) > 0
    AND scopes <@ ARRAY['orders', 'refunds', 'vouchers', 'seats', 'events', 'reports', 'support']);
