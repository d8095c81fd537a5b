-- Payouts of the providers, with the movements in each, and both in the ledger.
CREATE TABLE payout_readings (
    organisation_id uuid NOT NULL,
    gateway gateway_name NOT NULL,
    due_at timestamptz NOT NULL,
    page text,
    begun_at timestamptz,
    read_to timestamptz,
    refused_at timestamptz,
    PRIMARY KEY (organisation_id, gateway),
    FOREIGN KEY (organisation_id, gateway) REFERENCES gateway_credentials ON DELETE CASCADE
);
COMMENT ON TABLE payout_readings IS 'How far the payouts of each account have been read, and when they are read again.';
COMMENT ON COLUMN payout_readings.page IS 'Where the list of payouts continues, in the provider''s words; null at its beginning.';
COMMENT ON COLUMN payout_readings.begun_at IS 'When the reading of the list began that has not ended; null between two.';
COMMENT ON COLUMN payout_readings.read_to IS 'All payouts that were made before are known; null before the first reading has ended.';
COMMENT ON COLUMN payout_readings.refused_at IS
    'When the provider refused to show payouts, as it does to a key without the right; null once it shows them.';
GRANT SELECT ON payout_readings TO storefront_api;

CREATE TABLE payouts (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    gateway gateway_name NOT NULL,
    reference text NOT NULL,
    state text NOT NULL CONSTRAINT payouts_state_known CHECK (state IN ('pending', 'paid', 'failed')),
    amount bigint NOT NULL,
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    made_at timestamptz NOT NULL,
    bank_day date,
    bank_reference text,
    is_itemised boolean NOT NULL,
    page text,
    rows_due_at timestamptz,
    read_at timestamptz,
    difference numeric,
    CONSTRAINT payouts_reference_key UNIQUE (organisation_id, gateway, reference),
    CONSTRAINT payouts_difference CHECK ((read_at IS NULL) = (difference IS NULL))
);
COMMENT ON TABLE payouts IS 'Payouts of providers to organisations'' banks, as the providers state them.';
COMMENT ON COLUMN payouts.state IS 'A payout that is paid can still fail, and one that has failed can be paid after all.';
COMMENT ON COLUMN payouts.amount IS 'In minor units; below 0 if the provider has drawn money from the bank.';
COMMENT ON COLUMN payouts.bank_day IS 'The day on which the bank has it, as far as the provider says it.';
COMMENT ON COLUMN payouts.bank_reference IS 'How the bank knows it.';
COMMENT ON COLUMN payouts.is_itemised IS 'True if the provider says which movements are in it.';
COMMENT ON COLUMN payouts.page IS 'Where its movements continue, as in `payout_readings`.';
COMMENT ON COLUMN payouts.rows_due_at IS 'When its movements are read, or read again; null if they are not to be read.';
COMMENT ON COLUMN payouts.read_at IS 'When all of its movements had been read.';
COMMENT ON COLUMN payouts.difference IS 'The amount less the sum of its movements, in minor units; 0 if they agree.';
CREATE INDEX payouts_organisation_idx ON payouts (organisation_id, made_at DESC, id DESC);
CREATE INDEX payouts_due_idx ON payouts (organisation_id, gateway, rows_due_at) WHERE rows_due_at IS NOT NULL;
GRANT SELECT (id, organisation_id, gateway, reference, state, amount, currency, made_at, bank_day, bank_reference, is_itemised, read_at,
              difference) ON payouts TO storefront_api;

CREATE TABLE payout_rows (
    payout_id uuid NOT NULL REFERENCES payouts,
    reference text NOT NULL,
    kind text NOT NULL CONSTRAINT payout_rows_kind_known CHECK (kind IN
        ('payment', 'refund', 'dispute', 'fee', 'payout', 'rounding', 'other')),
    provider_kind text NOT NULL,
    balance text,
    items bigint NOT NULL DEFAULT 1,
    gross numeric NOT NULL,
    fee numeric NOT NULL,
    fee_tax numeric NOT NULL,
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    moved_at timestamptz,
    transaction_id uuid REFERENCES transactions,
    refund_id uuid REFERENCES refunds,
    PRIMARY KEY (payout_id, reference)
);
COMMENT ON TABLE payout_rows IS
    'The movements in a payout, exactly as the provider states them: it gets `gross` less `fee` of each. Amounts are in minor units, with '
    'decimals where the provider has them.';
COMMENT ON COLUMN payout_rows.kind IS
    '`fee`: billed apart. `payout`: one that came back. `rounding`: what rounding the payout has changed. `other`: any word of the provider that is not known.';
COMMENT ON COLUMN payout_rows.provider_kind IS 'The provider''s own word.';
COMMENT ON COLUMN payout_rows.balance IS 'A balance of the provider that the payout is not made from; null: the one that it is made from.';
COMMENT ON COLUMN payout_rows.items IS 'The number of movements that the row adds up.';
COMMENT ON COLUMN payout_rows.fee IS 'What the provider keeps, tax included; below 0 if it gives a fee back.';
COMMENT ON COLUMN payout_rows.fee_tax IS 'The tax in the fee.';
COMMENT ON COLUMN payout_rows.moved_at IS 'By the provider''s clock; null if it adds up several.';
CREATE INDEX payout_rows_transaction_idx ON payout_rows (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX payout_rows_refund_idx ON payout_rows (refund_id) WHERE refund_id IS NOT NULL;
GRANT SELECT ON payout_rows TO storefront_api;

-- The fees of a payout, and the payout, concern no single order.
ALTER TABLE ledger ALTER COLUMN cart_id DROP NOT NULL, ALTER COLUMN transaction_id DROP NOT NULL,
    ADD COLUMN payout_id uuid REFERENCES payouts,
    DROP CONSTRAINT ledger_kind_known,
    DROP CONSTRAINT ledger_sign;
ALTER TABLE ledger
    ADD CONSTRAINT ledger_kind_known CHECK (kind IN
        ('captured', 'refunded', 'refund_failed', 'chargeback', 'chargeback_reversed', 'moved', 'fee', 'payout')),
    ADD CONSTRAINT ledger_sign CHECK (CASE kind WHEN 'refunded' THEN amount < 0 WHEN 'chargeback' THEN amount < 0
                                                WHEN 'moved' THEN amount = 0 WHEN 'fee' THEN amount <> 0
                                                WHEN 'payout' THEN amount <> 0 ELSE amount > 0 END),
    ADD CONSTRAINT ledger_subject CHECK (
        CASE WHEN kind IN ('fee', 'payout') THEN payout_id IS NOT NULL AND transaction_id IS NULL AND cart_id IS NULL
             ELSE payout_id IS NULL AND transaction_id IS NOT NULL AND cart_id IS NOT NULL END);
COMMENT ON COLUMN ledger.amount IS 'Positive: to the organisation. A payout is negative: it leaves the provider''s balance.';
COMMENT ON COLUMN ledger.payout_id IS 'The payout of a `fee` or a `payout`, which concern no single order; null for all others.';
CREATE INDEX ledger_payout_idx ON ledger (payout_id) WHERE payout_id IS NOT NULL;
