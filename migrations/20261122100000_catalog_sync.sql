-- What `catalog sync` remembers. The catalog's own tables stay as they are: a synchronised course is a course.

-- Where the courses of an organisation of the course platform belong, where the short names do not say it, and whose
-- prices count. Without an organisation its courses are left out.
CREATE TABLE platform_organisations (
    org text NOT NULL CHECK (org <> ''),
    organisation_id uuid REFERENCES organisations ON DELETE CASCADE,
    prices text NOT NULL CHECK (prices IN ('platform', 'own'))
);
CREATE UNIQUE INDEX platform_organisations_org_key ON platform_organisations (lower(org));
CREATE INDEX platform_organisations_organisation_idx ON platform_organisations (organisation_id);

-- Courses that the platform has told of. Others are never touched.
CREATE TABLE synced_courses (
    course_id uuid PRIMARY KEY REFERENCES courses ON DELETE CASCADE,
    -- When the platform was asked: an older answer never replaces a newer one.
    synced_at timestamptz NOT NULL,
    -- The sync has unpublished it, since the platform has it no more. It is published again when it comes back.
    withdrawn boolean NOT NULL DEFAULT false
);

-- Courses that the platform's event bus has named, each until it is synchronised.
CREATE TABLE catalog_sync_requests (
    openedx_course_id text PRIMARY KEY CHECK (length(openedx_course_id) <= 255),
    due_at timestamptz NOT NULL
);
CREATE INDEX catalog_sync_requests_due_idx ON catalog_sync_requests (due_at);

-- When the last whole sync ended; one row, made by the first of them.
CREATE TABLE catalog_sync_state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    finished_at timestamptz NOT NULL
);
