-- The two database roles, created or brought up to date. Run as a superuser:
--   psql -v worker_password=… -v api_password=… -f deploy/roles.sql
-- storefront_worker owns each storefront database and is the only writer; storefront_api can only read.

SELECT pg_advisory_lock(7316072);  -- two runs at once must not both create a role

SELECT format('CREATE ROLE %I LOGIN', role)
FROM unnest(ARRAY['storefront_worker', 'storefront_api']) AS role
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) \gexec

ALTER ROLE storefront_worker PASSWORD :'worker_password';
ALTER ROLE storefront_api PASSWORD :'api_password';
ALTER ROLE storefront_api SET default_transaction_read_only = on;
-- Lists have optional filters: measured at 100,000 rows, a generic plan costs hundreds of times its own plan.
ALTER ROLE storefront_api SET plan_cache_mode = force_custom_plan;
ALTER ROLE storefront_api SET statement_timeout = '5s';

SELECT pg_advisory_unlock(7316072);
