//! Payments as a state machine. Buyers, banks, providers, the organisation, timers and crashes act in any order;
//! `payment_oracle` says what must hold in the end.

use std::sync::Mutex;
use std::time::Duration;

use harness::steps::payment_commands::payments;
use harness::steps::refunds::refund;
use harness::steps::worker_program::{OPERATOR, WorkerProcess};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use reqwest::Method;
use serde_json::{Value, json};

use crate::machine_market::{self, Basket, Market, Shop, market, mistyped};
use crate::machine_script::{Amount, Notice, Outcome, Script, Seats, Step, Which, script};
use crate::refunds::refund_by_learner;
use crate::{order_oracle, payment_oracle, place_oracle};

#[test]
#[ignore = "slow"]
fn in_the_end_books_equal_the_providers_and_access_follows_the_money() {
    let cases = std::env::var("MACHINE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1);
    let config = Config { cases, max_shrink_iters: 12, failure_persistence: None, ..Config::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let markets = prop::collection::vec(market(), ORGANISATIONS.len());
    let worlds = (markets, prop::collection::vec(script(), 8..12));
    let outcome = TestRunner::new(config).run(&worlds, |(markets, scripts)| {
        let run = std::panic::AssertUnwindSafe(|| runtime.block_on(run(&markets, &scripts)));
        std::panic::catch_unwind(run).map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            TestCaseError::fail(text)
        })
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

async fn run(markets: &[Market], scripts: &[Script]) {
    let setup = Setup {
        workers: 0,
        worker_args: vec!["--reconcile-every=300ms".into(), "--withdrawal-delay=1h".into()],
        api_args: vec!["--ask-deadline=3s".into()],
        ..Setup::default()
    };
    world(setup, async |world| {
        world.sell().await;
        let workers = vec![Mutex::new(WorkerProcess::start(world)), Mutex::new(WorkerProcess::start(world))];
        let shops = machine_market::open(world, markets).await;
        let buyers = scripts
            .iter()
            .enumerate()
            .map(|(nth, script)| act(world, nth, script, &shops[script.organisation], &workers));
        futures_util::future::join_all(buyers).await;
        drop(workers);
        end_leases(world).await;
        world.no_faults().await;
        world.start_worker().await;
        // Each advance is longer than any earlier wait, so that the reconciler finds all lost events by querying the
        // provider.
        for minutes in [3, 20, 120, 900] {
            world.clock.advance(chrono::TimeDelta::minutes(minutes));
            tokio::time::sleep(Duration::from_millis(1_500)).await;
        }
        let mut why = String::new();
        for poll in 1..=300 {
            let buyers = scripts.iter().enumerate().flat_map(|(nth, script)| {
                let shop = &shops[script.organisation];
                [(email(nth), shop.organisation.key), (email(nth), shop.other_key.as_str())]
            });
            let buyers: Vec<_> = buyers.collect();
            why = match payment_oracle::disagreement(world, &buyers).await {
                None => order_oracle::disagreement(world).await.unwrap_or_default(),
                Some(why) => why,
            };
            if why.is_empty() {
                why = misplaced(world, scripts, &shops).await.unwrap_or_default();
            }
            if why.is_empty() {
                return;
            }
            // What was settled at the last advance has effects later: an order that is charged back before it is fulfilled
            // gets its invoice after a minute, and Mollie takes a refund for a duplicate of another one for an hour.
            if poll % 25 == 0 {
                world.clock.advance(chrono::TimeDelta::minutes(40));
                world.sim(Method::POST, "/_sim/clock", Some(json!({ "seconds": 40 * 60 }))).await;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        panic!("{why}");
    })
    .await;
}

async fn misplaced(world: &World, scripts: &[Script], shops: &[Shop]) -> Option<String> {
    for (at, shop) in shops.iter().enumerate() {
        let own = scripts.iter().enumerate().filter(|(_, script)| script.organisation == at);
        let people: Vec<String> = own.map(|(nth, _)| email(nth)).collect();
        let wrong = place_oracle::disagreement(world, shop, &people).await;
        if wrong.is_some() {
            return wrong;
        }
    }
    None
}

/// Lets the next worker reconcile at once: the lease of a killed one lasts longer than this test waits.
async fn end_leases(world: &World) {
    sqlx::query("UPDATE leases SET until = now()").execute(&world.db).await.unwrap();
}

/// Has the workers ask the providers about every payment and refund that is not settled.
async fn make_checks_due(world: &World) {
    for table in ["transactions", "refunds"] {
        // Two buyers do this at the same time, beside the workers.
        let due = format!(
            "UPDATE {table} SET next_check_at = now() WHERE id IN (
                 SELECT id FROM {table} WHERE next_check_at IS NOT NULL FOR UPDATE SKIP LOCKED)"
        );
        sqlx::query(sqlx::AssertSqlSafe(due)).execute(&world.db).await.unwrap();
    }
}

async fn reconcile(world: &World) {
    make_checks_due(world).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
}

fn email(nth: usize) -> String {
    format!("buyer{nth}@example.com")
}

async fn act(world: &World, nth: usize, script: &Script, shop: &Shop, workers: &[Mutex<WorkerProcess>]) {
    let (organisation, email) = (shop.organisation, email(nth));
    let user = world.platform_user(&email).await;
    let learner = script.is_learner.then_some(&user);
    let typed = script.typed(&email);
    if script.is_odd && script.is_learner {
        shop.join(world, &user).await;
    }
    let steer = async |which: Which, what: &str, notice: Notice, how: Value| {
        steer(world, shop, &email, which, what, notice, how).await;
    };
    // A third of a payment, in tens of its smallest unit.
    let part = async |which: Which| payment(world, &email, which).await.map_or(0, |of| of.amount / 30 * 10);
    for (at, step) in script.steps.iter().enumerate() {
        match *step {
            Step::Checkout => checkout(world, shop, script.basket, organisation.mode, &typed, learner).await,
            Step::OtherBasket => {
                checkout(world, shop, script.basket, organisation.other_mode, &typed, learner).await;
            }
            Step::Pay(which, notice, offer) => {
                let amount = payment(world, &email, which).await.map_or(0, |of| of.amount);
                let offer = if organisation.can_cancel { 0 } else { amount * offer / 1_000 * 10 };
                steer(which, "pay", notice, json!({ "fee": -offer })).await;
            }
            Step::Seats(of) => seats(world, shop, &email, of, &format!("seat{nth}-{at}@example.com")).await,
            Step::Correct(which) => correct(world, shop, &email, which).await,
            Step::Fail(notice) => steer(Which::Newest, "fail", notice, json!({})).await,
            Step::Slow(method, notice) => {
                steer(Which::Newest, "pending", notice, json!({ "method": method })).await;
            }
            Step::Expire(notice) => steer(Which::Newest, "expire", notice, json!({})).await,
            Step::Refund(which, amount) => refund_order(world, &email, which, amount, &shop.key).await,
            Step::OwnRefund(which, line) => refund_own(world, &email, &user, which, line).await,
            Step::Withdraw(which, line, is_proved) => {
                withdraw(world, &email, is_proved.then_some(&user), which, line).await;
            }
            Step::DashboardRefund(which, notice, in_part) => {
                let how = if in_part { json!({ "amount": part(which).await }) } else { json!({}) };
                steer(which, "refund", notice, how).await;
            }
            Step::RefundFails(which, notice) => fail_refund(world, &email, which, notice).await,
            Step::Dispute(which, outcome, notice) => {
                let how = decided(outcome, part(which).await);
                steer(which, "dispute", notice, how).await;
            }
            Step::LoseAnswer => {
                let target = organisation.gateway.name();
                world.fault(json!({ "target": target, "path": "/v", "kind": "lost_answer" })).await;
            }
            Step::Restore(which) => {
                reconcile(world).await;
                restore(world, &email, which).await;
            }
            Step::Remove => remove(world, &email, organisation.course).await,
            Step::Reconcile => reconcile(world).await,
            Step::Crash => crash(world, &workers[nth % 2]).await,
        }
    }
}

async fn crash(world: &World, worker: &Mutex<WorkerProcess>) {
    let fresh = WorkerProcess::start(world);
    let killed = std::mem::replace(&mut *worker.lock().unwrap(), fresh);
    drop(killed);
    end_leases(world).await;
}

async fn remove(world: &World, email: &str, course: &str) {
    let reply = world.unenroll(email, course).await;
    assert!([200, 202, 409, 503, 504].contains(&reply.status), "{email}: {}", reply.text);
}

/// Accepts any expected status: the next step is the client's next try. A voucher that is refused is left out.
async fn checkout(
    world: &World,
    shop: &Shop,
    basket: Basket,
    mode: &str,
    email: &str,
    learner: Option<&Value>,
) {
    let mut body = shop.request(world, email, basket, mode).await;
    if learner.is_none() {
        body["email"] = json!(email);
    }
    let mut reply = send(world, learner, &body).await;
    // It has no use left, or takes nothing off: the learner may hold all of the basket already.
    if reply.status == 400 && reply.faulty_fields() == ["voucher"] {
        body.as_object_mut().unwrap().remove("voucher");
        reply = send(world, learner, &body).await;
    }
    let is_sold_out = reply.status == 400 && reply.text.contains("is sold out");
    assert!(is_sold_out || [200, 409, 502, 503, 504].contains(&reply.status), "{email}: {}", reply.text);
}

/// What the provider says of a dispute. `part` is the amount that is lost in part.
fn decided(outcome: Outcome, part: i64) -> Value {
    match outcome {
        Outcome::Opened => json!({ "outcome": "opened" }),
        Outcome::Won => json!({ "outcome": "won" }),
        Outcome::Lost => json!({ "outcome": "lost" }),
        Outcome::LostInPart => json!({ "outcome": "lost", "amount": part }),
    }
}

async fn seats(world: &World, shop: &Shop, buyer: &str, of: Seats, person: &str) {
    match of {
        Seats::Assigned => shop.assign(world, buyer, person).await,
        Seats::ByContract(number) => shop.contract(world, buyer, number).await,
        Seats::Added => shop.add_seat(world, buyer).await,
    }
}

async fn correct(world: &World, shop: &Shop, email: &str, which: Which) {
    let Some(Payment { cart, .. }) = payment(world, email, which).await else { return };
    shop.correct(world, &cart, email).await;
}

async fn send(world: &World, learner: Option<&Value>, body: &Value) -> Reply {
    let Some(user) = learner else { return world.post(GUEST_CHECKOUT, body).await };
    let cookie = format!("sessionid={}", user["sessionid"].as_str().unwrap());
    let request = world.request(Method::POST, "/storeapi/discovery/checkout/");
    Reply::read(request.header("cookie", cookie).json(body)).await
}

/// One of the buyer's payments.
#[derive(sqlx::FromRow)]
struct Payment {
    cart: String,
    reference: String,
    /// In minor units, which are the provider's in all currencies of the machine.
    amount: i64,
    digits: i32,
}

async fn payment(world: &World, email: &str, which: Which) -> Option<Payment> {
    let mut all: Vec<Payment> = sqlx::query_as(
        "SELECT c.id::text AS cart, t.provider_reference AS reference, t.amount,
                CASE t.currency WHEN 'JPY' THEN 0 WHEN 'KWD' THEN 3 ELSE 2 END AS digits
         FROM transactions t JOIN carts c ON c.id = t.cart_id
         WHERE c.email IN ($1, $2) AND t.provider_reference IS NOT NULL ORDER BY c.id",
    )
    .bind(email)
    .bind(mistyped(email))
    .fetch_all(&world.db)
    .await
    .unwrap();
    match which {
        Which::Newest => all.pop(),
        Which::Oldest => all.into_iter().next(),
    }
}

/// Acts on one of the buyer's payments at the provider, if the provider allows it.
async fn steer(
    world: &World,
    shop: &Shop,
    email: &str,
    which: Which,
    what: &str,
    notice: Notice,
    mut how: Value,
) {
    let Some(Payment { reference, .. }) = payment(world, email, which).await else { return };
    how["notify"] = json!(!matches!(notice, Notice::Lost));
    if matches!(notice, Notice::Twice) {
        how["copies"] = json!(2);
    }
    if matches!(notice, Notice::Late) {
        let target = shop.organisation.gateway.name();
        world.fault(json!({ "target": target, "kind": "delay_notification", "delay_ms": 700 })).await;
    }
    // 409: the payment cannot enter that state; a paid one cannot be paid again, for example.
    let url = world.simulators.url(&format!("/_sim/payments/{reference}/{what}"));
    world.http.post(url).json(&how).send().await.unwrap();
}

async fn refund_order(world: &World, email: &str, which: Which, amount: Amount, key: &str) {
    let Some(Payment { cart, amount: charged, digits, .. }) = payment(world, email, which).await else {
        return;
    };
    let part = rust_decimal::Decimal::new(charged / 30 * 10, digits.unsigned_abs());
    let part = part.to_string().parse::<f64>().unwrap();
    let body = match amount {
        Amount::All => json!({}),
        Amount::Part => json!({ "items": [0], "amount": part }),
        Amount::Goodwill => json!({ "items": [], "amount": part }),
        Amount::Line(line) => json!({ "items": [line] }),
    };
    let reply = refund(world, key, &cart, &body).await;
    // 400: it was never paid, has nothing left, was upgraded, or has no such line.
    assert!([200, 202, 400, 409, 502, 503, 504].contains(&reply.status), "{email}: {}", reply.text);
}

async fn refund_own(world: &World, email: &str, user: &Value, which: Which, line: Option<usize>) {
    let Some(Payment { cart, .. }) = payment(world, email, which).await else { return };
    let body = line.map_or(json!({}), |line| json!({ "items": [line] }));
    let reply = refund_by_learner(world, user, &cart, &body).await;
    // 400 as above; 403: a refund has ended the line, or a dispute is open; 404: the address is mistyped.
    let expected = [200, 202, 400, 403, 404, 409, 502, 503, 504];
    assert!(expected.contains(&reply.status), "{email}: {}", reply.text);
}

async fn withdraw(world: &World, email: &str, user: Option<&Value>, which: Which, line: Option<usize>) {
    let Some(Payment { cart, .. }) = payment(world, email, which).await else { return };
    let mut body = json!({ "order": cart, "email": email, "name": "Buyer" });
    if let Some(line) = line {
        body["items"] = json!([line]);
    }
    let mut request = world.request(Method::POST, "/storeapi/payment/withdrawals/").json(&body);
    if let Some(user) = user {
        request = request.header("cookie", format!("sessionid={}", user["sessionid"].as_str().unwrap()));
    }
    let reply = Reply::read(request).await;
    assert!([202, 503].contains(&reply.status), "{email}: {}", reply.text);
}

async fn restore(world: &World, email: &str, which: Which) {
    let Some(Payment { cart, .. }) = payment(world, email, which).await else { return };
    let words = ["restore", &cart, "--reason", "bank details were wrong", "--by", OPERATOR];
    loop {
        let (done, said) = payments(world, &words).await;
        if done || ["is not paid", "has no ended access to restore"].iter().any(|why| said.contains(why)) {
            return;
        }
        // The database is busy: an operator tries again.
        assert!(said.contains("pool timed out while waiting"), "{email}: {said}");
    }
}

async fn fail_refund(world: &World, email: &str, which: Which, notice: Notice) {
    let Some(Payment { cart, .. }) = payment(world, email, which).await else { return };
    let Some(payment) = world.payments(&cart).await.pop() else { return };
    let ours = payment["our_reference"].as_str().unwrap();
    let refunds = world.sim(Method::GET, &format!("/_sim/refunds?our_reference={ours}"), None).await;
    let Some(last) = refunds.as_array().unwrap().last() else { return };
    let url = world.simulators.url(&format!("/_sim/refunds/{}/fail", last["id"].as_str().unwrap()));
    let how = json!({ "notify": !matches!(notice, Notice::Lost) });
    // 409: it has failed before.
    world.http.post(url).json(&how).send().await.unwrap();
}
