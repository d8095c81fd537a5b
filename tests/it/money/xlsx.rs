//! Both reports as XLSX: what a reader of the format finds in them.

use std::io::Cursor;

use calamine::{Data, DataType, Range, Reader, Xlsx};
use chrono::TimeDelta;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{cart_id, reference};
use harness::steps::refunds::refund;
use harness::steps::tax::{import, rate};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use reqwest::header::ACCEPT_LANGUAGE;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

/// Reads a report in two forms: its sheet, and its rows as JSON.
async fn report(world: &World, name: &str, key: &str, language: &str) -> (String, Range<Data>, Vec<Value>) {
    let [from, to] = [-1, 1].map(|days| (world.clock.now() + TimeDelta::days(days)).date_naive());
    let url = |format| format!("/storeapi/reports/{name}/?from={from}&to={to}&format={format}");
    let asked = |format| {
        let request = world.http.get(world.url(&url(format))).header("organisationapikey", key);
        request.header(ACCEPT_LANGUAGE, language)
    };
    let reply = asked("xlsx").send().await.unwrap();
    let header = |name: &str| reply.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(reply.status(), 200);
    assert_eq!(header("content-type"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
    let file = format!("attachment; filename=\"{name}-{from}-{to}.xlsx\"");
    assert_eq!(header("content-disposition"), file);
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(reply.bytes().await.unwrap())).unwrap();
    let title = book.sheet_names()[0].clone();
    let range = book.worksheet_range(&title).unwrap();
    let rows = asked("json").send().await.unwrap().json().await.unwrap();
    (title, range, rows)
}

/// The numbers of a column, and those of its sums by currency.
fn column(range: &Range<Data>, heading: &str, rows: usize) -> (Vec<f64>, Vec<(String, f64)>) {
    let headings: Vec<String> = range.rows().next().unwrap().iter().map(ToString::to_string).collect();
    let at = |wanted: &str| headings.iter().position(|heading| heading == wanted).unwrap();
    let (column, currency) = (at(heading), at("Währung"));
    let number = |row: &[Data]| row[column].as_f64().unwrap_or_else(|| panic!("{row:?}"));
    let numbers = range.rows().skip(1).take(rows).map(number).collect();
    let sums = range.rows().skip(1 + rows).filter(|row| !row[currency].is_empty());
    (numbers, sums.map(|row| (row[currency].to_string(), number(row))).collect())
}

fn sum(rows: &[Value], field: &str, currency: &str) -> f64 {
    let of = rows.iter().filter(|row| row["currency"] == currency);
    of.map(|row| (row[field].as_f64().unwrap() * 100.0).round()).sum::<f64>() / 100.0
}

#[tokio::test]
async fn a_spreadsheet_has_the_rows_of_the_json_and_a_sum_for_each_currency() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let mollie = &ORGANISATIONS[1];
        import(world, &[rate(mollie, "SE", &[("moms", 25.0)]), rate(mollie, "DE", &[("USt", 19.0)])])
            .await
            .unwrap();
        let key = key(world, mollie.short_name, &[Scope::Reports, Scope::Refunds]).await;
        for country in ["SE", "DE", "SE"] {
            let mut body = world.basket(mollie).await;
            body["email"] = json!(format!("{country}@example.com"));
            body["metadata"] = json!({ "campaign": "=1+1" });
            let request = world.request(Method::POST, GUEST_CHECKOUT).header("X-Visitor-Country", country);
            let begun = Reply::read(request.json(&body)).await;
            let cart = cart_id(&begun).to_owned();
            world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
            world.cart_becomes(&cart, "fulfilled").await;
            if country == "DE" {
                let refunded = refund(world, &key, &cart, &json!({})).await;
                assert_eq!(refunded.status, 200, "{}", refunded.text);
            }
        }
        world.drain().await;

        let (title, sheet, rows) = report(world, "ledger", &key, "de-AT, en;q=0.5").await;
        assert_eq!((title.as_str(), rows.len()), ("Buchungsjournal", 4));
        let currency = mollie.currency;
        for (heading, field) in [("Betrag", "amount"), ("Steuer", "tax")] {
            let (numbers, sums) = column(&sheet, heading, rows.len());
            let expected: Vec<f64> = rows.iter().map(|row| row[field].as_f64().unwrap()).collect();
            assert_eq!(numbers, expected, "{heading}");
            assert_eq!(sums, [(currency.to_owned(), sum(&rows, field, currency))], "{heading}");
        }
        let texts: Vec<String> =
            sheet.rows().flatten().filter(|cell| cell.is_string()).map(ToString::to_string).collect();
        assert!(texts.contains(&"{\"campaign\":\"=1+1\"}".to_owned()), "{texts:?}");

        let (title, sheet, rows) = report(world, "taxes", &key, "de").await;
        assert_eq!(title, "Steuern");
        let (_, sums) = column(&sheet, "Netto", rows.len());
        assert_eq!(sums, [(currency.to_owned(), sum(&rows, "net", currency))]);

        let (title, sheet, rows) = report(world, "ledger", &key, "").await;
        assert_eq!((title.as_str(), sheet.height()), ("Ledger", rows.len() + 3));
    })
    .await;
}
