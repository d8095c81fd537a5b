-- When the reconciler last queued a SyncEnrollment of its own: until that has had its time, it queues no other.
ALTER TABLE enrollments ADD COLUMN sync_requested_at timestamptz;
