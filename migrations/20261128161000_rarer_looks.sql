-- What waits for long is looked at more rarely: no round of the reconciler reads all of it.

-- Addresses that wait for their registration, by the time since which they do.
DROP INDEX enrollments_pending_idx;
CREATE INDEX enrollments_pending_idx ON enrollments (email) WHERE state = 'pending_registration';
DROP INDEX enrollments_pending_since_idx;
CREATE INDEX enrollments_pending_since_idx ON enrollments (updated_at) WHERE state = 'pending_registration';
DROP INDEX carts_held_idx;
CREATE INDEX carts_held_idx ON carts (email) WHERE state = 'held';

CREATE TABLE registration_searches (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    searched_to timestamptz NOT NULL
);
COMMENT ON TABLE registration_searches IS
    'One row: the time up to which the addresses that were due have been searched at the platform.';
INSERT INTO registration_searches (searched_to) VALUES ('epoch');
REVOKE INSERT, DELETE ON registration_searches FROM storefront_worker;

-- Learners, by their next check.
ALTER TABLE learners ADD COLUMN retirement_due_at timestamptz;
COMMENT ON COLUMN learners.retirement_due_at IS 'When the platform is queried again whether the account is retired; null: it never was.';
DROP INDEX learners_retirement_idx;
CREATE INDEX learners_retirement_idx ON learners (coalesce(retirement_due_at, '-infinity'))
    WHERE email IS NOT NULL OR former_email IS NOT NULL;

-- Payments that are not over, by their gateway: those at a gateway that cancels none stay payable for good.
DROP INDEX transactions_pending_idx;
CREATE INDEX transactions_pending_idx ON transactions (gateway, created_at)
    WHERE state IN ('created', 'processing') AND dead_at IS NULL AND on_account IS NULL;

-- Orders on account whose access has not begun yet, instead of all that wait for their payment.
DROP INDEX carts_pending_idx;
CREATE INDEX carts_on_account_idx ON carts (fulfil_requested_at)
    WHERE state = 'pending_payment' AND fulfil_requested_at IS NOT NULL;
UPDATE carts c SET fulfil_requested_at = c.created_at FROM transactions t
WHERE t.cart_id = c.id AND t.on_account = 'now' AND t.state = 'processing' AND c.state = 'pending_payment'
  AND c.fulfil_requested_at IS NULL;
GRANT SELECT (fulfil_requested_at) ON carts TO storefront_api;

-- Invoices that are not known to be overdue, and uses of vouchers whose orders wait for their payment.
DROP INDEX transactions_unpaid_on_account_idx;
CREATE INDEX transactions_unpaid_on_account_idx ON transactions (due_on)
    WHERE on_account IS NOT NULL AND state = 'processing' AND overdue_at IS NULL;
CREATE INDEX voucher_uses_held_idx ON voucher_uses (at) WHERE state = 'held';
