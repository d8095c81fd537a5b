-- Brings the indexes and constraints back, which checks the rows that were loaded, and the balance of the ledger.
DO $$
DECLARE
    taken text;
BEGIN
    FOR taken IN SELECT definition FROM set_aside ORDER BY turn LOOP
        EXECUTE taken;
    END LOOP;
    IF EXISTS (SELECT FROM transactions t LEFT JOIN (SELECT transaction_id, sum(amount) AS booked FROM ledger GROUP BY 1) l
               ON l.transaction_id = t.id
               WHERE coalesce(l.booked, 0) <> CASE WHEN t.state = 'succeeded' THEN t.amount ELSE 0 END) THEN
        RAISE EXCEPTION 'the ledger does not balance';
    END IF;
END $$;
SET session_replication_role = origin;
