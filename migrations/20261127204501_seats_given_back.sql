-- A seat that was taken back from an enrolled learner stays used, and is the same learner's if it is assigned to them again: no more people
-- are served. Null if the address has none, and once the money for the seat has gone back.
CREATE FUNCTION seat_taken_back(of_pool uuid, address text) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT u.cart_id FROM voucher_uses u JOIN carts k ON k.id = u.cart_id JOIN vouchers v ON v.id = u.voucher_id
    LEFT JOIN carts c ON c.id = v.cart_id LEFT JOIN transactions t ON t.cart_id = c.id
    LEFT JOIN cart_items i ON (i.cart_id, i.position) = (v.cart_id, v.position)
    WHERE u.voucher_id = of_pool AND u.email = address AND u.state = 'used' AND k.state = 'fulfilled'
      AND EXISTS (SELECT FROM enrollment_grants g WHERE g.cart_id = k.id AND g.ended_reason = 'seat taken back')
      AND NOT EXISTS (SELECT FROM enrollment_grants g WHERE g.cart_id = k.id AND g.ended_at IS NULL)
      AND ((t.state = 'refunded' OR c.state = 'cancelled') AND v.uses <= i.seats - v.withdrawn) IS NOT TRUE
    LIMIT 1
$$;
