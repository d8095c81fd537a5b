-- What `move-in ecommerce` reads of the database of edX's ecommerce: one JSON object a line. Changes nothing. For the clients `mysql` and
-- `mariadb`, which read it from their standard input:
--
--   mysql --batch --raw --skip-column-names --quick --default-character-set=utf8mb4 ecommerce
--
-- The columns of two generations of django-oscar differ in one place, the price of a stock record.

SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ;
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY;
SET SESSION group_concat_max_len = 1048576;
SET @day = '%Y-%m-%dT%H:%i:%s.%fZ';

-- The columns that the statements below need, and the database lacks.
SELECT JSON_OBJECT('t', 'begin', 'format', 1, 'missing', GROUP_CONCAT(needed.name ORDER BY needed.name SEPARATOR ', ')) FROM (
    SELECT 'django_site.domain' AS name UNION SELECT 'core_siteconfiguration.partner_id' UNION SELECT 'core_siteconfiguration.site_id'
    UNION SELECT 'partner_partner.short_code' UNION SELECT 'courses_course.name' UNION SELECT 'catalogue_product.course_id'
    UNION SELECT 'catalogue_product.expires' UNION SELECT 'catalogue_productclass.slug' UNION SELECT 'catalogue_productattribute.code'
    UNION SELECT 'catalogue_productattributevalue.value_text' UNION SELECT 'partner_stockrecord.partner_sku'
    UNION SELECT 'order_order.partner_id' UNION SELECT 'order_order.site_id'
    UNION SELECT 'order_line.line_price_before_discounts_excl_tax' UNION SELECT 'order_orderdiscount.voucher_code'
    UNION SELECT 'payment_source.amount_refunded' UNION SELECT 'payment_sourcetype.code'
    UNION SELECT 'payment_paymentprocessorresponse.transaction_id' UNION SELECT 'order_paymentevent.processor_name'
    UNION SELECT 'order_paymenteventtype.code' UNION SELECT 'refund_refund.total_credit_excl_tax'
    UNION SELECT 'refund_refundline.line_credit_excl_tax' UNION SELECT 'invoice_invoice.order_id' UNION SELECT 'voucher_voucher.usage'
    UNION SELECT 'voucher_voucher_offers.conditionaloffer_id' UNION SELECT 'offer_conditionaloffer.email_domains'
    UNION SELECT 'offer_conditionaloffer.partner_id' UNION SELECT 'offer_benefit.proxy_class' UNION SELECT 'offer_condition.program_uuid'
    UNION SELECT 'offer_range.course_catalog' UNION SELECT 'catalogue_catalog_stock_records.stockrecord_id'
    UNION SELECT 'offer_rangeproduct.product_id' UNION SELECT 'voucher_couponvouchers_vouchers.voucher_id'
    UNION SELECT 'voucher_couponvouchers.coupon_id' UNION SELECT 'voucher_orderlinevouchers.line_id'
    UNION SELECT 'voucher_orderlinevouchers_vouchers.voucher_id' UNION SELECT 'voucher_voucherapplication.order_id'
    UNION SELECT 'ecommerce_user.lms_user_id' UNION SELECT 'ecommerce_user.tracking_context'
    UNION SELECT 'social_auth_usersocialauth.extra_data' UNION SELECT 'basket_basket.owner_id' UNION SELECT 'basket_line.stockrecord_id'
) needed WHERE NOT EXISTS (
    SELECT 1 FROM information_schema.columns c
    WHERE c.table_schema = DATABASE() AND CONCAT(c.table_name, '.', c.column_name) = needed.name);

SELECT JSON_OBJECT('t', 'site', 'id', s.id, 'domain', s.domain, 'partner_id', p.id, 'short_code', p.short_code, 'name', p.name)
FROM core_siteconfiguration c JOIN django_site s ON s.id = c.site_id JOIN partner_partner p ON p.id = c.partner_id;

-- A child has its class at its parent. Attributes are found by their codes: ids, names and the case of names differ by class.
SET @price = (SELECT IF(COUNT(*) > 0, 'price', 'price_excl_tax') FROM information_schema.columns
              WHERE table_schema = DATABASE() AND table_name = 'partner_stockrecord' AND column_name = 'price');
SET @products = CONCAT("
    SELECT JSON_OBJECT('t', 'product', 'id', p.id, 'class', REPLACE(k.slug, '_', '-'), 'title', p.title, 'course', p.course_id,
        'course_name', c.name, 'partner_id', r.partner_id, 'sku', r.partner_sku, 'price', CAST(r.", @price, " AS CHAR), 'currency', r.price_currency,
        'expires', DATE_FORMAT(p.expires, @day),
        'certificate', MAX(CASE WHEN a.code = 'certificate_type' THEN v.value_text END),
        'verified_id', MAX(CASE WHEN a.code = 'id_verification_required' THEN v.value_boolean END),
        'seat_type', MAX(CASE WHEN a.code = 'seat_type' THEN v.value_text END))
    FROM catalogue_product p LEFT JOIN catalogue_product q ON q.id = p.parent_id
    JOIN catalogue_productclass k ON k.id = COALESCE(p.product_class_id, q.product_class_id)
    LEFT JOIN courses_course c ON c.id = p.course_id
    LEFT JOIN partner_stockrecord r ON r.product_id = p.id
    LEFT JOIN catalogue_productattributevalue v ON v.product_id = p.id
    LEFT JOIN catalogue_productattribute a ON a.id = v.attribute_id
    WHERE p.structure <> 'parent'
    GROUP BY p.id, k.slug, p.title, p.course_id, c.name, r.id, r.partner_id, r.partner_sku, r.", @price, ", r.price_currency, p.expires");
PREPARE products FROM @products;
EXECUTE products;

SELECT JSON_OBJECT('t', 'user', 'id', u.id, 'username', u.username, 'lms_id', u.lms_user_id,
    'social', (SELECT GROUP_CONCAT(s.extra_data ORDER BY s.id SEPARATOR '\n') FROM social_auth_usersocialauth s WHERE s.user_id = u.id),
    'tracking', u.tracking_context)
FROM ecommerce_user u;

SELECT JSON_OBJECT('t', 'order', 'id', o.id, 'number', o.number, 'site_id', o.site_id, 'partner_id', o.partner_id, 'user_id', o.user_id,
    'status', o.status, 'currency', o.currency, 'total', CAST(o.total_incl_tax AS CHAR), 'placed', DATE_FORMAT(o.date_placed, @day),
    'invoiced', (SELECT COUNT(*) FROM invoice_invoice i WHERE i.order_id = o.id),
    'vouchers', (SELECT GROUP_CONCAT(d.voucher_code ORDER BY d.id SEPARATOR ',') FROM order_orderdiscount d
                 WHERE d.order_id = o.id AND d.voucher_code <> ''))
FROM order_order o;

SELECT JSON_OBJECT('t', 'line', 'id', l.id, 'order_id', l.order_id, 'product_id', l.product_id, 'sku', l.partner_sku, 'title', l.title,
    'quantity', l.quantity, 'before', CAST(l.line_price_before_discounts_excl_tax AS CHAR), 'paid', CAST(l.line_price_excl_tax AS CHAR))
FROM order_line l;

SELECT JSON_OBJECT('t', 'payment', 'id', s.id, 'order_id', s.order_id, 'processor', y.code, 'reference', s.reference,
    'currency', s.currency, 'debited', CAST(s.amount_debited AS CHAR), 'refunded', CAST(s.amount_refunded AS CHAR))
FROM payment_source s JOIN payment_sourcetype y ON y.id = s.source_type_id;

SELECT JSON_OBJECT('t', 'refund', 'id', r.id, 'order_id', r.order_id, 'status', r.status,
    'amount', CAST(r.total_credit_excl_tax AS CHAR), 'created', DATE_FORMAT(r.created, @day), 'changed', DATE_FORMAT(r.modified, @day))
FROM refund_refund r;

SELECT JSON_OBJECT('t', 'refund_line', 'refund_id', l.refund_id, 'line_id', l.order_line_id, 'amount', CAST(l.line_credit_excl_tax AS CHAR))
FROM refund_refundline l;

SELECT JSON_OBJECT('t', 'refunded', 'id', e.id, 'order_id', e.order_id, 'amount', CAST(e.amount AS CHAR), 'reference', e.reference,
    'at', DATE_FORMAT(e.date_created, @day))
FROM order_paymentevent e JOIN order_paymenteventtype y ON y.id = e.event_type_id WHERE y.code = 'refunded';

-- A code with the terms of its offer. Enrollment codes have no coupon, but the line that they were bought with.
SELECT JSON_OBJECT('t', 'code', 'id', v.id, 'code', v.code, 'usage', v.`usage`, 'from', DATE_FORMAT(v.start_datetime, @day),
    'until', DATE_FORMAT(v.end_datetime, @day), 'orders', v.num_orders, 'offer_id', o.id, 'applications', o.num_applications,
    'most', o.max_global_applications, 'domains', o.email_domains, 'kind', b.type,
    'value', CAST(b.value AS CHAR), 'benefit', b.proxy_class, 'program', c.program_uuid, 'range_id', r.id,
    'query', r.catalog_query, 'catalog', r.course_catalog, 'coupon_id', k.coupon_id, 'coupon', p.title,
    'partner_id', (SELECT s.partner_id FROM partner_stockrecord s WHERE s.product_id = k.coupon_id LIMIT 1),
    'line_id', (SELECT n.line_id FROM voucher_orderlinevouchers_vouchers m JOIN voucher_orderlinevouchers n ON n.id = m.orderlinevouchers_id
                WHERE m.voucher_id = v.id LIMIT 1))
FROM voucher_voucher v
LEFT JOIN voucher_voucher_offers vo ON vo.voucher_id = v.id
LEFT JOIN offer_conditionaloffer o ON o.id = vo.conditionaloffer_id
LEFT JOIN offer_benefit b ON b.id = o.benefit_id LEFT JOIN offer_condition c ON c.id = o.condition_id
LEFT JOIN offer_range r ON r.id = COALESCE(b.range_id, c.range_id)
LEFT JOIN voucher_couponvouchers_vouchers kv ON kv.voucher_id = v.id
LEFT JOIN voucher_couponvouchers k ON k.id = kv.couponvouchers_id
LEFT JOIN catalogue_product p ON p.id = k.coupon_id;

SELECT JSON_OBJECT('t', 'code_use', 'id', a.id, 'code_id', a.voucher_id, 'order_id', a.order_id) FROM voucher_voucherapplication a;

-- The products of a range: a list of stock records, or of products.
SELECT JSON_OBJECT('t', 'range', 'id', r.id, 'product_id', s.product_id)
FROM offer_range r JOIN catalogue_catalog_stock_records x ON x.catalog_id = r.catalog_id JOIN partner_stockrecord s ON s.id = x.stockrecord_id;
SELECT JSON_OBJECT('t', 'range', 'id', p.range_id, 'product_id', p.product_id) FROM offer_rangeproduct p;

-- Discounts of programs, which need no code.
SELECT JSON_OBJECT('t', 'program_offer', 'id', o.id, 'name', o.name, 'partner_id', o.partner_id, 'program', c.program_uuid,
    'benefit', b.proxy_class, 'value', CAST(b.value AS CHAR), 'from', DATE_FORMAT(o.start_datetime, @day),
    'until', DATE_FORMAT(o.end_datetime, @day), 'status', o.status)
FROM offer_conditionaloffer o JOIN offer_benefit b ON b.id = o.benefit_id JOIN offer_condition c ON c.id = o.condition_id
WHERE o.offer_type = 'Site' AND c.program_uuid IS NOT NULL;

SELECT JSON_OBJECT('t', 'basket', 'id', b.id, 'site_id', b.site_id,
    'created', DATE_FORMAT(b.date_created, @day),
    'skus', (SELECT GROUP_CONCAT(s.partner_sku ORDER BY l.id SEPARATOR ',') FROM basket_line l
             JOIN partner_stockrecord s ON s.id = l.stockrecord_id WHERE l.basket_id = b.id))
FROM basket_basket b WHERE NOT EXISTS (SELECT 1 FROM order_order o WHERE o.basket_id = b.id) AND b.status = 'Frozen';

-- Answers that say that the money was taken. One that was only `created` is not a payment.
SELECT JSON_OBJECT('t', 'answer', 'basket_id', r.basket_id, 'processor', r.processor_name, 'reference', r.transaction_id)
FROM payment_paymentprocessorresponse r JOIN basket_basket b ON b.id = r.basket_id
WHERE b.status = 'Frozen' AND NOT EXISTS (SELECT 1 FROM order_order o WHERE o.basket_id = b.id)
  AND (JSON_VALID(r.response) AND (JSON_UNQUOTE(JSON_EXTRACT(r.response, '$.status')) = 'succeeded'
                                   OR JSON_UNQUOTE(JSON_EXTRACT(r.response, '$.state')) = 'approved'
                                   OR JSON_UNQUOTE(JSON_EXTRACT(r.response, '$.decision')) = 'ACCEPT'));

SELECT JSON_OBJECT('t', 'end');
COMMIT;
