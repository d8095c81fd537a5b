//! Declarations of withdrawal in the export and the erasure of a person.

use harness::steps::learner_cart::learner;
use harness::steps::organisation_keys::key;
use harness::steps::payments::EMAIL;
use harness::steps::people::tables_with;
use harness::steps::refunds::bought;
use harness::steps::vouchers::keyed;
use harness::steps::withdrawals::{declaration, declare, declare_as, declared};
use harness::steps::worker_program::operator;
use harness::{ORGANISATIONS, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

async fn learners(world: &World, words: &[&str]) -> (bool, String) {
    operator(world, &[&["learners"], words].concat(), &["database-url"]).await
}

#[tokio::test]
async fn a_withdrawal_is_exported_and_is_erased_once_it_is_decided() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Refunds]).await;
        let cart = bought(world, &ORGANISATIONS[0], EMAIL).await.0;
        declare(world, &declaration(&cart, EMAIL)).await;
        declare(world, &declaration("NW26-9", EMAIL)).await;
        world
            .eventually("both are stored", async |world| {
                let stored: i64 = sqlx::query_scalar("SELECT count(*) FROM withdrawals")
                    .fetch_one(&world.db)
                    .await
                    .unwrap();
                stored == 2
            })
            .await;
        world.drain().await;
        let (done, text) = learners(world, &["export", EMAIL]).await;
        assert!(done, "{text}");
        let all: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(all["withdrawals"].as_array().unwrap().len(), 2);
        assert_eq!(all["withdrawals"][0]["name"], "Ada Lovelace");
        let (done, said) = learners(world, &["erase", EMAIL]).await;
        assert!(!done && said.contains("a withdrawal of cart"), "{said}");
        let id = declared(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
        let path = format!("/storeapi/payment/withdrawals/{id}/decision/");
        let refused = json!({ "decision": "refuse", "reason": "asked by phone" });
        let refused = keyed(world, Method::POST, &path, &key, &refused).await;
        assert_eq!(refused.status, 200, "{}", refused.text);
        world.drain().await;
        let (done, said) = learners(world, &["erase", EMAIL]).await;
        assert!(done && said.contains("erased"), "{said}");
        for personal in [EMAIL, "Ada Lovelace", "NW26-9"] {
            assert_eq!(tables_with(world, personal).await, Vec::<String>::new(), "{personal}");
        }
        assert_eq!(declared(world, &cart).await[0]["state"], "refused");
    })
    .await;
}

#[tokio::test]
async fn a_buyers_own_declaration_keeps_its_name_when_the_owner_of_the_typed_address_is_erased() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let cart = bought(world, &ORGANISATIONS[0], "bob@example.com").await.0;
        let bob = learner(world, "bob@example.com").await;
        declare_as(world, &bob, &declaration(&cart, EMAIL)).await;
        world.drain().await;
        let (done, said) = learners(world, &["erase", EMAIL]).await;
        assert!(done, "{said}");
        let kept = &declared(world, &cart).await[0];
        assert_eq!((&kept["name"], &kept["proof"]), (&json!("Ada Lovelace"), &json!("session")));
        assert_eq!(tables_with(world, EMAIL).await, Vec::<String>::new());
    })
    .await;
}
