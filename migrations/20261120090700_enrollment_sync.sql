-- The mode that the platform last confirmed, and when: a removal may end that one, but none that the learner took elsewhere.
ALTER TABLE enrollments ADD COLUMN platform_mode text, ADD COLUMN platform_synced_at timestamptz;

-- What the reconciler and its metrics look for. Records without a learner are queued for ever, and wait for nobody.
DROP INDEX enrollments_unconfirmed_idx;
CREATE INDEX enrollments_unconfirmed_idx ON enrollments (updated_at)
    WHERE platform_state = 'queued' AND learner_id IS NOT NULL;
CREATE INDEX enrollments_refused_idx ON enrollments (updated_at)
    WHERE platform_state = 'refused' AND state = 'enrolled';
CREATE INDEX commands_unanswered_idx ON commands (lease_until) WHERE answer IS NULL;
