-- What each line was charged, where the buyer was charged another amount than the lines cost together: less with an offer of the
-- provider, or what an operator has confirmed. Refunds go by it.

ALTER TABLE cart_items
    -- The line's share of the payment's amount; null: what the line costs.
    ADD COLUMN charged bigint,
    ADD CONSTRAINT cart_items_charged CHECK (charged >= 0) NOT VALID;

-- What the buyer was charged for a line, with tax, or is to be charged.
CREATE FUNCTION line_charged(line cart_items) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(line.charged, line.price + line.tax_on_top)
$$;

-- Shares an amount over the lines of a cart by what they cost, in whole minor units: the rest goes to the largest remainders, ties
-- to the earlier line.
CREATE FUNCTION charge_lines(of_cart uuid, of_amount bigint) RETURNS void LANGUAGE sql AS $$
    WITH priced AS (
        SELECT position, (price + tax_on_top)::numeric * of_amount AS exact, sum(price + tax_on_top) OVER () AS total
        FROM cart_items WHERE cart_id = of_cart),
    shared AS (
        SELECT position, div(exact, total) AS share, of_amount - sum(div(exact, total)) OVER () AS rest,
               row_number() OVER (ORDER BY mod(exact, total) DESC, position) AS nth
        FROM priced WHERE total > 0)
    -- Lines of the past may have given back more than their share.
    UPDATE cart_items i SET charged = greatest(i.refunded, s.share + CASE WHEN s.nth <= s.rest THEN 1 ELSE 0 END)
    FROM shared s WHERE i.cart_id = of_cart AND i.position = s.position
$$;

-- The lines and the total of a cart follow what its payment charges, whichever program sets that.
CREATE FUNCTION cart_follows_charge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE carts SET total = NEW.amount WHERE id = NEW.cart_id;
    PERFORM charge_lines(NEW.cart_id, NEW.amount);
    RETURN NULL;
END $$;
CREATE TRIGGER transactions_charge AFTER UPDATE OF amount ON transactions FOR EACH ROW
    WHEN (OLD.amount IS DISTINCT FROM NEW.amount) EXECUTE FUNCTION cart_follows_charge();

SELECT charge_lines(t.cart_id, t.amount) FROM transactions t JOIN carts c ON c.id = t.cart_id WHERE c.total <> t.amount;
UPDATE carts c SET total = t.amount FROM transactions t WHERE t.cart_id = c.id AND c.total <> t.amount;

ALTER TABLE cart_items
    DROP CONSTRAINT cart_items_refunded_within_total,
    ADD CONSTRAINT cart_items_refunded_within_charge
        CHECK (refunded BETWEEN 0 AND coalesce(charged, price + tax_on_top)) NOT VALID;

-- The tax of what was charged.
GRANT SELECT (tax) ON transactions TO storefront_api;
