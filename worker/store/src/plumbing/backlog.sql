-- Counts and dates each kind of waiting work: up to $3 of what is under way, and up to $5 of what waits for somebody else.
SELECT what AS "what!", count(since) AS "count!", min(since) AS oldest FROM (
    (SELECT 'enrollments_unconfirmed' AS what, updated_at AS since FROM enrollments
     WHERE platform_state = 'queued' AND learner_id IS NOT NULL AND NOT sync_held_back ORDER BY updated_at LIMIT $3)
    UNION ALL
    (SELECT 'enrollments_refused', updated_at FROM enrollments
     WHERE platform_state = 'refused' AND state = 'enrolled' ORDER BY updated_at LIMIT $5)
    UNION ALL
    (SELECT 'enrollments_pending_registration', updated_at FROM enrollments
     WHERE state = 'pending_registration' ORDER BY updated_at LIMIT $5)
    UNION ALL (SELECT 'carts_held', created_at FROM carts WHERE state = 'held' ORDER BY created_at LIMIT $5)
    UNION ALL
    SELECT 'payments_pending', t.created_at FROM unnest($6::text[]) of CROSS JOIN LATERAL (
        SELECT created_at FROM transactions
        WHERE gateway = of AND state IN ('created', 'processing') AND dead_at IS NULL AND on_account IS NULL
          AND created_at > CASE WHEN of = ANY ($1) THEN $2::timestamptz ELSE '-infinity' END
        ORDER BY created_at LIMIT $5) t
    UNION ALL (SELECT 'refunds_asked', asked_at FROM refunds WHERE state = 'asked' LIMIT $3)
    UNION ALL
    (SELECT 'refunds_accepted', asked_at FROM refunds
     WHERE state = 'accepted' AND next_check_at IS NOT NULL ORDER BY asked_at LIMIT $5)
    UNION ALL
    (SELECT 'payments_alarmed', updated_at FROM transactions WHERE alert IS NOT NULL ORDER BY updated_at LIMIT $5)
    UNION ALL SELECT 'accounts_refused', refused_at FROM gateway_credentials WHERE refused_at IS NOT NULL
    UNION ALL (SELECT 'carts_paid', paid_at FROM carts WHERE state = 'paid' ORDER BY paid_at LIMIT $3)
    UNION ALL
    (SELECT 'carts_paid', c.created_at FROM carts c
     WHERE c.state = 'pending_payment' AND c.fulfil_requested_at IS NOT NULL AND EXISTS (
         SELECT FROM transactions t WHERE t.cart_id = c.id AND t.on_account = 'now' AND t.state = 'processing' OFFSET 0)
     ORDER BY c.fulfil_requested_at LIMIT $3)
    UNION ALL
    (SELECT 'events_unmatched', received_at FROM inbox i
     WHERE processed_at IS NULL AND parked_reason IS NULL  -- and not those of another shop with the same account
       AND (transaction_hint IS NOT NULL OR EXISTS (
           SELECT FROM transactions t WHERE t.gateway = i.gateway AND t.provider_reference = i.reference))
     ORDER BY received_at LIMIT $3)
    UNION ALL
    (SELECT 'events_parked', received_at FROM inbox
     WHERE parked_reason IS NOT NULL AND processed_at IS NULL ORDER BY received_at LIMIT $5)
    UNION ALL
    (SELECT 'commands_unanswered', created_at FROM commands WHERE answer IS NULL AND lease_until < now() LIMIT $3)
    UNION ALL
    SELECT 'webhooks_due', d.at FROM webhook_endpoints w CROSS JOIN LATERAL (
        SELECT at FROM webhook_deliveries WHERE endpoint_id = w.id AND next_attempt_at <= now()
        ORDER BY next_attempt_at LIMIT $5) d
    WHERE w.disabled_at IS NULL
    UNION ALL SELECT 'webhooks_disabled', disabled_at FROM webhook_endpoints WHERE disabled_at IS NOT NULL
    UNION ALL
    -- All of them: an alert compares their number with that of an hour ago.
    SELECT 'batch_syncs', created_at FROM batch_syncs
    UNION ALL (SELECT 'documents_missing', since FROM documents_due ORDER BY next_attempt_at LIMIT $3)
    UNION ALL
    (SELECT 'documents_requested', issued_at FROM documents
     WHERE state IN ('requested', 'refused') ORDER BY issued_at LIMIT $5)
    UNION ALL
    (SELECT 'withdrawals_waiting', declared_at FROM withdrawals
     WHERE waits_since IS NOT NULL ORDER BY waits_since LIMIT $5)
    UNION ALL
    (SELECT 'withdrawals_undecided', declared_at FROM withdrawals WHERE judge_at IS NOT NULL ORDER BY judge_at LIMIT $5)
    UNION ALL (SELECT 'outbox', created_at FROM outbox ORDER BY id LIMIT $3)
    UNION ALL SELECT unnest($4::text[]), NULL) waiting
GROUP BY what
UNION ALL
SELECT 'batch_rows', count(r.row), min(b.created_at)
FROM batches b LEFT JOIN batch_rows r ON r.batch_id = b.id AND r.state = 'waiting' WHERE b.done_at IS NULL
ORDER BY 1
