-- The version in the events of an enrollment, which grows with each of them. The enrollment's own version leaves out what the course
-- platform says.
ALTER TABLE enrollments ADD COLUMN event_version integer NOT NULL DEFAULT 1;

CREATE FUNCTION enrollment_event_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Events of earlier releases had the enrollment's version.
    NEW.event_version := greatest(OLD.event_version, OLD.version) + 1;
    RETURN NEW;
END $$;
CREATE TRIGGER enrollments_event_version BEFORE UPDATE OF state, mode, platform_state, platform_reason ON enrollments FOR EACH ROW
    EXECUTE FUNCTION enrollment_event_version();

CREATE OR REPLACE FUNCTION enrollment_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (organisation_id, type, enrollment_id, data)
    SELECT c.organisation_id, 'enrollment.changed', NEW.id, jsonb_build_object(
        'course_id', c.id, 'openedx_course_id', c.openedx_course_id, 'mode', NEW.mode,
        -- As the route that removes it answers.
        'enrollment_state', CASE WHEN OLD.state = 'pending_registration' AND NEW.state = 'removed' THEN 'cancelled' ELSE NEW.state END,
        'platform_state', NEW.platform_state, 'reason', NEW.platform_reason, 'version', NEW.event_version)
    FROM courses c WHERE c.id = NEW.course_id;
    RETURN NULL;
END $$;

-- A list of enrollments shows why the platform has refused one, as the route for one address does.
GRANT SELECT (platform_reason) ON enrollments TO storefront_api;
