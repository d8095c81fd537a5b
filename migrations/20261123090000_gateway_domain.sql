-- The names of the gateways, in one place instead of a CHECK on each of six tables. Programs of the former version send and
-- read text, which PostgreSQL converts.
--
-- This locks the six tables, also for reads, while it rebuilds one index of transactions: about three seconds for a million
-- rows. It rewrites no table, because the columns get the domain before the domain has a constraint. The rows that are
-- there satisfied the dropped checks, so the constraint need not read them again.

CREATE DOMAIN gateway_name AS text;

ALTER TABLE organisations DROP CONSTRAINT organisations_gateway_check, ALTER gateway TYPE gateway_name;
ALTER TABLE transactions DROP CONSTRAINT transactions_gateway_check, ALTER gateway TYPE gateway_name;
ALTER TABLE gateway_credentials DROP CONSTRAINT gateway_credentials_gateway_check, ALTER gateway TYPE gateway_name;
ALTER TABLE notification_secrets DROP CONSTRAINT notification_secrets_gateway_check, ALTER gateway TYPE gateway_name;
ALTER TABLE inbox DROP CONSTRAINT inbox_gateway_check, ALTER gateway TYPE gateway_name;
ALTER TABLE gateway_customers DROP CONSTRAINT gateway_customers_gateway_check, ALTER gateway TYPE gateway_name;

ALTER DOMAIN gateway_name ADD CONSTRAINT gateway_name_known
    CHECK (VALUE IN ('stripe', 'mollie', 'razorpay', 'curlec')) NOT VALID;
