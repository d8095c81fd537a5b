-- The support desk finds orders of business buyers by the company and the tax number on their invoices.

-- What tells tax numbers apart, as `TaxId::plain` of the programs reads them.
CREATE FUNCTION plain_tax_id(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT upper(regexp_replace(normalize($1, NFKC), '[^[:alnum:]+*]', '', 'g'))
$$;

CREATE INDEX carts_billing_company_idx ON carts USING gin (searchable(billing_address ->> 'company') gin_trgm_ops)
    WHERE billing_address ->> 'company' IS NOT NULL;
CREATE INDEX carts_billing_tax_id_idx ON carts (organisation_id, plain_tax_id(billing_address ->> 'tax_id'))
    WHERE billing_address ->> 'tax_id' IS NOT NULL;
