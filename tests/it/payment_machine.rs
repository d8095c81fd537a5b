//! Payments as a state machine. Buyers, banks, providers, the organisation, timers and crashes act in any order;
//! `payment_oracle` says what must hold in the end.

use std::sync::Mutex;
use std::time::Duration;

use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::organisation_keys::key;
use crate::payment_oracle::disagreement;
use crate::refunds::refund;
use crate::worker_program::WorkerProcess;

#[derive(Clone, Copy, Debug)]
enum Notice {
    Sent,
    Lost,
    Twice,
    Late,
}

/// Which of the buyer's payments a step is about: an upgrade is the newest one, and rests on an older one.
#[derive(Clone, Copy, Debug)]
enum Which {
    Newest,
    Oldest,
}

#[derive(Clone, Copy, Debug)]
enum Outcome {
    Opened,
    Won,
    Lost,
    LostInPart,
}

#[derive(Clone, Copy, Debug)]
enum Amount {
    All,
    /// A third, and the access with it.
    Part,
    /// A third, and no access.
    Goodwill,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// The checkout, repeated as a client does that got no answer; free for a learner who holds the course.
    Checkout,
    /// A learner's better mode is an upgrade, or replaces the first basket; a guest's is a second cart.
    OtherBasket,
    /// Pays any payment that can be paid, even after it failed or was ended.
    Pay(Which, Notice),
    Fail(Notice),
    /// The buyer pays with a slow method: by bank transfer, voucher or debit.
    Slow(&'static str, Notice),
    /// The provider gives up what was not paid.
    Expire(Notice),
    /// Through the storefront, with the organisation's key.
    Refund(Which, Amount),
    /// At the provider's dashboard: a part of the payment, or all that is left.
    DashboardRefund(Which, Notice, bool),
    /// The newest refund of a payment fails at the bank, perhaps after it had succeeded.
    RefundFails(Which, Notice),
    Dispute(Which, Outcome, Notice),
    /// The provider carries out the next call, and its answer is lost.
    LoseAnswer,
    /// A reconciler timer fires.
    Reconcile,
    /// A worker is killed at any point of its job.
    Crash,
}

fn notice() -> impl Strategy<Value = Notice> {
    prop_oneof![3 => Just(Notice::Sent), 2 => Just(Notice::Lost), 2 => Just(Notice::Twice), 1 => Just(Notice::Late)]
}

fn which() -> impl Strategy<Value = Which> {
    prop_oneof![2 => Just(Which::Newest), 1 => Just(Which::Oldest)]
}

fn amount() -> impl Strategy<Value = Amount> {
    prop_oneof![2 => Just(Amount::All), 1 => Just(Amount::Part), 1 => Just(Amount::Goodwill)]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let rest = prop_oneof![Just(Outcome::Won), Just(Outcome::Lost), Just(Outcome::LostInPart)];
    prop_oneof![1 => Just(Outcome::Opened), 2 => rest]
}

fn step() -> impl Strategy<Value = Step> {
    let slow = prop_oneof![Just("debit"), Just("bank_transfer"), Just("voucher")];
    prop_oneof![
        5 => Just(Step::Checkout),
        3 => Just(Step::OtherBasket),
        7 => (which(), notice()).prop_map(|(which, notice)| Step::Pay(which, notice)),
        1 => notice().prop_map(Step::Fail),
        1 => (slow, notice()).prop_map(|(method, notice)| Step::Slow(method, notice)),
        1 => notice().prop_map(Step::Expire),
        2 => (which(), amount()).prop_map(|(which, amount)| Step::Refund(which, amount)),
        1 => (which(), notice(), any::<bool>()).prop_map(|(which, notice, part)| Step::DashboardRefund(which, notice, part)),
        1 => (which(), notice()).prop_map(|(which, notice)| Step::RefundFails(which, notice)),
        2 => (which(), outcome(), notice()).prop_map(|(which, outcome, notice)| Step::Dispute(which, outcome, notice)),
        1 => Just(Step::LoseAnswer),
        2 => Just(Step::Reconcile),
        1 => Just(Step::Crash),
    ]
}

/// One buyer: a guest or a learner of one of the organisations, and the steps that happen.
#[derive(Clone, Debug)]
struct Script {
    organisation: usize,
    is_learner: bool,
    steps: Vec<Step>,
}

fn script() -> impl Strategy<Value = Script> {
    let steps = prop::collection::vec(step(), 4..14);
    (0..ORGANISATIONS.len(), any::<bool>(), steps).prop_map(|(organisation, is_learner, mut steps)| {
        steps.insert(0, Step::Checkout);
        Script { organisation, is_learner, steps }
    })
}

#[test]
fn in_the_end_books_equal_the_providers_and_access_follows_the_money() {
    let cases = std::env::var("MACHINE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(10);
    let config = Config { cases, max_shrink_iters: 12, failure_persistence: None, ..Config::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let outcome = TestRunner::new(config).run(&prop::collection::vec(script(), 8..12), |scripts| {
        let run = std::panic::AssertUnwindSafe(|| runtime.block_on(run(&scripts)));
        std::panic::catch_unwind(run).map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            TestCaseError::fail(text)
        })
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

async fn run(scripts: &[Script]) {
    let setup = Setup {
        workers: 0,
        worker_args: vec!["--reconcile-every=300ms".into()],
        api_args: vec!["--ask-deadline=3s".into()],
        ..Setup::default()
    };
    world(setup, async |world| {
        world.sell().await;
        let workers = Mutex::new(vec![WorkerProcess::start(world), WorkerProcess::start(world)]);
        let mut keys = Vec::new();
        for organisation in &ORGANISATIONS {
            keys.push(key(world, organisation.short_name, &[Scope::Refunds]).await);
        }
        let buyers = scripts
            .iter()
            .enumerate()
            .map(|(nth, script)| act(world, nth, script, &keys[script.organisation], &workers));
        futures_util::future::join_all(buyers).await;
        workers.lock().unwrap().clear();
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
        for _ in 0..100 {
            let buyers = scripts.iter().enumerate();
            let buyers: Vec<_> =
                buyers.map(|(nth, script)| (email(nth), ORGANISATIONS[script.organisation].key)).collect();
            why = disagreement(world, &buyers).await.unwrap_or_default();
            if why.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        panic!("{why}");
    })
    .await;
}

/// Lets the next worker reconcile at once: the lease of a killed one lasts longer than this test waits.
async fn end_leases(world: &World) {
    sqlx::query("UPDATE leases SET until = now()").execute(&world.db).await.unwrap();
}

fn email(nth: usize) -> String {
    format!("buyer{nth}@example.com")
}

async fn act(world: &World, nth: usize, script: &Script, key: &str, workers: &Mutex<Vec<WorkerProcess>>) {
    let (organisation, email) = (&ORGANISATIONS[script.organisation], email(nth));
    let user = world.platform_user(&email).await;
    let part = organisation.subunits / 3;
    let steer = async |which: Which, what: &str, notice: Notice, how: Value| {
        steer(world, organisation, &email, which, what, notice, how).await;
    };
    for step in &script.steps {
        match *step {
            Step::Checkout => checkout(world, organisation, &email, script.is_learner.then_some(&user)).await,
            Step::OtherBasket => {
                let other = Organisation { mode: organisation.other_mode, ..*organisation };
                checkout(world, &other, &email, script.is_learner.then_some(&user)).await;
            }
            Step::Pay(which, notice) => steer(which, "pay", notice, json!({})).await,
            Step::Fail(notice) => steer(Which::Newest, "fail", notice, json!({})).await,
            Step::Slow(method, notice) => {
                steer(Which::Newest, "pending", notice, json!({ "method": method })).await;
            }
            Step::Expire(notice) => steer(Which::Newest, "expire", notice, json!({})).await,
            Step::Refund(which, amount) => refund_order(world, &email, which, amount, part, key).await,
            Step::DashboardRefund(which, notice, in_part) => {
                let how = if in_part { json!({ "amount": part }) } else { json!({}) };
                steer(which, "refund", notice, how).await;
            }
            Step::RefundFails(which, notice) => fail_refund(world, &email, which, notice).await,
            Step::Dispute(which, outcome, notice) => {
                let how = match outcome {
                    Outcome::Opened => json!({ "outcome": "opened" }),
                    Outcome::Won => json!({ "outcome": "won" }),
                    Outcome::Lost => json!({ "outcome": "lost" }),
                    Outcome::LostInPart => json!({ "outcome": "lost", "amount": part }),
                };
                steer(which, "dispute", notice, how).await;
            }
            Step::LoseAnswer => {
                let target = organisation.gateway.name();
                world.fault(json!({ "target": target, "path": "/v", "kind": "lost_answer" })).await;
            }
            Step::Reconcile => {
                for table in ["transactions", "refunds"] {
                    // Two buyers do this at the same time, beside the workers.
                    let due = format!(
                        "UPDATE {table} SET next_check_at = now() WHERE id IN (
                             SELECT id FROM {table} WHERE next_check_at IS NOT NULL FOR UPDATE SKIP LOCKED)"
                    );
                    sqlx::query(sqlx::AssertSqlSafe(due)).execute(&world.db).await.unwrap();
                }
                tokio::time::sleep(Duration::from_millis(400)).await;
            }
            Step::Crash => {
                let fresh = WorkerProcess::start(world);
                let killed = std::mem::replace(&mut workers.lock().unwrap()[nth % 2], fresh);
                drop(killed);
                end_leases(world).await;
            }
        }
    }
}

/// Accepts any expected status: the next step is the client's next try.
async fn checkout(world: &World, organisation: &Organisation, email: &str, learner: Option<&Value>) {
    let reply = match learner {
        Some(user) => world.learner_checkout(organisation, user).await,
        None => world.guest_checkout(organisation, email).await,
    };
    let expected = [200, 409, 502, 503, 504];
    assert!(expected.contains(&reply.status), "{email}: {}", reply.text);
}

/// The cart and the provider's reference of one of the buyer's payments.
async fn payment(world: &World, email: &str, which: Which) -> Option<(String, String)> {
    let mut all: Vec<(String, String)> = sqlx::query_as(
        "SELECT c.id::text, t.provider_reference FROM transactions t JOIN carts c ON c.id = t.cart_id
         WHERE c.email = $1 AND t.provider_reference IS NOT NULL ORDER BY c.id",
    )
    .bind(email)
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
    organisation: &Organisation,
    email: &str,
    which: Which,
    what: &str,
    notice: Notice,
    mut how: Value,
) {
    let Some((_, reference)) = payment(world, email, which).await else { return };
    how["notify"] = json!(!matches!(notice, Notice::Lost));
    if matches!(notice, Notice::Twice) {
        how["copies"] = json!(2);
    }
    if matches!(notice, Notice::Late) {
        let target = organisation.gateway.name();
        world.fault(json!({ "target": target, "kind": "delay_notification", "delay_ms": 700 })).await;
    }
    // 409: the payment cannot enter that state; a paid one cannot be paid again, for example.
    let url = world.simulators.url(&format!("/_sim/payments/{reference}/{what}"));
    world.http.post(url).json(&how).send().await.unwrap();
}

async fn refund_order(world: &World, email: &str, which: Which, amount: Amount, part: i64, key: &str) {
    let Some((cart, _)) = payment(world, email, which).await else { return };
    let part = rust_decimal::Decimal::new(part, 2).to_string().parse::<f64>().unwrap();
    let body = match amount {
        Amount::All => json!({}),
        Amount::Part => json!({ "items": [0], "amount": part }),
        Amount::Goodwill => json!({ "items": [], "amount": part }),
    };
    let reply = refund(world, key, &cart, &body).await;
    // 400: it was never paid, has nothing left, or was upgraded.
    assert!([200, 202, 400, 409, 502, 503, 504].contains(&reply.status), "{email}: {}", reply.text);
}

async fn fail_refund(world: &World, email: &str, which: Which, notice: Notice) {
    let Some((cart, _)) = payment(world, email, which).await else { return };
    let Some(payment) = world.payments(&cart).await.pop() else { return };
    let ours = payment["our_reference"].as_str().unwrap();
    let refunds = world.sim(Method::GET, &format!("/_sim/refunds?our_reference={ours}"), None).await;
    let Some(last) = refunds.as_array().unwrap().last() else { return };
    let url = world.simulators.url(&format!("/_sim/refunds/{}/fail", last["id"].as_str().unwrap()));
    let how = json!({ "notify": !matches!(notice, Notice::Lost) });
    // 409: it has failed before.
    world.http.post(url).json(&how).send().await.unwrap();
}
