-- What the support desk reads: the history of an order, what waits for a person, and what became of mails.

-- A mail that the mail server has refused stays, with the reason, until it is sent again or forgotten. The other columns say what
-- it is about without its content, which can hold codes.
ALTER TABLE mails
    ADD COLUMN failed_at timestamptz,
    ADD COLUMN failed_reason text,
    ADD COLUMN template text GENERATED ALWAYS AS (mail ->> 'template') STORED,
    ADD COLUMN organisation_id uuid GENERATED ALWAYS AS ((mail ->> 'organisation_id')::uuid) STORED,
    ADD COLUMN cart_id uuid GENERATED ALWAYS AS ((mail ->> 'cart_id')::uuid) STORED,
    ADD CONSTRAINT mails_failed_with_reason CHECK ((failed_at IS NULL) = (failed_reason IS NULL));
CREATE INDEX mails_cart_idx ON mails (cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX mails_failed_idx ON mails (organisation_id, failed_at) WHERE failed_at IS NOT NULL;

-- Parts of names on invoices.
CREATE INDEX carts_billing_name_idx ON carts USING gin (searchable(billing_address ->> 'name') gin_trgm_ops)
    WHERE billing_address ->> 'name' IS NOT NULL;

GRANT SELECT (id, recipient, template, organisation_id, cart_id, created_at, failed_at, failed_reason) ON mails TO storefront_api;
GRANT SELECT (id, at, entity, entity_id, actor, from_state, to_state, detail) ON audit_log TO storefront_api;
GRANT SELECT (id, gateway, organisation_id, type, reference, transaction_id, transaction_hint, received_at, parked_reason,
    processed_at) ON inbox TO storefront_api;
GRANT SELECT (provider_reference, alert, updated_at) ON transactions TO storefront_api;
GRANT SELECT (provider_reference, actor) ON refunds TO storefront_api;
GRANT SELECT (amount) ON refund_lines TO storefront_api;
GRANT SELECT ON disputes TO storefront_api;
GRANT SELECT (grant_blocked_at, fulfilled_at) ON carts TO storefront_api;
GRANT SELECT (created_at, updated_at) ON enrollments TO storefront_api;
GRANT SELECT (id, source, mode, granted_at, ended_reason) ON enrollment_grants TO storefront_api;
GRANT SELECT (id, organisation_id, url, types, failing_since, disabled_at, disabled_reason) ON webhook_endpoints TO storefront_api;
