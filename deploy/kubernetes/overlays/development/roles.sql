-- The three database roles. Run as a superuser:
--   psql -v owner_password=… -v worker_password=… -v api_password=… -f deploy/roles.sql
-- storefront_owner owns each storefront database and runs its migrations; storefront_worker is the only writer;
-- storefront_api can only read. Migrations grant the last two what they need.
-- A role that exists keeps its password, since another storefront on this server may use it.

SELECT pg_advisory_lock(7316072);  -- two runs at the same time must not both create a role

SELECT format('CREATE ROLE %I LOGIN PASSWORD %L', name, password)
FROM (VALUES ('storefront_owner', :'owner_password'), ('storefront_worker', :'worker_password'),
             ('storefront_api', :'api_password')) AS role (name, password)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec

ALTER ROLE storefront_api SET default_transaction_read_only = on;
-- Lists have optional filters: measured at 100,000 rows, a generic plan costs hundreds of times as much as a custom one.
ALTER ROLE storefront_api SET plan_cache_mode = force_custom_plan;
ALTER ROLE storefront_api SET statement_timeout = '5s';
-- A job that waits this long for a row lock fails and is retried, instead of waiting forever. Set here and not by the
-- worker, because a connection pooler may drop what a client asks for when it connects.
ALTER ROLE storefront_worker SET lock_timeout = '20s';
-- A worker whose machine has vanished says no goodbye: its transaction would hold its locks for as long as the kernel waits for
-- an answer, two hours. The longest wait of a transaction is a visit of the dead letters, about a minute; imports and exports, which
-- wait for files, turn this off.
ALTER ROLE storefront_worker SET idle_in_transaction_session_timeout = '2min';
-- The worker's statements look rows up by key. Measured: PostgreSQL planned those that take arrays again for each command,
-- which cost as much as running them.
ALTER ROLE storefront_worker SET plan_cache_mode = force_generic_plan;
-- All statements are short. Measured at 100,000 enrollments: PostgreSQL thought a function dear enough to compile it to machine
-- code, 230 ms at each of its calls, and a page of 20 orders took five seconds.
ALTER ROLE storefront_api SET jit = off;
ALTER ROLE storefront_worker SET jit = off;

SELECT pg_advisory_unlock(7316072);
