//! Links of mails that have ended or were altered, as a browser opens them: each page says what to do, and none of it in JSON.

use harness::steps::invoices::{SHOP, sell_with_tax, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::EMAIL;
use harness::steps::refunds::order;
use harness::{Reply, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

async fn open(world: &World, path: &str) -> Reply {
    let request = world.http.get(world.url(path)).header("accept", BROWSER);
    Reply::read(request.header("accept-language", "de")).await
}

/// The address of the button of a page.
fn action(page: &Reply) -> String {
    let (_, form) = page.text.split_once("<form method=\"post\" action=\"").unwrap();
    form.split_once('"').unwrap().0.replace("&#x2f;", "/").replace("&amp;", "&").replace("&#x3d;", "=")
}

async fn press(world: &World, path: &str) -> Reply {
    let request = world.http.post(world.url(path)).header("accept", BROWSER);
    Reply::read(request.header("accept-language", "de")).await
}

/// The links to documents that an address was mailed.
async fn links(world: &World, words: &str) -> Vec<String> {
    let mails = world.emails(EMAIL).await;
    let of = |mail: &Value| {
        let text = mail["text"].as_str().unwrap().to_owned();
        let link =
            text.split_whitespace().find(|word| word.contains("/payment/documents/")).map(str::to_owned);
        link.filter(|_| mail["subject"].as_str().unwrap().contains(words))
    };
    mails.iter().filter_map(of).collect()
}

#[tokio::test]
async fn a_link_to_an_invoice_that_has_ended_leads_to_a_page_that_mails_a_new_one_to_the_same_address() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let cart = sold(world, EMAIL, json!({ "name": "Ada", "country": "DE" })).await;
        world.drain().await;
        let own = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let url = order(world, &own, &cart).await["documents"][0]["url"].as_str().unwrap().to_owned();
        let path = url.strip_prefix("http://store.test").unwrap().to_owned();
        assert_eq!(open(world, &path).await.status, 200);
        world.clock.advance(chrono::TimeDelta::days(92));
        let page = open(world, &path).await;
        assert_eq!(page.status, 401, "{}", page.text);
        // In the order's language, with a way back to the shop.
        for words in ["<html lang=\"en\"", "no longer valid", "Send a new link", "Back to Northwind"] {
            assert!(page.text.contains(words), "{words}: {}", page.text);
        }
        assert!(!page.text.contains(EMAIL) && !page.text.contains("NW"), "{}", page.text);
        let button = action(&page);
        let sent = press(world, &button).await;
        assert!(sent.status == 202 && sent.text.contains("on its way"), "{}", sent.text);
        world.eventually("the document", async |world| links(world, "Your document").await.len() == 1).await;
        let new = links(world, "Your document").await.remove(0);
        let new = new.strip_prefix("http://store.test").unwrap().to_owned();
        assert_eq!(open(world, &new).await.status, 200, "{new}");
        // Three times a day, for all visitors together.
        for _ in 0..4 {
            assert_eq!(press(world, &button).await.status, 202);
        }
        world.drain().await;
        assert_eq!(links(world, "Your document").await.len(), 3);
        // Callers of the api keep their problem.
        let plain = Reply::read(world.http.get(world.url(&path))).await;
        plain.assert_problem(401, "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn an_altered_link_to_an_invoice_offers_the_same_and_says_nothing_of_the_order() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let cart = sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let own = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let url = order(world, &own, &cart).await["documents"][0]["url"].as_str().unwrap().to_owned();
        let path = url.strip_prefix("http://store.test").unwrap().to_owned();
        let altered = open(world, &format!("{path}x")).await;
        assert_eq!(altered.status, 401);
        assert!(altered.text.contains("<html lang=\"de\"") && altered.text.contains("Neuen Link schicken"));
        assert!(!altered.text.contains("Northwind") && !altered.text.contains(&cart), "{}", altered.text);
        assert_eq!(press(world, &action(&altered)).await.status, 202);
        world.eventually("the document", async |world| links(world, "Your document").await.len() == 1).await;
        // For a document that does not exist the answer is the same.
        let unknown = format!("/storeapi/payment/documents/{}/", uuid::Uuid::now_v7());
        let page = open(world, &unknown).await;
        assert_eq!(page.status, 401);
        assert_eq!(press(world, &action(&page)).await.status, 202);
        world.drain().await;
        assert_eq!(get(world, &unknown, &own).await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn an_altered_link_of_an_invitation_says_how_to_go_on() {
    world(Setup::default(), async |world| {
        let page = open(world, "/storeapi/registrations/0123.456.789/").await;
        assert_eq!(page.status, 404);
        assert!(
            page.text.contains("Dieser Link ist unvollständig") && page.text.contains("Konto auch ohne ihn")
        );
        let plain = Reply::read(world.http.get(world.url("/storeapi/registrations/0123.456.789/"))).await;
        plain.assert_problem(404, "not_found");
    })
    .await;
}
