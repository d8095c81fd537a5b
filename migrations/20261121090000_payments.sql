-- A cart has one payment: what was asked of the provider, what it answered, and when it is asked next. A basket whose payment
-- has died is bought again with a new cart, so that each charge has its cart.
ALTER TABLE transactions
    -- What a buyer's page needs to pay: a client secret, an address, an order.
    ADD COLUMN provider_answer jsonb,
    -- Held by the one job that may be creating the payment at the provider.
    ADD COLUMN call_lease_until timestamptz,
    -- When the reconciler asks the provider again; null once nothing new can come of it.
    ADD COLUMN next_check_at timestamptz,
    -- The provider says that it can no longer be paid.
    ADD COLUMN dead_at timestamptz,
    -- What an operator has to look at: bought twice, disputed, facts that do not agree.
    ADD COLUMN alarm text;
DROP INDEX transactions_cart_idx;
CREATE UNIQUE INDEX transactions_cart_key ON transactions (cart_id);
CREATE INDEX transactions_due_idx ON transactions (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX transactions_pending_idx ON transactions (created_at)
    WHERE state IN ('created', 'processing') AND dead_at IS NULL;
CREATE INDEX transactions_alarm_idx ON transactions (updated_at) WHERE alarm IS NOT NULL;

-- The api shows how a payment stands, and sees neither the request (with the buyer's address) nor what the buyer pays with.
REVOKE SELECT ON transactions FROM storefront_api;
GRANT SELECT (cart_id, gateway, state, dead_at) ON transactions TO storefront_api;

-- By the buyer: a learner whose address nobody has proved has an account too.
DROP INDEX carts_learner_cart_key;
CREATE UNIQUE INDEX carts_learner_cart_key ON carts (buyer, organisation_id)
    WHERE state IN ('open', 'pending_payment') AND kind = 'learner';
CREATE INDEX carts_buyer_idx ON carts (buyer, organisation_id);
-- When the reconciler last had the cart fulfilled: until that has had its time, it asks for no other.
ALTER TABLE carts ADD COLUMN fulfil_requested_at timestamptz;
CREATE INDEX carts_paid_idx ON carts (paid_at) WHERE state = 'paid';
CREATE INDEX carts_open_idx ON carts (created_at) WHERE state = 'open';

-- Which line of its cart leads to a course: programs change, and what was bought does not.
ALTER TABLE cart_courses ADD COLUMN position integer;
UPDATE cart_courses c SET position = i.position FROM cart_items i
WHERE i.cart_id = c.cart_id AND (i.course_id = c.course_id OR c.course_id IN (
    SELECT p.course_id FROM program_courses p WHERE p.program_id = i.program_id));
UPDATE cart_courses SET position = 0 WHERE position IS NULL;
-- The default is for workers of the release before this one.
ALTER TABLE cart_courses ALTER COLUMN position SET DEFAULT 0, ALTER COLUMN position SET NOT NULL;

-- Checkouts that joined another one's attempt, so that whoever got no answer finds it by the id of its own.
CREATE TABLE joined_checkouts (
    id uuid PRIMARY KEY,
    cart_id uuid NOT NULL REFERENCES carts ON DELETE CASCADE,
    created_at timestamptz NOT NULL
);
CREATE INDEX joined_checkouts_cart_idx ON joined_checkouts (cart_id);
CREATE INDEX joined_checkouts_created_at_idx ON joined_checkouts (created_at);
GRANT SELECT ON joined_checkouts TO storefront_api;

-- Learners as a provider knows them, for what it has stored of their earlier payments.
CREATE TABLE gateway_customers (
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    gateway text NOT NULL CHECK (gateway IN ('stripe', 'mollie', 'razorpay', 'curlec')),
    -- As in carts: the platform user id.
    buyer text NOT NULL,
    reference text NOT NULL,
    PRIMARY KEY (organisation_id, gateway, buyer)
);

-- What an event is about, read when it comes, so that one that came too early is found once its transaction is there.
ALTER TABLE inbox
    ADD COLUMN reference text,
    ADD COLUMN transaction_hint uuid,
    -- When somebody last tried to deal with it, and could not.
    ADD COLUMN tried_at timestamptz,
    -- Why an operator has to look at it: it contradicts the transaction.
    ADD COLUMN parked_reason text;
CREATE INDEX inbox_received_at_idx ON inbox (received_at);
CREATE INDEX inbox_parked_idx ON inbox (received_at) WHERE parked_reason IS NOT NULL AND processed_at IS NULL;
