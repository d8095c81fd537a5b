-- Functions and triggers of the catalog. `searchable` is in catalog.sql of the numbered migrations, since columns and indexes need it.

CREATE OR REPLACE FUNCTION containing(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT '%' || regexp_replace(searchable($1), '([\\%_])', '\\\1', 'g') || '%'
$$;
COMMENT ON FUNCTION containing(text) IS
    'Makes the pattern with which LIKE finds a folded text anywhere: %, _ and the escape itself are literal. Escaped last, since '
    'normalizing turns a full-width % into the plain one.';

CREATE OR REPLACE FUNCTION keep_course_tag_ids() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- As text, so that it is planned each time: the first plan of an import, for an empty table, would be kept to its end.
    EXECUTE $update$
        UPDATE courses c SET tag_ids = now.tag_ids
        FROM (SELECT course_id, array(SELECT tag_id FROM course_tags t WHERE t.course_id = x.course_id ORDER BY tag_id) AS tag_ids
              FROM (SELECT DISTINCT course_id FROM changed) x) now
        WHERE c.id = now.course_id AND c.tag_ids <> now.tag_ids
    $update$;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION keep_course_tag_ids() IS
    'Trigger of course_tags: `courses.tag_ids` follows, whatever writes the tags. It finds nothing to do after an import, which writes the '
    'column together with the course. `changed` holds the rows that the statement inserted or deleted.';

-- A row that is all key is never updated, so there is no trigger for it.
CREATE OR REPLACE TRIGGER course_tags_inserted AFTER INSERT ON course_tags
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_course_tag_ids();
CREATE OR REPLACE TRIGGER course_tags_deleted AFTER DELETE ON course_tags
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_course_tag_ids();
