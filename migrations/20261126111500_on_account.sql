-- Orders on account: a company gets its invoice at once, and pays it later.

-- When access begins: `now`, or once the invoice is `paid`; null if the order is not on account.
ALTER TABLE transactions
    ADD COLUMN on_account text CONSTRAINT transactions_on_account CHECK (on_account IN ('now', 'paid')),
    -- When the invoice was found unpaid after the day on which it was due.
    ADD COLUMN overdue_at timestamptz;
GRANT SELECT (on_account, overdue_at) ON transactions TO storefront_api;
CREATE INDEX transactions_unpaid_on_account_idx ON transactions (due_on)
    WHERE on_account IS NOT NULL AND state = 'processing';

-- Access before the payment, and the end of such an order.
INSERT INTO allowed_moves (entity, from_state, to_state) VALUES
    ('carts', 'pending_payment', 'fulfilled'), ('carts', 'fulfilled', 'cancelled');
ALTER TABLE carts ADD CONSTRAINT carts_cancelled_unpaid CHECK (state <> 'cancelled' OR paid_at IS NULL) NOT VALID;
ALTER TABLE carts VALIDATE CONSTRAINT carts_cancelled_unpaid;

-- Places -------------------------------------------------------------------------------------------------------------

-- The buyer's own unpaid carts do not count where another checkout replaces them: those on account stay.
CREATE FUNCTION is_replaced(of_cart uuid, state text, buyer text, by_buyer text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT state = 'pending_payment' AND buyer IS NOT DISTINCT FROM by_buyer AND NOT EXISTS (
        SELECT FROM transactions t WHERE t.cart_id = of_cart AND t.on_account IS NOT NULL)
$$;
CREATE OR REPLACE FUNCTION places_taken(of_course uuid, held_since timestamptz, but_buyer text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(places), 0)::bigint FROM (
        SELECT 1 AS places
        FROM cart_courses a JOIN carts c ON c.id = a.cart_id
        JOIN cart_items i ON i.cart_id = a.cart_id AND i.position = a.position
        WHERE a.course_id = of_course AND i.upgrade_from IS NULL AND i.access_ended_at IS NULL AND takes_places(c.id, c.state, held_since)
          AND NOT is_replaced(c.id, c.state, c.buyer, but_buyer)
          AND NOT EXISTS (SELECT FROM vouchers v WHERE v.id = c.voucher_id AND v.kind = 'seat')
        UNION ALL
        SELECT i.seats - coalesce(v.withdrawn, 0)
        FROM cart_items i JOIN carts c ON c.id = i.cart_id
        LEFT JOIN vouchers v ON v.cart_id = i.cart_id AND v.position = i.position
        WHERE i.seats IS NOT NULL AND takes_places(c.id, c.state, held_since)
          AND NOT is_replaced(c.id, c.state, c.buyer, but_buyer)
          AND (i.course_id = of_course OR i.program_id IN (SELECT p.program_id FROM program_courses p WHERE p.course_id = of_course))
    ) taken
$$;

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
