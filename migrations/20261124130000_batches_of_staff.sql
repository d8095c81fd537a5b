-- Batches that a manager submits: in the courses of one organisation, and done under the person. Both columns are null for those of a
-- trusted partner, and of seats.
ALTER TABLE batches
    ADD COLUMN organisation_id uuid REFERENCES organisations,
    ADD COLUMN staff_user_id bigint,
    ADD CONSTRAINT batches_staff_of_one_organisation CHECK ((organisation_id IS NULL) = (staff_user_id IS NULL));
CREATE INDEX batches_organisation_idx ON batches (organisation_id) WHERE organisation_id IS NOT NULL;
GRANT SELECT (organisation_id) ON batches TO storefront_api;
