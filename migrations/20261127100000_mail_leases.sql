-- Until when a delivery has the mail: another delivery of the same message waits, and takes it over after a crash.
ALTER TABLE mails ADD COLUMN leased_until timestamptz;
