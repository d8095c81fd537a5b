-- Seats that the organisation has added to a pool stay when the money of the paid ones has gone.

-- As before. After all money of a pool has gone back, or after its order was cancelled, a seat that becomes free is withdrawn
-- only if its line has paid for it: those that are taken count as paid for first, and the organisation's gifts are the rest.
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
            WHEN (t.state = 'refunded' OR c.state = 'cancelled') AND v.uses <= i.seats - v.withdrawn THEN 1 ELSE 0
            END AS withdrawn
        FROM released r JOIN vouchers v ON v.id = r.voucher_id LEFT JOIN carts c ON c.id = v.cart_id
        LEFT JOIN cart_items i ON (i.cart_id, i.position) = (v.cart_id, v.position)
        LEFT JOIN transactions t ON t.cart_id = v.cart_id)
    UPDATE vouchers v SET uses = uses - 1, spent = spent - gone.discount,
        max_uses = v.max_uses - gone.withdrawn, withdrawn = v.withdrawn + gone.withdrawn FROM gone
    WHERE v.id = gone.voucher_id AND num_nonnulls(v.max_uses, v.budget) > 0;
END $$;

-- As before, without the organisation's gifts.
CREATE OR REPLACE FUNCTION seats_follow_cart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM vouchers WHERE cart_id = NEW.id ORDER BY position FOR NO KEY UPDATE;
    UPDATE vouchers v SET withdrawn = v.withdrawn + seats_left(v, i.seats), max_uses = v.max_uses - seats_left(v, i.seats)
    FROM cart_items i WHERE v.cart_id = NEW.id AND (i.cart_id, i.position) = (v.cart_id, v.position);
    RETURN NULL;
END $$;
