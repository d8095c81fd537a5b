-- The step of a trace that has made a change, as a `traceparent`, so that an operator finds its log lines and spans. NULL for what was
-- changed before, and outside of a request or a message.
ALTER TABLE audit_log ADD COLUMN trace text;
