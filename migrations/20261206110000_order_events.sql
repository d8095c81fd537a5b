-- Events of orders whose money or access returns, or is lost to a dispute, so that a receiver never keeps a wrong status.

-- As before. An order that is fulfilled or paid again after it was refunded is told, too.
CREATE OR REPLACE FUNCTION cart_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kind text := CASE
        WHEN NEW.state = 'pending_payment' THEN 'order.pending'
        -- An operator has a line of a fulfilled order granted later: the order is fulfilled before and after that.
        WHEN NEW.state = 'paid' AND OLD.state IS DISTINCT FROM 'fulfilled' THEN 'order.paid'
        WHEN NEW.state = 'fulfilled' AND (OLD.state = 'refunded' OR OLD.fulfilled_at IS NULL) THEN 'order.fulfilled'
        WHEN NEW.state IN ('cancelled', 'expired') AND OLD.state IN ('pending_payment', 'held') THEN 'order.closed'
    END;
BEGIN
    IF kind IS NOT NULL THEN
        INSERT INTO events (organisation_id, type, data) VALUES (NEW.organisation_id, kind, jsonb_build_object(
            'cart_id', NEW.id, 'status', NEW.state, 'total_price', NEW.total, 'currency', NEW.currency));
    END IF;
    RETURN NULL;
END $$;

-- A lost dispute has taken what was left of an order's money. At the commit, as `refund_event`.
CREATE FUNCTION dispute_loss_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM transactions t JOIN carts k ON k.id = t.cart_id
               WHERE t.id = NEW.transaction_id AND k.state = 'refunded')
    THEN
        PERFORM money_event('order.refunded', NEW.transaction_id, NULL, NEW.lost - OLD.lost);
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER disputes_loss_event AFTER UPDATE OF lost ON disputes DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.lost > OLD.lost) EXECUTE FUNCTION dispute_loss_event();
