-- What meeting a real LMS taught: grants wait for its verdict, and some accounts cannot be looked up.

-- A grant that waits for the platform's verdict makes the first attempt itself; its message follows only if that comes to
-- nothing. Null: publish at once.
ALTER TABLE outbox ADD COLUMN not_before timestamptz;

-- Addresses whose account the LMS cannot show (500, as for an account without a profile), so that the reconciler asks for
-- them less and less often, and an operator is alerted once.
CREATE TABLE account_lookup_failures (
    email text PRIMARY KEY CHECK (email = lower(btrim(email))),
    failures integer NOT NULL DEFAULT 1,
    last_error text NOT NULL,
    first_failed_at timestamptz NOT NULL,
    next_try_at timestamptz NOT NULL
);
