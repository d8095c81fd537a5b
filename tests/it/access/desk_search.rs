//! Names as people type them at the support desk and in links: business buyers, references as they are printed, a + that nobody has
//! escaped.

use harness::steps::console::{get, with_console};
use harness::steps::demo::PAID_KEY;
use harness::steps::invoices::{sell_with_tax, sold};
use harness::steps::organisation_keys::{get as get_with_key, key};
use harness::steps::payments::{EMAIL, cart_id};
use harness::steps::staff::{look, staff};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use shared::tax_id::TaxId;

const SHOP: &Organisation = &ORGANISATIONS[0];
const SEARCH: &str = "/storeapi/support/search/";

/// What a text finds among the orders: the cart, and what of it the text is.
async fn found(world: &World, cookie: &str, text: &str) -> Vec<(String, String)> {
    let request = world.http.get(world.url(SEARCH)).query(&[("q", text)]).header("cookie", cookie);
    let reply = Reply::read(request).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let orders = reply.json["orders"].as_array().unwrap().iter();
    orders.map(|order| (text(&order["cart_id"]), text(&order["found_by"]))).collect()
}

async fn ordered(world: &World, email: &str, address: Value) -> String {
    let mut body = world.basket(SHOP).await;
    (body["email"], body["billing_address"]) = (json!(email), address);
    let answer = world.post(GUEST_CHECKOUT, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    cart_id(&answer).to_owned()
}

#[tokio::test]
async fn a_business_buyer_is_found_by_company_and_tax_number_however_they_are_written() {
    world(with_console(), async |world| {
        world.sell().await;
        let address = json!({ "name": "Ada Lovelace", "company": "Analytische Maschinen GmbH", "country": "DE",
            "tax_id": "DE\u{a0}136\u{202f}695\u{2011}976" });
        let cart = ordered(world, EMAIL, address).await;
        ordered(world, "other@example.com", json!({ "name": "Charles", "company": "Engines", "tax_id": "DE1" })).await;
        let own = staff(world, "northwind", "noor@example.com", &["support"]).await;
        let other = staff(world, "lindgren", "eve@lindgren.example", &["support"]).await;
        for (text, by) in [
            ("analytische", "company"),
            ("MASCHINEN gmbh", "company"),
            ("lovelace", "name"),
            ("DE136695976", "tax_id"),
            ("de 136 695 976", "tax_id"),
            ("DE\u{a0}136.695.976", "tax_id"),
            ("DE\u{2013}136\u{200b}695976", "tax_id"),
        ] {
            assert_eq!(found(world, &own, text).await, [(cart.clone(), by.to_owned())], "{text}");
            assert_eq!(found(world, &other, text).await, [], "{text} at another organisation");
        }
        for text in ["136695976", "--", "DE13669597"] {
            assert_eq!(found(world, &own, text).await, [], "{text}");
        }
        // The only order is opened at once.
        let page = get(world, &own, "/console/northwind/search/?q=DE136695976").await;
        let order = format!("/console/northwind/orders/{cart}/");
        assert_eq!((page.status, page.header("location")), (303, order.as_str()), "{}", page.text);
        let page = get(world, &own, "/console/northwind/search/?q=example.com").await;
        assert!(page.status == 200 && page.text.contains("Nothing of Northwind"), "{}", page.text);
    })
    .await;
}

/// The index folds stored numbers in SQL, and the programs fold what is searched.
#[tokio::test]
async fn an_invoice_is_found_by_its_number_and_sql_reads_tax_numbers_as_the_programs_do() {
    world(with_console(), async |world| {
        sell_with_tax(world).await;
        let cart = sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let number: String =
            sqlx::query_scalar("SELECT number FROM documents").fetch_one(&world.db).await.unwrap();
        let own = staff(world, "northwind", "noor@example.com", &["support"]).await;
        let other = staff(world, "lindgren", "eve@lindgren.example", &["support"]).await;
        for text in [
            number.clone(),
            format!(" {} ", number.to_lowercase()),
            number.replace('-', "\u{2011}"),
            number.replace('-', " \u{2013} "),
            format!("{number}\u{200b}"),
        ] {
            assert_eq!(found(world, &own, &text).await, [(cart.clone(), "document".to_owned())], "{text:?}");
            assert_eq!(found(world, &other, &text).await, [], "{text:?} at another organisation");
        }
        for text in
            ["DE\u{a0}136\u{202f}695\u{2011}976", "ＤＥ１３６", "IE1+23456A", "nl 8040.85*-b01", "Ä1", " - "]
        {
            let plain: String =
                sqlx::query_scalar("SELECT plain_tax_id($1)").bind(text).fetch_one(&world.db).await.unwrap();
            assert_eq!(plain, TaxId::from(text.to_owned()).plain(), "{text:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_order_is_found_by_its_own_number_by_a_line_of_the_bank_and_by_its_course() {
    world(with_console(), async |world| {
        world.sell().await;
        let mut body = world.basket(SHOP).await;
        (body["email"], body["reference"]) = (json!(EMAIL), json!("PO-4711/b"));
        let answer = world.post(GUEST_CHECKOUT, &body).await;
        let cart = cart_id(&answer).to_owned();
        let beside = ordered(world, "other@example.com", Value::Null).await;
        sqlx::query(
            "INSERT INTO received_payments (id, transaction_id, amount, received_at, reference, actor, request_key, request_hash, created_at)
             SELECT gen_random_uuid(), id, 1, now(), 'KTO-1 / 0007', 'x', 'x', '', now() FROM transactions WHERE cart_id = $1::uuid",
        )
        .bind(&cart)
        .execute(&world.db)
        .await
        .unwrap();
        let own = staff(world, "northwind", "noor@example.com", &["support"]).await;
        let other = staff(world, "lindgren", "eve@lindgren.example", &["support"]).await;
        for (text, by) in [
            ("PO-4711/b", "reference"),
            ("po 4711 b", "reference"),
            ("PO\u{2011}4711B", "reference"),
            ("kto-1/0007", "transfer"),
            ("KTO1 0007", "transfer"),
        ] {
            assert_eq!(found(world, &own, text).await, [(cart.clone(), by.to_owned())], "{text}");
            assert_eq!(found(world, &other, text).await, [], "{text} at another organisation");
        }
        assert_eq!(found(world, &own, "4711").await, []);
        let name: String = sqlx::query_scalar("SELECT display_name FROM courses WHERE openedx_course_id = $1")
            .bind(SHOP.key)
            .fetch_one(&world.db)
            .await
            .unwrap();
        let part: String = name.to_uppercase().chars().take(12).collect();
        // The newest first.
        let both = [(beside, "course".to_owned()), (cart, "course".to_owned())];
        assert_eq!(found(world, &own, &part).await, both, "{part}");
        let courses = look(world, &own, &format!("{SEARCH}?q={part}")).await.json["courses"].clone();
        assert_eq!(courses[0]["openedx_course_id"], SHOP.key, "{courses}");
        assert_eq!(found(world, &other, &part).await, []);
    })
    .await;
}

/// The course platform reads `+` in a query so, too: openedx-platform#25845.
#[tokio::test]
async fn a_plus_in_a_query_need_not_be_escaped_where_no_blank_can_be() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let cart = ordered(world, "ada+store@example.com", Value::Null).await;
        let own = staff(world, "northwind", "noor@example.com", &["support"]).await;
        let found = look(world, &own, &format!("{SEARCH}?q={PAID_KEY}")).await;
        assert_eq!(found.json["courses"][0]["openedx_course_id"], PAID_KEY, "{}", found.text);
        let found = look(world, &own, &format!("{SEARCH}?q=ada+store@example.com")).await;
        assert_eq!(found.json["orders"][0]["cart_id"], json!(cart), "{}", found.text);
        let manager = staff(world, "northwind", "mia@example.com", &["manager"]).await;
        let listed = look(world, &manager, &format!("/storeapi/support/courses/?text={PAID_KEY}")).await;
        assert_eq!(listed.json["total_count"], 1, "{}", listed.text);
        let orders = key(world, "northwind", &[Scope::Orders]).await;
        let path = "/storeapi/payment/orders/?email=ada+store@example.com";
        let listed = get_with_key(world, path, &orders).await;
        assert_eq!(listed.json["orders"][0]["cart_id"], json!(cart), "{}", listed.text);
    })
    .await;
}
