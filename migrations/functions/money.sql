-- Payments, refunds and the ledger. Constraint triggers cannot be replaced, so they are dropped and made anew.

CREATE OR REPLACE FUNCTION charge_lines(of_cart uuid, of_amount bigint) RETURNS void LANGUAGE sql AS $$
    WITH priced AS (
        SELECT position, (price + tax_on_top)::numeric * of_amount AS exact, sum(price + tax_on_top) OVER () AS total
        FROM cart_items WHERE cart_id = of_cart),
    shared AS (
        SELECT position, div(exact, total) AS share, of_amount - sum(div(exact, total)) OVER () AS rest,
               row_number() OVER (ORDER BY mod(exact, total) DESC, position) AS nth
        FROM priced WHERE total > 0)
    -- A line that has given back more than its share keeps what it gave back.
    UPDATE cart_items i SET charged = greatest(i.refunded, s.share + CASE WHEN s.nth <= s.rest THEN 1 ELSE 0 END)
    FROM shared s WHERE i.cart_id = of_cart AND i.position = s.position
$$;
COMMENT ON FUNCTION charge_lines(uuid, bigint) IS
    'Allocates an amount to the lines of a cart in proportion to their cost, in whole minor units: the rest goes to the largest '
    'remainders, ties to the earlier line.';

CREATE OR REPLACE FUNCTION cart_follows_charge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE carts SET total = NEW.amount WHERE id = NEW.cart_id;
    PERFORM charge_lines(NEW.cart_id, NEW.amount);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION cart_follows_charge() IS
    'Trigger of transactions: the lines and the total of a cart follow what its payment charges, whatever sets that.';

CREATE OR REPLACE TRIGGER transactions_charge AFTER UPDATE OF amount ON transactions FOR EACH ROW
    WHEN (OLD.amount IS DISTINCT FROM NEW.amount) EXECUTE FUNCTION cart_follows_charge();

CREATE OR REPLACE FUNCTION line_is_settled(line cart_items) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT line.access_ended_at IS NOT NULL AND line.seats IS NULL AND coalesce((
        SELECT bool_or(l.ends_access AND r.state <> 'failed')
               OR NOT bool_or(r.state = 'failed' AND r.accepted_at IS NOT NULL)
        FROM transactions t JOIN refunds r ON r.transaction_id = t.id JOIN refund_lines l ON l.refund_id = r.id
        WHERE t.cart_id = line.cart_id AND l.position = line.position), true)
$$;
COMMENT ON FUNCTION line_is_settled(cart_items) IS
    'True if a refund, or the loss of all money, has ended a line for its buyer. One whose only refunds have failed after the provider had '
    'accepted them can be refunded again. Of seats, those that become free can always be refunded.';

CREATE OR REPLACE FUNCTION date_movement() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    open_from timestamptz;
BEGIN
    IF NEW.kind = 'captured' AND NEW.bank_at IS NULL THEN
        SELECT max(received_at) INTO NEW.bank_at FROM received_payments
        WHERE transaction_id = NEW.transaction_id AND returned_at IS NULL;
    END IF;
    -- A month that is being closed waits for this booking, or this one for the month.
    PERFORM 1 FROM organisations WHERE id = NEW.organisation_id FOR KEY SHARE;
    SELECT max(before) INTO open_from FROM closed_months WHERE organisation_id = NEW.organisation_id;
    NEW.received_at := coalesce(NEW.bank_at, NEW.at);
    IF NEW.received_at < open_from THEN NEW.received_at := greatest(NEW.at, open_from); END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION date_movement() IS
    'Trigger of the ledger: a movement has the day of the bank or the provider, where it is known, and counts to an open month.';

CREATE OR REPLACE TRIGGER ledger_dates BEFORE INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION date_movement();

CREATE OR REPLACE FUNCTION ledger_of(organisation uuid, of_from timestamptz, of_before timestamptz, by_received boolean)
RETURNS SETOF ledger LANGUAGE sql STABLE AS $$
    SELECT * FROM ledger WHERE NOT by_received AND organisation_id = organisation AND at >= of_from AND at < of_before
    UNION ALL
    SELECT * FROM ledger WHERE by_received AND organisation_id = organisation AND received_at >= of_from AND received_at < of_before
$$;
COMMENT ON FUNCTION ledger_of(uuid, timestamptz, timestamptz, boolean) IS
    'Finds the movements of an organisation''s money in a time, by when they were booked or by when the money was received.';

CREATE OR REPLACE FUNCTION payout_gaps(organisation uuid, of_from timestamptz, of_before timestamptz)
RETURNS TABLE (payout_id uuid, gateway text, reason text, currency text, amount bigint) LANGUAGE sql STABLE AS $$
    WITH moved AS (
        SELECT p.id, p.gateway, p.difference, p.currency, r.*
        FROM payouts p LEFT JOIN LATERAL (
            SELECT r.kind, r.gross, r.fee, r.moved_at, t.amount AS paid, t.currency AS paid_in, f.amount AS refunded,
                   CASE WHEN r.kind = 'dispute' THEN (SELECT max(d.amount) FROM disputes d WHERE d.transaction_id = t.id) END AS disputed
            FROM payout_rows r
            -- Each OFFSET leaves the planner only the way by the key.
            LEFT JOIN LATERAL (SELECT id, amount, currency FROM transactions WHERE id = r.transaction_id OFFSET 0) t ON true
            LEFT JOIN LATERAL (SELECT amount FROM refunds WHERE id = r.refund_id OFFSET 0) f ON true
            WHERE r.payout_id = p.id AND r.balance IS NULL AND r.currency = p.currency) r ON true
        WHERE p.organisation_id = organisation AND p.read_at >= of_from AND p.read_at < of_before)
    SELECT s.id, s.gateway::text, g.reason, s.currency::text, round(g.amount)::bigint
    FROM (SELECT m.id, m.gateway, m.currency,
                 -- The ledger has the fees of a payout as one amount without decimals.
                 sum(m.gross) FILTER (WHERE m.kind IN ('other', 'fee', 'rounding')) AS other, round(sum(m.fee)) - sum(m.fee) AS rest,
                 sum(m.gross) FILTER (WHERE m.kind IN ('payment', 'refund', 'dispute') AND m.paid IS NULL AND m.moved_at IS NOT NULL) AS unknown,
                 sum(m.gross) FILTER (WHERE m.kind IN ('payment', 'refund', 'dispute') AND m.paid_in <> m.currency) AS converted,
                 max(m.difference) AS difference
          FROM moved m GROUP BY m.id, m.gateway, m.currency) s
    CROSS JOIN LATERAL (VALUES ('other', coalesce(s.other, 0) + coalesce(s.rest, 0)), ('unknown_payment', s.unknown), ('other_currency', s.converted),
                               ('difference', s.difference)) g (reason, amount)
    WHERE round(g.amount) <> 0
    UNION ALL
    -- The other end: what has left the currency in which buyers have paid.
    SELECT m.id, m.gateway::text, 'other_currency', m.paid_in::text,
           -sum(CASE m.kind WHEN 'payment' THEN m.paid WHEN 'refund' THEN -coalesce(m.refunded, m.paid)
                            ELSE sign(m.gross) * coalesce(m.disputed, m.paid) END)::bigint
    FROM moved m WHERE m.kind IN ('payment', 'refund', 'dispute') AND m.paid_in <> m.currency GROUP BY m.id, m.gateway, m.paid_in
$$;
COMMENT ON FUNCTION payout_gaps(uuid, timestamptz, timestamptz) IS
    'Finds what the payouts of an organisation whose movements were read in a time have moved beside the ledger, and why, in minor units.';

CREATE OR REPLACE FUNCTION balance_changes(organisation uuid, of_from timestamptz, of_before timestamptz)
RETURNS TABLE (gateway text, currency text, kind text, number bigint, amount bigint) LANGUAGE sql STABLE AS $$
    SELECT l.gateway::text, l.currency::text, l.kind, count(*), sum(l.amount)::bigint FROM ledger l
    WHERE l.organisation_id = organisation AND l.received_at >= of_from AND l.received_at < of_before GROUP BY 1, 2, 3
    UNION ALL
    SELECT g.gateway, g.currency, 'other', count(*), sum(g.amount)::bigint
    FROM payout_gaps(organisation, of_from, of_before) g GROUP BY 1, 2
$$;
COMMENT ON FUNCTION balance_changes(uuid, timestamptz, timestamptz) IS
    'Sums what has changed the money of an organisation that is with each provider in a time, by kind: movements of the ledger by the day of '
    'receipt, and as `other` what payouts have moved beside it.';

CREATE OR REPLACE FUNCTION require_balanced_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    checked uuid;
    kept bigint;
    booked bigint;
BEGIN
    IF TG_TABLE_NAME = 'ledger' THEN checked := NEW.transaction_id; ELSE checked := NEW.id; END IF;
    SELECT CASE WHEN state IN ('succeeded', 'refunded') THEN amount - refunded_amount - lost_amount ELSE 0 END
    INTO kept FROM transactions WHERE id = checked;
    SELECT coalesce(sum(amount), 0) INTO booked FROM ledger WHERE transaction_id = checked;
    IF kept <> booked THEN
        RAISE EXCEPTION 'the ledger of transaction % adds up to %, not to %', checked, booked, kept
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_balance';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION require_balanced_ledger() IS
    'Trigger of the ledger and of transactions: at the commit, a transaction''s ledger adds up to what the organisation keeps of it.';

DROP TRIGGER IF EXISTS ledger_balance ON ledger;
CREATE CONSTRAINT TRIGGER ledger_balance AFTER INSERT ON ledger
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_balanced_ledger();
DROP TRIGGER IF EXISTS transactions_ledger_balance ON transactions;
CREATE CONSTRAINT TRIGGER transactions_ledger_balance AFTER UPDATE OF state, refunded_amount, lost_amount ON transactions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.state IN ('succeeded', 'refunded'))
    EXECUTE FUNCTION require_balanced_ledger();

CREATE OR REPLACE FUNCTION documents_follow_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO documents_due (cart_id, since, next_attempt_at)
    SELECT NEW.cart_id, NEW.at, NEW.at + interval '1 minute'
    FROM organisations o JOIN carts c ON c.id = NEW.cart_id
    -- Of carts that were paid before there was a seller, nothing is documented.
    WHERE o.id = NEW.organisation_id AND o.seller_since IS NOT NULL AND c.former_shop IS NULL AND (NEW.kind = 'captured' OR c.paid_at >= o.seller_since)
    ON CONFLICT (cart_id) DO UPDATE SET next_attempt_at = excluded.next_attempt_at, attempts = 0;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION documents_follow_ledger() IS
    'Trigger of the ledger: after a captured or refunded amount, the cart is due for an invoice or a credit note, if its organisation is a '
    'seller. What another shop sold has its documents there.';

CREATE OR REPLACE TRIGGER ledger_documents AFTER INSERT ON ledger FOR EACH ROW
    WHEN (NEW.kind IN ('captured', 'refunded')) EXECUTE FUNCTION documents_follow_ledger();
