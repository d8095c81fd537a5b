-- The ledger follows the money of a dispute from the day on which the provider takes it.
ALTER TABLE ledger ADD COLUMN bank_at timestamptz;
COMMENT ON COLUMN ledger.bank_at IS 'When the provider moved the money, by its own clock; null where it does not say.';
COMMENT ON COLUMN transactions.refunded_amount IS 'What refunds have given back; what disputes took is counted separately.';
COMMENT ON COLUMN transactions.lost_amount IS 'What disputes have taken: lost ones, and open ones whose money the provider holds.';
COMMENT ON TABLE disputes IS 'Disputes of payments, and what the provider has taken for them.';
COMMENT ON COLUMN disputes.lost IS 'What the provider has taken, in minor units; of an open one, what it holds until the decision.';
