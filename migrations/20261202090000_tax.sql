-- Tax: who sells, the rates of each place, and what each line, payment and movement of money contains of it.

-- The organisation as a seller on invoices, as the catalog file has it; null: it charges no tax and issues no documents.
ALTER TABLE organisations ADD COLUMN seller jsonb CHECK (jsonb_typeof(seller) = 'object'),
    -- Since when it has been a seller: earlier orders get no documents. It stays one, because later ones need it.
    ADD COLUMN seller_since timestamptz,
    ADD CONSTRAINT organisations_seller_since CHECK ((seller IS NULL) = (seller_since IS NULL));

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

-- The rate that an organisation with a seller applies at a place: that of its state, else of its country; without a country,
-- where the seller is. The newest that is valid on the day.
CREATE FUNCTION tax_rate_of(organisation uuid, buyer_country text, buyer_state text, at timestamptz) RETURNS jsonb
LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object('components', r.components, 'note', r.note)
    FROM organisations o JOIN tax_rates r ON r.organisation_id = o.id
    WHERE o.id = organisation AND r.country = coalesce(buyer_country, o.seller ->> 'country')
      AND (r.state IS NULL
           OR lower(r.state) = lower(CASE WHEN buyer_country IS NULL THEN o.seller ->> 'state' ELSE buyer_state END))
      AND r.valid_from <= (at AT TIME ZONE (o.seller ->> 'time_zone'))::date
    ORDER BY r.state NULLS LAST, r.valid_from DESC LIMIT 1
$$;

-- How the cart was taxed; null if its organisation was no seller.
-- The checks are not validated: that would read large tables, and no row of the past has tax.
ALTER TABLE carts ADD COLUMN tax_terms jsonb,
    ADD CONSTRAINT carts_tax_terms CHECK (jsonb_typeof(tax_terms) = 'object') NOT VALID;
-- A line costs `price + tax_on_top`.
ALTER TABLE cart_items
    ADD COLUMN tax bigint NOT NULL DEFAULT 0,
    ADD COLUMN tax_on_top bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT cart_items_tax CHECK (tax >= 0 AND tax_on_top IN (0, tax)) NOT VALID,
    DROP CONSTRAINT cart_items_refunded_within_price,
    ADD CONSTRAINT cart_items_refunded_within_total CHECK (refunded BETWEEN 0 AND price + tax_on_top) NOT VALID;
ALTER TABLE transactions
    ADD COLUMN tax bigint NOT NULL DEFAULT 0,
    ADD COLUMN tax_on_top bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT transactions_tax CHECK (tax >= 0 AND tax_on_top >= 0) NOT VALID,
    DROP CONSTRAINT transactions_check,
    ADD CONSTRAINT transactions_within_original CHECK (original_price + tax_on_top >= amount) NOT VALID;
-- The part of the amount that is tax, with the same sign.
ALTER TABLE ledger
    ADD COLUMN tax bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT ledger_tax CHECK (sign(tax) * sign(amount) >= 0 AND abs(tax) <= abs(amount)) NOT VALID;

GRANT SELECT (tax_terms) ON carts TO storefront_api;
GRANT SELECT (tax_on_top) ON transactions TO storefront_api;
