-- Places in the feed of events stay what they are only while the database does. One that was restored, or a standby that lacks the
-- last commits of the primary which it replaces, gives the same positions again, to other events. A cursor of before that must not
-- pass for one of the present: each names the epoch of its position.

-- Where the feed is: the server's data, its history (each promotion begins a timeline), the database and the table.
CREATE FUNCTION feed_place() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    place text := 'event_positions'::regclass::oid || '.' || (SELECT oid FROM pg_database WHERE datname = current_database());
BEGIN
    -- Some managed servers refuse one or the other.
    BEGIN
        place := place || '.' || (SELECT system_identifier FROM pg_control_system());
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    BEGIN
        place := place || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    RETURN place;
END $$;

CREATE TABLE feed_epochs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Random: two restores of one dump begin different epochs with the same number.
    id text NOT NULL UNIQUE DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12),
    place text NOT NULL,
    -- The last position of the epoch before. The events up to it are those that its readers have seen.
    began_after bigint NOT NULL,
    began_at timestamptz NOT NULL
);
REVOKE UPDATE, DELETE ON feed_epochs FROM storefront_worker;
GRANT SELECT ON feed_epochs TO storefront_api;
