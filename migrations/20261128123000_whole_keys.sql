-- Indexes for shops of a million orders: each is the whole key of a statement, in the order that the statement returns, or holds the few
-- rows of a large table that are in a state which does not last.

-- Deliveries, reports and lists -----------------------------------------------------------------------------------------

-- `courses_own_idx` begins with the organisation, too.
DROP INDEX courses_owner_idx;
DROP INDEX courses_name_idx;
CREATE INDEX courses_name_idx ON courses USING gin (searchable(display_name) gin_trgm_ops, searchable(openedx_course_id) gin_trgm_ops);

DROP INDEX vouchers_created_idx;
CREATE INDEX vouchers_created_idx ON vouchers (organisation_id, created_at DESC, id);

CREATE INDEX withdrawals_organisation_waiting_idx ON withdrawals (organisation_id, declared_at DESC, id DESC) WHERE waits_since IS NOT NULL;

-- No statement looks for an organisation's payments or notifications without another, smaller condition. While statistics are missing, the
-- planner took these for that.
DROP INDEX transactions_organisation_idx;
DROP INDEX inbox_organisation_idx;

-- The report finds the numbers of its movements by `ledger_organisation_idx`.
DROP INDEX ledger_organisation_seq_idx;

-- The orders of an address, newest first.
DROP INDEX carts_email_idx;
CREATE INDEX carts_email_idx ON carts (email, organisation_id, created_at DESC, id DESC);

-- Notifications of a payment that were not matched with it: `inbox_transaction_idx` has the others.
CREATE INDEX inbox_hint_idx ON inbox (transaction_hint)
    WHERE transaction_hint IS NOT NULL AND transaction_id IS DISTINCT FROM transaction_hint;

-- The worker's timers ---------------------------------------------------------------------------------------------------

-- What waits for a registration, by the address and the last change; and the longest wait.
DROP INDEX enrollments_pending_idx;
CREATE INDEX enrollments_pending_idx ON enrollments (email, updated_at) WHERE state = 'pending_registration';
CREATE INDEX enrollments_pending_since_idx ON enrollments (created_at) WHERE state = 'pending_registration';
CREATE INDEX enrollments_unresolved_idx ON enrollments (email) WHERE unresolved AND state = 'pending_registration';
DROP INDEX carts_held_idx;
CREATE INDEX carts_held_idx ON carts (email, created_at) WHERE state = 'held';
CREATE INDEX carts_held_since_idx ON carts (created_at) WHERE state = 'held';
CREATE INDEX carts_pending_idx ON carts (created_at) WHERE state = 'pending_payment';

-- The learner whose account was checked longest ago; never, before all others.
DROP INDEX learners_retirement_idx;
CREATE INDEX learners_retirement_idx ON learners (coalesce(retirement_checked_at, '-infinity'))
    WHERE email IS NOT NULL OR former_email IS NOT NULL;
