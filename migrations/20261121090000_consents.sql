-- The right of withdrawal: what an organisation offers, and what a buyer has agreed to.

-- {days, kind: service | digital_content, countries?, terms_url?, terms_version?}. Null: the organisation offers none.
ALTER TABLE organisations ADD withdrawal jsonb CONSTRAINT organisations_withdrawal CHECK (jsonb_typeof(withdrawal) = 'object');

-- The terms that apply to the order, and what its buyer agreed to, as of the checkout:
-- {terms, begin_now, loses_right, at, kind, days, terms_url?, terms_version?}. Null: the buyer has no right of withdrawal by these
-- terms, as for seats and companies.
ALTER TABLE carts ADD consents jsonb CONSTRAINT carts_consents CHECK (jsonb_typeof(consents) = 'object');
GRANT SELECT (consents) ON carts TO storefront_api;

-- As before, with the consents.
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
            'cart_id', NEW.id, 'status', NEW.state, 'total_price', NEW.total, 'currency', NEW.currency)
            || CASE WHEN NEW.consents IS NULL THEN '{}' ELSE jsonb_build_object('consents', NEW.consents) END);
    END IF;
    RETURN NULL;
END $$;
