//! Disputes: opened, won, lost, lost in part, and reversed, told by webhooks or found by asking.

use chrono::TimeDelta;
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{bought, entry, ledger};
use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use serde_json::json;
use shared::gateway::Gateway;

async fn alerted(world: &World, cart: &str, part: &str) {
    world
        .eventually("an alert is set", async |world| {
            world.transaction(cart).await.2.is_some_and(|alert| alert.contains(part))
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
            world
                .eventually("the dispute is won", async |world| {
                    let states =
                        "SELECT d.state FROM disputes d JOIN transactions t ON t.id = d.transaction_id
                                  WHERE t.provider_reference = $1";
                    let states = sqlx::query_scalar::<_, String>(states).bind(&won.1);
                    states.fetch_all(&world.db).await.unwrap() == ["won"]
                })
                .await;
            // A decision ends the alert: nobody can answer the dispute any more.
            for (cart, _) in [won, lost] {
                assert_eq!(world.transaction(cart).await.2, None, "{cart}");
            }
            assert_eq!(ledger(world, &won.0).await, [captured]);
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
            world.eventually("the part is booked", async |world| ledger(world, &cart).await.len() == 2).await;
            assert_eq!(ledger(world, &cart).await[1], entry("chargeback", -700));
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
