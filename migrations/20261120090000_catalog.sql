-- What is sold: organisations, courses and their modes, programs, and how each region is priced.
-- Written by imports, read by the api. Money is in minor units of its ISO 4217 currency.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- One row, raised in every transaction that changes the catalog; caches are keyed by it. A row and not a
-- sequence: a sequence shows its new value before the commit, and old data would be kept under the new number.
CREATE TABLE catalog_generation (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    generation bigint NOT NULL,
    -- How many items the lists hold without a filter: counted once a change, not once a request.
    listed_courses bigint NOT NULL DEFAULT 0,
    listed_programs bigint NOT NULL DEFAULT 0
);
INSERT INTO catalog_generation (generation) VALUES (1);

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
    -- Open organisations accept any learner; closed ones only those with a claim.
    open boolean NOT NULL DEFAULT true,
    marketing_page_metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(marketing_page_metadata) = 'object'),
    gateway text CHECK (gateway IN ('stripe', 'mollie', 'razorpay', 'curlec')),
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    -- Kept by the worker when it seals or drops credentials, since the api cannot see them.
    configured boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX organisations_short_name_key ON organisations (lower(short_name));

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

CREATE TABLE exchange_rates (
    base char(3) NOT NULL CHECK (base ~ '^[A-Z]{3}$'),
    quote char(3) NOT NULL CHECK (quote ~ '^[A-Z]{3}$'),
    rate numeric(20, 10) NOT NULL CHECK (rate > 0),
    as_of date NOT NULL,
    PRIMARY KEY (base, quote)
);

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
    -- The cheapest visible, unexpired mode: derived from course_modes on import, and again when one expires.
    price bigint CHECK (price >= 0),
    currency char(3),
    course_mode text,
    -- The price in major units, as displayed: what lists are ordered by.
    price_order numeric(20, 3),
    next_mode_expiry timestamptz,
    -- Derived from reviews on import.
    avg_rating numeric(2, 1),
    review_count integer NOT NULL DEFAULT 0,
    CHECK ((price IS NULL) = (currency IS NULL) AND (price IS NULL) = (course_mode IS NULL))
);
CREATE INDEX courses_organisation_idx ON courses (organisation_id, created_at, id);
CREATE INDEX courses_next_mode_expiry_idx ON courses (next_mode_expiry) WHERE next_mode_expiry IS NOT NULL;
CREATE INDEX courses_search_idx ON courses
    USING gin (display_name gin_trgm_ops, short_description gin_trgm_ops, overview gin_trgm_ops);
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

CREATE TABLE course_modes (
    course_id uuid NOT NULL REFERENCES courses ON DELETE CASCADE,
    slug text NOT NULL CHECK (slug IN (
        'audit', 'honor', 'verified', 'professional', 'no-id-professional', 'credit', 'masters',
        'executive-education', 'paid-executive-education', 'unpaid-executive-education',
        'paid-bootcamp', 'unpaid-bootcamp')),
    display_name text NOT NULL,
    price bigint NOT NULL CHECK (price >= 0),
    currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    price_order numeric(20, 3) NOT NULL,
    expires_at timestamptz,
    visible boolean NOT NULL,
    description text,
    upsellable_course_modes text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (course_id, slug)
);

-- Validated when they come in; an outline as the api shows it, a structure as nested nodes.
CREATE TABLE course_contents (
    course_id uuid PRIMARY KEY REFERENCES courses ON DELETE CASCADE,
    outline jsonb,
    structure jsonb
);

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
    price_order numeric(20, 3),
    is_invite_only boolean NOT NULL,
    is_published boolean NOT NULL,
    avg_rating numeric(2, 1),
    created_at timestamptz NOT NULL,
    CHECK ((price IS NULL) = (currency IS NULL))
);
CREATE INDEX programs_organisation_idx ON programs (organisation_id);
CREATE INDEX programs_by_created_at ON programs (created_at, id) WHERE is_published;
CREATE INDEX programs_search_idx ON programs
    USING gin (name gin_trgm_ops, description gin_trgm_ops, about gin_trgm_ops);

CREATE TABLE program_courses (
    program_id uuid NOT NULL REFERENCES programs ON DELETE CASCADE,
    course_id uuid NOT NULL REFERENCES courses,
    position integer NOT NULL,
    PRIMARY KEY (program_id, course_id)
);
CREATE INDEX program_courses_course_idx ON program_courses (course_id);

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

-- What each record was when it was last imported: an unchanged one is not written again.
CREATE TABLE imported_records (
    kind text NOT NULL,
    key text NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (kind, key)
);
