-- Prepares the plugin's own server before each migration: the roles and the database. It may run at any time.
\set ON_ERROR_STOP on
\getenv database DATABASE
\getenv owner_password OWNER_PASSWORD
\getenv worker_password WORKER_PASSWORD
\getenv api_password API_PASSWORD
\ir roles.sql
-- roles.sql keeps the passwords of roles that exist. This server belongs to the storefront alone, so that Tutor's
-- configuration decides.
ALTER ROLE storefront_owner PASSWORD :'owner_password';
ALTER ROLE storefront_worker PASSWORD :'worker_password';
ALTER ROLE storefront_api PASSWORD :'api_password';

SELECT pg_advisory_lock(7316073);  -- two workers may start at the same time
SELECT format('CREATE DATABASE %I OWNER storefront_owner TEMPLATE template0 ENCODING ''UTF8''
               LOCALE_PROVIDER libc LOCALE ''C.UTF-8''', :'database')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
SELECT pg_advisory_unlock(7316073);
