-- Events of orders, documents and enrollments, each written in the transaction that makes it true. `event_types` is in events.sql of the
-- numbered migrations, since constraints need it. Constraint triggers cannot be replaced, so they are dropped and made anew.

CREATE OR REPLACE FUNCTION feed_place() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    place text := 'event_positions'::regclass::oid || '.' || (SELECT oid FROM pg_database WHERE datname = current_database());
BEGIN
    -- Some managed servers refuse one or the other.
    BEGIN
        place := place || '.' || (SELECT system_identifier FROM pg_control_system());
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    BEGIN
        place := place || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    RETURN place;
END $$;
COMMENT ON FUNCTION feed_place() IS
    'Names where the feed is: the server''s data, its history (each promotion begins a timeline), the database and the table.';

CREATE OR REPLACE FUNCTION give_positions(most bigint, moment timestamptz, OUT placed bigint, OUT due bigint)
    LANGUAGE plpgsql AS $$
DECLARE
    before bigint;
    is_same boolean;
BEGIN
    SELECT p.last, feed_place() IS NOT DISTINCT FROM (SELECT place FROM feed_epochs ORDER BY number DESC LIMIT 1)
    INTO before, is_same
    FROM event_positions p WHERE EXISTS (SELECT FROM events WHERE position IS NULL) FOR UPDATE OF p SKIP LOCKED;
    IF NOT FOUND THEN
        placed := 0;
        due := 0;
        RETURN;
    END IF;
    IF NOT is_same THEN
        -- Events alone can be restored, without the number of the last one.
        INSERT INTO feed_epochs (place, began_after, began_at)
        VALUES (feed_place(), greatest(before, (SELECT max(position) FROM events)), moment)
        RETURNING began_after INTO before;
    END IF;
    -- A statement of its own: it sees all that the last holder of the lock has committed.
    WITH new AS (
        SELECT id, row_number() OVER (ORDER BY at, id) AS nth FROM (
            SELECT id, at FROM events WHERE position IS NULL ORDER BY at LIMIT most) oldest),
    given AS (
        UPDATE events e SET position = before + new.nth FROM new WHERE e.id = new.id
        RETURNING e.id, e.organisation_id, e.type, e.at),
    raised AS (UPDATE event_positions SET last = before + (SELECT count(*) FROM given)),
    created AS (
        INSERT INTO webhook_deliveries (endpoint_id, event_id, at, next_attempt_at)
        SELECT w.id, given.id, given.at, moment FROM given
        JOIN webhook_endpoints w ON w.organisation_id = given.organisation_id
        WHERE w.disabled_at IS NULL AND given.type = ANY (w.types)
        ON CONFLICT DO NOTHING
        RETURNING event_id)
    SELECT (SELECT count(*) FROM given), (SELECT count(*) FROM created) INTO placed, due;
END $$;
COMMENT ON FUNCTION give_positions(bigint, timestamptz) IS
    'Gives positions to the oldest events without one, at most so many, and creates their deliveries, which are due at a moment. Returns '
    'how many of each. Until the transaction ends, no other worker gives positions. In a database that was not the feed''s place before, '
    'an epoch begins.';

-- Orders --------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION cart_labels(cart carts) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
SELECT jsonb_strip_nulls(jsonb_build_object('reference', cart.reference, 'metadata', cart.metadata))
$$;
COMMENT ON FUNCTION cart_labels(carts) IS
    'Gives the reference and the metadata of a cart as fields of an event; without those that it lacks.';

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
COMMENT ON FUNCTION cart_event() IS
    'Trigger of carts: the event of an order. One that is fulfilled or paid again after it was refunded has an event too, so that a '
    'receiver never keeps a wrong status. The argument `paid` marks the payment of an order that is fulfilled already.';

-- What another shop sold has its events there.
CREATE OR REPLACE TRIGGER carts_new_event AFTER INSERT ON carts FOR EACH ROW
    WHEN (NEW.former_shop IS NULL) EXECUTE FUNCTION cart_event();
CREATE OR REPLACE TRIGGER carts_event AFTER UPDATE OF state ON carts FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state AND NEW.former_shop IS NULL) EXECUTE FUNCTION cart_event();
CREATE OR REPLACE TRIGGER carts_paid_event AFTER UPDATE OF paid_at ON carts FOR EACH ROW
    WHEN (OLD.paid_at IS NULL AND NEW.paid_at IS NOT NULL AND OLD.state = NEW.state) EXECUTE FUNCTION cart_event('paid');

CREATE OR REPLACE FUNCTION overdue_event() RETURNS trigger LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION overdue_event() IS 'Trigger of transactions: an order on account was found overdue.';

CREATE OR REPLACE TRIGGER transactions_overdue_event AFTER UPDATE OF overdue_at ON transactions FOR EACH ROW
    WHEN (OLD.overdue_at IS NULL AND NEW.overdue_at IS NOT NULL) EXECUTE FUNCTION overdue_event();

-- The triggers of money run at commit, when the transaction's sums and the cart's state are those that the refund or the dispute
-- has led to.
CREATE OR REPLACE FUNCTION money_event(of_type text, of_transaction uuid, of_refund uuid, of_amount bigint) RETURNS void
    LANGUAGE sql AS $$
INSERT INTO events (organisation_id, type, data)
SELECT t.organisation_id, of_type, jsonb_build_object(
    'cart_id', t.cart_id, 'status', k.state, 'refund_id', of_refund, 'amount', of_amount,
    'refunded_amount', t.refunded_amount, 'currency', t.currency, 'language', k.language)
    || cart_labels(k)
FROM transactions t JOIN carts k ON k.id = t.cart_id WHERE t.id = of_transaction AND (k.former_shop IS NULL OR of_refund IS NOT NULL)
$$;
COMMENT ON FUNCTION money_event(text, uuid, uuid, bigint) IS
    'Writes an event of a refund or a dispute; of an order of a former shop only that of a refund.';

CREATE OR REPLACE FUNCTION refund_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- What a former shop has paid back is inserted as it ended there, and has its events there. An operator's refund has a key.
    IF OLD.state IS NULL AND NEW.origin = 'operator' AND NEW.request_key IS NULL THEN
        RETURN NULL;
    END IF;
    -- A refund of the provider's dashboard is inserted as accepted.
    IF NEW.state IN ('accepted', 'succeeded') AND (OLD.state IS NULL OR OLD.state IN ('asked', 'failed')) THEN
        PERFORM money_event('order.refunded', NEW.transaction_id, NEW.id, NEW.amount);
    ELSIF NEW.state = 'failed' AND OLD.state <> 'failed' THEN
        PERFORM money_event('order.refund_failed', NEW.transaction_id, NEW.id, NEW.amount);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION refund_event() IS 'Trigger of refunds: one is accepted here, or has failed.';

DROP TRIGGER IF EXISTS refunds_event ON refunds;
CREATE CONSTRAINT TRIGGER refunds_event AFTER INSERT OR UPDATE OF state ON refunds DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION refund_event();

CREATE OR REPLACE FUNCTION dispute_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM money_event('order.disputed', NEW.transaction_id, NULL, NEW.amount);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION dispute_event() IS 'Trigger of disputes: a new one.';

DROP TRIGGER IF EXISTS disputes_event ON disputes;
CREATE CONSTRAINT TRIGGER disputes_event AFTER INSERT ON disputes DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION dispute_event();

CREATE OR REPLACE FUNCTION dispute_loss_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM transactions t JOIN carts k ON k.id = t.cart_id
               WHERE t.id = NEW.transaction_id AND k.state = 'refunded')
    THEN
        PERFORM money_event('order.refunded', NEW.transaction_id, NULL,
                            NEW.lost - CASE OLD.state WHEN 'lost' THEN OLD.lost ELSE 0 END);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION dispute_loss_event() IS 'Trigger of disputes: a lost one that has taken the rest of an order''s money.';

DROP TRIGGER IF EXISTS disputes_loss_event ON disputes;
CREATE CONSTRAINT TRIGGER disputes_loss_event AFTER UPDATE OF state, lost ON disputes DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.state = 'lost' AND NEW.lost > CASE OLD.state WHEN 'lost' THEN OLD.lost ELSE 0 END)
    EXECUTE FUNCTION dispute_loss_event();

CREATE OR REPLACE FUNCTION withdrawal_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (organisation_id, type, data)
    SELECT NEW.organisation_id, 'order.withdrawn', jsonb_build_object(
        'cart_id', k.id, 'status', k.state, 'withdrawal_id', NEW.id, 'withdrawal_status', NEW.state, 'items', NEW.items,
        'declared_at', NEW.declared_at, 'refund_id', NEW.refund_id)
    FROM carts k WHERE k.id = NEW.cart_id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION withdrawal_event() IS
    'Trigger of withdrawals: each state of a declaration. One of an unknown order belongs to no organisation, and has none.';

CREATE OR REPLACE TRIGGER withdrawals_new_event AFTER INSERT ON withdrawals FOR EACH ROW EXECUTE FUNCTION withdrawal_event();
CREATE OR REPLACE TRIGGER withdrawals_event AFTER UPDATE OF state ON withdrawals FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION withdrawal_event();

CREATE OR REPLACE FUNCTION document_facts(document documents) RETURNS jsonb LANGUAGE sql STABLE AS $$
SELECT jsonb_build_object(
    'cart_id', document.cart_id, 'document_id', document.id, 'number', document.number, 'kind', document.kind,
    'refers_to', document.content -> 'refers_to', 'refund_id', document.refund_id, 'total', document.total, 'currency', document.currency)
    || cart_labels(k)
FROM carts k WHERE k.id = document.cart_id
$$;
COMMENT ON FUNCTION document_facts(documents) IS 'Describes a document in its events.';

CREATE OR REPLACE FUNCTION document_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The worker writes `document.requested` itself: it alone makes the e-invoice.
    IF NEW.state IN ('issued', 'cancelled') AND (TG_OP = 'INSERT' OR NEW.state <> OLD.state) THEN
        INSERT INTO events (organisation_id, type, data)
        VALUES (NEW.organisation_id, 'document.' || NEW.state, document_facts(NEW));
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION document_event() IS 'Trigger of documents: an invoice or credit note that is issued, or cancelled by who issued it.';

CREATE OR REPLACE TRIGGER documents_event AFTER INSERT OR UPDATE OF state ON documents
    FOR EACH ROW EXECUTE FUNCTION document_event();

-- Mails ---------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION mail_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (organisation_id, type, data)
    SELECT NEW.organisation_id, 'mail.bounced', jsonb_build_object(
        'mail_id', NEW.id, 'mail', NEW.template, 'cart_id', NEW.cart_id, 'voucher_id', NEW.voucher_id, 'reason', NEW.failed_reason)
    FROM organisations WHERE id = NEW.organisation_id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION mail_event() IS 'Trigger of mails: one was refused, came back or was marked as spam.';

CREATE OR REPLACE TRIGGER mails_event AFTER UPDATE OF failed_at ON mails FOR EACH ROW
    WHEN (OLD.failed_at IS NULL AND NEW.failed_at IS NOT NULL) EXECUTE FUNCTION mail_event();

-- Enrollments ---------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION move_done() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (organisation_id, type, enrollment_id, data)
    SELECT k.organisation_id, 'enrollment.moved', t.enrollment_id, jsonb_build_object(
        'cart_id', NEW.cart_id, 'position', NEW.position, 'mode', t.mode,
        'course_id', tc.id, 'openedx_course_id', tc.openedx_course_id,
        'from_course_id', fc.id, 'from_openedx_course_id', fc.openedx_course_id, 'to_person', NEW.to_person)
    FROM carts k, enrollment_grants t JOIN enrollments te ON te.id = t.enrollment_id JOIN courses tc ON tc.id = te.course_id,
         enrollment_grants f JOIN enrollments fe ON fe.id = f.enrollment_id JOIN courses fc ON fc.id = fe.course_id
    WHERE k.id = NEW.cart_id AND t.id = NEW.to_grant AND f.id = NEW.from_grant;
    INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway, provider_reference)
    SELECT NEW.done_at, t.organisation_id, 'moved', t.cart_id, t.id, 0, t.currency, t.gateway, t.provider_reference
    FROM transactions t WHERE t.cart_id = NEW.cart_id AND EXISTS (SELECT FROM ledger l WHERE l.transaction_id = t.id);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION move_done() IS
    'Trigger of moves: the end of one. Writes its event, and the ledger''s row of amount 0 if the order was paid.';

CREATE OR REPLACE TRIGGER moves_done AFTER UPDATE OF done_at ON moves FOR EACH ROW
    WHEN (OLD.done_at IS NULL AND NEW.done_at IS NOT NULL) EXECUTE FUNCTION move_done();

CREATE OR REPLACE FUNCTION grant_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (organisation_id, type, enrollment_id, data)
    SELECT c.organisation_id, 'enrollment.ended', e.id, jsonb_build_object(
        'cart_id', NEW.cart_id, 'course_id', c.id, 'openedx_course_id', c.openedx_course_id, 'mode', NEW.mode, 'ends_at', NEW.ends_at)
    FROM enrollments e JOIN courses c ON c.id = e.course_id
    WHERE e.id = NEW.enrollment_id AND e.email NOT LIKE '%@erased.invalid';
    RETURN NULL;
END $$;
COMMENT ON FUNCTION grant_ended() IS 'Trigger of enrollment_grants: access whose time is up.';

CREATE OR REPLACE TRIGGER enrollment_grants_ended AFTER UPDATE OF ended_at ON enrollment_grants FOR EACH ROW
    WHEN (OLD.ended_at IS NULL AND NEW.ended_reason = 'its time is up') EXECUTE FUNCTION grant_ended();

CREATE OR REPLACE FUNCTION enrollment_event_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.event_version := OLD.event_version + 1;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION enrollment_event_version() IS 'Trigger of enrollments: the version in the events of an enrollment grows.';

CREATE OR REPLACE TRIGGER enrollments_event_version BEFORE UPDATE OF state, mode, platform_state, platform_reason ON enrollments FOR EACH ROW
    EXECUTE FUNCTION enrollment_event_version();

CREATE OR REPLACE FUNCTION enrollment_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (organisation_id, type, enrollment_id, data)
    SELECT c.organisation_id, 'enrollment.changed', NEW.id, jsonb_build_object(
        'course_id', c.id, 'openedx_course_id', c.openedx_course_id, 'mode', NEW.mode,
        -- As the route that removes it answers.
        'enrollment_state', CASE WHEN OLD.state = 'pending_registration' AND NEW.state = 'removed' THEN 'cancelled' ELSE NEW.state END,
        'platform_state', NEW.platform_state, 'reason', NEW.platform_reason, 'version', NEW.event_version)
    FROM courses c WHERE c.id = NEW.course_id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION enrollment_event() IS 'Trigger of enrollments: a new one, or a new state, mode or verdict of the platform.';

-- `queued` is not a verdict, and an erased person's enrollment has no events.
CREATE OR REPLACE TRIGGER enrollments_new_event AFTER INSERT ON enrollments FOR EACH ROW EXECUTE FUNCTION enrollment_event();
CREATE OR REPLACE TRIGGER enrollments_event AFTER UPDATE OF state, mode, platform_state, platform_reason ON enrollments FOR EACH ROW
    WHEN (NEW.email NOT LIKE '%@erased.invalid' AND (
        (OLD.state, OLD.mode) IS DISTINCT FROM (NEW.state, NEW.mode)
        OR NEW.platform_state <> 'queued'
            AND (OLD.platform_state, OLD.platform_reason) IS DISTINCT FROM (NEW.platform_state, NEW.platform_reason)))
    EXECUTE FUNCTION enrollment_event();
