//! Time that an unpaid order holds the use of its voucher: for an hour, and longer only while the provider works on the
//! payment.

use chrono::TimeDelta;
use harness::steps::credentials::session;
use harness::steps::learner_cart::{CART, learner, send};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, cart_id, reference};
use harness::steps::vouchers::{VOUCHERS, voucher};
use harness::{ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::json;
use shared::organisation_key::Scope;

use crate::vouchers::buy;

/// A voucher `LAST` with one use.
struct Last {
    key: String,
    id: String,
}

impl Last {
    async fn make(world: &World, organisation: &Organisation) -> Self {
        let key = key(world, organisation.short_name, &[Scope::Vouchers]).await;
        let terms = json!({ "code": "LAST", "kind": "percent", "value": 10, "max_uses": 1 });
        Self { id: voucher(world, &key, terms).await, key }
    }

    /// Returns how many uses count, and the status of this cart's.
    async fn of(&self, world: &World, cart: &str) -> (i64, String) {
        let shown = get(world, &format!("{VOUCHERS}{}/", self.id), &self.key).await.json;
        let uses = shown["voucher_uses"].as_array().unwrap().iter();
        let mut statuses =
            uses.filter(|one| one["cart_id"] == cart).map(|one| one["status"].as_str().unwrap().to_owned());
        (shown["uses"].as_i64().unwrap(), statuses.next_back().unwrap())
    }

    async fn becomes(&self, world: &World, cart: &str, status: &str) {
        let is_so = async |world: &World| self.of(world, cart).await.1 == status;
        world.eventually(&format!("the use is {status}"), is_so).await;
    }
}

/// Moves the clock, and waits until every payment whose check is due then was checked.
async fn pass(world: &World, time: TimeDelta) {
    world.clock.advance(time);
    world
        .eventually("no check is due", async |world| {
            sqlx::query_scalar("SELECT NOT EXISTS (SELECT FROM transactions WHERE next_check_at <= $1)")
                .bind(world.clock.now())
                .fetch_one(&world.db)
                .await
                .unwrap()
        })
        .await;
    world.drain().await;
}

/// Has the buyer pay. The clock is ahead of the provider's, whose webhooks may count as too old: the next check finds the payment.
pub(super) async fn pay(world: &World, cart: &str) {
    world.at_provider("pay", reference(&world.payment(cart).await), json!({})).await;
    sqlx::query("UPDATE transactions SET next_check_at = $2 WHERE cart_id = $1::uuid")
        .bind(cart)
        .bind(world.clock.now())
        .execute(&world.db)
        .await
        .unwrap();
    world.cart_becomes(cart, "fulfilled").await;
}

fn assert_none_left(reply: &Reply) {
    assert_eq!(reply.status, 400, "{}", reply.text);
    assert_eq!(reply.json["errors"], json!([{ "field": "voucher", "message": "has no uses left" }]));
}

#[tokio::test]
async fn an_unpaid_order_gives_its_use_back_after_an_hour() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let last = Last::make(world, organisation).await;
            let cart = cart_id(&buy(world, organisation, "bea@example.com", "LAST").await).to_owned();
            pass(world, TimeDelta::minutes(50)).await;
            assert_none_left(&buy(world, organisation, EMAIL, "LAST").await);
            assert_eq!(last.of(world, &cart).await, (1, "held".into()), "{organisation:?}");
            // Not at the next check by the payment's age, which is at 100 minutes.
            pass(world, TimeDelta::minutes(10)).await;
            last.becomes(world, &cart, "released").await;
            assert_eq!(world.status(&cart).await["status"], "pending_payment", "{organisation:?}");

            let other = cart_id(&buy(world, organisation, EMAIL, "LAST").await).to_owned();
            // The same basket again would be the same attempt; it says that the use is gone, and leaves the attempt as it is.
            assert_none_left(&buy(world, organisation, "bea@example.com", "LAST").await);
            assert_eq!(last.of(world, &other).await, (1, "held".into()), "{organisation:?}");
            // The first buyer had the page open all the time.
            pay(world, &cart).await;
            assert_eq!(last.of(world, &cart).await, (1, "late".into()), "{organisation:?}");
            assert_eq!(last.of(world, &other).await, (1, "held".into()), "{organisation:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_buyer_who_returns_to_the_basket_takes_the_use_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let last = Last::make(world, organisation).await;
        let cart = cart_id(&buy(world, organisation, "bea@example.com", "LAST").await).to_owned();
        pass(world, TimeDelta::hours(5)).await;
        last.becomes(world, &cart, "released").await;
        let again = buy(world, organisation, "bea@example.com", "LAST").await;
        assert_eq!(cart_id(&again), cart, "{}", again.text);
        assert_eq!(last.of(world, &cart).await, (1, "held".into()));
        assert_none_left(&buy(world, organisation, EMAIL, "LAST").await);
        // For another hour, whatever the age of the payment.
        pass(world, TimeDelta::minutes(50)).await;
        assert_eq!(last.of(world, &cart).await, (1, "held".into()));
        pass(world, TimeDelta::minutes(10)).await;
        last.becomes(world, &cart, "released").await;
        cart_id(&buy(world, organisation, "bea@example.com", "LAST").await);
        pay(world, &cart).await;
        assert_eq!(last.of(world, &cart).await, (1, "used".into()));
    })
    .await;
}

#[tokio::test]
async fn a_payment_after_the_hold_counts_as_a_use_while_one_is_left() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let key = key(world, organisation.short_name, &[Scope::Vouchers]).await;
        // Two uses for all, and a budget for two: three buyers wait for an hour, and then pay.
        let terms = json!({ "code": "LAST", "kind": "percent", "value": 10, "max_uses": 2, "budget": 40 });
        let last = Last { id: voucher(world, &key, terms).await, key };
        let mut carts = Vec::new();
        for buyer in ["ada", "bea", "cyd"] {
            carts.push(
                cart_id(&buy(world, organisation, &format!("{buyer}@example.com"), "LAST").await).to_owned(),
            );
            pass(world, TimeDelta::hours(1)).await;
            last.becomes(world, &carts[carts.len() - 1], "released").await;
        }
        for (cart, expected) in carts.iter().zip([(1, "used"), (2, "used"), (2, "late")]) {
            pay(world, cart).await;
            assert_eq!(last.of(world, cart).await, (expected.0, expected.1.to_owned()));
        }
        let spent = get(world, &format!("{VOUCHERS}{}/", last.id), &last.key).await.json["spent"].clone();
        assert_eq!(spent, json!(39.8));
        assert_none_left(&buy(world, organisation, EMAIL, "LAST").await);
    })
    .await;
}

#[tokio::test]
async fn a_learner_who_checks_the_cart_out_again_takes_the_use_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let last = Last::make(world, organisation).await;
        let ada = learner(world, EMAIL).await;
        let items = world.basket(organisation).await["items"].clone();
        let content = json!({ "items": items, "voucher": "LAST" });
        let filled = send(world, &ada, "northwind", Method::PUT, CART, Some(content)).await;
        assert_eq!(filled.status, 200, "{}", filled.text);
        // By the session: the learner's JWT has expired after an hour.
        let checked_out = async || {
            let request =
                world.http.post(world.url("/storeapi/payment/checkout/")).header("cookie", session(&ada));
            Reply::read(request.header("origin", "http://store.test").header("orgName", "northwind")).await
        };
        let check_out = async || {
            let reply = checked_out().await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            reply.json["cart_id"].as_str().unwrap().to_owned()
        };
        let cart = check_out().await;
        assert_eq!(last.of(world, &cart).await, (1, "held".into()));
        pass(world, TimeDelta::hours(1)).await;
        last.becomes(world, &cart, "released").await;
        assert_eq!(check_out().await, cart);
        assert_eq!(last.of(world, &cart).await, (1, "held".into()));
        pass(world, TimeDelta::hours(1)).await;
        last.becomes(world, &cart, "released").await;
        cart_id(&buy(world, organisation, "bea@example.com", "LAST").await);
        assert_none_left(&checked_out().await);
    })
    .await;
}

#[tokio::test]
async fn a_use_is_held_as_long_as_the_provider_works_on_the_payment() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for (organisation, what, how) in [
            (0, "pending", json!({ "method": "debit", "notify": false })),
            (1, "pending", json!({ "method": "bank_transfer", "notify": false })),
            (2, "authorize", json!({ "notify": false })),
            (3, "authorize", json!({ "notify": false })),
        ] {
            let organisation = &ORGANISATIONS[organisation];
            let last = Last::make(world, organisation).await;
            let cart = cart_id(&buy(world, organisation, "bea@example.com", "LAST").await).to_owned();
            let payment = world.payment(&cart).await;
            pass(world, TimeDelta::minutes(50)).await;
            // The buyer acts in the last minutes, and no webhook says so: only the provider knows.
            world.at_provider(what, reference(&payment), how).await;
            for hours in [1, 20, 30] {
                pass(world, TimeDelta::hours(hours)).await;
                assert_eq!(last.of(world, &cart).await, (1, "held".into()), "{organisation:?}");
                assert_none_left(&buy(world, organisation, EMAIL, "LAST").await);
            }
            pay(world, &cart).await;
            assert_eq!(last.of(world, &cart).await, (1, "used".into()), "{organisation:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_use_is_not_given_back_while_the_provider_cannot_be_asked() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let last = Last::make(world, organisation).await;
        let cart = cart_id(&buy(world, organisation, "bea@example.com", "LAST").await).to_owned();
        world.fault(json!({ "target": "stripe", "kind": "status", "status": 500, "count": 1000 })).await;
        pass(world, TimeDelta::hours(2)).await;
        assert_eq!(last.of(world, &cart).await, (1, "held".into()));
        assert_none_left(&buy(world, organisation, EMAIL, "LAST").await);
        world.no_faults().await;
        // The circuit of the account closes again, and the next check finds that the buyer has not paid.
        world
            .eventually("the use is released", async |world| {
                sqlx::query("UPDATE transactions SET next_check_at = now()")
                    .execute(&world.db)
                    .await
                    .unwrap();
                pass(world, TimeDelta::seconds(1)).await;
                last.of(world, &cart).await == (0, "released".into())
            })
            .await;
    })
    .await;
}

/// Makes the provider's account unusable in one way.
async fn close_account(world: &World, organisation: &Organisation, how: &str) {
    let statement = match how {
        "the key is refused" => {
            let target = organisation.gateway.name();
            world.fault(json!({ "target": target, "kind": "status", "status": 401, "count": 1000 })).await;
            return;
        }
        "the account is gone" => {
            "DELETE FROM gateway_credentials g USING organisations o WHERE o.id = g.organisation_id AND o.short_name = $1"
        }
        // Another account took its place.
        _ => {
            "UPDATE transactions t SET provider_reference = provider_reference || 'x' FROM organisations o
             WHERE o.id = t.organisation_id AND o.short_name = $1"
        }
    };
    sqlx::query(statement).bind(organisation.short_name).execute(&world.db).await.unwrap();
}

#[tokio::test]
async fn a_use_is_given_back_after_the_hold_where_the_account_is_unusable() {
    for how in ["the key is refused", "the account is gone", "the payment is unknown"] {
        world(Setup::selling(), async |world| {
            world.sell().await;
            for organisation in &ORGANISATIONS {
                let last = Last::make(world, organisation).await;
                let cart = cart_id(&buy(world, organisation, "bea@example.com", "LAST").await).to_owned();
                close_account(world, organisation, how).await;
                world.clock.advance(TimeDelta::minutes(50));
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                world.drain().await;
                assert_eq!(last.of(world, &cart).await, (1, "held".into()), "{how} {organisation:?}");
                world.clock.advance(TimeDelta::minutes(11));
                last.becomes(world, &cart, "released").await;
                assert_eq!(world.status(&cart).await["status"], "pending_payment", "{how}");
            }
            if how == "the key is refused" {
                // Its checkout finds that the key works again; the first buyer pays after all.
                world.no_faults().await;
                let organisation = &ORGANISATIONS[3];
                let first: String = sqlx::query_scalar(
                    "SELECT cart_id::text FROM transactions ORDER BY created_at DESC LIMIT 1",
                )
                .fetch_one(&world.db)
                .await
                .unwrap();
                let other = cart_id(&buy(world, organisation, EMAIL, "LAST").await).to_owned();
                pay(world, &first).await;
                let state = async |cart: &str| -> String {
                    sqlx::query_scalar("SELECT state FROM voucher_uses WHERE cart_id = $1::uuid")
                        .bind(cart)
                        .fetch_one(&world.db)
                        .await
                        .unwrap()
                };
                assert_eq!((state(&first).await.as_str(), state(&other).await.as_str()), ("late", "held"));
            }
        })
        .await;
    }
}
