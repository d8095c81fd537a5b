//! The taxes of each day, by the documents and by the payments, and what a return of the One-Stop-Shop asks for.

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};
use harness::steps::console::{self, with_console};
use harness::steps::invoices::{SHOP, sell_with_tax, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, cart_id, count};
use harness::steps::refunds::refund;
use harness::steps::staff::staff;
use harness::{GUEST_CHECKOUT, Setup, World, world};
use serde_json::json;
use shared::organisation_key::Scope;

use crate::external_payments::takes_payments_itself;
use crate::on_account::report;

const DAYS: &str = "/storeapi/reports/taxes/days/";
const ONE_STOP_SHOP: &str = "/storeapi/reports/taxes/one-stop-shop/";

const DAILY: &str = "date,country,state,rate,category,buyer,currency,net,tax,number\r\n";
const SUPPLIED: &str = "country,quarter,rate,currency,net,tax,number\r\n";

/// The rows of a report as CSV, without the heading.
async fn rows(world: &World, key: &str, path: &str, heading: &str, query: &str) -> String {
    let reply = get(world, &format!("{path}?{query}"), key).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.text.strip_prefix(heading).unwrap_or_else(|| panic!("{}", reply.text)).to_owned()
}

fn quarter(at: DateTime<Utc>) -> String {
    format!("{}-Q{}", at.year(), at.month0() / 3 + 1)
}

/// A price of 199.00 has 19/119 of it as German tax, 31.77, and 20/120 as French tax, 33.17.
#[tokio::test]
async fn each_day_has_the_taxes_of_consumers_and_of_companies() {
    world(with_console(), async |world| {
        sell_with_tax(world).await;
        let own = key(world, SHOP.short_name, &[Scope::Reports, Scope::Refunds]).await;
        let ada = sold(world, EMAIL, json!({ "name": "Ada Lovelace", "country": "DE" })).await;
        sold(world, "bob@example.com", json!({ "company": "Engines GmbH", "country": "DE" })).await;
        sold(world, "eve@example.com", json!({ "country": "FR" })).await;
        world.drain().await;
        let day = world.clock.now().date_naive();
        let today = format!("from={day}&to={day}");
        let companies = format!(
            "{day},DE,,19,S,company,USD,167.23,31.77,1\r\n{day},FR,,20,S,consumer,USD,165.83,33.17,1\r\n"
        );
        let expected = format!("{day},DE,,19,S,consumer,USD,167.23,31.77,1\r\n{companies}");
        for by in ["", "&by=issued", "&by=paid"] {
            assert_eq!(rows(world, &own, DAYS, DAILY, &format!("{today}{by}")).await, expected, "{by}");
        }
        assert_eq!(refund(world, &own, &ada, &json!({ "items": [], "amount": 100 })).await.status, 200);
        world
            .eventually("it is credited", async |world| {
                count(world, "SELECT count(*) FROM documents WHERE kind = 'credit_note'").await == 1
            })
            .await;
        // 199.00 - 100.00 = 99.00, of which 31.77 - 15.96 is tax.
        let expected = format!("{day},DE,,19,S,consumer,USD,83.19,15.81,2\r\n{companies}");
        for by in ["issued", "paid"] {
            assert_eq!(rows(world, &own, DAYS, DAILY, &format!("{today}&by={by}")).await, expected, "{by}");
        }
        let json = get(world, &format!("{DAYS}?{today}&by=paid&format=json"), &own).await.json;
        assert_eq!(
            (&json[1]["buyer"], &json[1]["tax"], &json[1]["date"]),
            (&json!("company"), &json!(31.77), &json!(day)),
            "{json}"
        );
        let other = key(world, "lindgren", &[Scope::Reports]).await;
        assert_eq!(rows(world, &other, DAYS, DAILY, &today).await, "");
        downloads(world, day).await;
    })
    .await;
}

/// Looks at the buttons of the console and at their files.
async fn downloads(world: &World, day: NaiveDate) {
    let today = format!("from={day}&to={day}");
    let fay = staff(world, SHOP.short_name, "fay@example.com", &["finance"]).await;
    let noor = staff(world, SHOP.short_name, "noor@example.com", &["manager"]).await;
    let page = console::get(world, &fay, "/console/northwind/reports/").await.text;
    for (shown, path, name) in [
        ("Taxes by day as XLSX", format!("days/?{today}"), format!("taxes-issued-{day}-{day}.xlsx")),
        (
            "Taxes by day of payment as XLSX",
            format!("days/?{today}&by=paid"),
            format!("taxes-paid-{day}-{day}.xlsx"),
        ),
        (
            "One-Stop-Shop as XLSX",
            format!("one-stop-shop/?{today}"),
            format!("one-stop-shop-{day}-{day}.xlsx"),
        ),
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
        let path = format!("/console/northwind/reports/taxes/{path}&format=xlsx");
        let file = console::get(world, &fay, &path).await;
        assert_eq!(
            (file.status, file.header("content-disposition")),
            (200, &*format!("attachment; filename=\"{name}\""))
        );
        assert_eq!(console::get(world, &noor, &path).await.status, 403);
    }
}

#[tokio::test]
async fn a_report_of_taxes_names_what_is_wrong_with_its_days() {
    world(Setup::default(), async |world| {
        let own = key(world, SHOP.short_name, &[Scope::Reports]).await;
        for (path, query, field) in [
            (DAYS, "from=2026-01-01", "to"),
            (DAYS, "from=2026-01-02&to=2026-01-01", "to"),
            (DAYS, "from=2026-01-01&to=2026-01-01&by=received", "by"),
            (ONE_STOP_SHOP, "from=2026-01-01&to=2027-01-02", "to"),
            (ONE_STOP_SHOP, "to=2026-01-01", "from"),
        ] {
            let refused = get(world, &format!("{path}?{query}"), &own).await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), [field], "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_transfer_counts_on_the_day_of_the_bank_and_its_invoice_on_its_own() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        takes_payments_itself(world).await;
        let own = key(world, SHOP.short_name, &[Scope::Reports, Scope::Payments]).await;
        let mut body = world.basket(SHOP).await;
        body["email"] = json!(EMAIL);
        body["billing_address"] = json!({ "country": "DE" });
        let cart = cart_id(&world.post(GUEST_CHECKOUT, &body).await).to_owned();
        assert_eq!(report(world, &own, &cart, 199.0, "KTO-1").await.status, 200);
        world
            .eventually("the invoice is issued", async |world| {
                count(world, "SELECT count(*) FROM documents").await == 1
            })
            .await;
        let today = world.clock.now().date_naive();
        let expected = |day: &str| format!("{day},DE,,19,S,consumer,USD,167.23,31.77,1\r\n");
        for (day, by, expected) in [
            (today.to_string(), "issued", expected(&today.to_string())),
            (today.to_string(), "paid", String::new()),
            ("2026-01-05".to_owned(), "issued", String::new()),
            ("2026-01-05".to_owned(), "paid", expected("2026-01-05")),
        ] {
            assert_eq!(
                rows(world, &own, DAYS, DAILY, &format!("from={day}&to={day}&by={by}")).await,
                expected,
                "{day} {by}"
            );
        }
    })
    .await;
}

/// The layout: member state, rate and quarter, with corrections of earlier quarters by member state and quarter (Guide to the VAT One Stop
/// Shop, European Commission, March 2021, part 2).
#[tokio::test]
async fn the_one_stop_shop_has_other_member_states_and_names_the_quarter_of_a_correction() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let own = key(world, SHOP.short_name, &[Scope::Reports, Scope::Refunds]).await;
        let first = world.clock.now();
        let early = sold(world, EMAIL, json!({ "country": "FR" })).await;
        for (email, country) in
            [("bob@example.com", "DE"), ("eve@example.com", "US"), ("mia@example.com", "MC")]
        {
            sold(world, email, json!({ "country": country })).await;
        }
        world.drain().await;
        let report = async |at: DateTime<Utc>| {
            let day = at.date_naive();
            rows(world, &own, ONE_STOP_SHOP, SUPPLIED, &format!("from={day}&to={day}")).await
        };
        let begun = quarter(first);
        // Monaco's are French. The seller's own member state and what is not taxed are left out.
        assert_eq!(report(first).await, format!("FR,{begun},20,USD,331.66,66.34,2\r\n"));
        world.clock.advance(TimeDelta::days(100));
        assert_eq!(refund(world, &own, &early, &json!({})).await.status, 200);
        sold(world, "zoe@example.com", json!({ "country": "FR" })).await;
        world
            .eventually("both are documented", async |world| {
                count(world, "SELECT count(*) FROM documents").await == 6
            })
            .await;
        let now = world.clock.now();
        let expected =
            format!("FR,{begun},,USD,-165.83,-33.17,1\r\nFR,{},20,USD,165.83,33.17,1\r\n", quarter(now));
        assert_eq!(report(now).await, expected);
        assert_eq!(report(first).await, format!("FR,{begun},20,USD,331.66,66.34,2\r\n"));
    })
    .await;
}
