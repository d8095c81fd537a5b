//! The HTML pages that a browser gets for order links; other clients get JSON.

use harness::steps::credentials::session;
use harness::steps::demo::{FREE_COURSE, UNKNOWN_ID};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const CART: &str = "/storeapi/payment/cart/";
const CHECKOUT: &str = "/storeapi/payment/checkout/";

/// Checks out a learner's own cart.
async fn checked_out(world: &World, user: &Value, organisation: &str, course: &str, mode: &str) -> Value {
    let own = |method, path: &str| {
        let request = world.request(method, path).header("orgName", organisation);
        request.header("cookie", session(user))
    };
    let items = json!({ "items": [{ "type": "course", "id": course, "mode": mode }] });
    Reply::read(own(Method::PUT, CART).json(&items)).await;
    let reply = Reply::read(own(Method::POST, CHECKOUT)).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json
}

/// Opens a link from an answer, as a browser with these cookies does.
async fn open(world: &World, url: &str, cookie: &str) -> Reply {
    let path = url.strip_prefix("http://store.test").unwrap_or(url);
    let request = world.http.get(world.url(path)).header("accept", BROWSER);
    Reply::read(request.header("cookie", cookie)).await
}

fn assert_page(reply: &Reply, status: u16, says: &str) {
    assert_eq!(reply.status, status, "{}", reply.text);
    assert!(reply.header("content-type").starts_with("text/html"), "{}", reply.text);
    assert!(reply.text.contains(says), "{}", reply.text);
    let policy = reply.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'nonce-") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert!(!reply.text.contains("<script") && !policy.contains("script-src"));
    assert_eq!(
        (reply.header("cache-control"), reply.header("referrer-policy")),
        ("no-store", "strict-origin")
    );
}

#[tokio::test]
async fn the_link_of_a_free_cart_shows_its_learner_a_page() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let name = "<b>Brötchen & \"Käse\"</b>";
        sqlx::query("UPDATE courses SET display_name = $1 WHERE id = $2::uuid")
            .bind(name)
            .bind(FREE_COURSE)
            .execute(&world.db)
            .await
            .unwrap();
        let answer = checked_out(world, &ada, "northwind", FREE_COURSE, "audit").await;
        let url = answer["redirect_url"].as_str().unwrap();
        let page = open(world, url, &session(&ada)).await;
        assert_page(&page, 200, "Your order is complete. Your courses are in your account.");
        assert!(page.text.contains("&lt;b&gt;Brötchen") && !page.text.contains("<b>"), "{}", page.text);
        assert!(page.text.contains(&format!("cart_id={}", answer["cart_id"].as_str().unwrap())));
        let path = url.strip_prefix("http://store.test").unwrap();
        for accept in ["*/*", "application/json", "application/json, text/html;q=0.5"] {
            let request = world.http.get(world.url(path)).header("accept", accept);
            let reply = Reply::read(request.header("cookie", session(&ada))).await;
            assert_eq!(reply.json["status"], "fulfilled", "{accept}");
        }
        // Without a session, or with another learner's.
        assert_page(&open(world, url, "").await, 401, "no longer valid");
        let bob = world.platform_user("bob@example.com").await;
        assert_page(&open(world, url, &session(&bob)).await, 404, "Order not found");
        let nothing = format!("/storeapi/payment/status/{UNKNOWN_ID}/");
        assert_page(&open(world, &nothing, &session(&ada)).await, 404, "Order not found");
        assert_page(
            &open(world, "/storeapi/payment/status/x/", &session(&ada)).await,
            400,
            "Order not found",
        );
        let request = world.http.get(world.url(path)).header("accept", "application/json");
        Reply::read(request).await.assert_problem(401, "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn a_link_to_the_payment_page_that_is_over_shows_a_page() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let ada = world.platform_user("ada@example.com").await;
        let organisation = &ORGANISATIONS[0];
        let answer =
            checked_out(world, &ada, organisation.short_name, organisation.course, organisation.mode).await;
        let url = answer["redirect_url"].as_str().unwrap();
        let page = open(world, url, "").await;
        assert!(page.status == 200 && page.header("content-security-policy").contains("script-src"));
        let status = url.replace("/pay/", "/status/");
        assert_page(&open(world, &status, "").await, 200, "has not been confirmed yet");
        world.clock.advance(chrono::TimeDelta::minutes(31));
        // The buyer may come back from a slow bank: the page leads on to the shop.
        for link in [url, &format!("{url}&redirect_status=succeeded"), &status] {
            let page = open(world, link, "").await;
            assert_page(&page, 401, "This link has expired");
            let back = format!("cart_id={}", answer["cart_id"].as_str().unwrap());
            assert!(page.text.contains(&back) && page.text.contains("Back to Northwind"), "{}", page.text);
        }
        // A link that was altered says nothing about the order.
        let altered = open(world, &format!("{url}x"), "").await;
        assert_page(&altered, 401, "no longer valid");
        assert!(!altered.text.contains("cart_id="), "{}", altered.text);
        // The learner who owns the cart needs no link.
        assert_eq!(open(world, url, &session(&ada)).await.status, 200);
        let other =
            Reply::read(world.http.get(world.url(url.strip_prefix("http://store.test").unwrap()))).await;
        other.assert_problem(401, "unauthenticated");
    })
    .await;
}
