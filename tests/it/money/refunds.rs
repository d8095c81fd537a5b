//! Refunds over HTTP: by an organisation's key and by learners, through all four gateways.

use harness::steps::demo::{PAID_KEY, UNKNOWN_ID};
use harness::steps::learner_cart::learner;
use harness::steps::learner_checkout::checkout;
use harness::steps::organisation_keys::key;
use harness::steps::payment_commands::{payments_calling, refuses};
use harness::steps::payments::{EMAIL, begun, cart_id, count, reference};
use harness::steps::refunds::{
    bought, entry, ledger, order, other_course, path, refund, refund_again, stripe_refuses, three_lines,
};
use harness::steps::tax::cents;
use harness::{ORGANISATIONS, Reply, Setup, World, at_each_gateway, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use uuid::Uuid;

/// The same by a signed-in learner.
pub async fn refund_by_learner(world: &World, user: &Value, cart: &str, body: &Value) -> Reply {
    let cookie = format!("sessionid={}", user["sessionid"].as_str().unwrap());
    let request = world.http.post(world.url(&path(cart))).json(body).header("origin", "http://store.test");
    Reply::read(request.header("cookie", cookie).header("idempotency-key", Uuid::now_v7().to_string())).await
}

#[tokio::test]
async fn a_full_refund_pays_back_ends_the_access_and_is_booked_once() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        at_each_gateway(async |organisation| {
            let key = key(world, organisation.short_name, &[Scope::Refunds, Scope::Orders]).await;
            let (cart, reference) = bought(world, organisation, EMAIL).await;
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, true).await;
            let asked =
                refund_again(world, &key, &cart, &json!({ "reason": "changed their mind" }), "one").await;
            assert_eq!(asked.status, 200, "{}", asked.text);
            let total = organisation.subunits as f64 / 100.0;
            assert_eq!(
                (asked.json["amount"].as_f64(), asked.json["remaining"].as_f64()),
                (Some(total), Some(0.0))
            );
            assert_eq!(
                asked.json["items"],
                json!([{ "position": 0, "amount": asked.json["amount"], "access_ended": true }])
            );
            world.cart_becomes(&cart, "refunded").await;
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, false).await;
            // The provider's own webhooks report the same refund.
            let payment = world.payment(&cart).await;
            assert_eq!(
                (&payment["refunded"], &payment["reference"]),
                (&json!(organisation.subunits), &json!(reference))
            );
            let again =
                refund_again(world, &key, &cart, &json!({ "reason": "changed their mind" }), "one").await;
            assert_eq!((again.status, &again.json["refund_id"]), (200, &asked.json["refund_id"]));
            world
                .eventually("every event is processed", async |world| {
                    count(world, "SELECT count(*) FROM inbox WHERE processed_at IS NULL").await == 0
                })
                .await;
            let booked =
                [entry("captured", organisation.subunits), entry("refunded", -organisation.subunits)];
            assert_eq!(ledger(world, &cart).await, booked);
            let order = order(world, &key, &cart).await;
            assert_eq!(
                (&order["status"], order["refunded_amount"].as_f64()),
                (&json!("refunded"), Some(total))
            );
            assert_eq!(order["refunds"][0]["reason"], "changed their mind");
        })
        .await;
        world
            .eventually("a mail reports each refund", async |world| {
                let mails = world.emails(EMAIL).await;
                mails.iter().filter(|mail| mail["subject"].as_str().unwrap().contains("refund")).count() == 4
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn lines_amounts_and_goodwill_are_refunded_apart() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let key = key(world, "northwind", &[Scope::Refunds, Scope::Orders]).await;
        let (cart, _) = three_lines(world, EMAIL).await;
        let order_of = async || order(world, &key, &cart).await;
        let total = order_of().await["total_price"].as_f64().unwrap();
        let price = |order: &Value, line: usize| order["items"][line]["price"].as_f64().unwrap();
        // Goodwill: spread over the lines that cost something, and no access ends.
        let goodwill = refund(world, &key, &cart, &json!({ "items": [], "amount": 10.01 })).await;
        assert_eq!(
            (goodwill.status, goodwill.json["refunded_amount"].as_f64()),
            (200, Some(10.01)),
            "{}",
            goodwill.text
        );
        let lines = goodwill.json["items"].as_array().unwrap();
        assert!(
            lines.len() == 2 && lines.iter().all(|line| line["access_ended"] == false),
            "{}",
            goodwill.text
        );
        // A line that cost nothing ends access alone; no provider is asked.
        let free = refund(world, &key, &cart, &json!({ "items": [1] })).await;
        assert_eq!(
            (free.status, free.json["amount"].as_f64(), &free.json["status"]),
            (200, Some(0.0), &json!("succeeded"))
        );
        // A part of a line, with its access.
        let part = refund(world, &key, &cart, &json!({ "items": [0], "amount": 100 })).await;
        assert_eq!(part.json["items"][0]["access_ended"], true, "{}", part.text);
        world.platform_agrees(EMAIL, PAID_KEY, "verified", false).await;
        let order = order_of().await;
        let left: f64 = price(&order, 2) - order["items"][2]["refunded_amount"].as_f64().unwrap();
        assert_eq!(order["status"], "fulfilled");
        let states: Vec<&Value> = (0..3).map(|line| &order["items"][line]["enrollment_state"]).collect();
        assert_eq!(states, [&json!("removed"), &json!("removed"), &json!("enrolled")]);
        // What is left of one line, then all that is left.
        let rest = refund(world, &key, &cart, &json!({ "items": [2] })).await;
        assert!((rest.json["amount"].as_f64().unwrap() - left).abs() < 0.001, "{} {left}", rest.text);
        let all = refund(world, &key, &cart, &json!({})).await;
        assert_eq!(all.json["refunded_amount"].as_f64(), Some(total), "{}", all.text);
        world.cart_becomes(&cart, "refunded").await;
        let nothing = refund(world, &key, &cart, &json!({})).await;
        assert_eq!(nothing.assert_problem(400, "invalid_request").faulty_fields(), ["cart_id"]);
        let payment = world.payment(&cart).await;
        assert_eq!(payment["refunded"], payment["captured"]);
        let sum: i64 = ledger(world, &cart).await.iter().map(|(_, minor)| minor).sum();
        assert_eq!(sum, 0);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_refunded_is_refused_and_nothing_is_written() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let northwind = &ORGANISATIONS[0];
        let own = key(world, "northwind", &[Scope::Refunds]).await;
        let (cart, _) = bought(world, northwind, EMAIL).await;
        let (unpaid, _) = begun(world, northwind, "eve@example.com").await;
        for (body, fields) in [
            (json!({ "amount": 5 }), vec!["amount"]),
            (json!({ "items": [] }), vec!["items"]),
            (json!({ "items": [1] }), vec!["items[0]"]),
            (json!({ "items": [0, 0] }), vec!["items[1]"]),
            (
                json!({ "items": [-1, 1.5, "0", null, 4_294_967_296_u64] }),
                vec!["items[0]", "items[1]", "items[2]", "items[3]", "items[4]"],
            ),
            (json!({ "items": 0 }), vec!["items"]),
            (json!({ "items": vec![0; 51] }), vec!["items"]),
            (json!({ "items": [0], "amount": 0 }), vec!["amount"]),
            (json!({ "items": [0], "amount": -1 }), vec!["amount"]),
            (json!({ "items": [0], "amount": 0.001 }), vec!["amount"]),
            (json!({ "items": [0], "amount": 1e30 }), vec!["amount"]),
            (json!({ "items": [0], "amount": "5" }), vec!["amount"]),
            (json!({ "items": [0], "amount": 199.01 }), vec!["amount"]),
            (json!({ "reason": "x".repeat(201) }), vec!["reason"]),
            (json!({ "reason": "a\u{0}b" }), vec!["reason"]),
            (json!({ "despite_dispute": "yes" }), vec!["despite_dispute"]),
            (json!({ "currency": "USD" }), vec!["currency"]),
        ] {
            let refused = refund(world, &own, &cart, &body).await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), fields, "{body}");
        }
        let refused = refund(world, &own, &unpaid, &json!({})).await;
        assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["cart_id"]);
        // Without a key that makes repeats harmless.
        let request =
            world.http.post(world.url(&path(&cart))).json(&json!({})).header("organisationapikey", &own);
        let refused = Reply::read(request).await;
        assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["Idempotency-Key"]);
        refund(world, &own, UNKNOWN_ID, &json!({})).await.assert_problem(404, "not_found");
        // Another organisation's key, and one without the scope.
        let other = key(world, "lindgren", &[Scope::Refunds]).await;
        refund(world, &other, &cart, &json!({})).await.assert_problem(404, "not_found");
        let reader = key(world, "northwind", &[Scope::Orders]).await;
        refund(world, &reader, &cart, &json!({})).await.assert_problem(403, "forbidden");
        world.post(&path(&cart), &json!({})).await.assert_problem(401, "unauthenticated");
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 0);
    })
    .await;
}

#[tokio::test]
async fn one_idempotency_key_is_one_refund_and_the_providers_refusal_changes_nothing() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let own = key(world, "northwind", &[Scope::Refunds]).await;
        let (cart, reference) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let first = refund_again(world, &own, &cart, &json!({ "items": [0], "amount": 5 }), "k").await;
        assert_eq!(first.status, 200, "{}", first.text);
        let second = refund_again(world, &own, &cart, &json!({ "items": [0], "amount": 6 }), "k").await;
        second.assert_problem(422, "idempotency_mismatch");
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 1);
        let payment = world.payment(&cart).await;
        assert_eq!((&payment["refunded"], &payment["reference"]), (&json!(500), &json!(reference)));
        // The provider refuses, and nothing has changed.
        stripe_refuses(world).await;
        refund(world, &own, &cart, &json!({ "items": [0], "amount": 1 }))
            .await
            .assert_problem(502, "gateway_error");
        world.no_faults().await;
        assert_eq!(world.transaction(&cart).await.1, 500);
        let again = refund(world, &own, &cart, &json!({})).await;
        assert_eq!((again.status, again.json["remaining"].as_f64()), (200, Some(0.0)), "{}", again.text);
    })
    .await;
}

#[tokio::test]
async fn the_buyer_is_told_of_a_refund_with_its_lines_and_amounts() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Refunds, Scope::Orders]).await;
        let (cart, _) = three_lines(world, EMAIL).await;
        let items = order(world, &key, &cart).await["items"].clone();
        let name = |line: usize| items[line]["name"].as_str().unwrap();
        let refunded = refund(world, &key, &cart, &json!({ "items": [0], "amount": 120.5 })).await;
        assert_eq!(refunded.status, 200, "{}", refunded.text);
        let told = async |world: &World| {
            let mails = world.emails(EMAIL).await;
            mails
                .into_iter()
                .filter(|mail| mail["subject"].as_str().unwrap().starts_with("Your refund from Northwind"))
                .collect::<Vec<_>>()
        };
        world.eventually("a mail reports the refund", async |world| !told(world).await.is_empty()).await;
        let text = told(world).await[0]["text"].as_str().unwrap().to_owned();
        for part in ["has refunded $120.50", &format!("{}: $120.50", name(0)), &cart] {
            assert!(text.contains(part), "{part:?}: {text}");
        }
        assert!(!text.contains(name(2)), "{text}");
        // What pays nothing back needs no mail.
        assert_eq!(refund(world, &key, &cart, &json!({ "items": [1] })).await.status, 200);
        let rest = refund(world, &key, &cart, &json!({ "items": [2] })).await;
        let amount = format!("{}: ${:.2}", name(2), rest.json["amount"].as_f64().unwrap());
        world.eventually("a second mail", async |world| told(world).await.len() == 2).await;
        let mails = told(world).await;
        assert!(mails.iter().any(|mail| mail["text"].as_str().unwrap().contains(&amount)), "{mails:?}");
        assert!(mails.iter().all(|mail| !mail["text"].as_str().unwrap().contains(name(1))), "{mails:?}");
    })
    .await;
}

#[tokio::test]
async fn a_learner_refunds_their_own_lines_within_the_window() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        // Its webhooks carry no time, so they count after the clock has moved.
        let lindgren = &ORGANISATIONS[1];
        let user = world.platform_user(EMAIL).await;
        let other = world.platform_user("eve@example.com").await;
        let checkout = world.learner_checkout(lindgren, &user).await;
        let cart = cart_id(&checkout).to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        let never = refund_by_learner(world, &user, &cart, &json!({})).await;
        never.assert_problem(403, "forbidden");
        let starts = "UPDATE courses SET starts_at = now() - interval '1 year' WHERE id = $1::uuid";
        sqlx::query(starts).bind(lindgren.course).execute(&world.db).await.unwrap();
        sqlx::query("UPDATE organisations SET refund_days = 14").execute(&world.db).await.unwrap();
        refund_by_learner(world, &other, &cart, &json!({})).await.assert_problem(404, "not_found");
        let amount = refund_by_learner(world, &user, &cart, &json!({ "items": [0], "amount": 5 })).await;
        assert_eq!(amount.assert_problem(400, "invalid_request").faulty_fields(), ["amount"]);
        // Not with a certificate, and not while the platform does not say.
        world.platform_agrees(EMAIL, lindgren.key, "verified", true).await;
        let certificate = json!({ "email": EMAIL, "course_id": lindgren.key, "status": "downloadable" });
        world.sim(Method::POST, "/_sim/certificates", Some(certificate)).await;
        let earned = refund_by_learner(world, &user, &cart, &json!({})).await;
        assert!(earned.assert_problem(403, "forbidden").text.contains("certificate"), "{}", earned.text);
        world.fault(json!({ "target": "platform", "path": "certificates", "kind": "status", "status": 503, "count": 3 })).await;
        refund_by_learner(world, &user, &cart, &json!({})).await.assert_problem(503, "unavailable");
        world.no_faults().await;
        let certificate = json!({ "email": EMAIL, "course_id": lindgren.key, "status": "notpassing" });
        world.sim(Method::POST, "/_sim/certificates", Some(certificate)).await;
        world.clock.advance(chrono::TimeDelta::days(15));
        let late = refund_by_learner(world, &user, &cart, &json!({})).await;
        assert!(late.assert_problem(403, "forbidden").text.contains("until"), "{}", late.text);
        world.clock.advance(chrono::TimeDelta::days(-2));
        let refunded = refund_by_learner(world, &user, &cart, &json!({ "reason": "too hard" })).await;
        assert_eq!((refunded.status, refunded.json["remaining"].as_f64()), (200, Some(0.0)), "{}", refunded.text);
        world.cart_becomes(&cart, "refunded").await;
        // A guest's order belongs to the learner who has proved its address.
        let (guests, _) = bought(world, lindgren, EMAIL).await;
        refund_by_learner(world, &other, &guests, &json!({})).await.assert_problem(404, "not_found");
        assert_eq!(refund_by_learner(world, &user, &guests, &json!({})).await.status, 200);
    })
    .await;
}

/// Lets the organisations' learners refund for two weeks what has begun long ago.
pub async fn open_window(world: &World) {
    for statement in [
        "UPDATE courses SET starts_at = now() - interval '1 year'",
        "UPDATE organisations SET refund_days = 14",
    ] {
        sqlx::query(statement).execute(&world.db).await.unwrap();
    }
}

#[tokio::test]
async fn a_learner_takes_back_nothing_that_the_organisation_has_kept_of_a_refund() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        open_window(world).await;
        let shop = &ORGANISATIONS[3];
        let key = key(world, shop.short_name, &[Scope::Refunds, Scope::Orders]).await;
        let user = learner(world, EMAIL).await;
        let mut body = world.basket(shop).await;
        let other = other_course(world, shop).await;
        let second = json!({ "type": "course", "id": other, "mode": "verified" });
        body["items"].as_array_mut().unwrap().push(second);
        let begun = checkout(world, &user, &body, &[]).await;
        let cart = cart_id(&begun).to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        // A fee of 29.90 is kept.
        let fee = refund(world, &key, &cart, &json!({ "items": [0], "amount": 100 })).await;
        assert_eq!(fee.status, 200, "{}", fee.text);
        let lines = order(world, &key, &cart).await["items"].clone();
        assert!(lines[0]["refundable_until"].is_null() && !lines[1]["refundable_until"].is_null(), "{lines}");
        for items in [json!([0]), json!([0, 1])] {
            let refused = refund_by_learner(world, &user, &cart, &json!({ "items": items })).await;
            assert!(
                refused.assert_problem(403, "forbidden").text.contains("has been refunded"),
                "{}",
                refused.text
            );
        }
        // All that is left is the other line.
        let rest = refund_by_learner(world, &user, &cart, &json!({})).await;
        assert_eq!((rest.status, cents(&rest.json["remaining"])), (200, 2_990), "{}", rest.text);
        assert_eq!(rest.json["items"].as_array().unwrap().len(), 1, "{}", rest.text);
        assert_eq!(rest.json["items"][0]["position"], 1);
        let nothing = refund_by_learner(world, &user, &cart, &json!({})).await;
        assert_eq!(nothing.assert_problem(400, "invalid_request").faulty_fields(), ["cart_id"]);
        assert_eq!(world.status(&cart).await["status"], "fulfilled");
        let kept = order(world, &key, &cart).await;
        assert_eq!(cents(&kept["total_price"]) - cents(&kept["refunded_amount"]), 2_990, "{kept}");
        // The organisation can still give it back.
        let all = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!((all.status, cents(&all.json["remaining"])), (200, 0), "{}", all.text);
    })
    .await;
}

#[tokio::test]
async fn while_a_dispute_is_open_a_refund_needs_a_flag_and_a_learner_gets_none() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        open_window(world).await;
        // Neither refuses to refund what is disputed.
        for shop in &ORGANISATIONS[2..] {
            let key = key(world, shop.short_name, &[Scope::Refunds, Scope::Orders]).await;
            let user = learner(world, &format!("{}@example.com", shop.short_name)).await;
            let begun = world.learner_checkout(shop, &user).await;
            let cart = cart_id(&begun).to_owned();
            let payment = reference(&world.payment(&cart).await).to_owned();
            world.at_provider("pay", &payment, json!({})).await;
            world.cart_becomes(&cart, "fulfilled").await;
            world.at_provider("dispute", &payment, json!({ "outcome": "opened" })).await;
            world.eventually("the dispute is known", async |world| world.transaction(&cart).await.2.is_some()).await;

            let refused = refund_by_learner(world, &user, &cart, &json!({})).await;
            assert!(refused.assert_problem(403, "forbidden").text.contains("dispute"), "{}", refused.text);
            let flagged = refund_by_learner(world, &user, &cart, &json!({ "despite_dispute": true })).await;
            assert_eq!(flagged.assert_problem(400, "invalid_request").faulty_fields(), ["despite_dispute"]);
            for body in [json!({}), json!({ "despite_dispute": false })] {
                let refused = refund(world, &key, &cart, &body).await;
                assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["despite_dispute"]);
            }
            let words = ["refund", &cart, "--line=0", "--amount=5", "--reason", "agreed", "--by", "Mira"];
            refuses(&payments_calling(world, &words).await, "despite_dispute");
            let stored = sqlx::query_scalar::<_, i64>(
                "SELECT count(*) FROM refunds r JOIN transactions t ON t.id = r.transaction_id WHERE t.cart_id = $1::uuid",
            );
            assert_eq!(stored.bind(&cart).fetch_one(&world.db).await.unwrap(), 0);
            let (done, said) = payments_calling(world, &[&words[..], &["--despite-dispute"]].concat()).await;
            assert!(done, "{said}");
            let body = json!({ "items": [0], "amount": 1, "despite_dispute": true });
            let once = refund_again(world, &key, &cart, &body, "once").await;
            assert_eq!(once.status, 200, "{}", once.text);
            // Decided for the seller: as before.
            world.at_provider("dispute", &payment, json!({ "outcome": "won" })).await;
            let won = "SELECT count(*) FROM disputes WHERE state = 'open'";
            world.eventually("the dispute is won", async |world| count(world, won).await == 0).await;
            let rest = refund(world, &key, &cart, &json!({})).await;
            assert_eq!((rest.status, cents(&rest.json["remaining"])), (200, 0), "{}", rest.text);
        }
    })
    .await;
}
