-- The rows of an export as they are: a table of the session for each kind, whose columns are the fields that are read.

CREATE TEMP TABLE export_site (id bigint, domain text, partner_id bigint, short_code text, name text);
CREATE TEMP TABLE export_product (
    id bigint, class text, title text, course text, course_name text, partner_id bigint, sku text, price numeric, currency text,
    expires timestamptz, certificate text, verified_id integer, seat_type text);
CREATE TEMP TABLE export_user (id bigint, username text, lms_id bigint, social text, tracking text);
CREATE TEMP TABLE export_order (
    id bigint, number text, site_id bigint, partner_id bigint, user_id bigint, status text, currency text, total numeric,
    placed timestamptz, invoiced integer, vouchers text);
CREATE TEMP TABLE export_line (
    id bigint, order_id bigint, product_id bigint, sku text, title text, quantity integer, before numeric, paid numeric);
CREATE TEMP TABLE export_payment (
    id bigint, order_id bigint, processor text, reference text, refund_reference text, currency text, debited numeric, refunded numeric);
CREATE TEMP TABLE export_refund (
    id bigint, order_id bigint, status text, amount numeric, created timestamptz, changed timestamptz);
CREATE TEMP TABLE export_refund_line (refund_id bigint, line_id bigint, amount numeric);
CREATE TEMP TABLE export_refunded (id bigint, order_id bigint, amount numeric, reference text, at timestamptz);
CREATE TEMP TABLE export_code (
    id bigint, code text, usage text, "from" timestamptz, until timestamptz, orders integer, offer_id bigint, applications integer,
    most integer, domains text, kind text, value numeric, benefit text, program text, range_id bigint, query text, catalog bigint,
    coupon_id bigint, coupon text, partner_id bigint, line_id bigint);
CREATE TEMP TABLE export_code_use (id bigint, code_id bigint, order_id bigint);
CREATE TEMP TABLE export_range (id bigint, product_id bigint);
CREATE TEMP TABLE export_program_offer (
    id bigint, name text, partner_id bigint, program text, benefit text, value numeric, "from" timestamptz, until timestamptz, status text);
CREATE TEMP TABLE export_basket (id bigint, site_id bigint, created timestamptz, skus text);
CREATE TEMP TABLE export_answer (basket_id bigint, processor text, reference text);
CREATE TEMP TABLE export_account (id bigint, username text, email text, name text, retired integer);
CREATE TEMP TABLE export_enrollment (user_id bigint, course text, mode text, active integer);
