//! Rare behaviour of providers: Mollie's guard against equal refunds, its simple payload and partial captures, and an
//! order of Razorpay or Curlec that is paid twice.

use chrono::TimeDelta;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, begun, count, reference};
use harness::steps::refunds::{at_provider, bought, entry, ledger, order, refund, refund_again};
use harness::steps::worker_program::operator;
use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use reqwest::Method;
use serde_json::json;
use shared::organisation_key::Scope;

const MOLLIE: &Organisation = &ORGANISATIONS[1];

/// The statuses of an order's refunds, oldest first.
async fn statuses(world: &World, key: &str, cart: &str) -> Vec<String> {
    let order = order(world, key, cart).await;
    let refunds = order["refunds"].as_array().unwrap().iter();
    refunds.map(|refund| refund["status"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_equal_refund_at_mollie_waits_an_hour_without_an_alert() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, MOLLIE.short_name, &[Scope::Refunds, Scope::Orders]).await;
        let (cart, _) = bought(world, MOLLIE, EMAIL).await;
        let fifty = json!({ "items": [], "amount": 50 });
        assert_eq!(refund(world, &key, &cart, &fifty).await.status, 200);
        let second = refund_again(world, &key, &cart, &fifty, "second").await;
        assert_eq!((second.status, &second.json["status"]), (202, &json!("asked")), "{}", second.text);
        refund(world, &key, &cart, &json!({ "items": [], "amount": 1 }))
            .await
            .assert_problem(409, "in_progress");
        // The worker does not ask before the hour is over.
        world.clock.advance(TimeDelta::minutes(50));
        world.drain().await;
        assert_eq!(count(world, "SELECT sum(put_off) FROM refunds").await, 1);
        assert_eq!(at_provider(world, &cart).await.len(), 1);

        // A refund of the dashboard, equal as well, makes it wait for another hour.
        let reference = world.payment(&cart).await["reference"].as_str().unwrap().to_owned();
        world.at_provider("refund", &reference, json!({ "amount": 5000 })).await;
        world.clock.advance(TimeDelta::minutes(12));
        world
            .eventually("it is put off again", async |world| {
                count(world, "SELECT sum(put_off) FROM refunds").await == 2
            })
            .await;
        world.sim(Method::POST, "/_sim/clock", Some(json!({ "seconds": 3700 }))).await;
        world.clock.advance(TimeDelta::minutes(62));
        world
            .eventually("it is paid", async |world| {
                statuses(world, &key, &cart).await == ["succeeded", "succeeded", "succeeded"]
            })
            .await;
        assert_eq!(at_provider(world, &cart).await.len(), 3);
        assert_eq!(world.transaction(&cart).await, ("succeeded".to_owned(), 15_000, None));
        let again = refund_again(world, &key, &cart, &fifty, "second").await;
        assert_eq!((again.status, &again.json["refund_id"]), (200, &second.json["refund_id"]));
    })
    .await;
}

#[tokio::test]
async fn events_of_mollies_simple_payload_find_their_payment() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, MOLLIE.short_name, &[Scope::Refunds, Scope::Orders]).await;
        let (cart, payment) = begun(world, MOLLIE, EMAIL).await;
        let simple = json!({ "simple": true });
        world.at_provider("pay", reference(&payment), simple.clone()).await;
        world.cart_becomes(&cart, "fulfilled").await;
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        let part = refund(world, &key, &cart, &json!({ "items": [], "amount": 10 })).await;
        assert_eq!(part.json["status"], "accepted", "{}", part.text);
        let id = at_provider(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
        world.sim(Method::POST, &format!("/_sim/refunds/{id}/succeed"), Some(simple)).await;
        world
            .at_provider("dispute", reference(&payment), json!({ "outcome": "opened", "amount": 1000 }))
            .await;
        world.eventually("it is booked", async |world| ledger(world, &cart).await.len() == 3).await;
        let won = json!({ "outcome": "won", "simple": true });
        world.at_provider("dispute", reference(&payment), won).await;
        world
            .eventually("each event is matched", async |world| {
                let matched = "SELECT count(*) FROM inbox WHERE transaction_id IS NOT NULL
                    AND type IN ('payment.paid', 'refund.refunded', 'chargeback.reversed')";
                count(world, matched).await == 3
            })
            .await;
        assert_eq!(statuses(world, &key, &cart).await, ["succeeded"]);
        assert_eq!(ledger(world, &cart).await[3], entry("chargeback_reversed", 1000));
    })
    .await;
}

#[tokio::test]
async fn a_payment_that_mollie_captured_in_part_is_booked_as_captured() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for (email, notify) in [(EMAIL, true), ("grace@example.com", false)] {
            let (cart, payment) = begun(world, MOLLIE, email).await;
            world.at_provider("authorize", reference(&payment), json!({})).await;
            world.at_provider("pay", reference(&payment), json!({ "fee": -5000, "notify": notify })).await;
            world.clock.advance(TimeDelta::minutes(if notify { 0 } else { 2 }));
            world.cart_becomes(&cart, "fulfilled").await;
            assert_eq!(ledger(world, &cart).await, [entry("captured", MOLLIE.subunits - 5000)]);
        }
    })
    .await;
}

#[tokio::test]
async fn a_second_payment_of_one_order_alerts_and_its_refund_or_lost_dispute_takes_nothing_away() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        for organisation in &ORGANISATIONS[2..] {
            let key = key(world, organisation.short_name, &[Scope::Refunds, Scope::Orders]).await;
            let (cart, reference) = bought(world, organisation, EMAIL).await;
            let subunits = organisation.subunits;
            world.at_provider("pay", &reference, json!({ "twice": true })).await;
            world.clock.advance(TimeDelta::minutes(3));
            let alerted = async |world: &World| {
                world.transaction(&cart).await.2.is_some_and(|alert| alert.contains("two payments"))
            };
            world.eventually("an alert is set", alerted).await;
            close(world, &cart).await;
            // The provider holds both still, which the operator knows.
            world.clock.advance(TimeDelta::days(2));
            world
                .eventually("it is asked again", async |world| {
                    let due = "SELECT count(*) FROM transactions WHERE next_check_at <= $1";
                    let due: i64 =
                        sqlx::query_scalar(due).bind(world.clock.now()).fetch_one(&world.db).await.unwrap();
                    due == 0
                })
                .await;
            world.drain().await;
            assert_eq!(world.transaction(&cart).await, ("succeeded".to_owned(), 0, None));

            lose_second(world, &key, &cart, &reference, subunits).await;
            let back = json!({ "twice": true, "amount": subunits - 1000 });
            world.at_provider("refund", &reference, back).await;
            world
                .eventually("its event is settled", async |world| {
                    let open =
                        "SELECT count(*) FROM inbox WHERE processed_at IS NULL OR type NOT LIKE 'refund.%'";
                    let all = count(world, "SELECT count(*) FROM inbox").await;
                    all > count(world, open).await
                })
                .await;
            world.drain().await;
            assert_eq!(world.transaction(&cart).await, ("succeeded".to_owned(), 0, None));
            assert_eq!(world.status(&cart).await["status"], "fulfilled");
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, true).await;

            // Ours gives the other one back.
            let all = refund(world, &key, &cart, &json!({})).await;
            assert_eq!(all.status, 200, "{}", all.text);
            world.cart_becomes(&cart, "refunded").await;
            assert_eq!(world.payment(&cart).await["refunded"], subunits);
            assert_eq!(
                ledger(world, &cart).await,
                [entry("captured", subunits), entry("refunded", -subunits)]
            );
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, false).await;
            sqlx::query("DELETE FROM inbox").execute(&world.db).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn an_alert_outlives_the_erasure_of_its_buyer_and_is_raised_once() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, reference) = bought(world, &ORGANISATIONS[2], EMAIL).await;
        world.at_provider("pay", &reference, json!({ "twice": true })).await;
        world.clock.advance(TimeDelta::minutes(3));
        world.eventually("an alert is set", async |world| world.transaction(&cart).await.2.is_some()).await;
        world.drain().await;
        let alert = world.transaction(&cart).await.2;
        assert!(alert.as_ref().unwrap().contains("refund the second at its dashboard"), "{alert:?}");
        let (done, said) = operator(world, &["learners", "erase", EMAIL], &["database-url"]).await;
        assert!(done, "{said}");
        assert_eq!(world.transaction(&cart).await.2, alert);
        // The provider says the same at each check.
        world.clock.advance(TimeDelta::days(2));
        let due = async |world: &World| {
            let due = "SELECT NOT EXISTS (SELECT FROM transactions WHERE next_check_at <= $1)";
            sqlx::query_scalar(due).bind(world.clock.now()).fetch_one(&world.db).await.unwrap()
        };
        world.eventually("it is asked again", due).await;
        world.drain().await;
        assert_eq!(world.transaction(&cart).await.2, alert);
    })
    .await;
}

/// The buyer's bank takes a part of an order's second payment back. Its loss is not the order's.
async fn lose_second(world: &World, key: &str, cart: &str, reference: &str, subunits: i64) {
    let lost = json!({ "twice": true, "outcome": "lost", "amount": 1000 });
    world.at_provider("dispute", reference, lost).await;
    let ended = async |world: &World| {
        let ended = "SELECT count(*) FROM disputes d JOIN transactions t ON t.id = d.transaction_id
            WHERE t.cart_id = $1::uuid AND d.state <> 'open'";
        sqlx::query_scalar::<_, i64>(ended).bind(cart).fetch_one(&world.db).await.unwrap() == 1
    };
    world.eventually("the dispute has ended", ended).await;
    world.drain().await;
    assert_eq!(ledger(world, cart).await, [entry("captured", subunits)]);
    let (state, refunded, alert) = world.transaction(cart).await;
    assert_eq!((state.as_str(), refunded), ("succeeded", 0));
    assert_eq!(order(world, key, cart).await["lost_amount"], 0);
    // Its alert has ended with it, unless it was over when it was first heard of.
    if let Some(alert) = alert {
        assert!(alert.contains("the loss is booked"), "{alert}");
        close(world, cart).await;
    }
}

async fn close(world: &World, cart: &str) {
    let id: String = sqlx::query_scalar("SELECT id::text FROM transactions WHERE cart_id = $1::uuid")
        .bind(cart)
        .fetch_one(&world.db)
        .await
        .unwrap();
    let words = ["payments", "close", &id, "--reason", "the buyer was asked", "--by", "Mira"];
    let (done, said) = operator(world, &words, &["database-url"]).await;
    assert!(done, "{said}");
}
