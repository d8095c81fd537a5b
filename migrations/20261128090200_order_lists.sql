-- Lists of an organisation's orders by status and by the time of payment: measured with 200,000 carts, PostgreSQL read all of
-- them for a page of twenty. Each index is built from one scan of the table, during which writes to it wait.
CREATE INDEX carts_organisation_state_idx ON carts (organisation_id, state, created_at DESC, id DESC);
CREATE INDEX carts_organisation_paid_idx ON carts (organisation_id, paid_at) WHERE paid_at IS NOT NULL;
