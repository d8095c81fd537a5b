-- Vouchers: codes that reduce the price of a basket, and seats: places in one course or program that one buyer pays for and
-- gives to others. A pool of seats is a voucher of the kind `seat`, and its uses are the seats that are taken: by a buyer who
-- redeems its code, or by an address to which its owner assigns one.
--
-- The row of a limited voucher counts its uses; a guarded UPDATE takes one, so that no number of simultaneous buyers can exceed
-- the limit.

CREATE TABLE vouchers (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    code text NOT NULL CHECK (code ~ '^[A-Z0-9_-]{3,40}$'),
    kind text NOT NULL CHECK (kind IN ('percent', 'amount', 'seat')),
    percent numeric(5, 2) CHECK (percent > 0 AND percent <= 100),
    amount bigint CHECK (amount > 0),
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    max_uses integer,
    max_uses_per_buyer integer CHECK (max_uses_per_buyer BETWEEN 1 AND 1000),
    budget bigint,
    valid_from timestamptz NOT NULL,
    valid_until timestamptz,
    campaign text CHECK (length(campaign) <= 100),
    note text CHECK (length(note) <= 200),
    created_at timestamptz NOT NULL,
    uses integer NOT NULL DEFAULT 0,
    spent bigint NOT NULL DEFAULT 0,
    mode text,
    email text,
    buyer text,
    cart_id uuid REFERENCES carts,
    position integer,
    assigned integer NOT NULL DEFAULT 0,
    withdrawn integer NOT NULL DEFAULT 0,
    CONSTRAINT vouchers_code_key UNIQUE (organisation_id, code),
    CONSTRAINT vouchers_value CHECK ((kind = 'percent') = (percent IS NOT NULL) AND (kind = 'amount') = (amount IS NOT NULL)),
    CONSTRAINT vouchers_uses_within CHECK (uses >= 0 AND uses <= coalesce(max_uses, uses)),
    CONSTRAINT vouchers_spent_within CHECK (spent >= 0 AND spent <= coalesce(budget, spent)),
    CONSTRAINT vouchers_seat CHECK (CASE WHEN kind = 'seat'
        THEN num_nonnulls(mode, email, buyer, max_uses) = 4 AND max_uses_per_buyer = 1 AND budget IS NULL
        ELSE num_nonnulls(mode, email, buyer, cart_id) = 0 END),
    CONSTRAINT vouchers_seat_counts CHECK (assigned >= 0 AND withdrawn >= 0),
    CONSTRAINT vouchers_line CHECK ((cart_id IS NULL) = (position IS NULL)),
    CONSTRAINT vouchers_line_key UNIQUE (cart_id, position)
);
COMMENT ON TABLE vouchers IS 'Codes that reduce a price, and pools of seats.';
COMMENT ON COLUMN vouchers.amount IS 'In minor units of the currency, as `budget` and `spent`.';
COMMENT ON COLUMN vouchers.currency IS 'The organisation''s when the voucher was made.';
COMMENT ON COLUMN vouchers.budget IS 'In minor units of the currency.';
COMMENT ON COLUMN vouchers.uses IS 'Stays 0 without `max_uses` and `budget`: then no buyer waits for the row.';
COMMENT ON COLUMN vouchers.spent IS 'As `uses`.';
COMMENT ON COLUMN vouchers.mode IS
    'The enrollment mode of a pool''s seats; voucher_scope has their course or program. Only pools use this column and those after it.';
COMMENT ON COLUMN vouchers.email IS 'The pool''s owner.';
COMMENT ON COLUMN vouchers.buyer IS 'The pool''s owner, as in carts.';
COMMENT ON COLUMN vouchers.cart_id IS 'The order of the line that paid for the pool; null if it was paid elsewhere.';
COMMENT ON COLUMN vouchers.position IS 'The line that paid for the pool; null if it was paid elsewhere.';
COMMENT ON COLUMN vouchers.assigned IS 'How often a seat was assigned, which limits the mails that a pool can send.';
COMMENT ON COLUMN vouchers.withdrawn IS 'Seats that a refund or a dispute has taken off `max_uses`.';
CREATE INDEX vouchers_created_idx ON vouchers (organisation_id, created_at, id);
CREATE INDEX vouchers_campaign_idx ON vouchers (organisation_id, campaign) WHERE campaign IS NOT NULL;
CREATE INDEX vouchers_buyer_idx ON vouchers (organisation_id, buyer) WHERE buyer IS NOT NULL;
CREATE INDEX vouchers_email_idx ON vouchers (email) WHERE email IS NOT NULL;

-- A cart redeems a voucher, and a line of a cart pays for a pool: the two tables refer to each other.
ALTER TABLE carts ADD CONSTRAINT carts_voucher_id_fkey FOREIGN KEY (voucher_id) REFERENCES vouchers;

CREATE TABLE voucher_scope (
    voucher_id uuid NOT NULL REFERENCES vouchers ON DELETE CASCADE,
    course_id uuid REFERENCES courses,
    program_id uuid REFERENCES programs,
    CONSTRAINT voucher_scope_one_subject CHECK (num_nonnulls(course_id, program_id) = 1),
    CONSTRAINT voucher_scope_key UNIQUE NULLS NOT DISTINCT (voucher_id, course_id, program_id)
);
COMMENT ON TABLE voucher_scope IS 'The courses and programs that a voucher is for; without a row, everything that its organisation sells.';
CREATE INDEX voucher_scope_course_idx ON voucher_scope (course_id) WHERE course_id IS NOT NULL;
CREATE INDEX voucher_scope_program_idx ON voucher_scope (program_id) WHERE program_id IS NOT NULL;

CREATE TABLE voucher_uses (
    cart_id uuid PRIMARY KEY REFERENCES carts ON DELETE CASCADE,
    voucher_id uuid NOT NULL REFERENCES vouchers,
    email text NOT NULL,
    discount bigint NOT NULL CHECK (discount >= 0),
    slot integer CHECK (slot > 0),
    state text NOT NULL CHECK (state IN ('held', 'used', 'released', 'late')),
    at timestamptz NOT NULL,
    mailed_at timestamptz
);
COMMENT ON TABLE voucher_uses IS 'The use that a cart makes of its voucher. A use of a pool takes a seat and no money.';
COMMENT ON COLUMN voucher_uses.email IS 'The buyer''s.';
COMMENT ON COLUMN voucher_uses.slot IS 'Which of the buyer''s uses it is, from 1 to `max_uses_per_buyer`; null without that limit.';
COMMENT ON COLUMN voucher_uses.state IS
    'held: its cart waits for the payment; released: the cart has ended unpaid; late: it was paid after that and no use was left, so this '
    'one is honoured and not counted.';
COMMENT ON COLUMN voucher_uses.mailed_at IS 'When the owner of the address was last mailed about the seat assigned to it.';
CREATE UNIQUE INDEX voucher_uses_slot_key ON voucher_uses (voucher_id, email, slot) WHERE state IN ('held', 'used');
CREATE INDEX voucher_uses_voucher_idx ON voucher_uses (voucher_id, at);
