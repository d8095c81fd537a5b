//! The language of invoices and credit notes.

use harness::steps::invoices::{SHOP, paid, sell_with_tax};
use harness::steps::organisation_keys::key;
use harness::steps::refunds::{order, refund};
use harness::{Setup, world};
use serde_json::json;
use shared::organisation_key::Scope;

use crate::invoices::{content, download, text};

#[tokio::test]
async fn a_document_is_in_the_language_of_its_order_unless_that_runs_from_right_to_left() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        sqlx::query("UPDATE organisations SET languages = '{ar,sv}'").execute(&world.db).await.unwrap();
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        for (asked, language, words) in [
            ("de-AT", "de-AT", ["Rechnung", "Rechnungskorrektur", "167,23"]),
            ("ar", "sv", ["Faktura", "Kreditfaktura", "167,23"]),
        ] {
            let email = format!("{language}@example.com");
            let mut body = world.basket(SHOP).await;
            (body["email"], body["language"]) = (json!(email), json!(asked));
            body["billing_address"] = json!({ "country": "DE" });
            let cart = paid(world, &body).await;
            assert_eq!(refund(world, &key, &cart, &json!({})).await.status, 200);
            world.drain().await;
            let documents = order(world, &key, &cart).await["documents"].clone();
            let mut said = String::new();
            for document in documents.as_array().unwrap() {
                assert_eq!(content(world, &key, document).await["language"], language);
                said.push_str(&text(&download(world, document["url"].as_str().unwrap()).await.1));
            }
            // The name of the tax is the seller's.
            for words in words.into_iter().chain(["USt", "Thank you."]) {
                assert!(said.contains(words), "{words} is missing: {said}");
            }
        }
    })
    .await;
}
