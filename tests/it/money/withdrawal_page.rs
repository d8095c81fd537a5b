//! The pages of withdrawal, as a browser without JavaScript uses them, and whether anything tells which orders exist.

use std::time::{Duration, Instant};

use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::steps::refunds::other_course;
use harness::steps::withdrawals::{
    all_consents, bought, declaration, declare, declared, mails, offer, service, token,
};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Setup, World, world};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

const PAGE: &str = "/storeapi/payment/withdraw/";

async fn open(world: &World, query: &str, language: &str) -> String {
    let request = world.http.get(world.url(&format!("{PAGE}{query}"))).header("accept", "text/html");
    let page = request.header("accept-language", language).send().await.unwrap();
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("script-src"), "{policy}");
    assert_eq!(
        (page.status().as_u16(), &page.headers()["cache-control"]),
        (200, &"no-store".parse().unwrap())
    );
    page.text().await.unwrap()
}

async fn post(world: &World, query: &str, form: &[(&str, &str)]) -> (u16, String) {
    let mut encoded = reqwest::Url::parse("http://store.test/").unwrap();
    encoded.query_pairs_mut().extend_pairs(form);
    let encoded = encoded.query().unwrap().to_owned();
    let request = world.http.post(world.url(&format!("{PAGE}{query}"))).header("accept", "text/html");
    let request = request.header("content-type", "application/x-www-form-urlencoded").body(encoded);
    let page = request.send().await.unwrap();
    (page.status().as_u16(), page.text().await.unwrap())
}

#[tokio::test]
async fn the_page_declares_in_two_steps_in_the_buyers_language() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        offer(world, shop, service()).await;
        let cart = bought(world, shop, EMAIL, all_consents()).await;
        let token = token(world, EMAIL, &cart).await;
        let query = format!("?token={token}");
        // The order's language, whatever else the request names.
        let english = open(world, &format!("{query}&lang=fr"), "de").await;
        let words = [
            "<html lang=\"en\" dir=\"ltr\">",
            "Withdraw from contract here",
            &cart,
            "with Northwind",
            "Back to Northwind",
            EMAIL,
        ];
        for words in words {
            assert!(english.contains(words), "{words}: {english}");
        }
        // The link proves the order and the address.
        assert!(!english.contains("name=\"email\"") && !english.contains("name=\"order\""), "{english}");
        // What is missing is named, and nothing is declared.
        let empty = [("step", "confirm"), ("order", cart.as_str()), ("name", ""), ("email", "ada")];
        let (status, page) = post(world, &query, &empty).await;
        assert_eq!(status, 400, "{page}");
        assert!(page.contains("Enter your name.") && page.contains("aria-invalid"), "{page}");
        assert!(!page.contains("Enter your email address"), "{page}");
        let (status, page) = post(world, "", &empty).await;
        assert!(status == 400 && page.contains("Enter your email address"), "{page}");
        let filled = |step| [("step", step), ("order", cart.as_str()), ("name", "Ada <b>"), ("email", EMAIL)];
        let (status, page) = post(world, &query, &filled("confirm")).await;
        assert!(
            status == 200 && page.contains("Confirm withdrawal") && page.contains("Ada &lt;b&gt;"),
            "{page}"
        );
        world.drain().await;
        assert_eq!(
            count(world, "SELECT count(*) FROM withdrawals").await,
            0,
            "the first step declares nothing"
        );
        let back = [&filled("declare")[..], &[("back", "1")]].concat();
        let (status, page) = post(world, &query, &back).await;
        assert!(status == 200 && page.contains("value=\"Ada &lt;b&gt;\""), "{page}");
        let (status, page) = post(world, &query, &filled("declare")).await;
        assert!(status == 202 && page.contains("Your withdrawal was received"), "{page}");
        assert!(page.contains("You will get a confirmation") && !page.contains("If it names"), "{page}");
        world.cart_becomes(&cart, "refunded").await;
        assert_eq!(declared(world, &cart).await[0]["proof"], "link");
    })
    .await;
}

#[tokio::test]
async fn the_page_is_in_the_language_of_the_order_else_of_the_link_else_of_the_browser() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        offer(world, shop, service()).await;
        for (query, browser, begins, says) in [
            ("", "de-AT,de;q=0.9", "<html lang=\"de-AT\" dir=\"ltr\">", "Vertrag widerrufen"),
            ("?lang=fr", "de", "<html lang=\"fr\" dir=\"ltr\">", "Renoncer au contrat ici"),
            ("?lang=ar", "de", "<html lang=\"ar\" dir=\"rtl\">", "العدول عن العقد هنا"),
            ("?lang=ja", "ja, sv;q=0.5", "<html lang=\"sv\" dir=\"ltr\">", "Frånträd avtalet här"),
            ("?lang=none", "", "<html lang=\"en\" dir=\"ltr\">", "Withdraw from contract here"),
        ] {
            let page = open(world, query, browser).await;
            assert!(page.contains(begins) && page.contains(says), "{query} {browser}: {page}");
        }

        let mut body = world.basket(shop).await;
        (body["email"], body["consents"], body["language"]) = (json!(EMAIL), all_consents(), json!("ar"));
        let cart = cart_id(&world.post(GUEST_CHECKOUT, &body).await).to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        let query = format!("?token={}&lang=de", token(world, EMAIL, &cart).await);
        let page = open(world, &query, "de").await;
        assert!(page.contains("<html lang=\"ar\" dir=\"rtl\">"), "{page}");
        let form = |step| [("step", step), ("order", cart.as_str()), ("name", "Ada"), ("email", EMAIL)];
        let (status, page) = post(world, &query, &form("confirm")).await;
        assert!(status == 200 && page.contains("تأكيد العدول"), "{page}");
        let (status, page) = post(world, &query, &form("confirm")[..1]).await;
        assert!(status == 400 && page.contains("أدخل اسمك."), "{page}");
        // So is the page of the objection: its link names a withdrawal of the order.
        declare(world, &declaration(&cart, EMAIL)).await;
        let mail = "لم أعلن هذا";
        world
            .eventually("a link to object", async |world| !mails(world, EMAIL, &[mail]).await.is_empty())
            .await;
        let text = mails(world, EMAIL, &[mail]).await[0]["text"].as_str().unwrap().to_owned();
        let token = text.split_once("/objection/?token=").unwrap().1.split_whitespace().next().unwrap();
        let page = open(world, &format!("objection/?token={token}&lang=de"), "de").await;
        assert!(page.contains("<html lang=\"ar\" dir=\"rtl\">") && page.contains(mail), "{page}");
    })
    .await;
}

#[tokio::test]
async fn the_page_needs_no_link_and_offers_the_lines_of_one() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        offer(world, shop, service()).await;
        let other = other_course(world, shop).await;
        let mut body = world.basket(shop).await;
        body["items"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "type": "course", "id": other, "mode": "verified" }));
        (body["email"], body["consents"]) = (json!(EMAIL), all_consents());
        let cart = cart_id(&world.post(GUEST_CHECKOUT, &body).await).to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        let token = token(world, EMAIL, &cart).await;
        let query = format!("?token={token}");
        assert_eq!(open(world, &query, "en").await.matches("type=\"checkbox\"").count(), 2);
        let form = |step| {
            [("step", step), ("order", cart.as_str()), ("name", "Ada"), ("email", EMAIL), ("item", "1")]
        };
        let (status, page) = post(world, &query, &form("declare")).await;
        assert_eq!(status, 202, "{page}");
        world
            .eventually("one line is declared", async |world| {
                declared(world, &cart).await.first().is_some_and(|one| one["items"] == json!([1]))
            })
            .await;
        // Without a link, or with one that is no longer valid, the form is still there.
        let expired = open(world, "?token=x.1.y", "en").await;
        assert!(
            expired.contains("no longer valid")
                && expired.contains("<form")
                && !expired.contains("type=\"checkbox\""),
            "{expired}"
        );
        let (status, page) = post(world, "", &form("declare")[..4]).await;
        assert_eq!(status, 202, "{page}");
        world
            .eventually("the other line is declared, without proof", async |world| {
                declared(world, &cart)
                    .await
                    .get(1)
                    .is_some_and(|one| one["proof"] == "none" && one["items"] == json!([0]))
            })
            .await;
        let (status, _) = post(world, "?token=x.1.y", &[("step", "declare")]).await;
        assert_eq!(status, 200, "an empty form is shown again");
        let gone = world
            .http
            .request(Method::GET, world.url(&format!("{PAGE}objection/?token=x")))
            .send()
            .await
            .unwrap();
        assert!(gone.text().await.unwrap().contains("nothing to object to"));
    })
    .await;
}

/// What a page says of the time at which the declaration was received.
fn received(page: &str) -> &str {
    page.lines()
        .find(|line| line.contains("We received your declaration on"))
        .unwrap_or_else(|| panic!("{page}"))
}

#[tokio::test]
async fn a_page_that_is_loaded_again_declares_nothing_more_and_shows_the_time_that_is_acknowledged() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        // A seller in Stockholm.
        let shop = &ORGANISATIONS[1];
        offer(world, shop, service()).await;
        let cart = bought(world, shop, EMAIL, all_consents()).await;
        let query = format!("?token={}", token(world, EMAIL, &cart).await);
        for (query, email) in [(query.as_str(), EMAIL), ("", "stranger@example.com")] {
            let filled = |step| [("step", step), ("order", cart.as_str()), ("name", "Ada"), ("email", email)];
            let (_, page) = post(world, query, &filled("confirm")).await;
            let (_, once) = page.split_once("name=\"once\" value=\"").unwrap();
            let once = once.split_once('"').unwrap().0.to_owned();
            let form = [&filled("declare")[..], &[("once", &once)]].concat();
            let (status, first) = post(world, query, &form).await;
            assert_eq!(status, 202, "{first}");
            // In the seller's time, for who has the order's link.
            assert_eq!(received(&first).contains("UTC+0"), !query.is_empty(), "{first}");
            let stored = async |world: &World| {
                let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM withdrawals WHERE id = $1::uuid")
                    .bind(&once)
                    .fetch_one(&world.db)
                    .await
                    .unwrap();
                rows == 1
            };
            world.eventually("it is stored", stored).await;
            world.clock.advance(chrono::TimeDelta::minutes(5));
            let (status, again) = post(world, query, &form).await;
            assert_eq!((status, received(&again)), (202, received(&first)));
        }
        world.drain().await;
        assert_eq!(count(world, "SELECT count(*) FROM withdrawals").await, 2);
    })
    .await;
}

/// The largest distance between two distributions of times, from 0 to 1.
fn distance(a: &[Duration], b: &[Duration]) -> f64 {
    let share = |of: &[Duration], most: &Duration| {
        of.iter().filter(|time| *time <= most).count() as f64 / of.len() as f64
    };
    a.iter().chain(b).map(|at| (share(a, at) - share(b, at)).abs()).fold(0.0, f64::max)
}

#[tokio::test]
async fn the_time_of_an_answer_does_not_tell_whether_the_order_exists() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        offer(world, shop, service()).await;
        let mut carts = Vec::new();
        for nth in 0..4 {
            let email = format!("buyer{nth}@example.com");
            carts.push((bought(world, shop, &email, all_consents()).await, email));
        }
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        let timed = async |order: &str, email: &str| {
            let start = Instant::now();
            let reply = declare(world, &declaration(order, email)).await;
            assert_eq!(reply.status, 202, "{}", reply.text);
            start.elapsed()
        };
        for nth in 0..200 {
            let (cart, email) = &carts[nth % carts.len()];
            let (nobody, nothing) = (format!("buyer{nth}@unknown.example"), Uuid::now_v7().to_string());
            // In turns, so that what else the machine does meets both.
            if nth % 2 == 0 {
                known.push(timed(cart, email).await);
                unknown.push(timed(&nothing, &nobody).await);
            } else {
                unknown.push(timed(&nothing, &nobody).await);
                known.push(timed(cart, email).await);
            }
        }
        let found = distance(&known, &unknown);
        known.sort_unstable();
        unknown.sort_unstable();
        println!("distance {found:.3}, medians {:?} and {:?}", known[100], unknown[100]);
        // Kolmogorov and Smirnov: equal distributions of 200 are further apart once in a thousand times.
        assert!(found < 0.195, "{found}: medians {:?} and {:?}", known[100], unknown[100]);
    })
    .await;
}
