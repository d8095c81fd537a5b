-- Takes the indexes and constraints off the large tables, to load rows faster, and keeps their definitions in the order in which
-- they come back. CHECK constraints stay. The balance of the ledger is checked once at the end.
SET synchronous_commit = off;
SET work_mem = '128MB';
SET maintenance_work_mem = '512MB';

CREATE TEMP TABLE set_aside (turn integer, definition text);

CREATE FUNCTION pg_temp.take_off(tables regclass[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    found record;
BEGIN
    FOR found IN SELECT conrelid::regclass AS of, conname AS name, pg_get_constraintdef(oid) AS definition
                 FROM pg_constraint WHERE contype = 'f' AND (conrelid = ANY (tables) OR confrelid = ANY (tables)) LOOP
        INSERT INTO set_aside VALUES (3, format('ALTER TABLE %s ADD CONSTRAINT %I %s', found.of, found.name, found.definition));
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.of, found.name);
    END LOOP;
    FOR found IN SELECT conrelid::regclass AS of, conname AS name, pg_get_constraintdef(oid) AS definition
                 FROM pg_constraint WHERE contype IN ('p', 'u') AND conrelid = ANY (tables) LOOP
        INSERT INTO set_aside VALUES (2, format('ALTER TABLE %s ADD CONSTRAINT %I %s', found.of, found.name, found.definition));
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.of, found.name);
    END LOOP;
    FOR found IN SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS definition
                 FROM pg_index WHERE indrelid = ANY (tables) LOOP
        INSERT INTO set_aside VALUES (1, found.definition);
        EXECUTE format('DROP INDEX %s', found.name);
    END LOOP;
END $$;

SELECT pg_temp.take_off(ARRAY['learners', 'organisation_members', 'enrollments', 'enrollment_grants', 'carts', 'cart_items', 'cart_courses',
    'joined_checkouts', 'transactions', 'ledger', 'inbox', 'audit_log', 'documents', 'vouchers', 'voucher_uses', 'withdrawals', 'events',
    'courses', 'course_modes']::regclass[]);
-- What was loaded happened long ago: no trigger writes what follows from it.
SET session_replication_role = replica;
