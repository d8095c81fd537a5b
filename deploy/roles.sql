-- The two database roles. Run as a superuser:
--   psql -v worker_password=… -v api_password=… -f deploy/roles.sql
-- storefront_worker owns each storefront database and is the only writer; storefront_api can only read.
-- A role that exists keeps its password, since another storefront on this server may use it.

SELECT pg_advisory_lock(7316072);  -- two runs at the same time must not both create a role

SELECT format('CREATE ROLE %I LOGIN PASSWORD %L', name, password)
FROM (VALUES ('storefront_worker', :'worker_password'), ('storefront_api', :'api_password')) AS role (name, password)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec

ALTER ROLE storefront_api SET default_transaction_read_only = on;
-- Lists have optional filters: measured at 100,000 rows, a generic plan costs hundreds of times as much as a custom one.
ALTER ROLE storefront_api SET plan_cache_mode = force_custom_plan;
ALTER ROLE storefront_api SET statement_timeout = '5s';

SELECT pg_advisory_unlock(7316072);
