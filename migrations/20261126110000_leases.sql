-- Which worker does a piece of work for now. A row instead of an advisory lock: behind a connection pooler, a session
-- lock stays with the pooled connection when its worker has gone, and no worker would take over.
CREATE TABLE leases (
    name text PRIMARY KEY,
    holder uuid NOT NULL,
    -- Of the server's clock. The holder moves it on while it works.
    until timestamptz NOT NULL
);

-- The programs compare the migrations that they need with those that the database has.
DO $$ BEGIN
    -- sqlx makes this table before the first migration; psql, which developers use, does not.
    IF to_regclass('public._sqlx_migrations') IS NOT NULL THEN
        GRANT SELECT (version, success) ON _sqlx_migrations TO storefront_worker, storefront_api;
    END IF;
END $$;
