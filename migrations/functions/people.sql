-- Learners.

CREATE OR REPLACE FUNCTION remember_learner(
    new_id uuid, of_account bigint, of_username text, of_email text, of_name text, moment timestamptz, of_language text)
    RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
    learner uuid;
BEGIN
    -- Another account may have had the address; the platform's answer is newer.
    UPDATE learners SET email = NULL, former_email = NULL, updated_at = moment
    WHERE (email = of_email OR former_email = of_email) AND platform_user_id <> of_account;
    INSERT INTO learners AS l (id, platform_user_id, username, email, name, created_at, updated_at, language)
    VALUES (new_id, of_account, of_username, of_email, of_name, moment, moment, of_language)
    ON CONFLICT ON CONSTRAINT learners_platform_user_id_key DO UPDATE
    SET username = excluded.username, email = excluded.email, former_email = NULL, name = excluded.name,
        updated_at = excluded.updated_at, language = coalesce(excluded.language, l.language)
    RETURNING id INTO learner;
    -- The enrollments of learners who no longer have the address stay with them; the account that has it now can use it.
    UPDATE enrollments e SET email = 'learner-' || e.learner_id || '@moved.invalid'
    WHERE e.email = of_email AND e.learner_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM learners l WHERE l.id = e.learner_id AND l.email = of_email);
    RETURN learner;
END $$;
COMMENT ON FUNCTION remember_learner(uuid, bigint, text, text, text, timestamptz, text) IS
    'Stores an account of the platform under the address that it was found by, and returns its learner. The caller has locked the address.';
