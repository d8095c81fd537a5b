-- The uses of a voucher without limits, counted as they are taken: a campaign has a hundred thousand.
CREATE TABLE voucher_sums (
    voucher_id uuid NOT NULL REFERENCES vouchers,
    part smallint NOT NULL,
    uses bigint NOT NULL,
    spent bigint NOT NULL,
    PRIMARY KEY (voucher_id, part)
);
COMMENT ON TABLE voucher_sums IS
    'The uses of vouchers without limits, and their discounts. Sums of several parts: buyers do not wait for one row.';
COMMENT ON COLUMN voucher_sums.part IS 'By the database connection that took or released the use. A part alone can be negative.';
REVOKE DELETE ON voucher_sums FROM storefront_worker;
GRANT SELECT ON voucher_sums TO storefront_api;
