-- What a payment is waiting for, and what bought access rests on.

ALTER TABLE transactions
    -- Since when the provider works on the payment (a bank transfer, a voucher, an authorisation): it must not be cancelled.
    ADD COLUMN provider_pending_since timestamptz;
GRANT SELECT (provider_pending_since) ON transactions TO storefront_api;

ALTER TABLE carts
    -- Since when a paid cart's access waits for an operator, because what it was an upgrade of has ended.
    ADD COLUMN grant_blocked_at timestamptz;

-- The grant whose price an upgrade's price was reduced by. The upgrade ends when that grant is refunded.
ALTER TABLE cart_items ADD COLUMN rests_on uuid REFERENCES enrollment_grants;
ALTER TABLE enrollment_grants ADD COLUMN rests_on uuid REFERENCES enrollment_grants;
CREATE INDEX enrollment_grants_rests_on_idx ON enrollment_grants (rests_on) WHERE rests_on IS NOT NULL;
CREATE INDEX cart_items_rests_on_idx ON cart_items (rests_on) WHERE rests_on IS NOT NULL;

-- When the provider refused the account's key (401, 403): the reconciler asks nothing more with it until an operator sets
-- other credentials.
ALTER TABLE gateway_credentials ADD COLUMN refused_at timestamptz;
