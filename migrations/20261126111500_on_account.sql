-- Orders on account: a company gets its invoice at once, and pays it later.

-- When access begins: `now`, or once the invoice is `paid`; null if the order is not on account.
ALTER TABLE transactions
    ADD COLUMN on_account text CONSTRAINT transactions_on_account CHECK (on_account IN ('now', 'paid')),
    -- When the invoice was found unpaid after the day on which it was due.
    ADD COLUMN overdue_at timestamptz;
GRANT SELECT (on_account, overdue_at) ON transactions TO storefront_api;
CREATE INDEX transactions_unpaid_on_account_idx ON transactions (due_on)
    WHERE on_account IS NOT NULL AND overdue_at IS NULL AND state = 'processing';

-- Access before the payment, and the end of such an order.
INSERT INTO allowed_moves (entity, from_state, to_state) VALUES
    ('carts', 'pending_payment', 'fulfilled'), ('carts', 'fulfilled', 'cancelled');

-- Events --------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION event_types() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
SELECT ARRAY['order.pending', 'order.closed', 'order.paid', 'order.fulfilled', 'order.overdue', 'order.refunded',
             'order.refund_failed', 'order.disputed', 'order.withdrawn', 'document.issued', 'enrollment.changed', 'enrollment.moved']
$$;

CREATE OR REPLACE FUNCTION cart_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kind text := CASE
        -- An order on account is fulfilled before it is paid.
        WHEN TG_ARGV[0] = 'paid' THEN 'order.paid'
        WHEN NEW.state = 'pending_payment' THEN 'order.pending'
        -- An operator has a line of a fulfilled order granted later: the order is fulfilled before and after that.
        WHEN NEW.state = 'paid' AND OLD.state IS DISTINCT FROM 'fulfilled' THEN 'order.paid'
        WHEN NEW.state = 'fulfilled' AND (OLD.state = 'refunded' OR OLD.fulfilled_at IS NULL) THEN 'order.fulfilled'
        WHEN NEW.state IN ('cancelled', 'expired') AND OLD.state IN ('pending_payment', 'held', 'fulfilled') THEN 'order.closed'
    END;
BEGIN
    IF kind IS NOT NULL THEN
        INSERT INTO events (organisation_id, type, data) VALUES (NEW.organisation_id, kind, jsonb_build_object(
            'cart_id', NEW.id, 'status', NEW.state, 'total_price', NEW.total, 'currency', NEW.currency,
            'language', NEW.language)
            || CASE WHEN NEW.consents IS NULL THEN '{}' ELSE jsonb_build_object('consents', NEW.consents) END
            || cart_labels(NEW));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER carts_paid_event AFTER UPDATE OF paid_at ON carts FOR EACH ROW
    WHEN (OLD.paid_at IS NULL AND NEW.paid_at IS NOT NULL AND OLD.state = NEW.state) EXECUTE FUNCTION cart_event('paid');

CREATE FUNCTION overdue_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (organisation_id, type, data)
    SELECT NEW.organisation_id, 'order.overdue', jsonb_build_object(
        'cart_id', k.id, 'status', k.state, 'total_price', k.total, 'open_amount', NEW.amount - coalesce((
            SELECT sum(p.amount) FROM received_payments p WHERE p.transaction_id = NEW.id AND p.returned_at IS NULL), 0),
        'currency', k.currency, 'due_on', NEW.due_on, 'language', k.language)
        || cart_labels(k)
    FROM carts k WHERE k.id = NEW.cart_id;
    RETURN NULL;
END $$;
CREATE TRIGGER transactions_overdue_event AFTER UPDATE OF overdue_at ON transactions FOR EACH ROW
    WHEN (OLD.overdue_at IS NULL AND NEW.overdue_at IS NOT NULL) EXECUTE FUNCTION overdue_event();
