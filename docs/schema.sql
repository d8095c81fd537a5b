-- The present schema with its comments, generated from a migrated database. Not to be edited, and not in an order
-- that a database would accept.

CREATE EXTENSION pg_trgm;

CREATE DOMAIN gateway_name AS text CONSTRAINT gateway_name_known CHECK (VALUE = ANY (ARRAY['stripe'::text, 'mollie'::text, 'razorpay'::text, 'curlec'::text, 'external'::text]));

-- One row: the number that each change of the catalog raises, by which caches are keyed, and the sizes of the lists.
CREATE TABLE catalog_generation (
    only_row boolean DEFAULT true NOT NULL,
    generation bigint NOT NULL,
    -- The number of items in the unfiltered list: counted once per change, not once per request.
    listed_courses bigint DEFAULT 0 NOT NULL,
    -- As `listed_courses`.
    listed_programs bigint DEFAULT 0 NOT NULL,
    CONSTRAINT catalog_generation_pkey PRIMARY KEY (only_row),
    CONSTRAINT catalog_generation_only_row_check CHECK (only_row)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON catalog_generation TO storefront_worker;
GRANT SELECT ON catalog_generation TO storefront_api;

-- The sellers: names, pages, gateway, currency, refund window, and who they are on invoices.
CREATE TABLE organisations (
    id uuid NOT NULL,
    short_name text NOT NULL,
    name text NOT NULL,
    logo_url text,
    favicon_url text,
    trademark_url text,
    -- Where the mailed registration link leads.
    registration_url text NOT NULL,
    -- Where providers send the buyer back to.
    return_url text NOT NULL,
    -- The page on which the organisation's buyers manage their seats.
    seats_url text,
    -- Open organisations accept any learner; closed ones only those with a claim.
    open boolean DEFAULT true NOT NULL,
    marketing_page_metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    gateway gateway_name,
    currency character(3) NOT NULL,
    -- Kept by the worker when it seals or drops credentials, since the api cannot see them.
    configured boolean DEFAULT false NOT NULL,
    -- Null: learners cannot request refunds.
    refund_days integer,
    -- The organisation as the seller on invoices, as in the catalog file. Null: it charges no tax and issues no documents.
    seller jsonb,
    -- Since when it has been a seller: earlier orders get no documents. It stays one, because later orders need it.
    seller_since timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    -- The right of withdrawal: {days, kind: service | digital_content, countries?, terms_url?, terms_version?}. Null: the
    -- organisation offers none.
    withdrawal jsonb,
    -- The page of the organisation's own shop to which the platform's upgrade buttons are redirected; null: the api's own.
    buy_url text,
    -- The page of the organisation's own shop to which the platform's links to orders are redirected; null: the api's own.
    orders_url text,
    -- The organisation's languages, as tags of BCP 47, the most important first.
    languages text[] DEFAULT '{}'::text[] NOT NULL,
    -- The organisation's colour in mails.
    colour text,
    -- In which time a buyer may move a line without asking. Null: never.
    move_days integer,
    -- How often a buyer may move a line. Null: once.
    moves_allowed integer,
    -- The bank account to which buyers pay, and when a payment is due.
    bank_transfer jsonb,
    CONSTRAINT organisations_pkey PRIMARY KEY (id),
    CONSTRAINT organisations_bank_transfer CHECK (jsonb_typeof(bank_transfer) = 'object'::text),
    CONSTRAINT organisations_colour_check CHECK (colour ~ '^#[0-9a-f]{6}$'::text),
    CONSTRAINT organisations_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT organisations_languages_check CHECK (cardinality(languages) <= 20),
    CONSTRAINT organisations_marketing_page_metadata_check CHECK (jsonb_typeof(marketing_page_metadata) = 'object'::text),
    CONSTRAINT organisations_move_days CHECK (move_days >= 0 AND move_days <= 3650),
    CONSTRAINT organisations_moves_allowed CHECK (moves_allowed >= 1 AND moves_allowed <= 100),
    CONSTRAINT organisations_refund_days_check CHECK (refund_days >= 0 AND refund_days <= 3650),
    CONSTRAINT organisations_seller_check CHECK (jsonb_typeof(seller) = 'object'::text),
    CONSTRAINT organisations_seller_since CHECK ((seller IS NULL) = (seller_since IS NULL)),
    CONSTRAINT organisations_short_name_check CHECK (short_name ~ '^[A-Za-z0-9._~-]{1,64}$'::text),
    CONSTRAINT organisations_withdrawal CHECK (jsonb_typeof(withdrawal) = 'object'::text)
);
CREATE UNIQUE INDEX organisations_short_name_key ON organisations USING btree (lower(short_name));
GRANT DELETE, INSERT, SELECT, UPDATE ON organisations TO storefront_worker;
GRANT SELECT ON organisations TO storefront_api;

-- Whether an organisation has regional prices.
CREATE TABLE pricing_policies (
    organisation_id uuid NOT NULL,
    enabled boolean NOT NULL,
    CONSTRAINT pricing_policies_pkey PRIMARY KEY (organisation_id),
    CONSTRAINT pricing_policies_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE
);
GRANT DELETE, INSERT, SELECT, UPDATE ON pricing_policies TO storefront_worker;
GRANT SELECT ON pricing_policies TO storefront_api;

-- The reduction and the displayed currency of each country.
CREATE TABLE pricing_policy_countries (
    organisation_id uuid NOT NULL,
    country character(2) NOT NULL,
    percent_off numeric(5,2) NOT NULL,
    display_currency character(3),
    CONSTRAINT pricing_policy_countries_pkey PRIMARY KEY (organisation_id, country),
    CONSTRAINT pricing_policy_countries_country_check CHECK (country ~ '^[A-Z]{2}$'::text),
    CONSTRAINT pricing_policy_countries_display_currency_check CHECK (display_currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT pricing_policy_countries_percent_off_check CHECK (percent_off >= 0::numeric AND percent_off <= 100::numeric),
    CONSTRAINT pricing_policy_countries_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES pricing_policies(organisation_id) ON DELETE CASCADE
);
GRANT DELETE, INSERT, SELECT, UPDATE ON pricing_policy_countries TO storefront_worker;
GRANT SELECT ON pricing_policy_countries TO storefront_api;

-- Rates between currencies, to show a price in the currency of the buyer's country; a payment is in the organisation's
-- currency.
CREATE TABLE exchange_rates (
    base character(3) NOT NULL,
    quote character(3) NOT NULL,
    rate numeric(20,10) NOT NULL,
    as_of date NOT NULL,
    CONSTRAINT exchange_rates_pkey PRIMARY KEY (base, quote),
    CONSTRAINT exchange_rates_base_check CHECK (base ~ '^[A-Z]{3}$'::text),
    CONSTRAINT exchange_rates_quote_check CHECK (quote ~ '^[A-Z]{3}$'::text),
    CONSTRAINT exchange_rates_rate_check CHECK (rate > 0::numeric)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON exchange_rates TO storefront_worker;
GRANT SELECT ON exchange_rates TO storefront_api;

-- The tax that a seller charges at each place, from a day on.
CREATE TABLE tax_rates (
    organisation_id uuid NOT NULL,
    country character(2) NOT NULL,
    -- Null: for every state without rates of its own.
    state text,
    -- In the seller's time zone.
    valid_from date NOT NULL,
    -- Names and percentages.
    components jsonb NOT NULL,
    note text,
    postal_codes text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT tax_rates_components_check CHECK (jsonb_typeof(components) = 'array'::text),
    CONSTRAINT tax_rates_country_check CHECK (country ~ '^[A-Z]{2}$'::text),
    CONSTRAINT tax_rates_postal_codes_check CHECK (postal_codes = '{}'::text[] OR state IS NOT NULL),
    CONSTRAINT tax_rates_state_check CHECK (state <> ''::text),
    CONSTRAINT tax_rates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX tax_rates_key ON tax_rates USING btree (organisation_id, country, lower(state), valid_from) NULLS NOT DISTINCT;
GRANT DELETE, INSERT, SELECT, UPDATE ON tax_rates TO storefront_worker;
GRANT SELECT ON tax_rates TO storefront_api;

-- Folds case, accents and encodings (NFC, NFD, full-width letters) of a text, which search ignores: decomposed, without
-- the combining marks of Latin, Greek and Cyrillic letters, and composed again. The marks of other scripts (a Devanagari
-- vowel, the voicing of a kana) distinguish words and stay.
CREATE FUNCTION searchable(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
    -- In plain ASCII only case matters, and the rest costs 0.2 ms for each 1,000 characters.
    SELECT lower(CASE WHEN octet_length($1) = length($1) THEN $1
                 ELSE normalize(regexp_replace(normalize($1, NFKD), '[\u0300-\u036f]', '', 'g'), NFKC) END)
$function$;

-- Courses, with their cheapest mode and their searched text.
CREATE TABLE courses (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    openedx_course_id text NOT NULL,
    display_name text NOT NULL,
    short_description text NOT NULL,
    overview text NOT NULL,
    image_url text,
    course_video_url text,
    number text NOT NULL,
    language text,
    self_paced boolean NOT NULL,
    effort text,
    total_minutes integer DEFAULT 0 NOT NULL,
    is_published boolean NOT NULL,
    hidden boolean NOT NULL,
    is_invite_only boolean NOT NULL,
    flagged_new boolean NOT NULL,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    advertised_start text,
    enrollment_start timestamp with time zone,
    enrollment_end timestamp with time zone,
    certificate_available_date timestamp with time zone,
    has_any_active_web_certificate boolean NOT NULL,
    link_to_course text,
    created_at timestamp with time zone NOT NULL,
    -- The full price of the cheapest visible, unexpired mode: derived from course_modes on import, and again when a mode
    -- expires or a dated price begins or ends.
    price bigint,
    -- As `price`.
    currency character(3),
    -- As `price`.
    course_mode text,
    -- The present price in major units, as displayed: lists are ordered by it. Some currencies have four digits (CLF, UYW).
    price_order numeric(20,4),
    -- When a visible mode expires next, or a dated price of one begins or ends.
    next_mode_expiry timestamp with time zone,
    -- Derived from reviews on import.
    avg_rating numeric(2,1),
    -- Derived from reviews on import.
    review_count integer DEFAULT 0 NOT NULL,
    -- One column for all searched texts, with a control character between them, so that a search does not match across two.
    search_text text GENERATED ALWAYS AS (searchable((((display_name || E'\x1f'::text) || short_description) || E'\x1f'::text) || overview)) STORED NOT NULL,
    -- The ids of course_tags beside the searched text, so that one index finds what matches both.
    tag_ids integer[] DEFAULT '{}'::integer[] NOT NULL,
    -- How many learners the course takes, as the platform says or the operator has set. Null: as many as come.
    capacity integer,
    -- Scheme and code, for its lines on documents; null: the seller's.
    service_code jsonb,
    -- Whether a mode has some, so that a list reads the modes of the course for its price.
    has_dated_prices boolean DEFAULT false NOT NULL,
    CONSTRAINT courses_pkey PRIMARY KEY (id),
    CONSTRAINT courses_openedx_course_id_key UNIQUE (openedx_course_id),
    CONSTRAINT courses_capacity_positive CHECK (capacity > 0),
    CONSTRAINT courses_check CHECK ((price IS NULL) = (currency IS NULL) AND (price IS NULL) = (course_mode IS NULL)),
    CONSTRAINT courses_openedx_course_id_check CHECK (length(openedx_course_id) <= 255),
    CONSTRAINT courses_price_check CHECK (price >= 0),
    CONSTRAINT courses_service_code CHECK (jsonb_typeof(service_code) = 'object'::text),
    CONSTRAINT courses_total_minutes_check CHECK (total_minutes >= 0),
    CONSTRAINT courses_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id)
);
CREATE INDEX courses_by_created_at ON courses USING btree (created_at, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_display_name ON courses USING btree (display_name, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_end ON courses USING btree (ends_at, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_end_desc ON courses USING btree (ends_at DESC NULLS LAST, id DESC) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_price ON courses USING btree (price_order, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_price_desc ON courses USING btree (price_order DESC NULLS LAST, id DESC) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_rating ON courses USING btree (avg_rating, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_rating_desc ON courses USING btree (avg_rating DESC NULLS LAST, id DESC) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_start ON courses USING btree (starts_at, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_by_start_desc ON courses USING btree (starts_at DESC NULLS LAST, id DESC) WHERE is_published AND NOT hidden;
CREATE INDEX courses_listed ON courses USING btree (id, organisation_id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_listed_by_language ON courses USING btree (lower(language)) INCLUDE (language, organisation_id, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_listed_by_organisation ON courses USING btree (organisation_id, created_at, id) WHERE is_published AND NOT hidden;
CREATE INDEX courses_listed_by_search ON courses USING gin (search_text gin_trgm_ops, tag_ids) WHERE is_published AND NOT hidden;
CREATE INDEX courses_name_idx ON courses USING gin (searchable(display_name) gin_trgm_ops, searchable(openedx_course_id) gin_trgm_ops);
CREATE INDEX courses_next_mode_expiry_idx ON courses USING btree (next_mode_expiry) WHERE next_mode_expiry IS NOT NULL;
CREATE INDEX courses_own_idx ON courses USING btree (organisation_id, display_name, id);
GRANT DELETE, INSERT, SELECT, UPDATE ON courses TO storefront_worker;
GRANT SELECT ON courses TO storefront_api;

-- The ways to take a course, each with its price.
CREATE TABLE course_modes (
    course_id uuid NOT NULL,
    slug text NOT NULL,
    display_name text NOT NULL,
    price bigint NOT NULL,
    currency character(3) NOT NULL,
    price_order numeric(20,4) NOT NULL,
    expires_at timestamp with time zone,
    visible boolean NOT NULL,
    description text,
    upsellable_course_modes text[] DEFAULT '{}'::text[] NOT NULL,
    -- The name of the mode in links of the platform, such as its upgrade buttons: `{course id}.{mode}`, which `catalog sync
    -- --skus` writes there, or an operator's own.
    sku text,
    -- The name of seats in the mode, as `sku`.
    bulk_sku text,
    -- As the catalog file has them: {name, from?, until?, price | percent_off}. The lowest that holds is the price; `price` is
    -- the full one.
    dated_prices jsonb DEFAULT '[]'::jsonb NOT NULL,
    -- How many days of access it gives: to the end of as many days at the seller after that of the grant. Null: they do not
    -- count.
    access_days integer,
    -- When access to it ends at the latest. Null: never.
    access_until timestamp with time zone,
    CONSTRAINT course_modes_pkey PRIMARY KEY (course_id, slug),
    CONSTRAINT course_modes_access_days CHECK (access_days >= 1 AND access_days <= 36500),
    CONSTRAINT course_modes_bulk_sku_length CHECK (length(bulk_sku) >= 1 AND length(bulk_sku) <= 255),
    CONSTRAINT course_modes_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT course_modes_dated_prices CHECK (jsonb_typeof(dated_prices) = 'array'::text),
    CONSTRAINT course_modes_price_check CHECK (price >= 0),
    CONSTRAINT course_modes_sku_length CHECK (length(sku) >= 1 AND length(sku) <= 255),
    CONSTRAINT course_modes_slug_check CHECK (slug = ANY (ARRAY['audit'::text, 'honor'::text, 'verified'::text, 'professional'::text, 'no-id-professional'::text, 'credit'::text, 'masters'::text, 'executive-education'::text, 'paid-executive-education'::text, 'unpaid-executive-education'::text, 'paid-bootcamp'::text, 'unpaid-bootcamp'::text])),
    CONSTRAINT course_modes_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id) ON DELETE CASCADE
);
CREATE INDEX course_modes_bulk_sku_idx ON course_modes USING btree (bulk_sku) WHERE bulk_sku IS NOT NULL;
CREATE INDEX course_modes_sku_idx ON course_modes USING btree (sku) WHERE sku IS NOT NULL;
GRANT DELETE, INSERT, SELECT, UPDATE ON course_modes TO storefront_worker;
GRANT SELECT ON course_modes TO storefront_api;

-- Outlines as the api shows them, and structures as nested nodes. Validated on import.
CREATE TABLE course_contents (
    course_id uuid NOT NULL,
    outline jsonb,
    structure jsonb,
    CONSTRAINT course_contents_pkey PRIMARY KEY (course_id),
    CONSTRAINT course_contents_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id) ON DELETE CASCADE
);
GRANT DELETE, INSERT, SELECT, UPDATE ON course_contents TO storefront_worker;
GRANT SELECT ON course_contents TO storefront_api;

-- Programs, which are sold as a whole.
CREATE TABLE programs (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    about text NOT NULL,
    achievements text NOT NULL,
    duration integer,
    duration_metric text,
    image text,
    price bigint,
    currency character(3),
    price_order numeric(20,4),
    is_invite_only boolean NOT NULL,
    is_published boolean NOT NULL,
    avg_rating numeric(2,1),
    created_at timestamp with time zone NOT NULL,
    search_text text GENERATED ALWAYS AS (searchable((((name || E'\x1f'::text) || description) || E'\x1f'::text) || about)) STORED NOT NULL,
    -- As that of courses.
    service_code jsonb,
    -- As those of course_modes.
    dated_prices jsonb DEFAULT '[]'::jsonb NOT NULL,
    -- As that of course_modes, for all courses of a sale. Those of the courses' modes do not count then.
    access_days integer,
    -- As that of course_modes.
    access_until timestamp with time zone,
    CONSTRAINT programs_pkey PRIMARY KEY (id),
    CONSTRAINT programs_access_days CHECK (access_days >= 1 AND access_days <= 36500),
    CONSTRAINT programs_check CHECK ((price IS NULL) = (currency IS NULL)),
    CONSTRAINT programs_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT programs_dated_prices CHECK (jsonb_typeof(dated_prices) = 'array'::text),
    CONSTRAINT programs_duration_check CHECK (duration > 0),
    CONSTRAINT programs_duration_metric_check CHECK (duration_metric = ANY (ARRAY['hours'::text, 'days'::text, 'weeks'::text, 'months'::text, 'years'::text])),
    CONSTRAINT programs_price_check CHECK (price >= 0),
    CONSTRAINT programs_service_code CHECK (jsonb_typeof(service_code) = 'object'::text),
    CONSTRAINT programs_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id)
);
CREATE INDEX programs_by_created_at ON programs USING btree (created_at, id) WHERE is_published;
CREATE INDEX programs_name_idx ON programs USING gin (searchable(name) gin_trgm_ops);
CREATE INDEX programs_organisation_idx ON programs USING btree (organisation_id);
CREATE INDEX programs_search_idx ON programs USING gin (search_text gin_trgm_ops);
GRANT DELETE, INSERT, SELECT, UPDATE ON programs TO storefront_worker;
GRANT SELECT ON programs TO storefront_api;

-- The courses of a program.
CREATE TABLE program_courses (
    program_id uuid NOT NULL,
    course_id uuid NOT NULL,
    "position" integer NOT NULL,
    CONSTRAINT program_courses_pkey PRIMARY KEY (program_id, course_id),
    CONSTRAINT program_courses_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id),
    CONSTRAINT program_courses_program_id_fkey FOREIGN KEY (program_id) REFERENCES programs(id) ON DELETE CASCADE
);
CREATE INDEX program_courses_course_idx ON program_courses USING btree (course_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON program_courses TO storefront_worker;
GRANT SELECT ON program_courses TO storefront_api;

-- Names of tags.
CREATE TABLE tags (
    id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
    name text NOT NULL,
    CONSTRAINT tags_pkey PRIMARY KEY (id),
    CONSTRAINT tags_name_check CHECK (name <> ''::text)
);
CREATE UNIQUE INDEX tags_name_key ON tags USING btree (lower(name));
GRANT DELETE, INSERT, SELECT, UPDATE ON tags TO storefront_worker;
GRANT SELECT ON tags TO storefront_api;

-- The tags of courses.
CREATE TABLE course_tags (
    course_id uuid NOT NULL,
    tag_id integer NOT NULL,
    CONSTRAINT course_tags_pkey PRIMARY KEY (course_id, tag_id),
    CONSTRAINT course_tags_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id) ON DELETE CASCADE,
    CONSTRAINT course_tags_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES tags(id)
);
CREATE INDEX course_tags_tag_idx ON course_tags USING btree (tag_id, course_id);
CREATE TRIGGER course_tags_deleted AFTER DELETE ON course_tags REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_course_tag_ids();
CREATE TRIGGER course_tags_inserted AFTER INSERT ON course_tags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_course_tag_ids();
GRANT DELETE, INSERT, SELECT ON course_tags TO storefront_worker;
GRANT SELECT ON course_tags TO storefront_api;

-- The tags of programs.
CREATE TABLE program_tags (
    program_id uuid NOT NULL,
    tag_id integer NOT NULL,
    CONSTRAINT program_tags_pkey PRIMARY KEY (program_id, tag_id),
    CONSTRAINT program_tags_program_id_fkey FOREIGN KEY (program_id) REFERENCES programs(id) ON DELETE CASCADE,
    CONSTRAINT program_tags_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES tags(id)
);
CREATE INDEX program_tags_tag_idx ON program_tags USING btree (tag_id, program_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON program_tags TO storefront_worker;
GRANT SELECT ON program_tags TO storefront_api;

-- Reviews of courses and programs.
CREATE TABLE reviews (
    id uuid NOT NULL,
    course_id uuid,
    program_id uuid,
    rating smallint NOT NULL,
    title text NOT NULL,
    comment text NOT NULL,
    author_name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT reviews_pkey PRIMARY KEY (id),
    CONSTRAINT reviews_one_subject CHECK (num_nonnulls(course_id, program_id) = 1),
    CONSTRAINT reviews_rating_check CHECK (rating >= 1 AND rating <= 5),
    CONSTRAINT reviews_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id) ON DELETE CASCADE,
    CONSTRAINT reviews_program_id_fkey FOREIGN KEY (program_id) REFERENCES programs(id) ON DELETE CASCADE
);
CREATE INDEX reviews_course_idx ON reviews USING btree (course_id, created_at DESC) WHERE course_id IS NOT NULL;
CREATE INDEX reviews_program_idx ON reviews USING btree (program_id, created_at DESC) WHERE program_id IS NOT NULL;
GRANT DELETE, INSERT, SELECT, UPDATE ON reviews TO storefront_worker;
GRANT SELECT ON reviews TO storefront_api;

-- Banners of organisations.
CREATE TABLE banners (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    title text NOT NULL,
    image_url text NOT NULL,
    link_url text,
    "position" integer NOT NULL,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    CONSTRAINT banners_pkey PRIMARY KEY (id),
    CONSTRAINT banners_check CHECK (ends_at > starts_at),
    CONSTRAINT banners_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE
);
CREATE INDEX banners_organisation_idx ON banners USING btree (organisation_id, "position");
GRANT DELETE, INSERT, SELECT, UPDATE ON banners TO storefront_worker;
GRANT SELECT ON banners TO storefront_api;

-- A digest of each record as last imported: an unchanged one is not written again.
CREATE TABLE imported_records (
    kind text NOT NULL,
    key text NOT NULL,
    digest bytea NOT NULL,
    CONSTRAINT imported_records_pkey PRIMARY KEY (kind, key)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON imported_records TO storefront_worker;

-- Which organisation gets the courses of an organisation of the course platform, where the short names differ, and whose
-- prices count. Without an organisation its courses are left out.
CREATE TABLE platform_organisations (
    org text NOT NULL,
    organisation_id uuid,
    prices text NOT NULL,
    CONSTRAINT platform_organisations_org_check CHECK (org <> ''::text),
    CONSTRAINT platform_organisations_prices_check CHECK (prices = ANY (ARRAY['platform'::text, 'own'::text])),
    CONSTRAINT platform_organisations_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX platform_organisations_org_key ON platform_organisations USING btree (lower(org));
CREATE INDEX platform_organisations_organisation_idx ON platform_organisations USING btree (organisation_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON platform_organisations TO storefront_worker;

-- Courses that came from the course platform. The sync never touches others.
CREATE TABLE synced_courses (
    course_id uuid NOT NULL,
    -- When the platform was queried: an older answer never replaces a newer one.
    synced_at timestamp with time zone NOT NULL,
    -- The sync has unpublished the course, because the platform no longer has it. It is published again when it returns.
    withdrawn boolean DEFAULT false NOT NULL,
    CONSTRAINT synced_courses_pkey PRIMARY KEY (course_id),
    CONSTRAINT synced_courses_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id) ON DELETE CASCADE
);
GRANT DELETE, INSERT, SELECT, UPDATE ON synced_courses TO storefront_worker;

-- Courses that the event bus has named, each until it is synchronised.
CREATE TABLE catalog_sync_requests (
    openedx_course_id text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    CONSTRAINT catalog_sync_requests_pkey PRIMARY KEY (openedx_course_id),
    CONSTRAINT catalog_sync_requests_openedx_course_id_check CHECK (length(openedx_course_id) <= 255)
);
CREATE INDEX catalog_sync_requests_due_idx ON catalog_sync_requests USING btree (due_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON catalog_sync_requests TO storefront_worker;

-- One row, inserted by the first full sync: when the last one ended.
CREATE TABLE catalog_sync_state (
    only_row boolean DEFAULT true NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    CONSTRAINT catalog_sync_state_pkey PRIMARY KEY (only_row),
    CONSTRAINT catalog_sync_state_only_row_check CHECK (only_row)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON catalog_sync_state TO storefront_worker;

-- Accounts of the course platform that the storefront has met.
CREATE TABLE learners (
    id uuid NOT NULL,
    platform_user_id bigint NOT NULL,
    username text NOT NULL,
    -- Trimmed and lower-cased; null once the address has moved to another account.
    email text,
    -- The last address of a learner whose address the platform no longer knows. A retired account looks the same, and without
    -- its address neither a check for retirement nor an operator would find the learner.
    former_email text,
    name text NOT NULL,
    -- When the platform was last queried whether the learner's account is retired.
    retirement_checked_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    -- A tag of BCP 47, as the course platform knows it; null if it does not say.
    language text,
    -- When the platform is queried again whether the account is retired; null: it never was.
    retirement_due_at timestamp with time zone,
    CONSTRAINT learners_pkey PRIMARY KEY (id),
    CONSTRAINT learners_email_key UNIQUE (email),
    CONSTRAINT learners_platform_user_id_key UNIQUE (platform_user_id),
    CONSTRAINT learners_email_check CHECK (email = lower(btrim(email)))
);
CREATE INDEX learners_former_email_idx ON learners USING btree (former_email) WHERE former_email IS NOT NULL;
CREATE INDEX learners_retirement_idx ON learners USING btree (COALESCE(retirement_due_at, '-infinity'::timestamp with time zone)) WHERE email IS NOT NULL OR former_email IS NOT NULL;
GRANT DELETE, INSERT, SELECT, UPDATE ON learners TO storefront_worker;
GRANT SELECT (id, platform_user_id) ON learners TO storefront_api;

-- Who may buy at a closed organisation.
CREATE TABLE organisation_members (
    organisation_id uuid NOT NULL,
    learner_id uuid NOT NULL,
    CONSTRAINT organisation_members_pkey PRIMARY KEY (organisation_id, learner_id),
    CONSTRAINT organisation_members_learner_id_fkey FOREIGN KEY (learner_id) REFERENCES learners(id) ON DELETE CASCADE,
    CONSTRAINT organisation_members_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE
);
CREATE INDEX organisation_members_learner_idx ON organisation_members USING btree (learner_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON organisation_members TO storefront_worker;
GRANT SELECT ON organisation_members TO storefront_api;

-- The people who work for an organisation with accounts at the course platform, and what each may do at its support desk.
-- The name and the address are those of the account when the person was added.
CREATE TABLE staff (
    organisation_id uuid NOT NULL,
    learner_id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    roles text[] NOT NULL,
    added_at timestamp with time zone NOT NULL,
    CONSTRAINT staff_pkey PRIMARY KEY (organisation_id, learner_id),
    CONSTRAINT staff_email_check CHECK (email = lower(btrim(email))),
    CONSTRAINT staff_roles_check CHECK (cardinality(roles) > 0 AND roles <@ ARRAY['support'::text, 'finance'::text, 'manager'::text]),
    CONSTRAINT staff_learner_id_fkey FOREIGN KEY (learner_id) REFERENCES learners(id) ON DELETE CASCADE,
    CONSTRAINT staff_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE
);
CREATE INDEX staff_learner_idx ON staff USING btree (learner_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON staff TO storefront_worker;
GRANT SELECT ON staff TO storefront_api;

-- The keys of organisations' own systems, as hashes, with their scopes: a backend reads its orders, pays money back and
-- manages its vouchers with one.
CREATE TABLE organisation_keys (
    -- The middle part of `sk_{id}_{secret}`; logs and the audit log name a key by it.
    id text NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    -- SHA-256 of the secret.
    secret_hash bytea NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    CONSTRAINT organisation_keys_pkey PRIMARY KEY (id),
    CONSTRAINT organisation_keys_id_check CHECK (id ~ '^[0-9a-f]{12}$'::text),
    CONSTRAINT organisation_keys_scopes_check CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['orders'::text, 'refunds'::text, 'vouchers'::text, 'seats'::text, 'events'::text, 'reports'::text, 'support'::text, 'payments'::text, 'documents'::text]),
    CONSTRAINT organisation_keys_secret_hash_check CHECK (length(secret_hash) = 32),
    CONSTRAINT organisation_keys_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE
);
CREATE INDEX organisation_keys_organisation_idx ON organisation_keys USING btree (organisation_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON organisation_keys TO storefront_worker;
GRANT SELECT (id, organisation_id, secret_hash, scopes, revoked_at) ON organisation_keys TO storefront_api;

-- Mails that wait to be sent, those that were refused or came back, and, where reports of them are taken, those that were
-- sent. Their messages carry the id alone, so that no queue keeps an address. The columns beside the mail say what it is
-- about without its content, which can hold codes.
CREATE TABLE mails (
    id uuid NOT NULL,
    recipient text NOT NULL,
    mail jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    -- Until when a delivery holds the mail: another delivery of the same message waits, and takes it over after a crash.
    leased_until timestamp with time zone,
    -- When the mail server refused the mail, or it came back or was marked as spam. It stays until it is sent again or
    -- forgotten.
    failed_at timestamp with time zone,
    -- Why it has failed, without an address.
    failed_reason text,
    template text GENERATED ALWAYS AS (mail ->> 'template'::text) STORED,
    organisation_id uuid GENERATED ALWAYS AS ((mail ->> 'organisation_id'::text)::uuid) STORED,
    cart_id uuid GENERATED ALWAYS AS ((mail ->> 'cart_id'::text)::uuid) STORED,
    -- A tag of BCP 47.
    language text DEFAULT 'en'::text NOT NULL,
    -- When it is looked at again, if it has to wait for its document; set until it is sent or refused, so that it is kept.
    held_until timestamp with time zone,
    -- True once it goes without its document, which follows in a mail of its own.
    goes_without boolean DEFAULT false NOT NULL,
    -- When the mail server has taken the mail. One of which no report can come is deleted then.
    sent_at timestamp with time zone,
    -- What was reported of it since, the word of the list that comes last: a mail that came back is not delivered by a late
    -- report.
    fate text,
    voucher_id uuid GENERATED ALWAYS AS ((mail ->> 'voucher_id'::text)::uuid) STORED,
    CONSTRAINT mails_pkey PRIMARY KEY (id),
    CONSTRAINT mails_failed_with_reason CHECK ((failed_at IS NULL) = (failed_reason IS NULL)),
    CONSTRAINT mails_fate_check CHECK (fate = ANY (ARRAY['deferred'::text, 'delivered'::text, 'bounced'::text, 'complained'::text])),
    CONSTRAINT mails_fate_of_sent CHECK (fate IS NULL OR sent_at IS NOT NULL)
);
CREATE INDEX mails_cart_idx ON mails USING btree (cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX mails_created_idx ON mails USING btree (created_at);
CREATE INDEX mails_failed_idx ON mails USING btree (organisation_id, failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX mails_held_idx ON mails USING btree (held_until) WHERE held_until IS NOT NULL;
CREATE INDEX mails_recipient_idx ON mails USING btree (recipient);
CREATE TRIGGER mails_event AFTER UPDATE OF failed_at ON mails FOR EACH ROW WHEN (old.failed_at IS NULL AND new.failed_at IS NOT NULL) EXECUTE FUNCTION mail_event();
GRANT DELETE, INSERT, SELECT, UPDATE ON mails TO storefront_worker;
GRANT SELECT (id, recipient, created_at, failed_at, failed_reason, template, organisation_id, cart_id, sent_at, fate, voucher_id) ON mails TO storefront_api;

-- Messages that could not be processed and concern an organisation, so that its managers see them and decide about them.
-- The messages themselves stay at the broker, with all others.
CREATE TABLE dead_letters (
    -- The id of the message.
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    -- The order that it concerns, if it concerns one.
    cart_id uuid,
    kind text NOT NULL,
    -- Without addresses.
    reason text NOT NULL,
    died_at timestamp with time zone NOT NULL,
    CONSTRAINT dead_letters_pkey PRIMARY KEY (id),
    CONSTRAINT dead_letters_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id) ON DELETE SET NULL,
    CONSTRAINT dead_letters_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id)
);
CREATE INDEX dead_letters_cart_idx ON dead_letters USING btree (cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX dead_letters_died_idx ON dead_letters USING btree (died_at);
CREATE INDEX dead_letters_organisation_idx ON dead_letters USING btree (organisation_id, died_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON dead_letters TO storefront_worker;
GRANT SELECT ON dead_letters TO storefront_api;

-- The invitations of the last day, which are limited for each address.
CREATE TABLE invitations (
    email text NOT NULL,
    invited_at timestamp with time zone NOT NULL
);
CREATE INDEX invitations_email_idx ON invitations USING btree (email, invited_at);
CREATE INDEX invitations_invited_idx ON invitations USING btree (invited_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON invitations TO storefront_worker;

-- The only transitions of the states of carts, transactions, refunds and withdrawals; `refuse_other_moves` refuses every
-- other one.
CREATE TABLE allowed_moves (
    entity text NOT NULL,
    from_state text NOT NULL,
    to_state text NOT NULL,
    CONSTRAINT allowed_moves_pkey PRIMARY KEY (entity, from_state, to_state)
);
GRANT SELECT ON allowed_moves TO storefront_worker;

-- Commands with their answers: a request with the same Idempotency-Key gets the same answer.
CREATE TABLE commands (
    id uuid NOT NULL,
    type text NOT NULL,
    -- The route and caller that an Idempotency-Key belongs to.
    scope text,
    idempotency_key text,
    request_hash bytea,
    answer jsonb,
    -- While unanswered: until when the command that claimed the key may work on it undisturbed.
    lease_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT commands_pkey PRIMARY KEY (id),
    CONSTRAINT commands_idempotency_key UNIQUE (scope, idempotency_key),
    CONSTRAINT commands_idempotency_key_check CHECK (length(idempotency_key) <= 255),
    CONSTRAINT commands_keyed CHECK (num_nulls(scope, idempotency_key, request_hash) = ANY (ARRAY[0, 3]))
);
CREATE INDEX commands_created_at_idx ON commands USING btree (created_at);
CREATE INDEX commands_unanswered_idx ON commands USING btree (lease_until) WHERE answer IS NULL;
GRANT DELETE, INSERT, SELECT, UPDATE ON commands TO storefront_worker;

-- Messages that follow a commit, published by a relay that deletes them once the broker has them.
CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    message_id uuid NOT NULL,
    type text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    -- A job that waits for the platform's verdict makes the first attempt itself; its message is sent only if that attempt
    -- fails. Null: publish at once.
    not_before timestamp with time zone,
    -- The W3C traceparent of the job that wrote the message, so that the message's job belongs to the same trace. Null outside
    -- of jobs.
    traceparent text,
    CONSTRAINT outbox_pkey PRIMARY KEY (id)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON outbox TO storefront_worker;

-- Which worker does a piece of work at present.
CREATE TABLE leases (
    name text NOT NULL,
    holder uuid NOT NULL,
    -- By the database server's clock. The holder extends it while it works.
    until timestamp with time zone NOT NULL,
    CONSTRAINT leases_pkey PRIMARY KEY (name)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON leases TO storefront_worker;

-- Every change of state and every act of an operator; append-only.
CREATE TABLE audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    at timestamp with time zone NOT NULL,
    entity text NOT NULL,
    -- For `key`, the organisation's; the detail names the key.
    entity_id uuid NOT NULL,
    -- client, guest, a learner's platform user id, an operator's name, or system.
    actor text NOT NULL,
    command_id uuid NOT NULL,
    from_state text,
    to_state text NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    -- The step of a trace that has made the change, as a `traceparent`, so that an operator finds its log lines and spans.
    -- Null outside of a request or a message.
    trace text,
    CONSTRAINT audit_log_pkey PRIMARY KEY (id),
    CONSTRAINT audit_log_entity_check CHECK (entity = ANY (ARRAY['enrollment'::text, 'cart'::text, 'transaction'::text, 'membership'::text, 'refund'::text, 'key'::text, 'gateway'::text, 'message'::text, 'catalog'::text, 'learner'::text, 'endpoint'::text, 'voucher'::text, 'staff'::text, 'withdrawal'::text, 'books'::text]))
);
CREATE INDEX audit_log_entity_idx ON audit_log USING btree (entity, entity_id, id);
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
GRANT INSERT, SELECT ON audit_log TO storefront_worker;
GRANT SELECT (id, at, entity, entity_id, actor, from_state, to_state, detail) ON audit_log TO storefront_api;

-- Leaves of a tax number what tells numbers apart, as `TaxId::plain` of the programs reads them.
CREATE FUNCTION plain_tax_id(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
    SELECT upper(regexp_replace(normalize($1, NFKC), '[^[:alnum:]+*]', '', 'g'))
$function$;

-- Leaves of a reference its letters and digits, without case, blanks and punctuation, as people type them. Null if nothing
-- is left.
CREATE FUNCTION plain_reference(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
    SELECT nullif(upper(regexp_replace(normalize($1, NFKC), '[^[:alnum:]]', '', 'g')), '')
$function$;

-- Each checkout: its buyer, state, total and terms of tax.
CREATE TABLE carts (
    -- The id of the command that made it, so that a caller who got no answer knows it too.
    id uuid NOT NULL,
    kind text NOT NULL,
    -- The platform user id of a learner, or `guest:` and the address.
    buyer text NOT NULL,
    email text NOT NULL,
    learner_id uuid,
    organisation_id uuid NOT NULL,
    state text NOT NULL,
    -- Items, modes, prices and country: two checkouts with the same hash are the same.
    basket_hash bytea NOT NULL,
    country character(2),
    currency character(3) NOT NULL,
    total bigint NOT NULL,
    -- The voucher that was redeemed.
    voucher_id uuid,
    -- How the cart was taxed; null if its organisation was not a seller.
    tax_terms jsonb,
    billing_address jsonb,
    created_at timestamp with time zone NOT NULL,
    paid_at timestamp with time zone,
    fulfilled_at timestamp with time zone,
    -- When the reconciler last queued the cart's fulfilment: it queues no other one until that has had its time.
    fulfil_requested_at timestamp with time zone,
    -- Since when a paid cart's access waits for an operator, because the access that it upgrades has ended.
    grant_blocked_at timestamp with time zone,
    -- The terms that apply to the order, and what its buyer agreed to, as of the checkout: {terms, begin_now, loses_right, at,
    -- kind, days, terms_url?, terms_version?}. Null: the buyer has no right of withdrawal by these terms, as for seats and
    -- companies.
    consents jsonb,
    -- A tag of BCP 47. It is decided once, when the order is made, and every mail about it is written in it, for every cause
    -- of the mail.
    language text DEFAULT 'en'::text NOT NULL,
    -- How the buyer's or the seller's own systems know the order. It does not decide whether two checkouts are the same
    -- attempt.
    reference text,
    -- What the buyer's or the seller's own systems keep with the order, as `reference`.
    metadata jsonb,
    -- The version that the links of the order have, those of its documents, pools of seats and withdrawals included. Links of
    -- mails end with the address to which they were sent: a correction of the order's address raises it.
    link_version integer DEFAULT 0 NOT NULL,
    -- The buyer that the support asks finance to put on an invoice, as its tax is paid back then; null unless that waits.
    asked_invoice jsonb,
    -- The site that sold the order before it was moved in, by its domain; null: this storefront. Such an order is a record:
    -- nothing is charged, granted, documented, mailed or paid back for it here, and it has no events. Its number is the
    -- reference.
    former_shop text,
    CONSTRAINT carts_pkey PRIMARY KEY (id),
    CONSTRAINT carts_asked_invoice CHECK (jsonb_typeof(asked_invoice) = 'object'::text),
    CONSTRAINT carts_cancelled_unpaid CHECK (state <> 'cancelled'::text OR paid_at IS NULL),
    CONSTRAINT carts_consents CHECK (jsonb_typeof(consents) = 'object'::text),
    CONSTRAINT carts_country_check CHECK (country ~ '^[A-Z]{2}$'::text),
    CONSTRAINT carts_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT carts_email_check CHECK (email = lower(btrim(email))),
    CONSTRAINT carts_former_shop CHECK (length(former_shop) >= 1 AND length(former_shop) <= 255),
    CONSTRAINT carts_kind_check CHECK (kind = ANY (ARRAY['discovery'::text, 'learner'::text])),
    CONSTRAINT carts_language_check CHECK (length(language) >= 2 AND length(language) <= 35),
    CONSTRAINT carts_metadata_check CHECK (jsonb_typeof(metadata) = 'object'::text),
    CONSTRAINT carts_reference_check CHECK (length(reference) >= 1 AND length(reference) <= 64),
    CONSTRAINT carts_state_check CHECK (state = ANY (ARRAY['open'::text, 'pending_payment'::text, 'held'::text, 'paid'::text, 'fulfilled'::text, 'cancelled'::text, 'expired'::text, 'refunded'::text])),
    CONSTRAINT carts_tax_terms CHECK (jsonb_typeof(tax_terms) = 'object'::text),
    CONSTRAINT carts_total_check CHECK (total >= 0),
    CONSTRAINT carts_learner_id_fkey FOREIGN KEY (learner_id) REFERENCES learners(id),
    CONSTRAINT carts_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id),
    CONSTRAINT carts_voucher_id_fkey FOREIGN KEY (voucher_id) REFERENCES vouchers(id)
);
CREATE INDEX carts_asked_invoice_idx ON carts USING btree (organisation_id) WHERE asked_invoice IS NOT NULL;
CREATE INDEX carts_billing_company_idx ON carts USING gin (searchable(billing_address ->> 'company'::text) gin_trgm_ops) WHERE (billing_address ->> 'company'::text) IS NOT NULL;
CREATE INDEX carts_billing_name_idx ON carts USING gin (searchable(billing_address ->> 'name'::text) gin_trgm_ops) WHERE (billing_address ->> 'name'::text) IS NOT NULL;
CREATE INDEX carts_billing_tax_id_idx ON carts USING btree (organisation_id, plain_tax_id(billing_address ->> 'tax_id'::text)) WHERE (billing_address ->> 'tax_id'::text) IS NOT NULL;
CREATE INDEX carts_buyer_idx ON carts USING btree (buyer, organisation_id);
CREATE INDEX carts_email_idx ON carts USING btree (email, organisation_id, created_at DESC, id DESC);
CREATE INDEX carts_former_number_idx ON carts USING btree (reference) WHERE former_shop IS NOT NULL;
CREATE INDEX carts_held_idx ON carts USING btree (email) WHERE state = 'held'::text;
CREATE INDEX carts_held_since_idx ON carts USING btree (created_at) WHERE state = 'held'::text;
CREATE UNIQUE INDEX carts_learner_cart_key ON carts USING btree (buyer, organisation_id) WHERE (state = ANY (ARRAY['open'::text, 'pending_payment'::text])) AND kind = 'learner'::text;
CREATE INDEX carts_learner_idx ON carts USING btree (learner_id) WHERE learner_id IS NOT NULL;
CREATE UNIQUE INDEX carts_live_attempt_key ON carts USING btree (buyer, organisation_id, basket_hash) WHERE (state = ANY (ARRAY['open'::text, 'pending_payment'::text, 'held'::text])) AND kind = 'discovery'::text;
CREATE INDEX carts_on_account_idx ON carts USING btree (fulfil_requested_at) WHERE state = 'pending_payment'::text AND fulfil_requested_at IS NOT NULL;
CREATE INDEX carts_open_idx ON carts USING btree (created_at) WHERE state = 'open'::text;
CREATE INDEX carts_organisation_idx ON carts USING btree (organisation_id, created_at DESC, id DESC);
CREATE INDEX carts_organisation_paid_idx ON carts USING btree (organisation_id, paid_at) WHERE paid_at IS NOT NULL;
CREATE INDEX carts_organisation_state_idx ON carts USING btree (organisation_id, state, created_at DESC, id DESC);
CREATE INDEX carts_paid_idx ON carts USING btree (paid_at) WHERE state = 'paid'::text;
CREATE INDEX carts_plain_reference_idx ON carts USING btree (organisation_id, plain_reference(reference)) WHERE reference IS NOT NULL;
CREATE INDEX carts_reference_idx ON carts USING btree (organisation_id, reference, created_at DESC, id DESC) WHERE reference IS NOT NULL;
CREATE INDEX carts_unbought_idx ON carts USING btree (created_at) WHERE (state = ANY (ARRAY['cancelled'::text, 'expired'::text, 'pending_payment'::text])) AND email !~~ '%@erased.invalid'::text;
CREATE INDEX carts_voucher_idx ON carts USING btree (voucher_id) WHERE voucher_id IS NOT NULL;
CREATE TRIGGER carts_event AFTER UPDATE OF state ON carts FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state AND new.former_shop IS NULL) EXECUTE FUNCTION cart_event();
CREATE TRIGGER carts_moves BEFORE UPDATE OF state ON carts FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();
CREATE TRIGGER carts_new_event AFTER INSERT ON carts FOR EACH ROW WHEN (new.former_shop IS NULL) EXECUTE FUNCTION cart_event();
CREATE TRIGGER carts_paid_event AFTER UPDATE OF paid_at ON carts FOR EACH ROW WHEN (old.paid_at IS NULL AND new.paid_at IS NOT NULL AND old.state = new.state) EXECUTE FUNCTION cart_event('paid');
CREATE TRIGGER carts_seats AFTER UPDATE OF state ON carts FOR EACH ROW WHEN (old.state = 'held'::text AND new.state = 'cancelled'::text) EXECUTE FUNCTION seats_follow_cart();
CREATE TRIGGER carts_seats_buyer AFTER UPDATE OF email, buyer ON carts FOR EACH ROW WHEN (old.email IS DISTINCT FROM new.email OR old.buyer IS DISTINCT FROM new.buyer) EXECUTE FUNCTION seats_follow_buyer();
CREATE TRIGGER carts_voucher_address AFTER UPDATE OF email ON carts FOR EACH ROW WHEN (new.voucher_id IS NOT NULL AND old.email <> new.email) EXECUTE FUNCTION voucher_use_follows_address();
CREATE TRIGGER carts_voucher_use AFTER UPDATE OF state ON carts FOR EACH ROW WHEN (new.voucher_id IS NOT NULL AND old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION voucher_use_follows_cart();
GRANT DELETE, INSERT, SELECT, UPDATE ON carts TO storefront_worker;
GRANT SELECT (id, kind, buyer, email, learner_id, organisation_id, state, currency, total, voucher_id, tax_terms, billing_address, created_at, paid_at, fulfilled_at, fulfil_requested_at, grant_blocked_at, consents, language, reference, metadata, link_version, asked_invoice, former_shop) ON carts TO storefront_api;

-- The lines of a cart, with the prices that the checkout fixed. A line costs `price + tax_on_top`.
CREATE TABLE cart_items (
    id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    cart_id uuid NOT NULL,
    "position" integer NOT NULL,
    course_id uuid,
    program_id uuid,
    name text NOT NULL,
    mode text NOT NULL,
    -- How many places the line buys for others; null: one for the buyer. Prices and tax are those of all of them.
    seats integer,
    original_price bigint NOT NULL,
    discount_pct numeric(5,2) NOT NULL,
    price bigint NOT NULL,
    -- What the voucher takes off; `price` is what is left.
    voucher_discount bigint DEFAULT 0 NOT NULL,
    tax bigint DEFAULT 0 NOT NULL,
    tax_on_top bigint DEFAULT 0 NOT NULL,
    -- The line's share of the payment, if the buyer was charged another amount than the lines cost together: less with an
    -- offer of the provider, or an amount that an operator has confirmed. Null: the line's cost. Refunds are computed from it.
    charged bigint,
    -- Refunded or being refunded. Raised when a refund is requested, lowered when it fails.
    refunded bigint DEFAULT 0 NOT NULL,
    -- When a refund or a lost dispute ended the access to the courses of this line.
    access_ended_at timestamp with time zone,
    -- The mode that the buyer held already.
    upgrade_from text,
    -- The grant whose price reduced an upgrade's price. The upgrade ends when that grant is refunded.
    rests_on uuid,
    -- Name of the dated price at which the line was sold; null: at the full price.
    price_name text,
    -- The days of access with which it was sold; as that of course_modes.
    access_days integer,
    -- The latest end of access with which it was sold.
    access_until timestamp with time zone,
    CONSTRAINT cart_items_pkey PRIMARY KEY (id),
    CONSTRAINT cart_items_position_key UNIQUE (cart_id, "position"),
    CONSTRAINT cart_items_charged CHECK (charged >= 0),
    CONSTRAINT cart_items_discount_pct_check CHECK (discount_pct >= 0::numeric AND discount_pct <= 100::numeric),
    CONSTRAINT cart_items_one_subject CHECK (num_nonnulls(course_id, program_id) = 1),
    CONSTRAINT cart_items_original_price_check CHECK (original_price >= 0),
    CONSTRAINT cart_items_price CHECK (price >= 0 AND price <= original_price),
    CONSTRAINT cart_items_refunded_within_charge CHECK (refunded >= 0 AND refunded <= COALESCE(charged, price + tax_on_top)),
    CONSTRAINT cart_items_seats CHECK (seats >= 1 AND seats <= 1000),
    CONSTRAINT cart_items_tax CHECK (tax >= 0 AND (tax_on_top = 0 OR tax_on_top = tax)),
    CONSTRAINT cart_items_voucher_discount_check CHECK (voucher_discount >= 0),
    CONSTRAINT cart_items_within_original CHECK ((price + voucher_discount) <= original_price),
    CONSTRAINT cart_items_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id) ON DELETE CASCADE,
    CONSTRAINT cart_items_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id),
    CONSTRAINT cart_items_program_id_fkey FOREIGN KEY (program_id) REFERENCES programs(id),
    CONSTRAINT cart_items_rests_on_fkey FOREIGN KEY (rests_on) REFERENCES enrollment_grants(id)
);
CREATE INDEX cart_items_course_cart_idx ON cart_items USING btree (course_id, cart_id) WHERE course_id IS NOT NULL;
CREATE INDEX cart_items_program_cart_idx ON cart_items USING btree (program_id, cart_id) WHERE program_id IS NOT NULL;
CREATE INDEX cart_items_rests_on_idx ON cart_items USING btree (rests_on) WHERE rests_on IS NOT NULL;
GRANT DELETE, INSERT, SELECT, UPDATE ON cart_items TO storefront_worker;
GRANT SELECT ON cart_items TO storefront_api;

-- The courses that a cart gives access to, programs expanded, frozen with the quote.
CREATE TABLE cart_courses (
    cart_id uuid NOT NULL,
    course_id uuid NOT NULL,
    mode text NOT NULL,
    -- The line that leads to the course: programs change, and what was bought does not.
    "position" integer NOT NULL,
    CONSTRAINT cart_courses_pkey PRIMARY KEY (cart_id, course_id),
    CONSTRAINT cart_courses_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id) ON DELETE CASCADE,
    CONSTRAINT cart_courses_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id)
);
CREATE INDEX cart_courses_course_idx ON cart_courses USING btree (course_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON cart_courses TO storefront_worker;
GRANT SELECT ON cart_courses TO storefront_api;

-- Checkouts that joined the cart of an equal one, so that a caller who got no answer finds it by the id of its own
-- checkout.
CREATE TABLE joined_checkouts (
    id uuid NOT NULL,
    cart_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT joined_checkouts_pkey PRIMARY KEY (id),
    CONSTRAINT joined_checkouts_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id) ON DELETE CASCADE
);
CREATE INDEX joined_checkouts_cart_idx ON joined_checkouts USING btree (cart_id);
CREATE INDEX joined_checkouts_created_at_idx ON joined_checkouts USING btree (created_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON joined_checkouts TO storefront_worker;
GRANT SELECT ON joined_checkouts TO storefront_api;

-- Codes that reduce a price, and pools of seats.
CREATE TABLE vouchers (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    code text NOT NULL,
    kind text NOT NULL,
    percent numeric(5,2),
    -- In minor units of the currency, as `budget` and `spent`.
    amount bigint,
    -- The organisation's when the voucher was made.
    currency character(3) NOT NULL,
    max_uses integer,
    max_uses_per_buyer integer,
    -- In minor units of the currency.
    budget bigint,
    valid_from timestamp with time zone NOT NULL,
    valid_until timestamp with time zone,
    campaign text,
    note text,
    created_at timestamp with time zone NOT NULL,
    -- Stays 0 without `max_uses` and `budget`: then no buyer waits for the row.
    uses integer DEFAULT 0 NOT NULL,
    -- As `uses`.
    spent bigint DEFAULT 0 NOT NULL,
    -- The enrollment mode of a pool's seats; voucher_scope has their course or program. Only pools use this column and those
    -- after it.
    mode text,
    -- The pool's owner.
    email text,
    -- The pool's owner, as in carts.
    buyer text,
    -- The order of the line that paid for the pool; null if it was paid elsewhere.
    cart_id uuid,
    -- The line that paid for the pool; null if it was paid elsewhere.
    "position" integer,
    -- How often a seat was assigned, which limits the mails that a pool can send.
    assigned integer DEFAULT 0 NOT NULL,
    -- Seats that a refund or a dispute has taken off `max_uses`.
    withdrawn integer DEFAULT 0 NOT NULL,
    -- How many days of access a seat gives, as of course_modes. Null, and no `access_until`: as the mode says.
    access_days integer,
    -- When the access of a seat ends at the latest.
    access_until timestamp with time zone,
    CONSTRAINT vouchers_pkey PRIMARY KEY (id),
    CONSTRAINT vouchers_code_key UNIQUE (organisation_id, code),
    CONSTRAINT vouchers_line_key UNIQUE (cart_id, "position"),
    CONSTRAINT vouchers_access CHECK (kind = 'seat'::text OR num_nonnulls(access_days, access_until) = 0),
    CONSTRAINT vouchers_access_days CHECK (access_days >= 1 AND access_days <= 36500),
    CONSTRAINT vouchers_amount_check CHECK (amount > 0),
    CONSTRAINT vouchers_campaign_check CHECK (length(campaign) <= 100),
    CONSTRAINT vouchers_code_check CHECK (code ~ '^[A-Z0-9_-]{3,40}$'::text),
    CONSTRAINT vouchers_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT vouchers_kind_check CHECK (kind = ANY (ARRAY['percent'::text, 'amount'::text, 'seat'::text, 'place'::text])),
    CONSTRAINT vouchers_line CHECK ((cart_id IS NULL) = ("position" IS NULL)),
    CONSTRAINT vouchers_max_uses_per_buyer_check CHECK (max_uses_per_buyer >= 1 AND max_uses_per_buyer <= 1000),
    CONSTRAINT vouchers_note_check CHECK (length(note) <= 200),
    CONSTRAINT vouchers_percent_check CHECK (percent > 0::numeric AND percent <= 100::numeric),
    CONSTRAINT vouchers_seat CHECK (
CASE
    WHEN kind = 'seat'::text THEN num_nonnulls(mode, email, buyer, max_uses) = 4 AND max_uses_per_buyer = 1 AND budget IS NULL
    ELSE num_nonnulls(mode, email, buyer, cart_id) = 0
END),
    CONSTRAINT vouchers_seat_counts CHECK (assigned >= 0 AND withdrawn >= 0),
    CONSTRAINT vouchers_spent_within CHECK (spent >= 0 AND spent <= COALESCE(budget, spent)),
    CONSTRAINT vouchers_uses_within CHECK (uses >= 0 AND uses <= COALESCE(max_uses, uses)),
    CONSTRAINT vouchers_value CHECK ((kind = 'percent'::text) = (percent IS NOT NULL) AND (kind = 'amount'::text) = (amount IS NOT NULL)),
    CONSTRAINT vouchers_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id),
    CONSTRAINT vouchers_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id)
);
CREATE INDEX vouchers_buyer_idx ON vouchers USING btree (organisation_id, buyer) WHERE buyer IS NOT NULL;
CREATE INDEX vouchers_campaign_idx ON vouchers USING btree (organisation_id, campaign) WHERE campaign IS NOT NULL;
CREATE INDEX vouchers_created_idx ON vouchers USING btree (organisation_id, created_at DESC, id);
CREATE INDEX vouchers_email_idx ON vouchers USING btree (email) WHERE email IS NOT NULL;
GRANT INSERT, SELECT ON vouchers TO storefront_worker;
GRANT UPDATE (code, max_uses, budget, valid_until, note, uses, spent, email, buyer, assigned, withdrawn) ON vouchers TO storefront_worker;
GRANT SELECT ON vouchers TO storefront_api;

-- The courses and programs that a voucher is for; without a row, everything that its organisation sells.
CREATE TABLE voucher_scope (
    voucher_id uuid NOT NULL,
    course_id uuid,
    program_id uuid,
    CONSTRAINT voucher_scope_key UNIQUE NULLS NOT DISTINCT (voucher_id, course_id, program_id),
    CONSTRAINT voucher_scope_one_subject CHECK (num_nonnulls(course_id, program_id) = 1),
    CONSTRAINT voucher_scope_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id),
    CONSTRAINT voucher_scope_program_id_fkey FOREIGN KEY (program_id) REFERENCES programs(id),
    CONSTRAINT voucher_scope_voucher_id_fkey FOREIGN KEY (voucher_id) REFERENCES vouchers(id) ON DELETE CASCADE
);
CREATE INDEX voucher_scope_course_idx ON voucher_scope USING btree (course_id) WHERE course_id IS NOT NULL;
CREATE INDEX voucher_scope_program_idx ON voucher_scope USING btree (program_id) WHERE program_id IS NOT NULL;
GRANT INSERT, SELECT ON voucher_scope TO storefront_worker;
GRANT SELECT ON voucher_scope TO storefront_api;

-- The use that a cart makes of its voucher. A use of a pool takes a seat and no money.
CREATE TABLE voucher_uses (
    cart_id uuid NOT NULL,
    voucher_id uuid NOT NULL,
    -- The buyer's.
    email text NOT NULL,
    discount bigint NOT NULL,
    -- Which of the buyer's uses it is, from 1 to `max_uses_per_buyer`; null without that limit.
    slot integer,
    -- held: its cart waits for the payment; released: the cart has ended unpaid; late: it was paid after that and no use was
    -- left, so this one is honoured and not counted.
    state text NOT NULL,
    at timestamp with time zone NOT NULL,
    -- When the owner of the address was last mailed about the seat assigned to it.
    mailed_at timestamp with time zone,
    CONSTRAINT voucher_uses_pkey PRIMARY KEY (cart_id),
    CONSTRAINT voucher_uses_discount_check CHECK (discount >= 0),
    CONSTRAINT voucher_uses_slot_check CHECK (slot > 0),
    CONSTRAINT voucher_uses_state_check CHECK (state = ANY (ARRAY['held'::text, 'used'::text, 'released'::text, 'late'::text])),
    CONSTRAINT voucher_uses_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id) ON DELETE CASCADE,
    CONSTRAINT voucher_uses_voucher_id_fkey FOREIGN KEY (voucher_id) REFERENCES vouchers(id)
);
CREATE INDEX voucher_uses_held_idx ON voucher_uses USING btree (at) WHERE state = 'held'::text;
CREATE UNIQUE INDEX voucher_uses_slot_key ON voucher_uses USING btree (voucher_id, email, slot) WHERE state = ANY (ARRAY['held'::text, 'used'::text]);
CREATE INDEX voucher_uses_voucher_idx ON voucher_uses USING btree (voucher_id, at);
CREATE TRIGGER voucher_uses_counted AFTER INSERT ON voucher_uses FOR EACH ROW WHEN (new.state = ANY (ARRAY['held'::text, 'used'::text])) EXECUTE FUNCTION voucher_use_is_counted();
CREATE TRIGGER voucher_uses_counted_again AFTER UPDATE OF state ON voucher_uses FOR EACH ROW WHEN ((old.state = ANY (ARRAY['held'::text, 'used'::text])) <> (new.state = ANY (ARRAY['held'::text, 'used'::text]))) EXECUTE FUNCTION voucher_use_is_counted();
GRANT INSERT, SELECT, UPDATE ON voucher_uses TO storefront_worker;
GRANT SELECT ON voucher_uses TO storefront_api;

-- Sealed credentials of organisations' accounts with providers; `key_id` names the environment's key that opens them.
CREATE TABLE gateway_credentials (
    organisation_id uuid NOT NULL,
    gateway gateway_name NOT NULL,
    key_id text NOT NULL,
    sealed bytea NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    -- When the provider refused the account's key (401, 403): the reconciler makes no more calls with it until an operator
    -- sets other credentials.
    refused_at timestamp with time zone,
    CONSTRAINT gateway_credentials_pkey PRIMARY KEY (organisation_id, gateway),
    CONSTRAINT gateway_credentials_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE
);
GRANT DELETE, INSERT, SELECT, UPDATE ON gateway_credentials TO storefront_worker;

-- Sealed secrets that sign the notifications of providers, under another key, which the api holds too.
CREATE TABLE notification_secrets (
    organisation_id uuid NOT NULL,
    gateway gateway_name NOT NULL,
    slot text NOT NULL,
    key_id text NOT NULL,
    sealed bytea NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT notification_secrets_pkey PRIMARY KEY (organisation_id, gateway, slot),
    CONSTRAINT notification_secrets_slot_check CHECK (slot = ANY (ARRAY['current'::text, 'previous'::text])),
    CONSTRAINT notification_secrets_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE
);
GRANT DELETE, INSERT, SELECT, UPDATE ON notification_secrets TO storefront_worker;
GRANT SELECT ON notification_secrets TO storefront_api;

-- A provider's customer ids of buyers, so that saved payment methods are offered.
CREATE TABLE gateway_customers (
    organisation_id uuid NOT NULL,
    gateway gateway_name NOT NULL,
    -- As in carts: the platform user id.
    buyer text NOT NULL,
    reference text NOT NULL,
    CONSTRAINT gateway_customers_pkey PRIMARY KEY (organisation_id, gateway, buyer),
    CONSTRAINT gateway_customers_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE
);
GRANT DELETE, INSERT, SELECT, UPDATE ON gateway_customers TO storefront_worker;

-- The payment of a cart: the request to the provider, its answer, and when it is queried next. A cart has one payment; a
-- basket whose payment has died is bought again with a new cart, so that each charge has its cart.
CREATE TABLE transactions (
    id uuid NOT NULL,
    cart_id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    gateway gateway_name NOT NULL,
    provider_reference text,
    state text NOT NULL,
    amount bigint NOT NULL,
    currency character(3) NOT NULL,
    region character(2),
    discount_pct numeric(5,2) NOT NULL,
    original_price bigint NOT NULL,
    -- The tax in the amount.
    tax bigint DEFAULT 0 NOT NULL,
    -- The part of the tax that was added to the prices.
    tax_on_top bigint DEFAULT 0 NOT NULL,
    -- What refunds have given back; what disputes took is counted separately.
    refunded_amount bigint DEFAULT 0 NOT NULL,
    -- What disputes have taken: lost ones, and open ones whose money the provider holds.
    lost_amount bigint DEFAULT 0 NOT NULL,
    disputed_at timestamp with time zone,
    -- The exact call to the provider, kept before it is made, so that it can be repeated.
    provider_request jsonb NOT NULL,
    -- What a buyer's page needs to pay: a client secret, an address, an order.
    provider_answer jsonb,
    -- Held by the one job that may be creating the payment at the provider.
    call_lease_until timestamp with time zone,
    -- When the reconciler queries the provider again; null once the answer can no longer change.
    next_check_at timestamp with time zone,
    -- Since when the provider has been processing the payment (a bank transfer, a voucher, an authorisation): it must not be
    -- cancelled.
    provider_pending_since timestamp with time zone,
    -- When the provider said that it can no longer be paid.
    dead_at timestamp with time zone,
    -- What an operator has to look at: bought twice, disputed, contradictory facts.
    alert text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    -- Until when the buyer is to pay; null if a provider takes the money.
    due_on date,
    -- When access begins: `now`, or once the invoice is `paid`; null if the order is not on account.
    on_account text,
    -- When the invoice was found unpaid after the day on which it was due.
    overdue_at timestamp with time zone,
    CONSTRAINT transactions_pkey PRIMARY KEY (id),
    CONSTRAINT transactions_amount_check CHECK (amount > 0),
    CONSTRAINT transactions_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT transactions_discount_pct_check CHECK (discount_pct >= 0::numeric AND discount_pct <= 100::numeric),
    CONSTRAINT transactions_lost_within_amount CHECK (lost_amount >= 0 AND lost_amount <= amount),
    CONSTRAINT transactions_on_account CHECK (on_account = ANY (ARRAY['now'::text, 'paid'::text])),
    CONSTRAINT transactions_refunded_in_full CHECK ((state = 'refunded'::text) <= ((refunded_amount + lost_amount) >= amount)),
    CONSTRAINT transactions_refunded_within_amount CHECK (refunded_amount >= 0 AND refunded_amount <= amount),
    CONSTRAINT transactions_state_check CHECK (state = ANY (ARRAY['created'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'superseded'::text, 'refunded'::text])),
    CONSTRAINT transactions_tax CHECK (tax >= 0 AND tax_on_top >= 0),
    CONSTRAINT transactions_within_original CHECK ((original_price + tax_on_top) >= amount),
    CONSTRAINT transactions_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id),
    CONSTRAINT transactions_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id)
);
CREATE INDEX transactions_alert_idx ON transactions USING btree (updated_at) WHERE alert IS NOT NULL;
CREATE INDEX transactions_at_bank_idx ON transactions USING btree (organisation_id, created_at) WHERE provider_pending_since IS NOT NULL AND (state = ANY (ARRAY['created'::text, 'processing'::text]));
CREATE UNIQUE INDEX transactions_cart_key ON transactions USING btree (cart_id);
CREATE INDEX transactions_due_idx ON transactions USING btree (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX transactions_owed_idx ON transactions USING btree (organisation_id, due_on) WHERE gateway::text = 'external'::text AND state = 'processing'::text;
CREATE INDEX transactions_pending_idx ON transactions USING btree (gateway, created_at) WHERE (state = ANY (ARRAY['created'::text, 'processing'::text])) AND dead_at IS NULL AND on_account IS NULL;
CREATE UNIQUE INDEX transactions_provider_reference_key ON transactions USING btree (gateway, provider_reference) WHERE provider_reference IS NOT NULL;
CREATE INDEX transactions_request_idx ON transactions USING btree (updated_at) WHERE provider_request <> '{}'::jsonb;
CREATE INDEX transactions_unpaid_on_account_idx ON transactions USING btree (due_on) WHERE on_account IS NOT NULL AND state = 'processing'::text AND overdue_at IS NULL;
CREATE TRIGGER transactions_charge AFTER UPDATE OF amount ON transactions FOR EACH ROW WHEN (old.amount IS DISTINCT FROM new.amount) EXECUTE FUNCTION cart_follows_charge();
CREATE CONSTRAINT TRIGGER transactions_ledger_balance AFTER UPDATE OF state, refunded_amount, lost_amount ON transactions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.state = ANY (ARRAY['succeeded'::text, 'refunded'::text])) EXECUTE FUNCTION require_balanced_ledger();
CREATE TRIGGER transactions_moves BEFORE UPDATE OF state ON transactions FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();
CREATE TRIGGER transactions_overdue_event AFTER UPDATE OF overdue_at ON transactions FOR EACH ROW WHEN (old.overdue_at IS NULL AND new.overdue_at IS NOT NULL) EXECUTE FUNCTION overdue_event();
GRANT INSERT, SELECT, UPDATE ON transactions TO storefront_worker;
GRANT SELECT (id, cart_id, organisation_id, gateway, provider_reference, state, amount, currency, region, discount_pct, original_price, tax, tax_on_top, refunded_amount, lost_amount, disputed_at, provider_pending_since, dead_at, alert, created_at, updated_at, due_on, on_account, overdue_at) ON transactions TO storefront_api;

-- Money that an organisation which takes payments itself has reported: each row once, by its caller's key and by the
-- bank's reference.
CREATE TABLE received_payments (
    -- The id of the command that reported it.
    id uuid NOT NULL,
    transaction_id uuid NOT NULL,
    -- In minor units of the transaction's currency.
    amount bigint NOT NULL,
    received_at timestamp with time zone NOT NULL,
    -- How the bank knows it. Two reports of an order with the same reference are one, from any caller.
    reference text NOT NULL,
    actor text NOT NULL,
    -- The caller with its Idempotency-Key. Never deleted: a forgotten repeat would book twice.
    request_key text NOT NULL,
    -- The hash of the caller's request, as `request_key`.
    request_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    -- When it was paid back without a refund, because it was never, or is not needed for, a payment of the whole order.
    returned_at timestamp with time zone,
    CONSTRAINT received_payments_pkey PRIMARY KEY (id),
    CONSTRAINT received_payments_request_key UNIQUE (request_key),
    CONSTRAINT received_payments_amount_check CHECK (amount > 0),
    CONSTRAINT received_payments_reference_check CHECK (length(reference) >= 1 AND length(reference) <= 140),
    CONSTRAINT received_payments_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transactions(id)
);
CREATE INDEX received_payments_plain_reference_idx ON received_payments USING btree (plain_reference(reference));
CREATE INDEX received_payments_reference_idx ON received_payments USING btree (lower(reference));
CREATE UNIQUE INDEX received_payments_reference_key ON received_payments USING btree (transaction_id, lower(reference));
GRANT INSERT, SELECT ON received_payments TO storefront_worker;
GRANT UPDATE (reference, returned_at) ON received_payments TO storefront_worker;
GRANT SELECT (id, transaction_id, amount, received_at, reference, created_at, returned_at) ON received_payments TO storefront_api;

-- Notifications of providers, each once, kept before they are acted on.
CREATE TABLE inbox (
    id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    gateway gateway_name NOT NULL,
    organisation_id uuid NOT NULL,
    event_id text NOT NULL,
    type text NOT NULL,
    body jsonb NOT NULL,
    -- What the notification is about, read on receipt, so that one that came too early is found once its transaction exists.
    reference text,
    -- As `reference`.
    transaction_hint uuid,
    transaction_id uuid,
    received_at timestamp with time zone NOT NULL,
    -- The last attempt to process it that failed.
    tried_at timestamp with time zone,
    -- Why an operator has to look at it: it contradicts the transaction.
    parked_reason text,
    processed_at timestamp with time zone,
    CONSTRAINT inbox_pkey PRIMARY KEY (id),
    CONSTRAINT inbox_event_key UNIQUE (gateway, organisation_id, event_id),
    CONSTRAINT inbox_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id),
    CONSTRAINT inbox_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transactions(id)
);
CREATE INDEX inbox_body_idx ON inbox USING btree (processed_at) WHERE processed_at IS NOT NULL AND body <> '{}'::jsonb;
CREATE INDEX inbox_hint_idx ON inbox USING btree (transaction_hint) WHERE transaction_hint IS NOT NULL AND transaction_id IS DISTINCT FROM transaction_hint;
CREATE INDEX inbox_parked_idx ON inbox USING btree (received_at) WHERE parked_reason IS NOT NULL AND processed_at IS NULL;
CREATE INDEX inbox_received_at_idx ON inbox USING btree (received_at);
CREATE INDEX inbox_transaction_idx ON inbox USING btree (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX inbox_unprocessed_idx ON inbox USING btree (received_at) WHERE processed_at IS NULL;
GRANT DELETE, INSERT, SELECT, UPDATE ON inbox TO storefront_worker;
GRANT SELECT (id, gateway, organisation_id, type, reference, transaction_hint, transaction_id, received_at, parked_reason, processed_at) ON inbox TO storefront_api;

-- Refunds, from the request to the provider's result.
CREATE TABLE refunds (
    -- The id of the command that requested it.
    id uuid NOT NULL,
    transaction_id uuid NOT NULL,
    -- provider: made at the provider's dashboard.
    origin text NOT NULL,
    -- The caller with its Idempotency-Key. Never deleted: a forgotten repeat would pay twice.
    request_key text,
    -- The hash of the caller's request, as `request_key`.
    request_hash bytea,
    reason text,
    amount bigint NOT NULL,
    currency character(3) NOT NULL,
    state text NOT NULL,
    actor text NOT NULL,
    provider_reference text,
    asked_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    ended_at timestamp with time zone,
    -- When the reconciler queries the provider again; null once it has ended.
    next_check_at timestamp with time zone,
    -- Held by the one job that may be calling the provider.
    call_lease_until timestamp with time zone,
    -- How often the provider took the refund for a duplicate of another one. Each further call has an idempotency key of its
    -- own.
    put_off integer DEFAULT 0 NOT NULL,
    CONSTRAINT refunds_pkey PRIMARY KEY (id),
    CONSTRAINT refunds_provider_reference_key UNIQUE (transaction_id, provider_reference),
    CONSTRAINT refunds_request_key UNIQUE (transaction_id, request_key),
    CONSTRAINT refunds_amount_check CHECK (amount >= 0),
    CONSTRAINT refunds_check CHECK ((request_key IS NULL) = (request_hash IS NULL)),
    CONSTRAINT refunds_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT refunds_origin_check CHECK (origin = ANY (ARRAY['api'::text, 'learner'::text, 'operator'::text, 'provider'::text, 'withdrawal'::text])),
    CONSTRAINT refunds_put_off_check CHECK (put_off >= 0),
    CONSTRAINT refunds_reason_check CHECK (length(reason) <= 200),
    CONSTRAINT refunds_state_check CHECK (state = ANY (ARRAY['asked'::text, 'accepted'::text, 'succeeded'::text, 'failed'::text])),
    CONSTRAINT refunds_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transactions(id)
);
CREATE INDEX refunds_accepted_idx ON refunds USING btree (asked_at) WHERE state = 'accepted'::text;
CREATE INDEX refunds_due_idx ON refunds USING btree (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE UNIQUE INDEX refunds_one_asked_key ON refunds USING btree (transaction_id) WHERE state = 'asked'::text;
CREATE INDEX refunds_provider_reference_idx ON refunds USING btree (provider_reference) WHERE provider_reference IS NOT NULL;
CREATE CONSTRAINT TRIGGER refunds_event AFTER INSERT OR UPDATE OF state ON refunds DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refund_event();
CREATE TRIGGER refunds_moves BEFORE UPDATE OF state ON refunds FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();
GRANT INSERT, SELECT, UPDATE ON refunds TO storefront_worker;
GRANT SELECT (id, transaction_id, origin, reason, amount, currency, state, actor, provider_reference, asked_at, accepted_at, ended_at) ON refunds TO storefront_api;

-- What a refund gives back of each line.
CREATE TABLE refund_lines (
    refund_id uuid NOT NULL,
    "position" integer NOT NULL,
    amount bigint NOT NULL,
    ends_access boolean NOT NULL,
    -- The seats that the refund has withdrawn from the line's pool; returned if it fails. Null: none.
    seats integer,
    CONSTRAINT refund_lines_pkey PRIMARY KEY (refund_id, "position"),
    CONSTRAINT refund_lines_amount_check CHECK (amount >= 0),
    CONSTRAINT refund_lines_seats CHECK (seats >= 0),
    CONSTRAINT refund_lines_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds(id)
);
GRANT INSERT, SELECT, UPDATE ON refund_lines TO storefront_worker;
GRANT SELECT (refund_id, "position", amount, ends_access) ON refund_lines TO storefront_api;

-- Declarations of withdrawal: what a buyer has declared, and what has become of it.
CREATE TABLE withdrawals (
    -- The id of the message that declared it.
    id uuid NOT NULL,
    -- Null if no order is known by the name that was given.
    organisation_id uuid,
    cart_id uuid,
    -- unmatched: the order is unknown, or was bought under another address.
    state text NOT NULL,
    -- What shows that the buyer has declared it: a learner's session, the signed link of a receipt, or nothing.
    proof text NOT NULL,
    -- As it was declared.
    named_order text NOT NULL,
    -- As it was declared.
    email text NOT NULL,
    -- As it was declared.
    name text NOT NULL,
    -- The positions of its lines. Null if the order is unknown.
    items integer[],
    -- The time that counts: when the api received it.
    declared_at timestamp with time zone NOT NULL,
    -- Access to one of the lines had begun at `declared_at`.
    access_begun boolean DEFAULT false NOT NULL,
    -- When the declaration is judged, or judged again; null once it is decided, or waits for a person.
    judge_at timestamp with time zone,
    waits_since timestamp with time zone,
    waits_because text,
    -- The holder of the order's address says that it is not theirs.
    objected_at timestamp with time zone,
    decided_at timestamp with time zone,
    decided_by text,
    -- The reason of a decision; the buyer sees it.
    reason text,
    -- Null if nothing is paid back, or no refund was needed.
    refund_id uuid,
    CONSTRAINT withdrawals_pkey PRIMARY KEY (id),
    CONSTRAINT withdrawals_check CHECK ((state = ANY (ARRAY['accepted'::text, 'refused'::text])) = (decided_at IS NOT NULL)),
    CONSTRAINT withdrawals_check1 CHECK ((decided_at IS NULL) = (decided_by IS NULL)),
    CONSTRAINT withdrawals_check2 CHECK ((waits_since IS NULL) = (waits_because IS NULL)),
    CONSTRAINT withdrawals_check3 CHECK (judge_at IS NULL OR waits_since IS NULL AND decided_at IS NULL),
    CONSTRAINT withdrawals_check4 CHECK (state <> 'received'::text OR cart_id IS NOT NULL),
    CONSTRAINT withdrawals_email_check CHECK (email = lower(btrim(email))),
    CONSTRAINT withdrawals_name_check CHECK (length(name) <= 255),
    CONSTRAINT withdrawals_named_order_check CHECK (length(named_order) <= 255),
    CONSTRAINT withdrawals_proof_check CHECK (proof = ANY (ARRAY['session'::text, 'link'::text, 'none'::text])),
    CONSTRAINT withdrawals_reason_check CHECK (length(reason) <= 200),
    CONSTRAINT withdrawals_state_check CHECK (state = ANY (ARRAY['received'::text, 'unmatched'::text, 'accepted'::text, 'refused'::text])),
    CONSTRAINT withdrawals_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id) ON DELETE CASCADE,
    CONSTRAINT withdrawals_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id),
    CONSTRAINT withdrawals_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds(id)
);
CREATE INDEX withdrawals_cart_idx ON withdrawals USING btree (cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX withdrawals_due_idx ON withdrawals USING btree (judge_at) WHERE judge_at IS NOT NULL;
CREATE INDEX withdrawals_email_idx ON withdrawals USING btree (email);
CREATE INDEX withdrawals_organisation_idx ON withdrawals USING btree (organisation_id, declared_at DESC, id DESC);
CREATE INDEX withdrawals_organisation_waiting_idx ON withdrawals USING btree (organisation_id, declared_at DESC, id DESC) WHERE waits_since IS NOT NULL;
CREATE INDEX withdrawals_refund_idx ON withdrawals USING btree (refund_id) WHERE refund_id IS NOT NULL;
CREATE INDEX withdrawals_waiting_idx ON withdrawals USING btree (waits_since) WHERE waits_since IS NOT NULL;
CREATE TRIGGER withdrawals_event AFTER UPDATE OF state ON withdrawals FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION withdrawal_event();
CREATE TRIGGER withdrawals_moves BEFORE UPDATE OF state ON withdrawals FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();
CREATE TRIGGER withdrawals_new_event AFTER INSERT ON withdrawals FOR EACH ROW EXECUTE FUNCTION withdrawal_event();
GRANT DELETE, INSERT, SELECT, UPDATE ON withdrawals TO storefront_worker;
GRANT SELECT ON withdrawals TO storefront_api;

-- The lines that are declared; none twice. A refused declaration frees its lines.
CREATE TABLE withdrawal_lines (
    cart_id uuid NOT NULL,
    "position" integer NOT NULL,
    withdrawal_id uuid NOT NULL,
    CONSTRAINT withdrawal_lines_pkey PRIMARY KEY (cart_id, "position"),
    CONSTRAINT withdrawal_lines_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id) ON DELETE CASCADE,
    CONSTRAINT withdrawal_lines_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id) ON DELETE CASCADE
);
CREATE INDEX withdrawal_lines_withdrawal_idx ON withdrawal_lines USING btree (withdrawal_id);
GRANT DELETE, INSERT, SELECT ON withdrawal_lines TO storefront_worker;

-- Disputes of payments, and what the provider has taken for them.
CREATE TABLE disputes (
    id uuid NOT NULL,
    transaction_id uuid NOT NULL,
    provider_reference text NOT NULL,
    state text NOT NULL,
    -- What the buyer disputes, in minor units.
    amount bigint NOT NULL,
    -- What the provider has taken, in minor units; of an open one, what it holds until the decision.
    lost bigint NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT disputes_pkey PRIMARY KEY (id),
    CONSTRAINT disputes_provider_reference_key UNIQUE (transaction_id, provider_reference),
    CONSTRAINT disputes_amount_check CHECK (amount >= 0),
    CONSTRAINT disputes_lost_check CHECK (lost >= 0),
    CONSTRAINT disputes_state_check CHECK (state = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])),
    CONSTRAINT disputes_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transactions(id)
);
CREATE INDEX disputes_provider_reference_idx ON disputes USING btree (provider_reference);
CREATE CONSTRAINT TRIGGER disputes_event AFTER INSERT ON disputes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dispute_event();
CREATE CONSTRAINT TRIGGER disputes_loss_event AFTER UPDATE OF state, lost ON disputes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.state = 'lost'::text AND new.lost >
        CASE old.state
            WHEN 'lost'::text THEN old.lost
            ELSE 0::bigint
        END) EXECUTE FUNCTION dispute_loss_event();
GRANT INSERT, SELECT, UPDATE ON disputes TO storefront_worker;
GRANT SELECT ON disputes TO storefront_api;

-- Every movement of money; append-only. A move of access has a row of amount 0, so that the report explains why a sale's
-- course has changed.
CREATE TABLE ledger (
    seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    at timestamp with time zone NOT NULL,
    organisation_id uuid NOT NULL,
    kind text NOT NULL,
    cart_id uuid,
    transaction_id uuid,
    refund_id uuid,
    -- Positive: to the organisation. A payout is negative: it leaves the provider's balance.
    amount bigint NOT NULL,
    currency character(3) NOT NULL,
    -- The part of the amount that is tax, with the same sign.
    tax bigint DEFAULT 0 NOT NULL,
    gateway gateway_name NOT NULL,
    provider_reference text,
    -- When the provider moved the money, by its own clock; null where it does not say.
    bank_at timestamp with time zone,
    -- The payout of a `fee` or a `payout`, which concern no single order; null for all others.
    payout_id uuid,
    -- When the money came or went: by the bank or the provider, else when it was booked. In a closed month, the booking or the
    -- end of that month, whichever is later.
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ledger_pkey PRIMARY KEY (seq),
    CONSTRAINT ledger_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT ledger_kind_known CHECK (kind = ANY (ARRAY['captured'::text, 'refunded'::text, 'refund_failed'::text, 'chargeback'::text, 'chargeback_reversed'::text, 'moved'::text, 'fee'::text, 'payout'::text])),
    CONSTRAINT ledger_sign CHECK (
CASE kind
    WHEN 'refunded'::text THEN amount < 0
    WHEN 'chargeback'::text THEN amount < 0
    WHEN 'moved'::text THEN amount = 0
    WHEN 'fee'::text THEN amount <> 0
    WHEN 'payout'::text THEN amount <> 0
    ELSE amount > 0
END),
    CONSTRAINT ledger_subject CHECK (
CASE
    WHEN kind = ANY (ARRAY['fee'::text, 'payout'::text]) THEN payout_id IS NOT NULL AND transaction_id IS NULL AND cart_id IS NULL
    ELSE payout_id IS NULL AND transaction_id IS NOT NULL AND cart_id IS NOT NULL
END),
    CONSTRAINT ledger_tax CHECK ((sign(tax::double precision) * sign(amount::double precision)) >= 0::double precision AND abs(tax) <= abs(amount)),
    CONSTRAINT ledger_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id),
    CONSTRAINT ledger_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id),
    CONSTRAINT ledger_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id),
    CONSTRAINT ledger_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds(id),
    CONSTRAINT ledger_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transactions(id)
);
CREATE UNIQUE INDEX ledger_captured_key ON ledger USING btree (transaction_id) WHERE kind = 'captured'::text;
CREATE INDEX ledger_cart_idx ON ledger USING btree (cart_id);
CREATE INDEX ledger_organisation_idx ON ledger USING btree (organisation_id, at, seq);
CREATE INDEX ledger_payout_idx ON ledger USING btree (payout_id) WHERE payout_id IS NOT NULL;
CREATE INDEX ledger_received_idx ON ledger USING btree (organisation_id, received_at, seq);
CREATE INDEX ledger_transaction_idx ON ledger USING btree (transaction_id);
CREATE TRIGGER ledger_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
CREATE CONSTRAINT TRIGGER ledger_balance AFTER INSERT ON ledger DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_balanced_ledger();
CREATE TRIGGER ledger_dates BEFORE INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION date_movement();
CREATE TRIGGER ledger_documents AFTER INSERT ON ledger FOR EACH ROW WHEN (new.kind = ANY (ARRAY['captured'::text, 'refunded'::text])) EXECUTE FUNCTION documents_follow_ledger();
GRANT INSERT, SELECT ON ledger TO storefront_worker;
GRANT SELECT ON ledger TO storefront_api;

-- The access of an address to a course, and what the course platform has confirmed of it.
CREATE TABLE enrollments (
    id uuid NOT NULL,
    email text NOT NULL,
    course_id uuid NOT NULL,
    learner_id uuid,
    -- removed: no live grant is left. The row stays, so that the platform can be told.
    state text NOT NULL,
    mode text NOT NULL,
    -- Counts every change of state or mode.
    version integer DEFAULT 1 NOT NULL,
    -- The last version that the platform confirmed.
    platform_version integer DEFAULT 0 NOT NULL,
    platform_state text DEFAULT 'queued'::text NOT NULL,
    platform_reason text,
    -- The mode that the platform last confirmed: a removal may end that one, but no other that the learner took elsewhere.
    platform_mode text,
    -- When the platform last confirmed it.
    platform_synced_at timestamp with time zone,
    -- The version in the events of the enrollment, which grows with each of them: `version` does not count the platform's
    -- answers.
    event_version integer DEFAULT 1 NOT NULL,
    -- Held by the one SyncEnrollment that may call the platform now.
    sync_lease_until timestamp with time zone,
    -- When the reconciler last queued a SyncEnrollment of its own: it queues no other until that has had its time.
    sync_requested_at timestamp with time zone,
    -- How often in a row the LMS answered 500 for this enrollment, as it does for an account without a profile: the reconciler
    -- retries less and less often, and an operator is alerted once.
    sync_failures integer DEFAULT 0 NOT NULL,
    -- The only message of the enrollment's sync is yet to be sent, at the turn of its batch.
    sync_held_back boolean DEFAULT false NOT NULL,
    -- The platform has not yet said whether it knows this address; until then no invitation is sent.
    unresolved boolean DEFAULT false NOT NULL,
    -- The next mail to the address must invite it to this course.
    invitation_waits boolean DEFAULT false NOT NULL,
    invited_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    -- When the worker last read what the platform had, before its own first change. Null: it has not looked. Read before the
    -- first call that can change it: after a call without an answer, nobody can tell what the platform had.
    platform_seen_at timestamp with time zone,
    -- Of the invitation that the address waits for; null: as `buyer_language` says when it is sent.
    language text,
    CONSTRAINT enrollments_pkey PRIMARY KEY (id),
    CONSTRAINT enrollments_email_course_key UNIQUE (email, course_id),
    CONSTRAINT enrollments_check CHECK (platform_version <= version),
    CONSTRAINT enrollments_email_check CHECK (email = lower(btrim(email))),
    CONSTRAINT enrollments_enrolled_has_learner CHECK (state <> 'enrolled'::text OR learner_id IS NOT NULL),
    CONSTRAINT enrollments_language_check CHECK (length(language) >= 2 AND length(language) <= 35),
    CONSTRAINT enrollments_platform_state_check CHECK (platform_state = ANY (ARRAY['queued'::text, 'synced'::text, 'refused'::text])),
    CONSTRAINT enrollments_state_check CHECK (state = ANY (ARRAY['enrolled'::text, 'pending_registration'::text, 'removed'::text])),
    CONSTRAINT enrollments_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id),
    CONSTRAINT enrollments_learner_id_fkey FOREIGN KEY (learner_id) REFERENCES learners(id)
);
CREATE INDEX enrollments_course_idx ON enrollments USING btree (course_id);
CREATE INDEX enrollments_invitation_waits_idx ON enrollments USING btree (email) WHERE invitation_waits AND state = 'pending_registration'::text;
CREATE UNIQUE INDEX enrollments_learner_course_key ON enrollments USING btree (learner_id, course_id) WHERE learner_id IS NOT NULL;
CREATE INDEX enrollments_pending_idx ON enrollments USING btree (email) WHERE state = 'pending_registration'::text;
CREATE INDEX enrollments_pending_since_idx ON enrollments USING btree (updated_at) WHERE state = 'pending_registration'::text;
CREATE INDEX enrollments_refused_idx ON enrollments USING btree (updated_at) WHERE platform_state = 'refused'::text AND state = 'enrolled'::text;
CREATE INDEX enrollments_unresolved_idx ON enrollments USING btree (email) WHERE unresolved AND state = 'pending_registration'::text;
CREATE INDEX enrollments_waiting_idx ON enrollments USING btree (sync_held_back, updated_at) WHERE platform_state = 'queued'::text AND learner_id IS NOT NULL;
CREATE TRIGGER enrollments_event AFTER UPDATE OF state, mode, platform_state, platform_reason ON enrollments FOR EACH ROW WHEN (new.email !~~ '%@erased.invalid'::text AND (old.state IS DISTINCT FROM new.state OR old.mode IS DISTINCT FROM new.mode OR new.platform_state <> 'queued'::text AND (old.platform_state IS DISTINCT FROM new.platform_state OR old.platform_reason IS DISTINCT FROM new.platform_reason))) EXECUTE FUNCTION enrollment_event();
CREATE TRIGGER enrollments_event_version BEFORE UPDATE OF state, mode, platform_state, platform_reason ON enrollments FOR EACH ROW EXECUTE FUNCTION enrollment_event_version();
CREATE TRIGGER enrollments_new_event AFTER INSERT ON enrollments FOR EACH ROW EXECUTE FUNCTION enrollment_event();
GRANT DELETE, INSERT, SELECT, UPDATE ON enrollments TO storefront_worker;
GRANT SELECT (id, email, course_id, learner_id, state, mode, platform_state, platform_reason, platform_synced_at, created_at, updated_at) ON enrollments TO storefront_api;

-- Why an enrollment exists: a partner's grant, a cart, a free course, or what the platform gave by itself. Several grants
-- may be live at once; the enrollment takes the best mode of them.
CREATE TABLE enrollment_grants (
    id uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    -- `platform`: what the course platform gave the learner by itself, so that the end of a purchase falls back to it. It is
    -- never charged for, and the worker never ends it of its own accord.
    source text NOT NULL,
    cart_id uuid,
    mode text NOT NULL,
    -- The grant whose price an upgrade's price was reduced by. The upgrade ends when that grant is refunded.
    rests_on uuid,
    granted_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    ended_reason text,
    -- When its days begin: with the grant or its address's account, or after the days before them. Null: it has no end, or no
    -- account yet.
    begun_at timestamp with time zone,
    -- When it ends by the clock, as `settle_periods` has computed it. Null: it does not, or its address has no account yet.
    ends_at timestamp with time zone,
    -- When its learner was told that it ends soon, or need not be.
    reminded_at timestamp with time zone,
    CONSTRAINT enrollment_grants_pkey PRIMARY KEY (id),
    CONSTRAINT enrollment_grants_cart_source CHECK ((source = ANY (ARRAY['partner'::text, 'platform'::text])) = (cart_id IS NULL)),
    CONSTRAINT enrollment_grants_ended_with_reason CHECK ((ended_at IS NULL) = (ended_reason IS NULL)),
    CONSTRAINT enrollment_grants_source_known CHECK (source = ANY (ARRAY['partner'::text, 'cart'::text, 'free'::text, 'platform'::text])),
    CONSTRAINT enrollment_grants_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id),
    CONSTRAINT enrollment_grants_enrollment_id_fkey FOREIGN KEY (enrollment_id) REFERENCES enrollments(id),
    CONSTRAINT enrollment_grants_rests_on_fkey FOREIGN KEY (rests_on) REFERENCES enrollment_grants(id)
);
CREATE INDEX enrollment_grants_cart_idx ON enrollment_grants USING btree (cart_id) WHERE cart_id IS NOT NULL;
CREATE UNIQUE INDEX enrollment_grants_cart_key ON enrollment_grants USING btree (enrollment_id, cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX enrollment_grants_ends_idx ON enrollment_grants USING btree (ends_at) WHERE ends_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX enrollment_grants_enrollment_idx ON enrollment_grants USING btree (enrollment_id);
CREATE UNIQUE INDEX enrollment_grants_live_partner_key ON enrollment_grants USING btree (enrollment_id) WHERE source = 'partner'::text AND ended_at IS NULL;
CREATE UNIQUE INDEX enrollment_grants_live_platform_key ON enrollment_grants USING btree (enrollment_id) WHERE source = 'platform'::text AND ended_at IS NULL;
CREATE INDEX enrollment_grants_reminded_idx ON enrollment_grants USING btree (ends_at) WHERE ends_at IS NOT NULL AND ended_at IS NULL AND reminded_at IS NULL;
CREATE INDEX enrollment_grants_rests_on_idx ON enrollment_grants USING btree (rests_on) WHERE rests_on IS NOT NULL;
CREATE TRIGGER enrollment_grants_ended AFTER UPDATE OF ended_at ON enrollment_grants FOR EACH ROW WHEN (old.ended_at IS NULL AND new.ended_reason = 'its time is up'::text) EXECUTE FUNCTION grant_ended();
GRANT DELETE, INSERT, SELECT, UPDATE ON enrollment_grants TO storefront_worker;
GRANT SELECT (id, enrollment_id, source, cart_id, mode, granted_at, ended_at, ended_reason, ends_at) ON enrollment_grants TO storefront_api;

-- Lines whose access goes to another course or person. No money moves.
CREATE TABLE moves (
    -- The id of the command that asked for it.
    id uuid NOT NULL,
    cart_id uuid NOT NULL,
    "position" integer NOT NULL,
    -- The grant that ends.
    from_grant uuid NOT NULL,
    -- The grant that takes the place of the one that ends.
    to_grant uuid NOT NULL,
    -- True if the access is another person's than the buyer's from then on.
    to_person boolean NOT NULL,
    by_learner boolean NOT NULL,
    reason text,
    asked_at timestamp with time zone NOT NULL,
    -- When the old access ended, which is after the platform has confirmed the new one.
    done_at timestamp with time zone,
    -- When the new access was taken back.
    withdrawn_at timestamp with time zone,
    CONSTRAINT moves_pkey PRIMARY KEY (id),
    CONSTRAINT moves_one_end CHECK (num_nonnulls(done_at, withdrawn_at) <= 1),
    CONSTRAINT moves_from_grant_fkey FOREIGN KEY (from_grant) REFERENCES enrollment_grants(id),
    CONSTRAINT moves_line_fkey FOREIGN KEY (cart_id, "position") REFERENCES cart_items(cart_id, "position") ON DELETE CASCADE,
    CONSTRAINT moves_to_grant_fkey FOREIGN KEY (to_grant) REFERENCES enrollment_grants(id)
);
CREATE INDEX moves_from_idx ON moves USING btree (from_grant);
CREATE INDEX moves_line_idx ON moves USING btree (cart_id, "position");
CREATE UNIQUE INDEX moves_open_key ON moves USING btree (cart_id, "position") WHERE done_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX moves_to_idx ON moves USING btree (to_grant);
CREATE TRIGGER moves_done AFTER UPDATE OF done_at ON moves FOR EACH ROW WHEN (old.done_at IS NULL AND new.done_at IS NOT NULL) EXECUTE FUNCTION move_done();
GRANT DELETE, INSERT, SELECT, UPDATE ON moves TO storefront_worker;
GRANT SELECT (cart_id, "position", from_grant, to_grant, to_person, asked_at, done_at, withdrawn_at) ON moves TO storefront_api;

-- Batches of rows that a partner, a manager or a buyer of seats has submitted at once: enrollments and removals, or
-- assignments of seats.
CREATE TABLE batches (
    -- The id of the command that submitted it.
    id uuid NOT NULL,
    total integer NOT NULL,
    -- The pool whose seats are assigned to the addresses of the rows; null: enrollments and removals.
    voucher_id uuid,
    created_at timestamp with time zone NOT NULL,
    -- When its last row was done or had failed.
    done_at timestamp with time zone,
    -- The message whose job processes the next rows. Null while the next message is yet to be sent.
    lease_id uuid,
    -- Until when the lease is held.
    lease_until timestamp with time zone NOT NULL,
    -- The organisation in whose courses a manager's batch is done; null for those of a trusted partner, and of seats.
    organisation_id uuid,
    -- The manager who submitted it, and under whom it is done: the platform user id.
    staff_user_id bigint,
    CONSTRAINT batches_pkey PRIMARY KEY (id),
    CONSTRAINT batches_staff_of_one_organisation CHECK ((organisation_id IS NULL) = (staff_user_id IS NULL)),
    CONSTRAINT batches_total_check CHECK (total >= 1 AND total <= 5000),
    CONSTRAINT batches_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id),
    CONSTRAINT batches_voucher_id_fkey FOREIGN KEY (voucher_id) REFERENCES vouchers(id)
);
CREATE INDEX batches_created_idx ON batches USING btree (created_at);
CREATE INDEX batches_lease_idx ON batches USING btree (lease_until) WHERE done_at IS NULL;
CREATE INDEX batches_organisation_idx ON batches USING btree (organisation_id) WHERE organisation_id IS NOT NULL;
CREATE INDEX batches_voucher_idx ON batches USING btree (voucher_id) WHERE voucher_id IS NOT NULL;
GRANT DELETE, INSERT, SELECT, UPDATE ON batches TO storefront_worker;
GRANT SELECT (id, total, voucher_id, created_at, done_at, organisation_id) ON batches TO storefront_api;

-- The rows of batches with their results. Each is processed by itself.
CREATE TABLE batch_rows (
    batch_id uuid NOT NULL,
    -- Counted from 1, without the header row of a CSV.
    "row" integer NOT NULL,
    -- If it is not an address: as it was sent, without control characters, at most 255 characters.
    email text NOT NULL,
    action text NOT NULL,
    course_id uuid,
    mode text,
    state text NOT NULL,
    -- The result of a row that is done.
    result text,
    -- The enrollment that a row that is done granted.
    enrollment_id uuid,
    -- Why a row has failed.
    message text,
    -- How often a server was unavailable for it. Such rows come last.
    tries integer DEFAULT 0 NOT NULL,
    -- A tag of BCP 47, if the row gave one.
    language text,
    CONSTRAINT batch_rows_pkey PRIMARY KEY (batch_id, "row"),
    CONSTRAINT batch_rows_action_check CHECK (action = ANY (ARRAY['enroll'::text, 'unenroll'::text])),
    CONSTRAINT batch_rows_check CHECK ((state = 'done'::text) = (result IS NOT NULL) AND (state = 'failed'::text) = (message IS NOT NULL)),
    CONSTRAINT batch_rows_language_check CHECK (length(language) >= 2 AND length(language) <= 35),
    CONSTRAINT batch_rows_result_check CHECK (result = ANY (ARRAY['enrolled'::text, 'pending_registration'::text, 'removed'::text, 'cancelled'::text, 'none'::text])),
    CONSTRAINT batch_rows_row_check CHECK ("row" > 0),
    CONSTRAINT batch_rows_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'done'::text, 'failed'::text])),
    CONSTRAINT batch_rows_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id) ON DELETE CASCADE
);
CREATE INDEX batch_rows_email_idx ON batch_rows USING btree (email);
CREATE INDEX batch_rows_waiting_idx ON batch_rows USING btree (batch_id, tries, "row") WHERE state = 'waiting'::text;
GRANT DELETE, INSERT, SELECT, UPDATE ON batch_rows TO storefront_worker;
GRANT SELECT ON batch_rows TO storefront_api;

-- The syncs of batches, in their turn. They wait here, not in the outbox, so that batches take turns at the course
-- platform and leave calls to buyers.
CREATE TABLE batch_syncs (
    id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    batch_id uuid NOT NULL,
    enrollment_id uuid NOT NULL,
    -- The lowest comes first. Each sync adds the calls that it takes to the last rank of its batch, and a batch without any
    -- here begins at the lowest one, so that batches share the calls equally.
    rank bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT batch_syncs_pkey PRIMARY KEY (id)
);
CREATE INDEX batch_syncs_batch_idx ON batch_syncs USING btree (batch_id, rank);
CREATE INDEX batch_syncs_rank_idx ON batch_syncs USING btree (rank, id);
GRANT DELETE, INSERT, SELECT, UPDATE ON batch_syncs TO storefront_worker;

-- One row: when the next sync of any batch may be sent, by the database server's clock.
CREATE TABLE batch_pace (
    only_row boolean DEFAULT true NOT NULL,
    next_sync_at timestamp with time zone NOT NULL,
    CONSTRAINT batch_pace_pkey PRIMARY KEY (only_row),
    CONSTRAINT batch_pace_only_row_check CHECK (only_row)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON batch_pace TO storefront_worker;

-- The next number of each series. A number is drawn in the transaction that inserts its document, so that none is skipped.
-- The places in a seller's chain are a series without a prefix, of the year 0.
CREATE TABLE document_series (
    organisation_id uuid NOT NULL,
    prefix text NOT NULL,
    -- In which the fiscal year begins, in the seller's time zone.
    year integer NOT NULL,
    next bigint NOT NULL,
    -- So that the dates of a series are in the order of its numbers.
    last_issued_at timestamp with time zone NOT NULL,
    CONSTRAINT document_series_pkey PRIMARY KEY (organisation_id, prefix, year),
    CONSTRAINT document_series_next_check CHECK (next > 0),
    CONSTRAINT document_series_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id)
);
GRANT INSERT, SELECT, UPDATE ON document_series TO storefront_worker;

-- Invoices and credit notes. What was issued is never rewritten; until then, what another system reports is added once.
CREATE TABLE documents (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    kind text NOT NULL,
    -- Null until another program, which issues under its own numbers, has reported it.
    number text,
    cart_id uuid NOT NULL,
    -- 0 for the first invoice; each correction of the buyer adds one.
    version integer NOT NULL,
    -- Of a credit note: the refund, or null if it cancels the whole invoice in favour of a corrected one.
    refund_id uuid,
    -- The invoice of a credit note.
    refers_to uuid,
    -- When its number was drawn, or when it was requested from another program.
    issued_at timestamp with time zone NOT NULL,
    -- In minor units, not negative.
    total bigint NOT NULL,
    currency character(3) NOT NULL,
    -- Everything that is printed on it, with what an authority has added.
    content jsonb NOT NULL,
    -- requested, refused: another system has it, or has refused it. cancelled: it was taken back there. replaced: void for
    -- good; another one was requested if the order still lacked it.
    state text DEFAULT 'issued'::text NOT NULL,
    -- Since when; null: since it was issued or requested.
    state_at timestamp with time zone,
    -- Why it was refused or cancelled.
    state_reason text,
    -- Place in the seller's chain, from 1 without gaps, of invoices and credit notes together. Null: issued while the seller
    -- was not chained.
    chain_position bigint,
    -- The digest of the one before it; null for the first of the chain.
    previous_digest bytea,
    -- SHA-256 of the document's canonical form, which `model::chain` of the worker's store defines: with its place, the digest
    -- of the one before it and its content.
    digest bytea,
    CONSTRAINT documents_pkey PRIMARY KEY (id),
    CONSTRAINT documents_number_key UNIQUE (organisation_id, number),
    CONSTRAINT documents_chain_digests CHECK ((chain_position IS NULL) = (digest IS NULL) AND (COALESCE(chain_position, 1::bigint) = 1) = (previous_digest IS NULL) AND chain_position >= 1 AND octet_length(digest) = 32 AND octet_length(previous_digest) = 32) NOT VALID,
    CONSTRAINT documents_chained CHECK ((chain_position IS NOT NULL) = (NOT (content #>> '{seller,chained}'::text[]) IS DISTINCT FROM 'true'::text)) NOT VALID,
    CONSTRAINT documents_credit CHECK ((kind = 'credit_note'::text) = (refers_to IS NOT NULL) AND (refund_id IS NULL OR kind = 'credit_note'::text)),
    CONSTRAINT documents_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT documents_kind_check CHECK (kind = ANY (ARRAY['invoice'::text, 'credit_note'::text])),
    CONSTRAINT documents_number_check CHECK (length(number) >= 1 AND length(number) <= 64),
    CONSTRAINT documents_numbered CHECK (number IS NOT NULL OR (state <> ALL (ARRAY['issued'::text, 'cancelled'::text]))),
    CONSTRAINT documents_reason CHECK (length(state_reason) <= 1000),
    CONSTRAINT documents_state_check CHECK (state = ANY (ARRAY['requested'::text, 'issued'::text, 'refused'::text, 'cancelled'::text, 'replaced'::text])),
    CONSTRAINT documents_total_check CHECK (total >= 0),
    CONSTRAINT documents_version_check CHECK (version >= 0 AND version <= 3),
    CONSTRAINT documents_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id),
    CONSTRAINT documents_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id),
    CONSTRAINT documents_refers_to_fkey FOREIGN KEY (refers_to) REFERENCES documents(id),
    CONSTRAINT documents_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds(id)
);
CREATE INDEX documents_cart_idx ON documents USING btree (cart_id);
CREATE UNIQUE INDEX documents_chain_key ON documents USING btree (organisation_id, chain_position) WHERE chain_position IS NOT NULL;
CREATE UNIQUE INDEX documents_correction_key ON documents USING btree (refers_to) WHERE refund_id IS NULL AND state <> 'replaced'::text;
CREATE UNIQUE INDEX documents_invoice_key ON documents USING btree (cart_id, version) WHERE kind = 'invoice'::text AND state <> 'replaced'::text;
CREATE INDEX documents_issued_idx ON documents USING btree (organisation_id, (content ->> 'issued_on'::text) COLLATE "C");
CREATE UNIQUE INDEX documents_refund_key ON documents USING btree (refund_id) WHERE refund_id IS NOT NULL AND state <> 'replaced'::text;
CREATE INDEX documents_waiting_idx ON documents USING btree (issued_at) WHERE state = ANY (ARRAY['requested'::text, 'refused'::text]);
CREATE TRIGGER documents_append_only BEFORE DELETE OR TRUNCATE ON documents FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
CREATE TRIGGER documents_chain BEFORE INSERT ON documents FOR EACH ROW WHEN (new.chain_position IS NOT NULL) EXECUTE FUNCTION refuse_broken_chain();
CREATE TRIGGER documents_event AFTER INSERT OR UPDATE OF state ON documents FOR EACH ROW EXECUTE FUNCTION document_event();
CREATE TRIGGER documents_frozen BEFORE UPDATE ON documents FOR EACH ROW EXECUTE FUNCTION refuse_rewritten_document();
CREATE TRIGGER documents_moves BEFORE UPDATE OF state ON documents FOR EACH ROW EXECUTE FUNCTION refuse_other_moves();
GRANT INSERT, SELECT ON documents TO storefront_worker;
GRANT UPDATE (number, content, state, state_at, state_reason) ON documents TO storefront_worker;
GRANT SELECT ON documents TO storefront_api;

-- The PDFs of documents, rendered once, since what was issued is what is served; append-only.
CREATE TABLE document_files (
    document_id uuid NOT NULL,
    pdf bytea NOT NULL,
    CONSTRAINT document_files_pkey PRIMARY KEY (document_id),
    CONSTRAINT document_files_document_id_fkey FOREIGN KEY (document_id) REFERENCES documents(id)
);
CREATE TRIGGER document_files_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON document_files FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
GRANT INSERT, SELECT ON document_files TO storefront_worker;
GRANT SELECT ON document_files TO storefront_api;

-- The carts whose documents may be missing. The ledger's trigger adds them, so that nothing that moves money forgets them.
CREATE TABLE documents_due (
    cart_id uuid NOT NULL,
    since timestamp with time zone NOT NULL,
    -- When the reconciler issues the documents, unless a mail did so before.
    next_attempt_at timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    -- True while the invoice waits for an exchange rate.
    awaits_rate boolean DEFAULT false NOT NULL,
    CONSTRAINT documents_due_pkey PRIMARY KEY (cart_id),
    CONSTRAINT documents_due_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id) ON DELETE CASCADE
);
CREATE INDEX documents_due_idx ON documents_due USING btree (next_attempt_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON documents_due TO storefront_worker;

-- Lists the types of events.
CREATE FUNCTION event_types()
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
BEGIN
    RETURN ARRAY['order.pending', 'order.closed', 'order.paid', 'order.fulfilled', 'order.overdue', 'order.refunded',
                 'order.refund_failed', 'order.disputed', 'order.withdrawn', 'document.requested', 'document.issued',
                 'document.cancelled', 'enrollment.changed', 'enrollment.moved', 'enrollment.ended', 'mail.bounced'];
END $function$;

-- What has happened to orders and enrollments, in the order of the feed.
CREATE TABLE events (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    -- No foreign key: its check would lock the organisation's row for each event, and organisations are never deleted.
    organisation_id uuid NOT NULL,
    type text NOT NULL,
    -- Without the address: the feed reads it from the enrollment, and it disappears with that. Amounts are in minor units.
    data jsonb NOT NULL,
    -- Of an enrollment's event.
    enrollment_id uuid,
    -- By the database server's clock: of the change itself, not of the begin of its transaction. Of two transactions that
    -- change one order, the one that began first may have waited for the other.
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    -- The place in the feed. The worker assigns it after the commit, one worker at a time, so that no event appears below a
    -- position that a reader has passed.
    "position" bigint,
    CONSTRAINT events_pkey PRIMARY KEY (id),
    CONSTRAINT events_position_key UNIQUE (organisation_id, "position"),
    CONSTRAINT events_type_check CHECK (type = ANY (event_types()))
);
CREATE INDEX events_enrollment_idx ON events USING btree (enrollment_id) WHERE enrollment_id IS NOT NULL;
CREATE INDEX events_metadata_idx ON events USING btree ((data ->> 'cart_id'::text)) WHERE data ? 'metadata'::text;
CREATE INDEX events_new_idx ON events USING btree (at) WHERE "position" IS NULL;
CREATE INDEX events_requested_idx ON events USING btree ((data ->> 'cart_id'::text)) WHERE type = 'document.requested'::text;
GRANT DELETE, INSERT, SELECT ON events TO storefront_worker;
GRANT UPDATE (data, "position") ON events TO storefront_worker;
GRANT SELECT ON events TO storefront_api;

-- One row: the last position that was assigned. Its row lock lets one worker at a time assign positions.
CREATE TABLE event_positions (
    only_row boolean DEFAULT true NOT NULL,
    last bigint NOT NULL,
    CONSTRAINT event_positions_pkey PRIMARY KEY (only_row),
    CONSTRAINT event_positions_only_row_check CHECK (only_row)
);
GRANT SELECT, UPDATE ON event_positions TO storefront_worker;
GRANT SELECT ON event_positions TO storefront_api;

-- Where the feed was, and from which position on: a restore begins an epoch.
CREATE TABLE feed_epochs (
    number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    -- Random: two restores of one dump begin different epochs with the same number.
    id text DEFAULT "left"(replace(gen_random_uuid()::text, '-'::text, ''::text), 12) NOT NULL,
    place text NOT NULL,
    -- The last position of the epoch before. The events up to it are those that its readers have seen.
    began_after bigint NOT NULL,
    began_at timestamp with time zone NOT NULL,
    CONSTRAINT feed_epochs_pkey PRIMARY KEY (number),
    CONSTRAINT feed_epochs_id_key UNIQUE (id)
);
GRANT INSERT, SELECT ON feed_epochs TO storefront_worker;
GRANT SELECT ON feed_epochs TO storefront_api;

-- Where organisations receive their events.
CREATE TABLE webhook_endpoints (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    url text NOT NULL,
    types text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    -- Since when no delivery has succeeded; null after a success.
    failing_since timestamp with time zone,
    -- Held by the one job that delivers to it.
    lease_id uuid,
    lease_until timestamp with time zone,
    disabled_at timestamp with time zone,
    disabled_reason text,
    CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id),
    CONSTRAINT webhook_endpoints_url_key UNIQUE (organisation_id, url),
    CONSTRAINT webhook_endpoints_check CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
    CONSTRAINT webhook_endpoints_check1 CHECK ((lease_id IS NULL) = (lease_until IS NULL)),
    CONSTRAINT webhook_endpoints_types_check CHECK (cardinality(types) > 0 AND types <@ event_types()),
    CONSTRAINT webhook_endpoints_url_check CHECK (length(url) <= 2000),
    CONSTRAINT webhook_endpoints_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id) ON DELETE CASCADE
);
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_endpoints TO storefront_worker;
GRANT SELECT (id, organisation_id, url, types, failing_since, disabled_at, disabled_reason) ON webhook_endpoints TO storefront_api;

-- The secrets that sign an endpoint's deliveries, sealed with a key of GATEWAY_KEYS.
CREATE TABLE webhook_secrets (
    endpoint_id uuid NOT NULL,
    -- previous: still signs beside the current one until `ends_at`.
    slot text NOT NULL,
    key_id text NOT NULL,
    sealed bytea NOT NULL,
    ends_at timestamp with time zone,
    CONSTRAINT webhook_secrets_pkey PRIMARY KEY (endpoint_id, slot),
    CONSTRAINT webhook_secrets_check CHECK ((slot = 'previous'::text) = (ends_at IS NOT NULL)),
    CONSTRAINT webhook_secrets_slot_check CHECK (slot = ANY (ARRAY['current'::text, 'previous'::text])),
    CONSTRAINT webhook_secrets_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE
);
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_secrets TO storefront_worker;

-- The delivery of an event to an endpoint.
CREATE TABLE webhook_deliveries (
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    -- When the event happened.
    at timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    -- Null once it was delivered or abandoned.
    next_attempt_at timestamp with time zone,
    delivered_at timestamp with time zone,
    -- The status of the last attempt.
    last_status integer,
    -- The beginning of the answer to the last attempt, or its error.
    last_answer text,
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (endpoint_id, event_id),
    CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
    CONSTRAINT webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries USING btree (endpoint_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_event_idx ON webhook_deliveries USING btree (event_id);
CREATE INDEX webhook_deliveries_recent_idx ON webhook_deliveries USING btree (endpoint_id, at);
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_deliveries TO storefront_worker;
GRANT SELECT ON webhook_deliveries TO storefront_api;

-- One row: the time up to which the addresses that were due have been searched at the platform.
CREATE TABLE registration_searches (
    only_row boolean DEFAULT true NOT NULL,
    searched_to timestamp with time zone NOT NULL,
    CONSTRAINT registration_searches_pkey PRIMARY KEY (only_row),
    CONSTRAINT registration_searches_only_row_check CHECK (only_row)
);
GRANT SELECT, UPDATE ON registration_searches TO storefront_worker;

-- The uses of vouchers without limits, and their discounts. Sums of several parts: buyers do not wait for one row.
CREATE TABLE voucher_sums (
    voucher_id uuid NOT NULL,
    -- By the database connection that took or released the use. A part alone can be negative.
    part smallint NOT NULL,
    uses bigint NOT NULL,
    spent bigint NOT NULL,
    CONSTRAINT voucher_sums_pkey PRIMARY KEY (voucher_id, part),
    CONSTRAINT voucher_sums_voucher_id_fkey FOREIGN KEY (voucher_id) REFERENCES vouchers(id)
);
GRANT INSERT, SELECT, UPDATE ON voucher_sums TO storefront_worker;
GRANT SELECT ON voucher_sums TO storefront_api;

-- How far the payouts of each account have been read, and when they are read again.
CREATE TABLE payout_readings (
    organisation_id uuid NOT NULL,
    gateway gateway_name NOT NULL,
    due_at timestamp with time zone NOT NULL,
    -- Where the list of payouts continues, in the provider's words; null at its beginning.
    page text,
    -- When the reading of the list began that has not ended; null between two.
    begun_at timestamp with time zone,
    -- All payouts that were made before are known; null before the first reading has ended.
    read_to timestamp with time zone,
    -- When the provider refused to show payouts, as it does to a key without the right; null once it shows them.
    refused_at timestamp with time zone,
    CONSTRAINT payout_readings_pkey PRIMARY KEY (organisation_id, gateway),
    CONSTRAINT payout_readings_organisation_id_gateway_fkey FOREIGN KEY (organisation_id, gateway) REFERENCES gateway_credentials(organisation_id, gateway) ON DELETE CASCADE
);
GRANT DELETE, INSERT, SELECT, UPDATE ON payout_readings TO storefront_worker;
GRANT SELECT ON payout_readings TO storefront_api;

-- Payouts of providers to organisations' banks, as the providers state them.
CREATE TABLE payouts (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    gateway gateway_name NOT NULL,
    reference text NOT NULL,
    -- A payout that is paid can still fail, and one that has failed can be paid after all.
    state text NOT NULL,
    -- In minor units; below 0 if the provider has drawn money from the bank.
    amount bigint NOT NULL,
    currency character(3) NOT NULL,
    made_at timestamp with time zone NOT NULL,
    -- The day on which the bank has it, as far as the provider says it.
    bank_day date,
    -- How the bank knows it.
    bank_reference text,
    -- True if the provider says which movements are in it.
    is_itemised boolean NOT NULL,
    -- Where its movements continue, as in `payout_readings`.
    page text,
    -- When its movements are read, or read again; null if they are not to be read.
    rows_due_at timestamp with time zone,
    -- When all of its movements had been read.
    read_at timestamp with time zone,
    -- The amount less the sum of its movements, in minor units; 0 if they agree.
    difference numeric,
    CONSTRAINT payouts_pkey PRIMARY KEY (id),
    CONSTRAINT payouts_reference_key UNIQUE (organisation_id, gateway, reference),
    CONSTRAINT payouts_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT payouts_difference CHECK ((read_at IS NULL) = (difference IS NULL)),
    CONSTRAINT payouts_state_known CHECK (state = ANY (ARRAY['pending'::text, 'paid'::text, 'failed'::text])),
    CONSTRAINT payouts_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id)
);
CREATE INDEX payouts_due_idx ON payouts USING btree (organisation_id, gateway, rows_due_at) WHERE rows_due_at IS NOT NULL;
CREATE INDEX payouts_organisation_idx ON payouts USING btree (organisation_id, made_at DESC, id DESC);
CREATE INDEX payouts_read_idx ON payouts USING btree (organisation_id, read_at) WHERE read_at IS NOT NULL;
GRANT DELETE, INSERT, SELECT, UPDATE ON payouts TO storefront_worker;
GRANT SELECT (id, organisation_id, gateway, reference, state, amount, currency, made_at, bank_day, bank_reference, is_itemised, read_at, difference) ON payouts TO storefront_api;

-- The movements in a payout, exactly as the provider states them: it gets `gross` less `fee` of each. Amounts are in minor
-- units, with decimals where the provider has them.
CREATE TABLE payout_rows (
    payout_id uuid NOT NULL,
    reference text NOT NULL,
    -- `fee`: billed apart. `payout`: one that came back. `rounding`: what rounding the payout has changed. `other`: any word
    -- of the provider that is not known.
    kind text NOT NULL,
    -- The provider's own word.
    provider_kind text NOT NULL,
    -- A balance of the provider that the payout is not made from; null: the one that it is made from.
    balance text,
    -- The number of movements that the row adds up.
    items bigint DEFAULT 1 NOT NULL,
    gross numeric NOT NULL,
    -- What the provider keeps, tax included; below 0 if it gives a fee back.
    fee numeric NOT NULL,
    -- The tax in the fee.
    fee_tax numeric NOT NULL,
    currency character(3) NOT NULL,
    -- By the provider's clock; null if it adds up several.
    moved_at timestamp with time zone,
    transaction_id uuid,
    refund_id uuid,
    CONSTRAINT payout_rows_pkey PRIMARY KEY (payout_id, reference),
    CONSTRAINT payout_rows_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT payout_rows_kind_known CHECK (kind = ANY (ARRAY['payment'::text, 'refund'::text, 'dispute'::text, 'fee'::text, 'payout'::text, 'rounding'::text, 'other'::text])),
    CONSTRAINT payout_rows_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id),
    CONSTRAINT payout_rows_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES refunds(id),
    CONSTRAINT payout_rows_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transactions(id)
);
CREATE INDEX payout_rows_refund_idx ON payout_rows USING btree (refund_id) WHERE refund_id IS NOT NULL;
CREATE INDEX payout_rows_transaction_idx ON payout_rows USING btree (transaction_id) WHERE transaction_id IS NOT NULL;
GRANT DELETE, INSERT, SELECT, UPDATE ON payout_rows TO storefront_worker;
GRANT SELECT ON payout_rows TO storefront_api;

-- Months whose books are closed, with all months before: what is booked later counts to the month after.
CREATE TABLE closed_months (
    organisation_id uuid NOT NULL,
    month date NOT NULL,
    -- The end of the month where the seller was when it was closed.
    before timestamp with time zone NOT NULL,
    closed_at timestamp with time zone NOT NULL,
    closed_by text NOT NULL,
    CONSTRAINT closed_months_pkey PRIMARY KEY (organisation_id, month),
    CONSTRAINT closed_months_month CHECK (EXTRACT(day FROM month) = 1::numeric),
    CONSTRAINT closed_months_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id)
);
GRANT INSERT, SELECT ON closed_months TO storefront_worker;
GRANT SELECT ON closed_months TO storefront_api;

-- What was with each provider at the end of a closed month, by the books as they were closed. So that no page adds up all
-- movements ever booked.
CREATE TABLE closed_balances (
    organisation_id uuid NOT NULL,
    month date NOT NULL,
    gateway gateway_name NOT NULL,
    currency character(3) NOT NULL,
    -- In minor units; below 0 if the organisation owes it to the provider.
    amount bigint NOT NULL,
    CONSTRAINT closed_balances_pkey PRIMARY KEY (organisation_id, month, gateway, currency),
    CONSTRAINT closed_balances_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
    CONSTRAINT closed_balances_organisation_id_month_fkey FOREIGN KEY (organisation_id, month) REFERENCES closed_months(organisation_id, month)
);
GRANT INSERT, SELECT ON closed_balances TO storefront_worker;
GRANT SELECT ON closed_balances TO storefront_api;

-- The files that other systems have reported of documents, such as one that an authority has signed; append-only.
CREATE TABLE document_originals (
    document_id uuid NOT NULL,
    media_type text NOT NULL,
    file bytea NOT NULL,
    CONSTRAINT document_originals_pkey PRIMARY KEY (document_id),
    CONSTRAINT document_originals_document_id_fkey FOREIGN KEY (document_id) REFERENCES documents(id)
);
CREATE TRIGGER document_originals_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON document_originals FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
GRANT INSERT, SELECT ON document_originals TO storefront_worker;
GRANT SELECT ON document_originals TO storefront_api;

-- Exchange rates by day, at which an organisation states its VAT in the currency of its state. Documents freeze the one
-- that they use.
CREATE TABLE vat_exchange_rates (
    organisation_id uuid NOT NULL,
    base character(3) NOT NULL,
    quote character(3) NOT NULL,
    day date NOT NULL,
    -- Units of `quote` for one of `base`.
    rate numeric(20,10) NOT NULL,
    -- Who has published it, as documents print it.
    source text NOT NULL,
    set_at timestamp with time zone NOT NULL,
    set_by text NOT NULL,
    CONSTRAINT vat_exchange_rates_pkey PRIMARY KEY (organisation_id, base, quote, day),
    CONSTRAINT vat_exchange_rates_base_check CHECK (base ~ '^[A-Z]{3}$'::text),
    CONSTRAINT vat_exchange_rates_check CHECK (base <> quote),
    CONSTRAINT vat_exchange_rates_quote_check CHECK (quote ~ '^[A-Z]{3}$'::text),
    CONSTRAINT vat_exchange_rates_rate_check CHECK (rate > 0::numeric),
    CONSTRAINT vat_exchange_rates_source_check CHECK (length(source) >= 1 AND length(source) <= 100),
    CONSTRAINT vat_exchange_rates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisations(id)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON vat_exchange_rates TO storefront_worker;

-- What modes and programs cost before each change, so that the lowest price of the 30 days before a reduction is known.
CREATE TABLE former_prices (
    course_id uuid,
    mode text,
    program_id uuid,
    price bigint NOT NULL,
    currency character(3) NOT NULL,
    dated_prices jsonb NOT NULL,
    -- When the change took its place.
    held_until timestamp with time zone NOT NULL,
    CONSTRAINT former_prices_one_subject CHECK (num_nonnulls(course_id, program_id) = 1 AND (course_id IS NULL) = (mode IS NULL)),
    CONSTRAINT former_prices_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id) ON DELETE CASCADE,
    CONSTRAINT former_prices_program_id_fkey FOREIGN KEY (program_id) REFERENCES programs(id) ON DELETE CASCADE
);
CREATE INDEX former_prices_course_idx ON former_prices USING btree (course_id, held_until) WHERE course_id IS NOT NULL;
CREATE INDEX former_prices_program_idx ON former_prices USING btree (program_id, held_until) WHERE program_id IS NOT NULL;
GRANT DELETE, INSERT, SELECT, UPDATE ON former_prices TO storefront_worker;
GRANT SELECT ON former_prices TO storefront_api;

-- Who wants a place in a course that is full, in the order in which places are offered.
CREATE TABLE waiting_list (
    id uuid NOT NULL,
    course_id uuid NOT NULL,
    -- Of the person, who is forgotten when the entry ends.
    email text,
    -- As the person has chosen it; null: as `buyer_language` says.
    language text,
    -- unconfirmed: the address is not proved yet, and gets no place.
    state text NOT NULL,
    -- When the organisation has put it before all others. Null: its turn is that of joining.
    first_at timestamp with time zone,
    -- When a guest's address was proved; until then, and of a learner, when it was named.
    joined_at timestamp with time zone NOT NULL,
    -- When it was last mailed that it is on the list, or may be: requests of strangers send one mail an hour.
    mailed_at timestamp with time zone,
    offered_at timestamp with time zone,
    offered_until timestamp with time zone,
    -- The voucher of the kind `place` that holds the place, for this address alone.
    voucher_id uuid,
    ended_at timestamp with time zone,
    CONSTRAINT waiting_list_pkey PRIMARY KEY (id),
    CONSTRAINT waiting_list_voucher_id_key UNIQUE (voucher_id),
    CONSTRAINT waiting_list_email CHECK ((email IS NULL) = (ended_at IS NOT NULL)),
    CONSTRAINT waiting_list_ended CHECK ((ended_at IS NOT NULL) = (state = ANY (ARRAY['bought'::text, 'lapsed'::text, 'declined'::text, 'left'::text]))),
    CONSTRAINT waiting_list_language_check CHECK (length(language) >= 2 AND length(language) <= 35),
    CONSTRAINT waiting_list_offer CHECK (state <> 'offered'::text OR num_nonnulls(offered_at, offered_until, voucher_id) = 3),
    CONSTRAINT waiting_list_state_known CHECK (state = ANY (ARRAY['unconfirmed'::text, 'waiting'::text, 'offered'::text, 'bought'::text, 'lapsed'::text, 'declined'::text, 'left'::text])),
    CONSTRAINT waiting_list_course_id_fkey FOREIGN KEY (course_id) REFERENCES courses(id),
    CONSTRAINT waiting_list_voucher_id_fkey FOREIGN KEY (voucher_id) REFERENCES vouchers(id)
);
CREATE INDEX waiting_list_course_idx ON waiting_list USING btree (course_id, state);
CREATE INDEX waiting_list_email_idx ON waiting_list USING btree (email) WHERE email IS NOT NULL;
CREATE UNIQUE INDEX waiting_list_live_key ON waiting_list USING btree (course_id, email) WHERE ended_at IS NULL;
CREATE INDEX waiting_list_offered_idx ON waiting_list USING btree (offered_until) WHERE state = 'offered'::text;
CREATE INDEX waiting_list_queue_idx ON waiting_list USING btree (course_id, first_at DESC NULLS LAST, joined_at, id) WHERE state = 'waiting'::text;
CREATE INDEX waiting_list_unconfirmed_idx ON waiting_list USING btree (joined_at) WHERE state = 'unconfirmed'::text;
GRANT DELETE, INSERT, SELECT, UPDATE ON waiting_list TO storefront_worker;
GRANT SELECT ON waiting_list TO storefront_api;

-- To whom an order of one seat gives it, and when.
CREATE TABLE gifts (
    cart_id uuid NOT NULL,
    -- Address of the person who gets the seat.
    recipient text NOT NULL,
    -- Name of the buyer as the recipient reads it; null: the address.
    giver text,
    message text,
    -- Of the mail to the recipient, as the buyer has chosen it; null: the recipient's own, else that of the order.
    language text,
    -- When the buyer wants it to be given.
    gives_at timestamp with time zone NOT NULL,
    -- When a worker is next to give it. Null: the order has no seat, or the gift is done.
    due_at timestamp with time zone,
    -- When the seat was assigned to the recipient.
    given_at timestamp with time zone,
    -- When the gift was over without that: the buyer has assigned the seat or asked for a refund, or it was refused.
    ended_at timestamp with time zone,
    CONSTRAINT gifts_pkey PRIMARY KEY (cart_id),
    CONSTRAINT gifts_done CHECK (num_nonnulls(due_at, given_at, ended_at) <= 1),
    CONSTRAINT gifts_language_check CHECK (length(language) >= 2 AND length(language) <= 35),
    CONSTRAINT gifts_cart_id_fkey FOREIGN KEY (cart_id) REFERENCES carts(id) ON DELETE CASCADE
);
CREATE INDEX gifts_due_idx ON gifts USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX gifts_recipient_idx ON gifts USING btree (recipient);
GRANT DELETE, INSERT, SELECT, UPDATE ON gifts TO storefront_worker;
GRANT SELECT ON gifts TO storefront_api;

-- Addresses that do not exist, or whose reader has marked a mail as spam: they get only what the law demands.
CREATE TABLE suppressed_addresses (
    address text NOT NULL,
    -- What was reported, without an address.
    reason text NOT NULL,
    suppressed_at timestamp with time zone NOT NULL,
    CONSTRAINT suppressed_addresses_pkey PRIMARY KEY (address)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON suppressed_addresses TO storefront_worker;

-- Lists the states of the enrollments of a cart's line, for the status route and the orders: those that its cart granted,
-- or, for a line that was free because its buyer held it already, those that the buyer holds. Without the access that a
-- move has taken away, and without that of a move which came to nothing.
CREATE FUNCTION line_enrollments(of_cart uuid, of_position integer)
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
SELECT ARRAY(SELECT CASE WHEN g.ended_at IS NOT NULL THEN 'removed'
                    WHEN e.state = 'enrolled' AND e.platform_state = 'refused' THEN 'refused'
                    ELSE e.state END
        FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
        WHERE g.cart_id = i.cart_id AND g.ended_reason IS DISTINCT FROM 'moved'
          AND NOT EXISTS (SELECT FROM moves m WHERE m.to_grant = g.id AND m.done_at IS NULL AND g.ended_at IS NOT NULL
                          AND EXISTS (SELECT FROM enrollment_grants f WHERE f.id = m.from_grant AND f.ended_at IS NULL))
          AND e.course_id IN (
            SELECT a.course_id FROM cart_courses a
            WHERE a.cart_id = i.cart_id AND a.position = i.position)
        UNION ALL
        SELECT CASE WHEN e.state = 'enrolled' AND e.platform_state = 'refused' THEN 'refused'
                    ELSE e.state END
        FROM (SELECT i.course_id || ARRAY(SELECT p.course_id FROM program_courses p WHERE p.program_id = i.program_id) AS ids) sold
        JOIN enrollments e ON e.id = ANY (ARRAY(
            SELECT own.id FROM enrollments own WHERE own.learner_id = k.learner_id AND own.course_id = ANY (sold.ids)
            UNION ALL
            SELECT g.enrollment_id FROM (SELECT id FROM carts WHERE buyer = k.buyer OFFSET 0) o
            CROSS JOIN LATERAL (SELECT FROM cart_courses WHERE cart_id = o.id AND course_id = ANY (sold.ids) OFFSET 0) a
            CROSS JOIN LATERAL (SELECT enrollment_id FROM enrollment_grants WHERE cart_id = o.id OFFSET 0) g))
        WHERE i.upgrade_from IS NOT NULL AND e.course_id = ANY (sold.ids) AND NOT EXISTS (
              SELECT FROM cart_courses a WHERE a.cart_id = i.cart_id AND a.position = i.position))
FROM cart_items i JOIN carts k ON k.id = i.cart_id WHERE i.cart_id = of_cart AND i.position = of_position
$function$;

-- True if the next sync of an enrollment must first read what the platform has: a purchase is about to change an
-- enrollment that the worker has not changed yet, or has ended since. Free audits and a partner's grants take no extra
-- call. What the platform gave may be over there, so it does not count as seen.
CREATE FUNCTION platform_is_unseen(e enrollments)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
    RETURN e.state = 'enrolled' AND (e.platform_seen_at IS NULL OR e.platform_seen_at < coalesce(e.platform_synced_at, '-infinity'))
       AND EXISTS (SELECT FROM enrollment_grants g
                   WHERE g.enrollment_id = e.id AND g.ended_at IS NULL AND g.cart_id IS NOT NULL AND g.mode <> 'audit')
       AND NOT EXISTS (SELECT FROM enrollment_grants g
                       WHERE g.enrollment_id = e.id AND g.source <> 'platform' AND g.granted_at <= e.platform_synced_at
                         AND (g.ended_at IS NULL OR g.ended_at > e.platform_synced_at));
END $function$;

-- Computes when what a cart grants of a course ends by the clock: with the last of its days at the seller, and at the
-- latest when the sale said. Null: never.
CREATE FUNCTION grant_ends(of_cart uuid, of_course uuid, begins timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
    sold record;
    zone text;
BEGIN
    SELECT i.access_days AS days, i.access_until AS until, k.organisation_id INTO sold
    FROM cart_courses a JOIN cart_items i ON (i.cart_id, i.position) = (a.cart_id, a.position) JOIN carts k ON k.id = a.cart_id
    WHERE a.cart_id = of_cart AND a.course_id = of_course;
    IF sold.days IS NULL THEN
        RETURN sold.until;
    END IF;
    SELECT day_zone(seller) INTO zone FROM organisations WHERE id = sold.organisation_id;
    -- An end is the beginning of a day: the instant before it is of the last one.
    RETURN least(sold.until, day_begins(
        ((begins - interval '1 microsecond') AT TIME ZONE zone)::date + sold.days + 1, zone));
END $function$;

-- Computes when the live grants of an enrollment begin and end by the clock: in each mode, the days of one follow those
-- before it. To be called after a grant is added, moved, ended or restored, and when the address has its account.
CREATE FUNCTION settle_periods(of_enrollment uuid, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
    g record;
    chain text;
    after timestamptz;
    begins timestamptz;
    ends timestamptz;
BEGIN
    FOR g IN SELECT o.id, o.cart_id, o.mode, o.ended_at, o.begun_at, o.ends_at, e.course_id
             FROM enrollment_grants o JOIN enrollments e ON e.id = o.enrollment_id
             WHERE o.enrollment_id = of_enrollment AND e.learner_id IS NOT NULL AND o.cart_id IS NOT NULL
               AND (o.ended_at IS NULL OR o.ended_reason = 'its time is up')
             ORDER BY o.mode, o.begun_at, o.granted_at, o.id
    LOOP
        IF g.mode IS DISTINCT FROM chain THEN
            chain := g.mode;
            after := NULL;
        END IF;
        -- Days that have begun stay as they are; those that wait begin after the ones before them, or now.
        IF g.ended_at IS NULL AND (g.ends_at IS NULL OR g.begun_at > at) THEN
            begins := CASE WHEN g.begun_at <= at THEN g.begun_at ELSE greatest(at, after) END;
            ends := grant_ends(g.cart_id, g.course_id, begins);
            IF ends IS NOT NULL THEN
                UPDATE enrollment_grants SET begun_at = begins, ends_at = ends, reminded_at = NULL
                WHERE id = g.id AND (begun_at, ends_at) IS DISTINCT FROM (begins, ends);
                after := greatest(after, ends);
            END IF;
        ELSE
            after := greatest(after, g.ends_at);
        END IF;
    END LOOP;
END $function$;

-- Finds when the access of an enrollment in a mode ends by the clock. Null: never.
CREATE FUNCTION enrollment_ends(of_enrollment uuid, of_mode text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
    SELECT CASE WHEN bool_and(ends_at IS NOT NULL) THEN max(ends_at) END
    FROM enrollment_grants WHERE enrollment_id = of_enrollment AND ended_at IS NULL AND mode = of_mode
$function$;

-- Finds when the access that a line of a cart has given ends by the clock. Null: never, or none is given.
CREATE FUNCTION line_ends(of_cart uuid, of_position integer)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
    SELECT max(g.ends_at) FROM cart_courses a JOIN enrollment_grants g ON g.cart_id = a.cart_id
    JOIN enrollments e ON e.id = g.enrollment_id AND e.course_id = a.course_id
    WHERE a.cart_id = of_cart AND a.position = of_position AND (g.ended_at IS NULL OR g.ended_reason = 'its time is up')
$function$;

-- Lists the enrollments that take a place of a course, some more than once: they rest on a purchase or a seat, or a
-- partner gave them in a mode other than audit. What the course platform gave by itself takes none, nor does a partner's
-- audit: an upgrade of them does. Access that an open move gives to another person in the same course counts there alone.
CREATE FUNCTION place_takers(of_course uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
AS $function$
    SELECT e.id FROM enrollments e JOIN enrollment_grants g ON g.enrollment_id = e.id
    WHERE e.course_id = of_course AND g.ended_at IS NULL AND (g.cart_id IS NOT NULL OR g.source = 'partner' AND g.mode <> 'audit')
      AND NOT EXISTS (
          SELECT FROM moves m JOIN enrollment_grants t ON t.id = m.to_grant JOIN enrollments theirs ON theirs.id = t.enrollment_id
          WHERE m.from_grant = g.id AND num_nonnulls(m.done_at, m.withdrawn_at) = 0 AND theirs.course_id = of_course)
$function$;

-- True if a buyer has a place in a course, so that a purchase takes no other one: as a learner, or by an earlier purchase
-- that is still the buyer's. The buyer is named as in carts.
CREATE FUNCTION has_place(of_course uuid, of_buyer text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    SELECT EXISTS (
        SELECT FROM place_takers(of_course) taker WHERE taker IN (
            SELECT own.id FROM learners l JOIN enrollments own ON own.learner_id = l.id
            WHERE l.platform_user_id = CASE WHEN of_buyer ~ '^[0-9]{1,18}$' THEN of_buyer::bigint END
            UNION ALL
            SELECT g.enrollment_id FROM carts c JOIN enrollment_grants g ON g.cart_id = c.id
            WHERE c.buyer = of_buyer AND g.ended_at IS NULL
              AND NOT EXISTS (SELECT FROM moves m WHERE m.to_grant = g.id AND m.to_person)))
$function$;

-- True if a cart holds the places that its lines are yet to open: an unpaid one from the begin of its payment until
-- `held_since`, as it holds its voucher, and longer while the provider works on the payment; a paid one until its access
-- opens, also if none is left.
CREATE FUNCTION holds_places(of_cart uuid, state text, held_since timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    SELECT state = 'paid' OR state = 'pending_payment' AND EXISTS (
        SELECT FROM transactions t WHERE t.cart_id = of_cart AND (t.created_at > held_since OR t.provider_pending_since IS NOT NULL))
$function$;

-- True if an unpaid cart holds the code of a place in a course, which it does however old its payment is.
CREATE FUNCTION has_offered_place(of_cart uuid, state text, of_course uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    SELECT state = 'pending_payment' AND EXISTS (
        SELECT FROM voucher_uses u JOIN vouchers v ON v.id = u.voucher_id JOIN voucher_scope s ON s.voucher_id = v.id
        WHERE u.cart_id = of_cart AND u.state = 'held' AND v.kind = 'place' AND s.course_id = of_course)
$function$;

-- True if another checkout of the buyer replaces an unpaid cart, whose places then do not count. Those on account stay.
CREATE FUNCTION is_replaced(of_cart uuid, state text, buyer text, by_buyer text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    SELECT state = 'pending_payment' AND buyer IS NOT DISTINCT FROM by_buyer AND NOT EXISTS (
        SELECT FROM transactions t WHERE t.cart_id = of_cart AND t.on_account IS NOT NULL)
$function$;

-- Finds the mode in which a place of a course is offered: the cheapest that costs something, else a free one. Null if the
-- course is not sold at that time.
CREATE FUNCTION place_mode(of_course uuid, at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
    SELECT m.slug FROM courses c JOIN course_modes m ON m.course_id = c.id
    WHERE c.id = of_course AND c.is_published AND NOT c.is_invite_only AND coalesce(c.ends_at > at, true)
      AND coalesce(c.enrollment_start <= at, true) AND coalesce(c.enrollment_end > at, true)
      AND m.visible AND coalesce(m.expires_at > at, true) AND coalesce(m.access_until > at, true)
    ORDER BY m.price = 0, m.price_order, m.slug LIMIT 1
$function$;

-- Counts who waits for a place in a course, and is not offered one yet.
CREATE FUNCTION places_awaited(of_course uuid)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
    SELECT count(*) FROM waiting_list w WHERE w.course_id = of_course AND w.state = 'waiting'
$function$;

-- Counts the places of a course that are taken: by who has one, by carts whose access is yet to open, without those of
-- `but_buyer` that another checkout replaces, by the free seats of its pools, paid here or elsewhere, until the pool has
-- ended, by places that are offered, and by those who wait for one: a place that becomes free is theirs.
CREATE FUNCTION places_taken(of_course uuid, held_since timestamp with time zone, but_buyer text)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
    SELECT (SELECT count(DISTINCT taker) FROM place_takers(of_course) taker)
    + (SELECT count(*) FROM cart_courses a JOIN carts c ON c.id = a.cart_id
       JOIN cart_items i ON i.cart_id = a.cart_id AND i.position = a.position
       WHERE a.course_id = of_course AND i.access_ended_at IS NULL AND c.state IN ('paid', 'pending_payment')
         AND (holds_places(c.id, c.state, held_since) OR has_offered_place(c.id, c.state, of_course))
         AND NOT is_replaced(c.id, c.state, c.buyer, but_buyer) AND NOT has_place(of_course, c.buyer))
    + (SELECT coalesce(sum(i.seats), 0) FROM cart_items i JOIN carts c ON c.id = i.cart_id
       WHERE i.seats IS NOT NULL AND i.access_ended_at IS NULL AND c.state IN ('paid', 'pending_payment') AND holds_places(c.id, c.state, held_since)
         AND NOT is_replaced(c.id, c.state, c.buyer, but_buyer)
         AND NOT EXISTS (SELECT FROM vouchers v WHERE (v.cart_id, v.position) = (i.cart_id, i.position))
         AND (i.course_id = of_course OR i.program_id IN (SELECT p.program_id FROM program_courses p WHERE p.course_id = of_course)))
    + (SELECT coalesce(sum(v.max_uses - v.uses), 0) FROM voucher_scope s JOIN vouchers v ON v.id = s.voucher_id
       WHERE v.kind = 'seat' AND (v.valid_until IS NULL OR v.valid_until > held_since)
         AND (s.course_id = of_course OR s.program_id IN (SELECT p.program_id FROM program_courses p WHERE p.course_id = of_course)))
    -- A cart that another checkout replaces gives its place back to the offer; one on which the provider works again has it already.
    + (SELECT count(*) FROM waiting_list w JOIN vouchers v ON v.id = w.voucher_id
       WHERE w.course_id = of_course AND w.state = 'offered'
         AND CASE WHEN v.uses = 0 THEN NOT EXISTS (
                 SELECT FROM voucher_uses r JOIN carts k ON k.id = r.cart_id JOIN transactions t ON t.cart_id = k.id
                 WHERE r.voucher_id = v.id AND r.state = 'released' AND k.state = 'pending_payment' AND t.provider_pending_since IS NOT NULL)
             ELSE EXISTS (SELECT FROM voucher_uses u JOIN carts c ON c.id = u.cart_id
                          WHERE u.voucher_id = v.id AND u.state = 'held' AND is_replaced(c.id, c.state, c.buyer, but_buyer)) END)
    + places_awaited(of_course)
$function$;

-- Makes the pattern with which LIKE finds a folded text anywhere: %, _ and the escape itself are literal. Escaped last,
-- since normalizing turns a full-width % into the plain one.
CREATE FUNCTION containing(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
    SELECT '%' || regexp_replace(searchable($1), '([\\%_])', '\\\1', 'g') || '%'
$function$;

-- Trigger of course_tags: `courses.tag_ids` follows, whatever writes the tags. It finds nothing to do after an import,
-- which writes the column together with the course. `changed` holds the rows that the statement inserted or deleted.
CREATE FUNCTION keep_course_tag_ids()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$;

-- Names where the feed is: the server's data, its history (each promotion begins a timeline), the database and the table.
CREATE FUNCTION feed_place()
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
    place text := 'event_positions'::regclass::oid || '.' || (SELECT oid FROM pg_database WHERE datname = current_database());
BEGIN
    -- Some managed servers refuse one or the other.
    BEGIN
        place := place || '.' || (SELECT system_identifier FROM pg_control_system());
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    BEGIN
        place := place || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    RETURN place;
END $function$;

-- Gives positions to the oldest events without one, at most so many, and creates their deliveries, which are due at a
-- moment. Returns how many of each. Until the transaction ends, no other worker gives positions. In a database that was
-- not the feed's place before, an epoch begins.
CREATE FUNCTION give_positions(most bigint, moment timestamp with time zone, OUT placed bigint, OUT due bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
    before bigint;
    is_same boolean;
BEGIN
    SELECT p.last, feed_place() IS NOT DISTINCT FROM (SELECT place FROM feed_epochs ORDER BY number DESC LIMIT 1)
    INTO before, is_same
    FROM event_positions p WHERE EXISTS (SELECT FROM events WHERE position IS NULL) FOR UPDATE OF p SKIP LOCKED;
    IF NOT FOUND THEN
        placed := 0;
        due := 0;
        RETURN;
    END IF;
    IF NOT is_same THEN
        -- Events alone can be restored, without the number of the last one.
        INSERT INTO feed_epochs (place, began_after, began_at)
        VALUES (feed_place(), greatest(before, (SELECT max(position) FROM events)), moment)
        RETURNING began_after INTO before;
    END IF;
    -- A statement of its own: it sees all that the last holder of the lock has committed.
    WITH new AS (
        SELECT id, row_number() OVER (ORDER BY at, id) AS nth FROM (
            SELECT id, at FROM events WHERE position IS NULL ORDER BY at LIMIT most) oldest),
    given AS (
        UPDATE events e SET position = before + new.nth FROM new WHERE e.id = new.id
        RETURNING e.id, e.organisation_id, e.type, e.at),
    raised AS (UPDATE event_positions SET last = before + (SELECT count(*) FROM given)),
    created AS (
        INSERT INTO webhook_deliveries (endpoint_id, event_id, at, next_attempt_at)
        SELECT w.id, given.id, given.at, moment FROM given
        JOIN webhook_endpoints w ON w.organisation_id = given.organisation_id
        WHERE w.disabled_at IS NULL AND given.type = ANY (w.types)
        ON CONFLICT DO NOTHING
        RETURNING event_id)
    SELECT (SELECT count(*) FROM given), (SELECT count(*) FROM created) INTO placed, due;
END $function$;

-- Gives the reference and the metadata of a cart as fields of an event; without those that it lacks.
CREATE FUNCTION cart_labels(cart carts)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
SELECT jsonb_strip_nulls(jsonb_build_object('reference', cart.reference, 'metadata', cart.metadata))
$function$;

-- Trigger of carts: the event of an order. One that is fulfilled or paid again after it was refunded has an event too, so
-- that a receiver never keeps a wrong status. The argument `paid` marks the payment of an order that is fulfilled already.
CREATE FUNCTION cart_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    kind text := CASE
        -- An order on account is fulfilled before it is paid.
        WHEN TG_ARGV[0] = 'paid' THEN 'order.paid'
        WHEN NEW.state = 'pending_payment' THEN 'order.pending'
        -- An operator has a line of a fulfilled order granted later: the order is fulfilled before and after that.
        WHEN NEW.state = 'paid' AND OLD.state IS DISTINCT FROM 'fulfilled' THEN 'order.paid'
        WHEN NEW.state = 'fulfilled' AND (OLD.state = 'refunded' OR OLD.fulfilled_at IS NULL) THEN 'order.fulfilled'
        WHEN NEW.state IN ('cancelled', 'expired') AND OLD.state IN ('pending_payment', 'held', 'fulfilled') THEN 'order.closed'
    END;
BEGIN
    IF kind IS NOT NULL THEN
        INSERT INTO events (organisation_id, type, data) VALUES (NEW.organisation_id, kind, jsonb_build_object(
            'cart_id', NEW.id, 'status', NEW.state, 'total_price', NEW.total, 'currency', NEW.currency,
            'language', NEW.language)
            || CASE WHEN NEW.consents IS NULL THEN '{}' ELSE jsonb_build_object('consents', NEW.consents) END
            || cart_labels(NEW));
    END IF;
    RETURN NULL;
END $function$;

-- Trigger of transactions: an order on account was found overdue.
CREATE FUNCTION overdue_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    INSERT INTO events (organisation_id, type, data)
    SELECT NEW.organisation_id, 'order.overdue', jsonb_build_object(
        'cart_id', k.id, 'status', k.state, 'total_price', k.total, 'open_amount', NEW.amount - coalesce((
            SELECT sum(p.amount) FROM received_payments p WHERE p.transaction_id = NEW.id AND p.returned_at IS NULL), 0),
        'currency', k.currency, 'due_on', NEW.due_on, 'language', k.language)
        || cart_labels(k)
    FROM carts k WHERE k.id = NEW.cart_id;
    RETURN NULL;
END $function$;

-- Writes an event of a refund or a dispute; of an order of a former shop only that of a refund.
CREATE FUNCTION money_event(of_type text, of_transaction uuid, of_refund uuid, of_amount bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
INSERT INTO events (organisation_id, type, data)
SELECT t.organisation_id, of_type, jsonb_build_object(
    'cart_id', t.cart_id, 'status', k.state, 'refund_id', of_refund, 'amount', of_amount,
    'refunded_amount', t.refunded_amount, 'currency', t.currency, 'language', k.language)
    || cart_labels(k)
FROM transactions t JOIN carts k ON k.id = t.cart_id WHERE t.id = of_transaction AND (k.former_shop IS NULL OR of_refund IS NOT NULL)
$function$;

-- Trigger of refunds: one is accepted here, or has failed.
CREATE FUNCTION refund_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    -- What a former shop has paid back is inserted as it ended there, and has its events there. An operator's refund has a key.
    IF OLD.state IS NULL AND NEW.origin = 'operator' AND NEW.request_key IS NULL THEN
        RETURN NULL;
    END IF;
    -- A refund of the provider's dashboard is inserted as accepted.
    IF NEW.state IN ('accepted', 'succeeded') AND (OLD.state IS NULL OR OLD.state IN ('asked', 'failed')) THEN
        PERFORM money_event('order.refunded', NEW.transaction_id, NEW.id, NEW.amount);
    ELSIF NEW.state = 'failed' AND OLD.state <> 'failed' THEN
        PERFORM money_event('order.refund_failed', NEW.transaction_id, NEW.id, NEW.amount);
    END IF;
    RETURN NULL;
END $function$;

-- Trigger of disputes: a new one.
CREATE FUNCTION dispute_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM money_event('order.disputed', NEW.transaction_id, NULL, NEW.amount);
    RETURN NULL;
END $function$;

-- Trigger of disputes: a lost one that has taken the rest of an order's money.
CREATE FUNCTION dispute_loss_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF EXISTS (SELECT FROM transactions t JOIN carts k ON k.id = t.cart_id
               WHERE t.id = NEW.transaction_id AND k.state = 'refunded')
    THEN
        PERFORM money_event('order.refunded', NEW.transaction_id, NULL,
                            NEW.lost - CASE OLD.state WHEN 'lost' THEN OLD.lost ELSE 0 END);
    END IF;
    RETURN NULL;
END $function$;

-- Trigger of withdrawals: each state of a declaration. One of an unknown order belongs to no organisation, and has none.
CREATE FUNCTION withdrawal_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    INSERT INTO events (organisation_id, type, data)
    SELECT NEW.organisation_id, 'order.withdrawn', jsonb_build_object(
        'cart_id', k.id, 'status', k.state, 'withdrawal_id', NEW.id, 'withdrawal_status', NEW.state, 'items', NEW.items,
        'declared_at', NEW.declared_at, 'refund_id', NEW.refund_id)
    FROM carts k WHERE k.id = NEW.cart_id;
    RETURN NULL;
END $function$;

-- Describes a document in its events.
CREATE FUNCTION document_facts(document documents)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
SELECT jsonb_build_object(
    'cart_id', document.cart_id, 'document_id', document.id, 'number', document.number, 'kind', document.kind,
    'refers_to', document.content -> 'refers_to', 'refund_id', document.refund_id, 'total', document.total, 'currency', document.currency)
    || cart_labels(k)
FROM carts k WHERE k.id = document.cart_id
$function$;

-- Trigger of documents: an invoice or credit note that is issued, or cancelled by who issued it.
CREATE FUNCTION document_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    -- The worker writes `document.requested` itself: it alone makes the e-invoice.
    IF NEW.state IN ('issued', 'cancelled') AND (TG_OP = 'INSERT' OR NEW.state <> OLD.state) THEN
        INSERT INTO events (organisation_id, type, data)
        VALUES (NEW.organisation_id, 'document.' || NEW.state, document_facts(NEW));
    END IF;
    RETURN NULL;
END $function$;

-- Trigger of mails: one was refused, came back or was marked as spam.
CREATE FUNCTION mail_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    INSERT INTO events (organisation_id, type, data)
    SELECT NEW.organisation_id, 'mail.bounced', jsonb_build_object(
        'mail_id', NEW.id, 'mail', NEW.template, 'cart_id', NEW.cart_id, 'voucher_id', NEW.voucher_id, 'reason', NEW.failed_reason)
    FROM organisations WHERE id = NEW.organisation_id;
    RETURN NULL;
END $function$;

-- Trigger of moves: the end of one. Writes its event, and the ledger's row of amount 0 if the order was paid.
CREATE FUNCTION move_done()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    INSERT INTO events (organisation_id, type, enrollment_id, data)
    SELECT k.organisation_id, 'enrollment.moved', t.enrollment_id, jsonb_build_object(
        'cart_id', NEW.cart_id, 'position', NEW.position, 'mode', t.mode,
        'course_id', tc.id, 'openedx_course_id', tc.openedx_course_id,
        'from_course_id', fc.id, 'from_openedx_course_id', fc.openedx_course_id, 'to_person', NEW.to_person)
    FROM carts k, enrollment_grants t JOIN enrollments te ON te.id = t.enrollment_id JOIN courses tc ON tc.id = te.course_id,
         enrollment_grants f JOIN enrollments fe ON fe.id = f.enrollment_id JOIN courses fc ON fc.id = fe.course_id
    WHERE k.id = NEW.cart_id AND t.id = NEW.to_grant AND f.id = NEW.from_grant;
    INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway, provider_reference)
    SELECT NEW.done_at, t.organisation_id, 'moved', t.cart_id, t.id, 0, t.currency, t.gateway, t.provider_reference
    FROM transactions t WHERE t.cart_id = NEW.cart_id AND EXISTS (SELECT FROM ledger l WHERE l.transaction_id = t.id);
    RETURN NULL;
END $function$;

-- Trigger of enrollment_grants: access whose time is up.
CREATE FUNCTION grant_ended()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    INSERT INTO events (organisation_id, type, enrollment_id, data)
    SELECT c.organisation_id, 'enrollment.ended', e.id, jsonb_build_object(
        'cart_id', NEW.cart_id, 'course_id', c.id, 'openedx_course_id', c.openedx_course_id, 'mode', NEW.mode, 'ends_at', NEW.ends_at)
    FROM enrollments e JOIN courses c ON c.id = e.course_id
    WHERE e.id = NEW.enrollment_id AND e.email NOT LIKE '%@erased.invalid';
    RETURN NULL;
END $function$;

-- Trigger of enrollments: the version in the events of an enrollment grows.
CREATE FUNCTION enrollment_event_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    NEW.event_version := OLD.event_version + 1;
    RETURN NEW;
END $function$;

-- Trigger of enrollments: a new one, or a new state, mode or verdict of the platform.
CREATE FUNCTION enrollment_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    INSERT INTO events (organisation_id, type, enrollment_id, data)
    SELECT c.organisation_id, 'enrollment.changed', NEW.id, jsonb_build_object(
        'course_id', c.id, 'openedx_course_id', c.openedx_course_id, 'mode', NEW.mode,
        -- As the route that removes it answers.
        'enrollment_state', CASE WHEN OLD.state = 'pending_registration' AND NEW.state = 'removed' THEN 'cancelled' ELSE NEW.state END,
        'platform_state', NEW.platform_state, 'reason', NEW.platform_reason, 'version', NEW.event_version)
    FROM courses c WHERE c.id = NEW.course_id;
    RETURN NULL;
END $function$;

-- Trigger of states: refuses a transition that is not in allowed_moves.
CREATE FUNCTION refuse_other_moves()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF NEW.state <> OLD.state AND NOT EXISTS (
        SELECT FROM allowed_moves WHERE entity = TG_TABLE_NAME AND from_state = OLD.state AND to_state = NEW.state
    ) THEN
        RAISE EXCEPTION '% cannot move from % to %', TG_TABLE_NAME, OLD.state, NEW.state
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_moves';
    END IF;
    RETURN NEW;
END $function$;

-- Trigger of append-only tables: refuses an update, a deletion and TRUNCATE, for the owner too.
CREATE FUNCTION refuse_rewriting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $function$;

-- Trigger of documents: a document keeps what it says. A report adds what another system knows, once.
CREATE FUNCTION refuse_rewritten_document()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    moved text[] := ARRAY['state', 'state_at', 'state_reason'];
    reported text[] := ARRAY['clearance', 'reported_total'];
BEGIN
    -- A report completes it once: with its number if it has none, and with what an authority has added.
    IF NEW.state = 'issued' AND OLD.state <> 'issued' THEN
        IF OLD.number IS NULL THEN
            moved := moved || ARRAY['number'];
            reported := reported || ARRAY['number', 'issued_on'];
        END IF;
        IF NEW.content - reported = OLD.content - reported THEN moved := moved || ARRAY['content']; END IF;
    END IF;
    -- What the storefront has issued itself has no other state.
    IF OLD.content #>> '{seller,documents}' IS NULL THEN moved := ARRAY[]::text[]; END IF;
    IF to_jsonb(NEW) - moved <> to_jsonb(OLD) - moved THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $function$;

-- Trigger of documents: one of a chain carries the digest of the one before it, which is on record.
CREATE FUNCTION refuse_broken_chain()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF NEW.chain_position > 1 AND NOT EXISTS (
        SELECT FROM documents
        WHERE organisation_id = NEW.organisation_id AND chain_position = NEW.chain_position - 1 AND digest = NEW.previous_digest
    ) THEN
        RAISE EXCEPTION 'document % of the chain does not follow the one before it', NEW.chain_position
            USING ERRCODE = 'check_violation', CONSTRAINT = 'documents_chain';
    END IF;
    RETURN NEW;
END $function$;

-- Allocates an amount to the lines of a cart in proportion to their cost, in whole minor units: the rest goes to the
-- largest remainders, ties to the earlier line.
CREATE FUNCTION charge_lines(of_cart uuid, of_amount bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
    WITH priced AS (
        SELECT position, (price + tax_on_top)::numeric * of_amount AS exact, sum(price + tax_on_top) OVER () AS total
        FROM cart_items WHERE cart_id = of_cart),
    shared AS (
        SELECT position, div(exact, total) AS share, of_amount - sum(div(exact, total)) OVER () AS rest,
               row_number() OVER (ORDER BY mod(exact, total) DESC, position) AS nth
        FROM priced WHERE total > 0)
    -- A line that has given back more than its share keeps what it gave back.
    UPDATE cart_items i SET charged = greatest(i.refunded, s.share + CASE WHEN s.nth <= s.rest THEN 1 ELSE 0 END)
    FROM shared s WHERE i.cart_id = of_cart AND i.position = s.position
$function$;

-- Trigger of transactions: the lines and the total of a cart follow what its payment charges, whatever sets that.
CREATE FUNCTION cart_follows_charge()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    UPDATE carts SET total = NEW.amount WHERE id = NEW.cart_id;
    PERFORM charge_lines(NEW.cart_id, NEW.amount);
    RETURN NULL;
END $function$;

-- True if a refund, or the loss of all money, has ended a line for its buyer. One whose only refunds have failed after the
-- provider had accepted them can be refunded again. Of seats, those that become free can always be refunded.
CREATE FUNCTION line_is_settled(line cart_items)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    SELECT line.access_ended_at IS NOT NULL AND line.seats IS NULL AND coalesce((
        SELECT bool_or(l.ends_access AND r.state <> 'failed')
               OR NOT bool_or(r.state = 'failed' AND r.accepted_at IS NOT NULL)
        FROM transactions t JOIN refunds r ON r.transaction_id = t.id JOIN refund_lines l ON l.refund_id = r.id
        WHERE t.cart_id = line.cart_id AND l.position = line.position), true)
$function$;

-- Trigger of the ledger: a movement has the day of the bank or the provider, where it is known, and counts to an open
-- month.
CREATE FUNCTION date_movement()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    open_from timestamptz;
BEGIN
    IF NEW.kind = 'captured' AND NEW.bank_at IS NULL THEN
        SELECT max(received_at) INTO NEW.bank_at FROM received_payments
        WHERE transaction_id = NEW.transaction_id AND returned_at IS NULL;
    END IF;
    -- A month that is being closed waits for this booking, or this one for the month.
    PERFORM 1 FROM organisations WHERE id = NEW.organisation_id FOR KEY SHARE;
    SELECT max(before) INTO open_from FROM closed_months WHERE organisation_id = NEW.organisation_id;
    NEW.received_at := coalesce(NEW.bank_at, NEW.at);
    IF NEW.received_at < open_from THEN NEW.received_at := greatest(NEW.at, open_from); END IF;
    RETURN NEW;
END $function$;

-- Finds the movements of an organisation's money in a time, by when they were booked or by when the money was received.
CREATE FUNCTION ledger_of(organisation uuid, of_from timestamp with time zone, of_before timestamp with time zone, by_received boolean)
 RETURNS SETOF ledger
 LANGUAGE sql
 STABLE
AS $function$
    SELECT * FROM ledger WHERE NOT by_received AND organisation_id = organisation AND at >= of_from AND at < of_before
    UNION ALL
    SELECT * FROM ledger WHERE by_received AND organisation_id = organisation AND received_at >= of_from AND received_at < of_before
$function$;

-- Finds what the payouts of an organisation whose movements were read in a time have moved beside the ledger, and why, in
-- minor units.
CREATE FUNCTION payout_gaps(organisation uuid, of_from timestamp with time zone, of_before timestamp with time zone)
 RETURNS TABLE(payout_id uuid, gateway text, reason text, currency text, amount bigint)
 LANGUAGE sql
 STABLE
AS $function$
    WITH moved AS (
        SELECT p.id, p.gateway, p.difference, p.currency, r.*
        FROM payouts p LEFT JOIN LATERAL (
            SELECT r.kind, r.gross, r.fee, r.moved_at, t.amount AS paid, t.currency AS paid_in, f.amount AS refunded,
                   CASE WHEN r.kind = 'dispute' THEN (SELECT max(d.amount) FROM disputes d WHERE d.transaction_id = t.id) END AS disputed
            FROM payout_rows r
            -- Each OFFSET leaves the planner only the way by the key.
            LEFT JOIN LATERAL (SELECT id, amount, currency FROM transactions WHERE id = r.transaction_id OFFSET 0) t ON true
            LEFT JOIN LATERAL (SELECT amount FROM refunds WHERE id = r.refund_id OFFSET 0) f ON true
            WHERE r.payout_id = p.id AND r.balance IS NULL AND r.currency = p.currency) r ON true
        WHERE p.organisation_id = organisation AND p.read_at >= of_from AND p.read_at < of_before)
    SELECT s.id, s.gateway::text, g.reason, s.currency::text, round(g.amount)::bigint
    FROM (SELECT m.id, m.gateway, m.currency,
                 -- The ledger has the fees of a payout as one amount without decimals.
                 sum(m.gross) FILTER (WHERE m.kind IN ('other', 'fee', 'rounding')) AS other, round(sum(m.fee)) - sum(m.fee) AS rest,
                 sum(m.gross) FILTER (WHERE m.kind IN ('payment', 'refund', 'dispute') AND m.paid IS NULL AND m.moved_at IS NOT NULL) AS unknown,
                 sum(m.gross) FILTER (WHERE m.kind IN ('payment', 'refund', 'dispute') AND m.paid_in <> m.currency) AS converted,
                 max(m.difference) AS difference
          FROM moved m GROUP BY m.id, m.gateway, m.currency) s
    CROSS JOIN LATERAL (VALUES ('other', coalesce(s.other, 0) + coalesce(s.rest, 0)), ('unknown_payment', s.unknown), ('other_currency', s.converted),
                               ('difference', s.difference)) g (reason, amount)
    WHERE round(g.amount) <> 0
    UNION ALL
    -- The other end: what has left the currency in which buyers have paid.
    SELECT m.id, m.gateway::text, 'other_currency', m.paid_in::text,
           -sum(CASE m.kind WHEN 'payment' THEN m.paid WHEN 'refund' THEN -coalesce(m.refunded, m.paid)
                            ELSE sign(m.gross) * coalesce(m.disputed, m.paid) END)::bigint
    FROM moved m WHERE m.kind IN ('payment', 'refund', 'dispute') AND m.paid_in <> m.currency GROUP BY m.id, m.gateway, m.paid_in
$function$;

-- Sums what has changed the money of an organisation that is with each provider in a time, by kind: movements of the
-- ledger by the day of receipt, and as `other` what payouts have moved beside it.
CREATE FUNCTION balance_changes(organisation uuid, of_from timestamp with time zone, of_before timestamp with time zone)
 RETURNS TABLE(gateway text, currency text, kind text, number bigint, amount bigint)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT l.gateway::text, l.currency::text, l.kind, count(*), sum(l.amount)::bigint FROM ledger l
    WHERE l.organisation_id = organisation AND l.received_at >= of_from AND l.received_at < of_before GROUP BY 1, 2, 3
    UNION ALL
    SELECT g.gateway, g.currency, 'other', count(*), sum(g.amount)::bigint
    FROM payout_gaps(organisation, of_from, of_before) g GROUP BY 1, 2
$function$;

-- Trigger of the ledger and of transactions: at the commit, a transaction's ledger adds up to what the organisation keeps
-- of it.
CREATE FUNCTION require_balanced_ledger()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    checked uuid;
    kept bigint;
    booked bigint;
BEGIN
    IF TG_TABLE_NAME = 'ledger' THEN checked := NEW.transaction_id; ELSE checked := NEW.id; END IF;
    SELECT CASE WHEN state IN ('succeeded', 'refunded') THEN amount - refunded_amount - lost_amount ELSE 0 END
    INTO kept FROM transactions WHERE id = checked;
    SELECT coalesce(sum(amount), 0) INTO booked FROM ledger WHERE transaction_id = checked;
    IF kept <> booked THEN
        RAISE EXCEPTION 'the ledger of transaction % adds up to %, not to %', checked, booked, kept
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_balance';
    END IF;
    RETURN NULL;
END $function$;

-- Trigger of the ledger: after a captured or refunded amount, the cart is due for an invoice or a credit note, if its
-- organisation is a seller. What another shop sold has its documents there.
CREATE FUNCTION documents_follow_ledger()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    INSERT INTO documents_due (cart_id, since, next_attempt_at)
    SELECT NEW.cart_id, NEW.at, NEW.at + interval '1 minute'
    FROM organisations o JOIN carts c ON c.id = NEW.cart_id
    -- Of carts that were paid before there was a seller, nothing is documented.
    WHERE o.id = NEW.organisation_id AND o.seller_since IS NOT NULL AND c.former_shop IS NULL AND (NEW.kind = 'captured' OR c.paid_at >= o.seller_since)
    ON CONFLICT (cart_id) DO UPDATE SET next_attempt_at = excluded.next_attempt_at, attempts = 0;
    RETURN NULL;
END $function$;

-- Stores an account of the platform under the address that it was found by, and returns its learner. The caller has locked
-- the address.
CREATE FUNCTION remember_learner(new_id uuid, of_account bigint, of_username text, of_email text, of_name text, moment timestamp with time zone, of_language text)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
DECLARE
    learner uuid;
BEGIN
    -- Another account may have had the address; the platform's answer is newer.
    UPDATE learners SET email = NULL, former_email = NULL, updated_at = moment
    WHERE (email = of_email OR former_email = of_email) AND platform_user_id <> of_account;
    INSERT INTO learners AS l (id, platform_user_id, username, email, name, created_at, updated_at, language)
    VALUES (new_id, of_account, of_username, of_email, of_name, moment, moment, of_language)
    ON CONFLICT ON CONSTRAINT learners_platform_user_id_key DO UPDATE
    SET username = excluded.username, email = excluded.email, former_email = NULL, name = excluded.name,
        updated_at = excluded.updated_at, language = coalesce(excluded.language, l.language)
    RETURNING id INTO learner;
    -- The enrollments of learners who no longer have the address stay with them; the account that has it now can use it.
    UPDATE enrollments e SET email = 'learner-' || e.learner_id || '@moved.invalid'
    WHERE e.email = of_email AND e.learner_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM learners l WHERE l.id = e.learner_id AND l.email = of_email);
    RETURN learner;
END $function$;

-- Chooses the language of a person who has given this one, or none: that of the learner with the address, then the
-- organisation's first.
CREATE FUNCTION buyer_language(given text, of_email text, of_organisation uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
    RETURN coalesce(given, (SELECT l.language FROM learners l WHERE l.email = of_email),
                    (SELECT o.languages[1] FROM organisations o WHERE o.id = of_organisation), 'en');
END $function$;

-- Lists the buyers of an organisation, as `carts.buyer` names them: those who have checked out an order there, and are
-- therefore its members. A basket that was never checked out is not an order, even after it was emptied or has expired.
CREATE FUNCTION buyers_of(organisation uuid)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
AS $function$
    SELECT c.buyer FROM carts c
    WHERE c.organisation_id = organisation AND c.state <> 'open' AND (
        c.state NOT IN ('cancelled', 'expired') OR EXISTS (SELECT FROM transactions t WHERE t.cart_id = c.id))
$function$;

-- Computes what the buyer was charged for a line, with tax, or is to be charged.
CREATE FUNCTION line_charged(line cart_items)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT coalesce(line.charged, line.price + line.tax_on_top)
$function$;

-- Finds when the latest course of a line starts: of those that it grants, or that its seats are for. A line that was moved
-- keeps the start of the course that was sold, so that a move reopens no period.
CREATE FUNCTION line_starts(line cart_items)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
    SELECT max(c.starts_at) FROM courses c WHERE c.id IN (
        SELECT a.course_id FROM cart_courses a WHERE a.cart_id = line.cart_id AND a.position = line.position
            AND NOT EXISTS (SELECT FROM moves m WHERE (m.cart_id, m.position) = (line.cart_id, line.position))
        UNION ALL SELECT line.course_id WHERE line.seats IS NOT NULL
            OR EXISTS (SELECT FROM moves m WHERE (m.cart_id, m.position) = (line.cart_id, line.position))
        UNION ALL SELECT p.course_id FROM program_courses p WHERE p.program_id = line.program_id AND line.seats IS NOT NULL)
$function$;

-- Finds the time zone by which an organisation's days are counted: that of its seller, else UTC. UTC also for a name that
-- this server does not know, as after a move to another one, so that one organisation's value stops no statement about
-- others; `doctor` names it.
CREATE FUNCTION day_zone(seller jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL RESTRICTED
AS $function$
DECLARE
    zone text := seller ->> 'time_zone';
BEGIN
    PERFORM now() AT TIME ZONE zone;
    RETURN coalesce(zone, 'UTC');
EXCEPTION WHEN invalid_parameter_value THEN
    RETURN 'UTC';
END $function$;

-- Finds the first moment of a day in a time zone. Where clocks go back to midnight, as in the Azores, the day has it
-- twice, and PostgreSQL takes the second one; where they leave midnight out, as in Chile, the day begins at one.
CREATE FUNCTION day_begins(day date, zone text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
    SELECT CASE WHEN ((midnight - interval '1 hour') AT TIME ZONE zone)::date = day THEN midnight - interval '1 hour' ELSE midnight END
    FROM (SELECT day::timestamp AT TIME ZONE zone AS midnight) clock
$function$;

-- Finds the end of the period of withdrawal: the end of the last day where the seller is, and of the next working day if
-- that is a Saturday or a Sunday (Regulation (EEC, Euratom) 1182/71, Article 3). Public holidays are not known here.
CREATE FUNCTION withdrawal_ends(paid_at timestamp with time zone, days integer, zone text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
    SELECT day_begins(last + CASE extract(isodow FROM last) WHEN 6 THEN 3 WHEN 7 THEN 2 ELSE 1 END, coalesce(zone, 'UTC'))
    FROM (SELECT (paid_at AT TIME ZONE coalesce(zone, 'UTC'))::date + days AS last) period
$function$;

-- Finds the version of the links to an order, or to a document, a pool or a withdrawal of one; 0 for what belongs to no
-- order.
CREATE FUNCTION link_version(subject uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
    SELECT coalesce(max(c.link_version), 0) FROM carts c WHERE c.id IN (
        SELECT subject
        UNION ALL SELECT cart_id FROM documents WHERE id = subject
        UNION ALL SELECT cart_id FROM vouchers WHERE id = subject
        UNION ALL SELECT cart_id FROM withdrawals WHERE id = subject)
$function$;

-- Finds the page of a course in which an order has enrolled somebody; null if it has none, or has enrolled nobody yet.
CREATE FUNCTION course_link(cart uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
    SELECT c.link_to_course FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id JOIN courses c ON c.id = e.course_id
    WHERE g.cart_id = cart AND e.state = 'enrolled' AND c.link_to_course IS NOT NULL
    ORDER BY c.display_name LIMIT 1
$function$;

-- Lists the courses of an order that begin later and in which this address has a place, with the time in a zone: an array
-- of objects. Courses that advertise a text such as *Spring 2027* have no exact time to tell.
CREATE FUNCTION course_beginnings(cart uuid, reader text, zone text, after timestamp with time zone)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
               'course_id', id, 'name', display_name, 'at', starts_at, 'local', starts_at AT TIME ZONE zone, 'zone', zone,
               'url', link_to_course) ORDER BY starts_at, display_name), '[]')
    FROM (SELECT DISTINCT c.id, c.display_name, c.starts_at, c.link_to_course
          FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id JOIN courses c ON c.id = e.course_id
          LEFT JOIN learners l ON l.id = e.learner_id
          WHERE g.cart_id = cart AND g.ended_at IS NULL AND reader IN (e.email, l.email)
            AND c.starts_at > after AND c.advertised_start IS NULL
            AND NOT EXISTS (SELECT FROM moves m WHERE m.from_grant = g.id AND num_nonnulls(m.done_at, m.withdrawn_at) = 0)) courses
$function$;

-- Lists the tables of ten pages or more that have no statistics, or have grown tenfold since theirs were collected.
CREATE FUNCTION grown_tables()
 RETURNS SETOF name
 LANGUAGE sql
 STABLE
AS $function$
    SELECT c.relname FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> '_sqlx_migrations'
      AND pg_relation_size(c.oid) >= 10 * current_setting('block_size')::bigint
      AND (pg_relation_size(c.oid) >= 10 * current_setting('block_size')::bigint * c.relpages
           -- An index that was made since counts as a look at the size, and a table whose rows are all gone gets no statistics.
           OR c.reltuples > 0 AND NOT EXISTS (
               SELECT FROM pg_stats s WHERE s.schemaname = 'public' AND s.tablename = c.relname))
    ORDER BY 1
$function$;

-- Collects the statistics of `grown_tables`, which the worker calls in each round of the reconciler: autovacuum comes a
-- minute later, and not at all where it is off. Returns how many there were.
CREATE FUNCTION analyze_grown_tables()
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    grown name;
    analyzed bigint := 0;
BEGIN
    FOR grown IN SELECT * FROM public.grown_tables() LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) public.%I', grown);
        analyzed := analyzed + 1;
    END LOOP;
    RETURN analyzed;
END $function$;

-- Releases the use that a cart holds. After a pool was fully refunded, or its order was cancelled, a seat that becomes
-- free is withdrawn if its line has paid for it: taken seats count as paid for first, and seats that the organisation has
-- added are the rest. So is a place whose entry of the waiting list has ended.
CREATE FUNCTION release_voucher_use(of_cart uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM FROM vouchers v JOIN voucher_uses u ON u.voucher_id = v.id
    WHERE u.cart_id = of_cart AND u.state IN ('held', 'used') AND num_nonnulls(v.max_uses, v.budget) > 0
    FOR NO KEY UPDATE OF v;
    WITH released AS (
        UPDATE voucher_uses SET state = 'released' WHERE cart_id = of_cart AND state IN ('held', 'used')
        RETURNING voucher_id, discount),
    gone AS (
        SELECT r.voucher_id, discount, CASE
            WHEN v.kind = 'place' AND NOT EXISTS (SELECT FROM waiting_list w WHERE w.voucher_id = v.id AND w.state = 'offered') THEN 1
            WHEN (t.state = 'refunded' OR c.state = 'cancelled') AND v.uses <= i.seats - v.withdrawn THEN 1 ELSE 0
            END AS withdrawn
        FROM released r JOIN vouchers v ON v.id = r.voucher_id LEFT JOIN carts c ON c.id = v.cart_id
        LEFT JOIN cart_items i ON (i.cart_id, i.position) = (v.cart_id, v.position)
        LEFT JOIN transactions t ON t.cart_id = v.cart_id)
    UPDATE vouchers v SET uses = uses - 1, spent = spent - gone.discount,
        max_uses = v.max_uses - gone.withdrawn, withdrawn = v.withdrawn + gone.withdrawn FROM gone
    WHERE v.id = gone.voucher_id AND num_nonnulls(v.max_uses, v.budget) > 0;
END $function$;

-- Takes the released use of a cart again, as of a new time if one is given. False if none is left for its buyer. An unpaid
-- order releases its use long before it can no longer be paid; a buyer who pays or returns after that takes the use again
-- if one is left, so that the limits still count it.
CREATE FUNCTION take_voucher_use_again(of_cart uuid, new_state text, taken_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    given_back voucher_uses;
    voucher vouchers;
    free_slot integer;
BEGIN
    SELECT * INTO given_back FROM voucher_uses WHERE cart_id = of_cart AND state = 'released';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- A stronger lock than the counters need: a use that the same buyer takes at this moment must wait, or have its slot by now.
    SELECT * INTO voucher FROM vouchers WHERE id = given_back.voucher_id FOR UPDATE;
    IF voucher.uses >= voucher.max_uses OR voucher.spent + given_back.discount > voucher.budget THEN
        RETURN false;
    END IF;
    IF voucher.max_uses_per_buyer IS NOT NULL THEN
        SELECT min(n) INTO free_slot FROM generate_series(1, voucher.max_uses_per_buyer) n WHERE NOT EXISTS (
            SELECT FROM voucher_uses u WHERE u.voucher_id = voucher.id AND u.email = given_back.email AND u.slot = n
              AND u.state IN ('held', 'used'));
        IF free_slot IS NULL THEN
            RETURN false;
        END IF;
    END IF;
    UPDATE voucher_uses SET state = new_state, slot = free_slot, at = coalesce(taken_at, at) WHERE cart_id = of_cart;
    UPDATE vouchers SET uses = uses + 1, spent = spent + given_back.discount
    WHERE id = voucher.id AND num_nonnulls(max_uses, budget) > 0;
    RETURN true;
END $function$;

-- Trigger of carts: the use of a cart's voucher follows the cart, whatever changes the cart's state. It becomes used,
-- released or late; a released one is taken again if one is left.
CREATE FUNCTION voucher_use_follows_cart()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF NEW.state IN ('paid', 'held', 'fulfilled') THEN
        UPDATE voucher_uses SET state = 'used' WHERE cart_id = NEW.id AND state = 'held';
        IF NOT FOUND AND NOT take_voucher_use_again(NEW.id, 'used', NULL) THEN
            UPDATE voucher_uses SET state = 'late' WHERE cart_id = NEW.id AND state = 'released';
        END IF;
    ELSIF NEW.state IN ('cancelled', 'expired') THEN
        PERFORM release_voucher_use(NEW.id);
    END IF;
    RETURN NULL;
END $function$;

-- Trigger of carts: an address that is erased from a cart, or moved, is erased from the use too. A use without a slot
-- limits no other one.
CREATE FUNCTION voucher_use_follows_address()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    UPDATE voucher_uses SET email = NEW.email, slot = NULL WHERE cart_id = NEW.id;
    RETURN NULL;
END $function$;

-- Trigger of voucher_uses: a voucher without limits, whose row nobody locks, has its uses counted in parts.
CREATE FUNCTION voucher_use_is_counted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    counted integer := CASE WHEN NEW.state IN ('held', 'used') THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO voucher_sums AS s (voucher_id, part, uses, spent)
    SELECT id, pg_backend_pid() % 16, counted, counted * NEW.discount FROM vouchers
    WHERE id = NEW.voucher_id AND num_nonnulls(max_uses, budget) = 0
    ON CONFLICT (voucher_id, part) DO UPDATE SET uses = s.uses + excluded.uses, spent = s.spent + excluded.spent;
    RETURN NULL;
END $function$;

-- Counts the free seats of a pool, of those that its line has paid for; not those that the organisation has added.
CREATE FUNCTION seats_left(pool vouchers, paid integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT greatest(0, least(pool.max_uses - pool.uses, paid - pool.withdrawn - pool.uses))
$function$;

-- Trigger of carts: a free order that is cancelled before its buyer has registered loses its free paid seats. Its
-- voucher's use is released too.
CREATE FUNCTION seats_follow_cart()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM FROM vouchers WHERE cart_id = NEW.id ORDER BY position FOR NO KEY UPDATE;
    UPDATE vouchers v SET withdrawn = v.withdrawn + seats_left(v, i.seats), max_uses = v.max_uses - seats_left(v, i.seats)
    FROM cart_items i WHERE v.cart_id = NEW.id AND (i.cart_id, i.position) = (v.cart_id, v.position);
    RETURN NULL;
END $function$;

-- Trigger of carts: a pool belongs to the buyer of its cart, also after the buyer's address was moved or erased.
CREATE FUNCTION seats_follow_buyer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    UPDATE vouchers SET email = NEW.email, buyer = NEW.buyer WHERE cart_id = NEW.id;
    RETURN NULL;
END $function$;

-- Finds the seat of a pool that was taken back from an address. It stays used, and is the same learner's if it is assigned
-- to them again: no more people are served. Null if the address has none, and once the money for the seat has gone back.
CREATE FUNCTION seat_taken_back(of_pool uuid, address text)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
    SELECT u.cart_id FROM voucher_uses u JOIN carts k ON k.id = u.cart_id JOIN vouchers v ON v.id = u.voucher_id
    LEFT JOIN carts c ON c.id = v.cart_id LEFT JOIN transactions t ON t.cart_id = c.id
    LEFT JOIN cart_items i ON (i.cart_id, i.position) = (v.cart_id, v.position)
    WHERE u.voucher_id = of_pool AND u.email = address AND u.state = 'used' AND k.state = 'fulfilled'
      AND EXISTS (SELECT FROM enrollment_grants g WHERE g.cart_id = k.id AND g.ended_reason = 'seat taken back')
      AND NOT EXISTS (SELECT FROM enrollment_grants g WHERE g.cart_id = k.id AND g.ended_at IS NULL)
      AND ((t.state = 'refunded' OR c.state = 'cancelled') AND v.uses <= i.seats - v.withdrawn) IS NOT TRUE
    LIMIT 1
$function$;

ALTER DEFAULT PRIVILEGES FOR ROLE storefront_owner IN SCHEMA public GRANT DELETE, INSERT, SELECT, UPDATE ON TABLES TO storefront_worker;

ALTER DEFAULT PRIVILEGES FOR ROLE storefront_owner IN SCHEMA public GRANT USAGE ON SEQUENCES TO storefront_worker;
