-- Sales: carts with their frozen quote, their lines, and the courses that they give access to.

-- Functions of indexes on orders; the others are in functions/sales.sql.

CREATE FUNCTION plain_tax_id(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT upper(regexp_replace(normalize($1, NFKC), '[^[:alnum:]+*]', '', 'g'))
$$;
COMMENT ON FUNCTION plain_tax_id(text) IS 'Leaves of a tax number what tells numbers apart, as `TaxId::plain` of the programs reads them.';

CREATE FUNCTION plain_reference(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT nullif(upper(regexp_replace(normalize($1, NFKC), '[^[:alnum:]]', '', 'g')), '')
$$;
COMMENT ON FUNCTION plain_reference(text) IS
    'Leaves of a reference its letters and digits, without case, blanks and punctuation, as people type them. Null if nothing is left.';

CREATE TABLE carts (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('discovery', 'learner')),
    buyer text NOT NULL,
    email text NOT NULL CHECK (email = lower(btrim(email))),
    learner_id uuid REFERENCES learners,
    organisation_id uuid NOT NULL REFERENCES organisations,
    state text NOT NULL CHECK (state IN
        ('open', 'pending_payment', 'held', 'paid', 'fulfilled', 'cancelled', 'expired', 'refunded')),
    basket_hash bytea NOT NULL,
    country char(2) CHECK (country ~ '^[A-Z]{2}$'),
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    total bigint NOT NULL CHECK (total >= 0),
    voucher_id uuid,
    tax_terms jsonb,
    billing_address jsonb,
    created_at timestamptz NOT NULL,
    paid_at timestamptz,
    fulfilled_at timestamptz,
    fulfil_requested_at timestamptz,
    grant_blocked_at timestamptz,
    consents jsonb CONSTRAINT carts_consents CHECK (jsonb_typeof(consents) = 'object'),
    language text NOT NULL DEFAULT 'en' CHECK (length(language) BETWEEN 2 AND 35),
    reference text CHECK (length(reference) BETWEEN 1 AND 64),
    metadata jsonb CHECK (jsonb_typeof(metadata) = 'object'),
    link_version integer NOT NULL DEFAULT 0,
    asked_invoice jsonb CONSTRAINT carts_asked_invoice CHECK (jsonb_typeof(asked_invoice) = 'object'),
    CONSTRAINT carts_cancelled_unpaid CHECK (state <> 'cancelled' OR paid_at IS NULL),
    CONSTRAINT carts_tax_terms CHECK (jsonb_typeof(tax_terms) = 'object')
);
COMMENT ON TABLE carts IS 'Each checkout: its buyer, state, total and terms of tax.';
COMMENT ON COLUMN carts.id IS 'The id of the command that made it, so that a caller who got no answer knows it too.';
COMMENT ON COLUMN carts.buyer IS 'The platform user id of a learner, or `guest:` and the address.';
COMMENT ON COLUMN carts.basket_hash IS 'Items, modes, prices and country: two checkouts with the same hash are the same.';
COMMENT ON COLUMN carts.voucher_id IS 'The voucher that was redeemed.';
COMMENT ON COLUMN carts.tax_terms IS 'How the cart was taxed; null if its organisation was not a seller.';
COMMENT ON COLUMN carts.fulfil_requested_at IS
    'When the reconciler last queued the cart''s fulfilment: it queues no other one until that has had its time.';
COMMENT ON COLUMN carts.grant_blocked_at IS
    'Since when a paid cart''s access waits for an operator, because the access that it upgrades has ended.';
COMMENT ON COLUMN carts.consents IS
    'The terms that apply to the order, and what its buyer agreed to, as of the checkout: {terms, begin_now, loses_right, at, kind, days, '
    'terms_url?, terms_version?}. Null: the buyer has no right of withdrawal by these terms, as for seats and companies.';
COMMENT ON COLUMN carts.language IS
    'A tag of BCP 47. It is decided once, when the order is made, and every mail about it is written in it, for every cause of the mail.';
COMMENT ON COLUMN carts.reference IS
    'How the buyer''s or the seller''s own systems know the order. It does not decide whether two checkouts are the same attempt.';
COMMENT ON COLUMN carts.metadata IS 'What the buyer''s or the seller''s own systems keep with the order, as `reference`.';
COMMENT ON COLUMN carts.link_version IS
    'The version that the links of the order have, those of its documents, pools of seats and withdrawals included. Links of mails end '
    'with the address to which they were sent: a correction of the order''s address raises it.';
COMMENT ON COLUMN carts.asked_invoice IS
    'The buyer that the support asks finance to put on an invoice, as its tax is paid back then; null unless that waits.';
-- One live attempt of a basket, and one cart of a learner. By the buyer: a learner whose address is unproven has an account too.
CREATE UNIQUE INDEX carts_live_attempt_key ON carts (buyer, organisation_id, basket_hash)
    WHERE state IN ('open', 'pending_payment', 'held') AND kind = 'discovery';
CREATE UNIQUE INDEX carts_learner_cart_key ON carts (buyer, organisation_id)
    WHERE state IN ('open', 'pending_payment') AND kind = 'learner';
CREATE INDEX carts_buyer_idx ON carts (buyer, organisation_id);
CREATE INDEX carts_learner_idx ON carts (learner_id) WHERE learner_id IS NOT NULL;
CREATE INDEX carts_voucher_idx ON carts (voucher_id) WHERE voucher_id IS NOT NULL;
-- Lists of orders: an organisation's, newest first, by state or by the time of payment, or those of an address. Measured with
-- 200,000 carts, PostgreSQL read all of them for a page of twenty without the last two.
CREATE INDEX carts_organisation_idx ON carts (organisation_id, created_at DESC, id DESC);
CREATE INDEX carts_email_idx ON carts (email, organisation_id);
CREATE INDEX carts_organisation_state_idx ON carts (organisation_id, state, created_at DESC, id DESC);
CREATE INDEX carts_organisation_paid_idx ON carts (organisation_id, paid_at) WHERE paid_at IS NOT NULL;
-- The support desk's: orders by parts of names on invoices, by tax number and by reference, and invoices that it has asked for.
CREATE INDEX carts_billing_name_idx ON carts USING gin (searchable(billing_address ->> 'name') gin_trgm_ops)
    WHERE billing_address ->> 'name' IS NOT NULL;
CREATE INDEX carts_billing_company_idx ON carts USING gin (searchable(billing_address ->> 'company') gin_trgm_ops)
    WHERE billing_address ->> 'company' IS NOT NULL;
CREATE INDEX carts_billing_tax_id_idx ON carts (organisation_id, plain_tax_id(billing_address ->> 'tax_id'))
    WHERE billing_address ->> 'tax_id' IS NOT NULL;
CREATE INDEX carts_reference_idx ON carts (organisation_id, reference, created_at DESC, id DESC) WHERE reference IS NOT NULL;
CREATE INDEX carts_plain_reference_idx ON carts (organisation_id, plain_reference(reference)) WHERE reference IS NOT NULL;
CREATE INDEX carts_asked_invoice_idx ON carts (organisation_id) WHERE asked_invoice IS NOT NULL;
-- The reconciler's: carts that wait for a registration, for their fulfilment, or for a decision.
CREATE INDEX carts_held_idx ON carts (email) WHERE state = 'held';
CREATE INDEX carts_paid_idx ON carts (paid_at) WHERE state = 'paid';
CREATE INDEX carts_open_idx ON carts (created_at) WHERE state = 'open';
-- Retention's: carts that were never paid, among them those whose payment is no longer checked, since orders of Razorpay and
-- Curlec stay open indefinitely.
CREATE INDEX carts_unbought_idx ON carts (created_at)
    WHERE state IN ('cancelled', 'expired', 'pending_payment') AND email NOT LIKE '%@erased.invalid';

-- A dead letter may concern an order.
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts ON DELETE SET NULL;

CREATE TABLE cart_items (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cart_id uuid NOT NULL REFERENCES carts ON DELETE CASCADE,
    position integer NOT NULL,
    course_id uuid REFERENCES courses,
    program_id uuid REFERENCES programs,
    name text NOT NULL,
    mode text NOT NULL,
    seats integer,
    original_price bigint NOT NULL CHECK (original_price >= 0),
    discount_pct numeric(5, 2) NOT NULL CHECK (discount_pct BETWEEN 0 AND 100),
    price bigint NOT NULL,
    voucher_discount bigint NOT NULL DEFAULT 0 CHECK (voucher_discount >= 0),
    tax bigint NOT NULL DEFAULT 0,
    tax_on_top bigint NOT NULL DEFAULT 0,
    charged bigint,
    refunded bigint NOT NULL DEFAULT 0,
    access_ended_at timestamptz,
    upgrade_from text,
    rests_on uuid,
    CONSTRAINT cart_items_position_key UNIQUE (cart_id, position),
    CONSTRAINT cart_items_one_subject CHECK (num_nonnulls(course_id, program_id) = 1),
    CONSTRAINT cart_items_seats CHECK (seats BETWEEN 1 AND 1000),
    CONSTRAINT cart_items_price CHECK (price BETWEEN 0 AND original_price),
    CONSTRAINT cart_items_within_original CHECK (price + voucher_discount <= original_price),
    CONSTRAINT cart_items_tax CHECK (tax >= 0 AND tax_on_top IN (0, tax)),
    CONSTRAINT cart_items_charged CHECK (charged >= 0),
    CONSTRAINT cart_items_refunded_within_charge CHECK (refunded BETWEEN 0 AND coalesce(charged, price + tax_on_top))
);
COMMENT ON TABLE cart_items IS 'The lines of a cart, with the prices that the checkout fixed. A line costs `price + tax_on_top`.';
COMMENT ON COLUMN cart_items.seats IS
    'How many places the line buys for others; null: one for the buyer. Prices and tax are those of all of them.';
COMMENT ON COLUMN cart_items.voucher_discount IS 'What the voucher takes off; `price` is what is left.';
COMMENT ON COLUMN cart_items.charged IS
    'The line''s share of the payment, if the buyer was charged another amount than the lines cost together: less with an offer of the '
    'provider, or an amount that an operator has confirmed. Null: the line''s cost. Refunds are computed from it.';
COMMENT ON COLUMN cart_items.refunded IS 'Refunded or being refunded. Raised when a refund is requested, lowered when it fails.';
COMMENT ON COLUMN cart_items.access_ended_at IS 'When a refund or a lost dispute ended the access to the courses of this line.';
COMMENT ON COLUMN cart_items.upgrade_from IS 'The mode that the buyer held already.';
COMMENT ON COLUMN cart_items.rests_on IS 'The grant whose price reduced an upgrade''s price. The upgrade ends when that grant is refunded.';
CREATE INDEX cart_items_course_cart_idx ON cart_items (course_id, cart_id) WHERE course_id IS NOT NULL;
CREATE INDEX cart_items_program_cart_idx ON cart_items (program_id, cart_id) WHERE program_id IS NOT NULL;
CREATE INDEX cart_items_rests_on_idx ON cart_items (rests_on) WHERE rests_on IS NOT NULL;

CREATE TABLE cart_courses (
    cart_id uuid NOT NULL REFERENCES carts ON DELETE CASCADE,
    course_id uuid NOT NULL REFERENCES courses,
    mode text NOT NULL,
    position integer NOT NULL,
    PRIMARY KEY (cart_id, course_id)
);
COMMENT ON TABLE cart_courses IS 'The courses that a cart gives access to, programs expanded, frozen with the quote.';
COMMENT ON COLUMN cart_courses.position IS 'The line that leads to the course: programs change, and what was bought does not.';
CREATE INDEX cart_courses_course_idx ON cart_courses (course_id);

CREATE TABLE joined_checkouts (
    id uuid PRIMARY KEY,
    cart_id uuid NOT NULL REFERENCES carts ON DELETE CASCADE,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE joined_checkouts IS
    'Checkouts that joined the cart of an equal one, so that a caller who got no answer finds it by the id of its own checkout.';
CREATE INDEX joined_checkouts_cart_idx ON joined_checkouts (cart_id);
CREATE INDEX joined_checkouts_created_at_idx ON joined_checkouts (created_at);
