-- The role that migrates owns the schema. The worker's role owns nothing, so it can neither drop a trigger nor rewrite what is
-- append-only, and the api's role reads no column that it does not show.

-- A role that owns a table may do anything to it, whatever is granted.
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relowner = 'storefront_worker'::regrole)
       OR EXISTS (SELECT FROM pg_database WHERE datname = current_database() AND datdba = 'storefront_worker'::regrole)
    THEN
        RAISE EXCEPTION 'storefront_worker still owns this database: run deploy/owner.sql as a superuser, then migrate as storefront_owner'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
END $$;

GRANT USAGE ON SCHEMA public TO storefront_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO storefront_worker;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO storefront_worker;
-- The same for tables of later migrations. The api sees nothing of them until a migration says so.
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO storefront_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO storefront_worker;

-- What is on record stays: the worker adds to the audit log and the ledger, and deletes no money. The moves of a state
-- are the schema's to decide.
REVOKE UPDATE, DELETE ON audit_log, ledger FROM storefront_worker;
REVOKE DELETE ON transactions, refunds, refund_lines, disputes FROM storefront_worker;
REVOKE INSERT, UPDATE, DELETE ON allowed_moves FROM storefront_worker;
DO $$ BEGIN
    -- sqlx makes this table before the first migration; psql, which developers use, does not.
    IF to_regclass('public._sqlx_migrations') IS NOT NULL THEN
        REVOKE ALL ON _sqlx_migrations FROM storefront_worker;
    END IF;
END $$;

-- The api finds a learner by the platform's user id and shows what is bought; an order shows its buyer's address and
-- billing address to the organisation. It needs no other address.
REVOKE SELECT ON learners, enrollments, enrollment_grants, carts, organisation_keys, refund_lines, disputes
    FROM storefront_api;
GRANT SELECT (id, platform_user_id) ON learners TO storefront_api;
GRANT SELECT (id, course_id, learner_id, state, mode, platform_state) ON enrollments TO storefront_api;
GRANT SELECT (enrollment_id, cart_id, ended_at) ON enrollment_grants TO storefront_api;
GRANT SELECT (id, kind, buyer, email, learner_id, organisation_id, state, currency, total, billing_address, created_at, paid_at)
    ON carts TO storefront_api;
GRANT SELECT (id, organisation_id, secret_hash, scopes, revoked_at) ON organisation_keys TO storefront_api;
