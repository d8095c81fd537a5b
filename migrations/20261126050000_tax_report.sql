-- The tax report adds up the documents of a time by the day that is printed on them. "C": days are in the order of their bytes.
CREATE INDEX documents_issued_idx ON documents (organisation_id, ((content ->> 'issued_on') COLLATE "C"));
