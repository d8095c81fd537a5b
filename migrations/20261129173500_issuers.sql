-- Documents that another system clears or issues: requested from it first, and the buyer's once it has reported them issued.

ALTER TABLE documents
    ALTER COLUMN number DROP NOT NULL,
    DROP CONSTRAINT documents_number_check,
    ADD CONSTRAINT documents_number_check CHECK (length(number) BETWEEN 1 AND 64),
    -- The words of `shared::words::DocumentStatus`. Workers of before write issued ones alone.
    ADD COLUMN state text NOT NULL DEFAULT 'issued'
        CONSTRAINT documents_state_check CHECK (state IN ('requested', 'issued', 'refused', 'cancelled', 'replaced')),
    ADD COLUMN state_at timestamptz,
    ADD COLUMN state_reason text CONSTRAINT documents_reason CHECK (length(state_reason) <= 1000),
    ADD CONSTRAINT documents_numbered CHECK (number IS NOT NULL OR state NOT IN ('issued', 'cancelled'));
COMMENT ON TABLE documents IS
    'Invoices and credit notes. What was issued is never rewritten; until then, what another system reports is added once.';
COMMENT ON COLUMN documents.number IS 'Null until another program, which issues under its own numbers, has reported it.';
COMMENT ON COLUMN documents.issued_at IS 'When its number was drawn, or when it was requested from another program.';
COMMENT ON COLUMN documents.state IS
    'requested, refused: another system has it, or has refused it. cancelled: it was taken back there. replaced: another one was '
    'requested in the place of one that was refused or cancelled.';
COMMENT ON COLUMN documents.state_at IS 'Since when; null: since it was issued or requested.';
COMMENT ON COLUMN documents.state_reason IS 'Why it was refused or cancelled.';
COMMENT ON COLUMN documents.content IS 'Everything that is printed on it, with what an authority has added.';

-- What was replaced leaves its place to another one.
DROP INDEX documents_invoice_key, documents_refund_key, documents_correction_key;
CREATE UNIQUE INDEX documents_invoice_key ON documents (cart_id, version) WHERE kind = 'invoice' AND state <> 'replaced';
CREATE UNIQUE INDEX documents_refund_key ON documents (refund_id) WHERE refund_id IS NOT NULL AND state <> 'replaced';
CREATE UNIQUE INDEX documents_correction_key ON documents (refers_to) WHERE refund_id IS NULL AND state <> 'replaced';
-- What waits for another system.
CREATE INDEX documents_waiting_idx ON documents (issued_at) WHERE state IN ('requested', 'refused');

INSERT INTO allowed_moves (entity, from_state, to_state) VALUES
    ('documents', 'requested', 'issued'), ('documents', 'requested', 'refused'), ('documents', 'refused', 'issued'),
    ('documents', 'refused', 'replaced'), ('documents', 'issued', 'cancelled'), ('documents', 'cancelled', 'replaced');
GRANT UPDATE (number, content, state, state_at, state_reason) ON documents TO storefront_worker;

CREATE TABLE document_originals (
    document_id uuid PRIMARY KEY REFERENCES documents,
    media_type text NOT NULL,
    file bytea NOT NULL
);
COMMENT ON TABLE document_originals IS
    'The files that other systems have reported of documents, such as one that an authority has signed; append-only.';
REVOKE UPDATE, DELETE ON document_originals FROM storefront_worker;
GRANT SELECT ON document_originals TO storefront_api;

-- Mails ---------------------------------------------------------------------------------------------------------------

ALTER TABLE mails
    ADD COLUMN held_until timestamptz,
    ADD COLUMN goes_without boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN mails.held_until IS
    'When it is looked at again, if it has to wait for its document; set until it is sent or refused, so that it is kept.';
COMMENT ON COLUMN mails.goes_without IS 'True once it goes without its document, which follows in a mail of its own.';
CREATE INDEX mails_held_idx ON mails (held_until) WHERE held_until IS NOT NULL;

-- Events and keys -----------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION event_types() RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN ARRAY['order.pending', 'order.closed', 'order.paid', 'order.fulfilled', 'order.overdue', 'order.refunded',
                 'order.refund_failed', 'order.disputed', 'order.withdrawn', 'document.requested', 'document.issued',
                 'document.cancelled', 'enrollment.changed', 'enrollment.moved'];
END $$;
-- For erasure, which takes the content off: it names the buyer.
CREATE INDEX events_requested_idx ON events ((data ->> 'cart_id')) WHERE type = 'document.requested';

ALTER TABLE organisation_keys
    DROP CONSTRAINT organisation_keys_scopes_check,
    ADD CONSTRAINT organisation_keys_scopes_check CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['orders', 'refunds',
        'vouchers', 'seats', 'events', 'reports', 'support', 'payments', 'documents']);
