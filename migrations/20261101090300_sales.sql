-- Sales: carts with their frozen quote, their lines, and the courses that they give access to.

CREATE TABLE carts (
    -- The id of the command that made it, so that a caller who got no answer knows it too.
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('discovery', 'learner')),
    -- The platform user id of a learner, or `guest:` and the address.
    buyer text NOT NULL,
    email text NOT NULL CHECK (email = lower(btrim(email))),
    learner_id uuid REFERENCES learners,
    organisation_id uuid NOT NULL REFERENCES organisations,
    state text NOT NULL CHECK (state IN
        ('open', 'pending_payment', 'held', 'paid', 'fulfilled', 'cancelled', 'expired', 'refunded')),
    -- Items, modes, prices and country: two checkouts with the same hash are the same.
    basket_hash bytea NOT NULL,
    country char(2) CHECK (country ~ '^[A-Z]{2}$'),
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    total bigint NOT NULL CHECK (total >= 0),
    -- The voucher that was redeemed; its foreign key is in vouchers.sql.
    voucher_id uuid,
    -- How the cart was taxed; null if its organisation was not a seller.
    tax_terms jsonb,
    billing_address jsonb,
    created_at timestamptz NOT NULL,
    paid_at timestamptz,
    fulfilled_at timestamptz,
    -- When the reconciler last queued the cart's fulfilment: it queues no other one until that has had its time.
    fulfil_requested_at timestamptz,
    -- Since when a paid cart's access waits for an operator, because the access that it upgrades has ended.
    grant_blocked_at timestamptz,
    CONSTRAINT carts_tax_terms CHECK (jsonb_typeof(tax_terms) = 'object')
);
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
-- The reconciler's: carts that wait for a registration, for their fulfilment, or for a decision.
CREATE INDEX carts_held_idx ON carts (email) WHERE state = 'held';
CREATE INDEX carts_paid_idx ON carts (paid_at) WHERE state = 'paid';
CREATE INDEX carts_open_idx ON carts (created_at) WHERE state = 'open';
-- Retention's: carts that were never paid, among them those whose payment is no longer checked, since orders of Razorpay and
-- Curlec stay open indefinitely.
CREATE INDEX carts_unbought_idx ON carts (created_at)
    WHERE state IN ('cancelled', 'expired', 'pending_payment') AND email NOT LIKE '%@erased.invalid';
CREATE TRIGGER carts_moves BEFORE UPDATE OF state ON carts FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();

-- The lines of a cart. A line costs `price + tax_on_top`.
CREATE TABLE cart_items (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cart_id uuid NOT NULL REFERENCES carts ON DELETE CASCADE,
    position integer NOT NULL,
    course_id uuid REFERENCES courses,
    program_id uuid REFERENCES programs,
    name text NOT NULL,
    mode text NOT NULL,
    -- How many places the line buys for others; null: one for the buyer. Prices and tax are those of all of them.
    seats integer,
    original_price bigint NOT NULL CHECK (original_price >= 0),
    discount_pct numeric(5, 2) NOT NULL CHECK (discount_pct BETWEEN 0 AND 100),
    price bigint NOT NULL,
    -- What the voucher takes off; `price` is what is left.
    voucher_discount bigint NOT NULL DEFAULT 0 CHECK (voucher_discount >= 0),
    tax bigint NOT NULL DEFAULT 0,
    tax_on_top bigint NOT NULL DEFAULT 0,
    -- The line's share of the payment, if the buyer was charged another amount than the lines cost together: less with an offer
    -- of the provider, or an amount that an operator has confirmed. Null: the line's cost. Refunds are computed from it.
    charged bigint,
    -- Refunded or being refunded. Raised when a refund is requested, lowered when it fails.
    refunded bigint NOT NULL DEFAULT 0,
    -- When a refund or a lost dispute ended the access to the courses of this line.
    access_ended_at timestamptz,
    -- The mode that the buyer held already.
    upgrade_from text,
    -- The grant whose price reduced an upgrade's price; its foreign key is in access.sql. The upgrade ends when that grant is refunded.
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
CREATE INDEX cart_items_course_idx ON cart_items (course_id) WHERE course_id IS NOT NULL;
CREATE INDEX cart_items_program_idx ON cart_items (program_id) WHERE program_id IS NOT NULL;
CREATE INDEX cart_items_rests_on_idx ON cart_items (rests_on) WHERE rests_on IS NOT NULL;

-- What the buyer was charged for a line, with tax, or is to be charged.
CREATE FUNCTION line_charged(line cart_items) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(line.charged, line.price + line.tax_on_top)
$$;

-- The courses that a cart gives access to, programs expanded, frozen with the quote.
CREATE TABLE cart_courses (
    cart_id uuid NOT NULL REFERENCES carts ON DELETE CASCADE,
    course_id uuid NOT NULL REFERENCES courses,
    mode text NOT NULL,
    -- The line that leads to the course: programs change, and what was bought does not.
    position integer NOT NULL,
    PRIMARY KEY (cart_id, course_id)
);
CREATE INDEX cart_courses_course_idx ON cart_courses (course_id);

-- When the latest course of a line starts: of those that it grants, or that its seats are for.
CREATE FUNCTION line_starts(line cart_items) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT max(c.starts_at) FROM courses c WHERE c.id IN (
        SELECT a.course_id FROM cart_courses a WHERE a.cart_id = line.cart_id AND a.position = line.position
        UNION ALL SELECT line.course_id WHERE line.seats IS NOT NULL
        UNION ALL SELECT p.course_id FROM program_courses p WHERE p.program_id = line.program_id AND line.seats IS NOT NULL)
$$;

-- Checkouts that joined another checkout's attempt, so that a caller who got no answer finds it by the id of its own checkout.
CREATE TABLE joined_checkouts (
    id uuid PRIMARY KEY,
    cart_id uuid NOT NULL REFERENCES carts ON DELETE CASCADE,
    created_at timestamptz NOT NULL
);
CREATE INDEX joined_checkouts_cart_idx ON joined_checkouts (cart_id);
CREATE INDEX joined_checkouts_created_at_idx ON joined_checkouts (created_at);
