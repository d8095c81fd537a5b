-- What meeting a real LMS taught: grants wait for its verdict, and some accounts cannot be enrolled.

-- A grant that waits for the platform's verdict makes the first attempt itself; its message follows only if that comes to
-- nothing. Null: publish at once.
ALTER TABLE outbox ADD COLUMN not_before timestamptz;

-- How often in a row the LMS answered 500 for this enrollment, as it does for an account without a profile: the reconciler
-- asks ever less often, and an operator is alerted once.
ALTER TABLE enrollments ADD COLUMN sync_failures integer NOT NULL DEFAULT 0;
