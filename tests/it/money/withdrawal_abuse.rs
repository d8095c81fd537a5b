//! Declarations of withdrawal that say less, or more, than their order: ambiguous numbers, typed addresses, lines that do not exist.

use harness::steps::invoices::{SHOP, paid};
use harness::steps::learner_cart::learner;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{ledger, other_course, refund};
use harness::steps::tax::{import, seller};
use harness::steps::vouchers::keyed;
use harness::steps::withdrawals::{
    all_consents, bought, declaration, declare, declare_as, declare_by_link, declared, mails, offer, service,
    token, waits,
};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const STRANGER: &str = "mallory@example.com";

/// A paid order of two lines, whose buyer can withdraw.
async fn two_lines(world: &World) -> String {
    offer(world, SHOP, service()).await;
    let other = other_course(world, SHOP).await;
    let mut body = world.basket(SHOP).await;
    let items = body["items"].as_array_mut().unwrap();
    items.push(json!({ "type": "course", "id": other, "mode": "verified" }));
    (body["email"], body["consents"]) = (json!(EMAIL), all_consents());
    paid(world, &body).await
}

async fn refunded(world: &World, cart: &str) -> i64 {
    ledger(world, cart).await.iter().filter(|(kind, _)| kind == "refunded").map(|(_, amount)| -amount).sum()
}

async fn unmatched(world: &World) -> Vec<Value> {
    let rows = "SELECT to_jsonb(w) FROM withdrawals w WHERE state = 'unmatched' ORDER BY declared_at, id";
    sqlx::query_scalar(rows).fetch_all(&world.db).await.unwrap()
}

async fn decide(world: &World, key: &str, id: &Value, body: Value) -> Reply {
    let path = format!("/storeapi/payment/withdrawals/{}/decision/", id.as_str().unwrap());
    keyed(world, Method::POST, &path, key, &body).await
}

/// Invoice numbers are a seller's own: article 226 (2) of directive 2006/112/EC.
#[tokio::test]
async fn a_number_of_two_sellers_pays_nothing_back_and_a_link_means_its_own_order() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let mut carts = Vec::new();
        for organisation in &ORGANISATIONS[..2] {
            let same = json!({ "invoice_prefix": "INV", "credit_note_prefix": "CRN" });
            import(world, &[seller(organisation, "DE", same)]).await.unwrap();
            offer(world, organisation, service()).await;
            carts.push(bought(world, organisation, EMAIL, all_consents()).await);
        }
        let numbers = "SELECT count(*) FROM documents WHERE number LIKE 'INV%-000001'";
        world.eventually("both have an invoice", async |world| count(world, numbers).await == 2).await;
        let number: String =
            sqlx::query_scalar("SELECT DISTINCT number FROM documents").fetch_one(&world.db).await.unwrap();
        let user = learner(world, EMAIL).await;
        // As a mail program may make it of what was copied.
        let typed = format!(" {} ", number.to_lowercase().replace('-', "\u{2011}"));
        declare_as(world, &user, &declaration(&typed, EMAIL)).await;
        declare(world, &declaration(&number, EMAIL)).await;
        world.drain().await;
        let waiting = unmatched(world).await;
        assert_eq!(waiting.len(), 2, "{waiting:?}");
        assert!(waiting.iter().all(|one| one["waits_because"] == "the number is that of several orders"));
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 0);
        // The older of the two orders.
        let token = token(world, EMAIL, &carts[0]).await;
        assert_eq!(declare_by_link(world, &token, &declaration(&number, EMAIL)).await.status, 202);
        world.cart_becomes(&carts[0], "refunded").await;
        assert_eq!(declared(world, &carts[1]).await.len(), 0);
    })
    .await;
}

#[tokio::test]
async fn nobody_is_mailed_at_an_address_that_somebody_typed() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let cart = two_lines(world).await;
        let token = token(world, EMAIL, &cart).await;
        let user = learner(world, EMAIL).await;
        let mut typed = declaration(&cart, STRANGER);
        typed["name"] = json!("Win a prize at https://evil.example/now");
        for item in [0, 49] {
            typed["items"] = json!([item]);
            for _ in 0..3 {
                declare_as(world, &user, &typed).await;
                assert_eq!(declare_by_link(world, &token, &typed).await.status, 202);
            }
        }
        world.drain().await;
        assert!(world.emails(STRANGER).await.is_empty());
        let told = mails(world, EMAIL, &["received your withdrawal", "Win a prize"]).await;
        assert_eq!(told.len(), 1, "{told:?}");
        let text = told[0]["text"].as_str().unwrap();
        assert!(!text.contains("evil.example") && !text.contains("https://evil"), "{text}");
        // Nothing is left of a refunded order: one declaration about that waits, however often it is repeated.
        declare_by_link(world, &token, &declaration(&cart, EMAIL)).await;
        world.cart_becomes(&cart, "refunded").await;
        for _ in 0..3 {
            declare(world, &declaration(&cart, EMAIL)).await;
        }
        world.drain().await;
        assert_eq!(mails(world, EMAIL, &["received your withdrawal"]).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn what_is_accepted_is_what_was_declared() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Refunds]).await;
        let cart = two_lines(world).await;
        let token = token(world, EMAIL, &cart).await;
        let mut none = declaration(&cart, EMAIL);
        none["items"] = json!([49]);
        assert_eq!(declare_by_link(world, &token, &none).await.status, 202);
        let mut first = declaration(&cart, STRANGER);
        first["items"] = json!([0]);
        declare(world, &first).await;
        world.drain().await;
        let [none, first] = &unmatched(world).await[..] else { panic!("not two declarations") };
        assert_eq!(none["waits_because"], "the order has no such line");
        assert_eq!((&none["items"], &first["items"]), (&json!([49]), &json!([0])));
        let refused = decide(world, &key, &none["id"], json!({ "decision": "accept" })).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert_eq!(refunded(world, &cart).await, 0);
        let accepted = decide(world, &key, &first["id"], json!({ "decision": "accept" })).await;
        assert_eq!(accepted.status, 200, "{}", accepted.text);
        let line: i64 = sqlx::query_scalar(
            "SELECT line_charged(i) FROM cart_items i WHERE cart_id = $1::uuid AND position = 0",
        )
        .bind(&cart)
        .fetch_one(&world.db)
        .await
        .unwrap();
        world.eventually("the line is paid back", async |world| refunded(world, &cart).await == line).await;
        assert_ne!(world.status(&cart).await["status"], "refunded");
    })
    .await;
}

#[tokio::test]
async fn a_part_that_the_organisation_kept_stays_kept() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        offer(world, SHOP, service()).await;
        let key = key(world, "northwind", &[Scope::Refunds]).await;
        let cart = bought(world, SHOP, EMAIL, all_consents()).await;
        let token = token(world, EMAIL, &cart).await;
        let part = refund(world, &key, &cart, &json!({ "items": [0], "amount": 1 })).await;
        assert!(part.status < 300, "{}", part.text);
        world.eventually("a part is paid back", async |world| refunded(world, &cart).await == 100).await;
        let mut line = declaration(&cart, EMAIL);
        line["items"] = json!([0]);
        declare_by_link(world, &token, &line).await;
        assert_eq!(waits(world, &cart).await, "nothing is left to withdraw from");
        world.drain().await;
        assert_eq!(refunded(world, &cart).await, 100);
    })
    .await;
}
