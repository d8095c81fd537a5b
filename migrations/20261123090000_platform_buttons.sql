-- The course platform's upgrade buttons name a mode by its sku, and lead to the api, or on to the organisation's own pages.

ALTER TABLE course_modes
    -- The name of the mode in links of the platform: `{course id}.{mode}`, which `catalog sync --skus` writes there, or an operator's own.
    ADD COLUMN sku text CONSTRAINT course_modes_sku_length CHECK (length(sku) BETWEEN 1 AND 255),
    -- The same for seats in the mode.
    ADD COLUMN bulk_sku text CONSTRAINT course_modes_bulk_sku_length CHECK (length(bulk_sku) BETWEEN 1 AND 255);
-- Not unique: they are not at the platform either, and a link may name its course.
CREATE INDEX course_modes_sku_idx ON course_modes (sku) WHERE sku IS NOT NULL;
CREATE INDEX course_modes_bulk_sku_idx ON course_modes (bulk_sku) WHERE bulk_sku IS NOT NULL;

ALTER TABLE organisations
    -- The pages of the organisation's own shop to which the platform's links are redirected; null: the api's own.
    ADD COLUMN buy_url text,
    ADD COLUMN orders_url text;
