-- What the schema refuses, whatever writes the row: transitions that are not allowed, and changes of what is append-only.

CREATE OR REPLACE FUNCTION refuse_other_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> OLD.state AND NOT EXISTS (
        SELECT FROM allowed_moves WHERE entity = TG_TABLE_NAME AND from_state = OLD.state AND to_state = NEW.state
    ) THEN
        RAISE EXCEPTION '% cannot move from % to %', TG_TABLE_NAME, OLD.state, NEW.state
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_moves';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION refuse_other_moves() IS 'Trigger of states: refuses a transition that is not in allowed_moves.';

CREATE OR REPLACE TRIGGER carts_moves BEFORE UPDATE OF state ON carts FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();
CREATE OR REPLACE TRIGGER transactions_moves BEFORE UPDATE OF state ON transactions
    FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();
CREATE OR REPLACE TRIGGER refunds_moves BEFORE UPDATE OF state ON refunds FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();
CREATE OR REPLACE TRIGGER withdrawals_moves BEFORE UPDATE OF state ON withdrawals FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();
CREATE OR REPLACE TRIGGER documents_moves BEFORE UPDATE OF state ON documents FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();

CREATE OR REPLACE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
COMMENT ON FUNCTION refuse_rewriting() IS 'Trigger of append-only tables: refuses an update, a deletion and TRUNCATE, for the owner too.';

CREATE OR REPLACE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
CREATE OR REPLACE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
CREATE OR REPLACE TRIGGER documents_append_only BEFORE DELETE OR TRUNCATE ON documents
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
CREATE OR REPLACE TRIGGER document_files_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON document_files
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
CREATE OR REPLACE TRIGGER document_originals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON document_originals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

CREATE OR REPLACE FUNCTION refuse_rewritten_document() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    moved text[] := ARRAY['state', 'state_at', 'state_reason'];
    reported text[] := ARRAY['clearance', 'reported_total'];
BEGIN
    -- A report completes it once: with its number if it has none, and with what an authority has added.
    IF NEW.state = 'issued' AND OLD.state <> 'issued' THEN
        IF OLD.number IS NULL THEN
            moved := moved || ARRAY['number'];
            reported := reported || ARRAY['number', 'issued_on'];
        END IF;
        IF NEW.content - reported = OLD.content - reported THEN moved := moved || ARRAY['content']; END IF;
    END IF;
    IF to_jsonb(NEW) - moved <> to_jsonb(OLD) - moved THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION refuse_rewritten_document() IS
    'Trigger of documents: a document keeps what it says. A report adds what another system knows, once.';

CREATE OR REPLACE TRIGGER documents_frozen BEFORE UPDATE ON documents FOR EACH ROW EXECUTE FUNCTION refuse_rewritten_document();

CREATE OR REPLACE FUNCTION refuse_broken_chain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.chain_position > 1 AND NOT EXISTS (
        SELECT FROM documents
        WHERE organisation_id = NEW.organisation_id AND chain_position = NEW.chain_position - 1 AND digest = NEW.previous_digest
    ) THEN
        RAISE EXCEPTION 'document % of the chain does not follow the one before it', NEW.chain_position
            USING ERRCODE = 'check_violation', CONSTRAINT = 'documents_chain';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION refuse_broken_chain() IS
    'Trigger of documents: one of a chain carries the digest of the one before it, which is on record.';

CREATE OR REPLACE TRIGGER documents_chain BEFORE INSERT ON documents FOR EACH ROW WHEN (NEW.chain_position IS NOT NULL)
    EXECUTE FUNCTION refuse_broken_chain();
