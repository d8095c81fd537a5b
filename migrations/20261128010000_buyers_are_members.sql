-- The buyers of an organisation, as `carts.buyer` names them: those who have checked out an order there. A basket that was never checked
-- out is no order, even after it was emptied or has expired.
CREATE FUNCTION buyers_of(organisation uuid) RETURNS SETOF text LANGUAGE sql STABLE AS $$
    SELECT c.buyer FROM carts c
    WHERE c.organisation_id = organisation AND c.state <> 'open' AND (
        c.state NOT IN ('cancelled', 'expired') OR EXISTS (SELECT FROM transactions t WHERE t.cart_id = c.id))
$$;
