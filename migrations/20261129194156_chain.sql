-- The chain of a seller's documents: each carries the digest of the one before it.

ALTER TABLE documents
    ADD COLUMN chain_position bigint,
    ADD COLUMN previous_digest bytea,
    ADD COLUMN digest bytea,
    ADD CONSTRAINT documents_chain_digests CHECK (
        (chain_position IS NULL) = (digest IS NULL) AND (coalesce(chain_position, 1) = 1) = (previous_digest IS NULL)
        AND chain_position >= 1 AND octet_length(digest) = 32 AND octet_length(previous_digest) = 32),
    -- Documents of before know no chain, so that none is read now.
    ADD CONSTRAINT documents_chained CHECK ((chain_position IS NOT NULL) = (content #>> '{seller,chained}' IS NOT DISTINCT FROM 'true')) NOT VALID;
COMMENT ON COLUMN documents.chain_position IS
    'Place in the seller''s chain, from 1 without gaps, of invoices and credit notes together. Null: issued while the seller was not chained.';
COMMENT ON COLUMN documents.digest IS
    'SHA-256 of the document''s canonical form, which `model::chain` of the worker''s store defines: with its place, the digest of the one before it and its content.';
COMMENT ON COLUMN documents.previous_digest IS 'The digest of the one before it; null for the first of the chain.';
CREATE UNIQUE INDEX documents_chain_key ON documents (organisation_id, chain_position) WHERE chain_position IS NOT NULL;
COMMENT ON TABLE document_series IS
    'The next number of each series. A number is drawn in the transaction that inserts its document, so that none is skipped. '
    'The places in a seller''s chain are a series without a prefix, of the year 0.';
