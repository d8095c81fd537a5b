//! Refunds that meet each other, lose their answers, fail later, or are made at the provider's dashboard.

use chrono::TimeDelta;
use harness::steps::learner_cart::learner;
use harness::steps::organisation_keys::key;
use harness::steps::payment_commands::payments_calling;
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::steps::refunds::{at_provider, bought, entry, ledger, order, refund, refund_again, three_lines};
use harness::steps::worker_program::operator;
use harness::{ORGANISATIONS, Setup, World, at_each_gateway, world};
use reqwest::Method;
use serde_json::json;
use shared::organisation_key::Scope;

use crate::refunds::{open_window, refund_by_learner};

#[tokio::test]
#[ignore = "slow"]
async fn ten_full_refunds_of_one_order_at_once_pay_once() {
    world(Setup { workers: 2, ..Setup::selling() }, async |world| {
        world.sell().await;
        at_each_gateway(async |organisation| {
            let key = key(world, organisation.short_name, &[Scope::Refunds]).await;
            let (cart, _) = bought(world, organisation, EMAIL).await;
            let all = json!({});
            let asked = (0..10).map(|_| refund(world, &key, &cart, &all));
            let replies = futures_util::future::join_all(asked).await;
            let paid = replies.iter().filter(|reply| reply.status == 200).count();
            let refused: Vec<u16> =
                replies.iter().map(|reply| reply.status).filter(|it| *it != 200).collect();
            assert!(
                paid == 1 && refused.iter().all(|status| [400, 409].contains(status)),
                "{paid} {refused:?}"
            );
            assert_eq!(at_provider(world, &cart).await.len(), 1);
            let booked =
                [entry("captured", organisation.subunits), entry("refunded", -organisation.subunits)];
            assert_eq!(ledger(world, &cart).await, booked);
        })
        .await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_refund_whose_answer_is_lost_is_found_and_paid_once() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let key = key(world, organisation.short_name, &[Scope::Refunds, Scope::Orders]).await;
            let (cart, _) = bought(world, organisation, EMAIL).await;
            let target = organisation.gateway.name();
            let lost = json!({ "target": target, "path": "refund", "kind": "lost_answer", "count": 2 });
            world.fault(lost).await;
            // Nothing reports the refund but the provider itself, when asked.
            world.fault(json!({ "target": target, "kind": "drop_notification", "count": 10 })).await;
            let asked = refund_again(world, &key, &cart, &json!({}), "lost").await;
            assert_eq!((asked.status, &asked.json["status"]), (202, &json!("asked")), "{}", asked.text);
            assert_eq!(asked.json["items"][0]["access_ended"], false);
            let meanwhile = refund(world, &key, &cart, &json!({})).await;
            meanwhile.assert_problem(409, "in_progress");
            world.clock.advance(TimeDelta::minutes(2));
            world.cart_becomes(&cart, "refunded").await;
            let found = refund_again(world, &key, &cart, &json!({}), "lost").await;
            assert_eq!((found.status, &found.json["refund_id"]), (200, &asked.json["refund_id"]));
            assert_eq!(at_provider(world, &cart).await.len(), 1);
            assert_eq!(ledger(world, &cart).await.len(), 2);
            world.no_faults().await;
        }
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_refund_that_fails_after_three_days_is_taken_back_and_can_be_made_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        for organisation in &ORGANISATIONS {
            let key = key(world, organisation.short_name, &[Scope::Refunds, Scope::Orders]).await;
            let (cart, _) = bought(world, organisation, EMAIL).await;
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, true).await;
            let asked = refund(world, &key, &cart, &json!({})).await;
            assert_eq!((asked.status, &asked.json["status"]), (200, &json!("accepted")), "{}", asked.text);
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, false).await;
            world.clock.advance(TimeDelta::days(3));
            let id = at_provider(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
            let fail = json!({ "notify": organisation.gateway.name() != "mollie" });
            world.sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), Some(fail)).await;
            // Mollie's notice is lost: the next check finds it.
            world.clock.advance(TimeDelta::days(1));
            world
                .eventually("the refund has failed", async |world| {
                    order(world, &key, &cart).await["refunds"][0]["status"] == "failed"
                })
                .await;
            let subunits = organisation.subunits;
            let booked = vec![
                entry("captured", subunits),
                entry("refunded", -subunits),
                entry("refund_failed", subunits),
            ];
            assert_eq!(ledger(world, &cart).await, booked);
            let (state, refunded, alert) = world.transaction(&cart).await;
            assert_eq!((state.as_str(), refunded), ("succeeded", 0));
            assert!(alert.unwrap().contains("has failed"));
            // The access stays ended until an operator decides.
            assert_eq!(world.status(&cart).await["status"], "refunded");
            let seen = world.on_platform(EMAIL, organisation.key).await.unwrap();
            assert_eq!(seen["is_active"], false);
            let words = ["payments", "restore", &cart, "--reason", "bank details were wrong", "--by", "Mira"];
            let (done, said) = operator(world, &words, &["database-url"]).await;
            assert!(done, "{said}");
            world.cart_becomes(&cart, "fulfilled").await;
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, true).await;
            let again = refund(world, &key, &cart, &json!({})).await;
            assert_eq!(again.status, 200, "{}", again.text);
            world.cart_becomes(&cart, "refunded").await;
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, false).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_refund_that_arrives_after_a_month_ends_its_alert() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        let shop = &ORGANISATIONS[0];
        let key = key(world, shop.short_name, &[Scope::Refunds]).await;
        let (cart, _) = bought(world, shop, EMAIL).await;
        assert_eq!(refund(world, &key, &cart, &json!({})).await.status, 200);
        world.clock.advance(TimeDelta::days(31));
        world
            .eventually("an operator shall ask the provider", async |world| {
                world.transaction(&cart).await.2.is_some_and(|alert| alert.contains("has not arrived"))
            })
            .await;
        let id = at_provider(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
        world.sim(Method::POST, &format!("/_sim/refunds/{id}/succeed"), Some(json!({}))).await;
        let (done, said) = payments_calling(world, &["check", &cart]).await;
        assert!(done, "{said}");
        world.eventually("the alert ends", async |world| world.transaction(&cart).await.2.is_none()).await;
    })
    .await;
}

#[tokio::test]
async fn a_learner_whose_refund_has_failed_can_ask_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        open_window(world).await;
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        at_each_gateway(async |shop| {
            let key = key(world, shop.short_name, &[Scope::Orders]).await;
            let user = learner(world, &format!("{}@example.com", shop.short_name)).await;
            let begun = world.learner_checkout(shop, &user).await;
            let cart = cart_id(&begun).to_owned();
            world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
            world.cart_becomes(&cart, "fulfilled").await;
            let ask = async || refund_by_learner(world, &user, &cart, &json!({ "items": [0] })).await;
            let until = async || order(world, &key, &cart).await["items"][0]["refundable_until"].clone();
            let asked = ask().await;
            assert_eq!((asked.status, &asked.json["status"]), (200, &json!("accepted")), "{}", asked.text);
            // Not while it is on its way.
            assert!(ask().await.assert_problem(403, "forbidden").text.contains("has been refunded"));
            assert!(until().await.is_null());
            let id = at_provider(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
            world.sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), Some(json!({}))).await;
            let has_failed =
                async |world: &World| order(world, &key, &cart).await["refunds"][0]["status"] == "failed";
            world.eventually("the refund has failed", has_failed).await;
            assert!(until().await.is_string());
            let certificate =
                |status: &str| json!({ "email": user["email"], "course_id": shop.key, "status": status });
            world.sim(Method::POST, "/_sim/certificates", Some(certificate("downloadable"))).await;
            assert!(ask().await.assert_problem(403, "forbidden").text.contains("certificate"));
            world.sim(Method::POST, "/_sim/certificates", Some(certificate("notpassing"))).await;
            let again = ask().await;
            assert_eq!((again.status, again.json["remaining"].as_f64()), (200, Some(0.0)), "{}", again.text);
            assert!(ask().await.assert_problem(403, "forbidden").text.contains("has been refunded"));
            assert!(until().await.is_null());
            assert_eq!(world.transaction(&cart).await.1, shop.subunits);
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn what_rounding_leaves_of_each_line_goes_back_with_the_last_one() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        // Stripe counts this currency in steps of ten.
        for statement in [
            "UPDATE organisations SET currency = 'KWD' WHERE short_name = 'northwind'",
            "UPDATE course_modes m SET currency = 'KWD', price = CASE WHEN m.price > 0 THEN 3335 ELSE 0 END
             FROM courses c JOIN organisations o ON o.id = c.organisation_id
             WHERE c.id = m.course_id AND o.short_name = 'northwind'",
        ] {
            sqlx::query(statement).execute(&world.db).await.unwrap();
        }
        let key = key(world, "northwind", &[Scope::Refunds, Scope::Orders]).await;
        let (cart, _) = three_lines(world, EMAIL).await;
        let one = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!((one.status, one.json["amount"].as_f64()), (200, Some(3.33)), "{}", one.text);
        assert_eq!(one.json["remaining"].as_f64(), Some(3.34));
        let rest = refund(world, &key, &cart, &json!({ "items": [2] })).await;
        assert_eq!((rest.status, rest.json["amount"].as_f64()), (200, Some(3.34)), "{}", rest.text);
        assert_eq!(rest.json["remaining"].as_f64(), Some(0.0));
        world.cart_becomes(&cart, "refunded").await;
        let payment = world.payment(&cart).await;
        assert_eq!(payment["refunded"], payment["captured"]);
        let order = order(world, &key, &cart).await;
        let lines = [0, 2].map(|line| order["items"][line]["refunded_amount"].as_f64().unwrap());
        assert_eq!(lines, [3.335, 3.335], "{order}");
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn refunds_of_the_dashboard_are_adopted_and_end_access_once_all_is_back() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        at_each_gateway(async |organisation| {
            let key = key(world, organisation.short_name, &[Scope::Refunds, Scope::Orders]).await;
            let (cart, reference) = bought(world, organisation, EMAIL).await;
            world.at_provider("refund", &reference, json!({ "amount": 1000 })).await;
            world
                .eventually("the refund is adopted", async |world| world.transaction(&cart).await.1 == 1000)
                .await;
            assert_eq!(world.status(&cart).await["status"], "fulfilled");
            let order = order(world, &key, &cart).await;
            assert_eq!(order["refunds"].as_array().unwrap().len(), 1);
            // Ours takes what is left, and no more.
            let rest = refund(world, &key, &cart, &json!({})).await;
            let left = (organisation.subunits - 1000) as f64 / 100.0;
            assert_eq!((rest.status, rest.json["amount"].as_f64()), (200, Some(left)), "{}", rest.text);
            world.cart_becomes(&cart, "refunded").await;
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, false).await;
        })
        .await;
        assert_eq!(count(world, "SELECT count(*) FROM refunds WHERE origin = 'provider'").await, 4);
    })
    .await;
}

#[tokio::test]
async fn a_refund_that_is_made_before_the_failure_of_another_one_is_known_is_booked_in_full() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        // Mollie takes an equal refund for a duplicate.
        for shop in [&ORGANISATIONS[0], &ORGANISATIONS[2], &ORGANISATIONS[3]] {
            let key = key(world, shop.short_name, &[Scope::Refunds, Scope::Orders]).await;
            let (cart, reference) = bought(world, shop, EMAIL).await;
            let target = shop.gateway.name();
            // The provider is asked only where the test says so.
            sqlx::query("UPDATE transactions SET next_check_at = NULL").execute(&world.db).await.unwrap();
            world
                .fault(json!({ "target": target, "path": "refund", "kind": "status", "status": 503, "count": 10 }))
                .await;
            let asked = refund(world, &key, &cart, &json!({})).await;
            assert_eq!((asked.status, &asked.json["status"]), (202, &json!("asked")), "{}", asked.text);
            world.no_faults().await;
            // The dashboard's takes all, while ours has reserved all of the lines.
            world.at_provider("refund", &reference, json!({ "notify": false })).await;
            let check = async || {
                let (done, said) = payments_calling(world, &["check", &cart]).await;
                assert!(done, "{said}");
            };
            check().await;
            let subunits = shop.subunits;
            assert_eq!(world.transaction(&cart).await, ("refunded".to_owned(), subunits, None));
            let id = at_provider(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
            let silent = Some(json!({ "notify": false }));
            world.sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), silent).await;
            world.fault(json!({ "target": target, "kind": "drop_notification", "count": 10 })).await;
            world.clock.advance(TimeDelta::minutes(2));
            world
                .eventually("ours is made", async |world| {
                    let order = order(world, &key, &cart).await;
                    let refunds = order["refunds"].as_array().unwrap();
                    refunds.len() == 2 && refunds.iter().all(|refund| refund["status"] == "succeeded")
                })
                .await;
            world.no_faults().await;
            let mut booked = vec![entry("captured", subunits), entry("refunded", -subunits)];
            assert_eq!(ledger(world, &cart).await, booked);
            check().await;
            booked.extend([entry("refund_failed", subunits), entry("refunded", -subunits)]);
            assert_eq!(ledger(world, &cart).await, booked);
            let (state, refunded, alert) = world.transaction(&cart).await;
            assert_eq!((state.as_str(), refunded), ("refunded", subunits));
            assert!(alert.unwrap().contains("has failed"));
            assert_eq!(world.payment(&cart).await["refunded"], subunits);
            assert_eq!(world.status(&cart).await["status"], "refunded");
        }
    })
    .await;
}
