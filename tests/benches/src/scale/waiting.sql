-- A tenth of those that once waited for a registration wait again.
UPDATE enrollments SET state = 'pending_registration', learner_id = NULL, platform_state = 'queued'
WHERE id IN (SELECT id FROM enrollments WHERE invited_at IS NOT NULL AND state = 'enrolled' LIMIT {enrollments} / 100);
