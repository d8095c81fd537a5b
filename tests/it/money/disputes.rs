//! Disputes: opened, won, lost, lost in part, and reversed, told by webhooks or found by asking.

use chrono::TimeDelta;
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{bought, entry, ledger, order, refund};
use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use serde_json::json;
use shared::gateway::Gateway;
use shared::organisation_key::Scope;

async fn alerted(world: &World, cart: &str, part: &str) {
    world
        .eventually("an alert is set", async |world| {
            world.transaction(cart).await.2.is_some_and(|alert| alert.contains(part))
        })
        .await;
}

/// Waits until the one dispute of a payment is on record in a state.
async fn decided(world: &World, payment: &str, state: &str) {
    world
        .eventually(&format!("the dispute is {state}"), async |world| {
            let states = "SELECT d.state FROM disputes d JOIN transactions t ON t.id = d.transaction_id
                          WHERE t.provider_reference = $1";
            let states = sqlx::query_scalar::<_, String>(states).bind(payment);
            states.fetch_all(&world.db).await.unwrap() == [state]
        })
        .await;
}

/// Mollie's chargebacks have no open state.
fn with_open_disputes() -> impl Iterator<Item = &'static Organisation> {
    ORGANISATIONS.iter().filter(|organisation| organisation.gateway != Gateway::Mollie)
}

#[tokio::test]
async fn a_lost_dispute_takes_the_money_and_the_access_and_a_won_one_neither() {
    disputed(true).await;
}

#[tokio::test]
async fn disputes_are_found_by_asking_the_provider_when_their_webhooks_are_lost() {
    disputed(false).await;
}

async fn disputed(told: bool) {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (keeper, loser) = ("keeper@example.com", "loser@example.com");
        world.platform_user(keeper).await;
        world.platform_user(loser).await;
        let mut carts = Vec::new();
        for organisation in with_open_disputes() {
            let (won, lost) =
                (bought(world, organisation, keeper).await, bought(world, organisation, loser).await);
            world.platform_agrees(loser, organisation.key, organisation.mode, true).await;
            carts.push((organisation, won, lost));
        }
        let ask = |days: i64| {
            if !told {
                world.clock.advance(TimeDelta::days(days));
            }
        };
        let dispute = |outcome: &str| json!({ "outcome": outcome, "notify": told });
        for (_, won, lost) in &carts {
            world.at_provider("dispute", &won.1, dispute("opened")).await;
            world.at_provider("dispute", &lost.1, dispute("opened")).await;
        }
        ask(1);
        for (_, won, lost) in &carts {
            alerted(world, &won.0, "disputes the payment").await;
            alerted(world, &lost.0, "disputes the payment").await;
            world.at_provider("dispute", &won.1, dispute("won")).await;
            world.at_provider("dispute", &lost.1, dispute("lost")).await;
        }
        ask(3);
        for (organisation, won, lost) in &carts {
            world.cart_becomes(&lost.0, "refunded").await;
            world.platform_agrees(loser, organisation.key, organisation.mode, false).await;
            let captured = entry("captured", organisation.subunits);
            let booked = [captured.clone(), entry("chargeback", -organisation.subunits)];
            assert_eq!(ledger(world, &lost.0).await, booked);
            let (state, refunded, _) = world.transaction(&lost.0).await;
            assert_eq!((state.as_str(), refunded), ("refunded", 0));
            decided(world, &won.1, "won").await;
            // A decision ends the alert: nobody can answer the dispute any more.
            for (cart, _) in [won, lost] {
                assert_eq!(world.transaction(cart).await.2, None, "{cart}");
            }
            let (taken, back) = (-organisation.subunits, organisation.subunits);
            let moved = [captured, entry("chargeback", taken), entry("chargeback_reversed", back)];
            let rows = if organisation.gateway == Gateway::Stripe { 3 } else { 1 };
            assert_eq!(ledger(world, &won.0).await, moved[..rows]);
            assert_eq!(world.status(&won.0).await["status"], "fulfilled");
            world.platform_agrees(keeper, organisation.key, organisation.mode, true).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_reversed_chargeback_brings_the_money_and_the_access_back() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let mollie = &ORGANISATIONS[1];
        for told in [true, false] {
            let (cart, reference) = bought(world, mollie, EMAIL).await;
            world.platform_agrees(EMAIL, mollie.key, mollie.mode, true).await;
            world.at_provider("dispute", &reference, json!({ "outcome": "opened", "notify": told })).await;
            world.clock.advance(TimeDelta::days(1));
            world.cart_becomes(&cart, "refunded").await;
            alerted(world, &cart, "the loss is booked").await;
            world.platform_agrees(EMAIL, mollie.key, mollie.mode, false).await;
            world.at_provider("dispute", &reference, json!({ "outcome": "won", "notify": told })).await;
            world.clock.advance(TimeDelta::days(3));
            world.cart_becomes(&cart, "fulfilled").await;
            world.platform_agrees(EMAIL, mollie.key, mollie.mode, true).await;
            let kinds: Vec<String> = ledger(world, &cart).await.into_iter().map(|(kind, _)| kind).collect();
            assert_eq!(kinds, ["captured", "chargeback", "chargeback_reversed"]);
            let (state, _, alert) = world.transaction(&cart).await;
            assert_eq!((state.as_str(), alert), ("succeeded", None));
            world.at_provider("refund", &reference, json!({})).await;
            world.cart_becomes(&cart, "refunded").await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_dispute_that_is_lost_in_part_takes_that_part_alone() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        for organisation in with_open_disputes() {
            let (cart, reference) = bought(world, organisation, EMAIL).await;
            world.at_provider("dispute", &reference, json!({ "outcome": "opened" })).await;
            alerted(world, &cart, "disputes the payment").await;
            world.at_provider("dispute", &reference, json!({ "outcome": "lost", "amount": 700 })).await;
            decided(world, &reference, "lost").await;
            let back = organisation.subunits - 700;
            let moved = match organisation.gateway {
                Gateway::Stripe => {
                    vec![entry("chargeback", -organisation.subunits), entry("chargeback_reversed", back)]
                }
                _ => vec![entry("chargeback", -700)],
            };
            assert_eq!(ledger(world, &cart).await[1..], moved);
            assert_eq!(world.status(&cart).await["status"], "fulfilled");
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, true).await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_appeal_moves_nothing_until_it_is_decided() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let stripe = &ORGANISATIONS[0];
        let (cart, reference) = bought(world, stripe, EMAIL).await;
        for outcome in ["opened", "lost"] {
            world.at_provider("dispute", &reference, json!({ "outcome": outcome })).await;
        }
        world.cart_becomes(&cart, "refunded").await;
        world.at_provider("dispute", &reference, json!({ "outcome": "appealed" })).await;
        world
            .eventually("the appeal's event is processed", async |world| {
                let appeals = "SELECT count(*) FROM inbox WHERE type = 'charge.dispute.updated' AND processed_at IS NOT NULL";
                count(world, appeals).await == 1
            })
            .await;
        assert_eq!(ledger(world, &cart).await.len(), 2);
        assert_eq!(world.status(&cart).await["status"], "refunded");
        world.at_provider("dispute", &reference, json!({ "outcome": "won" })).await;
        world.cart_becomes(&cart, "fulfilled").await;
        world.platform_agrees(EMAIL, stripe.key, stripe.mode, true).await;
        assert_eq!(ledger(world, &cart).await[2], entry("chargeback_reversed", stripe.subunits));
    })
    .await;
}

#[tokio::test]
async fn while_the_provider_holds_all_money_the_order_stands_and_nothing_can_be_refunded() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let stripe = &ORGANISATIONS[0];
        let key = key(world, stripe.short_name, &[Scope::Refunds, Scope::Orders, Scope::Reports]).await;
        let (cart, payment) = bought(world, stripe, EMAIL).await;
        world.platform_agrees(EMAIL, stripe.key, stripe.mode, true).await;
        let opened = json!({ "outcome": "opened", "copies": 3 });
        world.at_provider("dispute", &payment, opened).await;
        world.eventually("the money is taken", async |world| ledger(world, &cart).await.len() == 2).await;
        world.drain().await;
        assert_eq!(ledger(world, &cart).await[1..], [entry("chargeback", -stripe.subunits)]);
        let shown = order(world, &key, &cart).await;
        assert_eq!((&shown["status"], &shown["lost_amount"]), (&json!("fulfilled"), &shown["total_price"]));
        assert_eq!(world.transaction(&cart).await.0, "succeeded");
        world.platform_agrees(EMAIL, stripe.key, stripe.mode, true).await;
        for (body, why) in [
            (json!({ "despite_dispute": true }), "holds what is left"),
            (json!({ "items": [0] }), "holds what is left"),
            (json!({ "items": [], "amount": 1, "despite_dispute": true }), "holds what is left"),
        ] {
            let refused = refund(world, &key, &cart, &body).await;
            let refused = refused.assert_problem(400, "invalid_request");
            assert_eq!(refused.faulty_fields(), ["cart_id"], "{body}");
            assert!(refused.text.contains(why), "{}", refused.text);
        }
        // The days of the provider, beside those on which they were booked.
        world.at_provider("dispute", &payment, json!({ "outcome": "won" })).await;
        decided(world, &payment, "won").await;
        let day = world.clock.now().date_naive();
        let period = format!("from={}&to={}", day - TimeDelta::days(3), day + TimeDelta::days(3));
        let report = get(world, &format!("/storeapi/reports/ledger/?{period}&format=json"), &key).await;
        let rows = report.json.as_array().unwrap().iter();
        let days: Vec<(&str, bool)> =
            rows.map(|row| (row["kind"].as_str().unwrap(), row["bank_day"].is_string())).collect();
        assert_eq!(days, [("captured", false), ("chargeback", true), ("chargeback_reversed", true)]);
        let all = refund(world, &key, &cart, &json!({})).await;
        assert_eq!((all.status, &all.json["remaining"]), (200, &json!(0)), "{}", all.text);
    })
    .await;
}

#[tokio::test]
async fn what_a_dispute_leaves_can_be_refunded_and_its_loss_ends_the_access() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        // Razorpay and Curlec take the money with the dispute from some accounts.
        for shop in &ORGANISATIONS[2..] {
            let key = key(world, shop.short_name, &[Scope::Refunds, Scope::Orders]).await;
            let (cart, payment) = bought(world, shop, EMAIL).await;
            world.platform_agrees(EMAIL, shop.key, shop.mode, true).await;
            let taken = shop.subunits - 200;
            let opened = json!({ "outcome": "opened", "amount": taken, "onset": true });
            world.at_provider("dispute", &payment, opened).await;
            world.eventually("the money is taken", async |world| ledger(world, &cart).await.len() == 2).await;
            let goodwill = |amount: f64| json!({ "items": [], "amount": amount, "despite_dispute": true });
            let refused = refund(world, &key, &cart, &goodwill(2.01)).await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["amount"]);
            let rest = refund(world, &key, &cart, &goodwill(2.0)).await;
            assert_eq!((rest.status, &rest.json["remaining"]), (200, &json!(0)), "{}", rest.text);
            // Nothing is left now, but most of it may come back.
            assert_eq!(world.transaction(&cart).await.0, "succeeded");
            assert_eq!(world.status(&cart).await["status"], "fulfilled");
            world.at_provider("dispute", &payment, json!({ "outcome": "lost" })).await;
            world.cart_becomes(&cart, "refunded").await;
            world.platform_agrees(EMAIL, shop.key, shop.mode, false).await;
            let moved = [entry("chargeback", -taken), entry("refunded", -200)];
            assert_eq!(ledger(world, &cart).await[1..], moved);
            assert_eq!(world.transaction(&cart).await.0, "refunded");
        }
    })
    .await;
}

#[tokio::test]
async fn an_inquiry_takes_nothing_until_it_becomes_a_dispute() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let stripe = &ORGANISATIONS[0];
        let key = key(world, stripe.short_name, &[Scope::Refunds, Scope::Orders]).await;
        let captured = [entry("captured", stripe.subunits)];
        let inquire = async |email: &str| {
            let (cart, payment) = bought(world, stripe, email).await;
            world.at_provider("dispute", &payment, json!({ "outcome": "inquiry" })).await;
            alerted(world, &cart, "disputes the payment").await;
            assert_eq!(ledger(world, &cart).await, captured);
            (cart, payment)
        };
        let (cart, payment) = inquire("ada@example.com").await;
        world.at_provider("dispute", &payment, json!({ "outcome": "opened" })).await;
        world.eventually("the money is taken", async |world| ledger(world, &cart).await.len() == 2).await;
        // Closed, it has taken nothing, and all can be refunded.
        let (cart, payment) = inquire("bea@example.com").await;
        world.at_provider("dispute", &payment, json!({ "outcome": "won" })).await;
        decided(world, &payment, "won").await;
        assert_eq!(ledger(world, &cart).await, captured);
        let all = refund(world, &key, &cart, &json!({})).await;
        assert_eq!((all.status, &all.json["remaining"]), (200, &json!(0)), "{}", all.text);
    })
    .await;
}

#[tokio::test]
async fn a_dispute_ends_in_the_same_books_whatever_was_heard_of_it() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let told = |outcome: &str, notify: bool| json!({ "outcome": outcome, "notify": notify });
        let mut orders = Vec::new();
        for organisation in &ORGANISATIONS {
            for (outcome, lost) in [("won", 0), ("lost", organisation.subunits)] {
                for heard in [Some(told("opened", true)), Some(told("opened", false)), None] {
                    let buyer = format!("{}@example.com", orders.len());
                    let (cart, payment) = bought(world, organisation, &buyer).await;
                    if let Some(opened) = heard {
                        world.at_provider("dispute", &payment, opened).await;
                    }
                    let mut last = told(outcome, true);
                    last["copies"] = json!(2);
                    world.at_provider("dispute", &payment, last).await;
                    orders.push((cart, payment, outcome, organisation.subunits - lost));
                }
            }
        }
        // Mollie has no word for the end of a chargeback that is lost: it is asked.
        world.clock.advance(TimeDelta::days(2));
        for (_, payment, outcome, _) in &orders {
            decided(world, payment, outcome).await;
        }
        world.drain().await;
        for (cart, _, outcome, kept) in &orders {
            let moved = ledger(world, cart).await;
            assert_eq!(moved.iter().map(|(_, minor)| minor).sum::<i64>(), *kept, "{outcome} {moved:?}");
            let state = if *outcome == "lost" { "refunded" } else { "succeeded" };
            assert_eq!(world.transaction(cart).await.0, state, "{moved:?}");
        }
    })
    .await;
}
