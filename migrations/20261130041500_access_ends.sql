-- Access that ends by the clock.

ALTER TABLE course_modes
    ADD COLUMN access_days integer CONSTRAINT course_modes_access_days CHECK (access_days BETWEEN 1 AND 36500),
    ADD COLUMN access_until timestamptz;
COMMENT ON COLUMN course_modes.access_days IS
    'How many days of access it gives: to the end of as many days at the seller after that of the grant. Null: they do not count.';
COMMENT ON COLUMN course_modes.access_until IS 'When access to it ends at the latest. Null: never.';
ALTER TABLE programs
    ADD COLUMN access_days integer CONSTRAINT programs_access_days CHECK (access_days BETWEEN 1 AND 36500),
    ADD COLUMN access_until timestamptz;
COMMENT ON COLUMN programs.access_days IS 'As that of course_modes, for all courses of a sale. Those of the courses'' modes do not count then.';
COMMENT ON COLUMN programs.access_until IS 'As that of course_modes.';
ALTER TABLE cart_items ADD COLUMN access_days integer, ADD COLUMN access_until timestamptz;
COMMENT ON COLUMN cart_items.access_days IS 'The days of access with which it was sold; as that of course_modes.';
COMMENT ON COLUMN cart_items.access_until IS 'The latest end of access with which it was sold.';
ALTER TABLE enrollment_grants ADD COLUMN begun_at timestamptz, ADD COLUMN ends_at timestamptz, ADD COLUMN reminded_at timestamptz;
COMMENT ON COLUMN enrollment_grants.begun_at IS
    'When its days begin: with the grant or its address''s account, or after the days before them. Null: it has no end, or no account yet.';
COMMENT ON COLUMN enrollment_grants.ends_at IS
    'When it ends by the clock, as `settle_periods` has computed it. Null: it does not, or its address has no account yet.';
COMMENT ON COLUMN enrollment_grants.reminded_at IS 'When its learner was told that it ends soon, or need not be.';
CREATE INDEX enrollment_grants_ends_idx ON enrollment_grants (ends_at) WHERE ends_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX enrollment_grants_reminded_idx ON enrollment_grants (ends_at)
    WHERE ends_at IS NOT NULL AND ended_at IS NULL AND reminded_at IS NULL;

GRANT SELECT (ends_at) ON enrollment_grants TO storefront_api;

CREATE OR REPLACE FUNCTION event_types() RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN ARRAY['order.pending', 'order.closed', 'order.paid', 'order.fulfilled', 'order.overdue', 'order.refunded',
                 'order.refund_failed', 'order.disputed', 'order.withdrawn', 'document.requested', 'document.issued',
                 'document.cancelled', 'enrollment.changed', 'enrollment.moved', 'enrollment.ended'];
END $$;
