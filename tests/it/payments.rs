//! Paid baskets of guests and learners, through all four gateways.

use reqwest::Method;
use serde_json::{Value, json};
use shared::gateway::Gateway;
use tests::harness::{GUEST_CHECKOUT, Reply, SHOPS, Setup, Shop, World, world};

use crate::{FREE_COURSE, PAID_COURSE};

const EMAIL: &str = "ada@example.com";

fn selling() -> Setup {
    Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::default() }
}

async fn count(world: &World, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(&world.db).await.unwrap()
}

fn reference(payment: &Value) -> &str {
    payment["reference"].as_str().unwrap()
}

fn cart_id(reply: &Reply) -> &str {
    assert_eq!((reply.status, &reply.json["status"]), (200, &json!("success")), "{}", reply.text);
    reply.json["cart_id"].as_str().unwrap()
}

fn major(shop: &Shop) -> f64 {
    f64::from(u32::try_from(shop.subunits).unwrap()) / 100.0
}

/// What the answer holds for the gateway's own page or script.
fn assert_can_pay(shop: &Shop, reply: &Reply, payment: &Value) {
    let (answer, reference) = (&reply.json, &payment["reference"]);
    match shop.gateway {
        Gateway::Stripe => {
            let secret = answer["client_secret"].as_str().unwrap();
            assert!(secret.starts_with(reference.as_str().unwrap()), "{secret}");
            assert_eq!(answer["publishable_key"], "pk_northwind");
        }
        Gateway::Mollie => {
            assert_eq!(&answer["payment_id"], reference);
            assert!(answer["redirect_url"].as_str().unwrap().contains("/mollie/checkout/tr_"));
        }
        Gateway::Razorpay | Gateway::Curlec => {
            assert_eq!(&answer["order_id"], reference);
            let key = format!("rzp_test_demo_{}", shop.organisation);
            assert_eq!((&answer["key_id"], &answer["amount"]), (&json!(key), &json!(shop.subunits)));
        }
    }
}

#[tokio::test]
async fn each_gateway_sells_to_a_guest_and_access_follows_the_signed_notification() {
    world(selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        for shop in &SHOPS {
            let reply = world.guest_checkout(shop, EMAIL).await;
            let cart = cart_id(&reply);
            let payment = world.payment(cart).await;
            assert_can_pay(shop, &reply, &payment);
            let answer = &reply.json;
            assert_eq!(answer["gateway"], shop.gateway.name());
            assert_eq!(
                (answer["total_price"].as_f64(), &answer["currency"]),
                (Some(major(shop)), &json!(shop.currency))
            );
            let item = &answer["items_detail"][0];
            assert_eq!(
                (&item["type"], &item["id"], &item["openedx_course_id"], &item["mode"], &item["currency"]),
                (
                    &json!("course"),
                    &json!(shop.course),
                    &json!(shop.key),
                    &json!(shop.mode),
                    &json!(shop.currency)
                )
            );
            assert_eq!(
                (item["price"].as_f64(), &item["originalPrice"], &item["discountPct"], &item["upgrade_from"]),
                (Some(major(shop)), &item["price"], &json!(0), &Value::Null)
            );
            assert_eq!(
                (&payment["amount"], &payment["currency"]),
                (&json!(shop.subunits), &json!(shop.currency))
            );

            let status = world.status(cart).await;
            assert_eq!(
                (&status["status"], &status["safe_to_charge_again"]),
                (&json!("pending_payment"), &json!(false))
            );
            assert_eq!(status["items"][0]["enrollment_state"], Value::Null);
            assert!(world.on_platform(EMAIL, shop.key).await.is_none());

            world.at_provider("pay", reference(&payment), json!({ "copies": 3 })).await;
            world.cart_becomes(cart, "fulfilled").await;
            world.platform_agrees(EMAIL, shop.key, shop.mode, true).await;
            let status = world.status(cart).await;
            assert_eq!(status["items"][0]["enrollment_state"], "enrolled");
            assert_eq!(
                (&status["gateway"], &status["safe_to_charge_again"]),
                (&json!(shop.gateway.name()), &json!(false))
            );
            assert_eq!(world.transaction(cart).await, ("succeeded".to_owned(), 0, None));
        }
        world.eventually("four receipts", async |world| world.emails(EMAIL).await.len() == 4).await;
        let receipt = &world.emails(EMAIL).await[0];
        assert!(receipt["subject"].as_str().unwrap().contains("receipt"), "{receipt}");
        assert!(receipt["text"].as_str().unwrap().contains("Total: 199.00 USD"), "{receipt}");
        assert_eq!(count(world, "SELECT count(*) FROM enrollment_grants WHERE source = 'cart'").await, 4);
        assert_eq!(count(world, "SELECT count(*) FROM inbox WHERE processed_at IS NOT NULL").await, 4);
    })
    .await;
}

#[tokio::test]
async fn the_same_basket_again_is_the_same_attempt() {
    world(Setup { workers: 2, ..selling() }, async |world| {
        world.sell().await;
        for shop in &SHOPS {
            let replies =
                futures_util::future::join_all((0..6).map(|_| world.guest_checkout(shop, EMAIL))).await;
            for reply in &replies {
                assert_eq!(reply.json, replies[0].json, "{}", reply.text);
            }
            let cart = cart_id(&replies[0]);
            let again = world.guest_checkout(shop, EMAIL).await;
            assert_eq!(again.json, replies[0].json);
            assert_eq!(world.payment(cart).await["create_calls"], 1, "{shop:?}");
            // Somebody else with the same basket pays for it themselves.
            let other = world.guest_checkout(shop, "bob@example.com").await;
            assert_ne!(cart_id(&other), cart);
        }
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 8);
    })
    .await;
}

#[tokio::test]
async fn a_lost_answer_is_found_and_charges_nobody_twice() {
    world(selling(), async |world| {
        world.sell().await;
        for shop in &SHOPS {
            let target = shop.gateway.name();
            world.fault(json!({ "target": target, "kind": "lost_answer" })).await;
            let reply = world.guest_checkout(shop, EMAIL).await;
            let payment = world.payment(cart_id(&reply)).await;
            assert_can_pay(shop, &reply, &payment);
            // Both tries of the ask are lost: the caller is told, and the next request finds what they made.
            world.fault(json!({ "target": target, "kind": "lost_answer", "count": 2 })).await;
            let reply = world.guest_checkout(shop, "bob@example.com").await;
            reply.assert_problem(502, "gateway_error");
            world.no_faults().await;
            let reply = world.guest_checkout(shop, "bob@example.com").await;
            let payment = world.payment(cart_id(&reply)).await;
            assert_can_pay(shop, &reply, &payment);
        }
        let all = world.sim(Method::GET, "/_sim/payments", None).await;
        assert_eq!(all.as_array().unwrap().len(), 8);
    })
    .await;
}

#[tokio::test]
async fn a_provider_that_fails_is_a_gateway_error_and_one_that_refuses_leaves_the_basket_free() {
    world(selling(), async |world| {
        world.sell().await;
        for shop in &SHOPS {
            let target = shop.gateway.name();
            world.fault(json!({ "target": target, "kind": "status", "status": 503, "count": 4 })).await;
            let reply = world.guest_checkout(shop, EMAIL).await;
            reply.assert_problem(502, "gateway_error");
            world.no_faults().await;
            let first: String = sqlx::query_scalar("SELECT id::text FROM carts ORDER BY id DESC LIMIT 1")
                .fetch_one(&world.db)
                .await
                .unwrap();
            assert_eq!(world.status(&first).await["safe_to_charge_again"], false);
            let reply = world.guest_checkout(shop, EMAIL).await;
            assert_eq!(cart_id(&reply), first);

            world.fault(json!({ "target": target, "kind": "status", "status": 400 })).await;
            let reply = world.guest_checkout(shop, "bob@example.com").await;
            reply.assert_problem(502, "gateway_error");
            let refused: String = sqlx::query_scalar("SELECT id::text FROM carts ORDER BY id DESC LIMIT 1")
                .fetch_one(&world.db)
                .await
                .unwrap();
            let status = world.status(&refused).await;
            assert_eq!(
                (&status["status"], &status["safe_to_charge_again"]),
                (&json!("cancelled"), &json!(true))
            );
            let reply = world.guest_checkout(shop, "bob@example.com").await;
            assert_ne!(cart_id(&reply), refused);
        }
    })
    .await;
}

#[tokio::test]
async fn a_failed_try_leaves_the_cart_waiting_and_a_late_success_is_a_success() {
    world(selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        for shop in &SHOPS {
            let reply = world.guest_checkout(shop, EMAIL).await;
            let cart = cart_id(&reply);
            let payment = world.payment(cart).await;
            world.at_provider("fail", reference(&payment), json!({})).await;
            world
                .eventually("the transaction has failed", async |world| {
                    world.transaction(cart).await.0 == "failed"
                })
                .await;
            // Mollie's failed payment is over; the others can be tried again.
            let is_over = shop.gateway == Gateway::Mollie;
            let status = world.status(cart).await;
            assert_eq!(status["safe_to_charge_again"], json!(is_over), "{shop:?}");
            assert_eq!(status["status"], if is_over { "cancelled" } else { "pending_payment" });
            let again = world.guest_checkout(shop, EMAIL).await;
            assert_eq!(cart_id(&again) != cart, is_over);
            world.at_provider("pay", reference(&payment), json!({})).await;
            world.cart_becomes(cart, "fulfilled").await;
            world.platform_agrees(EMAIL, shop.key, shop.mode, true).await;
            assert_eq!(world.transaction(cart).await.0, "succeeded");
        }
    })
    .await;
}

#[tokio::test]
async fn refunds_add_up_and_a_full_one_ends_only_what_its_cart_gave() {
    world(selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        for shop in &SHOPS {
            let reply = world.guest_checkout(shop, EMAIL).await;
            let cart = cart_id(&reply);
            let payment = world.payment(cart).await;
            world.at_provider("pay", reference(&payment), json!({})).await;
            world.cart_becomes(cart, "fulfilled").await;
            // Somebody gives the same course for another reason, in another mode.
            let other_mode = if shop.gateway == Gateway::Razorpay { "honor" } else { "professional" };
            assert_eq!(world.enroll(EMAIL, shop.course, other_mode).await.status, 200);
            world.at_provider("refund", reference(&payment), json!({ "amount": 1000 })).await;
            world
                .eventually("a part is refunded", async |world| world.transaction(cart).await.1 == 1000)
                .await;
            assert_eq!(world.status(cart).await["status"], "fulfilled");
            world.at_provider("refund", reference(&payment), json!({ "copies": 2 })).await;
            world.cart_becomes(cart, "refunded").await;
            assert_eq!(world.transaction(cart).await, ("refunded".to_owned(), shop.subunits, None));
            let status = world.status(cart).await;
            assert_eq!(status["items"][0]["enrollment_state"], "removed");
            assert_eq!(status["safe_to_charge_again"], true);
            world.platform_agrees(EMAIL, shop.key, other_mode, true).await;
        }
        // Without another reason the access ends.
        let shop = &SHOPS[0];
        let reply = world.guest_checkout(shop, "bob@example.com").await;
        world.platform_user("bob@example.com").await;
        let payment = world.payment(cart_id(&reply)).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.platform_agrees("bob@example.com", shop.key, shop.mode, true).await;
        world.at_provider("refund", reference(&payment), json!({})).await;
        world.platform_agrees("bob@example.com", shop.key, shop.mode, false).await;
    })
    .await;
}

#[tokio::test]
async fn an_unknown_address_gets_what_it_paid_for_once_it_registers() {
    world(selling(), async |world| {
        world.sell().await;
        let shop = &SHOPS[1];
        let reply = world.guest_checkout(shop, "new@example.com").await;
        let cart = cart_id(&reply);
        let payment = world.payment(cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(cart, "fulfilled").await;
        assert_eq!(world.status(cart).await["items"][0]["enrollment_state"], "pending_registration");
        world
            .eventually("an invitation and a receipt", async |world| {
                world.emails("new@example.com").await.len() == 2
            })
            .await;
        world.platform_user("new@example.com").await;
        world.platform_agrees("new@example.com", shop.key, shop.mode, true).await;
        assert_eq!(world.status(cart).await["items"][0]["enrollment_state"], "enrolled");
    })
    .await;
}

#[tokio::test]
async fn a_discount_is_charged_by_the_country_and_stands_on_the_transaction() {
    world(selling(), async |world| {
        world.sell().await;
        let mut body = world.basket(&SHOPS[0]).await;
        body["email"] = json!(EMAIL);
        let request = world.request(Method::POST, GUEST_CHECKOUT).header("X-Visitor-Country", "IN").json(&body);
        let reply = Reply::read(request).await;
        let (cart, item) = (cart_id(&reply), &reply.json["items_detail"][0]);
        let percent = item["discountPct"].as_f64().unwrap();
        assert!(percent > 0.0 && item["price"].as_f64() < item["originalPrice"].as_f64(), "{item}");
        assert_eq!(reply.json["total_price"], item["price"]);
        let (region, discount, original, amount): (String, String, i64, i64) = sqlx::query_as(
            "SELECT region, discount_pct::float8::text, original_price, amount FROM transactions WHERE cart_id = $1::uuid",
        )
        .bind(cart)
        .fetch_one(&world.db)
        .await
        .unwrap();
        assert_eq!((region.as_str(), discount, original), ("IN", percent.to_string(), 19_900));
        assert_eq!(world.payment(cart).await["amount"], amount);
        // From elsewhere it is another basket.
        assert_ne!(cart_id(&world.guest_checkout(&SHOPS[0], EMAIL).await), cart);
    })
    .await;
}

#[tokio::test]
async fn what_a_gateway_cannot_charge_is_refused_before_anything_is_started() {
    world(selling(), async |world| {
        world.sell().await;
        for (price, currency, fault) in
            [(49, "USD", "least"), (10_001, "KWD", "exactly"), (10_000, "CLF", "charged in")]
        {
            sqlx::query("UPDATE course_modes SET price = $1, currency = $2 WHERE course_id = $3::uuid")
                .bind(i64::from(price))
                .bind(currency)
                .bind(PAID_COURSE)
                .execute(&world.db)
                .await
                .unwrap();
            let reply = world.guest_checkout(&SHOPS[0], EMAIL).await;
            assert_eq!(reply.assert_problem(400, "invalid_items").faulty_fields(), ["items"]);
            assert!(reply.text.contains(fault), "{}", reply.text);
        }
        assert_eq!(
            count(world, "SELECT (SELECT count(*) FROM carts) + (SELECT count(*) FROM transactions)").await,
            0
        );
        assert_eq!(world.sim(Method::GET, "/_sim/payments", None).await, json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_learner_pays_the_difference_and_keeps_the_provider_as_a_customer() {
    world(selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        world.enroll(EMAIL, PAID_COURSE, "verified").await;
        let shop = Shop { mode: "professional", ..SHOPS[0] };
        let reply = world.learner_checkout(&shop, &ada).await;
        let cart = cart_id(&reply);
        assert_eq!(reply.json["total_price"], 150);
        assert_eq!(reply.json["items_detail"][0]["upgrade_from"], "verified");
        assert!(reply.json["customer_session_client_secret"].as_str().unwrap().starts_with("cuss_"));
        let customer: String =
            sqlx::query_scalar("SELECT reference FROM gateway_customers").fetch_one(&world.db).await.unwrap();
        assert!(customer.starts_with("cus_"));
        let payment = world.payment(cart).await;
        assert_eq!(payment["amount"], 15_000);
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.platform_agrees(EMAIL, shop.key, "professional", true).await;
        assert_eq!(world.transaction(cart).await.2, None);
        // Refunded, the learner is back where the upgrade began.
        world.at_provider("refund", reference(&payment), json!({})).await;
        world.platform_agrees(EMAIL, shop.key, "verified", true).await;
        // A guest of the same address is asked for all of it, and is nobody's customer.
        let guest = world.guest_checkout(&shop, EMAIL).await;
        assert_eq!(
            (&guest.json["total_price"], guest.json.get("customer_session_client_secret")),
            (&json!(349), None)
        );
    })
    .await;
}

#[tokio::test]
async fn a_learners_other_basket_replaces_the_open_attempt() {
    world(selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        for shop in &SHOPS {
            let first = world.learner_checkout(shop, &ada).await;
            let first = cart_id(&first);
            let old = world.payment(first).await;
            let other_mode = if shop.gateway == Gateway::Razorpay { "honor" } else { "professional" };
            let other = Shop { mode: other_mode, ..*shop };
            let second = world.learner_checkout(&other, &ada).await;
            let second = cart_id(&second);
            assert_ne!(first, second);
            // Razorpay cannot cancel an order: it is watched, and is not safe to be charged again.
            let can_cancel = matches!(shop.gateway, Gateway::Stripe | Gateway::Mollie);
            let expected = if can_cancel { "cancelled" } else { "superseded" };
            assert_eq!(world.transaction(first).await.0, expected, "{shop:?}");
            let status = world.status(first).await;
            assert_eq!(
                (&status["status"], &status["safe_to_charge_again"]),
                (&json!("cancelled"), &json!(can_cancel))
            );
            if can_cancel {
                continue;
            }
            // Both are paid in the end: settled, and an operator is told.
            let new = world.payment(second).await;
            world.at_provider("pay", reference(&new), json!({})).await;
            world.cart_becomes(second, "fulfilled").await;
            world.at_provider("pay", reference(&old), json!({})).await;
            world.cart_becomes(first, "fulfilled").await;
            let (state, _, alarm) = world.transaction(first).await;
            assert_eq!(state, "succeeded");
            assert!(alarm.unwrap().contains(second), "{shop:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_replaced_attempt_that_was_paid_counts_in_the_next_price() {
    world(selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        for shop in SHOPS.iter().filter(|shop| shop.gateway != Gateway::Razorpay) {
            let first = world.learner_checkout(shop, &ada).await;
            let first = cart_id(&first);
            let payment = world.payment(first).await;
            // Paid, and the notice is lost.
            world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
            let upgrade = Shop { mode: "professional", ..*shop };
            let second = world.learner_checkout(&upgrade, &ada).await;
            assert_eq!(second.json["items_detail"][0]["upgrade_from"], "verified", "{}", second.text);
            assert_ne!(cart_id(&second), first);
            assert_eq!(world.status(first).await["status"], "fulfilled");
            // The same again, by somebody who has just paid for it: nothing is left to pay.
            let bob = world.platform_user(&format!("bob-{}@example.com", shop.organisation)).await;
            let reply = world.learner_checkout(shop, &bob).await;
            let payment = world.payment(cart_id(&reply)).await;
            world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
            let again = world.learner_checkout(shop, &bob).await;
            assert_eq!(again.json["status"], "free", "{}", again.text);
        }
    })
    .await;
}

#[tokio::test]
async fn nothing_new_is_charged_while_the_old_attempt_cannot_be_asked_for() {
    world(selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let first = world.learner_checkout(&SHOPS[0], &ada).await;
        let first = cart_id(&first).to_owned();
        world.fault(json!({ "target": "stripe", "kind": "status", "status": 500, "count": 20 })).await;
        let other = Shop { mode: "professional", ..SHOPS[0] };
        world.learner_checkout(&other, &ada).await.assert_problem(502, "gateway_error");
        assert_eq!(world.status(&first).await["status"], "pending_payment");
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 1);
        // The same basket needs no provider.
        let again = world.learner_checkout(&SHOPS[0], &ada).await;
        assert_eq!(cart_id(&again), first);
    })
    .await;
}

#[tokio::test]
async fn a_lost_notice_is_made_up_for_by_asking_the_provider() {
    world(selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        for shop in &SHOPS {
            let reply = world.guest_checkout(shop, EMAIL).await;
            let cart = cart_id(&reply);
            let payment = world.payment(cart).await;
            world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
            world.clock.advance(chrono::TimeDelta::minutes(2));
            world.cart_becomes(cart, "fulfilled").await;
            // The same for a refund.
            world.at_provider("refund", reference(&payment), json!({ "notify": false })).await;
            world.clock.advance(chrono::TimeDelta::hours(3));
            world.cart_becomes(cart, "refunded").await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_abandoned_payment_is_ended_at_its_provider_and_expires() {
    world(selling(), async |world| {
        world.sell().await;
        for shop in &SHOPS {
            let reply = world.guest_checkout(shop, EMAIL).await;
            let cart = cart_id(&reply);
            world.clock.advance(chrono::TimeDelta::hours(80));
            if matches!(shop.gateway, Gateway::Razorpay | Gateway::Curlec) {
                // It can still be paid: it waits.
                tokio::time::sleep(std::time::Duration::from_millis(800)).await;
                assert_eq!(world.status(cart).await["status"], "pending_payment");
                continue;
            }
            world.cart_becomes(cart, "expired").await;
            assert_eq!(world.status(cart).await["safe_to_charge_again"], true);
            assert_eq!(world.payment(cart).await["status"], "cancelled");
            assert_eq!(world.transaction(cart).await.0, "cancelled");
        }
    })
    .await;
}

#[tokio::test]
async fn a_billing_address_is_asked_for_where_the_account_needs_it() {
    world(selling(), async |world| {
        world.sell().await;
        // Mollie takes a whole address or none.
        let mut body = world.basket(&SHOPS[1]).await;
        body["email"] = json!(EMAIL);
        body["billing_address"] = json!({ "name": "Ada Lovelace", "city": "London" });
        let reply = world.post(GUEST_CHECKOUT, &body).await;
        assert_eq!(
            reply.assert_problem(400, "invalid_request").faulty_fields(),
            ["billing_address.line1", "billing_address.country"]
        );
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0);
        body["billing_address"] = json!({ "name": "Ada Lovelace", "line1": "12 St James's Square",
            "city": "London", "postal_code": "SW1Y 4JH", "country": "GB" });
        cart_id(&world.post(GUEST_CHECKOUT, &body).await);
        let request: Value = sqlx::query_scalar("SELECT provider_request FROM transactions")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(request["billingAddress"]["streetAndNumber"], "12 St James's Square");
        assert_eq!(request["billingAddress"]["familyName"], "Lovelace");
    })
    .await;
}

#[tokio::test]
async fn a_course_that_the_platform_refuses_after_payment_raises_an_alarm() {
    world(selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let shop = &SHOPS[0];
        world.sim(Method::POST, "/_sim/courses", Some(json!({ "course_id": shop.key, "full": true }))).await;
        let reply = world.guest_checkout(shop, EMAIL).await;
        let cart = cart_id(&reply);
        let payment = world.payment(cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world
            .eventually("an operator is told", async |world| world.transaction(cart).await.2.is_some())
            .await;
        assert_eq!(world.status(cart).await["items"][0]["enrollment_state"], "refused");
    })
    .await;
}

#[tokio::test]
async fn a_mixed_basket_is_paid_as_one() {
    world(selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let shop = &SHOPS[0];
        let mut body = world.basket(shop).await;
        body["email"] = json!(EMAIL);
        body["items"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "type": "course", "id": FREE_COURSE, "mode": "audit" }));
        let reply = world.post(GUEST_CHECKOUT, &body).await;
        let cart = cart_id(&reply);
        assert_eq!(reply.json["items_detail"].as_array().unwrap().len(), 2);
        assert!(world.on_platform(EMAIL, crate::FREE_KEY).await.is_none());
        let payment = world.payment(cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.platform_agrees(EMAIL, shop.key, shop.mode, true).await;
        world.platform_agrees(EMAIL, crate::FREE_KEY, "audit", true).await;
    })
    .await;
}
