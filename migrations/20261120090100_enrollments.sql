-- Who may learn what: learners we have met, and enrollments as the union of their live grants.

CREATE TABLE learners (
    id uuid PRIMARY KEY,
    platform_user_id bigint NOT NULL CONSTRAINT learners_platform_user_id_key UNIQUE,
    username text NOT NULL,
    -- Trimmed and lower-cased; null once the address has moved to another account.
    email text CONSTRAINT learners_email_key UNIQUE CHECK (email = lower(btrim(email))),
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE TABLE organisation_members (
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    learner_id uuid NOT NULL REFERENCES learners ON DELETE CASCADE,
    PRIMARY KEY (organisation_id, learner_id)
);
CREATE INDEX organisation_members_learner_idx ON organisation_members (learner_id);

CREATE TABLE enrollments (
    id uuid PRIMARY KEY,
    email text NOT NULL CHECK (email = lower(btrim(email))),
    course_id uuid NOT NULL REFERENCES courses,
    learner_id uuid REFERENCES learners,
    -- removed: no live grant is left. The row stays, so that the platform can be told.
    state text NOT NULL CHECK (state IN ('enrolled', 'pending_registration', 'removed')),
    mode text NOT NULL,
    -- Counts every change of state or mode; platform_version is the last one that the platform confirmed.
    version integer NOT NULL DEFAULT 1,
    platform_version integer NOT NULL DEFAULT 0,
    platform_state text NOT NULL DEFAULT 'queued' CHECK (platform_state IN ('queued', 'synced', 'refused')),
    platform_reason text,
    -- Held by the one SyncEnrollment that may call the platform now.
    sync_lease_until timestamptz,
    -- The platform has not yet said whether it knows this address; until then no invitation is sent.
    unresolved boolean NOT NULL DEFAULT false,
    invited_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT enrollments_email_course_key UNIQUE (email, course_id),
    CONSTRAINT enrollments_enrolled_has_learner CHECK (state <> 'enrolled' OR learner_id IS NOT NULL),
    CHECK (platform_version <= version)
);
CREATE UNIQUE INDEX enrollments_learner_course_key ON enrollments (learner_id, course_id) WHERE learner_id IS NOT NULL;
CREATE INDEX enrollments_course_idx ON enrollments (course_id);
CREATE INDEX enrollments_pending_idx ON enrollments (email) WHERE state = 'pending_registration';
CREATE INDEX enrollments_unconfirmed_idx ON enrollments (updated_at) WHERE platform_state = 'queued';
