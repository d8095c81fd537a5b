-- Seats: places in one course or program that one buyer pays for and gives to others. A pool of seats is a voucher of the kind
-- `seat`, and its uses are the seats that are taken: by who redeems its code, or by an address to which its buyer assigns one.

-- In the order of a checkout, which waits meanwhile.
LOCK TABLE carts IN SHARE ROW EXCLUSIVE MODE;

ALTER TABLE cart_items
    -- How many places the line buys for others; null: one for the buyer. Prices and tax are those of all of them.
    ADD COLUMN seats integer,
    ADD CONSTRAINT cart_items_seats CHECK (seats BETWEEN 1 AND 1000) NOT VALID;

ALTER TABLE vouchers
    DROP CONSTRAINT vouchers_kind_check,
    ADD CONSTRAINT vouchers_kind_check CHECK (kind IN ('percent', 'amount', 'seat')) NOT VALID,
    -- Of a pool, as all columns below: the enrollment mode of its seats. `voucher_scope` has their course or program.
    ADD COLUMN mode text,
    -- Who has the pool; the second as in `carts.buyer`.
    ADD COLUMN email text,
    ADD COLUMN buyer text,
    -- The line that paid for the pool; null if it was paid elsewhere.
    ADD COLUMN cart_id uuid REFERENCES carts,
    ADD COLUMN position integer,
    -- How often a seat was assigned, which bounds the mails that a pool can send.
    ADD COLUMN assigned integer NOT NULL DEFAULT 0,
    -- Seats that a refund or a dispute has taken off `max_uses`.
    ADD COLUMN withdrawn integer NOT NULL DEFAULT 0,
    ADD CONSTRAINT vouchers_seat_counts CHECK (assigned >= 0 AND withdrawn >= 0) NOT VALID,
    ADD CONSTRAINT vouchers_seat CHECK (CASE WHEN kind = 'seat'
        THEN num_nonnulls(mode, email, buyer, max_uses) = 4 AND max_uses_per_buyer = 1 AND budget IS NULL
        ELSE num_nonnulls(mode, email, buyer, cart_id) = 0 END) NOT VALID,
    ADD CONSTRAINT vouchers_line CHECK ((cart_id IS NULL) = (position IS NULL)) NOT VALID,
    ADD CONSTRAINT vouchers_line_key UNIQUE (cart_id, position);
CREATE INDEX vouchers_buyer_idx ON vouchers (organisation_id, buyer) WHERE buyer IS NOT NULL;
CREATE INDEX vouchers_email_idx ON vouchers (email) WHERE email IS NOT NULL;

-- A use of a pool takes a seat and no money.
ALTER TABLE voucher_uses
    DROP CONSTRAINT voucher_uses_discount_check,
    ADD CONSTRAINT voucher_uses_discount_check CHECK (discount >= 0) NOT VALID,
    -- When a mail last told the address of the seat that it was assigned.
    ADD COLUMN mailed_at timestamptz;

-- A pool belongs to the buyer of its cart, also after the buyer's address has moved or was erased.
CREATE FUNCTION seats_follow_buyer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE vouchers SET email = NEW.email, buyer = NEW.buyer WHERE cart_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER carts_seats_buyer AFTER UPDATE OF email, buyer ON carts FOR EACH ROW
    WHEN ((OLD.email, OLD.buyer) IS DISTINCT FROM (NEW.email, NEW.buyer)) EXECUTE FUNCTION seats_follow_buyer();

-- The seats of a pool that are left of those that its line has paid for. Seats that the organisation has added are not.
CREATE FUNCTION seats_left(pool vouchers, paid integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(0, least(pool.max_uses - pool.uses, paid - pool.withdrawn - pool.uses))
$$;

-- When the latest course of a line starts: of those that it grants, or that its seats are for.
CREATE FUNCTION line_starts(line cart_items) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT max(c.starts_at) FROM courses c WHERE c.id IN (
        SELECT a.course_id FROM cart_courses a WHERE a.cart_id = line.cart_id AND a.position = line.position
        UNION ALL SELECT line.course_id WHERE line.seats IS NOT NULL
        UNION ALL SELECT p.course_id FROM program_courses p WHERE p.program_id = line.program_id AND line.seats IS NOT NULL)
$$;

-- The seats that a refund has withdrawn from the line's pool; returned if it has failed. Null: none.
ALTER TABLE refund_lines ADD COLUMN seats integer,
    ADD CONSTRAINT refund_lines_seats CHECK (seats >= 0) NOT VALID;

-- As before. A seat that becomes free after all money of its pool has gone back, or after its order was cancelled, is withdrawn, too:
-- it is not paid for.
CREATE OR REPLACE FUNCTION release_voucher_use(of_cart uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM vouchers v JOIN voucher_uses u ON u.voucher_id = v.id
    WHERE u.cart_id = of_cart AND u.state IN ('held', 'used') AND num_nonnulls(v.max_uses, v.budget) > 0
    FOR NO KEY UPDATE OF v;
    WITH released AS (
        UPDATE voucher_uses SET state = 'released' WHERE cart_id = of_cart AND state IN ('held', 'used')
        RETURNING voucher_id, discount),
    gone AS (
        SELECT r.voucher_id, discount, CASE WHEN t.state = 'refunded' OR c.state = 'cancelled' THEN 1 ELSE 0 END AS withdrawn
        FROM released r JOIN vouchers v ON v.id = r.voucher_id LEFT JOIN carts c ON c.id = v.cart_id
        LEFT JOIN transactions t ON t.cart_id = v.cart_id)
    UPDATE vouchers v SET uses = uses - 1, spent = spent - gone.discount,
        max_uses = v.max_uses - gone.withdrawn, withdrawn = v.withdrawn + gone.withdrawn FROM gone
    WHERE v.id = gone.voucher_id AND num_nonnulls(v.max_uses, v.budget) > 0;
END $$;

-- A free order that is cancelled before its buyer has registered loses the seats that are left: its voucher's use is free again.
CREATE FUNCTION seats_follow_cart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM vouchers WHERE cart_id = NEW.id ORDER BY position FOR NO KEY UPDATE;
    UPDATE vouchers SET withdrawn = withdrawn + max_uses - uses, max_uses = uses WHERE cart_id = NEW.id AND max_uses > uses;
    RETURN NULL;
END $$;
CREATE TRIGGER carts_seats AFTER UPDATE OF state ON carts FOR EACH ROW
    WHEN (OLD.state = 'held' AND NEW.state = 'cancelled') EXECUTE FUNCTION seats_follow_cart();

-- A list whose rows are addresses to which seats of this pool are assigned; null: enrollments and removals.
ALTER TABLE batches ADD COLUMN voucher_id uuid REFERENCES vouchers;
CREATE INDEX batches_voucher_idx ON batches (voucher_id) WHERE voucher_id IS NOT NULL;

-- The page on which the organisation's buyers manage their seats.
ALTER TABLE organisations ADD COLUMN seats_url text;

GRANT UPDATE (email, buyer, assigned, withdrawn) ON vouchers TO storefront_worker;
GRANT SELECT (voucher_id) ON batches TO storefront_api;
