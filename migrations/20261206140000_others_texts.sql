-- Texts of other servers that can name a person, where nothing needs them.

-- The course platform's reasons stay with their enrollments, where an erasure finds them. Alerts lose them, up to the next alert
-- of the same payment.
CREATE FUNCTION pg_temp.without_reason(alarm text) RETURNS text LANGUAGE sql AS $$
SELECT regexp_replace(alarm,
    '(paid, and the platform refuses [^ ]+?): .*?(?=; (?:paid, and|access ended:|cart |bought twice:|the provider |refund [0-9a-f]{8}-|the buyer |the order )|$)',
    '\1', 'g')
$$;
UPDATE transactions SET alarm = pg_temp.without_reason(alarm) WHERE alarm LIKE '%paid, and the platform refuses%';

-- So does the audit log, where closed alerts end. Its rows change this once; the lock is short, and taken only if it must be.
DO $$
DECLARE
    closed bigint[] := ARRAY(SELECT id FROM audit_log
        WHERE entity = 'transaction' AND detail ->> 'closed' LIKE '%paid, and the platform refuses%');
BEGIN
    IF cardinality(closed) > 0 THEN
        ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only;
        UPDATE audit_log SET detail = jsonb_set(detail, '{closed}', to_jsonb(pg_temp.without_reason(detail ->> 'closed')))
            WHERE id = ANY (closed);
        ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only;
    END IF;
END $$;

-- Events that mean nothing here, of customers or of other shops of the account.
UPDATE inbox SET body = '{}' WHERE processed_at IS NOT NULL AND transaction_id IS NULL AND body <> '{}';
