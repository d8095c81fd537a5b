-- The list of courses can be filtered by language. The index holds every column that the filtered total needs, so that a
-- language of most courses is counted from the index alone. Imports wait while it is built, reads do not: about a tenth of a
-- second for 20,000 courses.
CREATE INDEX courses_listed_by_language ON courses (lower(language)) INCLUDE (language, organisation_id, id)
    WHERE is_published AND NOT hidden;
