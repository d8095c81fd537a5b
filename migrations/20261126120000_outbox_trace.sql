-- The W3C traceparent of the job that wrote the message, so that the message's job belongs to the same trace. NULL outside
-- of jobs.
ALTER TABLE outbox ADD COLUMN traceparent text;
