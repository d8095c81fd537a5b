-- Tax: who sells, the rates of each place, and what each line, payment and movement of money contains of it.

-- The organisation as a seller on invoices, as the catalog file has it; null: it charges no tax and issues no documents.
ALTER TABLE organisations ADD COLUMN seller jsonb CHECK (jsonb_typeof(seller) = 'object'),
    -- Since when it has been a seller: earlier orders get no documents.
    ADD COLUMN seller_since timestamptz,
    ADD CONSTRAINT organisations_seller_since CHECK (seller IS NULL OR seller_since IS NOT NULL);

CREATE TABLE tax_rates (
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    country char(2) NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    -- Null: of every state without rates of its own.
    state text CHECK (state <> ''),
    -- In the seller's time zone.
    valid_from date NOT NULL,
    -- Names and percentages.
    components jsonb NOT NULL CHECK (jsonb_typeof(components) = 'array'),
    note text
);
CREATE UNIQUE INDEX tax_rates_key ON tax_rates (organisation_id, country, lower(state), valid_from) NULLS NOT DISTINCT;

-- How the cart was taxed; null if its organisation was no seller.
ALTER TABLE carts ADD COLUMN tax_terms jsonb CHECK (jsonb_typeof(tax_terms) = 'object');
-- A line costs `price + tax_on_top`. The former check stands for all rows of the past.
ALTER TABLE cart_items
    ADD COLUMN tax bigint NOT NULL DEFAULT 0 CHECK (tax >= 0),
    ADD COLUMN tax_on_top bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT cart_items_tax_on_top CHECK (tax_on_top IN (0, tax)) NOT VALID,
    DROP CONSTRAINT cart_items_refunded_within_price,
    ADD CONSTRAINT cart_items_refunded_within_total CHECK (refunded BETWEEN 0 AND price + tax_on_top) NOT VALID;
ALTER TABLE transactions
    ADD COLUMN tax bigint NOT NULL DEFAULT 0 CHECK (tax >= 0),
    ADD COLUMN tax_on_top bigint NOT NULL DEFAULT 0 CHECK (tax_on_top >= 0),
    DROP CONSTRAINT transactions_check,
    ADD CONSTRAINT transactions_within_original CHECK (original_price + tax_on_top >= amount) NOT VALID;
-- The part of the amount that is tax, with the same sign.
ALTER TABLE ledger
    ADD COLUMN tax bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT ledger_tax CHECK (sign(tax) * sign(amount) >= 0 AND abs(tax) <= abs(amount)) NOT VALID;

GRANT SELECT (tax_terms) ON carts TO storefront_api;
GRANT SELECT (tax_on_top) ON transactions TO storefront_api;
