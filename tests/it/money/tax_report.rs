//! The tax report: its query, its forms, and what it reads.

use harness::steps::invoices::{SHOP, sell_with_tax, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::bought;
use harness::steps::tax::{import, rate, seller};
use harness::{ORGANISATIONS, Setup, world};
use serde_json::json;
use shared::organisation_key::Scope;
use sqlx::Connection;

pub const REPORT: &str = "/storeapi/reports/taxes/";

#[tokio::test]
async fn the_tax_report_takes_days_and_is_empty_without_a_seller() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let key = key(world, shop.short_name, &[Scope::Reports]).await;
        bought(world, shop, EMAIL).await;
        world.drain().await;
        let today = world.clock.now().format("%Y-%m-%d");
        let path = format!("{REPORT}?from={today}&to={today}");
        let empty = get(world, &format!("{path}&format=json"), &key).await;
        assert_eq!((empty.status, &empty.json), (200, &json!([])), "{}", empty.text);
        let csv = get(world, &path, &key).await;
        assert_eq!(csv.text, "country,state,rate,category,currency,net,tax,count\r\n");
        let file = format!("attachment; filename=\"taxes-{today}-{today}.csv\"");
        assert_eq!(
            (csv.header("content-type"), csv.header("content-disposition"), csv.header("cache-control")),
            ("text/csv; charset=utf-8; header=present", file.as_str(), "no-store")
        );
        for (query, fields) in [
            ("", &["from", "to"][..]),
            ("from=2026-01-01", &["to"]),
            ("from=&to=2026-01-01", &["from"]),
            ("from=2026-01-02&to=2026-01-01", &["to"]),
            ("from=2026-01-01&to=2027-01-02", &["to"]),
            ("from=2026-02-29&to=2026-03-01", &["from"]),
            // A document has a day, and no time that anyone could check.
            ("from=2026-01-01T00:00:00Z&to=2026-01-31", &["from"]),
            ("from=2026-01-01&to=2026-01-31T00:00:00%2B08:00", &["to"]),
            ("from=2026-01-01&from=2026-01-02&to=2026-03-01", &["from"]),
            ("from=2026-01-01&to=2026-01-01&format=ods", &["format"]),
        ] {
            let refused = get(world, &format!("{REPORT}?{query}"), &key).await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), fields, "{query}");
        }
        for query in ["from=2026-01-01&to=2027-01-01", "from=2024-01-01&to=2024-12-31"] {
            assert_eq!(get(world, &format!("{REPORT}?{query}"), &key).await.status, 200, "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_spellings_of_a_state_are_one_place_in_the_report() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let indian = seller(SHOP, "IN", json!({}));
        import(world, &[indian, rate(SHOP, "IN/Karnataka", &[("GST", 18.0)])]).await.unwrap();
        for state in ["Karnataka", "ka", "IN-KA", "KARNA\u{304}TAKA", "ka"] {
            sold(world, EMAIL, json!({ "country": "IN", "state": state })).await;
        }
        world.drain().await;
        let key = key(world, SHOP.short_name, &[Scope::Reports]).await;
        let today = world.clock.now().format("%Y-%m-%d");
        let report = get(world, &format!("{REPORT}?from={today}&to={today}&format=json"), &key).await.json;
        let places: Vec<_> =
            report.as_array().unwrap().iter().map(|row| (&row["state"], &row["count"])).collect();
        assert_eq!(places, [(&json!("Karnataka"), &json!(5))], "{report}");
    })
    .await;
}

/// A copy of the only document for each of 20,000 orders of the organisation and of another one, over ten years.
const COPIES: &str = "
    INSERT INTO documents (id, organisation_id, kind, number, cart_id, version, issued_at, total, currency, content)
    SELECT gen_random_uuid(), o.id, d.kind, 'X' || n, d.cart_id, d.version, d.issued_at, d.total, d.currency,
           jsonb_set(d.content, '{issued_on}', to_jsonb((date '2010-01-01' + n % 3650)::text))
    FROM documents d, organisations o, generate_series(1, 20000) n WHERE o.short_name IN ('northwind', 'lindgren')";

#[tokio::test]
async fn the_tax_report_of_a_month_reads_the_documents_of_this_month_alone() {
    world(Setup { proxied: true, ..Setup::selling() }, async |world| {
        sell_with_tax(world).await;
        sold(world, EMAIL, json!({ "country": "DE" })).await;
        world.drain().await;
        let key = key(world, SHOP.short_name, &[Scope::Reports]).await;
        let mut owner = sqlx::PgConnection::connect(&world.owner_url).await.unwrap();
        for statement in ["DROP INDEX documents_invoice_key", COPIES, "VACUUM ANALYZE documents"] {
            sqlx::raw_sql(statement).execute(&mut owner).await.unwrap();
        }
        let month = get(world, &format!("{REPORT}?from=2010-03-01&to=2010-03-31&format=json"), &key).await;
        // Each day comes again every ten years.
        let documents = (1..=20_000).filter(|n| (59..90).contains(&(n % 3650))).count();
        assert_eq!(month.json[0]["count"], documents, "{}", month.text);
        let read = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'documents_issued_idx'";
        world.postgres().cut();
        world.postgres().restore();
        world.eventually("the index was read", async |world| count(world, read).await == 1).await;
    })
    .await;
}
