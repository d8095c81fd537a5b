-- People and programs that call the api: learners, the members of closed organisations, the keys of organisations' own
-- systems, and the mails to all of them.

CREATE TABLE learners (
    id uuid PRIMARY KEY,
    platform_user_id bigint NOT NULL CONSTRAINT learners_platform_user_id_key UNIQUE,
    username text NOT NULL,
    -- Trimmed and lower-cased; null once the address has moved to another account.
    email text CONSTRAINT learners_email_key UNIQUE CHECK (email = lower(btrim(email))),
    -- The last address of a learner whose address the platform no longer knows. A retired account looks the same, and without
    -- its address neither a check for retirement nor an operator would find the learner.
    former_email text,
    name text NOT NULL,
    -- When the platform was last queried whether the learner's account is retired.
    retirement_checked_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE INDEX learners_former_email_idx ON learners (former_email) WHERE former_email IS NOT NULL;
CREATE INDEX learners_retirement_idx ON learners (retirement_checked_at NULLS FIRST)
    WHERE email IS NOT NULL OR former_email IS NOT NULL;

CREATE TABLE organisation_members (
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    learner_id uuid NOT NULL REFERENCES learners ON DELETE CASCADE,
    PRIMARY KEY (organisation_id, learner_id)
);
CREATE INDEX organisation_members_learner_idx ON organisation_members (learner_id);

-- Keys with which an organisation's backend reads its orders, pays money back and manages its vouchers.
CREATE TABLE organisation_keys (
    -- The middle part of `sk_{id}_{secret}`; logs and the audit log name a key by it.
    id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{12}$'),
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    name text NOT NULL,
    -- SHA-256 of the secret.
    secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
    scopes text[] NOT NULL CHECK (
        cardinality(scopes) > 0 AND scopes <@ ARRAY['orders', 'refunds', 'vouchers', 'seats', 'events', 'reports']),
    created_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX organisation_keys_organisation_idx ON organisation_keys (organisation_id);

-- Mails that wait to be sent. Their messages carry the id alone, so that no queue keeps an address.
CREATE TABLE mails (
    id uuid PRIMARY KEY,
    recipient text NOT NULL,
    mail jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    -- Until when a delivery holds the mail: another delivery of the same message waits, and takes it over after a crash.
    leased_until timestamptz
);
CREATE INDEX mails_recipient_idx ON mails (recipient);
CREATE INDEX mails_created_idx ON mails (created_at);

-- The invitations of the last day, by which the invitations to one address are limited.
CREATE TABLE invitations (
    email text NOT NULL,
    invited_at timestamptz NOT NULL
);
CREATE INDEX invitations_email_idx ON invitations (email, invited_at);
CREATE INDEX invitations_invited_idx ON invitations (invited_at);
