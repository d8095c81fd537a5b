-- Uses of vouchers, and pools of seats.

-- A use follows its cart ----------------------------------------------------------------------------------------------

-- Locks the voucher before its uses, in the order of a checkout.
CREATE OR REPLACE FUNCTION release_voucher_use(of_cart uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM vouchers v JOIN voucher_uses u ON u.voucher_id = v.id
    WHERE u.cart_id = of_cart AND u.state IN ('held', 'used') AND num_nonnulls(v.max_uses, v.budget) > 0
    FOR NO KEY UPDATE OF v;
    WITH released AS (
        UPDATE voucher_uses SET state = 'released' WHERE cart_id = of_cart AND state IN ('held', 'used')
        RETURNING voucher_id, discount),
    gone AS (
        SELECT r.voucher_id, discount, CASE
            WHEN v.kind = 'place' AND NOT EXISTS (SELECT FROM waiting_list w WHERE w.voucher_id = v.id AND w.state = 'offered') THEN 1
            WHEN (t.state = 'refunded' OR c.state = 'cancelled') AND v.uses <= i.seats - v.withdrawn THEN 1 ELSE 0
            END AS withdrawn
        FROM released r JOIN vouchers v ON v.id = r.voucher_id LEFT JOIN carts c ON c.id = v.cart_id
        LEFT JOIN cart_items i ON (i.cart_id, i.position) = (v.cart_id, v.position)
        LEFT JOIN transactions t ON t.cart_id = v.cart_id)
    UPDATE vouchers v SET uses = uses - 1, spent = spent - gone.discount,
        max_uses = v.max_uses - gone.withdrawn, withdrawn = v.withdrawn + gone.withdrawn FROM gone
    WHERE v.id = gone.voucher_id AND num_nonnulls(v.max_uses, v.budget) > 0;
END $$;
COMMENT ON FUNCTION release_voucher_use(uuid) IS
    'Releases the use that a cart holds. After a pool was fully refunded, or its order was cancelled, a seat that becomes free is '
    'withdrawn if its line has paid for it: taken seats count as paid for first, and seats that the organisation has added are the rest. '
    'So is a place whose entry of the waiting list has ended.';

CREATE OR REPLACE FUNCTION take_voucher_use_again(of_cart uuid, new_state text, taken_at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION take_voucher_use_again(uuid, text, timestamptz) IS
    'Takes the released use of a cart again, as of a new time if one is given. False if none is left for its buyer. An unpaid order '
    'releases its use long before it can no longer be paid; a buyer who pays or returns after that takes the use again if one is left, so '
    'that the limits still count it.';

CREATE OR REPLACE FUNCTION voucher_use_follows_cart() RETURNS trigger LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION voucher_use_follows_cart() IS
    'Trigger of carts: the use of a cart''s voucher follows the cart, whatever changes the cart''s state. It becomes used, released or '
    'late; a released one is taken again if one is left.';

CREATE OR REPLACE TRIGGER carts_voucher_use AFTER UPDATE OF state ON carts FOR EACH ROW
    WHEN (NEW.voucher_id IS NOT NULL AND OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION voucher_use_follows_cart();

CREATE OR REPLACE FUNCTION voucher_use_follows_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE voucher_uses SET email = NEW.email, slot = NULL WHERE cart_id = NEW.id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION voucher_use_follows_address() IS
    'Trigger of carts: an address that is erased from a cart, or moved, is erased from the use too. A use without a slot limits no other '
    'one.';

CREATE OR REPLACE TRIGGER carts_voucher_address AFTER UPDATE OF email ON carts FOR EACH ROW
    WHEN (NEW.voucher_id IS NOT NULL AND OLD.email <> NEW.email) EXECUTE FUNCTION voucher_use_follows_address();

-- Vouchers without limits ---------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION voucher_use_is_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    counted integer := CASE WHEN NEW.state IN ('held', 'used') THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO voucher_sums AS s (voucher_id, part, uses, spent)
    SELECT id, pg_backend_pid() % 16, counted, counted * NEW.discount FROM vouchers
    WHERE id = NEW.voucher_id AND num_nonnulls(max_uses, budget) = 0
    ON CONFLICT (voucher_id, part) DO UPDATE SET uses = s.uses + excluded.uses, spent = s.spent + excluded.spent;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION voucher_use_is_counted() IS
    'Trigger of voucher_uses: a voucher without limits, whose row nobody locks, has its uses counted in parts.';

CREATE OR REPLACE TRIGGER voucher_uses_counted AFTER INSERT ON voucher_uses FOR EACH ROW
    WHEN (NEW.state IN ('held', 'used')) EXECUTE FUNCTION voucher_use_is_counted();
CREATE OR REPLACE TRIGGER voucher_uses_counted_again AFTER UPDATE OF state ON voucher_uses FOR EACH ROW
    WHEN ((OLD.state IN ('held', 'used')) <> (NEW.state IN ('held', 'used'))) EXECUTE FUNCTION voucher_use_is_counted();
-- Uses from before the triggers, whose creation keeps others out until this transaction ends.
INSERT INTO voucher_sums (voucher_id, part, uses, spent)
SELECT v.id, 0, count(*), sum(u.discount) FROM vouchers v JOIN voucher_uses u ON u.voucher_id = v.id AND u.state IN ('held', 'used')
WHERE num_nonnulls(v.max_uses, v.budget) = 0 AND NOT EXISTS (SELECT FROM voucher_sums s WHERE s.voucher_id = v.id)
GROUP BY v.id;

-- A pool of seats follows the cart that paid for it -------------------------------------------------------------------

CREATE OR REPLACE FUNCTION seats_left(pool vouchers, paid integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(0, least(pool.max_uses - pool.uses, paid - pool.withdrawn - pool.uses))
$$;
COMMENT ON FUNCTION seats_left(vouchers, integer) IS
    'Counts the free seats of a pool, of those that its line has paid for; not those that the organisation has added.';

CREATE OR REPLACE FUNCTION seats_follow_cart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM vouchers WHERE cart_id = NEW.id ORDER BY position FOR NO KEY UPDATE;
    UPDATE vouchers v SET withdrawn = v.withdrawn + seats_left(v, i.seats), max_uses = v.max_uses - seats_left(v, i.seats)
    FROM cart_items i WHERE v.cart_id = NEW.id AND (i.cart_id, i.position) = (v.cart_id, v.position);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION seats_follow_cart() IS
    'Trigger of carts: a free order that is cancelled before its buyer has registered loses its free paid seats. Its voucher''s use is '
    'released too.';

CREATE OR REPLACE TRIGGER carts_seats AFTER UPDATE OF state ON carts FOR EACH ROW
    WHEN (OLD.state = 'held' AND NEW.state = 'cancelled') EXECUTE FUNCTION seats_follow_cart();

CREATE OR REPLACE FUNCTION seats_follow_buyer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE vouchers SET email = NEW.email, buyer = NEW.buyer WHERE cart_id = NEW.id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION seats_follow_buyer() IS
    'Trigger of carts: a pool belongs to the buyer of its cart, also after the buyer''s address was moved or erased.';

CREATE OR REPLACE TRIGGER carts_seats_buyer AFTER UPDATE OF email, buyer ON carts FOR EACH ROW
    WHEN ((OLD.email, OLD.buyer) IS DISTINCT FROM (NEW.email, NEW.buyer)) EXECUTE FUNCTION seats_follow_buyer();

CREATE OR REPLACE FUNCTION seat_taken_back(of_pool uuid, address text) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT u.cart_id FROM voucher_uses u JOIN carts k ON k.id = u.cart_id JOIN vouchers v ON v.id = u.voucher_id
    LEFT JOIN carts c ON c.id = v.cart_id LEFT JOIN transactions t ON t.cart_id = c.id
    LEFT JOIN cart_items i ON (i.cart_id, i.position) = (v.cart_id, v.position)
    WHERE u.voucher_id = of_pool AND u.email = address AND u.state = 'used' AND k.state = 'fulfilled'
      AND EXISTS (SELECT FROM enrollment_grants g WHERE g.cart_id = k.id AND g.ended_reason = 'seat taken back')
      AND NOT EXISTS (SELECT FROM enrollment_grants g WHERE g.cart_id = k.id AND g.ended_at IS NULL)
      AND ((t.state = 'refunded' OR c.state = 'cancelled') AND v.uses <= i.seats - v.withdrawn) IS NOT TRUE
    LIMIT 1
$$;
COMMENT ON FUNCTION seat_taken_back(uuid, text) IS
    'Finds the seat of a pool that was taken back from an address. It stays used, and is the same learner''s if it is assigned to them '
    'again: no more people are served. Null if the address has none, and once the money for the seat has gone back.';
