-- Statistics for the planner: a table that has grown since they were collected is planned as if it were still small.

CREATE OR REPLACE FUNCTION grown_tables() RETURNS SETOF name LANGUAGE sql STABLE AS $$
    SELECT c.relname FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> '_sqlx_migrations'
      AND pg_relation_size(c.oid) >= 10 * current_setting('block_size')::bigint
      AND (pg_relation_size(c.oid) >= 10 * current_setting('block_size')::bigint * c.relpages
           -- An index that was made since counts as a look at the size, and a table whose rows are all gone gets no statistics.
           OR c.reltuples > 0 AND NOT EXISTS (
               SELECT FROM pg_stats s WHERE s.schemaname = 'public' AND s.tablename = c.relname))
    ORDER BY 1
$$;
COMMENT ON FUNCTION grown_tables() IS
    'Lists the tables of ten pages or more that have no statistics, or have grown tenfold since theirs were collected.';

-- With the rights of the owner, who alone may collect statistics. ANALYZE commits nothing: other tables wait for no lock meanwhile.
CREATE OR REPLACE FUNCTION analyze_grown_tables() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    grown name;
    analyzed bigint := 0;
BEGIN
    FOR grown IN SELECT * FROM public.grown_tables() LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) public.%I', grown);
        analyzed := analyzed + 1;
    END LOOP;
    RETURN analyzed;
END $$;
COMMENT ON FUNCTION analyze_grown_tables() IS
    'Collects the statistics of `grown_tables`, which the worker calls in each round of the reconciler: autovacuum comes a minute later, and '
    'not at all where it is off. Returns how many there were.';
REVOKE ALL ON FUNCTION analyze_grown_tables() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_grown_tables() TO storefront_worker;
