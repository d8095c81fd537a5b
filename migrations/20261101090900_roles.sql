-- Roles: the rights of the three roles of deploy/roles.sql. The role that migrates, storefront_owner, owns the schema. The worker
-- owns nothing, so it can neither drop a trigger nor rewrite what is append-only. The api can only read, and reads no column that
-- it does not show.

-- The worker writes ---------------------------------------------------------------------------------------------------

GRANT USAGE ON SCHEMA public TO storefront_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO storefront_worker;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO storefront_worker;
-- The same for tables of later migrations. The api reads nothing of them until a migration grants it.
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO storefront_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO storefront_worker;

-- The transitions of a state are for the schema to decide.
REVOKE INSERT, UPDATE, DELETE ON allowed_moves FROM storefront_worker;
-- A row that is all key is not updated: no trigger would see it.
REVOKE UPDATE ON course_tags FROM storefront_worker;
-- What is on record stays: the worker adds to the audit log, the ledger and the documents, and deletes no money.
REVOKE UPDATE, DELETE ON audit_log, ledger, documents, document_files FROM storefront_worker;
REVOKE DELETE ON transactions, refunds, refund_lines, disputes, document_series, voucher_uses FROM storefront_worker;
-- A voucher's value and scope are not rewritten after they were promised.
REVOKE UPDATE, DELETE ON vouchers, voucher_scope FROM storefront_worker;
GRANT UPDATE (max_uses, budget, valid_until, note, uses, spent, email, buyer, assigned, withdrawn) ON vouchers TO storefront_worker;
-- The worker assigns positions, and erases a reason.
REVOKE UPDATE ON events FROM storefront_worker;
GRANT UPDATE (position, data) ON events TO storefront_worker;
REVOKE INSERT, DELETE ON event_positions FROM storefront_worker;

-- The api reads -------------------------------------------------------------------------------------------------------

GRANT USAGE ON SCHEMA public TO storefront_api;
GRANT SELECT ON
    catalog_generation, organisations, pricing_policies, pricing_policy_countries, exchange_rates, banners,
    courses, course_modes, course_contents, programs, program_courses, tags, course_tags, program_tags, reviews,
    organisation_members, cart_items, cart_courses, joined_checkouts, vouchers, voucher_scope, voucher_uses,
    notification_secrets, ledger, batch_rows, documents, document_files, events, event_positions
TO storefront_api;
-- It finds a learner by the platform's user id, and shows the addresses of orders, of batches, and of enrollments to
-- whom they belong. It needs no other address, and none of the requests to providers or the data with which a buyer pays.
GRANT SELECT (id, platform_user_id) ON learners TO storefront_api;
GRANT SELECT (id, organisation_id, secret_hash, scopes, revoked_at) ON organisation_keys TO storefront_api;
GRANT SELECT (id, kind, buyer, email, learner_id, organisation_id, state, currency, total, voucher_id, tax_terms, billing_address,
              created_at, paid_at) ON carts TO storefront_api;
GRANT SELECT (id, cart_id, organisation_id, gateway, state, amount, currency, region, discount_pct, original_price, tax, tax_on_top,
              refunded_amount, lost_amount, disputed_at, provider_pending_since, dead_at) ON transactions TO storefront_api;
GRANT SELECT (id, transaction_id, origin, reason, amount, currency, state, asked_at, accepted_at, ended_at)
    ON refunds TO storefront_api;
GRANT SELECT (refund_id, position, ends_access) ON refund_lines TO storefront_api;
GRANT SELECT (id, email, course_id, learner_id, state, mode, platform_state, platform_reason) ON enrollments TO storefront_api;
GRANT SELECT (enrollment_id, cart_id, ended_at) ON enrollment_grants TO storefront_api;
GRANT SELECT (id, total, voucher_id, created_at, done_at) ON batches TO storefront_api;

-- Both compare the migrations that they need with those that the database has.
DO $$ BEGIN
    -- sqlx makes this table before the first migration; psql, which developers use, does not.
    IF to_regclass('public._sqlx_migrations') IS NOT NULL THEN
        REVOKE ALL ON _sqlx_migrations FROM storefront_worker;
        GRANT SELECT (version, success) ON _sqlx_migrations TO storefront_worker, storefront_api;
    END IF;
END $$;
