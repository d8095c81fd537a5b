-- The catalog: organisations, how they price and tax, courses and their modes, programs, and what is shown beside them.
-- Written by imports and by the sync with the course platform, read by the api. Money is in minor units of its ISO 4217 currency.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- The payment providers, in one place instead of a CHECK on each table that names one.
CREATE DOMAIN gateway_name AS text CONSTRAINT gateway_name_known CHECK (VALUE IN ('stripe', 'mollie', 'razorpay', 'curlec'));

-- One row, raised in every transaction that changes the catalog; caches are keyed by it. A row and not a
-- sequence: a sequence shows its new value before the commit, and old data would be cached under the new number.
CREATE TABLE catalog_generation (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    generation bigint NOT NULL,
    -- The number of items in the unfiltered lists: counted once per change, not once per request.
    listed_courses bigint NOT NULL DEFAULT 0,
    listed_programs bigint NOT NULL DEFAULT 0
);
INSERT INTO catalog_generation (generation) VALUES (1);

-- Organisations and their prices --------------------------------------------------------------------------------------

CREATE TABLE organisations (
    id uuid PRIMARY KEY,
    short_name text NOT NULL CHECK (short_name ~ '^[A-Za-z0-9._~-]{1,64}$'),
    name text NOT NULL,
    logo_url text,
    favicon_url text,
    trademark_url text,
    -- Where the mailed registration link leads, and where providers send the buyer back to.
    registration_url text NOT NULL,
    return_url text NOT NULL,
    -- The page on which the organisation's buyers manage their seats.
    seats_url text,
    -- Open organisations accept any learner; closed ones only those with a claim.
    open boolean NOT NULL DEFAULT true,
    marketing_page_metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(marketing_page_metadata) = 'object'),
    gateway gateway_name,
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    -- Kept by the worker when it seals or drops credentials, since the api cannot see them.
    configured boolean NOT NULL DEFAULT false,
    -- Null: learners cannot request refunds.
    refund_days integer CHECK (refund_days BETWEEN 0 AND 3650),
    -- The organisation as the seller on invoices, as in the catalog file. Null: it charges no tax and issues no documents.
    seller jsonb CHECK (jsonb_typeof(seller) = 'object'),
    -- Since when it has been a seller: earlier orders get no documents. It stays one, because later orders need it.
    seller_since timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT organisations_seller_since CHECK ((seller IS NULL) = (seller_since IS NULL))
);
CREATE UNIQUE INDEX organisations_short_name_key ON organisations (lower(short_name));

-- Regional prices: whether an organisation has them, and what each country gets.
CREATE TABLE pricing_policies (
    organisation_id uuid PRIMARY KEY REFERENCES organisations ON DELETE CASCADE,
    enabled boolean NOT NULL
);

CREATE TABLE pricing_policy_countries (
    organisation_id uuid NOT NULL REFERENCES pricing_policies ON DELETE CASCADE,
    country char(2) NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    percent_off numeric(5, 2) NOT NULL CHECK (percent_off BETWEEN 0 AND 100),
    display_currency char(3) CHECK (display_currency ~ '^[A-Z]{3}$'),
    PRIMARY KEY (organisation_id, country)
);

-- To show a price in the currency of the buyer's country; a payment is in the organisation's currency.
CREATE TABLE exchange_rates (
    base char(3) NOT NULL CHECK (base ~ '^[A-Z]{3}$'),
    quote char(3) NOT NULL CHECK (quote ~ '^[A-Z]{3}$'),
    rate numeric(20, 10) NOT NULL CHECK (rate > 0),
    as_of date NOT NULL,
    PRIMARY KEY (base, quote)
);

-- The tax that a seller charges at each place.
CREATE TABLE tax_rates (
    organisation_id uuid NOT NULL REFERENCES organisations ON DELETE CASCADE,
    country char(2) NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    -- Null: for every state without rates of its own.
    state text CHECK (state <> ''),
    -- In the seller's time zone.
    valid_from date NOT NULL,
    -- Names and percentages.
    components jsonb NOT NULL CHECK (jsonb_typeof(components) = 'array'),
    note text
);
CREATE UNIQUE INDEX tax_rates_key ON tax_rates (organisation_id, country, lower(state), valid_from) NULLS NOT DISTINCT;

-- Search --------------------------------------------------------------------------------------------------------------

-- Search ignores case, accents and the way in which a text is encoded (NFC, NFD, full-width letters): decomposed, without the
-- combining marks of Latin, Greek and Cyrillic letters, and composed again. The marks of other scripts (a Devanagari vowel, the
-- voicing of a kana) distinguish words and stay.
CREATE FUNCTION searchable(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    -- In plain ASCII only case matters, and the rest costs 0.2 ms for each 1,000 characters.
    SELECT lower(CASE WHEN octet_length($1) = length($1) THEN $1
                 ELSE normalize(regexp_replace(normalize($1, NFKD), '[\u0300-\u036f]', '', 'g'), NFKC) END)
$$;

-- A LIKE pattern that finds a text anywhere: %, _ and the escape itself are literal. Escaped last, since
-- normalizing turns a full-width % into the plain one.
CREATE FUNCTION containing(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT '%' || regexp_replace(searchable($1), '([\\%_])', '\\\1', 'g') || '%'
$$;

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
    -- The cheapest visible, unexpired mode: derived from course_modes on import, and again when a mode expires.
    price bigint CHECK (price >= 0),
    currency char(3),
    course_mode text,
    -- The price in major units, as displayed: lists are ordered by it. Some currencies have four digits (CLF, UYW).
    price_order numeric(20, 4),
    next_mode_expiry timestamptz,
    -- Derived from reviews on import.
    avg_rating numeric(2, 1),
    review_count integer NOT NULL DEFAULT 0,
    -- One column for all searched texts, with a control character between them, so that a search does not match across two.
    search_text text NOT NULL GENERATED ALWAYS AS (
        searchable(display_name || E'\x1f' || short_description || E'\x1f' || overview)) STORED,
    -- The ids of course_tags beside the searched text, so that one index finds what matches both.
    tag_ids integer[] NOT NULL DEFAULT '{}',
    CHECK ((price IS NULL) = (currency IS NULL) AND (price IS NULL) = (course_mode IS NULL))
);
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

-- The ways to take a course, each with its price.
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
    PRIMARY KEY (course_id, slug)
);

-- Validated on import; an outline as the api shows it, a structure as nested nodes.
CREATE TABLE course_contents (
    course_id uuid PRIMARY KEY REFERENCES courses ON DELETE CASCADE,
    outline jsonb,
    structure jsonb
);

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
CREATE INDEX programs_organisation_idx ON programs (organisation_id);
CREATE INDEX programs_by_created_at ON programs (created_at, id) WHERE is_published;
CREATE INDEX programs_search_idx ON programs USING gin (search_text gin_trgm_ops);

CREATE TABLE program_courses (
    program_id uuid NOT NULL REFERENCES programs ON DELETE CASCADE,
    course_id uuid NOT NULL REFERENCES courses,
    position integer NOT NULL,
    PRIMARY KEY (program_id, course_id)
);
CREATE INDEX program_courses_course_idx ON program_courses (course_id);

-- Tags, reviews and banners -------------------------------------------------------------------------------------------

CREATE TABLE tags (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL CHECK (name <> '')
);
CREATE UNIQUE INDEX tags_name_key ON tags (lower(name));

CREATE TABLE course_tags (
    course_id uuid NOT NULL REFERENCES courses ON DELETE CASCADE,
    tag_id integer NOT NULL REFERENCES tags,
    PRIMARY KEY (course_id, tag_id)
);
CREATE INDEX course_tags_tag_idx ON course_tags (tag_id, course_id);

-- Imports write `courses.tag_ids` together with the course. The triggers keep it correct whatever else writes course_tags; they
-- find nothing to do after an import that wrote the column itself. `changed` holds the rows that the statement inserted or
-- deleted. A row that is all key is never updated, so there is no trigger for it.
CREATE FUNCTION keep_course_tag_ids() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- As text, so that it is planned each time: the first plan of an import, for an empty table, would be kept to its end.
    EXECUTE $update$
        UPDATE courses c SET tag_ids = now.tag_ids
        FROM (SELECT course_id, array(SELECT tag_id FROM course_tags t WHERE t.course_id = x.course_id ORDER BY tag_id) AS tag_ids
              FROM (SELECT DISTINCT course_id FROM changed) x) now
        WHERE c.id = now.course_id AND c.tag_ids <> now.tag_ids
    $update$;
    RETURN NULL;
END
$$;
CREATE TRIGGER course_tags_inserted AFTER INSERT ON course_tags
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_course_tag_ids();
CREATE TRIGGER course_tags_deleted AFTER DELETE ON course_tags
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_course_tag_ids();

CREATE TABLE program_tags (
    program_id uuid NOT NULL REFERENCES programs ON DELETE CASCADE,
    tag_id integer NOT NULL REFERENCES tags,
    PRIMARY KEY (program_id, tag_id)
);
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
CREATE INDEX banners_organisation_idx ON banners (organisation_id, position);

-- Imports and the sync with the course platform -----------------------------------------------------------------------

-- A digest of each record as last imported: an unchanged one is not written again.
CREATE TABLE imported_records (
    kind text NOT NULL,
    key text NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (kind, key)
);

-- Which organisation gets the courses of each organisation of the course platform, where the short names differ, and whose
-- prices count. Without an organisation its courses are left out.
CREATE TABLE platform_organisations (
    org text NOT NULL CHECK (org <> ''),
    organisation_id uuid REFERENCES organisations ON DELETE CASCADE,
    prices text NOT NULL CHECK (prices IN ('platform', 'own'))
);
CREATE UNIQUE INDEX platform_organisations_org_key ON platform_organisations (lower(org));
CREATE INDEX platform_organisations_organisation_idx ON platform_organisations (organisation_id);

-- Courses that came from the platform. The sync never touches others.
CREATE TABLE synced_courses (
    course_id uuid PRIMARY KEY REFERENCES courses ON DELETE CASCADE,
    -- When the platform was queried: an older answer never replaces a newer one.
    synced_at timestamptz NOT NULL,
    -- The sync has unpublished the course, because the platform no longer has it. It is published again when it returns.
    withdrawn boolean NOT NULL DEFAULT false
);

-- Courses that the platform's event bus has named, each until it is synchronised.
CREATE TABLE catalog_sync_requests (
    openedx_course_id text PRIMARY KEY CHECK (length(openedx_course_id) <= 255),
    due_at timestamptz NOT NULL
);
CREATE INDEX catalog_sync_requests_due_idx ON catalog_sync_requests (due_at);

-- When the last full sync ended; one row, inserted by the first of them.
CREATE TABLE catalog_sync_state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    finished_at timestamptz NOT NULL
);
