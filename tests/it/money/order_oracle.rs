//! Invariants of each order after any history: its documents, its pools of seats and its events say what its payment
//! and its ledger say, and an operator learns of each payment that may be a mistake.

use std::collections::HashSet;

use harness::World;
use reqwest::Method;
use serde_json::Value;

/// A paid order with its books.
#[derive(Debug, sqlx::FromRow)]
struct Order {
    cart: String,
    amount: i64,
    total: i64,
    tax: i64,
    captured_tax: i64,
    refunded: i64,
    refunded_tax: i64,
    /// Indicates whether some money came back that had gone, or went to a bank: credit notes do not follow that.
    is_plain: bool,
    /// In the order of the lines, as `invoiced`.
    charged: Vec<i64>,
    digits: i32,
    invoice: Option<Value>,
    credited: i64,
    credited_tax: i64,
    paid_events: Vec<i64>,
    /// Number of times that it became paid after it was not.
    paid: i64,
    fulfilled_events: i64,
    /// Number of times that it became fulfilled, except for what an operator had delivered later.
    fulfilled: i64,
    /// Number of times that its receipt was sent again, to an address that was corrected.
    receipts_again: i64,
}

/// A pool that a line has paid for.
#[derive(Debug, sqlx::FromRow)]
struct Pool {
    cart: String,
    is_refunded: bool,
    seats: i64,
    max_uses: i64,
    uses: i64,
    withdrawn: i64,
    charged: i64,
    /// Amount that refunds have given back for seats, and how many that were.
    given_back: i64,
    returned: i64,
}

/// Reads an amount of a document as minor units.
fn minor(value: &Value, digits: i32) -> i64 {
    (value.as_f64().unwrap() * 10_f64.powi(digits)).round() as i64
}

/// The first violation found, as text; `None` if all is consistent.
pub async fn disagreement(world: &World) -> Option<String> {
    let orders: Vec<Order> = sqlx::query_as(ORDERS).fetch_all(&world.db).await.unwrap();
    let pools: Vec<Pool> = sqlx::query_as(POOLS).fetch_all(&world.db).await.unwrap();
    let wrong = orders.iter().find_map(wrong_order).or_else(|| pools.iter().find_map(wrong_pool));
    if wrong.is_some() {
        return wrong;
    }
    for (rule, violations) in RULES {
        let violation: Option<String> =
            sqlx::query_scalar(violations).fetch_optional(&world.db).await.unwrap();
        if let Some(violation) = violation {
            return Some(format!("{rule}: {violation}"));
        }
    }
    miscounted_receipt(world, &orders).await
}

/// An order has one receipt once it is fulfilled, however often it is, and one more for each correction of its address; a worker that was killed may send the same mail again,
/// with what the order has become since.
async fn miscounted_receipt(world: &World, orders: &[Order]) -> Option<String> {
    let mails = world.sim(Method::GET, "/_sim/emails", None).await;
    let mails = mails.as_array().unwrap();
    let receipts: Vec<&Value> =
        mails.iter().filter(|mail| mail["subject"].as_str().unwrap().contains("receipt")).collect();
    orders.iter().find_map(|order| {
        let own: HashSet<&str> = receipts
            .iter()
            .filter(|mail| mail["text"].as_str().unwrap().contains(&order.cart))
            .map(|mail| mail["message_id"].as_str().unwrap())
            .collect();
        let due = if order.fulfilled > 0 { 1 + order.receipts_again } else { 0 };
        let is_right = own.len() == usize::try_from(due).unwrap();
        (!is_right).then(|| format!("the receipts of order {} are {own:?}: {order:?}", order.cart))
    })
}

/// Rules, each with a query for what violates it.
const RULES: [(&str, &str); 11] = [
    ("a discount that no limit of its voucher counts has an alert", UNCOUNTED_DISCOUNTS),
    ("a voucher counts its uses", MISCOUNTED_VOUCHERS),
    ("two attempts that are paid have an alert", TWO_ATTEMPTS),
    ("what was bought twice has an alert once its address is right", CORRECTED_TWICE),
    ("access has a live grant", UNGRANTED_ACCESS),
    ("a learner takes nothing back of a line that a refund has ended", TAKEN_BACK),
    ("a withdrawal is decided once, or waits for a person", UNDECIDED_WITHDRAWALS),
    ("no line is withdrawn twice", WITHDRAWN_TWICE),
    ("each document is issued by whom its seller names, under one number", UNISSUED),
    ("a gift is given while its seat is here, and has it", LOST_GIFTS),
    ("a line has the price of its time", WRONG_PRICES),
];

const UNDECIDED_WITHDRAWALS: &str = "
    SELECT concat_ws(' ', 'withdrawal', w.id, w.state, 'of order', w.cart_id, 'with refund', w.refund_id)
    FROM withdrawals w LEFT JOIN refunds r ON r.id = w.refund_id
    WHERE w.decided_at IS NULL AND w.waits_since IS NULL
       OR w.state = 'accepted' AND r.origin IS DISTINCT FROM 'withdrawal'
       OR w.decided_at IS NULL AND w.refund_id IS NOT NULL
    UNION ALL
    SELECT concat_ws(' ', 'refund', r.id, 'has', count(w.id), 'withdrawals')
    FROM refunds r LEFT JOIN withdrawals w ON w.refund_id = r.id WHERE r.origin = 'withdrawal'
    GROUP BY r.id HAVING count(w.id) <> 1";

/// Another program gives each document its number and file, an authority one more number; both are told apart by who draws the number.
const UNISSUED: &str = "
    SELECT concat_ws(' ', d.kind, d.id, 'of order', d.cart_id, 'is', d.state, 'under', d.number, 'by', issuer, d.content -> 'clearance')
    FROM documents d, LATERAL (SELECT coalesce(d.content #>> '{seller,documents}', 'own') AS issuer) i
    WHERE d.state <> 'issued' OR d.number IS DISTINCT FROM d.content ->> 'number'
       OR (issuer = 'external') <> (d.number LIKE 'FV/%')
       OR (issuer = 'cleared') <> (d.content #>> '{clearance,number}' IS NOT NULL)
       OR (issuer = 'external') <> (d.content ? 'reported_total')
       OR (d.content ->> 'reported_total')::numeric <> (d.content ->> 'total')::numeric
       OR NOT EXISTS (SELECT FROM document_files f WHERE f.document_id = d.id)
       OR d.kind = 'credit_note' AND d.content ->> 'refers_to' IS DISTINCT FROM (SELECT i.number FROM documents i WHERE i.id = d.refers_to)";

/// All recipients have no account: who has a seat waits for a registration, and gives it back with the money.
const LOST_GIFTS: &str = "
    SELECT concat_ws(' ', 'the gift of order', c.id, 'which is', c.state, 'was due', g.due_at, 'given', g.given_at, 'ended', g.ended_at,
                     'with', v.max_uses - v.uses, 'seats left, and its recipient has', r.seats)
    FROM gifts g JOIN carts c ON c.id = g.cart_id JOIN vouchers v ON v.cart_id = c.id,
    LATERAL (SELECT count(*) AS seats FROM voucher_uses u
             WHERE u.voucher_id = v.id AND u.email = g.recipient AND u.state IN ('held', 'used')) r
    WHERE c.state = 'fulfilled' AND v.max_uses > v.uses AND num_nonnulls(g.given_at, g.ended_at) = 0
       OR (g.given_at IS NOT NULL) <> (r.seats > 0) OR c.state = 'refunded' AND r.seats > 0";

/// A cart has the time of its message, and its price was read later, at most as long as one waits for providers.
const WRONG_PRICES: &str = "
    SELECT concat_ws(' ', 'line', i.position, 'of order', c.id, 'made', c.created_at, 'costs', i.price, 'of', m.price, i.price_name, 'until', d.until)
    FROM cart_items i JOIN carts c ON c.id = i.cart_id JOIN course_modes m ON m.course_id = i.course_id AND m.slug = i.mode,
    LATERAL (SELECT (m.dated_prices -> 0 ->> 'until')::timestamptz AS until) d
    WHERE (i.price_name IS NOT NULL AND c.created_at > coalesce(d.until, '-infinity'))
       OR (i.price_name IS NULL AND c.created_at < d.until - interval '10 minutes')
       OR i.upgrade_from IS NULL AND i.price > 0
          AND i.price + i.voucher_discount <> coalesce(i.seats, 1) * m.price / CASE WHEN i.price_name IS NULL THEN 1 ELSE 2 END";

const WITHDRAWN_TWICE: &str = "
    SELECT concat_ws(' ', 'line', position, 'of order', w.cart_id) FROM withdrawals w, unnest(w.items) AS l (position)
    WHERE w.state IN ('received', 'accepted') GROUP BY w.cart_id, position HAVING count(*) > 1";

const UNCOUNTED_DISCOUNTS: &str = "
    SELECT concat_ws(' ', 'order', c.id, 'its use is', coalesce(u.state, 'missing'), 'its alert', t.alert)
    FROM transactions t JOIN carts c ON c.id = t.cart_id JOIN vouchers v ON v.id = c.voucher_id
    LEFT JOIN voucher_uses u ON u.cart_id = c.id
    WHERE t.state IN ('succeeded', 'refunded') AND u.state IS DISTINCT FROM 'used'
      AND NOT (coalesce(u.state, '') = 'late' AND position('voucher ' || v.code IN coalesce(t.alert, '')) > 0)";

const MISCOUNTED_VOUCHERS: &str = "
    SELECT concat_ws(' ', v.id, 'counts', v.uses, 'and has', u.live) FROM vouchers v,
    LATERAL (SELECT count(*) AS live FROM voucher_uses u
             WHERE u.voucher_id = v.id AND u.state IN ('held', 'used')) u
    WHERE v.cart_id IS NULL AND v.max_uses IS NOT NULL AND v.uses <> u.live";

/// Orders of one buyer whose money is all here, where the earlier one was paid after the later one had begun: it had been replaced
/// or had ended before, or both are for seats of the same item.
const TWO_ATTEMPTS: &str = "
    WITH paid AS (
        SELECT c.id, c.email, c.organisation_id, c.paid_at, t.created_at AS begun_at, coalesce(t.alert, '') AS alert,
               EXISTS (SELECT FROM audit_log a WHERE a.entity = 'cart' AND a.entity_id = c.id
                       AND a.to_state IN ('cancelled', 'expired')) AS had_ended
        FROM transactions t JOIN carts c ON c.id = t.cart_id
        WHERE t.state = 'succeeded' AND c.state = 'fulfilled'
          AND NOT EXISTS (SELECT FROM ledger l WHERE l.transaction_id = t.id AND l.kind <> 'captured'))
    SELECT concat_ws(' ', 'orders', one.id, two.id, 'of', one.email, 'have alerts', one.alert, two.alert)
    FROM paid one JOIN paid two ON two.email = one.email AND two.organisation_id = one.organisation_id AND two.begun_at > one.begun_at
    WHERE one.paid_at > two.begun_at
      AND (one.alert || two.alert) !~ 'bought twice|two attempts are paid'
      AND (one.had_ended OR EXISTS (
          SELECT FROM cart_items i JOIN cart_items j ON j.course_id = i.course_id
          WHERE i.cart_id = one.id AND j.cart_id = two.id AND i.seats > 0 AND j.seats > 0))";

/// Orders for the same course whose money is all here, of which one has got the address of the other.
const CORRECTED_TWICE: &str = "
    WITH paid AS (
        SELECT c.id, c.email, a.course_id, coalesce(t.alert, '') AS alert,
               EXISTS (SELECT FROM audit_log l WHERE l.entity = 'cart' AND l.entity_id = c.id AND l.to_state = 'address_corrected')
                   AS is_corrected
        FROM transactions t JOIN carts c ON c.id = t.cart_id JOIN cart_courses a ON a.cart_id = c.id
        JOIN cart_items i ON (i.cart_id, i.position) = (a.cart_id, a.position)
        WHERE t.state = 'succeeded' AND c.state = 'fulfilled' AND i.price > 0 AND i.access_ended_at IS NULL
          AND NOT EXISTS (SELECT FROM ledger l WHERE l.transaction_id = t.id AND l.kind <> 'captured'))
    SELECT concat_ws(' ', 'orders', one.id, two.id, 'of', one.email, 'have alerts', one.alert, two.alert)
    FROM paid one JOIN paid two ON two.email = one.email AND two.course_id = one.course_id AND two.id <> one.id
    WHERE one.is_corrected AND (one.alert || two.alert) !~ 'bought twice|two attempts are paid'";

const UNGRANTED_ACCESS: &str = "
    SELECT concat_ws(' ', 'enrollment', e.id, 'of', e.email, 'is', e.state) FROM enrollments e
    WHERE (e.state <> 'removed') <> EXISTS (
        SELECT FROM enrollment_grants g WHERE g.enrollment_id = e.id AND g.ended_at IS NULL)";

/// An operator who has restored the access has opened its line for the learner, too.
const TAKEN_BACK: &str = "
    SELECT concat_ws(' ', 'refund', r.id, 'of line', l.position, 'follows', o.id, 'which was',
               (SELECT string_agg(concat_ws(' ', a.to_state, a.at), ', ' ORDER BY a.id) FROM audit_log a
                WHERE a.entity = 'refund' AND a.entity_id IN (o.id, r.id)))
    FROM refunds r JOIN refund_lines l ON l.refund_id = r.id
    JOIN refunds o ON o.transaction_id = r.transaction_id AND o.asked_at < r.asked_at
    JOIN refund_lines m ON m.refund_id = o.id AND m.position = l.position
    WHERE r.origin = 'learner' AND l.amount > 0 AND o.origin <> 'provider' AND o.state IN ('accepted', 'succeeded')
      AND m.ends_access AND m.seats IS NULL
      AND NOT EXISTS (
          SELECT FROM audit_log a JOIN transactions t ON t.cart_id = a.entity_id WHERE t.id = r.transaction_id
          AND a.entity = 'cart' AND a.actor LIKE 'operator:%' AND a.at BETWEEN o.asked_at AND r.asked_at)";

const ORDERS: &str = "
    SELECT c.id::text AS cart, t.amount, c.total, t.tax, t.refunded_amount AS refunded,
           l.captured_tax, l.refunded_tax, l.is_plain,
           (SELECT array_agg(line_charged(i) ORDER BY i.position) FROM cart_items i WHERE i.cart_id = c.id) AS charged,
           CASE t.currency WHEN 'JPY' THEN 0 WHEN 'KWD' THEN 3 ELSE 2 END AS digits,
           (SELECT content FROM documents d WHERE d.cart_id = c.id AND d.kind = 'invoice') AS invoice,
           n.credited, n.credited_tax,
           (SELECT coalesce(array_agg((e.data ->> 'total_price')::bigint), '{}') FROM events e
            WHERE e.type = 'order.paid' AND e.data ->> 'cart_id' = c.id::text) AS paid_events,
           (SELECT count(*) FROM audit_log a WHERE a.entity = 'cart' AND a.entity_id = c.id
            AND (a.from_state NOT IN ('paid', 'fulfilled') AND a.to_state = 'paid' OR a.to_state = 'invoice_paid')) AS paid,
           (SELECT count(*) FROM events e
            WHERE e.type = 'order.fulfilled' AND e.data ->> 'cart_id' = c.id::text) AS fulfilled_events,
           (c.fulfilled_at IS NOT NULL)::integer + (
            SELECT count(*) FROM audit_log a WHERE a.entity = 'cart' AND a.entity_id = c.id
            AND a.from_state = 'refunded' AND a.to_state = 'fulfilled') AS fulfilled,
           (SELECT count(*) FROM audit_log a WHERE a.entity = 'cart' AND a.entity_id = c.id
            AND a.to_state = 'mail_again' AND a.detail ->> 'mail' = 'receipt') AS receipts_again
    FROM transactions t JOIN carts c ON c.id = t.cart_id,
    LATERAL (SELECT coalesce(sum(tax) FILTER (WHERE kind = 'captured'), 0)::bigint AS captured_tax,
                    -coalesce(sum(tax) FILTER (WHERE kind = 'refunded'), 0)::bigint AS refunded_tax,
                    bool_and(kind IN ('captured', 'refunded')) AS is_plain
             FROM ledger l WHERE l.transaction_id = t.id) l,
    LATERAL (SELECT coalesce(sum(total), 0)::bigint AS credited,
                    coalesce(sum(round((content ->> 'tax')::numeric
                        * CASE t.currency WHEN 'JPY' THEN 1 WHEN 'KWD' THEN 1000 ELSE 100 END)), 0)::bigint AS credited_tax
             FROM documents d WHERE d.cart_id = c.id AND d.kind = 'credit_note') n
    WHERE t.state IN ('succeeded', 'refunded') ORDER BY c.id";

fn wrong_order(order: &Order) -> Option<String> {
    let Some(invoice) = &order.invoice else { return Some(format!("no invoice: {order:?}")) };
    let lines = invoice["lines"].as_array().unwrap().iter();
    let invoiced: Vec<i64> = lines.map(|line| minor(&line["total"], order.digits)).collect();
    let agreements = [
        ("total", order.total == order.amount),
        ("lines", order.charged.iter().sum::<i64>() == order.amount),
        ("invoiced", invoiced == order.charged && minor(&invoice["total"], order.digits) == order.amount),
        ("tax", minor(&invoice["tax"], order.digits) == order.tax && order.captured_tax == order.tax),
        ("credited", (order.refunded..=order.amount).contains(&order.credited)),
        (
            "credit notes",
            !order.is_plain || (order.credited, order.credited_tax) == (order.refunded, order.refunded_tax),
        ),
        ("events", order.paid_events == vec![order.amount; usize::try_from(order.paid).unwrap()]),
        ("fulfilments", order.paid > 0 && order.fulfilled_events == order.fulfilled),
    ];
    let wrong = agreements.iter().find(|(_, agrees)| !agrees)?;
    Some(format!("{} of order {} differs: {order:?}", wrong.0, order.cart))
}

const POOLS: &str = "
    SELECT v.cart_id::text AS cart, t.state = 'refunded' AS is_refunded, i.seats::bigint AS seats, v.max_uses::bigint AS max_uses,
           v.uses::bigint AS uses, v.withdrawn::bigint AS withdrawn, line_charged(i) AS charged,
           r.given_back, r.returned
    FROM vouchers v JOIN cart_items i ON (i.cart_id, i.position) = (v.cart_id, v.position)
    JOIN transactions t ON t.cart_id = v.cart_id,
    LATERAL (SELECT coalesce(sum(l.amount), 0)::bigint AS given_back, coalesce(sum(l.seats), 0)::bigint AS returned
             FROM refunds r JOIN refund_lines l ON l.refund_id = r.id
             WHERE r.transaction_id = t.id AND r.state <> 'failed' AND l.position = v.position AND l.seats IS NOT NULL) r
    ORDER BY v.cart_id, v.position";

fn wrong_pool(pool: &Pool) -> Option<String> {
    // By the organisation.
    let added = pool.max_uses + pool.withdrawn - pool.seats;
    let agreements = [
        ("count of seats", added >= 0 && pool.uses <= pool.max_uses),
        ("seats without money", !pool.is_refunded || pool.max_uses - pool.uses <= added),
        // Half-up, to half a minor unit for each refund.
        (
            "price of seats",
            pool.given_back * pool.seats <= pool.charged * pool.returned + pool.seats * pool.returned,
        ),
    ];
    let wrong = agreements.iter().find(|(_, agrees)| !agrees)?;
    Some(format!("{} of order {} differs: {pool:?}", wrong.0, pool.cart))
}
