-- Codes by which public classifications know what is sold, for documents.

ALTER TABLE courses ADD COLUMN service_code jsonb CONSTRAINT courses_service_code CHECK (jsonb_typeof(service_code) = 'object');
COMMENT ON COLUMN courses.service_code IS 'Scheme and code, for its lines on documents; null: the seller''s.';
ALTER TABLE programs ADD COLUMN service_code jsonb CONSTRAINT programs_service_code CHECK (jsonb_typeof(service_code) = 'object');
COMMENT ON COLUMN programs.service_code IS 'As that of courses.';
