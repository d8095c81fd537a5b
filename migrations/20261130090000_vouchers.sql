-- Vouchers: codes that take something off a basket, and their uses. The row of a limited voucher counts its uses; a guarded
-- UPDATE takes one, so that no number of buyers at once can use it more often.

CREATE TABLE vouchers (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    code text NOT NULL CHECK (code ~ '^[A-Z0-9_-]{3,40}$'),
    kind text NOT NULL CHECK (kind IN ('percent', 'amount')),
    percent numeric(5, 2) CHECK (percent > 0 AND percent <= 100),
    -- In minor units of the currency, as `budget` and `spent`.
    amount bigint CHECK (amount > 0),
    -- The organisation's when the voucher was made.
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    max_uses integer,
    max_uses_per_buyer integer CHECK (max_uses_per_buyer BETWEEN 1 AND 1000),
    budget bigint,
    valid_from timestamptz NOT NULL,
    valid_until timestamptz,
    campaign text CHECK (length(campaign) <= 100),
    note text CHECK (length(note) <= 200),
    created_at timestamptz NOT NULL,
    -- Both stay 0 without `max_uses` and `budget`: then no buyer waits for the row.
    uses integer NOT NULL DEFAULT 0,
    spent bigint NOT NULL DEFAULT 0,
    CONSTRAINT vouchers_code_key UNIQUE (organisation_id, code),
    CONSTRAINT vouchers_value CHECK ((kind = 'percent') = (percent IS NOT NULL) AND (kind = 'amount') = (amount IS NOT NULL)),
    CONSTRAINT vouchers_uses_within CHECK (uses >= 0 AND uses <= coalesce(max_uses, uses)),
    CONSTRAINT vouchers_spent_within CHECK (spent >= 0 AND spent <= coalesce(budget, spent))
);
CREATE INDEX vouchers_created_idx ON vouchers (organisation_id, created_at, id);
CREATE INDEX vouchers_campaign_idx ON vouchers (organisation_id, campaign) WHERE campaign IS NOT NULL;

-- What a voucher is for; without a row, whatever its organisation sells.
CREATE TABLE voucher_scope (
    voucher_id uuid NOT NULL REFERENCES vouchers ON DELETE CASCADE,
    course_id uuid REFERENCES courses,
    program_id uuid REFERENCES programs,
    CONSTRAINT voucher_scope_one_subject CHECK (num_nonnulls(course_id, program_id) = 1),
    CONSTRAINT voucher_scope_key UNIQUE NULLS NOT DISTINCT (voucher_id, course_id, program_id)
);
CREATE INDEX voucher_scope_course_idx ON voucher_scope (course_id) WHERE course_id IS NOT NULL;
CREATE INDEX voucher_scope_program_idx ON voucher_scope (program_id) WHERE program_id IS NOT NULL;

ALTER TABLE carts ADD COLUMN voucher_id uuid REFERENCES vouchers;
CREATE INDEX carts_voucher_idx ON carts (voucher_id) WHERE voucher_id IS NOT NULL;
ALTER TABLE cart_items
    -- What the voucher takes off; `price` is what is left.
    ADD COLUMN voucher_discount bigint NOT NULL DEFAULT 0 CHECK (voucher_discount >= 0),
    ADD CONSTRAINT cart_items_within_original CHECK (price + voucher_discount <= original_price);

CREATE TABLE voucher_uses (
    cart_id uuid PRIMARY KEY REFERENCES carts ON DELETE CASCADE,
    voucher_id uuid NOT NULL REFERENCES vouchers,
    -- The buyer's.
    email text NOT NULL,
    discount bigint NOT NULL CHECK (discount > 0),
    -- Which of the buyer's uses it is, from 1 to `max_uses_per_buyer`; null without that limit.
    slot integer CHECK (slot > 0),
    -- held: its cart waits for the payment; released: the cart has ended unpaid; late: it was paid after that, and the use is
    -- honoured and not counted.
    state text NOT NULL CHECK (state IN ('held', 'used', 'released', 'late')),
    at timestamptz NOT NULL
);
CREATE UNIQUE INDEX voucher_uses_slot_key ON voucher_uses (voucher_id, email, slot) WHERE state IN ('held', 'used');
CREATE INDEX voucher_uses_voucher_idx ON voucher_uses (voucher_id, at);

-- Gives back the use that a cart holds. Locks the voucher before its uses, in the order of a checkout.
CREATE FUNCTION release_voucher_use(of_cart uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM vouchers v JOIN voucher_uses u ON u.voucher_id = v.id
    WHERE u.cart_id = of_cart AND u.state IN ('held', 'used') AND num_nonnulls(v.max_uses, v.budget) > 0
    FOR NO KEY UPDATE OF v;
    WITH released AS (
        UPDATE voucher_uses SET state = 'released' WHERE cart_id = of_cart AND state IN ('held', 'used')
        RETURNING voucher_id, discount)
    UPDATE vouchers v SET uses = uses - 1, spent = spent - released.discount FROM released
    WHERE v.id = released.voucher_id AND num_nonnulls(v.max_uses, v.budget) > 0;
END $$;

-- The use of a cart's voucher follows the cart, whatever moves the cart.
CREATE FUNCTION voucher_use_follows_cart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state IN ('paid', 'held', 'fulfilled') THEN
        UPDATE voucher_uses SET state = CASE state WHEN 'held' THEN 'used' ELSE 'late' END
        WHERE cart_id = NEW.id AND state IN ('held', 'released');
    ELSIF NEW.state IN ('cancelled', 'expired') THEN
        PERFORM release_voucher_use(NEW.id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER carts_voucher_use AFTER UPDATE OF state ON carts FOR EACH ROW
    WHEN (NEW.voucher_id IS NOT NULL AND OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION voucher_use_follows_cart();

-- An address that is erased from a cart, or moved, goes from the use too. A use without a slot bounds no other one.
CREATE FUNCTION voucher_use_follows_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE voucher_uses SET email = NEW.email, slot = NULL WHERE cart_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER carts_voucher_address AFTER UPDATE OF email ON carts FOR EACH ROW
    WHEN (NEW.voucher_id IS NOT NULL AND OLD.email <> NEW.email) EXECUTE FUNCTION voucher_use_follows_address();

ALTER TABLE audit_log DROP CONSTRAINT audit_log_entity_check;
ALTER TABLE audit_log ADD CONSTRAINT audit_log_entity_check CHECK (entity IN (
    'enrollment', 'cart', 'transaction', 'membership', 'refund', 'key', 'gateway', 'message', 'catalog', 'learner', 'endpoint',
    'voucher')) NOT VALID;

-- Vouchers and their uses are kept; what was promised is not rewritten.
REVOKE UPDATE, DELETE ON vouchers, voucher_scope FROM storefront_worker;
GRANT UPDATE (max_uses, budget, valid_until, note, uses, spent) ON vouchers TO storefront_worker;
REVOKE DELETE ON voucher_uses FROM storefront_worker;
GRANT SELECT ON vouchers, voucher_scope, voucher_uses TO storefront_api;
GRANT SELECT (voucher_id) ON carts TO storefront_api;
