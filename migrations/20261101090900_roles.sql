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
-- A row that is all key is not updated: no trigger would see it. Nor is a declared line: a refusal deletes it.
REVOKE UPDATE ON course_tags, withdrawal_lines FROM storefront_worker;
-- What is on record stays: the worker adds to the audit log, the ledger, the documents and the epochs of the feed, and deletes no money.
REVOKE UPDATE, DELETE ON audit_log, ledger, documents, document_files, feed_epochs FROM storefront_worker;
REVOKE DELETE ON transactions, refunds, refund_lines, disputes, document_series, voucher_uses FROM storefront_worker;
-- It marks what was paid back, and erases a reference, which may hold a name.
REVOKE UPDATE, DELETE ON received_payments FROM storefront_worker;
GRANT UPDATE (returned_at, reference) ON received_payments TO storefront_worker;
-- A voucher's value and scope are not rewritten after they were promised. The code of a pool is: it was mailed to an address that is
-- corrected.
REVOKE UPDATE, DELETE ON vouchers, voucher_scope FROM storefront_worker;
GRANT UPDATE (code, max_uses, budget, valid_until, note, uses, spent, email, buyer, assigned, withdrawn) ON vouchers
    TO storefront_worker;
-- The worker assigns positions, and erases a reason.
REVOKE UPDATE ON events FROM storefront_worker;
GRANT UPDATE (position, data) ON events TO storefront_worker;
REVOKE INSERT, DELETE ON event_positions FROM storefront_worker;

-- The api reads -------------------------------------------------------------------------------------------------------

GRANT USAGE ON SCHEMA public TO storefront_api;
GRANT SELECT ON
    catalog_generation, organisations, pricing_policies, pricing_policy_countries, exchange_rates, banners,
    courses, course_modes, course_contents, programs, program_courses, tags, course_tags, program_tags, reviews,
    organisation_members, staff, dead_letters, cart_items, cart_courses, joined_checkouts, vouchers, voucher_scope, voucher_uses,
    notification_secrets, withdrawals, disputes, ledger, batch_rows, documents, document_files, events, event_positions, feed_epochs,
    webhook_deliveries
TO storefront_api;
-- It finds a learner by the platform's user id, and shows the addresses of orders, of batches, of mails, and of enrollments to
-- whom they belong. It needs no other address, and none of the requests to providers or the data with which a buyer pays.
GRANT SELECT (id, platform_user_id) ON learners TO storefront_api;
GRANT SELECT (id, organisation_id, secret_hash, scopes, revoked_at) ON organisation_keys TO storefront_api;
GRANT SELECT (id, recipient, template, organisation_id, cart_id, created_at, failed_at, failed_reason) ON mails TO storefront_api;
GRANT SELECT (id, at, entity, entity_id, actor, from_state, to_state, detail) ON audit_log TO storefront_api;
GRANT SELECT (id, kind, buyer, email, learner_id, organisation_id, state, currency, total, voucher_id, tax_terms, billing_address,
              created_at, paid_at, fulfilled_at, grant_blocked_at, consents, language, reference, metadata, link_version,
              asked_invoice) ON carts TO storefront_api;
GRANT SELECT (id, cart_id, organisation_id, gateway, provider_reference, state, amount, currency, region, discount_pct, original_price,
              tax, tax_on_top, refunded_amount, lost_amount, disputed_at, provider_pending_since, dead_at, alert, created_at,
              updated_at, due_on, on_account, overdue_at) ON transactions TO storefront_api;
GRANT SELECT (id, transaction_id, amount, received_at, reference, created_at, returned_at) ON received_payments TO storefront_api;
GRANT SELECT (id, gateway, organisation_id, type, reference, transaction_id, transaction_hint, received_at, parked_reason,
              processed_at) ON inbox TO storefront_api;
GRANT SELECT (id, transaction_id, origin, reason, amount, currency, state, actor, provider_reference, asked_at, accepted_at, ended_at)
    ON refunds TO storefront_api;
GRANT SELECT (refund_id, position, amount, ends_access) ON refund_lines TO storefront_api;
GRANT SELECT (id, email, course_id, learner_id, state, mode, platform_state, platform_reason, platform_synced_at, created_at,
              updated_at) ON enrollments TO storefront_api;
GRANT SELECT (id, enrollment_id, source, cart_id, mode, granted_at, ended_at, ended_reason) ON enrollment_grants TO storefront_api;
-- Where a line has gone, which its order shows; not why.
GRANT SELECT (cart_id, position, from_grant, to_grant, to_person, asked_at, done_at, withdrawn_at) ON moves TO storefront_api;
GRANT SELECT (id, total, voucher_id, organisation_id, created_at, done_at) ON batches TO storefront_api;
GRANT SELECT (id, organisation_id, url, types, failing_since, disabled_at, disabled_reason) ON webhook_endpoints TO storefront_api;

-- Both compare the migrations that they need with those that the database has.
DO $$ BEGIN
    -- sqlx makes this table before the first migration; psql, which developers use, does not.
    IF to_regclass('public._sqlx_migrations') IS NOT NULL THEN
        REVOKE ALL ON _sqlx_migrations FROM storefront_worker;
        GRANT SELECT (version, success) ON _sqlx_migrations TO storefront_worker, storefront_api;
    END IF;
END $$;
