-- Prices that hold for a time instead of the full one.

ALTER TABLE course_modes ADD COLUMN dated_prices jsonb NOT NULL DEFAULT '[]'
    CONSTRAINT course_modes_dated_prices CHECK (jsonb_typeof(dated_prices) = 'array');
COMMENT ON COLUMN course_modes.dated_prices IS
    'As the catalog file has them: {name, from?, until?, price | percent_off}. The lowest that holds is the price; `price` is the full one.';
ALTER TABLE programs ADD COLUMN dated_prices jsonb NOT NULL DEFAULT '[]'
    CONSTRAINT programs_dated_prices CHECK (jsonb_typeof(dated_prices) = 'array');
COMMENT ON COLUMN programs.dated_prices IS 'As those of course_modes.';
ALTER TABLE courses ADD COLUMN has_dated_prices boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN courses.has_dated_prices IS
    'Whether a mode has some, so that a list reads the modes of the course for its price.';
COMMENT ON COLUMN courses.price IS
    'The full price of the cheapest visible, unexpired mode: derived from course_modes on import, and again when a mode expires or a dated '
    'price begins or ends.';
COMMENT ON COLUMN courses.price_order IS
    'The present price in major units, as displayed: lists are ordered by it. Some currencies have four digits (CLF, UYW).';
COMMENT ON COLUMN courses.next_mode_expiry IS
    'When a visible mode expires next, or a dated price of one begins or ends.';

ALTER TABLE cart_items ADD COLUMN price_name text;
COMMENT ON COLUMN cart_items.price_name IS 'Name of the dated price at which the line was sold; null: at the full price.';

CREATE TABLE former_prices (
    course_id uuid REFERENCES courses ON DELETE CASCADE,
    mode text,
    program_id uuid REFERENCES programs ON DELETE CASCADE,
    price bigint NOT NULL,
    currency char(3) NOT NULL,
    dated_prices jsonb NOT NULL,
    held_until timestamptz NOT NULL,
    CONSTRAINT former_prices_one_subject CHECK (num_nonnulls(course_id, program_id) = 1 AND (course_id IS NULL) = (mode IS NULL))
);
COMMENT ON TABLE former_prices IS
    'What modes and programs cost before each change, so that the lowest price of the 30 days before a reduction is known.';
COMMENT ON COLUMN former_prices.held_until IS 'When the change took its place.';
CREATE INDEX former_prices_course_idx ON former_prices (course_id, held_until) WHERE course_id IS NOT NULL;
CREATE INDEX former_prices_program_idx ON former_prices (program_id, held_until) WHERE program_id IS NOT NULL;
GRANT SELECT ON former_prices TO storefront_api;
