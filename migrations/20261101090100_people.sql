-- People and programs that call the api: learners, the members of closed organisations, staff, the keys of organisations' own
-- systems, the mails to all of them, and the messages that wait for a manager.

CREATE TABLE learners (
    id uuid PRIMARY KEY,
    platform_user_id bigint NOT NULL CONSTRAINT learners_platform_user_id_key UNIQUE,
    username text NOT NULL,
    email text CONSTRAINT learners_email_key UNIQUE CHECK (email = lower(btrim(email))),
    former_email text,
    name text NOT NULL,
    retirement_checked_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    language text
);
COMMENT ON TABLE learners IS 'Accounts of the course platform that the storefront has met.';
COMMENT ON COLUMN learners.email IS 'Trimmed and lower-cased; null once the address has moved to another account.';
COMMENT ON COLUMN learners.former_email IS
    'The last address of a learner whose address the platform no longer knows. A retired account looks the same, and without its address '
    'neither a check for retirement nor an operator would find the learner.';
COMMENT ON COLUMN learners.retirement_checked_at IS 'When the platform was last queried whether the learner''s account is retired.';
COMMENT ON COLUMN learners.language IS 'A tag of BCP 47, as the course platform knows it; null if it does not say.';
CREATE INDEX learners_former_email_idx ON learners (former_email) WHERE former_email IS NOT NULL;
CREATE INDEX learners_retirement_idx ON learners (retirement_checked_at NULLS FIRST)
    WHERE email IS NOT NULL OR former_email IS NOT NULL;

CREATE TABLE organisation_members (
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    learner_id uuid NOT NULL REFERENCES learners ON DELETE CASCADE,
    PRIMARY KEY (organisation_id, learner_id)
);
COMMENT ON TABLE organisation_members IS 'Who may buy at a closed organisation.';
CREATE INDEX organisation_members_learner_idx ON organisation_members (learner_id);

CREATE TABLE staff (
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    learner_id uuid NOT NULL REFERENCES learners ON DELETE CASCADE,
    email text NOT NULL CHECK (email = lower(btrim(email))),
    name text NOT NULL,
    roles text[] NOT NULL CHECK (cardinality(roles) > 0 AND roles <@ ARRAY['support', 'finance', 'manager']),
    added_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, learner_id)
);
COMMENT ON TABLE staff IS
    'The people who work for an organisation with accounts at the course platform, and what each may do at its support desk. The name and '
    'the address are those of the account when the person was added.';
CREATE INDEX staff_learner_idx ON staff (learner_id);

CREATE TABLE organisation_keys (
    id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{12}$'),
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    name text NOT NULL,
    secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
    scopes text[] NOT NULL CHECK (cardinality(scopes) > 0
        AND scopes <@ ARRAY['orders', 'refunds', 'vouchers', 'seats', 'events', 'reports', 'support', 'payments']),
    created_at timestamptz NOT NULL,
    revoked_at timestamptz
);
COMMENT ON TABLE organisation_keys IS
    'The keys of organisations'' own systems, as hashes, with their scopes: a backend reads its orders, pays money back and manages its '
    'vouchers with one.';
COMMENT ON COLUMN organisation_keys.id IS 'The middle part of `sk_{id}_{secret}`; logs and the audit log name a key by it.';
COMMENT ON COLUMN organisation_keys.secret_hash IS 'SHA-256 of the secret.';
CREATE INDEX organisation_keys_organisation_idx ON organisation_keys (organisation_id);

CREATE TABLE mails (
    id uuid PRIMARY KEY,
    recipient text NOT NULL,
    mail jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    leased_until timestamptz,
    failed_at timestamptz,
    failed_reason text,
    template text GENERATED ALWAYS AS (mail ->> 'template') STORED,
    organisation_id uuid GENERATED ALWAYS AS ((mail ->> 'organisation_id')::uuid) STORED,
    cart_id uuid GENERATED ALWAYS AS ((mail ->> 'cart_id')::uuid) STORED,
    language text NOT NULL DEFAULT 'en',
    CONSTRAINT mails_failed_with_reason CHECK ((failed_at IS NULL) = (failed_reason IS NULL))
);
COMMENT ON TABLE mails IS
    'Mails that wait to be sent, and those that the mail server has refused. Their messages carry the id alone, so that no queue keeps an '
    'address. The columns beside the mail say what it is about without its content, which can hold codes.';
COMMENT ON COLUMN mails.leased_until IS
    'Until when a delivery holds the mail: another delivery of the same message waits, and takes it over after a crash.';
COMMENT ON COLUMN mails.failed_at IS 'When the mail server refused the mail. It stays until it is sent again or forgotten.';
COMMENT ON COLUMN mails.failed_reason IS 'Why the mail server refused the mail.';
COMMENT ON COLUMN mails.language IS 'A tag of BCP 47.';
CREATE INDEX mails_recipient_idx ON mails (recipient);
CREATE INDEX mails_created_idx ON mails (created_at);
CREATE INDEX mails_cart_idx ON mails (cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX mails_failed_idx ON mails (organisation_id, failed_at) WHERE failed_at IS NOT NULL;

CREATE TABLE dead_letters (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    cart_id uuid,
    kind text NOT NULL,
    reason text NOT NULL,
    died_at timestamptz NOT NULL
);
COMMENT ON TABLE dead_letters IS
    'Messages that could not be processed and concern an organisation, so that its managers see them and decide about them. The messages '
    'themselves stay at the broker, with all others.';
COMMENT ON COLUMN dead_letters.id IS 'The id of the message.';
COMMENT ON COLUMN dead_letters.cart_id IS 'The order that it concerns, if it concerns one.';
COMMENT ON COLUMN dead_letters.reason IS 'Without addresses.';
CREATE INDEX dead_letters_organisation_idx ON dead_letters (organisation_id, died_at);
CREATE INDEX dead_letters_cart_idx ON dead_letters (cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX dead_letters_died_idx ON dead_letters (died_at);

CREATE TABLE invitations (
    email text NOT NULL,
    invited_at timestamptz NOT NULL
);
COMMENT ON TABLE invitations IS 'The invitations of the last day, which are limited for each address.';
CREATE INDEX invitations_email_idx ON invitations (email, invited_at);
CREATE INDEX invitations_invited_idx ON invitations (invited_at);
