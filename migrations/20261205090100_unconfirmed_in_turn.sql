-- As enrollments_unconfirmed_idx, but those that wait for their turn come last. Workers that do not know the column use it, too.
-- In a migration of its own: reads of enrollments go on meanwhile.
CREATE INDEX enrollments_waiting_idx ON enrollments (sync_held_back, updated_at)
    WHERE platform_state = 'queued' AND learner_id IS NOT NULL;
DROP INDEX enrollments_unconfirmed_idx;
