-- Prefixes of the postal codes that are of the rate's state.
ALTER TABLE tax_rates
    ADD COLUMN postal_codes text[] NOT NULL DEFAULT '{}',
    ADD CONSTRAINT tax_rates_postal_codes_check CHECK (postal_codes = '{}' OR state IS NOT NULL);
