//! Paid checkouts through all four gateways while workers die, and answers and webhooks are lost, repeated and late.
//! In the end no buyer has paid twice, and every buyer who paid is enrolled. The small run belongs to the usual
//! tests; `tests/faults` runs the full one.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

use crate::worker_program::WorkerProcess;

/// Number of concurrent buyers.
const CALLERS: usize = 32;

fn email(buyer: usize) -> String {
    format!("buyer{buyer}@example.com")
}

/// From the basket to the payment, as a client does: repeats the checkout with the same key until an answer comes.
/// Then the buyer pays, and the webhooks arrive in one of several ways.
async fn buy(world: &World, buyer: usize) {
    let organisation = &ORGANISATIONS[buyer % ORGANISATIONS.len()];
    let mut body = world.basket(organisation).await;
    body["email"] = json!(email(buyer));
    let answer = loop {
        let request = world.request(Method::POST, GUEST_CHECKOUT).json(&body);
        let request = request.header("Idempotency-Key", format!("buyer{buyer}"));
        if let Ok(reply) = Reply::try_read(request).await
            && reply.status < 500
            && reply.status != 409
        {
            break reply;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
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
}

/// Adds faults to some of the provider calls and webhooks.
async fn trouble(world: &World, buyers: usize) {
    for organisation in &ORGANISATIONS {
        let target = organisation.gateway.name();
        let each = buyers / 40 + 1;
        for (kind, more) in [
            ("lost_answer", json!({ "path": "/v" })),
            ("status", json!({ "path": "/v", "status": 503 })),
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

async fn survive(name: &str, buyers: usize, kills: usize) {
    let worker_args = ["--reconcile-every=500ms"].map(str::to_owned).to_vec();
    world(Setup { worker_args, ..Setup::without_workers() }, async |world| {
        world.sell().await;
        for buyer in 0..buyers {
            world.platform_user(&email(buyer)).await;
        }
        trouble(world, buyers).await;
        let start = Instant::now();
        let buying = async {
            let all = (0..buyers).map(|buyer| buy(world, buyer));
            futures_util::stream::iter(all).buffer_unordered(CALLERS).collect::<Vec<()>>().await;
        };
        let killing = async {
            let mut workers = [WorkerProcess::start(world), WorkerProcess::start(world)];
            for kill in 0..kills {
                tokio::time::sleep(Duration::from_secs(1)).await;
                workers[kill % 2] = WorkerProcess::start(world);
            }
            workers
        };
        let ((), workers) = tokio::join!(buying, killing);
        let paid = start.elapsed();
        drop(workers);
        world.no_faults().await;
        world.start_worker().await;
        world.clock.advance(chrono::TimeDelta::minutes(10));
        let mut left = (usize::MAX, usize::MAX);
        world
            .eventually_within(
                Duration::from_secs(180),
                "every buyer has what they paid for",
                &mut async |world: &World| {
                    left = (unfulfilled(world).await, without_access(world, buyers).await);
                    left == (0, 0)
                },
            )
            .await;
        let agreed = start.elapsed();
        let doubled = doubled(world).await;
        println!(
            "| {name} | {buyers} | {} | {doubled} | {} | {:.0} s | {:.0} s |",
            left.0,
            left.1,
            paid.as_secs_f64(),
            agreed.as_secs_f64()
        );
        assert_eq!(doubled, 0);
    })
    .await;
}

/// Number of payments captured by a provider and not settled in the storefront.
async fn unfulfilled(world: &World) -> usize {
    let payments = world.sim(Method::GET, "/_sim/payments", None).await;
    let paid =
        payments.as_array().unwrap().iter().filter(|payment| payment["captured"].as_i64() > Some(0)).count();
    let fulfilled: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM carts c JOIN transactions t ON t.cart_id = c.id
         WHERE c.state = 'fulfilled' AND t.state = 'succeeded'",
    )
    .fetch_one(&world.db)
    .await
    .unwrap();
    paid.abs_diff(usize::try_from(fulfilled).unwrap())
}

async fn without_access(world: &World, buyers: usize) -> usize {
    let mut without = 0;
    for buyer in 0..buyers {
        let seen = world.on_platform(&email(buyer), ORGANISATIONS[buyer % ORGANISATIONS.len()].key).await;
        without += usize::from(!seen.is_some_and(|seen| seen["is_active"] == true));
    }
    without
}

/// Number of buyers who were charged more than once: each bought one item.
async fn doubled(world: &World) -> usize {
    let payments = world.sim(Method::GET, "/_sim/payments", None).await;
    let captured: Vec<&str> = payments
        .as_array()
        .unwrap()
        .iter()
        .filter(|payment| payment["captured"].as_i64() > Some(0))
        .filter_map(|payment| payment["our_reference"].as_str())
        .collect();
    let buyers: i64 = sqlx::query_scalar(
        "SELECT count(DISTINCT c.email) FROM transactions t JOIN carts c ON c.id = t.cart_id WHERE t.id::text = ANY($1)",
    )
    .bind(&captured)
    .fetch_one(&world.db)
    .await
    .unwrap();
    captured.len() - usize::try_from(buyers).unwrap()
}

#[tokio::test]
async fn workers_die_while_buyers_pay_and_nobody_pays_twice_or_for_nothing() {
    survive("workers killed, answers and webhooks lost", 60, 4).await;
}

#[tokio::test]
#[ignore = "a minute: part of tests/faults"]
async fn full_paid_checkouts() {
    survive("two workers, one killed each second, answers and webhooks lost, repeated, late", 1_000, 20)
        .await;
}
