-- What becomes of mails after the mail server has taken them, and the addresses to which none is sent any more.

ALTER TABLE mails
    ADD COLUMN sent_at timestamptz,
    ADD COLUMN fate text CHECK (fate IN ('deferred', 'delivered', 'bounced', 'complained')),
    ADD COLUMN voucher_id uuid GENERATED ALWAYS AS ((mail ->> 'voucher_id')::uuid) STORED,
    ADD CONSTRAINT mails_fate_of_sent CHECK (fate IS NULL OR sent_at IS NOT NULL);
COMMENT ON TABLE mails IS
    'Mails that wait to be sent, those that were refused or came back, and, where reports of them are taken, those that were sent. Their '
    'messages carry the id alone, so that no queue keeps an address. The columns beside the mail say what it is about without its '
    'content, which can hold codes.';
COMMENT ON COLUMN mails.sent_at IS 'When the mail server has taken the mail. One of which no report can come is deleted then.';
COMMENT ON COLUMN mails.fate IS
    'What was reported of it since, the word of the list that comes last: a mail that came back is not delivered by a late report.';
COMMENT ON COLUMN mails.failed_at IS
    'When the mail server refused the mail, or it came back or was marked as spam. It stays until it is sent again or forgotten.';
COMMENT ON COLUMN mails.failed_reason IS 'Why it has failed, without an address.';
GRANT SELECT (sent_at, fate, voucher_id) ON mails TO storefront_api;

CREATE TABLE suppressed_addresses (
    address text PRIMARY KEY,
    reason text NOT NULL,
    suppressed_at timestamptz NOT NULL
);
COMMENT ON TABLE suppressed_addresses IS
    'Addresses that do not exist, or whose reader has marked a mail as spam: they get only what the law demands.';
COMMENT ON COLUMN suppressed_addresses.reason IS 'What was reported, without an address.';

CREATE OR REPLACE FUNCTION event_types() RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN ARRAY['order.pending', 'order.closed', 'order.paid', 'order.fulfilled', 'order.overdue', 'order.refunded',
                 'order.refund_failed', 'order.disputed', 'order.withdrawn', 'document.requested', 'document.issued',
                 'document.cancelled', 'enrollment.changed', 'enrollment.moved', 'enrollment.ended', 'mail.bounced'];
END $$;
