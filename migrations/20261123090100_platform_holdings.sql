-- What the course platform gave a learner by itself is a grant of its own kind, so that the end of a purchase falls back to it. It
-- is never charged for, and the worker never ends it of its own accord.

ALTER TABLE enrollment_grants
    DROP CONSTRAINT enrollment_grants_source_check,
    ADD CONSTRAINT enrollment_grants_source_known CHECK (source IN ('partner', 'cart', 'free', 'platform')),
    DROP CONSTRAINT enrollment_grants_cart_source,
    ADD CONSTRAINT enrollment_grants_cart_source CHECK ((source IN ('partner', 'platform')) = (cart_id IS NULL));
CREATE UNIQUE INDEX enrollment_grants_live_platform_key ON enrollment_grants (enrollment_id)
    WHERE source = 'platform' AND ended_at IS NULL;

-- When the worker last read what the platform had, before its own first change. Null: it has not looked. Read before the first call that
-- can change it: after a call without an answer, nobody can tell what the platform had.
ALTER TABLE enrollments ADD COLUMN platform_seen_at timestamptz;
-- Calls of earlier versions may be under way.
UPDATE enrollments SET platform_seen_at = updated_at WHERE learner_id IS NOT NULL AND platform_state = 'queued';

-- True if the next sync must first read what the platform has: a purchase is about to change an enrollment that the worker has not
-- changed yet, or has ended since. Free audits and a partner's grants take no extra call.
CREATE FUNCTION platform_is_unseen(e enrollments) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT e.state = 'enrolled' AND (e.platform_seen_at IS NULL OR e.platform_seen_at < coalesce(e.platform_synced_at, '-infinity'))
       AND EXISTS (SELECT FROM enrollment_grants g
                   WHERE g.enrollment_id = e.id AND g.ended_at IS NULL AND g.cart_id IS NOT NULL AND g.mode <> 'audit')
       AND NOT EXISTS (SELECT FROM enrollment_grants g
                       WHERE g.enrollment_id = e.id AND g.granted_at <= e.platform_synced_at
                         AND (g.ended_at IS NULL OR g.ended_at > e.platform_synced_at))
$$;
