//! Seats under races, and the refund of those that are left: never more seats than were paid for, and no money for a used one.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{order, refund};
use harness::steps::seats::{assigned, bought, path, pool};
use harness::steps::vouchers::keyed;
use harness::{ORGANISATIONS, Setup, World, world};
use rand::RngExt;
use rand::seq::IndexedRandom;
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::vouchers::buy;

#[tokio::test]
#[ignore = "slow"]
async fn three_hundred_takers_get_thirty_seats() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let key = key(world, "northwind", &[Scope::Seats]).await;
        bought(world, organisation, EMAIL, 30).await;
        let pool = pool(world, &key).await;
        let code = pool["code"].as_str().unwrap();
        let emails = |of: &str, number: usize| -> Vec<String> {
            (0..number).map(|nth| format!("{of}{nth}@example.com")).collect()
        };
        let lists: Vec<Vec<String>> = (0..4).map(|caller| emails(&format!("list{caller}-"), 50)).collect();
        // A third of them has accounts.
        for email in lists.iter().flatten().step_by(3) {
            world.platform_user(email).await;
        }
        let callers = lists.iter().map(async |list| {
            let list: Vec<&str> = list.iter().map(String::as_str).collect();
            let rows = assigned(world, &key, &pool, &list).await;
            assert!(rows.iter().all(|row| row["message"].is_null() || row["message"] == "no seats left"), "{rows:?}");
            rows.iter().filter(|row| row["status"] == "done").count()
        });
        let guests = emails("guest", 100);
        let guests = guests.iter().map(async |email| {
            let reply = buy(world, organisation, email, code).await;
            if reply.status != 200 {
                assert_eq!(reply.json["errors"][0]["message"], "has no uses left", "{}", reply.text);
            }
            usize::from(reply.status == 200)
        });
        let (assigned, redeemed) = tokio::join!(join_all(callers), join_all(guests));
        let taken = assigned.iter().sum::<usize>() + redeemed.iter().sum::<usize>();
        assert_eq!(taken, 30, "{assigned:?}, {}", redeemed.iter().sum::<usize>());
        assert_counted(world).await;
        let granted = "SELECT count(DISTINCT e.email) FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
            JOIN carts c ON c.id = g.cart_id WHERE g.ended_at IS NULL AND c.voucher_id IS NOT NULL";
        assert_eq!(count(world, granted).await, 30);
        assert_eq!(count(world, "SELECT count(*) FROM carts WHERE voucher_id IS NOT NULL").await, 30);
    })
    .await;
}

/// Checks that the counters of pools are what their uses add up to, and that no pool has more seats than were paid for.
async fn assert_counted(world: &World) {
    let miscounted = "SELECT count(*) FROM vouchers v WHERE uses > max_uses OR uses <> (
        SELECT count(*) FROM voucher_uses u WHERE u.voucher_id = v.id AND u.state IN ('held', 'used'))";
    assert_eq!(count(world, miscounted).await, 0);
    let unpaid = "SELECT count(*) FROM vouchers v JOIN cart_items i ON (i.cart_id, i.position) = (v.cart_id, v.position)
        WHERE v.max_uses + v.withdrawn <> i.seats
           OR round((i.price + i.tax_on_top) * v.max_uses::numeric / i.seats) > i.price + i.tax_on_top - i.refunded";
    assert_eq!(count(world, unpaid).await, 0);
    let mislaid = "SELECT count(*) FROM voucher_uses u JOIN carts c ON c.id = u.cart_id
        WHERE u.state <> CASE WHEN c.state = 'cancelled' THEN 'released' ELSE 'used' END";
    assert_eq!(count(world, mislaid).await, 0);
}

#[tokio::test]
#[ignore = "slow"]
async fn seats_that_are_left_are_refunded_and_used_ones_are_not() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let mut goodwill = Vec::new();
        for organisation in &ORGANISATIONS {
            let scopes = [Scope::Seats, Scope::Refunds, Scope::Orders];
            let key = key(world, organisation.short_name, &scopes).await;
            let cart = bought(world, organisation, EMAIL, 7).await;
            let pool = pool(world, &key).await;
            let (used, pending) = (
                format!("used@{}.example", organisation.short_name),
                format!("pending@{}.example", organisation.short_name),
            );
            world.platform_user(&used).await;
            assigned(world, &key, &pool, &[&used, &pending]).await;
            let total = 7 * organisation.subunits;
            let cents = |value: &Value| (value.as_f64().unwrap() * 100.0).round() as i64;
            let too_much = (total as f64 * 5.0 / 7.0).round() as i64 + 1;
            let body = json!({ "items": [0], "amount": too_much as f64 / 100.0 });
            let refused = refund(world, &key, &cart, &body).await;
            assert_eq!(refused.faulty_fields(), ["amount"], "{}", refused.text);

            let refunded = refund(world, &key, &cart, &json!({ "items": [0] })).await;
            assert_eq!(refunded.status, 200, "{}", refunded.text);
            assert_eq!(cents(&refunded.json["amount"]), 5 * organisation.subunits, "{}", refunded.text);
            let left = get(world, &path(&pool, ""), &key).await.json;
            assert_eq!((&left["seats"], &left["used"], &left["left"]), (&json!(2), &json!(2), &json!(0)));
            // Both keep what they have, and the code takes no more seats.
            world.platform_agrees(&used, organisation.key, organisation.mode, true).await;
            let late = buy(world, organisation, "late@example.com", pool["code"].as_str().unwrap()).await;
            assert_eq!(late.faulty_fields(), ["voucher"], "{}", late.text);
            let again = refund(world, &key, &cart, &json!({ "items": [0] })).await;
            assert_eq!(again.faulty_fields(), ["cart_id"], "{}", again.text);
            assert_eq!(order(world, &key, &cart).await["status"], "fulfilled");
            world.platform_user(&pending).await;
            world.platform_agrees(&pending, organisation.key, organisation.mode, true).await;
            goodwill.push((
                key,
                cart,
                json!({ "items": [], "amount": organisation.subunits as f64 / 100.0 }),
            ));
        }
        assert_counted(world).await;
        // Goodwill may give back more, and takes no seat.
        for (key, cart, body) in goodwill {
            let given = refund(world, &key, &cart, &body).await;
            assert_eq!(given.status, 200, "{}", given.text);
        }
        assert_eq!(count(world, "SELECT count(*) FROM voucher_uses WHERE state = 'used'").await, 8);
    })
    .await;
}

#[tokio::test]
async fn seats_of_a_refused_refund_can_be_given_out_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let key = key(world, "northwind", &[Scope::Seats, Scope::Refunds, Scope::Orders]).await;
        let cart = bought(world, organisation, EMAIL, 3).await;
        let pool = pool(world, &key).await;
        world.fault(json!({ "target": "stripe", "path": "refund", "kind": "status", "status": 400 })).await;
        let refused = refund(world, &key, &cart, &json!({})).await;
        refused.assert_problem(502, "gateway_error");
        world.no_faults().await;
        let shown = get(world, &path(&pool, ""), &key).await.json;
        assert_eq!((&shown["seats"], &shown["left"]), (&json!(3), &json!(3)));
        assert_counted(world).await;
        // All of them unused: the whole order goes back.
        let refunded = refund(world, &key, &cart, &json!({})).await;
        assert_eq!((refunded.status, &refunded.json["remaining"]), (200, &json!(0)), "{}", refunded.text);
        world.cart_becomes(&cart, "refunded").await;
        assert_eq!(get(world, &path(&pool, ""), &key).await.json["seats"], 0);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn seats_are_revoked_refunded_and_assigned_at_random_and_never_exceed_what_is_paid() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let key = key(world, "northwind", &[Scope::Seats, Scope::Refunds]).await;
        let people: Vec<String> = (0..12).map(|nth| format!("person{nth}@example.com")).collect();
        for email in people.iter().step_by(2) {
            world.platform_user(email).await;
        }
        let mut pools = Vec::new();
        for nth in 0..3 {
            let cart = bought(world, organisation, &format!("boss{nth}@example.com"), 5).await;
            let list = get(world, "/storeapi/seats/", &key).await.json;
            pools.push((cart, list["pools"][0].clone()));
        }
        // Assigned, taken back, redeemed, refunded.
        let done: [AtomicUsize; 4] = Default::default();
        // On a slow machine, seats are taken back before they are assigned, for a while.
        for round in 0..60 {
            if round >= 12 && done.iter().all(|times| times.load(Ordering::Relaxed) > 0) {
                break;
            }
            let acts = (0..8).map(|_| {
                let mut random = rand::rng();
                let (_, pool) = pools.choose(&mut random).unwrap();
                // Never the last pool's, whose seats always remain to be given and taken back.
                let (refunded, _) = pools[..2].choose(&mut random).unwrap();
                let email = people.choose(&mut random).unwrap();
                (random.random_range(0..10_usize), refunded, pool, email)
            });
            let acts: Vec<_> = acts.collect();
            join_all(acts.into_iter().map(async |(act, refunded, pool, email)| {
                let emails = json!({ "emails": [email] });
                let reply = match act {
                    0..4 => keyed(world, Method::POST, &path(pool, "assign/"), &key, &emails).await,
                    4..7 => keyed(world, Method::POST, &path(pool, "revoke/"), &key, &emails).await,
                    7..9 => buy(world, organisation, email, pool["code"].as_str().unwrap()).await,
                    _ => refund(world, &key, refunded, &json!({ "items": [0] })).await,
                };
                assert!([200, 202, 400, 409].contains(&reply.status), "{}", reply.text);
                let did = reply.status == 202 || reply.status == 200 && reply.json["revoked"] != json!([]);
                let kind = [0, 0, 0, 0, 1, 1, 1, 2, 2, 3][act];
                done[kind].fetch_add(usize::from(did), Ordering::Relaxed);
            }))
            .await;
        }
        world.drain().await;
        assert_counted(world).await;
        let done = done.map(AtomicUsize::into_inner);
        assert!(done.iter().all(|times| *times > 0), "{done:?}");
        let unheld = "SELECT count(*) FROM voucher_uses u JOIN carts c ON c.id = u.cart_id
            WHERE u.state = 'used' AND c.state = 'held'
              AND NOT EXISTS (SELECT FROM enrollment_grants g WHERE g.cart_id = c.id AND g.ended_at IS NULL)";
        assert_eq!(count(world, unheld).await, 0);
    })
    .await;
}
