-- Gifts: an order of one seat for somebody else, who gets it on a day.
CREATE TABLE gifts (
    cart_id uuid PRIMARY KEY REFERENCES carts ON DELETE CASCADE,
    recipient text NOT NULL,
    giver text,
    message text,
    language text CHECK (length(language) BETWEEN 2 AND 35),
    gives_at timestamptz NOT NULL,
    due_at timestamptz,
    given_at timestamptz,
    CONSTRAINT gifts_given CHECK (given_at IS NULL OR due_at IS NULL)
);
COMMENT ON TABLE gifts IS 'To whom an order of one seat gives it, and when.';
COMMENT ON COLUMN gifts.recipient IS 'Address of the person who gets the seat.';
COMMENT ON COLUMN gifts.giver IS 'Name of the buyer as the recipient reads it; null: the address.';
COMMENT ON COLUMN gifts.language IS 'Of the mail to the recipient, as the buyer has chosen it; null: as `buyer_language` says.';
COMMENT ON COLUMN gifts.gives_at IS 'When the buyer wants it to be given.';
COMMENT ON COLUMN gifts.due_at IS 'When a worker is next to give it. Null: the order has no seat yet, the seat was given, or the gift is over.';
COMMENT ON COLUMN gifts.given_at IS 'When the seat was assigned to the recipient.';
CREATE INDEX gifts_due_idx ON gifts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX gifts_recipient_idx ON gifts (recipient);

GRANT SELECT ON gifts TO storefront_api;
