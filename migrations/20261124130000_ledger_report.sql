-- The report reads an organisation's ledger in its order, in statements of limited size: each begins where the one before it
-- ended.
CREATE INDEX ledger_organisation_seq_idx ON ledger (organisation_id, seq);
