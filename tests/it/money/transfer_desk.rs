//! Bank transfers at the desk: references as they are printed, and amounts of currencies with three decimals.

use harness::steps::console::{self, with_console};
use harness::steps::learner_cart::{learner, send};
use harness::steps::payment_commands::payments;
use harness::steps::payments::{EMAIL, cart_id};
use harness::steps::staff::staff;
use harness::{ORGANISATIONS, Organisation, Reply, World, world};
use reqwest::Method;
use serde_json::Value;
use shared::creditor_reference;

use crate::external_payments::takes_payments_itself;

const SHOP: &Organisation = &ORGANISATIONS[0];

/// ISO 11649 prints references in groups of four, and banks repeat them so.
#[tokio::test]
async fn a_reference_is_found_as_it_is_printed() {
    world(with_console(), async |world| {
        world.sell().await;
        takes_payments_itself(world).await;
        let user = learner(world, EMAIL).await;
        let answer = world.learner_checkout(SHOP, &user).await;
        let (cart, reference) = (cart_id(&answer), answer.json["payment_reference"].as_str().unwrap());
        world.guest_checkout(SHOP, "other@example.com").await;
        let sam = staff(world, "northwind", "sam@example.com", &["support"]).await;
        let printed = creditor_reference::grouped(reference);
        let page = format!("/storeapi/payment/pay/{cart}/");
        let page = send(world, &user, "northwind", Method::GET, &page, None).await;
        assert!(page.text.contains(&printed), "{printed}: {}", page.text);
        for text in
            [reference.to_owned(), printed.clone(), printed.to_lowercase(), printed.replace(' ', "\u{a0}")]
        {
            let search = world.http.get(world.url("/console/northwind/search/")).query(&[("q", &text)]);
            let page = Reply::read(search.header("cookie", &sam)).await;
            assert!(page.header("location").contains(cart), "{text}: {}", page.text);
            let (done, said) = payments(world, &["show", &text, "--json"]).await;
            let shown: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{text}: {said}"));
            assert!(
                done && shown.as_array().unwrap().len() == 1 && shown[0]["cart"]["cart_id"] == cart,
                "{said}"
            );
        }
    })
    .await;
}

/// The currencies of three decimals, of ISO 4217.
#[tokio::test]
async fn the_form_of_a_payment_takes_the_amount_that_it_shows() {
    world(with_console(), async |world| {
        world.sell().await;
        takes_payments_itself(world).await;
        let fay = staff(world, "northwind", "fay@example.com", &["finance"]).await;
        for (currency, minor, shown) in [
            ("KWD", 10_005, "10.005"),
            ("BHD", 10_050, "10.05"),
            ("JOD", 1_000, "1"),
            ("OMR", 1_234_567, "1234.567"),
            ("TND", 10_005, "10.005"),
            ("IQD", 10_005, "10.005"),
            ("LYD", 10_005, "10.005"),
            ("USD", 1_050, "10.5"),
            ("JPY", 1_050, "1050"),
        ] {
            sell_at(world, currency, minor).await;
            let cart = cart_id(&world.guest_checkout(SHOP, EMAIL).await).to_owned();
            let page = format!("/console/northwind/orders/{cart}/");
            let form = console::get(world, &fay, &page).await;
            let form = form.text.replace("&#x2f;", "/");
            let (_, form) = form.split_once("/payment/\"").unwrap();
            let field = |name: &str| {
                let (_, rest) = form.split_once(&format!("name=\"{name}\"")).unwrap();
                rest.split_once("value=\"").unwrap().1.split('"').next().unwrap().to_owned()
            };
            assert_eq!(field("amount").trim_end_matches(".0"), shown, "{currency}");
            let fields = [
                ("key", field("key")),
                ("currency", field("currency")),
                ("amount", field("amount")),
                ("received_on", "2026-01-05".to_owned()),
                ("reference", format!("line {currency}")),
            ];
            let fields: Vec<(&str, &str)> =
                fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let booked = console::post(world, &fay, &format!("{page}payment/"), console::OWN, &fields).await;
            assert_eq!(booked.status, 303, "{currency}: {}", booked.text);
            world.cart_becomes(&cart, "fulfilled").await;
        }
    })
    .await;
}

async fn sell_at(world: &World, currency: &str, minor: i64) {
    for statement in [
        "UPDATE organisations SET currency = $1 WHERE short_name = 'northwind' AND $2 > 0",
        "UPDATE course_modes m SET currency = $1, price = CASE WHEN m.price > 0 THEN $2 ELSE 0 END
         FROM courses c JOIN organisations o ON o.id = c.organisation_id
         WHERE c.id = m.course_id AND o.short_name = 'northwind'",
    ] {
        sqlx::query(statement).bind(currency).bind(minor).execute(&world.db).await.unwrap();
    }
}
