-- Seats: places in one course or program that one buyer pays for and gives to others. A pool of seats is a voucher of the kind
-- `seat`, and its uses are the seats that are taken: by who redeems its code, or by an address to which its buyer assigns one.

ALTER TABLE cart_items
    -- How many places the line buys for others; null: one for the buyer. Prices and tax are those of all of them.
    ADD COLUMN seats integer,
    ADD CONSTRAINT cart_items_seats CHECK (seats BETWEEN 1 AND 1000) NOT VALID;

ALTER TABLE vouchers
    DROP CONSTRAINT vouchers_kind_check,
    ADD CONSTRAINT vouchers_kind_check CHECK (kind IN ('percent', 'amount', 'seat')),
    -- Of a pool, as all columns below: the enrollment mode of its seats. `voucher_scope` has their course or program.
    ADD COLUMN mode text,
    -- Who has the pool; the second as in `carts.buyer`.
    ADD COLUMN email text,
    ADD COLUMN buyer text,
    -- The line that paid for the pool; null if it was paid elsewhere.
    ADD COLUMN cart_id uuid REFERENCES carts,
    ADD COLUMN position integer,
    -- How often a seat was assigned, which bounds the mails that a pool can send.
    ADD COLUMN assigned integer NOT NULL DEFAULT 0 CHECK (assigned >= 0),
    -- Seats that a refund or a dispute has taken off `max_uses`.
    ADD COLUMN withdrawn integer NOT NULL DEFAULT 0 CHECK (withdrawn >= 0),
    ADD CONSTRAINT vouchers_seat CHECK (CASE WHEN kind = 'seat'
        THEN num_nonnulls(mode, email, buyer, max_uses) = 4 AND max_uses_per_buyer = 1 AND budget IS NULL
        ELSE num_nonnulls(mode, email, buyer, cart_id) = 0 END),
    ADD CONSTRAINT vouchers_line CHECK ((cart_id IS NULL) = (position IS NULL)),
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

-- A list whose rows are addresses to which seats of this pool are assigned; null: enrollments and removals.
ALTER TABLE batches ADD COLUMN voucher_id uuid REFERENCES vouchers;

-- The page on which the organisation's buyers manage their seats.
ALTER TABLE organisations ADD COLUMN seats_url text;

GRANT UPDATE (email, buyer, assigned, withdrawn) ON vouchers TO storefront_worker;
GRANT SELECT (voucher_id) ON batches TO storefront_api;
