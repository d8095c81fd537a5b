-- One index for searches with and without tags. Imports wait while it is built (11 s for 100,000 courses), reads do not.
-- It comes after the commit that filled the column, or it would hold the former version of each row as well.
CREATE INDEX courses_listed_by_search ON courses USING gin (search_text gin_trgm_ops, tag_ids)
    WHERE is_published AND NOT hidden;
-- Without figures on the new column, the first searches would be planned badly.
ANALYZE courses (tag_ids);
-- Last, because it locks reads out until the end of the transaction.
DROP INDEX courses_search_idx;
