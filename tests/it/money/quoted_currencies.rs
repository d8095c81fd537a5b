//! Quotes, which are what the provider charges: over currencies of zero, two and three digits, regions, vouchers, seats
//! and tax.

use harness::steps::demo::{FREE_COURSE, PAID_COURSE};
use harness::steps::organisation_keys::key;
use harness::steps::seats::{QUOTE, without_email};
use harness::steps::tax::{import, rate, seller};
use harness::steps::vouchers::voucher;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const SHOP: &harness::Organisation = &ORGANISATIONS[0];

/// Sells two courses at random prices in a currency, with tax on top or in the prices.
async fn sell_in(world: &World, currency: &str, random: &mut StdRng) {
    let mut record = seller(SHOP, "DE", json!({ "prices_include_tax": random.random_bool(0.5) }));
    record["currency"] = json!(currency);
    import(world, &[record, rate(SHOP, "DE", &[("A", 19.0), ("B", 0.75)])]).await.unwrap();
    for course in [PAID_COURSE, FREE_COURSE] {
        let update = "UPDATE course_modes SET price = $1, currency = $2 WHERE course_id = $3::uuid";
        let price = random.random_range(5_000..90_000_i64);
        sqlx::query(update).bind(price).bind(currency).bind(course).execute(&world.db).await.unwrap();
    }
}

/// A basket of one or two courses, some as seats, with one of the vouchers or none.
fn basket(organisation_id: &Value, codes: &[String], random: &mut StdRng) -> Value {
    let mut items = vec![json!({ "type": "course", "id": PAID_COURSE, "mode": "verified" })];
    if random.random_bool(0.6) {
        items.push(json!({ "type": "course", "id": FREE_COURSE, "mode": "audit" }));
    }
    for item in &mut items {
        if random.random_bool(0.4) {
            item["seats"] = json!(random.random_range(1..8));
        }
    }
    let voucher = codes.get(random.random_range(0..codes.len() + 1));
    json!({
        "organisation_id": organisation_id, "items": items, "voucher": voucher,
        "billing_address": { "country": "DE" }, "email": format!("guest{}@example.com", random.random::<u32>()),
    })
}

async fn ask(world: &World, path: &str, country: &str, body: &Value) -> Reply {
    let request = world.request(Method::POST, path).header("X-Visitor-Country", country);
    Reply::read(request.json(body)).await
}

#[tokio::test]
async fn stripe_charges_as_many_digits_as_its_page_on_currencies_says() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for (nth, (currency, price, expected)) in [
            ("IDR", 150_000_000_i64, 200),
            ("INR", 150_000_000, 200),
            ("USD", 999_999_999_999, 200),
            ("USD", 1_000_000_000_000, 400),
        ]
        .into_iter()
        .enumerate()
        {
            let update = "UPDATE course_modes SET price = $1, currency = $2 WHERE course_id = $3::uuid";
            let update = sqlx::query(update).bind(price).bind(currency).bind(PAID_COURSE);
            update.execute(&world.db).await.unwrap();
            let begun = world.guest_checkout(SHOP, &format!("buyer{nth}@example.com")).await;
            assert_eq!(begun.status, expected, "{price} {currency}: {}", begun.text);
            if expected == 200 {
                let payment = world.payment(begun.json["cart_id"].as_str().unwrap()).await;
                assert_eq!(payment["amount"], price, "{payment}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_withdrawn_currency_is_refused_for_what_is_new_and_shown_for_what_was_sold() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let record = |currency: &str| {
            let mut record = seller(SHOP, "DE", json!({}));
            record["currency"] = json!(currency);
            record
        };
        for code in ["HRK", "BGN", "ZWL", "SLL", "CUC", "ANG"] {
            let refused = import(world, &[record(code)]).await.unwrap_err();
            assert!(
                refused.contains(&format!("currency {code} is a currency that ISO 4217 has withdrawn")),
                "{refused}"
            );
            let rate = json!({ "kind": "exchange_rate", "base": "USD", "quote": code, "rate": "7" });
            assert!(import(world, &[rate]).await.unwrap_err().contains("withdrawn"), "{code}");
        }
        for code in ["XCG", "SLE", "ZWG", "VES", "CUP"] {
            import(world, &[record(code)]).await.unwrap();
        }
        let key = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let begun = world.guest_checkout(SHOP, "ada@example.com").await;
        let cart = begun.json["cart_id"].as_str().unwrap();
        for table in
            ["carts SET currency = 'ANG' WHERE id", "transactions SET currency = 'ANG' WHERE cart_id"]
        {
            let update = sqlx::AssertSqlSafe(format!("UPDATE {table} = $1::uuid"));
            sqlx::query(update).bind(cart).execute(&world.db).await.unwrap();
        }
        let order = harness::steps::refunds::order(world, &key, cart).await;
        assert_eq!((&order["currency"], &order["total_price"]), (&json!("ANG"), &json!(199)), "{order}");
        // A price of the past is sold no more.
        let update = "UPDATE course_modes SET currency = 'HRK' WHERE course_id = $1::uuid";
        sqlx::query(update).bind(PAID_COURSE).execute(&world.db).await.unwrap();
        let refused = world.guest_checkout(SHOP, "bob@example.com").await;
        assert_eq!(
            refused.assert_problem(400, "invalid_items").faulty_fields(),
            ["items"],
            "{}",
            refused.text
        );
    })
    .await;
}

#[tokio::test]
async fn a_quote_is_charged_to_the_minor_unit_in_currencies_of_every_kind() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        // The same baskets in each run.
        let mut random = StdRng::seed_from_u64(17);
        let key = key(world, SHOP.short_name, &[Scope::Vouchers]).await;
        let organisation_id = world.basket(SHOP).await["organisation_id"].clone();
        let mut charged = 0;
        for (currency, subunits) in [("JPY", 1.0), ("USD", 100.0), ("KWD", 1000.0)] {
            sell_in(world, currency, &mut random).await;
            let mut codes = Vec::new();
            for (nth, value) in [12.34, 50.0, 99.5].into_iter().enumerate() {
                let code = format!("{currency}-{nth}");
                let terms =
                    json!({ "code": code, "kind": "percent", "value": value, "max_uses_per_buyer": null });
                voucher(world, &key, terms).await;
                codes.push(code);
            }
            let code = format!("{currency}-AMOUNT");
            voucher(world, &key, json!({ "code": code, "kind": "amount", "value": 7 })).await;
            codes.push(code);
            for _ in 0..12 {
                let body = basket(&organisation_id, &codes, &mut random);
                let country = ["US", "IN", "BR"][random.random_range(0..3)];
                let quote = ask(world, QUOTE, country, &without_email(&body)).await;
                let checkout = ask(world, GUEST_CHECKOUT, country, &body).await;
                assert_eq!(quote.status, checkout.status, "{body}: {} {}", quote.text, checkout.text);
                if quote.status != 200 {
                    // An amount that the provider cannot charge.
                    assert_eq!(quote.faulty_fields(), checkout.faulty_fields(), "{body}");
                    continue;
                }
                charged += 1;
                assert_eq!(quote.json["total_price"], checkout.json["total_price"], "{body}");
                assert_eq!(quote.json["items_detail"], checkout.json["items_detail"], "{body}");
                let payment = world.payment(checkout.json["cart_id"].as_str().unwrap()).await;
                let total = quote.json["total_price"].as_f64().unwrap() * subunits;
                assert_eq!(payment["amount"].as_f64().unwrap(), total.round(), "{body}");
            }
        }
        assert!(charged > 20, "{charged}");
    })
    .await;
}
