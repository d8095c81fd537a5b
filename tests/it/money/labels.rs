//! The reference and the metadata that the seller's own systems give an order.

use harness::steps::credentials::session;
use harness::steps::invoices::{SHOP, paid, sell_with_tax};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, cart_id, count};
use harness::steps::refunds::order;
use harness::steps::worker_program::operator;
use harness::{GUEST_CHECKOUT, Reply, Setup, World, at_each_gateway, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::invoices::{content, download, text};

const REPORT: &str = "/storeapi/reports/ledger/?from=2026-01-01&to=2026-12-31";

async fn labelled(world: &World, reference: &str) -> Value {
    let mut body = world.basket(SHOP).await;
    (body["email"], body["billing_address"]) = (json!(EMAIL), json!({ "country": "DE" }));
    (body["reference"], body["metadata"]) =
        (json!(reference), json!({ "utm_campaign": "spring", "tier": "gold" }));
    body
}

#[tokio::test]
async fn labels_are_in_the_order_its_events_the_reports_and_the_reference_on_the_invoice() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Reports, Scope::Events]).await;
        let body = labelled(world, " PO-17 ").await;
        let cart = paid(world, &body).await;
        world.drain().await;
        let metadata = json!({ "utm_campaign": "spring", "tier": "gold" });
        let shown = order(world, &key, &cart).await;
        assert_eq!((&shown["reference"], &shown["metadata"]), (&json!("PO-17"), &metadata), "{shown}");

        let list = async |reference: &str| {
            let page = get(world, &format!("/storeapi/payment/orders/?reference={reference}"), &key).await;
            page.json["orders"].as_array().unwrap().len()
        };
        assert_eq!((list("PO-17").await, list("PO-18").await), (1, 0));
        let events = get(world, "/storeapi/events/", &key).await;
        let mut paid =
            events.json["events"].as_array().unwrap().iter().filter(|event| event["type"] == "order.paid");
        let event = &paid.next().unwrap()["data"];
        assert_eq!(
            (&event["reference"], &event["metadata"]),
            (&json!("PO-17"), &metadata),
            "{}",
            events.text
        );
        let report = get(world, &format!("{REPORT}&format=json"), &key).await;
        let row = &report.json[0];
        assert_eq!((&row["reference"], &row["metadata"]), (&json!("PO-17"), &metadata), "{}", report.text);
        let csv = get(world, REPORT, &key).await;
        let cells = r#"PO-17,"{""tier"":""gold"",""utm_campaign"":""spring""}""#;
        assert!(csv.text.contains(&format!("{cells},,,,false\r\n")), "{}", csv.text);

        let invoice = &shown["documents"][0];
        assert_eq!(content(world, &key, invoice).await["reference"], "PO-17");
        let printed = text(&download(world, invoice["url"].as_str().unwrap()).await.1);
        assert!(printed.contains("PO-17") && !printed.contains("spring"), "{printed}");

        let (done, said) = operator(world, &["learners", "erase", EMAIL], &["database-url"]).await;
        assert!(done, "{said}");
        let kept = "SELECT (SELECT count(*) FROM carts WHERE metadata IS NOT NULL)
                         + (SELECT count(*) FROM events WHERE data::text LIKE '%spring%')
                         + (SELECT count(*) FROM transactions WHERE provider_request::text LIKE '%spring%')";
        assert_eq!(count(world, kept).await, 0);
    })
    .await;
}

#[tokio::test]
async fn each_provider_gets_the_labels_and_the_same_basket_with_others_is_the_same_attempt() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        at_each_gateway(async |shop| {
            let mut body = world.basket(shop).await;
            body["email"] = json!(EMAIL);
            body["reference"] = json!("PO-17");
            let pairs = (1..=20).map(|nth| (format!("name{nth}"), json!("x".repeat(200))));
            body["metadata"] = pairs.collect::<serde_json::Map<_, _>>().into();
            // A provider keeps our own ids.
            body["metadata"]["cart_id"] = json!("theirs");
            body["metadata"].as_object_mut().unwrap().remove("name20");
            let begun = world.post(GUEST_CHECKOUT, &body).await;
            let cart = cart_id(&begun).to_owned();
            let sent: Value =
                sqlx::query_scalar("SELECT provider_request FROM transactions WHERE cart_id = $1::uuid")
                    .bind(&cart)
                    .fetch_one(&world.db)
                    .await
                    .unwrap();
            let at = |name: &str| {
                let places = [
                    format!("/metadata/{name}"),
                    format!("/notes/{name}"),
                    format!("/intent/metadata[{name}]"),
                ];
                places.iter().find_map(|place| sent.pointer(place)).and_then(Value::as_str).map(str::to_owned)
            };
            assert_eq!(
                (at("reference").as_deref(), at("cart_id").as_deref()),
                (Some("PO-17"), Some(cart.as_str()))
            );
            assert_eq!(at("name1").map(|text| text.len()), Some(200), "{sent}");
            body["reference"] = json!("PO-18");
            assert_eq!(cart_id(&world.post(GUEST_CHECKOUT, &body).await), cart);
            assert_eq!(count(world, "SELECT count(*) FROM carts WHERE reference <> 'PO-17'").await, 0);
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn labels_that_cannot_be_kept_are_refused_by_name_and_a_learners_cart_keeps_its_own() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let many: serde_json::Map<_, _> = (0..21).map(|nth| (nth.to_string(), json!(""))).collect();
        for (field, value, named) in [
            ("reference", json!("x".repeat(65)), "reference"),
            ("reference", json!(17), "reference"),
            ("reference", json!("a\nb"), "reference"),
            ("metadata", json!(["a"]), "metadata"),
            ("metadata", json!(many), "metadata"),
            ("metadata", json!({ "tier": 1 }), "metadata.tier"),
            ("metadata", json!({ "tier": "x".repeat(201) }), "metadata.tier"),
            ("metadata", json!({ "": "x" }), "metadata."),
            // Stripe refuses them: https://docs.stripe.com/metadata
            ("metadata", json!({ "utm[source]": "mail" }), "metadata.utm[source]"),
            ("metadata", json!({ "]": "mail" }), "metadata.]"),
        ] {
            let mut body = world.basket(SHOP).await;
            (body["email"], body[field]) = (json!(EMAIL), value);
            let refused = world.post(GUEST_CHECKOUT, &body).await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), [named]);
        }
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0);

        let user = world.platform_user(EMAIL).await;
        let own = |method, path: &str| {
            let request = world.request(method, path).header("orgName", SHOP.short_name);
            request.header("cookie", session(&user))
        };
        let items = json!([{ "type": "course", "id": SHOP.course, "mode": SHOP.mode }]);
        let body = json!({ "items": items, "reference": "PO-17", "metadata": { "tier": "gold" } });
        let filled = Reply::read(own(Method::PUT, "/storeapi/payment/cart/").json(&body)).await;
        assert_eq!(filled.status, 200, "{}", filled.text);
        let begun = Reply::read(own(Method::POST, "/storeapi/payment/checkout/")).await;
        assert_eq!(begun.status, 200, "{}", begun.text);
        let kept =
            "SELECT count(*) FROM carts WHERE reference = 'PO-17' AND metadata = '{\"tier\": \"gold\"}'
                    AND state = 'pending_payment'";
        assert_eq!(count(world, kept).await, 1);
        // A learner's own order shows the reference, and not what the seller notes of it.
        let orders = Reply::read(own(Method::GET, "/storeapi/payment/orders/?reference=PO-17")).await;
        let shown = &orders.json["orders"][0];
        assert_eq!(
            (&shown["reference"], &shown["metadata"]),
            (&json!("PO-17"), &Value::Null),
            "{}",
            orders.text
        );
    })
    .await;
}
