//! Payments without a provider as a state machine, also on account: reports come late, twice, in parts, too high or after the order
//! has ended or was cancelled, and refunds arrive or come back. In the end the books and the documents say what was reported.

use std::time::Duration;

use harness::steps::invoices::sell_with_tax;
use harness::steps::organisation_keys::key;
use harness::steps::payments::cart_id;
use harness::steps::refunds::refund;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::external_payments::takes_payments_itself;
use crate::order_oracle;

const SHOP: &Organisation = &ORGANISATIONS[0];

/// The tax IDs of a company with access before it pays, and of one with access after that.
const NOW: &str = "DE100";
const LATER: &str = "DE200";

#[derive(Clone, Copy, Debug)]
enum Step {
    Checkout,
    /// By a company, with access now or once it has paid.
    OnAccount(bool),
    Cancel,
    /// A payment of so many percent of the price.
    Report(i64),
    /// The last report once more, with its own key or another one.
    Again(bool),
    /// All of it, or a third.
    Refund(bool),
    /// The newest refund arrives, or comes back.
    EndRefund(bool),
}

fn step() -> impl Strategy<Value = Step> {
    let percent = prop_oneof![2 => Just(100), 2 => Just(50), 1 => 1..150_i64];
    prop_oneof![
        3 => Just(Step::Checkout),
        3 => any::<bool>().prop_map(Step::OnAccount),
        2 => Just(Step::Cancel),
        6 => percent.prop_map(Step::Report),
        2 => any::<bool>().prop_map(Step::Again),
        3 => any::<bool>().prop_map(Step::Refund),
        2 => any::<bool>().prop_map(Step::EndRefund),
    ]
}

/// One buyer's history, and what is known of it.
struct Buyer<'a> {
    world: &'a World,
    key: &'a str,
    email: String,
    cart: Option<String>,
    reports: Vec<(Value, String)>,
}

impl Buyer<'_> {
    /// Sends a request, and repeats it as a client does: another buyer's step moves the clock past the deadline of commands.
    async fn post(&self, path: &str, body: &Value, idempotency: &str) -> Reply {
        loop {
            let request = self.world.request(Method::POST, path).header("organisationapikey", self.key);
            let reply = Reply::read(request.header("Idempotency-Key", idempotency).json(body)).await;
            if ![409, 503, 504].contains(&reply.status) {
                return reply;
            }
        }
    }

    /// `company` is the tax ID of a company that pays by invoice.
    async fn check_out(&self, company: Option<&str>) -> String {
        let mut body = self.world.basket(SHOP).await;
        body["email"] = json!(self.email);
        if let Some(tax_id) = company {
            body["pay_by"] = json!("invoice");
            body["billing_address"] = json!({ "company": "Engines GmbH", "country": "DE", "tax_id": tax_id });
        }
        loop {
            let answer = self.world.post(GUEST_CHECKOUT, &body).await;
            if ![409, 503, 504].contains(&answer.status) {
                assert_eq!(answer.status, 200, "{}: {}", self.email, answer.text);
                return cart_id(&answer).to_owned();
            }
        }
    }

    async fn report(&self, cart: &str, body: &Value, idempotency: &str) {
        let path = format!("/storeapi/payment/orders/{cart}/payments/");
        let reply = self.post(&path, body, idempotency).await;
        assert_eq!(reply.status, 200, "{}: {}", self.email, reply.text);
    }

    async fn act(&mut self, step: Step) {
        let world = self.world;
        let company = match step {
            Step::OnAccount(true) => Some(NOW),
            Step::OnAccount(false) => Some(LATER),
            _ => None,
        };
        if let Step::Checkout | Step::OnAccount(_) = step {
            self.cart = Some(self.check_out(company).await);
            return;
        }
        let Some(cart) = self.cart.clone() else { return };
        match step {
            Step::Checkout | Step::OnAccount(_) => {}
            Step::Cancel => {
                let path = format!("/storeapi/payment/orders/{cart}/payments/cancel/");
                let reply = loop {
                    let request = world.request(Method::POST, &path).header("organisationapikey", self.key);
                    let reply = Reply::read(request).await;
                    if ![409, 503, 504].contains(&reply.status) {
                        break reply;
                    }
                };
                // 400: it is paid, or in part.
                assert!([200, 400].contains(&reply.status), "{}: {}", self.email, reply.text);
            }
            Step::Report(percent) => {
                let name = format!("{cart}/{}", self.reports.len());
                let body = json!({ "amount": SHOP.subunits * percent / 100 / 10 * 10 / 100, "received_at": "2026-01-05T09:00:00Z",
                    "reference": name });
                self.report(&cart, &body, &name).await;
                self.reports.push((body, name));
            }
            Step::Again(same_key) => {
                let Some((body, name)) = self.reports.last() else { return };
                let of = body["reference"].as_str().unwrap().split('/').next().unwrap();
                let other = format!("{name}/again");
                self.report(of, body, if same_key { name } else { &other }).await;
            }
            Step::Refund(all) => {
                let body = if all { json!({}) } else { json!({ "items": [], "amount": 66 }) };
                let reply = refund(world, self.key, &cart, &body).await;
                // 400: it was never paid, or has less left.
                assert!(
                    [200, 202, 400, 409, 503, 504].contains(&reply.status),
                    "{}: {}",
                    self.email,
                    reply.text
                );
            }
            Step::EndRefund(has_arrived) => self.end_refund(&cart, has_arrived).await,
        }
    }

    async fn end_refund(&self, cart: &str, has_arrived: bool) {
        let newest: Option<String> = sqlx::query_scalar(
            "SELECT r.id::text FROM refunds r JOIN transactions t ON t.id = r.transaction_id WHERE t.cart_id = $1::uuid
             ORDER BY r.asked_at DESC LIMIT 1",
        )
        .bind(cart)
        .fetch_optional(&self.world.db)
        .await
        .unwrap();
        let Some(id) = newest else { return };
        let path = format!("/storeapi/payment/orders/{cart}/refunds/{id}/");
        let status = if has_arrived { "succeeded" } else { "failed" };
        let reply = self.post(&path, &json!({ "status": status }), &format!("{id}/{status}")).await;
        // 400: it has failed before.
        assert!([200, 400].contains(&reply.status), "{}: {}", self.email, reply.text);
    }
}

/// What contradicts the reports, as text; null if all agrees.
const DISAGREEMENT: &str = "
    SELECT concat_ws(' ', 'cart', t.cart_id, t.state, 'of', t.amount, 'received', p.received, 'booked', l.booked, 'back', r.back,
                     'alert', t.alert, 'cart', c.state, 'on account', t.on_account, 'documents', d.total)
    FROM transactions t JOIN carts c ON c.id = t.cart_id
    CROSS JOIN LATERAL (SELECT t.on_account IS NOT NULL AND t.dead_at IS NOT NULL AS is_cancelled_invoice) o
    CROSS JOIN LATERAL (SELECT coalesce(sum(CASE kind WHEN 'invoice' THEN total ELSE -total END), 0) AS total
                        FROM documents WHERE cart_id = c.id) d
    CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0) AS received FROM received_payments WHERE transaction_id = t.id) p
    CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0) AS booked FROM ledger WHERE transaction_id = t.id) l
    CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0) AS back FROM refunds
                        WHERE transaction_id = t.id AND state IN ('accepted', 'succeeded')) r
    WHERE t.gateway = 'external' AND (
        (t.state IN ('succeeded', 'refunded')) <> (p.received >= t.amount AND NOT o.is_cancelled_invoice)
        OR l.booked <> CASE WHEN p.received >= t.amount AND NOT o.is_cancelled_invoice THEN t.amount - r.back ELSE 0 END
        OR (p.received > t.amount OR p.received > 0 AND o.is_cancelled_invoice) AND t.alert IS NULL
        OR t.on_account = 'now' AND NOT o.is_cancelled_invoice AND c.state NOT IN ('fulfilled', 'refunded')
        OR o.is_cancelled_invoice AND (c.state <> 'cancelled' OR d.total <> 0)
        OR t.on_account IS NOT NULL AND NOT o.is_cancelled_invoice AND d.total <> t.amount
           AND NOT EXISTS (SELECT FROM refunds f WHERE f.transaction_id = t.id)
        OR t.state = 'succeeded' AND r.back = 0 AND c.state NOT IN ('fulfilled', 'refunded')
        OR p.received < t.amount AND c.state IN ('paid', 'fulfilled', 'refunded') AND t.on_account IS DISTINCT FROM 'now')
    LIMIT 1";

/// What contradicts the reports once everything has settled.
async fn disagreement(world: &World) -> Option<String> {
    let mut why = None;
    for _ in 0..150 {
        why = sqlx::query_scalar(DISAGREEMENT).fetch_optional(&world.db).await.unwrap();
        if why.is_none() {
            why = order_oracle::disagreement(world).await;
        }
        if why.is_none() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    why
}

async fn run(scripts: &[Vec<Step>]) {
    let setup = Setup { worker_args: vec!["--reconcile-every=300ms".into()], ..Setup::selling() };
    world(setup, async |world| {
        sell_with_tax(world).await;
        takes_payments_itself(world).await;
        let companies = json!([{ "tax_id": NOW, "grant": "now" }, { "tax_id": LATER, "grant": "paid" }]);
        sqlx::query(
            "UPDATE organisations SET bank_transfer = bank_transfer || $1 WHERE short_name = 'northwind'",
        )
        .bind(json!({ "on_account": { "companies": companies } }))
        .execute(&world.db)
        .await
        .unwrap();
        let own = key(world, "northwind", &[Scope::Payments, Scope::Orders, Scope::Refunds]).await;
        let mut buyers: Vec<Buyer> = (0..scripts.len())
            .map(|nth| Buyer {
                world,
                key: &own,
                email: format!("buyer{nth}@example.com"),
                cart: None,
                reports: Vec::new(),
            })
            .collect();
        let half = |script: &[Step], is_first: bool| {
            let (first, second) = script.split_at(script.len() / 2);
            if is_first { first.to_vec() } else { second.to_vec() }
        };
        for is_first in [true, false] {
            let acting = buyers.iter_mut().zip(scripts).map(async |(buyer, script)| {
                buyer.act(Step::Checkout).await;
                for step in half(script, is_first) {
                    buyer.act(step).await;
                }
            });
            futures_util::future::join_all(acting).await;
            assert_eq!(disagreement(world).await, None);
            // An order without money ends 21 days after its checkout; events are kept for thirty.
            world.clock.advance(chrono::TimeDelta::days(if is_first { 22 } else { 0 }));
        }
        let reported: usize = buyers.iter().map(|buyer| buyer.reports.len()).sum();
        let kept: i64 =
            sqlx::query_scalar("SELECT count(*) FROM received_payments").fetch_one(&world.db).await.unwrap();
        assert_eq!(usize::try_from(kept).unwrap(), reported);
    })
    .await;
}

#[test]
fn whatever_is_reported_and_when_the_books_agree() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let scripts = prop::collection::vec(prop::collection::vec(step(), 4..14), 12);
    let mut runner = TestRunner::new(Config {
        cases: 2,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&scripts, |scripts| {
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runtime.block_on(run(&scripts))));
        ran.map_err(|_| TestCaseError::fail(format!("{scripts:?}")))
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
