-- How often the provider has taken a refund for a duplicate of another one. Each further call has an idempotency key of its own.
ALTER TABLE refunds ADD COLUMN put_off integer NOT NULL DEFAULT 0 CHECK (put_off >= 0);

-- To find the payment of an event that names a refund or a chargeback alone.
CREATE INDEX refunds_provider_reference_idx ON refunds (provider_reference) WHERE provider_reference IS NOT NULL;
CREATE INDEX disputes_provider_reference_idx ON disputes (provider_reference);
