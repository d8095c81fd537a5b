-- What the retention jobs look for, so that a round without work costs nothing. Each is built from one scan of its table, during
-- which writes to it wait: seconds for a million rows.
CREATE INDEX transactions_request_idx ON transactions (updated_at) WHERE provider_request <> '{}';
CREATE INDEX inbox_body_idx ON inbox (processed_at) WHERE processed_at IS NOT NULL AND body <> '{}';
CREATE INDEX carts_unpaid_idx ON carts (created_at) WHERE state IN ('cancelled', 'expired') AND email NOT LIKE '%@erased.invalid';
