-- The ids of a course's tags beside its searched text, so that one index can find what matches both (the next migration).
-- Imports write the column together with the course. The triggers keep it right whatever else writes course_tags, such as a
-- worker of before this change; they find nothing to do after an import that wrote the column itself.

ALTER TABLE courses ADD COLUMN tag_ids integer[] NOT NULL DEFAULT '{}';

-- `changed` holds the rows that the statement inserted or deleted.
CREATE FUNCTION keep_course_tag_ids() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER course_tags_inserted AFTER INSERT ON course_tags
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_course_tag_ids();
CREATE TRIGGER course_tags_deleted AFTER DELETE ON course_tags
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_course_tag_ids();
-- There is nothing to update in a row that is all key, and no trigger for it.
REVOKE UPDATE ON course_tags FROM storefront_worker;
