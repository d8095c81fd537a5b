-- The catalog: organisations, how they price and tax, courses and their modes, programs, and what is shown beside them.
-- Written by imports and by the sync with the course platform, read by the api. Money is in minor units of its ISO 4217 currency.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- The payment providers, in one place instead of a CHECK on each table that names one.
CREATE DOMAIN gateway_name AS text CONSTRAINT gateway_name_known
    CHECK (VALUE IN ('stripe', 'mollie', 'razorpay', 'curlec', 'external'));

-- A row and not a sequence: a sequence shows its new value before the commit, and old data would be cached under the new number.
CREATE TABLE catalog_generation (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    generation bigint NOT NULL,
    listed_courses bigint NOT NULL DEFAULT 0,
    listed_programs bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE catalog_generation IS
    'One row: the number that each change of the catalog raises, by which caches are keyed, and the sizes of the lists.';
COMMENT ON COLUMN catalog_generation.listed_courses IS
    'The number of items in the unfiltered list: counted once per change, not once per request.';
COMMENT ON COLUMN catalog_generation.listed_programs IS 'As `listed_courses`.';
INSERT INTO catalog_generation (generation) VALUES (1);

-- Organisations and their prices --------------------------------------------------------------------------------------

CREATE TABLE organisations (
    id uuid PRIMARY KEY,
    short_name text NOT NULL CHECK (short_name ~ '^[A-Za-z0-9._~-]{1,64}$'),
    name text NOT NULL,
    logo_url text,
    favicon_url text,
    trademark_url text,
    registration_url text NOT NULL,
    return_url text NOT NULL,
    seats_url text,
    open boolean NOT NULL DEFAULT true,
    marketing_page_metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(marketing_page_metadata) = 'object'),
    gateway gateway_name,
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    configured boolean NOT NULL DEFAULT false,
    refund_days integer CHECK (refund_days BETWEEN 0 AND 3650),
    seller jsonb CHECK (jsonb_typeof(seller) = 'object'),
    seller_since timestamptz,
    created_at timestamptz NOT NULL,
    withdrawal jsonb CONSTRAINT organisations_withdrawal CHECK (jsonb_typeof(withdrawal) = 'object'),
    buy_url text,
    orders_url text,
    languages text[] NOT NULL DEFAULT '{}' CHECK (cardinality(languages) <= 20),
    colour text CHECK (colour ~ '^#[0-9a-f]{6}$'),
    move_days integer CONSTRAINT organisations_move_days CHECK (move_days BETWEEN 0 AND 3650),
    moves_allowed integer CONSTRAINT organisations_moves_allowed CHECK (moves_allowed BETWEEN 1 AND 100),
    bank_transfer jsonb CONSTRAINT organisations_bank_transfer CHECK (jsonb_typeof(bank_transfer) = 'object'),
    CONSTRAINT organisations_seller_since CHECK ((seller IS NULL) = (seller_since IS NULL))
);
COMMENT ON TABLE organisations IS 'The sellers: names, pages, gateway, currency, refund window, and who they are on invoices.';
COMMENT ON COLUMN organisations.registration_url IS 'Where the mailed registration link leads.';
COMMENT ON COLUMN organisations.return_url IS 'Where providers send the buyer back to.';
COMMENT ON COLUMN organisations.seats_url IS 'The page on which the organisation''s buyers manage their seats.';
COMMENT ON COLUMN organisations.open IS 'Open organisations accept any learner; closed ones only those with a claim.';
COMMENT ON COLUMN organisations.configured IS 'Kept by the worker when it seals or drops credentials, since the api cannot see them.';
COMMENT ON COLUMN organisations.refund_days IS 'Null: learners cannot request refunds.';
COMMENT ON COLUMN organisations.seller IS
    'The organisation as the seller on invoices, as in the catalog file. Null: it charges no tax and issues no documents.';
COMMENT ON COLUMN organisations.seller_since IS
    'Since when it has been a seller: earlier orders get no documents. It stays one, because later orders need it.';
COMMENT ON COLUMN organisations.withdrawal IS
    'The right of withdrawal: {days, kind: service | digital_content, countries?, terms_url?, terms_version?}. Null: the organisation '
    'offers none.';
COMMENT ON COLUMN organisations.buy_url IS
    'The page of the organisation''s own shop to which the platform''s upgrade buttons are redirected; null: the api''s own.';
COMMENT ON COLUMN organisations.orders_url IS
    'The page of the organisation''s own shop to which the platform''s links to orders are redirected; null: the api''s own.';
COMMENT ON COLUMN organisations.languages IS 'The organisation''s languages, as tags of BCP 47, the most important first.';
COMMENT ON COLUMN organisations.colour IS 'The organisation''s colour in mails.';
COMMENT ON COLUMN organisations.move_days IS 'In which time a buyer may move a line without asking. Null: never.';
COMMENT ON COLUMN organisations.moves_allowed IS 'How often a buyer may move a line. Null: once.';
COMMENT ON COLUMN organisations.bank_transfer IS 'The bank account to which buyers pay, and when a payment is due.';
CREATE UNIQUE INDEX organisations_short_name_key ON organisations (lower(short_name));

CREATE TABLE pricing_policies (
    organisation_id uuid PRIMARY KEY REFERENCES organisations ON DELETE CASCADE,
    enabled boolean NOT NULL
);
COMMENT ON TABLE pricing_policies IS 'Whether an organisation has regional prices.';

CREATE TABLE pricing_policy_countries (
    organisation_id uuid NOT NULL REFERENCES pricing_policies ON DELETE CASCADE,
    country char(2) NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    percent_off numeric(5, 2) NOT NULL CHECK (percent_off BETWEEN 0 AND 100),
    display_currency char(3) CHECK (display_currency ~ '^[A-Z]{3}$'),
    PRIMARY KEY (organisation_id, country)
);
COMMENT ON TABLE pricing_policy_countries IS 'The reduction and the displayed currency of each country.';

CREATE TABLE exchange_rates (
    base char(3) NOT NULL CHECK (base ~ '^[A-Z]{3}$'),
    quote char(3) NOT NULL CHECK (quote ~ '^[A-Z]{3}$'),
    rate numeric(20, 10) NOT NULL CHECK (rate > 0),
    as_of date NOT NULL,
    PRIMARY KEY (base, quote)
);
COMMENT ON TABLE exchange_rates IS
    'Rates between currencies, to show a price in the currency of the buyer''s country; a payment is in the organisation''s currency.';

CREATE TABLE tax_rates (
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    country char(2) NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    state text CHECK (state <> ''),
    valid_from date NOT NULL,
    components jsonb NOT NULL CHECK (jsonb_typeof(components) = 'array'),
    note text
);
COMMENT ON TABLE tax_rates IS 'The tax that a seller charges at each place, from a day on.';
COMMENT ON COLUMN tax_rates.state IS 'Null: for every state without rates of its own.';
COMMENT ON COLUMN tax_rates.valid_from IS 'In the seller''s time zone.';
COMMENT ON COLUMN tax_rates.components IS 'Names and percentages.';
CREATE UNIQUE INDEX tax_rates_key ON tax_rates (organisation_id, country, lower(state), valid_from) NULLS NOT DISTINCT;

-- Search --------------------------------------------------------------------------------------------------------------

CREATE FUNCTION searchable(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    -- In plain ASCII only case matters, and the rest costs 0.2 ms for each 1,000 characters.
    SELECT lower(CASE WHEN octet_length($1) = length($1) THEN $1
                 ELSE normalize(regexp_replace(normalize($1, NFKD), '[\u0300-\u036f]', '', 'g'), NFKC) END)
$$;
COMMENT ON FUNCTION searchable(text) IS
    'Folds case, accents and encodings (NFC, NFD, full-width letters) of a text, which search ignores: decomposed, without the combining '
    'marks of Latin, Greek and Cyrillic letters, and composed again. The marks of other scripts (a Devanagari vowel, the voicing of a '
    'kana) distinguish words and stay.';

-- Courses -------------------------------------------------------------------------------------------------------------

CREATE TABLE courses (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    openedx_course_id text NOT NULL CONSTRAINT courses_openedx_course_id_key UNIQUE
        CHECK (length(openedx_course_id) <= 255),
    display_name text NOT NULL,
    short_description text NOT NULL,
    overview text NOT NULL,
    image_url text,
    course_video_url text,
    number text NOT NULL,
    language text,
    self_paced boolean NOT NULL,
    effort text,
    total_minutes integer NOT NULL DEFAULT 0 CHECK (total_minutes >= 0),
    is_published boolean NOT NULL,
    hidden boolean NOT NULL,
    is_invite_only boolean NOT NULL,
    flagged_new boolean NOT NULL,
    starts_at timestamptz,
    ends_at timestamptz,
    advertised_start text,
    enrollment_start timestamptz,
    enrollment_end timestamptz,
    certificate_available_date timestamptz,
    has_any_active_web_certificate boolean NOT NULL,
    link_to_course text,
    created_at timestamptz NOT NULL,
    price bigint CHECK (price >= 0),
    currency char(3),
    course_mode text,
    price_order numeric(20, 4),
    next_mode_expiry timestamptz,
    avg_rating numeric(2, 1),
    review_count integer NOT NULL DEFAULT 0,
    search_text text NOT NULL GENERATED ALWAYS AS (
        searchable(display_name || E'\x1f' || short_description || E'\x1f' || overview)) STORED,
    tag_ids integer[] NOT NULL DEFAULT '{}',
    capacity integer CONSTRAINT courses_capacity_positive CHECK (capacity > 0),
    CHECK ((price IS NULL) = (currency IS NULL) AND (price IS NULL) = (course_mode IS NULL))
);
COMMENT ON TABLE courses IS 'Courses, with their cheapest mode and their searched text.';
COMMENT ON COLUMN courses.price IS
    'Of the cheapest visible, unexpired mode: derived from course_modes on import, and again when a mode expires.';
COMMENT ON COLUMN courses.currency IS 'As `price`.';
COMMENT ON COLUMN courses.course_mode IS 'As `price`.';
COMMENT ON COLUMN courses.price_order IS
    'The price in major units, as displayed: lists are ordered by it. Some currencies have four digits (CLF, UYW).';
COMMENT ON COLUMN courses.avg_rating IS 'Derived from reviews on import.';
COMMENT ON COLUMN courses.review_count IS 'Derived from reviews on import.';
COMMENT ON COLUMN courses.search_text IS
    'One column for all searched texts, with a control character between them, so that a search does not match across two.';
COMMENT ON COLUMN courses.tag_ids IS 'The ids of course_tags beside the searched text, so that one index finds what matches both.';
COMMENT ON COLUMN courses.capacity IS
    'How many learners the course takes, as the platform says or the operator has set. Null: as many as come.';
CREATE INDEX courses_owner_idx ON courses (organisation_id);
CREATE INDEX courses_next_mode_expiry_idx ON courses (next_mode_expiry) WHERE next_mode_expiry IS NOT NULL;
-- One index per order of the list. Nulls come last both ways, so nullable columns need one for each direction.
CREATE INDEX courses_by_created_at ON courses (created_at, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_display_name ON courses (display_name, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_start ON courses (starts_at, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_start_desc ON courses (starts_at DESC NULLS LAST, id DESC) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_end ON courses (ends_at, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_end_desc ON courses (ends_at DESC NULLS LAST, id DESC) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_price ON courses (price_order, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_price_desc ON courses (price_order DESC NULLS LAST, id DESC) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_rating ON courses (avg_rating, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_rating_desc ON courses (avg_rating DESC NULLS LAST, id DESC) WHERE is_published AND NOT hidden;
-- Filtered totals are counted from indexes alone: an organisation can own a quarter of the courses, and a tag mark
-- thousands of them (measured at 100,000 courses: 25 ms by reading the table, 7 ms with these).
CREATE INDEX courses_listed_by_organisation ON courses (organisation_id, created_at, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_listed ON courses (id, organisation_id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_listed_by_language ON courses (lower(language)) INCLUDE (language, organisation_id, id)
    WHERE is_published AND NOT hidden;
-- For searches with and without tags.
CREATE INDEX courses_listed_by_search ON courses USING gin (search_text gin_trgm_ops, tag_ids)
    WHERE is_published AND NOT hidden;
-- The courses of an organisation by name, published or not, as its managers list them; and any course by a part of its name.
CREATE INDEX courses_own_idx ON courses (organisation_id, display_name, id);
CREATE INDEX courses_name_idx ON courses USING gin (searchable(display_name) gin_trgm_ops);

CREATE TABLE course_modes (
    course_id uuid NOT NULL REFERENCES courses ON DELETE CASCADE,
    slug text NOT NULL CHECK (slug IN (
        'audit', 'honor', 'verified', 'professional', 'no-id-professional', 'credit', 'masters',
        'executive-education', 'paid-executive-education', 'unpaid-executive-education',
        'paid-bootcamp', 'unpaid-bootcamp')),
    display_name text NOT NULL,
    price bigint NOT NULL CHECK (price >= 0),
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    price_order numeric(20, 4) NOT NULL,
    expires_at timestamptz,
    visible boolean NOT NULL,
    description text,
    upsellable_course_modes text[] NOT NULL DEFAULT '{}',
    sku text CONSTRAINT course_modes_sku_length CHECK (length(sku) BETWEEN 1 AND 255),
    bulk_sku text CONSTRAINT course_modes_bulk_sku_length CHECK (length(bulk_sku) BETWEEN 1 AND 255),
    PRIMARY KEY (course_id, slug)
);
COMMENT ON TABLE course_modes IS 'The ways to take a course, each with its price.';
COMMENT ON COLUMN course_modes.sku IS
    'The name of the mode in links of the platform, such as its upgrade buttons: `{course id}.{mode}`, which `catalog sync --skus` writes '
    'there, or an operator''s own.';
COMMENT ON COLUMN course_modes.bulk_sku IS 'The name of seats in the mode, as `sku`.';
-- Not unique: they are not at the platform either, and a link may name its course.
CREATE INDEX course_modes_sku_idx ON course_modes (sku) WHERE sku IS NOT NULL;
CREATE INDEX course_modes_bulk_sku_idx ON course_modes (bulk_sku) WHERE bulk_sku IS NOT NULL;

CREATE TABLE course_contents (
    course_id uuid PRIMARY KEY REFERENCES courses ON DELETE CASCADE,
    outline jsonb,
    structure jsonb
);
COMMENT ON TABLE course_contents IS 'Outlines as the api shows them, and structures as nested nodes. Validated on import.';

-- Programs ------------------------------------------------------------------------------------------------------------

CREATE TABLE programs (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    name text NOT NULL,
    description text NOT NULL,
    about text NOT NULL,
    achievements text NOT NULL,
    duration integer CHECK (duration > 0),
    duration_metric text CHECK (duration_metric IN ('hours', 'days', 'weeks', 'months', 'years')),
    image text,
    price bigint CHECK (price >= 0),
    currency char(3) CHECK (currency ~ '^[A-Z]{3}$'),
    price_order numeric(20, 4),
    is_invite_only boolean NOT NULL,
    is_published boolean NOT NULL,
    avg_rating numeric(2, 1),
    created_at timestamptz NOT NULL,
    search_text text NOT NULL GENERATED ALWAYS AS (
        searchable(name || E'\x1f' || description || E'\x1f' || about)) STORED,
    CHECK ((price IS NULL) = (currency IS NULL))
);
COMMENT ON TABLE programs IS 'Programs, which are sold as a whole.';
CREATE INDEX programs_organisation_idx ON programs (organisation_id);
CREATE INDEX programs_by_created_at ON programs (created_at, id) WHERE is_published;
CREATE INDEX programs_search_idx ON programs USING gin (search_text gin_trgm_ops);
CREATE INDEX programs_name_idx ON programs USING gin (searchable(name) gin_trgm_ops);

CREATE TABLE program_courses (
    program_id uuid NOT NULL REFERENCES programs ON DELETE CASCADE,
    course_id uuid NOT NULL REFERENCES courses,
    position integer NOT NULL,
    PRIMARY KEY (program_id, course_id)
);
COMMENT ON TABLE program_courses IS 'The courses of a program.';
CREATE INDEX program_courses_course_idx ON program_courses (course_id);

-- Tags, reviews and banners -------------------------------------------------------------------------------------------

CREATE TABLE tags (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL CHECK (name <> '')
);
COMMENT ON TABLE tags IS 'Names of tags.';
CREATE UNIQUE INDEX tags_name_key ON tags (lower(name));

CREATE TABLE course_tags (
    course_id uuid NOT NULL REFERENCES courses ON DELETE CASCADE,
    tag_id integer NOT NULL REFERENCES tags,
    PRIMARY KEY (course_id, tag_id)
);
COMMENT ON TABLE course_tags IS 'The tags of courses.';
CREATE INDEX course_tags_tag_idx ON course_tags (tag_id, course_id);

CREATE TABLE program_tags (
    program_id uuid NOT NULL REFERENCES programs ON DELETE CASCADE,
    tag_id integer NOT NULL REFERENCES tags,
    PRIMARY KEY (program_id, tag_id)
);
COMMENT ON TABLE program_tags IS 'The tags of programs.';
CREATE INDEX program_tags_tag_idx ON program_tags (tag_id, program_id);

CREATE TABLE reviews (
    id uuid PRIMARY KEY,
    course_id uuid REFERENCES courses ON DELETE CASCADE,
    program_id uuid REFERENCES programs ON DELETE CASCADE,
    rating smallint NOT NULL CHECK (rating BETWEEN 1 AND 5),
    title text NOT NULL,
    comment text NOT NULL,
    author_name text NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT reviews_one_subject CHECK (num_nonnulls(course_id, program_id) = 1)
);
COMMENT ON TABLE reviews IS 'Reviews of courses and programs.';
CREATE INDEX reviews_course_idx ON reviews (course_id, created_at DESC) WHERE course_id IS NOT NULL;
CREATE INDEX reviews_program_idx ON reviews (program_id, created_at DESC) WHERE program_id IS NOT NULL;

CREATE TABLE banners (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    title text NOT NULL,
    image_url text NOT NULL,
    link_url text,
    position integer NOT NULL,
    starts_at timestamptz,
    ends_at timestamptz,
    CHECK (ends_at > starts_at)
);
COMMENT ON TABLE banners IS 'Banners of organisations.';
CREATE INDEX banners_organisation_idx ON banners (organisation_id, position);

-- Imports and the sync with the course platform -----------------------------------------------------------------------

CREATE TABLE imported_records (
    kind text NOT NULL,
    key text NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (kind, key)
);
COMMENT ON TABLE imported_records IS 'A digest of each record as last imported: an unchanged one is not written again.';

CREATE TABLE platform_organisations (
    org text NOT NULL CHECK (org <> ''),
    organisation_id uuid REFERENCES organisations ON DELETE CASCADE,
    prices text NOT NULL CHECK (prices IN ('platform', 'own'))
);
COMMENT ON TABLE platform_organisations IS
    'Which organisation gets the courses of an organisation of the course platform, where the short names differ, and whose prices count. '
    'Without an organisation its courses are left out.';
CREATE UNIQUE INDEX platform_organisations_org_key ON platform_organisations (lower(org));
CREATE INDEX platform_organisations_organisation_idx ON platform_organisations (organisation_id);

CREATE TABLE synced_courses (
    course_id uuid PRIMARY KEY REFERENCES courses ON DELETE CASCADE,
    synced_at timestamptz NOT NULL,
    withdrawn boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE synced_courses IS 'Courses that came from the course platform. The sync never touches others.';
COMMENT ON COLUMN synced_courses.synced_at IS 'When the platform was queried: an older answer never replaces a newer one.';
COMMENT ON COLUMN synced_courses.withdrawn IS
    'The sync has unpublished the course, because the platform no longer has it. It is published again when it returns.';

CREATE TABLE catalog_sync_requests (
    openedx_course_id text PRIMARY KEY CHECK (length(openedx_course_id) <= 255),
    due_at timestamptz NOT NULL
);
COMMENT ON TABLE catalog_sync_requests IS 'Courses that the event bus has named, each until it is synchronised.';
CREATE INDEX catalog_sync_requests_due_idx ON catalog_sync_requests (due_at);

CREATE TABLE catalog_sync_state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    finished_at timestamptz NOT NULL
);
COMMENT ON TABLE catalog_sync_state IS 'One row, inserted by the first full sync: when the last one ended.';
