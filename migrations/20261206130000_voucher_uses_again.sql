-- An unpaid order gives its use back long before its buyer can no longer pay it. A buyer who pays or returns after that takes the
-- use again if one is left, so that the limits still count it; only a payment that finds none is late.

-- Takes the use again that a cart has given back, as of a new time if one is given. False if none is left for its buyer.
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
    -- More strongly than the counters need it: a use that the same buyer takes at this moment must wait, or have its slot by now.
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

-- As before, but for uses that were given back.
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
