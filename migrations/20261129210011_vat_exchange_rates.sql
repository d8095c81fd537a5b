-- The VAT of a document in the currency of the seller's state.

CREATE TABLE vat_exchange_rates (
    organisation_id uuid NOT NULL REFERENCES organisations,
    base char(3) NOT NULL CHECK (base ~ '^[A-Z]{3}$'),
    quote char(3) NOT NULL CHECK (quote ~ '^[A-Z]{3}$'),
    day date NOT NULL,
    rate numeric(20, 10) NOT NULL CHECK (rate > 0),
    source text NOT NULL CHECK (length(source) BETWEEN 1 AND 100),
    set_at timestamptz NOT NULL,
    set_by text NOT NULL,
    PRIMARY KEY (organisation_id, base, quote, day),
    CHECK (base <> quote)
);
COMMENT ON TABLE vat_exchange_rates IS
    'Exchange rates by day, at which an organisation states its VAT in the currency of its state. Documents freeze the one that they use.';
COMMENT ON COLUMN vat_exchange_rates.rate IS 'Units of `quote` for one of `base`.';
COMMENT ON COLUMN vat_exchange_rates.source IS 'Who has published it, as documents print it.';

ALTER TABLE documents_due ADD COLUMN awaits_rate boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN documents_due.awaits_rate IS 'True while the invoice waits for an exchange rate.';
