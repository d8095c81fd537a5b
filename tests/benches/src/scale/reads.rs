//! Reads of the shop's systems and staff, each by one caller, and the ledger's report by its rows.

use std::time::Instant;

use chrono::{Days, NaiveDate};
use harness::{ORGANISATIONS, Reply, World};
use reqwest::RequestBuilder;

use super::Figure;
use super::operations::Callers;

/// Times that each read is made.
const TIMES: usize = 5;

/// A read: its caller, and its path. `{order}` is a paid one of the shop, `{many}` the address of the buyer of many, `{from}` and `{to}` a month.
enum By {
    Key,
    Staff,
    Many,
}

use By::{Key, Many, Staff};

const READS: &[(&str, By, &str)] = &[
    ("key: one order", Key, "payment/orders/{order}/"),
    ("key: orders, first page", Key, "payment/orders/?limit=100"),
    ("key: orders of an address with many", Key, "payment/orders/?limit=20&email={many}"),
    ("key: orders of a month", Key, "payment/orders/?limit=100&from={from}&to={to}"),
    ("key: taxes of a month", Key, "reports/taxes/?from={from}&to={to}"),
    ("key: feed, first page", Key, "events/?limit=100"),
    ("key: feed, a type that never came", Key, "events/?limit=100&types=order.overdue"),
    ("key: vouchers, first page", Key, "vouchers/?limit=100"),
    ("key: a voucher without limits, often used", Key, "vouchers/{voucher}/"),
    ("key: pools of seats", Key, "seats/?limit=100"),
    ("key: withdrawals that wait", Key, "payment/withdrawals/?waiting=true&limit=100"),
    ("support: search for an address", Key, "support/search/?q={many}"),
    ("support: search for an order", Key, "support/search/?q={order}"),
    ("support: search for a document", Key, "support/search/?q=IN11"),
    ("support: search for a name of a twentieth", Key, "support/search/?q=Buyer%207"),
    ("support: search for nothing", Key, "support/search/?q=nobody%20at%20all"),
    ("support: an order", Key, "support/orders/{order}/"),
    ("support: what needs a person", Staff, "support/attention/"),
    ("support: courses, first page", Staff, "support/courses/?limit=100"),
    ("support: courses, last page", Staff, "support/courses/?limit=100&offset={last_course}"),
    ("support: courses by a text", Staff, "support/courses/?limit=100&text=c4ca4238a0b923"),
    ("console: start", Staff, "/console/northwind/"),
    ("console: search for a name", Staff, "/console/northwind/search/?q=Buyer%207"),
    ("console: an order", Staff, "/console/northwind/orders/{order}/"),
    ("console: its refund", Staff, "/console/northwind/orders/{order}/refund/"),
    ("console: the buyer of many", Staff, "/console/northwind/person/?email={many}"),
    ("console: file of the buyer of many", Staff, "/console/northwind/person/file/?email={many}"),
    ("console: money that is owed", Staff, "/console/northwind/owed/"),
    ("console: report of a month", Staff, "/console/northwind/reports/?from={from}&to={to}"),
    ("console: vouchers", Staff, "/console/northwind/vouchers/"),
    ("console: a voucher without limits", Staff, "/console/northwind/vouchers/{voucher}/"),
    ("console: pools of seats", Staff, "/console/northwind/seats/"),
    ("console: batches", Staff, "/console/northwind/batches/"),
    ("console: events", Staff, "/console/northwind/events/"),
    ("console: catalog", Staff, "/console/northwind/catalog/"),
    ("console: catalog, a text", Staff, "/console/northwind/catalog/?text=c4ca4238a0b923"),
    ("many: own orders", Many, "payment/orders/?limit=20"),
    ("many: order history", Many, "payment/history/"),
    ("many: seats", Many, "seats/"),
];

/// Days of the ledger's reports.
const PERIODS: [(&str, u64); 3] = [("a week", 6), ("a month", 29), ("a year", 364)];

pub async fn measure(world: &World, callers: &Callers<'_>) -> Vec<Figure> {
    let names: (String, String, i64, NaiveDate) = sqlx::query_as(
        "SELECT (SELECT c.id::text FROM carts c JOIN organisations o ON o.id = c.organisation_id
                 WHERE o.short_name = $1 AND c.state = 'fulfilled' AND c.paid_at IS NOT NULL ORDER BY c.created_at DESC LIMIT 1),
                (SELECT id::text FROM vouchers WHERE code = 'BIG1'),
                (SELECT count(*) FROM courses c JOIN organisations o ON o.id = c.organisation_id WHERE o.short_name = $1), current_date",
    )
    .bind(ORGANISATIONS[0].short_name)
    .fetch_one(&world.db)
    .await
    .expect("an order, a voucher and courses");
    let (order, voucher, courses, today) = names;
    let (from, to) = (today - Days::new(60), today - Days::new(31));
    let filled = |path: &str| {
        path.replace("{order}", &order)
            .replace("{voucher}", &voucher)
            .replace("{many}", callers.many())
            .replace("{from}", &from.to_string())
            .replace("{to}", &to.to_string())
            .replace("{last_course}", &(courses - 10).to_string())
    };
    let mut figures = Vec::new();
    for (name, by, path) in READS {
        let path = filled(path);
        let request = || match by {
            Key => callers.by_key(&path),
            Staff => callers.by_staff(&path),
            Many => callers.by_many(&path),
        };
        figures
            .push(Figure::new(*name, times(name, request).await.into_iter().map(|(time, _)| time).collect()));
    }
    for (name, days) in PERIODS {
        let path = format!("reports/ledger/?format=csv&from={}&to={today}", today - Days::new(days));
        let per_row = times(name, || callers.by_key(&path)).await.into_iter().map(|(time, text)| {
            let rows = text.lines().count().saturating_sub(1).max(1);
            time * 1000.0 / rows as f64
        });
        figures.push(Figure::new(format!("ledger report of {name}, µs a row"), per_row.collect()));
    }
    figures
}

/// The milliseconds and texts of some answers to a request.
async fn times(name: &str, request: impl Fn() -> RequestBuilder) -> Vec<(f64, String)> {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let begun = Instant::now();
        let reply = Reply::read(request()).await;
        times.push((begun.elapsed().as_secs_f64() * 1000.0, reply.text));
        assert_eq!(reply.status, 200, "{name}: {}", times.last().map_or("", |(_, text)| text));
    }
    times
}
