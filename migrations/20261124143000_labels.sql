-- How the buyer's or the seller's own systems know an order. It is kept with the cart, and does not decide whether two
-- checkouts are the same attempt.

ALTER TABLE carts
    ADD COLUMN reference text CHECK (length(reference) BETWEEN 1 AND 64),
    ADD COLUMN metadata jsonb CHECK (jsonb_typeof(metadata) = 'object');
CREATE INDEX carts_reference_idx ON carts (organisation_id, reference, created_at DESC, id DESC) WHERE reference IS NOT NULL;

-- For erasure, which takes the metadata off.
CREATE INDEX events_metadata_idx ON events ((data ->> 'cart_id')) WHERE data ? 'metadata';

-- The labels of a cart as fields of an event; without those that it lacks.
CREATE FUNCTION cart_labels(cart carts) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
SELECT jsonb_strip_nulls(jsonb_build_object('reference', cart.reference, 'metadata', cart.metadata))
$$;

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
            'cart_id', NEW.id, 'status', NEW.state, 'total_price', NEW.total, 'currency', NEW.currency,
            'language', NEW.language)
            || CASE WHEN NEW.consents IS NULL THEN '{}' ELSE jsonb_build_object('consents', NEW.consents) END
            || cart_labels(NEW));
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION money_event(of_type text, of_transaction uuid, of_refund uuid, of_amount bigint) RETURNS void
    LANGUAGE sql AS $$
INSERT INTO events (organisation_id, type, data)
SELECT t.organisation_id, of_type, jsonb_build_object(
    'cart_id', t.cart_id, 'status', k.state, 'refund_id', of_refund, 'amount', of_amount,
    'refunded_amount', t.refunded_amount, 'currency', t.currency, 'language', k.language)
    || cart_labels(k)
FROM transactions t JOIN carts k ON k.id = t.cart_id WHERE t.id = of_transaction
$$;

GRANT SELECT (reference, metadata) ON carts TO storefront_api;
