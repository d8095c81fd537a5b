-- Dead letters that concern an organisation, so that its managers see them and decide about them. The messages themselves stay at
-- the broker, with all others.
CREATE TABLE dead_letters (
    -- The id of the message.
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    -- The order that it concerns, if it concerns one.
    cart_id uuid REFERENCES carts ON DELETE SET NULL,
    kind text NOT NULL,
    -- Without addresses.
    reason text NOT NULL,
    died_at timestamptz NOT NULL
);
CREATE INDEX dead_letters_organisation_idx ON dead_letters (organisation_id, died_at);
CREATE INDEX dead_letters_cart_idx ON dead_letters (cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX dead_letters_died_idx ON dead_letters (died_at);
GRANT SELECT ON dead_letters TO storefront_api;
