-- The day that a movement of money counts to, and the months that finance has closed.
CREATE TABLE closed_months (
    organisation_id uuid NOT NULL REFERENCES organisations (id),
    month date NOT NULL CONSTRAINT closed_months_month CHECK (extract(day FROM month) = 1),
    before timestamptz NOT NULL,
    closed_at timestamptz NOT NULL,
    closed_by text NOT NULL,
    PRIMARY KEY (organisation_id, month));
COMMENT ON TABLE closed_months IS 'Months whose books are closed, with all months before: what is booked later counts to the month after.';
COMMENT ON COLUMN closed_months.before IS 'The end of the month where the seller was when it was closed.';

ALTER TABLE ledger ADD COLUMN received_at timestamptz GENERATED ALWAYS AS (coalesce(bank_at, at)) STORED;
ALTER TABLE ledger ALTER COLUMN received_at DROP EXPRESSION, ALTER COLUMN received_at SET NOT NULL,
    -- Until the trigger that sets it is there, which is a moment later.
    ALTER COLUMN received_at SET DEFAULT now();
COMMENT ON COLUMN ledger.received_at IS
    'When the money came or went: by the bank or the provider, else when it was booked. In a closed month, the booking or the end of that month, '
    'whichever is later.';

-- What the bank said of transfers was looked up for each report.
ALTER TABLE ledger DISABLE TRIGGER USER;
UPDATE ledger l SET bank_at = b.bank_at, received_at = b.bank_at
FROM (SELECT l.seq, max(r.received_at) AS bank_at
      FROM ledger l JOIN received_payments r ON r.transaction_id = l.transaction_id AND r.created_at <= l.at
          AND (r.returned_at IS NULL OR r.returned_at > l.at)
      WHERE l.kind = 'captured' GROUP BY l.seq) b
WHERE l.seq = b.seq;
ALTER TABLE ledger ENABLE TRIGGER USER;

CREATE INDEX ledger_received_idx ON ledger (organisation_id, received_at, seq);
REVOKE UPDATE, DELETE ON closed_months FROM storefront_worker;
