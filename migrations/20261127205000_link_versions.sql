-- Links of mails end with the address to which they were sent: a correction of an order's address raises the version that the links of the
-- order have, those of its documents, pools of seats and withdrawals included.
ALTER TABLE carts ADD COLUMN link_version integer NOT NULL DEFAULT 0;
GRANT SELECT (link_version) ON carts TO storefront_api;
-- The code of a pool was mailed, too.
GRANT UPDATE (code) ON vouchers TO storefront_worker;

-- The version of the links to an order, a document, a pool or a withdrawal; 0 for what belongs to no order.
CREATE FUNCTION link_version(subject uuid) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT coalesce(max(c.link_version), 0) FROM carts c WHERE c.id IN (
        SELECT subject
        UNION ALL SELECT cart_id FROM documents WHERE id = subject
        UNION ALL SELECT cart_id FROM vouchers WHERE id = subject
        UNION ALL SELECT cart_id FROM withdrawals WHERE id = subject)
$$;
