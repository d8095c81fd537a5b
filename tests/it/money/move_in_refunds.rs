//! Refunds of what a former shop has charged with the provider's account that is used here.

use chrono::TimeDelta;
use harness::steps::console::with_console;
use harness::steps::former_shop::{Export, OldOrder, charged_with_stripe, finding, move_in, moved_cart};
use harness::steps::invoices::{SHOP, sell_with_tax};
use harness::steps::learner_cart::learner;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{entry, ledger, order, refund, refund_again};
use harness::steps::staff::{look, staff};
use harness::{Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::refunds::refund_by_learner;

const SAME: &[&str] = &["--apply", "--same-account", "stripe"];

/// An export of orders 1 to 4 of [`EMAIL`] for 149.00 each: paid with Stripe by a charge, by an intent and by a charge of which 49.00 is back,
/// and with PayPal.
async fn old_sales(world: &World, user_id: i64) -> Export {
    let mut export = Export::default();
    export.user(7, user_id, EMAIL);
    for id in 1..=4 {
        export.order(&OldOrder::of(id, 7));
    }
    export.refund(3, "Complete", "49.00");
    for (order, reference) in [(1, "ch_1Old"), (2, "pi_2Old"), (3, "ch_3Old")] {
        charged_with_stripe(world, &mut export, order, reference).await;
    }
    let back = json!({ "amount": 4_900, "notify": false });
    world.at_provider("refund", "ch_3Old", back).await;
    let refunds = at_stripe(world, "ch_3Old").await;
    export.set(3, "refunded", &json!({ "reference": refunds[0]["id"] }));
    export
}

/// Stripe's refunds of a payment, oldest first.
async fn at_stripe(world: &World, reference: &str) -> Vec<Value> {
    let refunds = world.sim(Method::GET, &format!("/_sim/refunds?reference={reference}"), None).await;
    refunds.as_array().unwrap().clone()
}

async fn apply(world: &World, export: &Export, written: u32) {
    let (done, said) = move_in(world, export, SAME).await;
    assert!(done && said.contains(&format!("{written} orders were written")), "{said}");
}

#[tokio::test]
async fn the_same_account_refunds_a_charge_and_an_intent_up_to_what_is_left() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let user = learner(world, EMAIL).await;
        let export = old_sales(world, user["user_id"].as_i64().unwrap()).await;
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        assert!(done, "{said}");
        let own = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let charge = moved_cart(world, "OLD-100001").await;
        let refused = refund(world, &own, &charge, &json!({})).await;
        assert!(refused.assert_problem(403, "forbidden").text.contains("sold by old.example.com"), "{}", refused.text);

        // Orders that are here already learn of the account, once.
        apply(world, &export, 3).await;
        apply(world, &export, 0).await;
        let acts = "SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM documents_due) + (SELECT count(*) FROM mails)
                    + (SELECT count(*) FROM enrollments) + (SELECT count(*) FROM events WHERE type <> 'order.refunded')";
        let before = count(world, acts).await;
        for (number, reference, left, ledger_after) in [
            ("OLD-100001", "ch_1Old", 14_900, vec![entry("captured", 14_900), entry("refunded", -14_900)]),
            ("OLD-100002", "pi_2Old", 14_900, vec![entry("captured", 14_900), entry("refunded", -14_900)]),
            ("OLD-100003", "ch_3Old", 10_000, vec![entry("captured", 14_900), entry("refunded", -4_900), entry("refunded", -10_000)]),
        ] {
            let cart = moved_cart(world, number).await;
            let too_much = refund(world, &own, &cart, &json!({ "items": [], "amount": 149.01 })).await;
            assert_eq!(too_much.assert_problem(400, "invalid_request").faulty_fields(), ["amount"]);
            let done = refund_again(world, &own, &cart, &json!({}), number).await;
            assert_eq!((done.status, &done.json["status"]), (200, &json!("succeeded")), "{}", done.text);
            // The old shop has ended the access of the line that it has refunded.
            assert_eq!(done.json["items"][0]["access_ended"], left < 14_900, "{}", done.text);
            let again = refund_again(world, &own, &cart, &json!({}), number).await;
            assert_eq!(again.json["refund_id"], done.json["refund_id"]);
            let newest = at_stripe(world, reference).await.pop().unwrap();
            assert_eq!((&newest["refund_id"], &newest["amount"]), (&done.json["refund_id"], &json!(left)));
            assert_eq!(ledger(world, &cart).await, ledger_after, "{number}");
            let shown = order(world, &own, &cart).await;
            assert_eq!((&shown["status"], &shown["refunded_amount"], &shown["gateway"]), (&json!("refunded"), &json!(149), &json!("stripe")));
            refund(world, &own, &cart, &json!({})).await.assert_problem(400, "invalid_request");
        }
        let other = refund(world, &own, &moved_cart(world, "OLD-100004").await, &json!({})).await;
        assert!(other.assert_problem(403, "forbidden").text.contains("sold by old.example.com"), "{}", other.text);
        world.drain().await;
        assert_eq!(count(world, acts).await, before);
        assert_eq!(count(world, "SELECT count(*) FROM events WHERE type = 'order.refunded'").await, 3);
        assert_eq!(count(world, "SELECT count(*) FROM transactions WHERE alert IS NOT NULL").await, 0);
        // The former shop knows nothing of these refunds.
        apply(world, &export, 0).await;
    })
    .await;
}

#[tokio::test]
async fn what_stripe_refuses_and_what_a_learner_asks_for_changes_nothing() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let user = learner(world, EMAIL).await;
        let mut export = old_sales(world, user["user_id"].as_i64().unwrap()).await;
        // Nothing at Stripe has this reference, and no refund can be made by the other one.
        export.set(2, "payment", &json!({ "reference": "ch_2Unknown" }));
        export.order(&OldOrder::of(5, 7));
        export.set(5, "payment", &json!({ "processor": "stripe", "reference": "cs_5Session" }));
        let (done, said) = move_in(world, &export, SAME).await;
        assert!(done, "{said}");
        let told = "the account at stripe cannot refund it by the reference cs_5Session";
        assert_eq!(finding(&said, "payment", "OLD-100005").as_deref(), Some(told), "{said}");
        let own = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let unusable = moved_cart(world, "OLD-100005").await;
        refund(world, &own, &unusable, &json!({})).await.assert_problem(403, "forbidden");
        let unknown = moved_cart(world, "OLD-100002").await;
        refund(world, &own, &unknown, &json!({})).await.assert_problem(502, "gateway_error");

        let gone = moved_cart(world, "OLD-100001").await;
        world.at_provider("refund", "ch_1Old", json!({ "notify": false })).await;
        refund(world, &own, &gone, &json!({})).await.assert_problem(502, "gateway_error");
        let learners =
            refund_by_learner(world, &user, &moved_cart(world, "OLD-100003").await, &json!({})).await;
        assert!(
            learners.assert_problem(403, "forbidden").text.contains("ask the organisation"),
            "{}",
            learners.text
        );
        for cart in [&unknown, &gone] {
            assert_eq!(ledger(world, cart).await, [entry("captured", 14_900)]);
        }
        assert_eq!(count(world, "SELECT count(*) FROM refunds WHERE state = 'failed'").await, 2);
        assert_eq!(count(world, "SELECT count(*) FROM events WHERE type <> 'order.refund_failed'").await, 0);
    })
    .await;
}

#[tokio::test]
async fn what_both_shops_pay_back_is_booked_once_and_never_beyond_the_payment() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let user = learner(world, EMAIL).await;
        let mut export = old_sales(world, user["user_id"].as_i64().unwrap()).await;
        apply(world, &export, 4).await;
        let own = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;

        // The old shop refunds at the account: its notification comes first, the export later.
        let seen = moved_cart(world, "OLD-100001").await;
        world.at_provider("refund", "ch_1Old", json!({ "amount": 14_900 })).await;
        world.cart_becomes(&seen, "refunded").await;
        export.refund(1, "Complete", "149.00");
        export.set(1, "refunded", &json!({ "reference": at_stripe(world, "ch_1Old").await[0]["id"] }));

        // A part is paid back here, another one there, beside the account.
        let part = moved_cart(world, "OLD-100002").await;
        let here = refund(world, &own, &part, &json!({ "items": [], "amount": 50 })).await;
        assert_eq!(here.status, 200, "{}", here.text);
        export.refund(2, "Complete", "30.00");
        apply(world, &export, 1).await;
        assert_eq!(ledger(world, &seen).await, [entry("captured", 14_900), entry("refunded", -14_900)]);
        let both = [entry("captured", 14_900), entry("refunded", -5_000), entry("refunded", -3_000)];
        assert_eq!(ledger(world, &part).await, both);

        // More than is left cannot have come from this payment.
        export.change("refund", |refund| {
            if refund["order_id"] == 2 {
                refund["amount"] = json!("149.00");
            }
        });
        export.set(2, "payment", &json!({ "refunded": "149.00" }));
        apply(world, &export, 1).await;
        assert_eq!(ledger(world, &part).await[3..], [entry("refunded", -6_900)]);
        assert_eq!(order(world, &own, &part).await["status"], "refunded");
        apply(world, &export, 0).await;
    })
    .await;
}

#[tokio::test]
async fn a_refund_of_the_old_shop_without_its_reference_is_recognised_by_its_amount() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let user = learner(world, EMAIL).await;
        let mut export = old_sales(world, user["user_id"].as_i64().unwrap()).await;
        export.refund(1, "Complete", "49.00");
        for amount in [2_400, 2_500] {
            world.at_provider("refund", "ch_1Old", json!({ "amount": amount, "notify": false })).await;
        }
        // Without the events, nothing tells the provider's references.
        export.change("refunded", |event| event["order_id"] = json!(0));
        apply(world, &export, 4).await;
        let own = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let cart = moved_cart(world, "OLD-100003").await;
        // The worker reads the account's refunds of the payment as long as one of them has not arrived.
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        let asked = refund(world, &own, &cart, &json!({ "items": [], "amount": 20 })).await;
        assert_eq!(asked.json["status"], "accepted", "{}", asked.text);
        let newest = at_stripe(world, "ch_3Old").await.pop().unwrap();
        let path = format!("/_sim/refunds/{}/succeed", newest["id"].as_str().unwrap());
        world.sim(Method::POST, &path, Some(json!({ "notify": false }))).await;
        world.clock.advance(TimeDelta::minutes(2));
        world
            .eventually("the refund has arrived", async |world| {
                count(world, "SELECT count(*) FROM refunds WHERE state = 'succeeded' AND provider_reference IS NOT NULL").await == 2
            })
            .await;
        let once = [entry("captured", 14_900), entry("refunded", -4_900), entry("refunded", -2_000)];
        assert_eq!(ledger(world, &cart).await, once);
        assert_eq!(count(world, "SELECT count(*) FROM transactions WHERE alert IS NOT NULL").await, 0);

        // Those of other amounts may be parts of what the old shop has booked: a person compares.
        world.at_provider("refund", "ch_1Old", json!({ "amount": 1_000 })).await;
        world
            .eventually("a person is asked", async |world| {
                count(world, "SELECT count(*) FROM transactions WHERE alert LIKE '%compare them, it is not booked'").await == 1
            })
            .await;
        let parts = moved_cart(world, "OLD-100001").await;
        assert_eq!(ledger(world, &parts).await, [entry("captured", 14_900), entry("refunded", -4_900)]);
    })
    .await;
}

#[tokio::test]
async fn what_a_dispute_holds_of_an_intents_charge_is_not_gone() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let user = learner(world, EMAIL).await;
        let mut export = Export::default();
        export.user(7, user["user_id"].as_i64().unwrap(), EMAIL);
        export.order(&OldOrder::of(1, 7));
        // Stripe's notifications name the intent first; the old shop knows the charge.
        charged_with_stripe(world, &mut export, 1, "pi_1New").await;
        export.set(1, "payment", &json!({ "reference": "ch_1New" }));
        apply(world, &export, 1).await;
        let cart = moved_cart(world, "OLD-100001").await;
        world.at_provider("dispute", "pi_1New", json!({ "outcome": "opened" })).await;
        world.eventually("the money is taken", async |world| ledger(world, &cart).await.len() == 2).await;

        export.refund(1, "Complete", "30.00");
        apply(world, &export, 1).await;
        assert_eq!(world.status(&cart).await["status"], "fulfilled");
        world.at_provider("dispute", "pi_1New", json!({ "outcome": "won" })).await;
        world.eventually("the money is back", async |world| ledger(world, &cart).await.len() == 4).await;
        let moved = [
            entry("captured", 14_900),
            entry("chargeback", -14_900),
            entry("refunded", -3_000),
            entry("chargeback_reversed", 14_900),
        ];
        assert_eq!(ledger(world, &cart).await, moved);
        let own = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        assert_eq!(order(world, &own, &cart).await["status"], "fulfilled");
    })
    .await;
}

/// A refund at the account that has failed since was not the former shop's, and one that fails between two runs makes room.
#[tokio::test]
async fn a_refund_that_has_failed_makes_room_for_what_the_old_shop_paid_back() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let user = learner(world, EMAIL).await;
        let mut export = old_sales(world, user["user_id"].as_i64().unwrap()).await;
        apply(world, &export, 4).await;
        let own = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let cart = moved_cart(world, "OLD-100002").await;
        let here = refund(world, &own, &cart, &json!({ "items": [], "amount": 50 })).await;
        assert_eq!(here.status, 200, "{}", here.text);
        let back = at_stripe(world, "pi_2Old").await.pop().unwrap();
        export.set(2, "payment", &json!({ "refunded": "149.00" }));
        apply(world, &export, 1).await;
        world
            .sim(
                Method::POST,
                &format!("/_sim/refunds/{}/fail", back["id"].as_str().unwrap()),
                Some(json!({})),
            )
            .await;
        world.eventually("the refund has failed", async |world| ledger(world, &cart).await.len() == 4).await;
        apply(world, &export, 1).await;
        let moved = [
            entry("captured", 14_900),
            entry("refunded", -5_000),
            entry("refunded", -9_900),
            entry("refund_failed", 5_000),
            entry("refunded", -5_000),
        ];
        assert_eq!(ledger(world, &cart).await, moved);
        apply(world, &export, 0).await;
    })
    .await;
}

#[tokio::test]
async fn an_account_that_is_not_set_up_is_named() {
    world(Setup::without_workers(), async |world| {
        let mut export = Export::default();
        export.user(7, 5007, EMAIL);
        export.order(&OldOrder::of(1, 7));
        for gateway in ["stripe", "external"] {
            let (done, said) = move_in(world, &export, &["--apply", "--same-account", gateway]).await;
            let told = format!("the organisation has no account at {gateway}, which --same-account names");
            assert!(!done && said.contains(&told), "{said}");
        }
        let (done, said) = move_in(world, &export, &["--same-account", "paypal"]).await;
        assert!(!done && said.contains("is none of stripe, mollie"), "{said}");
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0);
    })
    .await;
}

#[tokio::test]
async fn the_console_shows_who_was_paid_what_is_known_and_the_refund_where_it_can_be_made() {
    world(with_console(), async |world| {
        world.sell().await;
        let user = learner(world, EMAIL).await;
        let export = old_sales(world, user["user_id"].as_i64().unwrap()).await;
        apply(world, &export, 4).await;
        let cookie = staff(world, SHOP.short_name, "noor@example.com", &["support", "finance"]).await;
        let page = async |number: &str, path: &str| {
            let id = moved_cart(world, number).await;
            look(world, &cookie, &format!("/console/northwind/orders/{id}/{path}")).await.text
        };
        let record = page("OLD-100004", "").await;
        assert!(record.contains("<bdi>paypal</bdi>") && !record.contains("External"), "{record}");
        assert!(record.contains("a record without actions") && !record.contains("/refund/\"><"), "{record}");
        let part = page("OLD-100003", "").await;
        assert!(part.contains("<dd>Stripe</dd>") && part.contains("it can be refunded here"), "{part}");
        for known in [
            "The order was placed.",
            "The payment arrived.",
            "Of the payment, $49.00 is refunded now.",
            "old.example.com",
        ] {
            assert!(part.contains(known), "{known}: {part}");
        }
        for day in ["2021-03-04T10:00:00", "2021-03-10T10:00:00"] {
            assert!(part.contains(&format!("<time datetime=\"{day}")), "{day}: {part}");
        }
        let asked = page("OLD-100003", "refund/").await;
        assert!(
            asked.contains("All access stays") && asked.contains("The buyer gets no mail from here"),
            "{asked}"
        );
    })
    .await;
}
