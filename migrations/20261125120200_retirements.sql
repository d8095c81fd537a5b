-- When the platform was last asked whether the learner's account is retired.
ALTER TABLE learners ADD COLUMN retirement_checked_at timestamptz;
CREATE INDEX learners_retirement_idx ON learners (retirement_checked_at NULLS FIRST) WHERE email IS NOT NULL;
