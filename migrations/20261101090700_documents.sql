-- Documents: invoices and credit notes, frozen when they are issued, under numbers without gaps.

CREATE TABLE document_series (
    organisation_id uuid NOT NULL REFERENCES organisations,
    prefix text NOT NULL,
    year integer NOT NULL,
    next bigint NOT NULL CHECK (next > 0),
    last_issued_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, prefix, year)
);
COMMENT ON TABLE document_series IS
    'The next number of each series. A number is drawn in the transaction that inserts its document, so that none is skipped.';
COMMENT ON COLUMN document_series.year IS 'In which the fiscal year begins, in the seller''s time zone.';
COMMENT ON COLUMN document_series.last_issued_at IS 'So that the dates of a series are in the order of its numbers.';

CREATE TABLE documents (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    kind text NOT NULL CHECK (kind IN ('invoice', 'credit_note')),
    number text NOT NULL CHECK (length(number) <= 16),
    cart_id uuid NOT NULL REFERENCES carts,
    version integer NOT NULL CHECK (version BETWEEN 0 AND 3),
    refund_id uuid REFERENCES refunds,
    refers_to uuid REFERENCES documents,
    issued_at timestamptz NOT NULL,
    total bigint NOT NULL CHECK (total >= 0),
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    content jsonb NOT NULL,
    CONSTRAINT documents_number_key UNIQUE (organisation_id, number),
    CONSTRAINT documents_credit CHECK ((kind = 'credit_note') = (refers_to IS NOT NULL) AND (refund_id IS NULL OR kind = 'credit_note'))
);
COMMENT ON TABLE documents IS 'Invoices and credit notes as they were issued; append-only.';
COMMENT ON COLUMN documents.version IS '0 for the first invoice; each correction of the buyer adds one.';
COMMENT ON COLUMN documents.refund_id IS
    'Of a credit note: the refund, or null if it cancels the whole invoice in favour of a corrected one.';
COMMENT ON COLUMN documents.refers_to IS 'The invoice of a credit note.';
COMMENT ON COLUMN documents.total IS 'In minor units, not negative.';
COMMENT ON COLUMN documents.content IS 'Everything that is printed on it.';
CREATE UNIQUE INDEX documents_invoice_key ON documents (cart_id, version) WHERE kind = 'invoice';
CREATE UNIQUE INDEX documents_refund_key ON documents (refund_id) WHERE refund_id IS NOT NULL;
CREATE UNIQUE INDEX documents_correction_key ON documents (refers_to) WHERE refund_id IS NULL;
CREATE INDEX documents_cart_idx ON documents (cart_id);
-- The tax report adds up the documents of a time by the day that is printed on them. "C": days are in the order of their bytes.
CREATE INDEX documents_issued_idx ON documents (organisation_id, ((content ->> 'issued_on') COLLATE "C"));

CREATE TABLE document_files (
    document_id uuid PRIMARY KEY REFERENCES documents,
    pdf bytea NOT NULL
);
COMMENT ON TABLE document_files IS 'The PDFs of documents, rendered once, since what was issued is what is served; append-only.';

CREATE TABLE documents_due (
    cart_id uuid PRIMARY KEY REFERENCES carts ON DELETE CASCADE,
    since timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0
);
COMMENT ON TABLE documents_due IS
    'The carts whose documents may be missing. The ledger''s trigger adds them, so that nothing that moves money forgets them.';
COMMENT ON COLUMN documents_due.next_attempt_at IS 'When the reconciler issues the documents, unless a mail did so before.';
CREATE INDEX documents_due_idx ON documents_due (next_attempt_at);
