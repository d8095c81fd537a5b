-- Pools that the organisation makes can give access for a time of their own; those that were bought have that of their line.
ALTER TABLE vouchers
    ADD COLUMN access_days integer CONSTRAINT vouchers_access_days CHECK (access_days BETWEEN 1 AND 36500),
    ADD COLUMN access_until timestamptz,
    ADD CONSTRAINT vouchers_access CHECK (kind = 'seat' OR num_nonnulls(access_days, access_until) = 0);
COMMENT ON COLUMN vouchers.access_days IS 'How many days of access a seat gives, as of course_modes. Null, and no `access_until`: as the mode says.';
COMMENT ON COLUMN vouchers.access_until IS 'When the access of a seat ends at the latest.';
