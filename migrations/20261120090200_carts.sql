-- What was bought: carts with their frozen quote, and the transactions that pay for them.

-- The only moves that a state column may make; everything else is refused by the trigger below.
CREATE TABLE allowed_moves (
    entity text NOT NULL,
    from_state text NOT NULL,
    to_state text NOT NULL,
    PRIMARY KEY (entity, from_state, to_state)
);
INSERT INTO allowed_moves VALUES
    ('carts', 'open', 'pending_payment'), ('carts', 'open', 'held'), ('carts', 'open', 'fulfilled'),
    ('carts', 'open', 'cancelled'), ('carts', 'open', 'expired'),
    ('carts', 'pending_payment', 'paid'), ('carts', 'pending_payment', 'cancelled'), ('carts', 'pending_payment', 'expired'),
    ('carts', 'cancelled', 'paid'), ('carts', 'expired', 'paid'),
    ('carts', 'held', 'fulfilled'), ('carts', 'held', 'cancelled'),
    ('carts', 'paid', 'fulfilled'), ('carts', 'paid', 'refunded'), ('carts', 'fulfilled', 'refunded'),
    ('transactions', 'created', 'processing'), ('transactions', 'created', 'failed'), ('transactions', 'created', 'cancelled'),
    ('transactions', 'processing', 'succeeded'), ('transactions', 'processing', 'failed'),
    ('transactions', 'processing', 'cancelled'), ('transactions', 'processing', 'superseded'),
    ('transactions', 'failed', 'succeeded'), ('transactions', 'cancelled', 'succeeded'), ('transactions', 'superseded', 'succeeded'),
    ('transactions', 'succeeded', 'refunded');

CREATE FUNCTION refuse_other_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> OLD.state AND NOT EXISTS (
        SELECT FROM allowed_moves WHERE entity = TG_TABLE_NAME AND from_state = OLD.state AND to_state = NEW.state
    ) THEN
        RAISE EXCEPTION '% cannot move from % to %', TG_TABLE_NAME, OLD.state, NEW.state
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_moves';
    END IF;
    RETURN NEW;
END $$;

CREATE TABLE carts (
    -- The id of the command that made it, so that a caller who got no answer knows it too.
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('discovery', 'learner')),
    -- The platform user id of a learner, or guest: and the address.
    buyer text NOT NULL,
    email text NOT NULL CHECK (email = lower(btrim(email))),
    learner_id uuid REFERENCES learners,
    organisation_id uuid NOT NULL REFERENCES organisations,
    state text NOT NULL CHECK (state IN
        ('open', 'pending_payment', 'held', 'paid', 'fulfilled', 'cancelled', 'expired', 'refunded')),
    -- Items, modes, prices and country: what makes two checkouts the same.
    basket_hash bytea NOT NULL,
    country char(2) CHECK (country ~ '^[A-Z]{2}$'),
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    total bigint NOT NULL CHECK (total >= 0),
    billing_address jsonb,
    created_at timestamptz NOT NULL,
    paid_at timestamptz,
    fulfilled_at timestamptz
);
CREATE UNIQUE INDEX carts_live_attempt_key ON carts (buyer, organisation_id, basket_hash)
    WHERE state IN ('open', 'pending_payment', 'held') AND kind = 'discovery';
CREATE UNIQUE INDEX carts_learner_cart_key ON carts (learner_id, organisation_id)
    WHERE state IN ('open', 'pending_payment') AND kind = 'learner';
CREATE INDEX carts_learner_idx ON carts (learner_id) WHERE learner_id IS NOT NULL;
CREATE INDEX carts_organisation_idx ON carts (organisation_id);
CREATE INDEX carts_held_idx ON carts (email) WHERE state = 'held';
CREATE TRIGGER carts_moves BEFORE UPDATE OF state ON carts FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();

CREATE TABLE cart_items (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cart_id uuid NOT NULL REFERENCES carts ON DELETE CASCADE,
    position integer NOT NULL,
    course_id uuid REFERENCES courses,
    program_id uuid REFERENCES programs,
    name text NOT NULL,
    mode text NOT NULL,
    original_price bigint NOT NULL CHECK (original_price >= 0),
    discount_pct numeric(5, 2) NOT NULL CHECK (discount_pct BETWEEN 0 AND 100),
    price bigint NOT NULL CHECK (price BETWEEN 0 AND original_price),
    upgrade_from text,
    CONSTRAINT cart_items_position_key UNIQUE (cart_id, position),
    CONSTRAINT cart_items_one_subject CHECK (num_nonnulls(course_id, program_id) = 1)
);
CREATE INDEX cart_items_course_idx ON cart_items (course_id) WHERE course_id IS NOT NULL;
CREATE INDEX cart_items_program_idx ON cart_items (program_id) WHERE program_id IS NOT NULL;

-- The courses that a cart gives access to, programs expanded, frozen with the quote.
CREATE TABLE cart_courses (
    cart_id uuid NOT NULL REFERENCES carts ON DELETE CASCADE,
    course_id uuid NOT NULL REFERENCES courses,
    mode text NOT NULL,
    PRIMARY KEY (cart_id, course_id)
);
CREATE INDEX cart_courses_course_idx ON cart_courses (course_id);

CREATE TABLE transactions (
    id uuid PRIMARY KEY,
    cart_id uuid NOT NULL REFERENCES carts,
    organisation_id uuid NOT NULL REFERENCES organisations,
    gateway text NOT NULL CHECK (gateway IN ('stripe', 'mollie', 'razorpay', 'curlec')),
    provider_reference text,
    state text NOT NULL CHECK (state IN
        ('created', 'processing', 'succeeded', 'failed', 'cancelled', 'superseded', 'refunded')),
    amount bigint NOT NULL CHECK (amount > 0),
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    region char(2),
    discount_pct numeric(5, 2) NOT NULL CHECK (discount_pct BETWEEN 0 AND 100),
    original_price bigint NOT NULL CHECK (original_price >= amount),
    refunded_amount bigint NOT NULL DEFAULT 0 CHECK (refunded_amount BETWEEN 0 AND amount),
    disputed_at timestamptz,
    -- The exact call to the provider, kept before it is made, so that it can be repeated.
    provider_request jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT transactions_refunded_in_full CHECK ((state = 'refunded') <= (refunded_amount = amount))
);
CREATE UNIQUE INDEX transactions_provider_reference_key ON transactions (gateway, provider_reference)
    WHERE provider_reference IS NOT NULL;
CREATE INDEX transactions_cart_idx ON transactions (cart_id);
CREATE INDEX transactions_organisation_idx ON transactions (organisation_id);
CREATE TRIGGER transactions_moves BEFORE UPDATE OF state ON transactions
    FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();

-- Why an enrollment exists. Several may be live at once; the enrollment takes the best mode of them.
CREATE TABLE enrollment_grants (
    id uuid PRIMARY KEY,
    enrollment_id uuid NOT NULL REFERENCES enrollments,
    source text NOT NULL CHECK (source IN ('partner', 'cart', 'free')),
    cart_id uuid REFERENCES carts,
    mode text NOT NULL,
    granted_at timestamptz NOT NULL,
    ended_at timestamptz,
    ended_reason text,
    CONSTRAINT enrollment_grants_cart_source CHECK ((source = 'partner') = (cart_id IS NULL)),
    CONSTRAINT enrollment_grants_ended_with_reason CHECK ((ended_at IS NULL) = (ended_reason IS NULL))
);
CREATE INDEX enrollment_grants_enrollment_idx ON enrollment_grants (enrollment_id);
CREATE UNIQUE INDEX enrollment_grants_live_partner_key ON enrollment_grants (enrollment_id)
    WHERE source = 'partner' AND ended_at IS NULL;
CREATE UNIQUE INDEX enrollment_grants_cart_key ON enrollment_grants (enrollment_id, cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX enrollment_grants_cart_idx ON enrollment_grants (cart_id) WHERE cart_id IS NOT NULL;

-- Provider credentials, sealed; key_id names the environment's key that opens them.
CREATE TABLE gateway_credentials (
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    gateway text NOT NULL CHECK (gateway IN ('stripe', 'mollie', 'razorpay', 'curlec')),
    key_id text NOT NULL,
    sealed bytea NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, gateway)
);

-- Notification signing secrets, sealed under another key, which the api holds too.
CREATE TABLE notification_secrets (
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    gateway text NOT NULL CHECK (gateway IN ('stripe', 'mollie', 'razorpay', 'curlec')),
    slot text NOT NULL CHECK (slot IN ('current', 'previous')),
    key_id text NOT NULL,
    sealed bytea NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, gateway, slot)
);
