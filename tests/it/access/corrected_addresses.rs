//! A guest's order whose address the support has corrected: nothing that the old address was sent opens it any more, and an
//! order that was bought again meanwhile is noticed.

use chrono::TimeDelta;
use harness::steps::invoices::{SHOP, sell_with_tax, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{bought, order};
use harness::steps::seats::{self, SEATS};
use harness::steps::staff::{act, staff};
use harness::steps::withdrawals::{
    self, all_consents, declaration, declare_by_link, declared, mails, offer, service, token,
};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const NOOR: &str = "noor@example.com";

/// As the buyer has mistyped [`EMAIL`].
const MISTYPED: &str = "adda@example.com";

async fn correct(world: &World, noor: &str, cart: &str) {
    let path = format!("/storeapi/support/orders/{cart}/address/");
    let reply = act(world, noor, &path, &json!({ "email": EMAIL })).await;
    assert_eq!(reply.status, 204, "{}", reply.text);
}

async fn fetch(world: &World, path: &str) -> Reply {
    Reply::read(world.http.get(world.url(path))).await
}

#[tokio::test]
async fn an_order_that_was_bought_again_has_an_alert_once_its_address_is_right() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        let (first, _) = bought(world, &ORGANISATIONS[0], MISTYPED).await;
        let (second, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        assert_eq!(world.transaction(&first).await.2, None);
        correct(world, &noor, &first).await;
        let alert = world.transaction(&first).await.2.unwrap();
        assert!(alert.starts_with(&format!("bought twice: cart {second}")), "{alert}");
        // An order of its own has none.
        let (other, _) = bought(world, &ORGANISATIONS[1], MISTYPED).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["support"]).await;
        correct(world, &eve, &other).await;
        assert_eq!(world.transaction(&other).await.2, None);
    })
    .await;
}

#[tokio::test]
async fn the_withdrawal_link_of_the_old_address_declares_nothing() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        offer(world, shop, service()).await;
        let cart = withdrawals::bought(world, shop, MISTYPED, all_consents()).await;
        let old = token(world, MISTYPED, &cart).await;
        correct(world, &noor, &cart).await;
        let refused = declare_by_link(world, &old, &declaration(&cart, MISTYPED)).await;
        refused.assert_problem(401, "unauthenticated");
        let page = fetch(world, &format!("/storeapi/payment/withdraw/?token={old}")).await;
        assert!(page.status == 200 && !page.text.contains(&cart), "{}", page.text);
        world.drain().await;
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 0);
        assert_eq!(world.status(&cart).await["status"], "fulfilled");
        // The right address gets links of its own.
        let path = format!("/storeapi/support/orders/{cart}/receipt/");
        assert_eq!(act(world, &noor, &path, &Value::Null).await.status, 204);
        let new = token(world, EMAIL, &cart).await;
        assert_eq!(declare_by_link(world, &new, &declaration(&cart, EMAIL)).await.status, 202);
        world.cart_becomes(&cart, "refunded").await;
    })
    .await;
}

#[tokio::test]
async fn what_the_old_address_has_declared_waits_for_a_person() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        offer(world, shop, service()).await;
        let cart = withdrawals::bought(world, shop, MISTYPED, all_consents()).await;
        // Without proof, so that it is judged later.
        withdrawals::declare(world, &declaration(&cart, MISTYPED)).await;
        world.eventually("it is stored", async |world| declared(world, &cart).await.len() == 1).await;
        let told = async |world: &World| mails(world, MISTYPED, &["received your withdrawal"]).await;
        world.eventually("it is acknowledged", async |world| !told(world).await.is_empty()).await;
        let told = told(world).await;
        let mut objection = told[0]["text"].as_str().unwrap().split_whitespace();
        let objection = objection.find(|word| word.contains("/withdraw/objection/")).unwrap();
        let objection = objection.strip_prefix("http://store.test").unwrap().to_owned();
        correct(world, &noor, &cart).await;
        let one = declared(world, &cart).await.remove(0);
        assert_eq!(
            (&one["judge_at"], &one["waits_because"]),
            (&Value::Null, &json!("the order's address was corrected after it"))
        );
        let page =
            Reply::read(world.http.post(world.url(&objection)).header("origin", "http://store.test")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        world.drain().await;
        assert_eq!(declared(world, &cart).await[0]["objected_at"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn a_judgement_that_has_begun_pays_nothing_once_the_address_is_corrected() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        offer(world, shop, service()).await;
        let cart = withdrawals::bought(world, shop, MISTYPED, all_consents()).await;
        withdrawals::declare(world, &declaration(&cart, MISTYPED)).await;
        world.eventually("it is stored", async |world| declared(world, &cart).await.len() == 1).await;
        world.drain().await;
        // The refund waits for this lock, after the declaration was read.
        let mut other = world.db.begin().await.unwrap();
        sqlx::query("SELECT FROM transactions FOR UPDATE").execute(&mut *other).await.unwrap();
        world.clock.advance(TimeDelta::hours(25));
        let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
            AND cardinality(pg_blocking_pids(pid)) > 0";
        world.eventually("it is judged", async |world| count(world, waits).await > 0).await;
        // As the correction of an address does it.
        sqlx::query(
            "UPDATE withdrawals SET judge_at = NULL, waits_since = now(), waits_because = 'corrected'",
        )
        .execute(&mut *other)
        .await
        .unwrap();
        other.commit().await.unwrap();
        world.drain().await;
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 0);
        let one = declared(world, &cart).await.remove(0);
        assert_eq!((&one["state"], &one["waits_because"]), (&json!("received"), &json!("corrected")));
    })
    .await;
}

#[tokio::test]
async fn the_documents_of_an_order_open_by_the_links_of_its_right_address() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let noor = staff(world, SHOP.short_name, NOOR, &["support"]).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let cart = sold(world, MISTYPED, json!({ "name": "Ada", "country": "DE" })).await;
        world.drain().await;
        let link = async || {
            let url = order(world, &key, &cart).await["documents"][0]["url"].as_str().unwrap().to_owned();
            url.strip_prefix("http://store.test").unwrap().to_owned()
        };
        let old = link().await;
        assert_eq!(fetch(world, &old).await.status, 200);
        correct(world, &noor, &cart).await;
        fetch(world, &old).await.assert_problem(401, "unauthenticated");
        // A browser is led on.
        let page = Reply::read(world.http.get(world.url(&old)).header("accept", "text/html")).await;
        assert!(page.status == 401 && page.text.contains("This link is no longer valid"), "{}", page.text);
        let new = link().await;
        assert_ne!(new, old);
        assert_eq!(fetch(world, &new).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn seats_pass_to_the_right_address_with_another_code_and_link() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        sqlx::query("UPDATE organisations SET seats_url = 'https://shop.example/seats'")
            .execute(&world.db)
            .await
            .unwrap();
        let shop = &ORGANISATIONS[0];
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        let key = key(world, "northwind", &[Scope::Seats]).await;
        let cart = seats::bought(world, shop, MISTYPED, 3).await;
        let link = async |email: &'static str| {
            let found = async |world: &World| mails(world, email, &["https://shop.example/seats"]).await;
            world.eventually("the seats are mailed", async |world| !found(world).await.is_empty()).await;
            let text = found(world).await[0]["text"].as_str().unwrap().to_owned();
            let link =
                text.split_whitespace().find(|word| word.starts_with("https://shop.example/seats")).unwrap();
            let url: reqwest::Url = link.parse().unwrap();
            let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
            format!("{SEATS}{}/?token={}", value("voucher_id"), value("token"))
        };
        let old = link(MISTYPED).await;
        let old_code = seats::pool(world, &key).await["code"].as_str().unwrap().to_owned();
        assert_eq!(fetch(world, &old).await.status, 200);
        correct(world, &noor, &cart).await;
        fetch(world, &old).await.assert_problem(401, "unauthenticated");
        let redeem = async |code: &str| {
            let mut body = world.basket(shop).await;
            (body["email"], body["voucher"]) = (json!("bea@example.com"), json!(code));
            world.post(GUEST_CHECKOUT, &body).await
        };
        redeem(&old_code).await.assert_problem(400, "invalid_request");
        let new = link(EMAIL).await;
        assert_eq!(fetch(world, &new).await.json["left"], 3);
        let code = seats::pool(world, &key).await["code"].as_str().unwrap().to_owned();
        assert_eq!(mails(world, EMAIL, &[&code]).await.len(), 1);
        assert_eq!(redeem(&code).await.status, 200);
        assert_eq!(get(world, SEATS, &key).await.json["pools"][0]["used"], 1);
    })
    .await;
}
