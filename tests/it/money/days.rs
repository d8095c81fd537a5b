//! The day of an organisation: the same on its documents, in its reports, in mails and on pages, since the database alone tells it.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, TimeDelta, Timelike, Utc};
use harness::steps::credentials::session;
use harness::steps::invoices::{SHOP, sell_with_tax, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::EMAIL;
use harness::steps::refunds::order;
use harness::steps::tax::{import, seller};
use harness::steps::withdrawals::{
    all_consents, bought, declaration, declare_by_link, declared, mails, offer, service, token,
};
use harness::{ORGANISATIONS, Organisation, Reply, Setup, World, logged, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use texts::Texts;

use crate::invoices::content;

const LEDGER: &str = "/storeapi/reports/ledger/";

/// A zone in the notation of POSIX, which only PostgreSQL reads, and in which the day is now another one than in UTC.
fn far(now: DateTime<Utc>) -> (&'static str, FixedOffset) {
    let (zone, hours) = if now.hour() >= 11 { ("<+14>-14", 14) } else { ("<-11>11", -11) };
    (zone, FixedOffset::east_opt(hours * 3600).unwrap())
}

/// Stores a zone that no import would take, as an earlier version or a move to another server has left it.
async fn store_zone(world: &World, organisation: &Organisation, zone: &str) {
    let update = "UPDATE organisations SET seller = jsonb_set(seller, '{time_zone}', to_jsonb($2::text)) WHERE short_name = $1";
    sqlx::query(update).bind(organisation.short_name).bind(zone).execute(&world.db).await.unwrap();
}

fn written(day: NaiveDate) -> String {
    Texts::bundled().unwrap().localizer(&"en".parse().unwrap(), &[]).date(day)
}

/// The rows of the ledger's report over both days.
async fn ledger(world: &World, key: &str) -> Vec<Value> {
    let [from, to] = [-2, 2].map(|days| (world.clock.now() + TimeDelta::days(days)).format("%Y-%m-%d"));
    let reply = get(world, &format!("{LEDGER}?format=json&from={from}&to={to}"), key).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json.as_array().unwrap().clone()
}

/// Clocks that go back to midnight (the Azores, Havana, Beirut until 2022), that leave it out (Santiago, Cairo, Asunción until 2024), that
/// change by half an hour (Lord Howe), and the usual ones.
const ZONES: [&str; 10] = [
    "Atlantic/Azores",
    "America/Havana",
    "Asia/Beirut",
    "America/Santiago",
    "Africa/Cairo",
    "America/Asuncion",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "Europe/Berlin",
];

#[tokio::test]
async fn a_day_begins_at_its_first_moment_whatever_the_clocks_do_at_midnight() {
    world(Setup { workers: 0, ..Setup::default() }, async |world| {
        let wrong = "SELECT zone || ' ' || day FROM unnest($1::text[]) AS zone, generate_series(date '2021-01-01', '2028-12-31', '1 day') AS day
             WHERE (day_begins(day::date, zone) AT TIME ZONE zone)::date <> day::date
                OR ((day_begins(day::date, zone) - interval '1 second') AT TIME ZONE zone)::date >= day::date";
        let wrong: Vec<String> = sqlx::query_scalar(wrong).bind(ZONES.as_slice()).fetch_all(&world.db).await.unwrap();
        assert_eq!(wrong, [] as [&str; 0]);
        // At 01:00 UTC the clocks of the Azores went from one o'clock back to midnight.
        for (day, zone, begins) in [
            ("2026-10-25", "Atlantic/Azores", "2026-10-25T00:00:00Z"),
            ("2026-10-26", "Atlantic/Azores", "2026-10-26T01:00:00Z"),
            ("2027-11-07", "America/Havana", "2027-11-07T04:00:00Z"),
            ("2026-09-06", "America/Santiago", "2026-09-06T04:00:00Z"),
        ] {
            let at: DateTime<Utc> = sqlx::query_scalar("SELECT day_begins($1::text::date, $2)")
                .bind(day)
                .bind(zone)
                .fetch_one(&world.db)
                .await
                .unwrap();
            assert_eq!(at, begins.parse::<DateTime<Utc>>().unwrap(), "{day} {zone}");
        }
    })
    .await;
}

#[tokio::test]
async fn documents_reports_mails_and_pages_have_the_day_of_the_database() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let user = world.platform_user(EMAIL).await;
        offer(world, SHOP, service()).await;
        let (zone, offset) = far(world.clock.now());
        store_zone(world, SHOP, zone).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Reports]).await;
        let cart = bought(world, SHOP, EMAIL, all_consents()).await;
        world.drain().await;
        let bought_at: DateTime<Utc> =
            order(world, &key, &cart).await["paid_at"].as_str().unwrap().parse().unwrap();
        let day = bought_at.with_timezone(&offset).date_naive();
        assert_ne!(day, bought_at.date_naive());

        let invoice = order(world, &key, &cart).await["documents"][0].clone();
        let said = content(world, &key, &invoice).await;
        assert_eq!((&said["issued_on"], &said["supplied_on"]), (&json!(day), &json!(day)), "{said}");
        assert_eq!(ledger(world, &key).await[0]["day"], json!(day));
        let receipt = mails(world, EMAIL, &["/withdraw/?token=", &cart]).await;
        let receipt = receipt[0]["text"].as_str().unwrap();
        for words in [format!("on {}:", written(day)), format!("On {} you agreed", written(day))] {
            assert!(receipt.contains(&words), "{words} is missing: {receipt}");
        }
        let history = world.http.get(world.url("/storeapi/payment/history/")).header("accept", "text/html");
        let history = Reply::read(history.header("cookie", session(&user))).await;
        assert!(history.text.contains(&written(day)), "{}", history.text);

        let declared =
            declare_by_link(world, &token(world, EMAIL, &cart).await, &declaration(&cart, EMAIL)).await;
        let at: DateTime<Utc> = declared.json["declared_at"].as_str().unwrap().parse().unwrap();
        let at = at.with_timezone(&offset);
        let words = format!("on {} at {}", written(at.date_naive()), at.format("%H:%M:%S UTC%:z"));
        world
            .eventually("the acknowledgement has the day that counts", async |world| {
                !mails(world, EMAIL, &["received your withdrawal", &words]).await.is_empty()
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn the_page_of_a_withdrawal_has_the_day_of_the_organisation_for_who_holds_its_link() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        offer(world, SHOP, service()).await;
        let (zone, offset) = far(world.clock.now());
        store_zone(world, SHOP, zone).await;
        let cart = bought(world, SHOP, EMAIL, all_consents()).await;
        let token = token(world, EMAIL, &cart).await;
        let declare = async |query: &str| {
            let form = format!("order={cart}&name=Ada&email=ada%40example.com&item=0&step=declare");
            let request = world.http.post(world.url(&format!("/storeapi/payment/withdraw/{query}")));
            let request = request.header("content-type", "application/x-www-form-urlencoded").body(form);
            let page = Reply::read(request.header("accept", "text/html")).await;
            assert_eq!(page.status, 202, "{}", page.text);
            page.text
        };
        // Who only knows the order's number learns nothing about the organisation.
        let by_number = declare("").await;
        assert!(by_number.contains(&written(world.clock.now().date_naive())), "{by_number}");
        let by_link = declare(&format!("?token={token}")).await;
        let day = world.clock.now().with_timezone(&offset).date_naive();
        assert!(by_link.contains(&written(day)), "{by_link}");
    })
    .await;
}

#[tokio::test]
async fn a_time_zone_that_the_database_does_not_know_stops_nothing() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let other = &ORGANISATIONS[1];
        import(world, &[seller(other, "DE", json!({ "time_zone": "Europe/Berlin" }))]).await.unwrap();
        store_zone(world, SHOP, "Mars/Olympus").await;
        for shop in [SHOP, other] {
            offer(world, shop, service()).await;
            let account = json!({ "lines": ["IBAN"], "on_account": { "grant": "now", "due_days": 0 } });
            let update = "UPDATE organisations SET bank_transfer = $2 WHERE short_name = $1";
            sqlx::query(update).bind(shop.short_name).bind(account).execute(&world.db).await.unwrap();
        }
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Reports]).await;
        let cart = bought(world, SHOP, EMAIL, all_consents()).await;
        world.drain().await;
        let shown = order(world, &key, &cart).await;
        assert_eq!(content(world, &key, &shown["documents"][0]).await["issued_on"], ledger(world, &key).await[0]["day"]);
        let list = get(world, "/storeapi/payment/orders/", &key).await;
        assert_eq!((list.status, &list.json["total_count"]), (200, &json!(1)), "{}", list.text);
        // Its withdrawals are judged.
        declare_by_link(world, &token(world, EMAIL, &cart).await, &declaration(&cart, EMAIL)).await;
        world.cart_becomes(&cart, "refunded").await;
        assert_eq!(declared(world, &cart).await[0]["state"], "accepted");
        // Invoices become overdue, its own and those of others.
        for shop in [SHOP, other] {
            let mut body = world.basket(shop).await;
            (body["email"], body["pay_by"]) = (json!(EMAIL), json!("invoice"));
            body["billing_address"] =
                json!({ "company": "Engines", "line1": "Hauptstraße 7", "city": "Berlin", "country": "DE", "tax_id": "DE 1" });
            body["consents"] = all_consents();
            let ordered = world.post(harness::GUEST_CHECKOUT, &body).await;
            assert_eq!(ordered.status, 200, "{}", ordered.text);
        }
        world.clock.advance(TimeDelta::days(2));
        world
            .eventually("both invoices are overdue", async |world| {
                let overdue = "SELECT count(*) FROM transactions WHERE overdue_at IS NOT NULL";
                harness::steps::payments::count(world, overdue).await == 2
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn an_import_stores_the_present_name_of_a_zone_and_refuses_what_is_none() {
    world(Setup::without_workers(), async |world| {
        let stored = async || {
            let stored = "SELECT seller ->> 'time_zone' FROM organisations WHERE short_name = $1";
            sqlx::query_scalar::<_, String>(stored).bind(SHOP.short_name).fetch_one(&world.db).await.unwrap()
        };
        for (name, present) in [
            ("Asia/Calcutta", "Asia/Kolkata"),
            ("US/Eastern", "America/New_York"),
            // PostgreSQL takes it for an abbreviation without summer time.
            ("CET", "Europe/Brussels"),
            ("UTC", "UTC"),
        ] {
            import(world, &[seller(SHOP, "DE", json!({ "time_zone": name }))]).await.unwrap();
            assert_eq!(stored().await, present, "{name}");
        }
        for name in ["Mars/Olympus", "<+14>-14", "posix/Europe/Berlin", "localtime", "BST", ""] {
            let refused =
                import(world, &[seller(SHOP, "DE", json!({ "time_zone": name }))]).await.unwrap_err();
            assert!(refused.contains(&format!("seller: time_zone {name:?}")), "{refused}");
            assert_eq!(stored().await, "UTC", "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_clock_that_was_ahead_dates_the_next_documents_too_and_the_log_says_so() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let mut days = Vec::new();
        // Not on the last day of a year: the next has a series of its own.
        world
            .clock
            .advance(TimeDelta::days(i64::from((world.clock.now() + TimeDelta::days(1)).ordinal() == 1)));
        for ahead in [1, -1] {
            world.clock.advance(TimeDelta::days(ahead));
            let cart = sold(world, EMAIL, json!({ "country": "DE" })).await;
            world.drain().await;
            let document = order(world, &key, &cart).await["documents"][0].clone();
            days.push(content(world, &key, &document).await["issued_on"].clone());
            assert_eq!(logged("a clock that was ahead").is_empty(), ahead == 1);
        }
        assert_eq!(days[0], days[1], "dates follow numbers");
    })
    .await;
}
