-- Orders that another shop sold before this one.
ALTER TABLE carts ADD COLUMN former_shop text CONSTRAINT carts_former_shop CHECK (length(former_shop) BETWEEN 1 AND 255);
COMMENT ON COLUMN carts.former_shop IS
    'The site that sold the order before it was moved in, by its domain; null: this storefront. Such an order is a record: nothing is '
    'charged, granted, documented, mailed or paid back for it here, and it has no events. Its number is the reference.';
GRANT SELECT (former_shop) ON carts TO storefront_api;
-- Links to receipts have the number alone.
CREATE INDEX carts_former_number_idx ON carts (reference) WHERE former_shop IS NOT NULL;
