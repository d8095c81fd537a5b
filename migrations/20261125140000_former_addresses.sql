-- The last address of a learner whose address the platform no longer knows: that is also how a retired account looks, and without
-- its address neither a check for retirement nor an operator would find the learner.
ALTER TABLE learners ADD COLUMN former_email text;
UPDATE learners l SET former_email = (
        SELECT seen.email FROM (
            SELECT email, updated_at AS at FROM enrollments WHERE learner_id = l.id
            UNION ALL SELECT email, created_at FROM carts WHERE learner_id = l.id
        ) seen
        WHERE seen.email NOT LIKE '%@moved.invalid' AND seen.email NOT LIKE '%@erased.invalid'
          AND NOT EXISTS (SELECT FROM learners other WHERE other.email = seen.email)
        ORDER BY seen.at DESC LIMIT 1)
    WHERE email IS NULL AND platform_user_id > 0;
CREATE INDEX learners_former_email_idx ON learners (former_email) WHERE former_email IS NOT NULL;
DROP INDEX learners_retirement_idx;
CREATE INDEX learners_retirement_idx ON learners (retirement_checked_at NULLS FIRST)
    WHERE email IS NOT NULL OR former_email IS NOT NULL;
