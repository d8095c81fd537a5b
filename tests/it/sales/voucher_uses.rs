//! The uses of vouchers under races, ends of payments, and deaths of workers: never more than were promised, and none lost.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::TimeDelta;
use futures_util::future::join_all;
use harness::steps::learner_cart::learner;
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, allow_fulfilment, cart_id, count, reference, refuse_fulfilment};
use harness::steps::vouchers::{VOUCHERS, keyed, voucher};
use harness::steps::worker_program::WorkerProcess;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Setup, World, world};
use rand::RngExt;
use reqwest::Method;
use serde_json::json;
use shared::organisation_key::Scope;

use crate::vouchers::{basket, buy};

/// Fifty guests who use a code at the same moment: the statuses of their answers, with their numbers.
async fn fifty(world: &World, organisation: &Organisation, code: &str) -> BTreeMap<u16, usize> {
    let guests: Vec<String> =
        (0..50).map(|guest| format!("guest{guest}-{}@example.com", code.to_lowercase())).collect();
    let mut statuses = BTreeMap::new();
    for reply in join_all(guests.iter().map(|guest| buy(world, organisation, guest, code))).await {
        if reply.status != 200 {
            assert_eq!(
                reply.json["errors"],
                json!([{ "field": "voucher", "message": "has no uses left" }]),
                "{}",
                reply.text
            );
        }
        *statuses.entry(reply.status).or_default() += 1;
    }
    statuses
}

/// Checks that the counters of limited vouchers are what their uses add up to, and that no cart has a discount without one.
async fn assert_counted(world: &World) {
    let miscounted = "SELECT count(*) FROM vouchers v WHERE num_nonnulls(max_uses, budget) > 0 AND (uses, spent) <> (
        SELECT count(*), coalesce(sum(discount), 0) FROM voucher_uses u WHERE u.voucher_id = v.id AND u.state IN ('held', 'used'))";
    assert_eq!(count(world, miscounted).await, 0);
    let unmatched = "SELECT count(*) FROM carts c LEFT JOIN voucher_uses u ON u.cart_id = c.id WHERE c.state <> 'open'
        AND coalesce(u.discount, 0) <> (SELECT sum(voucher_discount) FROM cart_items i WHERE i.cart_id = c.id)";
    assert_eq!(count(world, unmatched).await, 0);
    let misstated =
        "SELECT count(*) FROM carts c JOIN voucher_uses u ON u.cart_id = c.id WHERE u.state <> CASE
        WHEN c.state = 'pending_payment' THEN 'held' WHEN c.state IN ('cancelled', 'expired') THEN 'released'
        WHEN u.state = 'late' THEN 'late' ELSE 'used' END";
    assert_eq!(count(world, misstated).await, 0);
}

/// Makes a voucher `LAST` with one use. Returns the organisation's key, and the voucher's id.
async fn last_use(world: &World, organisation: &Organisation) -> (String, String) {
    let key = key(world, organisation.short_name, &[Scope::Vouchers]).await;
    let last = json!({ "code": "LAST", "kind": "percent", "value": 10, "max_uses": 1 });
    let id = voucher(world, &key, last).await;
    (key, id)
}

#[tokio::test]
#[ignore = "slow"]
async fn fifty_buyers_at_once_use_a_voucher_as_often_as_it_allows() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let key = key(world, "northwind", &[Scope::Vouchers]).await;
        // Half of 199 is 99.5; a budget of 746.25 is enough for seven and a half of them.
        for (code, value, limit, uses) in [
            ("PAID-1", 50, json!({ "max_uses": 1 }), 1),
            ("PAID-10", 50, json!({ "max_uses": 10 }), 10),
            ("PAID-BUDGET", 50, json!({ "budget": 746.25 }), 7),
            ("FREE-1", 100, json!({ "max_uses": 1 }), 1),
            ("FREE-10", 100, json!({ "max_uses": 10 }), 10),
            ("FREE-BUDGET", 100, json!({ "budget": 1492.5 }), 7),
            ("NO-LIMIT", 50, json!({}), 50),
        ] {
            let mut terms = json!({ "code": code, "kind": "percent", "value": value });
            terms.as_object_mut().unwrap().extend(limit.as_object().unwrap().clone());
            let id = voucher(world, &key, terms).await;
            let before = count(world, "SELECT count(*) FROM carts").await;
            let statuses = fifty(world, organisation, code).await;
            assert_eq!(statuses.get(&200), Some(&uses), "{code}: {statuses:?}");
            assert_eq!(statuses.get(&400).copied().unwrap_or_default(), 50 - uses, "{code}");
            assert_eq!(
                count(world, "SELECT count(*) FROM carts").await - before,
                i64::try_from(uses).unwrap()
            );
            assert_eq!(get(world, &format!("{VOUCHERS}{id}/"), &key).await.json["uses"], uses, "{code}");
        }
        assert_counted(world).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn one_buyer_uses_a_voucher_no_more_often_than_one_may() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Vouchers]).await;
        for (code, limit, allowed) in
            [("ONE", json!({}), 1), ("TWO", json!({ "max_uses": 50, "max_uses_per_buyer": 2 }), 2)]
        {
            let mut terms = json!({ "code": code, "kind": "percent", "value": 50 });
            terms.as_object_mut().unwrap().extend(limit.as_object().unwrap().clone());
            voucher(world, &key, terms).await;
            // Each country's basket is another one.
            let body = {
                let mut body = world.basket(&ORGANISATIONS[0]).await;
                body["email"] = json!(format!("{}@example.com", code.to_lowercase()));
                body["voucher"] = json!(code);
                body
            };
            let ask = async |country: &str| {
                let request =
                    world.request(Method::POST, harness::GUEST_CHECKOUT).header("X-Visitor-Country", country);
                harness::Reply::read(request.json(&body)).await
            };
            let replies =
                join_all(["SE", "DE", "FR", "ES", "PT", "PL"].iter().map(|country| ask(country))).await;
            let taken = replies.iter().filter(|reply| reply.status == 200).count();
            assert_eq!(
                taken,
                allowed,
                "{code}: {:?}",
                replies.iter().map(|reply| &reply.text).collect::<Vec<_>>()
            );
            assert!(replies.iter().all(|reply| reply.status == 200 || reply.faulty_fields() == ["voucher"]));
        }
        assert_counted(world).await;
    })
    .await;
}

#[tokio::test]
async fn a_learner_who_repeats_a_paid_checkout_joins_it_together_with_its_use() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let ada = learner(world, EMAIL).await;
        last_use(world, organisation).await;
        let mut body = world.basket(organisation).await;
        body["voucher"] = json!("LAST");
        let check_out = async || {
            let cookie = format!("sessionid={}", ada["sessionid"].as_str().unwrap());
            let request = world.request(Method::POST, "/storeapi/discovery/checkout/");
            harness::Reply::read(request.header("cookie", cookie).json(&body)).await
        };
        let cart = cart_id(&check_out().await).to_owned();
        refuse_fulfilment(world).await;
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "paid").await;
        let again = check_out().await;
        assert_eq!((again.status, &again.json["cart_id"]), (200, &json!(cart)), "{}", again.text);
        allow_fulfilment(world).await;
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(count(world, "SELECT count(*) FROM transactions").await, 1);
        assert_counted(world).await;
    })
    .await;
}

#[tokio::test]
async fn a_checkout_that_a_voucher_refuses_ends_none_of_the_learners_other_attempts() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let ada = learner(world, EMAIL).await;
        last_use(world, organisation).await;
        let basket = world.basket(organisation).await;
        let check_out = async |country: &str, code: Option<&str>| {
            let mut body = basket.clone();
            if let Some(code) = code {
                body["voucher"] = json!(code);
            }
            let cookie = format!("sessionid={}", ada["sessionid"].as_str().unwrap());
            let request = world.request(Method::POST, "/storeapi/discovery/checkout/").json(&body);
            harness::Reply::read(request.header("cookie", cookie).header("X-Visitor-Country", country)).await
        };
        // Each country's basket is another one. The first is paid, the second waits for its payment.
        let paid = cart_id(&check_out("SE", Some("LAST")).await).to_owned();
        refuse_fulfilment(world).await;
        world.at_provider("pay", reference(&world.payment(&paid).await), json!({})).await;
        world.cart_becomes(&paid, "paid").await;
        // The second checkout would fulfil the first one, which is refused here: it leaves out what cannot be granted.
        sqlx::query("UPDATE carts SET grant_blocked_at = now() WHERE state = 'paid'")
            .execute(&world.db)
            .await
            .unwrap();
        let waiting = cart_id(&check_out("DE", None).await).to_owned();
        sqlx::query("UPDATE carts SET grant_blocked_at = NULL").execute(&world.db).await.unwrap();
        let refused = check_out("FR", Some("LAST")).await;
        assert_eq!((refused.status, refused.faulty_fields()), (400, vec!["voucher"]), "{}", refused.text);
        assert_eq!(world.status(&waiting).await["status"], "pending_payment");
        allow_fulfilment(world).await;
        // The reconciler sends another message: the first one may have come while the cart could not be granted.
        world.clock.advance(TimeDelta::minutes(6));
        world.cart_becomes(&paid, "fulfilled").await;
        assert_counted(world).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_use_is_given_back_when_its_payment_ends_and_honoured_when_it_comes_late() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        // An order of Razorpay stays payable after another basket has replaced it.
        let organisation = &ORGANISATIONS[2];
        let ada = learner(world, EMAIL).await;
        let (key, id) = last_use(world, organisation).await;
        let check = async |mode: &str| {
            let mut body = world
                .basket(&Organisation {
                    mode: if mode == "other" { organisation.other_mode } else { organisation.mode },
                    ..*organisation
                })
                .await;
            body["voucher"] = json!("LAST");
            let cookie = format!("sessionid={}", ada["sessionid"].as_str().unwrap());
            let request =
                world.request(Method::POST, "/storeapi/discovery/checkout/").header("cookie", cookie);
            harness::Reply::read(request.json(&body)).await
        };
        let first = check("same").await;
        let cart = cart_id(&first).to_owned();
        let payment = world.payment(&cart).await;
        // The last use goes to the basket that replaces the first one.
        let second = check("other").await;
        let other = cart_id(&second).to_owned();
        assert_eq!(world.status(&cart).await["status"], "cancelled");
        let states = async || {
            let shown = get(world, &format!("{VOUCHERS}{id}/"), &key).await.json;
            let uses = shown["voucher_uses"].as_array().unwrap().clone();
            let state = |cart: &str| {
                uses.iter().find(|one| one["cart_id"] == cart).unwrap()["status"].as_str().unwrap().to_owned()
            };
            (state(&cart), state(&other), shown["uses"].as_i64().unwrap())
        };
        assert_eq!(states().await, ("released".into(), "held".into(), 1));
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(states().await, ("late".into(), "held".into(), 1), "honoured, and not counted");
        // Ending a voucher takes nothing back.
        let now = json!({ "valid_until": world.clock.now() });
        assert_eq!(keyed(world, Method::PUT, &format!("{VOUCHERS}{id}/"), &key, &now).await.status, 200);
        let payment = world.payment(&other).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&other, "fulfilled").await;
        assert_eq!(states().await, ("late".into(), "used".into(), 1));
        assert_counted(world).await;
    })
    .await;
}

/// Ends every payment that is still open: paid, or expired where the provider can do that.
async fn end_payments(world: &World) {
    let waiting =
        "SELECT gateway, provider_reference FROM transactions WHERE state IN ('created', 'processing')
         AND provider_reference IS NOT NULL AND dead_at IS NULL";
    // A message of a killed worker can make a payment at any time: each look ends what it finds.
    world
        .eventually("all payments have ended", async |world| {
            let waiting: Vec<(String, String)> = sqlx::query_as(waiting).fetch_all(&world.db).await.unwrap();
            for (nth, (gateway, reference)) in waiting.iter().enumerate() {
                let can_expire = ["stripe", "mollie"].contains(&gateway.as_str());
                let end = if nth % 2 == 0 && can_expire { "expire" } else { "pay" };
                // The provider refuses if it has ended already, and its webhook is on the way.
                let url = world.simulators.url(&format!("/_sim/payments/{reference}/{end}"));
                world.http.post(url).json(&json!({})).send().await.unwrap();
            }
            waiting.is_empty()
        })
        .await;
    world
        .eventually("paid carts are fulfilled", async |world| {
            count(world, "SELECT count(*) FROM carts WHERE state = 'paid'").await == 0
        })
        .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn an_order_that_stays_payable_for_good_gives_its_use_back_and_an_upgrade_for_nothing_bars_no_refund() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[2];
        let key = key(world, organisation.short_name, &[Scope::Vouchers]).await;
        voucher(world, &key, json!({ "code": "LAST", "kind": "percent", "value": 10, "max_uses": 1 })).await;
        let cart = cart_id(&buy(world, organisation, "bea@example.com", "LAST").await).to_owned();
        assert_eq!(buy(world, organisation, EMAIL, "LAST").await.status, 400);
        world.clock.advance(chrono::TimeDelta::days(4));
        world
            .eventually("the use is free again", async |world| {
                count(world, "SELECT count(*) FROM vouchers WHERE uses = 0").await == 1
            })
            .await;
        assert_eq!(buy(world, organisation, EMAIL, "LAST").await.status, 200);
        let payment = world.payment(&cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(count(world, "SELECT count(*) FROM voucher_uses WHERE state = 'late'").await, 1);

        // An upgrade that a voucher makes free cannot be refunded before what it rests on.
        let northwind = &ORGANISATIONS[0];
        let key =
            harness::steps::organisation_keys::key(world, "northwind", &[Scope::Vouchers, Scope::Refunds])
                .await;
        voucher(world, &key, json!({ "code": "GIFT", "kind": "percent", "value": 100 })).await;
        let ada = learner(world, EMAIL).await;
        let bought = cart_id(&world.learner_checkout(northwind, &ada).await).to_owned();
        let payment = world.payment(&bought).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&bought, "fulfilled").await;
        let mut body = world.basket(&Organisation { mode: northwind.other_mode, ..*northwind }).await;
        body["voucher"] = json!("GIFT");
        let cookie = format!("sessionid={}", ada["sessionid"].as_str().unwrap());
        let request = world.request(Method::POST, "/storeapi/discovery/checkout/").header("cookie", cookie);
        assert_eq!(harness::Reply::read(request.json(&body)).await.json["status"], "free");
        let refunded = harness::steps::refunds::refund(world, &key, &bought, &json!({})).await;
        assert_eq!(refunded.status, 200, "{}", refunded.text);
        let live = "SELECT count(*) FROM enrollments e JOIN learners l ON l.id = e.learner_id
            JOIN courses c ON c.id = e.course_id JOIN organisations o ON o.id = c.organisation_id
            WHERE l.email = 'ada@example.com' AND e.state = 'enrolled' AND o.short_name = 'northwind'";
        assert_eq!(count(world, live).await, 0, "the upgrade ends with what it rests on");
    })
    .await;
}

#[tokio::test]
async fn a_payment_that_its_provider_does_not_know_gives_its_use_back() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let mut carts = Vec::new();
        for organisation in &ORGANISATIONS {
            last_use(world, organisation).await;
            carts.push(cart_id(&buy(world, organisation, EMAIL, "LAST").await).to_owned());
        }
        // Simulates a change of the provider account.
        let lost = "UPDATE transactions SET provider_reference = provider_reference || 'x'";
        sqlx::query(lost).execute(&world.db).await.unwrap();
        world.clock.advance(TimeDelta::minutes(2));
        world
            .eventually("the payments were asked for", async |world| {
                let waiting = "SELECT count(*) FROM transactions WHERE next_check_at <= created_at + interval '30 seconds'";
                count(world, waiting).await == 0
            })
            .await;
        world.drain().await;
        assert_eq!(
            count(world, "SELECT count(*) FROM vouchers WHERE uses = 1").await,
            4,
            "their time has not passed"
        );
        world.clock.advance(TimeDelta::days(4));
        world
            .eventually("the uses are free again", async |world| {
                count(world, "SELECT count(*) FROM vouchers WHERE uses = 0").await == 4
            })
            .await;
        for cart in &carts {
            world.cart_becomes(cart, "expired").await;
            assert!(world.transaction(cart).await.2.unwrap().contains("does not know"));
        }
        assert_counted(world).await;
        assert_eq!(buy(world, &ORGANISATIONS[0], "bea@example.com", "LAST").await.status, 200);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn after_kills_and_payments_of_every_end_the_counters_are_the_uses() {
    // What a killed worker had is not waited for.
    let setup = Setup { api_args: vec!["--ask-deadline=10s".into()], ..Setup::selling() };
    world(setup, async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let key = key(world, organisation.short_name, &[Scope::Vouchers]).await;
            voucher(
                world,
                &key,
                json!({ "code": "MANY", "kind": "percent", "value": 25, "max_uses": 30, "budget": 100000 }),
            )
            .await;
        }
        world.workers.pop().unwrap().shutdown().await;
        let mut workers = vec![WorkerProcess::start(world), WorkerProcess::start(world)];
        for round in 0..4 {
            let guests: Vec<(usize, String)> =
                (0..16).map(|guest| (guest % 4, format!("g{round}-{guest}@example.com"))).collect();
            let buying = join_all(guests.iter().map(async |(organisation, guest)| {
                let basket = basket(world, &ORGANISATIONS[*organisation], guest, "MANY").await;
                world.post(GUEST_CHECKOUT, &basket).await
            }));
            let killing = async {
                tokio::time::sleep(Duration::from_millis(150)).await;
                workers.remove(0);
                workers.push(WorkerProcess::start(world));
            };
            let (replies, ()) = tokio::join!(buying, killing);
            for ((organisation, _), reply) in guests.iter().zip(replies) {
                // Without an answer, the buyer does nothing more; the payment ends by itself.
                if reply.status != 200 {
                    continue;
                }
                let organisation = &ORGANISATIONS[*organisation];
                let payment = world.payment(cart_id(&reply)).await;
                let end = rand::rng().random_range(0..4);
                match end {
                    0 => world.at_provider("pay", reference(&payment), json!({})).await,
                    1 if organisation.can_cancel => {
                        world.at_provider("expire", reference(&payment), json!({})).await
                    }
                    2 => world.at_provider("fail", reference(&payment), json!({})).await,
                    _ => {}
                }
            }
        }
        end_payments(world).await;
        world.settle().await;
        assert_counted(world).await;
        let kinds = "SELECT count(DISTINCT state) FROM voucher_uses WHERE state IN ('used', 'released')";
        assert_eq!(count(world, kinds).await, 2);
    })
    .await;
}
