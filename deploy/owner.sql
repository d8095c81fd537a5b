-- Gives a database of a former version, which storefront_worker owns, to storefront_owner. Run deploy/roles.sql first, then
-- this as a superuser in each storefront database, while no program of the storefront migrates:
--   psql -d DATABASE -f deploy/owner.sql
-- Programs that run meanwhile continue: they keep the rights that they use. PostgreSQL counts databases among the shared
-- objects, so the first run also moves the other databases of storefront_worker, but not the tables in them. A repeat
-- changes nothing, also after the migration.

BEGIN;
DO $$
DECLARE
    -- Only these: the migration has narrowed the worker's rights on tables that the owner already has.
    moved text := (SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
                   WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
                     AND relowner = 'storefront_worker'::regrole);
BEGIN
    REASSIGN OWNED BY storefront_worker TO storefront_owner;
    -- An owner's rights go with the ownership. The next migration narrows these; until then, the worker needs them.
    IF moved IS NOT NULL THEN
        EXECUTE 'GRANT SELECT, INSERT, UPDATE, DELETE ON ' || moved || ' TO storefront_worker';
    END IF;
END $$;
GRANT USAGE ON SCHEMA public TO storefront_worker;
-- A database that comes from PostgreSQL 14 or earlier lets every role create tables.
GRANT USAGE, CREATE ON SCHEMA public TO storefront_owner;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
COMMIT;
