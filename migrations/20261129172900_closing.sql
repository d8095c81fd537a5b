-- What finance looks at before it closes a month: what is with each provider, and what is still on its way there.
CREATE TABLE closed_balances (
    organisation_id uuid NOT NULL,
    month date NOT NULL,
    gateway gateway_name NOT NULL,
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    amount bigint NOT NULL,
    PRIMARY KEY (organisation_id, month, gateway, currency),
    FOREIGN KEY (organisation_id, month) REFERENCES closed_months);
COMMENT ON TABLE closed_balances IS
    'What was with each provider at the end of a closed month, by the books as they were closed. So that no page adds up all movements ever booked.';
COMMENT ON COLUMN closed_balances.amount IS 'In minor units; below 0 if the organisation owes it to the provider.';
GRANT SELECT ON closed_balances, closed_months TO storefront_api;
REVOKE UPDATE, DELETE ON closed_balances FROM storefront_worker;

-- Months that were closed before; what payouts had beside the ledger is in the months after.
INSERT INTO closed_balances (organisation_id, month, gateway, currency, amount)
SELECT c.organisation_id, c.month, l.gateway, l.currency, sum(l.amount)
FROM closed_months c JOIN ledger l ON l.organisation_id = c.organisation_id AND l.received_at < c.before
WHERE l.gateway <> 'external' GROUP BY 1, 2, 3, 4;

CREATE INDEX payouts_read_idx ON payouts (organisation_id, read_at) WHERE read_at IS NOT NULL;
CREATE INDEX transactions_at_bank_idx ON transactions (organisation_id, created_at)
    WHERE provider_pending_since IS NOT NULL AND state IN ('created', 'processing');

-- Closing a month is on record.
ALTER TABLE audit_log DROP CONSTRAINT audit_log_entity_check;
ALTER TABLE audit_log ADD CONSTRAINT audit_log_entity_check CHECK (entity IN
    ('enrollment', 'cart', 'transaction', 'membership', 'refund', 'key', 'gateway', 'message', 'catalog', 'learner', 'endpoint',
     'voucher', 'staff', 'withdrawal', 'books'));
