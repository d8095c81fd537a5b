-- The waiting list: who wants a place in a course that is full, and to whom one is offered.
ALTER TABLE vouchers DROP CONSTRAINT vouchers_kind_check,
    ADD CONSTRAINT vouchers_kind_check CHECK (kind IN ('percent', 'amount', 'seat', 'place'));

CREATE TABLE waiting_list (
    id uuid PRIMARY KEY,
    course_id uuid NOT NULL REFERENCES courses,
    email text,
    language text CHECK (length(language) BETWEEN 2 AND 35),
    state text NOT NULL CONSTRAINT waiting_list_state_known
        CHECK (state IN ('unconfirmed', 'waiting', 'offered', 'bought', 'lapsed', 'declined', 'left')),
    first_at timestamptz,
    joined_at timestamptz NOT NULL,
    mailed_at timestamptz,
    offered_at timestamptz,
    offered_until timestamptz,
    voucher_id uuid UNIQUE REFERENCES vouchers,
    ended_at timestamptz,
    CONSTRAINT waiting_list_ended CHECK ((ended_at IS NOT NULL) = (state IN ('bought', 'lapsed', 'declined', 'left'))),
    CONSTRAINT waiting_list_email CHECK ((email IS NULL) = (ended_at IS NOT NULL)),
    CONSTRAINT waiting_list_offer CHECK (state <> 'offered' OR num_nonnulls(offered_at, offered_until, voucher_id) = 3)
);
COMMENT ON TABLE waiting_list IS 'Who wants a place in a course that is full, in the order in which places are offered.';
COMMENT ON COLUMN waiting_list.email IS 'Of the person, who is forgotten when the entry ends.';
COMMENT ON COLUMN waiting_list.language IS 'As the person has chosen it; null: as `buyer_language` says.';
COMMENT ON COLUMN waiting_list.state IS 'unconfirmed: the address is not proved yet, and gets no place.';
COMMENT ON COLUMN waiting_list.first_at IS 'When the organisation has put it before all others. Null: its turn is that of joining.';
COMMENT ON COLUMN waiting_list.joined_at IS 'When a guest''s address was proved; until then, and of a learner, when it was named.';
COMMENT ON COLUMN waiting_list.mailed_at IS 'When it was last mailed that it is on the list, or may be: requests of strangers send one mail an hour.';
COMMENT ON COLUMN waiting_list.voucher_id IS 'The voucher of the kind `place` that holds the place, for this address alone.';
CREATE UNIQUE INDEX waiting_list_live_key ON waiting_list (course_id, email) WHERE ended_at IS NULL;
CREATE INDEX waiting_list_email_idx ON waiting_list (email) WHERE email IS NOT NULL;
CREATE INDEX waiting_list_queue_idx ON waiting_list (course_id, first_at DESC NULLS LAST, joined_at, id) WHERE state = 'waiting';
CREATE INDEX waiting_list_offered_idx ON waiting_list (offered_until) WHERE state = 'offered';
CREATE INDEX waiting_list_unconfirmed_idx ON waiting_list (joined_at) WHERE state = 'unconfirmed';
CREATE INDEX waiting_list_course_idx ON waiting_list (course_id, state);

GRANT SELECT ON waiting_list TO storefront_api;
