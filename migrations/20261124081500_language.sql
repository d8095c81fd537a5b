-- The language of a buyer or learner: a tag of BCP 47. It is decided once, when an order or an enrollment is made, and every mail
-- about it is written in it, for every cause of the mail.

-- Languages of the organisation, the most important first, and its colour in mails.
ALTER TABLE organisations
    ADD COLUMN languages text[] NOT NULL DEFAULT '{}' CHECK (cardinality(languages) <= 20),
    ADD COLUMN colour text CHECK (colour ~ '^#[0-9a-f]{6}$');

-- As the course platform knows it; null if it does not say.
ALTER TABLE learners ADD COLUMN language text;

ALTER TABLE carts ADD COLUMN language text NOT NULL DEFAULT 'en' CHECK (length(language) BETWEEN 2 AND 35);

-- Of the invitation that an address waits for; null: as buyer_language() says when it is sent.
ALTER TABLE enrollments ADD COLUMN language text CHECK (length(language) BETWEEN 2 AND 35);

ALTER TABLE batch_rows ADD COLUMN language text CHECK (length(language) BETWEEN 2 AND 35);

ALTER TABLE mails ADD COLUMN language text NOT NULL DEFAULT 'en';

-- The language of somebody who has given this one, or none: that of the learner with the address, then the organisation's first.
CREATE FUNCTION buyer_language(given text, of_email text, of_organisation uuid) RETURNS text LANGUAGE sql STABLE AS $$
SELECT coalesce(given, (SELECT l.language FROM learners l WHERE l.email = of_email),
                (SELECT o.languages[1] FROM organisations o WHERE o.id = of_organisation), 'en')
$$;

-- Events of orders have the language of the order.
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
            || CASE WHEN NEW.consents IS NULL THEN '{}' ELSE jsonb_build_object('consents', NEW.consents) END);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION money_event(of_type text, of_transaction uuid, of_refund uuid, of_amount bigint) RETURNS void
    LANGUAGE sql AS $$
INSERT INTO events (organisation_id, type, data)
SELECT t.organisation_id, of_type, jsonb_build_object(
    'cart_id', t.cart_id, 'status', k.state, 'refund_id', of_refund, 'amount', of_amount,
    'refunded_amount', t.refunded_amount, 'currency', t.currency, 'language', k.language)
FROM transactions t JOIN carts k ON k.id = t.cart_id WHERE t.id = of_transaction
$$;

GRANT SELECT (language) ON carts TO storefront_api;
