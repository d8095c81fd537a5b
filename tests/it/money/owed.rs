//! Money that an organisation waits for, as finance sees it.

use chrono::TimeDelta;
use harness::steps::console::{get, with_console};
use harness::steps::invoices::SHOP;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, cart_id};
use harness::steps::staff::{look, staff};
use harness::world;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::external_payments::takes_payments_itself;
use crate::on_account::{ordered, report, sells_on_account};

const START: &str = "/console/northwind/";
const OWED: &str = "/console/northwind/owed/";

#[tokio::test]
async fn money_that_is_owed_is_a_list_with_sums_and_overdue_money_needs_finance() {
    world(with_console(), async |world| {
        sells_on_account(world, json!({ "grant": "now" })).await;
        let invoiced = ordered(world, EMAIL).await;
        takes_payments_itself(world).await;
        let transferred = cart_id(&world.guest_checkout(SHOP, "grace@example.com").await).to_owned();
        let fay = staff(world, "northwind", "fay@example.com", &["finance"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["support"]).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["finance"]).await;
        let overdue = async |cookie: &str| -> Vec<Value> {
            let list = look(world, cookie, "/storeapi/support/attention/").await.json;
            let entries = list["entries"].as_array().unwrap().iter();
            entries.filter(|entry| entry["kind"] == "overdue").map(|entry| entry["cart_id"].clone()).collect()
        };
        // Nothing is due yet, and finance sees that it is open.
        assert_eq!(overdue(&fay).await, Vec::<Value>::new());
        let start = get(world, &fay, START).await.text;
        assert!(
            start.contains("$398.00") && start.contains("2 orders") && !start.contains("all settled"),
            "{start}"
        );
        assert!(!get(world, &sam, START).await.text.contains("$398.00"), "it is not for support");
        let list = get(world, &fay, OWED).await.text;
        for shown in [&invoiced, &transferred, "Engines GmbH", "on account", "bank transfer", "$398.00"] {
            assert!(list.to_lowercase().contains(&shown.to_lowercase()), "{shown}: {list}");
        }
        assert_eq!(get(world, &sam, OWED).await.status, 403);
        let other = get(world, &eve, &OWED.replace("northwind", "lindgren")).await.text;
        assert!(other.contains("Nothing is unpaid") && !other.contains(&invoiced), "{other}");

        let yesterday = (world.clock.now() - TimeDelta::days(1)).date_naive();
        sqlx::query("UPDATE transactions SET due_on = $1").bind(yesterday).execute(&world.db).await.unwrap();
        // A transfer of which nothing has arrived ends by itself; one that is paid in part waits for a person.
        assert_eq!(overdue(&fay).await, [json!(invoiced)]);
        assert_eq!(overdue(&sam).await, Vec::<Value>::new());
        let payments = key(world, SHOP.short_name, &[Scope::Payments]).await;
        assert_eq!(report(world, &payments, &transferred, 99.0, "KTO-1").await.status, 200);
        assert_eq!(overdue(&fay).await.len(), 2);
        let start = get(world, &fay, START).await.text;
        assert!(start.contains("The money was due") && start.contains("$299.00"), "{start}");
        let list = get(world, &fay, OWED).await.text;
        assert!(list.matches("$299.00").count() == 2 && list.contains("$100.00"), "open and overdue: {list}");
        report(world, &payments, &transferred, 100.0, "KTO-2").await;
        report(world, &payments, &invoiced, 199.0, "KTO-3").await;
        world.eventually("nothing is owed", async |_| overdue(&fay).await.is_empty()).await;
        assert!(get(world, &fay, OWED).await.text.contains("Nothing is unpaid"));
    })
    .await;
}
