-- Mails that wait to be sent. Their messages carry the id alone, so that no queue keeps an address.
CREATE TABLE mails (
    id uuid PRIMARY KEY,
    recipient text NOT NULL,
    mail jsonb NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX mails_recipient_idx ON mails (recipient);
CREATE INDEX mails_created_idx ON mails (created_at);

-- The invitations of the last day, which limit those of one address.
CREATE TABLE invitations (
    email text NOT NULL,
    invited_at timestamptz NOT NULL
);
CREATE INDEX invitations_email_idx ON invitations (email, invited_at);
CREATE INDEX invitations_invited_idx ON invitations (invited_at);

-- The address is to be invited to this course, by its next mail.
ALTER TABLE enrollments ADD COLUMN invitation_waits boolean NOT NULL DEFAULT false;
CREATE INDEX enrollments_invitation_waits_idx ON enrollments (email)
    WHERE invitation_waits AND state = 'pending_registration';
