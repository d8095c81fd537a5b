-- An organisation's systems hear of each invoice and credit note, so that an access point or an accounting program fetches it.

CREATE OR REPLACE FUNCTION event_types() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
SELECT ARRAY['order.pending', 'order.closed', 'order.paid', 'order.fulfilled', 'order.refunded', 'order.refund_failed',
             'order.disputed', 'order.withdrawn', 'document.issued', 'enrollment.changed', 'enrollment.moved']
$$;

CREATE FUNCTION document_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (organisation_id, type, data)
    SELECT NEW.organisation_id, 'document.issued', jsonb_build_object(
        'cart_id', NEW.cart_id, 'document_id', NEW.id, 'number', NEW.number, 'kind', NEW.kind,
        'refers_to', NEW.content -> 'refers_to', 'refund_id', NEW.refund_id, 'total', NEW.total, 'currency', NEW.currency)
        || cart_labels(k)
    FROM carts k WHERE k.id = NEW.cart_id;
    RETURN NULL;
END $$;
CREATE TRIGGER documents_event AFTER INSERT ON documents FOR EACH ROW EXECUTE FUNCTION document_event();
