//! The reconciler's polls of providers: each account for itself, orders that stay payable, and steps that do not wait for
//! each other.

use std::process::Stdio;
use std::time::Duration;

use chrono::TimeDelta;
use harness::steps::demo::PAID_COURSE;
use harness::steps::learner_cart;
use harness::steps::payments::{
    EMAIL, allow_fulfilment, begun, cart_id, count, reference, refuse_fulfilment,
};
use harness::steps::worker_program::{command, operator};
use harness::{NOTIFICATION_KEY, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

/// Stores an account, as an operator does.
async fn set_account(world: &World, organisation: &str, gateway: &str, account: &Value) {
    let keys = format!("--notification-keys={NOTIFICATION_KEY}");
    let words = ["gateways", "set", organisation, gateway, &keys];
    let mut set =
        command(world, &words, &["database-url", "gateway-keys"]).stdin(Stdio::piped()).spawn().unwrap();
    set.stdin.take().unwrap().write_all(account.to_string().as_bytes()).await.unwrap();
    let output = set.wait_with_output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Counts how often the only fault will still happen.
async fn faults_left(world: &World) -> u64 {
    world
        .sim(Method::GET, "/_sim/faults", None)
        .await
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["count"].as_u64().unwrap())
        .sum()
}

async fn is_refused(world: &World, organisation: &Organisation) -> bool {
    let (ok, shown) = operator(world, &["gateways", "show", "--json"], &["database-url"]).await;
    assert!(ok, "{shown}");
    let shown: Vec<Value> = serde_json::from_str(&shown).unwrap();
    let own = |one: &&Value| one["organisation"] == organisation.short_name && one["what"] == "credentials";
    !shown.iter().find(own).unwrap()["refused_at"].is_null()
}

async fn state(world: &World, cart: &str) -> String {
    world.transaction(cart).await.0
}

#[tokio::test]
async fn one_organisations_failing_account_does_not_stop_the_others() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let northwind = &ORGANISATIONS[0];
        sqlx::query("UPDATE organisations SET gateway = 'stripe' WHERE short_name = 'lindgren'")
            .execute(&world.db)
            .await
            .unwrap();
        let account = json!({ "secret_key": "sk_test_demo_northwind", "public_key": "pk_lindgren" });
        set_account(world, "lindgren", "stripe", &account).await;
        for buyer in 0..3 {
            let (_, payment) = begun(world, northwind, &format!("buyer{buyer}@example.com")).await;
            let path = format!("/payment_intents/{}", reference(&payment));
            world
                .fault(
                    json!({ "target": "stripe", "path": path, "kind": "status", "status": 503, "count": 50 }),
                )
                .await;
        }
        world.clock.advance(TimeDelta::minutes(2));
        // Eight failures in a row open the breaker of northwind's account.
        world.eventually("the polls have failed", async |world| faults_left(world).await <= 150 - 8).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        world.guest_checkout(northwind, EMAIL).await.assert_problem(502, "gateway_error");
        cart_id(&world.guest_checkout(&ORGANISATIONS[1], EMAIL).await);
    })
    .await;
}

#[tokio::test]
async fn a_revoked_key_raises_one_alert_and_stops_the_polls_of_its_account() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for (nth, organisation) in (1..).zip(&ORGANISATIONS) {
            let (first, payment) = begun(world, organisation, EMAIL).await;
            begun(world, organisation, "bob@example.com").await;
            world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
            let target = organisation.gateway.name();
            let status = if nth % 2 == 0 { 401 } else { 403 };
            world.fault(json!({ "target": target, "kind": "status", "status": status, "count": 100 })).await;
            world.clock.advance(TimeDelta::minutes(2));
            world
                .eventually("the account is refused", async |world| is_refused(world, organisation).await)
                .await;
            world
                .eventually("the gauge shows it", async |world| world.waiting("accounts_refused").await == 1)
                .await;
            tokio::time::sleep(Duration::from_millis(500)).await;
            let left = faults_left(world).await;
            for _ in 0..3 {
                world.clock.advance(TimeDelta::days(1));
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
            assert_eq!(faults_left(world).await, left, "a poll was sent with a refused key");
            let metrics = format!("http://{}/metrics", world.workers[0].internal);
            let metrics = Reply::read(world.http.get(&metrics)).await.text;
            let alerts = format!("storefront_alerts_total{{what=\"account\"}} {nth}\n");
            assert!(metrics.contains(&alerts), "{metrics}");
            // No payment has an alert of its own.
            assert_eq!(world.transaction(&first).await.2, None);
            world.no_faults().await;
            // A checkout that succeeds, or an operator who sets the key, lets the polls continue.
            if nth % 2 == 0 {
                begun(world, organisation, "eve@example.com").await;
            } else {
                let accounts = simulators::payments::Account::demo();
                let account =
                    accounts.iter().find(|account| account.organisation == organisation.short_name).unwrap();
                let keys = match account.key_secret.as_str() {
                    "" => json!({ "secret_key": account.key, "public_key": "pk_northwind" }),
                    secret => json!({ "secret_key": secret, "public_key": account.key }),
                };
                set_account(world, organisation.short_name, target, &keys).await;
            }
            assert!(!is_refused(world, organisation).await);
            world.cart_becomes(&first, "fulfilled").await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_order_that_cannot_end_leaves_the_gauge_and_alerts_when_it_is_paid_late() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in ORGANISATIONS.iter().filter(|organisation| !organisation.can_cancel) {
            let (cart, payment) = begun(world, organisation, EMAIL).await;
            let (forgotten, _) = begun(world, organisation, "bob@example.com").await;
            world.eventually("both orders count", async |world| world.waiting("payments_pending").await == 2).await;
            world.clock.advance(TimeDelta::hours(80));
            world.eventually("none counts", async |world| world.waiting("payments_pending").await == 0).await;
            world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
            world.clock.advance(TimeDelta::days(1));
            world.cart_becomes(&cart, "fulfilled").await;
            let alert = world.transaction(&cart).await.2.unwrap();
            assert!(alert.contains("hours after the checkout"), "{alert}");
            // After half a year, the reconciler no longer asks about an order that was never paid.
            world.clock.advance(TimeDelta::days(181));
            world
                .eventually("the order is not polled any more", async |world| {
                    let next = "SELECT count(*) FROM transactions WHERE cart_id = $1::uuid AND next_check_at IS NULL";
                    sqlx::query_scalar::<_, i64>(next).bind(&forgotten).fetch_one(&world.db).await.unwrap() == 1
                })
                .await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_step_of_the_reconciler_that_fails_does_not_stop_the_others() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner_cart::learner(world, EMAIL).await;
        let filled = learner_cart::put(world, &ada, &ORGANISATIONS[0]).await;
        assert_eq!(filled.status, 200, "{}", filled.text);
        let (cart, payment) = begun(world, &ORGANISATIONS[1], "bob@example.com").await;
        world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
        sqlx::query("ALTER TABLE inbox RENAME TO away").execute(&world.db).await.unwrap();
        world
            .eventually("an operator sees which step fails", async |world| {
                let (ok, text) = operator(world, &["reconcile", "--once"], &SETTINGS).await;
                // The worker may hold the lock.
                !ok && text.contains("old commands and notifications forgotten: ")
            })
            .await;
        world.clock.advance(TimeDelta::hours(80));
        world
            .eventually("the payment is settled", async |world| state(world, &cart).await == "succeeded")
            .await;
        world
            .eventually("the open cart has expired", async |world| {
                count(world, "SELECT count(*) FROM carts WHERE state = 'expired'").await == 1
            })
            .await;
        sqlx::query("ALTER TABLE away RENAME TO inbox").execute(&world.db).await.unwrap();
        world.cart_becomes(&cart, "fulfilled").await;
    })
    .await;
}

/// Settings that the operator's `reconcile` needs.
const SETTINGS: [&str; 9] = [
    "database-url",
    "redis-url",
    "redis-prefix",
    "amqp-url",
    "queue-prefix",
    "link-secret",
    "retry-delays",
    "platform-url",
    "gateway-keys",
];

#[tokio::test]
async fn slow_look_ups_at_the_platform_do_not_hold_up_payments() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world
            .fault(json!({ "target": "platform", "path": "/accounts", "kind": "delay", "delay_ms": 2500, "count": 500 }))
            .await;
        let emails: Vec<String> = (0..12).map(|nth| format!("waiting{nth}@example.com")).collect();
        let waiting = emails.iter().map(|email| world.enroll(email, PAID_COURSE, "verified"));
        for reply in futures_util::future::join_all(waiting).await {
            assert_eq!(reply.status, 200, "{}", reply.text);
        }
        // By now the reconciler looks these addresses up, two seconds each.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (cart, payment) = begun(world, &ORGANISATIONS[0], EMAIL).await;
        world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
        world.clock.advance(TimeDelta::minutes(2));
        let mut is_settled = async |world: &World| state(world, &cart).await == "succeeded";
        world.eventually_within(Duration::from_secs(4), "the payment is settled", &mut is_settled).await;
        world.no_faults().await;
        world.cart_becomes(&cart, "fulfilled").await;
        // Once the platform answers, each address gets its invitation.
        for email in &emails {
            world.eventually("an invitation", async |world| world.emails(email).await.len() == 1).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_paid_cart_gets_no_second_message_while_the_first_waits_on_a_retry_delay() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        refuse_fulfilment(world).await;
        let (cart, payment) = begun(world, &ORGANISATIONS[0], EMAIL).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        // The last delay is one second, and the reconciler waits five minutes longer.
        let delayed = world.topology().retry_delay(2);
        world.eventually("the message waits", async |world| world.ready_messages(&delayed).await == 1).await;
        world.clock.advance(TimeDelta::seconds(299));
        for _ in 0..30 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert!(world.ready_messages(&delayed).await <= 1, "a second message waits");
        }
        allow_fulfilment(world).await;
        world.cart_becomes(&cart, "fulfilled").await;
    })
    .await;
}

/// What ends at a time of its own is checked then, not up to a day later.
#[tokio::test]
async fn an_abandoned_payment_is_checked_when_its_cart_ends() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = begun(world, &ORGANISATIONS[0], EMAIL).await;
        for hours in [40, 30] {
            world.clock.advance(TimeDelta::hours(hours));
            let late =
                "SELECT count(*) FROM transactions WHERE next_check_at > created_at + interval '72 hours'";
            let due = async |world: &World| {
                let due = "SELECT count(*) FROM transactions WHERE next_check_at <= $1";
                let now = world.clock.now();
                sqlx::query_scalar::<_, i64>(due).bind(now).fetch_one(&world.db).await.unwrap()
            };
            world.eventually("it is checked", async |world| due(world).await == 0).await;
            assert_eq!(count(world, late).await, 0, "after {hours} hours");
        }
        assert_eq!(state(world, &cart).await, "processing");
        world.clock.advance(TimeDelta::hours(2));
        world.cart_becomes(&cart, "expired").await;
    })
    .await;
}
