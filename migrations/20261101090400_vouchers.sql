-- Vouchers: codes that reduce the price of a basket, and seats: places in one course or program that one buyer pays for and
-- gives to others. A pool of seats is a voucher of the kind `seat`, and its uses are the seats that are taken: by a buyer who
-- redeems its code, or by an address to which its owner assigns one.
--
-- The row of a limited voucher counts its uses; a guarded UPDATE takes one, so that no number of simultaneous buyers can exceed
-- the limit.

CREATE TABLE vouchers (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    code text NOT NULL CHECK (code ~ '^[A-Z0-9_-]{3,40}$'),
    kind text NOT NULL CHECK (kind IN ('percent', 'amount', 'seat')),
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
    -- Of a pool, as all columns below: the enrollment mode of its seats. `voucher_scope` has their course or program.
    mode text,
    -- The pool's owner; `buyer` as in carts.
    email text,
    buyer text,
    -- The line that paid for the pool; null if it was paid elsewhere.
    cart_id uuid REFERENCES carts,
    position integer,
    -- How often a seat was assigned, which limits the mails that a pool can send.
    assigned integer NOT NULL DEFAULT 0,
    -- Seats that a refund or a dispute has taken off `max_uses`.
    withdrawn integer NOT NULL DEFAULT 0,
    CONSTRAINT vouchers_code_key UNIQUE (organisation_id, code),
    CONSTRAINT vouchers_value CHECK ((kind = 'percent') = (percent IS NOT NULL) AND (kind = 'amount') = (amount IS NOT NULL)),
    CONSTRAINT vouchers_uses_within CHECK (uses >= 0 AND uses <= coalesce(max_uses, uses)),
    CONSTRAINT vouchers_spent_within CHECK (spent >= 0 AND spent <= coalesce(budget, spent)),
    CONSTRAINT vouchers_seat CHECK (CASE WHEN kind = 'seat'
        THEN num_nonnulls(mode, email, buyer, max_uses) = 4 AND max_uses_per_buyer = 1 AND budget IS NULL
        ELSE num_nonnulls(mode, email, buyer, cart_id) = 0 END),
    CONSTRAINT vouchers_seat_counts CHECK (assigned >= 0 AND withdrawn >= 0),
    CONSTRAINT vouchers_line CHECK ((cart_id IS NULL) = (position IS NULL)),
    CONSTRAINT vouchers_line_key UNIQUE (cart_id, position)
);
CREATE INDEX vouchers_created_idx ON vouchers (organisation_id, created_at, id);
CREATE INDEX vouchers_campaign_idx ON vouchers (organisation_id, campaign) WHERE campaign IS NOT NULL;
CREATE INDEX vouchers_buyer_idx ON vouchers (organisation_id, buyer) WHERE buyer IS NOT NULL;
CREATE INDEX vouchers_email_idx ON vouchers (email) WHERE email IS NOT NULL;

-- A cart redeems a voucher, and a line of a cart pays for a pool: the two tables refer to each other.
ALTER TABLE carts ADD CONSTRAINT carts_voucher_id_fkey FOREIGN KEY (voucher_id) REFERENCES vouchers;

-- What a voucher is for; without a row, everything that its organisation sells.
CREATE TABLE voucher_scope (
    voucher_id uuid NOT NULL REFERENCES vouchers ON DELETE CASCADE,
    course_id uuid REFERENCES courses,
    program_id uuid REFERENCES programs,
    CONSTRAINT voucher_scope_one_subject CHECK (num_nonnulls(course_id, program_id) = 1),
    CONSTRAINT voucher_scope_key UNIQUE NULLS NOT DISTINCT (voucher_id, course_id, program_id)
);
CREATE INDEX voucher_scope_course_idx ON voucher_scope (course_id) WHERE course_id IS NOT NULL;
CREATE INDEX voucher_scope_program_idx ON voucher_scope (program_id) WHERE program_id IS NOT NULL;

-- The use that a cart makes of its voucher. A use of a pool takes a seat and no money.
CREATE TABLE voucher_uses (
    cart_id uuid PRIMARY KEY REFERENCES carts ON DELETE CASCADE,
    voucher_id uuid NOT NULL REFERENCES vouchers,
    -- The buyer's.
    email text NOT NULL,
    discount bigint NOT NULL CHECK (discount >= 0),
    -- Which of the buyer's uses it is, from 1 to `max_uses_per_buyer`; null without that limit.
    slot integer CHECK (slot > 0),
    -- held: its cart waits for the payment; released: the cart has ended unpaid; late: it was paid after that and no use was
    -- left, so this one is honoured and not counted.
    state text NOT NULL CHECK (state IN ('held', 'used', 'released', 'late')),
    at timestamptz NOT NULL,
    -- When the owner of the address was last mailed about the seat assigned to it.
    mailed_at timestamptz
);
CREATE UNIQUE INDEX voucher_uses_slot_key ON voucher_uses (voucher_id, email, slot) WHERE state IN ('held', 'used');
CREATE INDEX voucher_uses_voucher_idx ON voucher_uses (voucher_id, at);

-- A use follows its cart ----------------------------------------------------------------------------------------------

-- Releases the use that a cart holds. Locks the voucher before its uses, in the order of a checkout. After a pool was fully
-- refunded, or its order was cancelled, a seat that becomes free is withdrawn if its line has paid for it: taken seats count as
-- paid for first, and seats that the organisation has added are the rest.
CREATE FUNCTION release_voucher_use(of_cart uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM vouchers v JOIN voucher_uses u ON u.voucher_id = v.id
    WHERE u.cart_id = of_cart AND u.state IN ('held', 'used') AND num_nonnulls(v.max_uses, v.budget) > 0
    FOR NO KEY UPDATE OF v;
    WITH released AS (
        UPDATE voucher_uses SET state = 'released' WHERE cart_id = of_cart AND state IN ('held', 'used')
        RETURNING voucher_id, discount),
    gone AS (
        SELECT r.voucher_id, discount, CASE
            WHEN (t.state = 'refunded' OR c.state = 'cancelled') AND v.uses <= i.seats - v.withdrawn THEN 1 ELSE 0
            END AS withdrawn
        FROM released r JOIN vouchers v ON v.id = r.voucher_id LEFT JOIN carts c ON c.id = v.cart_id
        LEFT JOIN cart_items i ON (i.cart_id, i.position) = (v.cart_id, v.position)
        LEFT JOIN transactions t ON t.cart_id = v.cart_id)
    UPDATE vouchers v SET uses = uses - 1, spent = spent - gone.discount,
        max_uses = v.max_uses - gone.withdrawn, withdrawn = v.withdrawn + gone.withdrawn FROM gone
    WHERE v.id = gone.voucher_id AND num_nonnulls(v.max_uses, v.budget) > 0;
END $$;

-- Takes the released use of a cart again, as of a new time if one is given. False if none is left for its buyer. An unpaid
-- order releases its use long before it can no longer be paid; a buyer who pays or returns after that takes the use again if one
-- is left, so that the limits still count it.
CREATE FUNCTION take_voucher_use_again(of_cart uuid, new_state text, taken_at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    given_back voucher_uses;
    voucher vouchers;
    free_slot integer;
BEGIN
    SELECT * INTO given_back FROM voucher_uses WHERE cart_id = of_cart AND state = 'released';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- A stronger lock than the counters need: a use that the same buyer takes at this moment must wait, or have its slot by now.
    SELECT * INTO voucher FROM vouchers WHERE id = given_back.voucher_id FOR UPDATE;
    IF voucher.uses >= voucher.max_uses OR voucher.spent + given_back.discount > voucher.budget THEN
        RETURN false;
    END IF;
    IF voucher.max_uses_per_buyer IS NOT NULL THEN
        SELECT min(n) INTO free_slot FROM generate_series(1, voucher.max_uses_per_buyer) n WHERE NOT EXISTS (
            SELECT FROM voucher_uses u WHERE u.voucher_id = voucher.id AND u.email = given_back.email AND u.slot = n
              AND u.state IN ('held', 'used'));
        IF free_slot IS NULL THEN
            RETURN false;
        END IF;
    END IF;
    UPDATE voucher_uses SET state = new_state, slot = free_slot, at = coalesce(taken_at, at) WHERE cart_id = of_cart;
    UPDATE vouchers SET uses = uses + 1, spent = spent + given_back.discount
    WHERE id = voucher.id AND num_nonnulls(max_uses, budget) > 0;
    RETURN true;
END $$;

-- The use of a cart's voucher follows the cart, whatever changes the cart's state.
CREATE FUNCTION voucher_use_follows_cart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state IN ('paid', 'held', 'fulfilled') THEN
        UPDATE voucher_uses SET state = 'used' WHERE cart_id = NEW.id AND state = 'held';
        IF NOT FOUND AND NOT take_voucher_use_again(NEW.id, 'used', NULL) THEN
            UPDATE voucher_uses SET state = 'late' WHERE cart_id = NEW.id AND state = 'released';
        END IF;
    ELSIF NEW.state IN ('cancelled', 'expired') THEN
        PERFORM release_voucher_use(NEW.id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER carts_voucher_use AFTER UPDATE OF state ON carts FOR EACH ROW
    WHEN (NEW.voucher_id IS NOT NULL AND OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION voucher_use_follows_cart();

-- An address that is erased from a cart, or moved, is erased from the use too. A use without a slot limits no other one.
CREATE FUNCTION voucher_use_follows_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE voucher_uses SET email = NEW.email, slot = NULL WHERE cart_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER carts_voucher_address AFTER UPDATE OF email ON carts FOR EACH ROW
    WHEN (NEW.voucher_id IS NOT NULL AND OLD.email <> NEW.email) EXECUTE FUNCTION voucher_use_follows_address();

-- A pool of seats follows the cart that paid for it -------------------------------------------------------------------

-- The free seats of a pool, of those that its line has paid for; not those that the organisation has added.
CREATE FUNCTION seats_left(pool vouchers, paid integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(0, least(pool.max_uses - pool.uses, paid - pool.withdrawn - pool.uses))
$$;

-- A free order that is cancelled before its buyer has registered loses its free paid seats: its voucher's use is released too.
CREATE FUNCTION seats_follow_cart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM vouchers WHERE cart_id = NEW.id ORDER BY position FOR NO KEY UPDATE;
    UPDATE vouchers v SET withdrawn = v.withdrawn + seats_left(v, i.seats), max_uses = v.max_uses - seats_left(v, i.seats)
    FROM cart_items i WHERE v.cart_id = NEW.id AND (i.cart_id, i.position) = (v.cart_id, v.position);
    RETURN NULL;
END $$;
CREATE TRIGGER carts_seats AFTER UPDATE OF state ON carts FOR EACH ROW
    WHEN (OLD.state = 'held' AND NEW.state = 'cancelled') EXECUTE FUNCTION seats_follow_cart();

-- A pool belongs to the buyer of its cart, also after the buyer's address was moved or erased.
CREATE FUNCTION seats_follow_buyer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE vouchers SET email = NEW.email, buyer = NEW.buyer WHERE cart_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER carts_seats_buyer AFTER UPDATE OF email, buyer ON carts FOR EACH ROW
    WHEN ((OLD.email, OLD.buyer) IS DISTINCT FROM (NEW.email, NEW.buyer)) EXECUTE FUNCTION seats_follow_buyer();
