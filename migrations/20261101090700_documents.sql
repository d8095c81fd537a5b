-- Documents: invoices and credit notes, frozen when they are issued, under numbers without gaps.

-- The next number of each series. A number is drawn in the transaction that inserts its document, so that none is skipped.
CREATE TABLE document_series (
    organisation_id uuid NOT NULL REFERENCES organisations,
    prefix text NOT NULL,
    -- In which the fiscal year begins, in the seller's time zone.
    year integer NOT NULL,
    next bigint NOT NULL CHECK (next > 0),
    -- So that the dates of a series are in the order of its numbers.
    last_issued_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, prefix, year)
);

CREATE TABLE documents (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    kind text NOT NULL CHECK (kind IN ('invoice', 'credit_note')),
    number text NOT NULL CHECK (length(number) <= 16),
    cart_id uuid NOT NULL REFERENCES carts,
    -- 0 for the first invoice; each correction of the buyer adds one.
    version integer NOT NULL CHECK (version BETWEEN 0 AND 3),
    -- Of a credit note: the refund, or null if it cancels the whole invoice in favour of a corrected one.
    refund_id uuid REFERENCES refunds,
    -- The invoice of a credit note.
    refers_to uuid REFERENCES documents,
    issued_at timestamptz NOT NULL,
    -- In minor units, not negative.
    total bigint NOT NULL CHECK (total >= 0),
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    -- Everything that is printed on it.
    content jsonb NOT NULL,
    CONSTRAINT documents_number_key UNIQUE (organisation_id, number),
    CONSTRAINT documents_credit CHECK ((kind = 'credit_note') = (refers_to IS NOT NULL) AND (refund_id IS NULL OR kind = 'credit_note'))
);
CREATE UNIQUE INDEX documents_invoice_key ON documents (cart_id, version) WHERE kind = 'invoice';
CREATE UNIQUE INDEX documents_refund_key ON documents (refund_id) WHERE refund_id IS NOT NULL;
CREATE UNIQUE INDEX documents_correction_key ON documents (refers_to) WHERE refund_id IS NULL;
CREATE INDEX documents_cart_idx ON documents (cart_id);
CREATE TRIGGER documents_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON documents
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

-- The files, rendered once: what was issued is what is served.
CREATE TABLE document_files (
    document_id uuid PRIMARY KEY REFERENCES documents,
    pdf bytea NOT NULL
);
CREATE TRIGGER document_files_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON document_files
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

-- The carts whose documents may be missing. The ledger's trigger adds them, so that nothing that moves money forgets them.
CREATE TABLE documents_due (
    cart_id uuid PRIMARY KEY REFERENCES carts ON DELETE CASCADE,
    since timestamptz NOT NULL,
    -- When the reconciler issues them, unless a mail did so before.
    next_attempt_at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0
);
CREATE INDEX documents_due_idx ON documents_due (next_attempt_at);

CREATE FUNCTION documents_follow_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO documents_due (cart_id, since, next_attempt_at)
    SELECT NEW.cart_id, NEW.at, NEW.at + interval '1 minute'
    FROM organisations o JOIN carts c ON c.id = NEW.cart_id
    -- Of carts that were paid before there was a seller, nothing is documented.
    WHERE o.id = NEW.organisation_id AND o.seller_since IS NOT NULL AND (NEW.kind = 'captured' OR c.paid_at >= o.seller_since)
    ON CONFLICT (cart_id) DO UPDATE SET next_attempt_at = excluded.next_attempt_at, attempts = 0;
    RETURN NULL;
END $$;
CREATE TRIGGER ledger_documents AFTER INSERT ON ledger FOR EACH ROW
    WHEN (NEW.kind IN ('captured', 'refunded')) EXECUTE FUNCTION documents_follow_ledger();
