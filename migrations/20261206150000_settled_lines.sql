-- Whether a refund, or the loss of all money, has ended a line for its buyer. One whose only refunds have failed after the provider
-- had accepted them can be refunded again. Of seats, those that become free can always be.
CREATE FUNCTION line_is_settled(line cart_items) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT line.access_ended_at IS NOT NULL AND line.seats IS NULL AND coalesce((
        SELECT bool_or(l.ends_access AND r.state <> 'failed')
               OR NOT bool_or(r.state = 'failed' AND r.accepted_at IS NOT NULL)
        FROM transactions t JOIN refunds r ON r.transaction_id = t.id JOIN refund_lines l ON l.refund_id = r.id
        WHERE t.cart_id = line.cart_id AND l.position = line.position), true)
$$;
GRANT SELECT (refund_id, position, ends_access) ON refund_lines TO storefront_api;
