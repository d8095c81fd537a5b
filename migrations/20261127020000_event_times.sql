-- The time of an event was that of the beginning of its transaction, which decides the order of the feed. Of two transactions that
-- change one order, the one that began first may have waited for the other. The default is the time of the change itself now.

ALTER TABLE events ALTER COLUMN at SET DEFAULT clock_timestamp();
