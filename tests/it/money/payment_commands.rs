//! `storefront-worker payments …`: what an operator sees of a payment and does with it, through the real program.

use harness::steps::demo::{PAID_KEY, UNKNOWN_ID};
use harness::steps::notifications::{deliver, success};
use harness::steps::payment_commands::{payments, payments_calling, refuses};
use harness::steps::payments::{EMAIL, begun, count, reference};
use harness::steps::refunds::{bought, entry, ledger, stripe_refuses, three_lines};
use harness::{ORGANISATIONS, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

/// The audit log's details of what operators did, in order: entity, new state, detail.
async fn decisions(world: &World) -> Vec<(String, String, Value)> {
    sqlx::query_as(
        "SELECT entity, to_state, detail FROM audit_log WHERE actor = 'operator:Mira' AND detail ? 'reason' ORDER BY id",
    )
    .fetch_all(&world.db)
    .await
    .unwrap()
}

/// The parked events, as `list` names them.
async fn parked(world: &World) -> Vec<String> {
    let ids = "SELECT 'event-' || id FROM inbox WHERE parked_reason IS NOT NULL ORDER BY id";
    sqlx::query_scalar(ids).fetch_all(&world.db).await.unwrap()
}

#[tokio::test]
async fn check_asks_the_provider_at_once_and_says_what_it_answered() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let (cart, payment) = begun(world, organisation, EMAIL).await;
            world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
            let target = organisation.gateway.name();
            for (status, why) in [(404, "refused with 404"), (503, "has not answered: status 503")] {
                world
                    .fault(json!({ "target": target, "kind": "status", "status": status, "count": 3 }))
                    .await;
                refuses(&payments_calling(world, &["check", &cart]).await, why);
                world.no_faults().await;
            }
            assert_eq!(world.status(&cart).await["status"], "pending_payment");
            let (done, said) = payments_calling(world, &["check", &cart]).await;
            assert!(done && said.contains("succeeded") && said.contains(reference(&payment)), "{said}");
            world.cart_becomes(&cart, "fulfilled").await;
        }
        refuses(&payments_calling(world, &["check", UNKNOWN_ID]).await, "does not exist, or has no payment");
        // An account whose credentials are gone.
        let (cart, _) = begun(world, &ORGANISATIONS[0], "eve@example.com").await;
        sqlx::query("DELETE FROM gateway_credentials").execute(&world.db).await.unwrap();
        refuses(&payments_calling(world, &["check", &cart]).await, "is not configured");
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn apply_shows_a_parked_event_and_applies_it_only_when_told_to_and_why() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        for organisation in &ORGANISATIONS {
            let (cart, payment) = begun(world, organisation, EMAIL).await;
            let ours = payment["our_reference"].as_str().unwrap();
            let other = success(
                organisation,
                reference(&payment),
                ours,
                organisation.subunits - 1,
                organisation.currency,
            );
            assert_eq!(
                deliver(world, organisation.gateway, organisation.short_name, &other).await.status,
                200
            );
            world.eventually("the event is parked", async |world| parked(world).await.len() == 1).await;
            let event = parked(world).await.remove(0);
            let (done, said) = payments_calling(world, &["apply", &event]).await;
            let amount = (organisation.subunits - 1).to_string();
            assert!(done && said.contains(&amount) && said.contains("Nothing was changed"), "{said}");
            refuses(&payments_calling(world, &["apply", &event, "--yes"]).await, "--reason");
            assert_eq!(parked(world).await, [event.as_str()]);
            assert_eq!(world.status(&cart).await["status"], "pending_payment");

            let words = ["apply", &event, "--yes", "--reason", "the bank kept its fee", "--by", "Mira"];
            let (done, said) = payments_calling(world, &words).await;
            assert!(done && said.contains(ours), "{said}");
            world.cart_becomes(&cart, "fulfilled").await;
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, true).await;
            // The books say what the buyer paid.
            assert_eq!(ledger(world, &cart).await, [entry("captured", organisation.subunits - 1)]);
            let number: i64 = event.strip_prefix("event-").unwrap().parse().unwrap();
            let detail = json!({ "reason": "the bank kept its fee", "event": number });
            let applied = ("transaction".to_owned(), "event_applied".to_owned(), detail);
            assert_eq!(decisions(world).await.last(), Some(&applied));
            refuses(&payments_calling(world, &words).await, "is not parked, or is closed");
            sqlx::query("DELETE FROM inbox").execute(&world.db).await.unwrap();
        }
        refuses(&payments_calling(world, &["apply", "event-999999999"]).await, "is not parked, or is closed");
        refuses(&payments_calling(world, &["apply", "12"]).await, "is not a notification's id");
    })
    .await;
}

/// Refunds a cart as the operator Mira.
async fn refund(world: &World, cart: &str, words: &[&str]) -> (bool, String) {
    let common = ["refund", cart, "--reason", "not as described", "--by", "Mira"];
    payments_calling(world, &[&common, words].concat()).await
}

#[tokio::test]
async fn refund_refuses_what_cannot_be_paid_back_and_writes_nothing() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = three_lines(world, EMAIL).await;
        let (unpaid, _) = begun(world, &ORGANISATIONS[1], "eve@example.com").await;
        for (words, why) in [
            (vec!["--amount=5"], "--line"),
            (vec!["--keep-access"], "--amount"),
            (vec!["--keep-access", "--line=0", "--amount=5"], "cannot be used with"),
            (vec!["--line=7"], "items[0] is not the position of a line"),
            (vec!["--line=0", "--line=0"], "items[1] is repeated"),
            (vec!["--line=0", "--amount=0"], "amount must be above 0"),
            (vec!["--line=0", "--amount=0.001"], "amount "),
            (vec!["--line=0", "--amount=1000"], "amount is more than the 199.00 USD"),
        ] {
            refuses(&refund(world, &cart, &words).await, why);
        }
        refuses(&payments_calling(world, &["refund", &cart]).await, "--reason");
        refuses(
            &payments_calling(world, &["refund", &cart, "--reason", &"x".repeat(201)]).await,
            "longer than 200",
        );
        refuses(&refund(world, &unpaid, &[]).await, "cart_id was not paid");
        refuses(&refund(world, UNKNOWN_ID, &[]).await, "cart not found");
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 0);
    })
    .await;
}

#[tokio::test]
async fn refund_pays_back_what_an_operator_chooses_and_a_key_makes_it_once() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let (cart, _) = three_lines(world, EMAIL).await;
        // A course whose access ends before the platform has heard of it is never opened there.
        world.platform_agrees(EMAIL, PAID_KEY, "verified", true).await;
        stripe_refuses(world).await;
        refuses(&refund(world, &cart, &["--line=0"]).await, "refused with 402");
        world.no_faults().await;
        let part = ["--line=0", "--amount=100", "--key=ticket-1"];
        let (done, first) = refund(world, &cart, &part).await;
        assert!(done && first.contains("of 100.00 USD: succeeded"), "{first}");
        assert_eq!(refund(world, &cart, &part).await, (true, first));
        refuses(
            &refund(world, &cart, &["--line=0", "--amount=90", "--key=ticket-1"]).await,
            "used with another body",
        );
        world.platform_agrees(EMAIL, PAID_KEY, "verified", false).await;
        let (done, said) = refund(world, &cart, &["--keep-access", "--amount=10"]).await;
        assert!(done && said.contains("of 10.00 USD"), "{said}");
        assert_eq!(world.status(&cart).await["status"], "fulfilled");
        let (done, said) = refund(world, &cart, &[]).await;
        assert!(done && said.contains("0.00 USD can still be refunded"), "{said}");
        world.cart_becomes(&cart, "refunded").await;
        refuses(&refund(world, &cart, &[]).await, "cart_id has nothing left to refund");

        let payment = world.payment(&cart).await;
        assert_eq!(payment["refunded"], payment["captured"]);
        assert_eq!(ledger(world, &cart).await.iter().map(|(_, minor)| minor).sum::<i64>(), 0);
        let kept: Vec<(String, String, String)> =
            sqlx::query_as("SELECT origin, actor, reason FROM refunds WHERE state <> 'failed'")
                .fetch_all(&world.db)
                .await
                .unwrap();
        let expected = ["operator", "operator:Mira", "not as described"].map(str::to_owned);
        assert_eq!(kept, vec![expected.into(); 3]);
    })
    .await;
}

#[tokio::test]
async fn a_refund_that_the_provider_has_not_answered_is_told_apart_from_a_second_one() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[1], EMAIL).await;
        world
            .fault(
                json!({ "target": "mollie", "path": "refunds", "kind": "status", "status": 503, "count": 9 }),
            )
            .await;
        let (done, said) = payments_calling(world, &["refund", &cart, "--reason", "r"]).await;
        assert!(done && said.contains("asked"), "{said}");
        let second = payments_calling(world, &["refund", &cart, "--reason", "r"]).await;
        refuses(&second, "has not answered another refund");
        world.no_faults().await;
        // The worker continues with it.
        world.clock.advance(chrono::TimeDelta::minutes(1));
        world.cart_becomes(&cart, "refunded").await;
    })
    .await;
}

#[tokio::test]
async fn restore_gives_back_what_is_paid_and_refuses_the_rest() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let organisation = &ORGANISATIONS[0];
        let (cart, payment) = begun(world, organisation, EMAIL).await;
        let words = ["restore", &cart, "--reason", "agreed on the phone", "--by", "Mira"];
        refuses(&payments(world, &words[..2]).await, "--reason");
        refuses(&payments(world, &words).await, "cart is not paid: its payment is processing");
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        refuses(&payments(world, &words).await, "cart has no ended access to restore");
        world.platform_agrees(EMAIL, organisation.key, organisation.mode, true).await;

        let part = ["refund", &cart, "--line=0", "--amount=50", "--reason", "half", "--by", "Mira"];
        let (done, said) = payments_calling(world, &part).await;
        assert!(done, "{said}");
        world.platform_agrees(EMAIL, organisation.key, organisation.mode, false).await;
        // What was refunded stays ended, until the refund fails.
        refuses(&payments(world, &words).await, "cart has no ended access to restore");
        let refunds = world.sim(Method::GET, "/_sim/refunds", None).await;
        let refund = refunds[0]["id"].as_str().unwrap();
        world.sim(Method::POST, &format!("/_sim/refunds/{refund}/fail"), Some(json!({}))).await;
        world.eventually("the refund has failed", async |world| world.transaction(&cart).await.1 == 0).await;
        let (done, said) = payments(world, &words).await;
        assert!(done, "{said}");
        world.platform_agrees(EMAIL, organisation.key, organisation.mode, true).await;
        let detail = json!({ "reason": "agreed on the phone" });
        let restored = ("cart".to_owned(), "restored".to_owned(), detail);
        assert_eq!(decisions(world).await.last(), Some(&restored));

        let (done, said) = payments_calling(world, &["refund", &cart, "--reason", "the rest"]).await;
        assert!(done, "{said}");
        world.cart_becomes(&cart, "refunded").await;
        refuses(&payments(world, &words).await, "cart is not paid: its payment is refunded");
        refuses(&payments(world, &["restore", UNKNOWN_ID, "--reason", "r"]).await, "cart does not exist");
        world.platform_agrees(EMAIL, organisation.key, organisation.mode, false).await;
    })
    .await;
}

#[tokio::test]
async fn close_asks_for_a_reason_which_the_audit_log_keeps_with_the_name() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let (cart, payment) = bought(world, organisation, EMAIL).await;
        world.at_provider("dispute", &payment, json!({ "outcome": "opened" })).await;
        let (_, begun) = begun(world, organisation, "eve@example.com").await;
        let other = success(organisation, reference(&begun), "", 1, organisation.currency);
        deliver(world, organisation.gateway, organisation.short_name, &other).await;
        world
            .eventually("a dispute and a parked event are open", async |world| {
                world.transaction(&cart).await.2.is_some() && parked(world).await.len() == 1
            })
            .await;
        let listed = async || -> Vec<String> {
            let (_, said) = payments(world, &["list", "--json"]).await;
            let cases: Vec<Value> = serde_json::from_str(&said).unwrap();
            cases.iter().map(|case| case["id"].as_str().unwrap().to_owned()).collect()
        };
        let ids = listed().await;
        assert_eq!(ids.len(), 2);
        let close: Vec<&str> = ["close"].into_iter().chain(ids.iter().map(String::as_str)).collect();
        refuses(&payments(world, &close).await, "--reason");
        let why = ["--reason", "sent the evidence", "--by", "Mira"];
        // One id that is wrong closes none.
        for (wrong, said) in
            [(UNKNOWN_ID, "has no open alert"), ("event-x", "is not an id"), ("x", "is not an id")]
        {
            refuses(&payments(world, &[&close[..], &[wrong], &why].concat()).await, said);
        }
        assert_eq!(listed().await, ids);
        let (done, said) = payments(world, &[&close[..], &why].concat()).await;
        assert!(done && said.contains("2 closed"), "{said}");
        assert!(listed().await.is_empty());
        let kept = decisions(world).await;
        let has_reason = |detail: &Value| detail["reason"] == "sent the evidence";
        assert!(kept.len() == 2 && kept.iter().all(|(_, _, detail)| has_reason(detail)), "{kept:?}");
        assert!(
            kept.iter()
                .any(|(_, _, detail)| detail["closed"].as_str().unwrap().contains("disputes the payment"))
        );
    })
    .await;
}
