-- Search without regard to case, accents and the way in which a text is encoded (NFC, NFD, full-width letters).
-- No program writes the new columns: PostgreSQL computes them, for the rows that are there as for those that come. The
-- catalog is locked while this runs: about ten seconds for 20,000 courses on two cores.

-- Decomposed, without the combining marks of Latin, Greek and Cyrillic letters, and composed again: the marks of other
-- scripts (a Devanagari vowel, the voicing of a kana) tell words apart and stay.
CREATE FUNCTION searchable(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    -- In plain ASCII only case matters, and the rest costs 0.2 ms for each 1,000 characters.
    SELECT lower(CASE WHEN octet_length($1) = length($1) THEN $1
                 ELSE normalize(regexp_replace(normalize($1, NFKD), '[\u0300-\u036f]', '', 'g'), NFKC) END)
$$;

-- A pattern of LIKE that finds a text anywhere: %, _ and the escape itself are literal. Escaped last, since
-- normalizing turns a full-width % into the plain one.
CREATE FUNCTION containing(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT '%' || regexp_replace(searchable($1), '([\\%_])', '\\\1', 'g') || '%'
$$;

-- One column for all searched texts, with a control character between them, so that a search does not match across two.
ALTER TABLE courses ADD COLUMN search_text text NOT NULL GENERATED ALWAYS AS (
    searchable(display_name || E'\x1f' || short_description || E'\x1f' || overview)) STORED;
ALTER TABLE programs ADD COLUMN search_text text NOT NULL GENERATED ALWAYS AS (
    searchable(name || E'\x1f' || description || E'\x1f' || about)) STORED;

-- The old ones served the columns as they are. Replicas of before this change find the same without them, more slowly.
DROP INDEX courses_search_idx;
DROP INDEX programs_search_idx;
CREATE INDEX courses_search_idx ON courses USING gin (search_text gin_trgm_ops);
CREATE INDEX programs_search_idx ON programs USING gin (search_text gin_trgm_ops);
