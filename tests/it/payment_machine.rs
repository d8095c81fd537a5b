//! Payments as a state machine. Buyers, providers, timers and crashes act in any order; in the end no cart is charged
//! twice, each buyer has access exactly if they paid for it, and the storefront's transactions equal the providers'
//! payments.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use reqwest::Method;
use serde_json::{Value, json};

use crate::worker_program::WorkerProcess;

#[derive(Clone, Copy, Debug)]
enum Notice {
    Sent,
    Lost,
    Twice,
    Late,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// The checkout, repeated as a client does that got no answer.
    Checkout,
    /// A learner's other basket replaces the first one; a guest's is a second cart.
    OtherBasket,
    /// Pays any payment that can be paid, even after it failed or was ended.
    Pay(Notice),
    Fail(Notice),
    /// The buyer chooses a slow means of payment: a debit, a voucher, a bank transfer or the bank's page.
    Wait(Notice, &'static str),
    /// Refunds half of the payment, or all that is left.
    Refund(Notice, bool),
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

const SLOW: [&str; 4] = ["debit", "voucher", "bank_transfer", "redirect"];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => Just(Step::Checkout),
        2 => Just(Step::OtherBasket),
        5 => notice().prop_map(Step::Pay),
        2 => notice().prop_map(Step::Fail),
        2 => (notice(), prop::sample::select(&SLOW[..])).prop_map(|(notice, method)| Step::Wait(notice, method)),
        2 => (notice(), any::<bool>()).prop_map(|(notice, half)| Step::Refund(notice, half)),
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
    let steps = prop::collection::vec(step(), 3..10);
    (0..ORGANISATIONS.len(), any::<bool>(), steps).prop_map(|(organisation, is_learner, mut steps)| {
        steps.insert(0, Step::Checkout);
        Script { organisation, is_learner, steps }
    })
}

#[test]
fn in_the_end_each_cart_is_charged_once_at_most_and_access_follows_the_money() {
    let cases = std::env::var("MACHINE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3);
    let config = Config { cases, max_shrink_iters: 12, failure_persistence: None, ..Config::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let outcome = TestRunner::new(config).run(&prop::collection::vec(script(), 6..12), |scripts| {
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
        let buyers = scripts.iter().enumerate().map(|(nth, script)| act(world, nth, script, &workers));
        futures_util::future::join_all(buyers).await;
        workers.lock().unwrap().clear();
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
            why = disagreement(world, scripts).await.unwrap_or_default();
            if why.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        panic!("{why}");
    })
    .await;
}

fn email(nth: usize) -> String {
    format!("buyer{nth}@example.com")
}

async fn act(world: &World, nth: usize, script: &Script, workers: &Mutex<Vec<WorkerProcess>>) {
    let (organisation, email) = (&ORGANISATIONS[script.organisation], email(nth));
    let user = world.platform_user(&email).await;
    for step in &script.steps {
        match *step {
            Step::Checkout => checkout(world, organisation, &email, script.is_learner.then_some(&user)).await,
            Step::OtherBasket => {
                let mode = if organisation.short_name == "saraswati" { "honor" } else { "professional" };
                let other = Organisation { mode, ..*organisation };
                checkout(world, &other, &email, script.is_learner.then_some(&user)).await;
            }
            Step::Pay(notice) => steer(world, organisation, &email, ("pay", json!({})), notice).await,
            Step::Fail(notice) => steer(world, organisation, &email, ("fail", json!({})), notice).await,
            Step::Wait(notice, method) => {
                let pending = ("pending", json!({ "method": method }));
                steer(world, organisation, &email, pending, notice).await;
            }
            Step::Refund(notice, half) => {
                let how = if half { json!({ "amount": organisation.subunits / 2 }) } else { json!({}) };
                steer(world, organisation, &email, ("refund", how), notice).await;
            }
            Step::LoseAnswer => {
                let target = organisation.gateway.name();
                world.fault(json!({ "target": target, "path": "/v", "kind": "lost_answer" })).await;
            }
            Step::Reconcile => {
                let due = "UPDATE transactions SET next_check_at = now() WHERE next_check_at IS NOT NULL";
                sqlx::query(due).execute(&world.db).await.unwrap();
                tokio::time::sleep(Duration::from_millis(400)).await;
            }
            Step::Crash => {
                let fresh = WorkerProcess::start(world);
                let killed = std::mem::replace(&mut workers.lock().unwrap()[nth % 2], fresh);
                drop(killed);
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

/// Acts on the buyer's newest payment that has a provider reference, if the provider allows it.
async fn steer(
    world: &World,
    organisation: &Organisation,
    email: &str,
    (what, mut how): (&str, Value),
    notice: Notice,
) {
    let newest: Option<String> = sqlx::query_scalar(
        "SELECT t.provider_reference FROM transactions t JOIN carts c ON c.id = t.cart_id
         WHERE c.email = $1 AND t.provider_reference IS NOT NULL ORDER BY c.id DESC LIMIT 1",
    )
    .bind(email)
    .fetch_optional(&world.db)
    .await
    .unwrap();
    let Some(reference) = newest else { return };
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

/// A transaction as the storefront recorded it.
#[derive(Debug, sqlx::FromRow)]
struct Entry {
    id: String,
    cart: String,
    email: String,
    state: String,
    reference: Option<String>,
    refunded: i64,
    is_blocked: bool,
}

/// The first violation found, as text; `None` if all is consistent.
async fn disagreement(world: &World, scripts: &[Script]) -> Option<String> {
    let entries: Vec<Entry> = sqlx::query_as(
        "SELECT t.id::text, c.id::text AS cart, c.email, t.state, t.provider_reference AS reference,
                t.refunded_amount AS refunded, c.grant_blocked_at IS NOT NULL AS is_blocked
         FROM transactions t JOIN carts c ON c.id = t.cart_id ORDER BY c.id",
    )
    .fetch_all(&world.db)
    .await
    .unwrap();
    let payments = world.sim(Method::GET, "/_sim/payments", None).await;
    let payments = payments.as_array().unwrap();
    if let Some(wrong) = entries.iter().find_map(|entry| misbooked(entry, payments)) {
        return Some(wrong);
    }
    let charged = |entry: &&Entry| ["succeeded", "refunded"].contains(&entry.state.as_str());
    let mut carts = BTreeSet::new();
    if let Some(twice) = entries.iter().filter(charged).find(|entry| !carts.insert(&entry.cart)) {
        return Some(format!("cart {} was charged more than once", twice.cart));
    }
    // An upgrade whose base was refunded before it was paid waits for an operator.
    let paid = entries.iter().filter(|entry| entry.state == "succeeded" && !entry.is_blocked);
    let entitled: BTreeSet<&String> = paid.map(|entry| &entry.email).collect();
    for (nth, script) in scripts.iter().enumerate() {
        let email = email(nth);
        let seen = world.on_platform(&email, ORGANISATIONS[script.organisation].key).await;
        let has_access = seen.is_some_and(|seen| seen["is_active"] == true);
        if has_access != entitled.contains(&email) {
            let own: Vec<&Entry> = entries.iter().filter(|entry| entry.email == email).collect();
            return Some(format!("{email} has access: {has_access}; {own:?}"));
        }
    }
    None
}

/// How the storefront's record and the provider's differ for one transaction.
fn misbooked(entry: &Entry, payments: &[Value]) -> Option<String> {
    let theirs: Vec<&Value> =
        payments.iter().filter(|payment| payment["our_reference"] == json!(entry.id)).collect();
    let mut captured = theirs.iter().filter(|payment| payment["captured"].as_i64() > Some(0));
    let expected = match (captured.next(), captured.next()) {
        (None, _) => {
            let claims = ["succeeded", "refunded"].contains(&entry.state.as_str());
            return claims.then(|| format!("{entry:?}, and nothing was captured: {theirs:?}"));
        }
        (Some(_), Some(_)) => return Some(format!("{entry:?} was captured twice: {theirs:?}")),
        (Some(payment), None) => payment,
    };
    let (captured, refunded) = (expected["captured"].as_i64()?, expected["refunded"].as_i64()?);
    let state = if refunded == captured { "refunded" } else { "succeeded" };
    let agrees = (entry.state.as_str(), entry.refunded) == (state, refunded)
        && expected["reference"] == json!(entry.reference);
    (!agrees).then(|| format!("{entry:?}, and at the provider {expected}"))
}
