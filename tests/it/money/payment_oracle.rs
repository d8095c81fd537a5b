//! Invariants after any history of payments: the storefront's books equal its ledger and the providers' records, no
//! line is paid back beyond what it was charged, and each buyer has access exactly as far as all that it rests on is paid for.

use std::collections::HashMap;

use harness::World;
use reqwest::Method;
use serde_json::{Value, json};
use shared::course_mode::CourseMode;

/// A line of a cart with its payment, as the storefront recorded it.
#[derive(Debug, sqlx::FromRow)]
struct Entry {
    cart: String,
    position: i32,
    /// The course that the line grants its buyer; none for seats, and for what the buyer held already.
    course: Option<String>,
    email: String,
    mode: String,
    is_blocked: bool,
    /// The cart and the line that an upgrade was credited for.
    base: Option<String>,
    base_position: Option<i32>,
    transaction: String,
    state: String,
    amount: i64,
    refunded: i64,
    lost: i64,
    reference: Option<String>,
    line_charged: i64,
    line_refunded: i64,
    line_booked: i64,
    /// A refund has ended the line's access and moved no money, because none was left of the line.
    is_given_up: bool,
    /// A refund that has not failed has ended the line's access.
    is_refunded: bool,
    /// The partner has taken from the buyer what the line granted.
    is_removed: bool,
    /// An operator has decided on the cart's access, which the ledger does not tell.
    is_restored: bool,
    /// The access with which the line was sold has ended by the clock.
    is_over: bool,
    alert: Option<String>,
}

#[derive(Debug, sqlx::FromRow)]
struct Movement {
    cart: String,
    kind: String,
    amount: i64,
    /// The lines whose access a refund ends.
    ends: Vec<i32>,
    /// The provider holds or held the money until the bank decided for the seller, or decides.
    is_held: bool,
}

/// Reason why a cart's access has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ended {
    Refund,
    Dispute,
}

/// The first violation found, as text; `None` if all is consistent. `buyers` are addresses with the course that they buy.
pub async fn disagreement(world: &World, buyers: &[(String, &str)]) -> Option<String> {
    let entries = sqlx::query_as(ENTRIES).bind(world.clock.now());
    let entries: Vec<Entry> = entries.fetch_all(&world.db).await.unwrap();
    let movements: Vec<Movement> = sqlx::query_as(MOVEMENTS).fetch_all(&world.db).await.unwrap();
    let asked: Option<String> = sqlx::query_scalar(
        "SELECT concat_ws(' ', 'refund', id, 'has no answer, was put off', put_off, 'times, is checked', next_check_at)
         FROM refunds WHERE state = 'asked' LIMIT 1",
    )
    .fetch_optional(&world.db)
    .await
    .unwrap();
    if asked.is_some() {
        return asked;
    }
    let payments = world.sim(Method::GET, "/_sim/payments", None).await;
    let wrong = entries.iter().find_map(|entry| misbooked(entry, &movements, payments.as_array().unwrap()));
    if wrong.is_some() {
        return wrong;
    }
    let by_line: Lines = entries.iter().map(|entry| ((entry.cart.as_str(), entry.position), entry)).collect();
    for (email, course) in buyers {
        let own =
            entries.iter().filter(|entry| entry.email == *email && entry.course.as_deref() == Some(*course));
        let best = |at_least: Access| {
            let own = own.clone().filter(|entry| access(entry, &by_line, &movements) >= at_least);
            own.map(|entry| entry.mode.parse::<CourseMode>().unwrap()).max()
        };
        let (least, most) = (best(Access::Granted), best(Access::Undecided));
        let seen = world.on_platform(email, course).await;
        // Audit is what the platform gave by itself, and a purchase falls back to.
        let seen = seen.filter(|seen| seen["is_active"] == true && seen["mode"] != "audit");
        let has = seen.as_ref().map(|seen| seen["mode"].as_str().unwrap().parse::<CourseMode>().unwrap());
        if !(least..=most).contains(&has) {
            let own: Vec<&Entry> = own.collect();
            let moved: Vec<_> =
                movements.iter().filter(|m| own.iter().any(|entry| entry.cart == m.cart)).collect();
            let alerts: Vec<_> = own.iter().map(|entry| &entry.alert).collect();
            return Some(format!(
                "{email} has {has:?} of {course} instead of {least:?} to {most:?}; {own:?} {moved:?} {alerts:?}"
            ));
        }
    }
    None
}

const ENTRIES: &str = "
    SELECT c.id::text AS cart, i.position, c.email, i.mode,
        (SELECT k.openedx_course_id FROM cart_courses a JOIN courses k ON k.id = a.course_id
         WHERE a.cart_id = i.cart_id AND a.position = i.position) AS course,
        c.grant_blocked_at IS NOT NULL AND c.state = 'paid' AS is_blocked, b.cart_id::text AS base,
        (SELECT a.position FROM cart_courses a JOIN enrollments e ON e.course_id = a.course_id
         WHERE a.cart_id = b.cart_id AND e.id = b.enrollment_id) AS base_position, t.id::text AS transaction, t.state, t.amount, t.refunded_amount AS refunded,
        t.lost_amount AS lost, t.provider_reference AS reference, line_charged(i) AS line_charged, i.refunded AS line_refunded,
        (SELECT coalesce(sum(l.amount), 0)::bigint FROM refund_lines l JOIN refunds r ON r.id = l.refund_id
         WHERE r.transaction_id = t.id AND r.state <> 'failed' AND l.position = i.position) AS line_booked,
        EXISTS (SELECT FROM refund_lines l JOIN refunds r ON r.id = l.refund_id
                WHERE r.transaction_id = t.id AND l.position = i.position AND l.ends_access AND r.amount = 0) AS is_given_up,
        EXISTS (SELECT FROM refund_lines l JOIN refunds r ON r.id = l.refund_id
                WHERE r.transaction_id = t.id AND l.position = i.position AND l.ends_access
                  AND r.state <> 'failed') AS is_refunded,
        EXISTS (SELECT FROM cart_courses a JOIN enrollments e ON e.course_id = a.course_id
                JOIN enrollment_grants g ON g.enrollment_id = e.id AND g.cart_id = a.cart_id
                WHERE a.cart_id = i.cart_id AND a.position = i.position
                  AND g.ended_reason = 'removed by the partner') AS is_removed,
        EXISTS (SELECT FROM audit_log a WHERE a.entity = 'cart' AND a.entity_id = c.id
                AND a.actor LIKE 'operator:%') AS is_restored,
        coalesce(i.access_until <= $1, false) AS is_over, t.alert AS alert
    FROM transactions t JOIN carts c ON c.id = t.cart_id JOIN cart_items i ON i.cart_id = c.id
    LEFT JOIN enrollment_grants b ON b.id = i.rests_on ORDER BY c.id, i.position";

/// In the order in which they count: what a provider took when a dispute was opened, when it was lost. Mollie's chargebacks are lost at
/// once.
const MOVEMENTS: &str = "
    SELECT l.cart_id::text AS cart, l.kind, l.amount,
        (SELECT coalesce(array_agg(position), '{}') FROM refund_lines WHERE refund_id = l.refund_id AND ends_access) AS ends,
        coalesce(l.gateway <> 'mollie' AND d.state <> 'lost', false) AS is_held
    FROM ledger l LEFT JOIN disputes d ON l.kind IN ('chargeback', 'chargeback_reversed')
        AND d.transaction_id = l.transaction_id AND d.provider_reference = l.provider_reference
    ORDER BY greatest(max(l.at) OVER (PARTITION BY l.cart_id ORDER BY l.seq),
                      CASE WHEN l.gateway <> 'mollie' THEN d.updated_at END), l.seq";

type Lines<'a> = HashMap<(&'a str, i32), &'a Entry>;

/// Access that a line gives now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    Ended,
    /// An operator has restored the cart: it depends on what had ended by then.
    Undecided,
    Granted,
}

/// Returns whether a line's purchase gives access now: it was paid, its access has not ended, and neither has what it
/// upgraded.
fn access(entry: &Entry, by_line: &Lines<'_>, movements: &[Movement]) -> Access {
    if entry.is_blocked || entry.is_given_up || entry.is_removed || entry.is_over {
        return Access::Ended;
    }
    if entry.is_restored {
        // Whatever was restored has ended again with the money.
        let is_paid = entry.state == "succeeded" && !entry.is_refunded;
        return if is_paid { Access::Undecided } else { Access::Ended };
    }
    if !has_access_by_ledger(entry, movements) {
        return Access::Ended;
    }
    let base = entry.base.as_deref().zip(entry.base_position).and_then(|base| by_line.get(&base));
    base.map_or(Access::Granted, |base| access(base, by_line, movements))
}

fn has_access_by_ledger(entry: &Entry, movements: &[Movement]) -> bool {
    let own = movements.iter().filter(|movement| movement.cart == entry.cart && !movement.is_held);
    let (mut left, mut lost, mut is_paid, mut ended) = (0, 0, false, None);
    for Movement { kind, amount, ends, .. } in own {
        left += amount;
        let all_gone = if lost > 0 { Ended::Dispute } else { Ended::Refund };
        match kind.as_str() {
            "captured" => is_paid = true,
            "refunded" if ends.contains(&entry.position) => ended = Some(Ended::Refund),
            "refunded" if left <= 0 => ended = ended.or(Some(all_gone)),
            "chargeback" => {
                lost -= amount;
                if left <= 0 {
                    ended = ended.or(Some(Ended::Dispute));
                }
            }
            "chargeback_reversed" => {
                lost -= amount;
                ended = ended.filter(|ended| *ended == Ended::Refund);
            }
            _ => {}
        }
    }
    is_paid && ended.is_none()
}

/// Describes how the storefront's record, its ledger and the provider's record differ for one transaction.
fn misbooked(entry: &Entry, movements: &[Movement], payments: &[Value]) -> Option<String> {
    let theirs: Vec<&Value> =
        payments.iter().filter(|payment| payment["our_reference"] == json!(entry.transaction)).collect();
    let sum = |kinds: [&str; 2]| -> i64 {
        let own = movements.iter().filter(|m| m.cart == entry.cart && kinds.contains(&m.kind.as_str()));
        own.map(|movement| movement.amount).sum()
    };
    let (captured, refunded, lost) = (
        sum(["captured", ""]),
        -sum(["refunded", "refund_failed"]),
        -sum(["chargeback", "chargeback_reversed"]),
    );
    let is_charged = ["succeeded", "refunded"].contains(&entry.state.as_str());
    let of = |name: &str| -> i64 { theirs.iter().map(|payment| payment[name].as_i64().unwrap()).sum() };
    let agreements = [
        ("captured", captured == of("captured")),
        ("refunded", refunded == of("refunded") && refunded == entry.refunded),
        ("lost", lost == of("charged_back") && lost == entry.lost),
        ("charged", is_charged == (captured > 0) && (!is_charged || captured == entry.amount)),
        // More than all is gone if the buyer disputes what was refunded. What is held may come back.
        ("state", (entry.state == "refunded") == (captured > 0 && captured <= refunded + lost - of("held"))),
        ("reference", !is_charged || theirs.iter().any(|it| it["reference"] == json!(entry.reference))),
        ("line", entry.line_refunded == entry.line_booked && entry.line_refunded <= entry.line_charged),
        ("one payment", theirs.iter().filter(|it| it["captured"].as_i64() > Some(0)).count() <= 1),
    ];
    let wrong = agreements.iter().find(|(_, agrees)| !agrees)?;
    Some(format!("{} differs: {entry:?}, at the provider {theirs:?}", wrong.0))
}
