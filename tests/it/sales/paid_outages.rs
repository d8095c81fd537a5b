//! Paid checkouts through all four gateways while workers die, and answers and webhooks are lost, repeated and late. One
//! buyer in ten gets the money back through the api, and one in fifty through a dispute. In the end no buyer has paid or
//! got money back twice, the ledger equals the providers' books, and access is exactly where it is paid for. The small run
//! belongs to the usual tests; `tests/faults` runs the full one.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use harness::steps::organisation_keys::key;
use harness::steps::refunds;
use harness::steps::worker_program::WorkerProcess;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

/// Number of concurrent buyers.
const CALLERS: usize = 32;

/// Time that a buyer's refund waits for the payment while workers die. What is lost until then is refunded at the end.
const PATIENCE: Duration = Duration::from_secs(4);

/// Keys with the scope `refunds`, by organisation.
type Keys = HashMap<&'static str, String>;

fn email(buyer: usize) -> String {
    format!("buyer{buyer}@example.com")
}

fn seller(buyer: usize) -> &'static Organisation {
    &ORGANISATIONS[buyer % ORGANISATIONS.len()]
}

/// One in fifty, of all gateways in turn.
fn is_disputed(buyer: usize) -> bool {
    buyer % 50 == 7 + buyer / 50
}

/// One in ten, of all gateways in turn.
fn is_refunded(buyer: usize) -> bool {
    buyer % 10 == buyer / 10 % 10 && !is_disputed(buyer)
}

/// From the basket to the payment, as a client does: repeats the checkout with the same key until an answer comes.
/// Then the buyer pays, and the webhooks arrive in one of several ways. Returns the cart's id.
async fn buy(world: &World, buyer: usize) -> String {
    let mut body = world.basket(seller(buyer)).await;
    body["email"] = json!(email(buyer));
    let answer = world.post_patiently(GUEST_CHECKOUT, &body).await;
    assert_eq!((answer.status, &answer.json["status"]), (200, &json!("success")), "{}", answer.text);
    let payment = world.payment_told(&answer).await;
    let steps: &[(&str, Value)] = match buyer % 10 {
        // The webhook is lost: only the reconciler's query finds the payment.
        0 => &[("pay", json!({ "notify": false }))],
        1 | 2 => &[("pay", json!({ "copies": 3 }))],
        // The failure's webhook can arrive before or after the success's.
        3 => &[("fail", json!({ "copies": 2 })), ("pay", json!({ "copies": 2 }))],
        _ => &[("pay", json!({}))],
    };
    for (what, how) in steps {
        world.at_provider(what, &payment, how.clone()).await;
    }
    if is_disputed(buyer) {
        // Every second one is found by asking alone.
        let notify = buyer.is_multiple_of(2);
        world.at_provider("dispute", &payment, json!({ "outcome": "opened", "notify": notify })).await;
        world.at_provider("dispute", &payment, json!({ "outcome": "lost", "notify": notify })).await;
    }
    answer.json["cart_id"].as_str().unwrap().to_owned()
}

/// Refunds a cart with its organisation's key, once it is paid. False if it was not paid in this time.
async fn refund(world: &World, keys: &Keys, buyer: usize, cart: &str, time: Duration) -> bool {
    let start = Instant::now();
    let status = format!("/storeapi/payment/status/{cart}/");
    let is_paid = async || {
        let answer = Reply::repeat(|| world.request(Method::GET, &status)).await;
        ["paid", "fulfilled"].contains(&answer.json["status"].as_str().expect("a status"))
    };
    while !is_paid().await {
        if start.elapsed() > time {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let url = world.url(&refunds::path(cart));
    let answer = Reply::repeat(|| {
        let request = world.http.post(&url).json(&json!({ "reason": "an outage" }));
        let request = request.header("organisationapikey", &keys[seller(buyer).short_name]);
        request.header("idempotency-key", format!("refund{buyer}"))
    })
    .await;
    assert!([200, 202].contains(&answer.status), "{}", answer.text);
    true
}

/// Buys, and refunds if the buyer is one of those. Returns the cart if its refund is left for later.
async fn buy_and_return(world: &World, keys: &Keys, buyer: usize) -> Option<(usize, String)> {
    let cart = buy(world, buyer).await;
    let is_left = is_refunded(buyer) && !refund(world, keys, buyer, &cart, PATIENCE).await;
    is_left.then_some((buyer, cart))
}

/// Adds faults to some of the provider calls and webhooks.
async fn trouble(world: &World, buyers: usize) {
    for organisation in &ORGANISATIONS {
        let target = organisation.gateway.name();
        let each = buyers / 40 + 1;
        for (kind, more) in [
            ("lost_answer", json!({ "path": "/v" })),
            ("status", json!({ "path": "/v", "status": 503 })),
            ("lost_answer", json!({ "path": "refund", "count": each / 4 + 1 })),
            ("duplicate_notification", json!({})),
            ("delay_notification", json!({ "delay_ms": 800 })),
            ("tamper_notification", json!({})),
        ] {
            let mut fault = json!({ "target": target, "kind": kind, "count": each });
            fault.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            world.fault(fault).await;
        }
    }
}

async fn refund_keys(world: &World) -> Keys {
    let mut keys = Keys::new();
    for organisation in &ORGANISATIONS {
        let name = organisation.short_name;
        keys.insert(name, key(world, name, &[Scope::Refunds]).await);
    }
    keys
}

async fn survive(name: &str, buyers: usize, kills: usize) {
    let worker_args = ["--reconcile-every=500ms"].map(str::to_owned).to_vec();
    world(Setup { worker_args, ..Setup::without_workers() }, async |world| {
        world.sell().await;
        let keys = refund_keys(world).await;
        for buyer in 0..buyers {
            world.platform_user(&email(buyer)).await;
        }
        trouble(world, buyers).await;
        let start = Instant::now();
        let buying = async {
            let all = (0..buyers).map(|buyer| buy_and_return(world, &keys, buyer));
            futures_util::stream::iter(all).buffer_unordered(CALLERS).collect::<Vec<_>>().await
        };
        let killing = async {
            let mut workers = [WorkerProcess::start(world), WorkerProcess::start(world)];
            for kill in 0..kills {
                tokio::time::sleep(Duration::from_secs(1)).await;
                workers[kill % 2] = WorkerProcess::start(world);
            }
            workers
        };
        let (left, workers) = tokio::join!(buying, killing);
        let paid = start.elapsed();
        drop(workers);
        world.no_faults().await;
        world.start_worker().await;
        world.clock.advance(chrono::TimeDelta::minutes(10));
        for (buyer, cart) in left.into_iter().flatten() {
            assert!(refund(world, &keys, buyer, &cart, Duration::from_secs(60)).await, "{cart} is not paid");
        }
        let mut found = Found::default();
        let mut agrees = async |world: &World| {
            found = look(world, buyers).await;
            found == Found::default()
        };
        world.eventually_within(Duration::from_secs(180), "books, money and access agree", &mut agrees).await;
        let agreed = start.elapsed();
        let (refunds, disputes) = (
            (0..buyers).filter(|buyer| is_refunded(*buyer)),
            (0..buyers).filter(|buyer| is_disputed(*buyer)),
        );
        println!(
            "| {name} | {buyers} | {} | {} | {} | {} | {} | {} | {:.0} s | {:.0} s |",
            refunds.count(),
            disputes.count(),
            found.misbooked,
            found.twice,
            found.without_access,
            found.unpaid_access,
            paid.as_secs_f64(),
            agreed.as_secs_f64()
        );
    })
    .await;
}

/// Amounts that do not agree.
#[derive(Default, PartialEq)]
struct Found {
    /// Payments that are missing in the storefront, or whose ledger differs from the provider's books.
    misbooked: usize,
    /// Buyers who were charged or refunded twice, or not refunded as asked.
    twice: usize,
    without_access: usize,
    unpaid_access: usize,
}

async fn look(world: &World, buyers: usize) -> Found {
    let mut found = Found::default();
    // By our id: what was captured, refunded, and lost according to the ledger.
    let ledger: HashMap<String, (String, i64, i64, i64)> = sqlx::query_as::<_, (String, String, i64, i64, i64)>(
        "SELECT t.id::text, c.email,
                coalesce(sum(l.amount) FILTER (WHERE l.kind = 'captured'), 0)::bigint,
                coalesce(-sum(l.amount) FILTER (WHERE l.kind IN ('refunded', 'refund_failed')), 0)::bigint,
                coalesce(-sum(l.amount) FILTER (WHERE l.kind IN ('chargeback', 'chargeback_reversed')), 0)::bigint
         FROM transactions t JOIN carts c ON c.id = t.cart_id LEFT JOIN ledger l ON l.transaction_id = t.id GROUP BY 1, 2",
    )
    .fetch_all(&world.db)
    .await
    .unwrap()
    .into_iter()
    .map(|(id, email, captured, refunded, lost)| (id, (email, captured, refunded, lost)))
    .collect();
    let mut captures: HashMap<&str, Vec<(i64, i64, i64)>> = HashMap::new();
    let payments = world.sim(Method::GET, "/_sim/payments", None).await;
    for payment in
        payments.as_array().unwrap().iter().filter(|payment| payment["captured"].as_i64() > Some(0))
    {
        let sum = |name: &str| payment[name].as_i64().unwrap();
        let theirs = (sum("captured"), sum("refunded"), sum("charged_back"));
        match payment["our_reference"].as_str().and_then(|id| ledger.get(id)) {
            Some((email, captured, refunded, lost)) => {
                captures.entry(email).or_default().push(theirs);
                found.misbooked += usize::from((*captured, *refunded, *lost) != theirs);
            }
            None => found.misbooked += 1,
        }
    }
    for buyer in 0..buyers {
        let captures = captures.get(email(buyer).as_str()).map_or(&[][..], Vec::as_slice);
        let captured: i64 = captures.iter().map(|(captured, _, _)| captured).sum();
        let returned =
            captures.iter().map(|(_, refunded, lost)| (*refunded, *lost)).next().unwrap_or_default();
        let expected = match (is_refunded(buyer), is_disputed(buyer)) {
            (true, _) => (captured, 0),
            (_, true) => (0, captured),
            _ => (0, 0),
        };
        found.twice += usize::from(captures.len() != 1 || returned != expected);
        let seen = world.on_platform(&email(buyer), seller(buyer).key).await;
        let has_access = seen.is_some_and(|seen| seen["is_active"] == true);
        let is_paid = expected == (0, 0);
        found.without_access += usize::from(is_paid && !has_access);
        found.unpaid_access += usize::from(!is_paid && has_access);
    }
    found
}

#[tokio::test]
#[ignore = "slow"]
async fn workers_die_while_buyers_pay_and_no_buyer_pays_twice_or_for_nothing() {
    survive("workers killed, answers and webhooks lost", 60, 4).await;
}

#[tokio::test]
#[ignore = "a minute: part of tests/faults"]
async fn full_paid_checkouts() {
    survive("two workers, one killed each second, answers and webhooks lost, repeated, late", 1_000, 20)
        .await;
}
