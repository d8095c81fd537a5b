//! What must hold after any history of payments: the storefront's books equal its ledger and the providers' records, no
//! line is paid back beyond its price, and each buyer has access exactly as far as all that it rests on is paid for.

use std::collections::HashMap;

use harness::World;
use reqwest::Method;
use serde_json::{Value, json};
use shared::course_mode::CourseMode;

/// A cart with its payment, as the storefront recorded it.
#[derive(Debug, sqlx::FromRow)]
struct Entry {
    cart: String,
    email: String,
    mode: String,
    is_blocked: bool,
    /// The cart that an upgrade was credited for.
    base: Option<String>,
    transaction: String,
    state: String,
    amount: i64,
    refunded: i64,
    lost: i64,
    reference: Option<String>,
    line_refunded: i64,
    line_booked: i64,
    alert: Option<String>,
}

#[derive(Debug, sqlx::FromRow)]
struct Movement {
    cart: String,
    kind: String,
    amount: i64,
    ends_access: bool,
}

/// Why a cart's access has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ended {
    Refund,
    Dispute,
}

/// The first violation found, as text; `None` if all is consistent. `buyers` are addresses with the course that they buy.
pub async fn disagreement(world: &World, buyers: &[(String, &str)]) -> Option<String> {
    let entries: Vec<Entry> = sqlx::query_as(
        "SELECT c.id::text AS cart, c.email, i.mode, c.grant_blocked_at IS NOT NULL AND c.state = 'paid' AS is_blocked,
                b.cart_id::text AS base, t.id::text AS transaction, t.state, t.amount, t.refunded_amount AS refunded,
                t.lost_amount AS lost, t.provider_reference AS reference, i.refunded AS line_refunded,
                (SELECT coalesce(sum(l.amount), 0)::bigint FROM refund_lines l JOIN refunds r ON r.id = l.refund_id
                 WHERE r.transaction_id = t.id AND r.state <> 'failed') AS line_booked,
                t.alarm AS alert
         FROM transactions t JOIN carts c ON c.id = t.cart_id JOIN cart_items i ON i.cart_id = c.id
         LEFT JOIN enrollment_grants b ON b.id = i.rests_on ORDER BY c.id",
    )
    .fetch_all(&world.db)
    .await
    .unwrap();
    let movements: Vec<Movement> = sqlx::query_as(
        "SELECT l.cart_id::text AS cart, l.kind, l.amount,
                coalesce((SELECT bool_or(ends_access) FROM refund_lines WHERE refund_id = l.refund_id), false) AS ends_access
         FROM ledger l ORDER BY l.seq",
    )
    .fetch_all(&world.db)
    .await
    .unwrap();
    let asked: i64 = sqlx::query_scalar("SELECT count(*) FROM refunds WHERE state = 'asked'")
        .fetch_one(&world.db)
        .await
        .unwrap();
    if asked > 0 {
        return Some(format!("{asked} refunds have no answer"));
    }
    let payments = world.sim(Method::GET, "/_sim/payments", None).await;
    let wrong = entries.iter().find_map(|entry| misbooked(entry, &movements, payments.as_array().unwrap()));
    if wrong.is_some() {
        return wrong;
    }
    let by_cart: HashMap<&str, &Entry> = entries.iter().map(|entry| (entry.cart.as_str(), entry)).collect();
    for (email, course) in buyers {
        let own = entries.iter().filter(|entry| entry.email == *email);
        let paid = own.clone().filter(|entry| is_entitled(entry, &by_cart, &movements));
        let best = paid.map(|entry| entry.mode.parse::<CourseMode>().unwrap()).max();
        let seen = world.on_platform(email, course).await.filter(|seen| seen["is_active"] == true);
        let has = seen.as_ref().map(|seen| seen["mode"].as_str().unwrap().parse::<CourseMode>().unwrap());
        if has != best {
            let own: Vec<&Entry> = own.collect();
            let moved: Vec<_> =
                movements.iter().filter(|m| own.iter().any(|entry| entry.cart == m.cart)).collect();
            let alerts: Vec<_> = own.iter().map(|entry| &entry.alert).collect();
            return Some(format!("{email} has {has:?} instead of {best:?}; {own:?} {moved:?} {alerts:?}"));
        }
    }
    None
}

/// Whether a cart's purchase gives access now: it was paid, its access has not ended, and neither has what it upgraded.
fn is_entitled(entry: &Entry, by_cart: &HashMap<&str, &Entry>, movements: &[Movement]) -> bool {
    let own = movements.iter().filter(|movement| movement.cart == entry.cart);
    let (mut left, mut lost, mut is_paid, mut ended) = (0, 0, false, None);
    for Movement { kind, amount, ends_access, .. } in own {
        left += amount;
        let all_gone = if lost > 0 { Ended::Dispute } else { Ended::Refund };
        match kind.as_str() {
            "captured" => is_paid = true,
            "refunded" if *ends_access => ended = Some(Ended::Refund),
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
    let base = entry.base.as_ref().and_then(|base| by_cart.get(base.as_str()));
    is_paid
        && ended.is_none()
        && !entry.is_blocked
        && base.is_none_or(|base| is_entitled(base, by_cart, movements))
}

/// How the storefront's record, its ledger and the provider's record differ for one transaction.
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
        // More than all is gone if the buyer disputes what was refunded.
        ("state", (entry.state == "refunded") == (captured > 0 && captured <= refunded + lost)),
        ("reference", !is_charged || theirs.iter().any(|it| it["reference"] == json!(entry.reference))),
        ("line", entry.line_refunded == entry.line_booked && entry.line_refunded <= entry.amount),
        ("one payment", theirs.iter().filter(|it| it["captured"].as_i64() > Some(0)).count() <= 1),
    ];
    let wrong = agreements.iter().find(|(_, agrees)| !agrees)?;
    Some(format!("{} differs: {entry:?}, at the provider {theirs:?}", wrong.0))
}
