-- What the support desk searches and lists.

-- References as people type them: without case, blanks and punctuation. Null if nothing is left.
CREATE FUNCTION plain_reference(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT nullif(upper(regexp_replace(normalize($1, NFKC), '[^[:alnum:]]', '', 'g')), '')
$$;
CREATE INDEX carts_plain_reference_idx ON carts (organisation_id, plain_reference(reference)) WHERE reference IS NOT NULL;
CREATE INDEX received_payments_plain_reference_idx ON received_payments (plain_reference(reference));

-- Courses and programs by a part of their names, and the newest orders of each.
CREATE INDEX courses_name_idx ON courses USING gin (searchable(display_name) gin_trgm_ops);
CREATE INDEX programs_name_idx ON programs USING gin (searchable(name) gin_trgm_ops);
CREATE INDEX cart_items_course_cart_idx ON cart_items (course_id, cart_id) WHERE course_id IS NOT NULL;
CREATE INDEX cart_items_program_cart_idx ON cart_items (program_id, cart_id) WHERE program_id IS NOT NULL;
DROP INDEX cart_items_course_idx, cart_items_program_idx;

-- Money that an organisation waits for.
CREATE INDEX transactions_owed_idx ON transactions (organisation_id, due_on) WHERE gateway = 'external' AND state = 'processing';

-- The buyer that the support asks finance to put on an invoice, as its tax is paid back then; null unless that waits.
ALTER TABLE carts ADD COLUMN asked_invoice jsonb CONSTRAINT carts_asked_invoice CHECK (jsonb_typeof(asked_invoice) = 'object');
GRANT SELECT (asked_invoice) ON carts TO storefront_api;
CREATE INDEX carts_asked_invoice_idx ON carts (organisation_id) WHERE asked_invoice IS NOT NULL;
