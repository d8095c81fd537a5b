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
    ended_at timestamptz,
    CONSTRAINT gifts_done CHECK (num_nonnulls(due_at, given_at, ended_at) <= 1)
);
COMMENT ON TABLE gifts IS 'To whom an order of one seat gives it, and when.';
COMMENT ON COLUMN gifts.recipient IS 'Address of the person who gets the seat.';
COMMENT ON COLUMN gifts.giver IS 'Name of the buyer as the recipient reads it; null: the address.';
COMMENT ON COLUMN gifts.language IS 'Of the mail to the recipient, as the buyer has chosen it; null: the recipient''s own, else that of the order.';
COMMENT ON COLUMN gifts.gives_at IS 'When the buyer wants it to be given.';
COMMENT ON COLUMN gifts.due_at IS 'When a worker is next to give it. Null: the order has no seat, or the gift is done.';
COMMENT ON COLUMN gifts.given_at IS 'When the seat was assigned to the recipient.';
COMMENT ON COLUMN gifts.ended_at IS
    'When the gift was over without that: the buyer has assigned the seat or asked for a refund, or it was refused.';
CREATE INDEX gifts_due_idx ON gifts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX gifts_recipient_idx ON gifts (recipient);

GRANT SELECT ON gifts TO storefront_api;
