//! What managers take along and send again in the console, its times, its titles and its way out.

use harness::steps::console::{OWN, get, key, post, with_console};
use harness::steps::events::{endpoint, received};
use harness::steps::invoices::sell_with_tax;
use harness::steps::payments::{EMAIL, cart_id, count};
use harness::steps::refunds::bought;
use harness::steps::staff::staff;
use harness::{ORGANISATIONS, world};
use uuid::Uuid;

const VOUCHERS: &str = "/console/northwind/vouchers/";
const EVENTS: &str = "/console/northwind/events/";

#[tokio::test]
async fn codes_are_counted_and_taken_along_as_text_and_as_csv() {
    world(with_console(), async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["support", "finance"]).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["manager"]).await;
        let create = async |count: &str, campaign: &str| {
            let form_key = key(&get(world, &noor, VOUCHERS).await);
            let fields = [
                ("key", form_key.as_str()),
                ("kind", "percent"),
                ("value", "10"),
                ("count", count),
                ("campaign", campaign),
            ];
            let created = post(world, &noor, VOUCHERS, OWN, &fields).await;
            assert_eq!(created.status, 303, "{}", created.text);
            created.header("location").to_owned()
        };
        create("3", "fair & square").await;
        let batch = create("200", "fair & square").await;
        let page = get(world, &noor, &batch).await.text;
        assert!(page.contains("200 vouchers are ready.") && page.contains("200 codes"), "{page}");
        let (_, text) = page.split_once("<textarea").unwrap();
        assert_eq!(text.split_once("</textarea>").unwrap().0.lines().skip(1).count(), 200);
        let csv = get(world, &noor, &format!("{batch}&format=csv")).await;
        assert!(csv.text.starts_with("code\r\n") && csv.text.lines().count() == 201, "{}", csv.text);
        assert!(csv.header("content-disposition").contains("vouchers.csv"));
        let campaign = format!("{VOUCHERS}codes/?campaign=fair+%26+square");
        let all = get(world, &noor, &format!("{campaign}&format=csv")).await.text;
        assert_eq!(all.lines().count(), 204, "{all}");
        let listed = get(world, &noor, &format!("{VOUCHERS}?campaign=fair+%26+square")).await.text;
        assert!(listed.contains("Take the codes of this campaign along"), "{listed}");
        assert_eq!(get(world, &sam, &campaign).await.status, 403);
        for path in [&batch, &campaign] {
            assert_eq!(get(world, &eve, &path.replace("northwind", "lindgren")).await.status, 404);
        }
    })
    .await;
}

#[tokio::test]
async fn failed_events_name_their_orders_and_are_sent_again_together() {
    world(with_console(), async |world| {
        world.sell().await;
        let (id, _) = endpoint(world, "northwind", "erp").await;
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let waiting = "SELECT count(*) FROM webhook_deliveries WHERE delivered_at IS NULL";
        world.eventually("all is delivered", async |world| {
            count(world, "SELECT count(*) FROM webhook_deliveries").await >= 3 && count(world, waiting).await == 0
        }).await;
        let page = get(world, &noor, EVENTS).await.text;
        assert!(!page.contains("Send all of them again"), "{page}");
        let event: String = sqlx::query_scalar(
            "UPDATE webhook_deliveries d SET delivered_at = NULL, next_attempt_at = NULL, attempts = 10 FROM events e
             WHERE e.id = d.event_id AND e.type LIKE 'order.%' RETURNING d.event_id::text",
        ).fetch_one(&world.db).await.unwrap();
        let failed = count(world, waiting).await;
        let before = received(world, "erp").await.len();
        let page = get(world, &noor, EVENTS).await;
        let text = page.text.replace("&#x2f;", "/");
        for shown in [&*format!("{failed} events have failed"), &event, &format!("/orders/{cart}/")] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
        let sent = async || {
            let form_key = Uuid::now_v7().to_string();
            let fields = [("key", form_key.as_str()), ("endpoint_id", id.as_str())];
            post(world, &noor, "/console/northwind/deliveries/", OWN, &fields).await
        };
        let reply = sent().await;
        assert_eq!((reply.status, reply.header("location")), (303, format!("{EVENTS}?done=deliveries-failed").as_str()), "{}", reply.text);
        world.eventually("they arrive", async |world| {
            received(world, "erp").await.len() == before + usize::try_from(failed).unwrap() && count(world, waiting).await == 0
        }).await;
        assert_eq!(sent().await.status, 400, "none has failed any more");
    })
    .await;
}

#[tokio::test]
async fn times_are_those_of_the_organisation_on_pages_and_in_forms() {
    world(with_console(), async |world| {
        sell_with_tax(world).await;
        let zone = "UPDATE organisations SET seller = jsonb_set(seller, '{time_zone}', '\"America/New_York\"') WHERE seller IS NOT NULL";
        sqlx::query(zone).execute(&world.db).await.unwrap();
        let noor = staff(world, "northwind", "noor@example.com", &["manager", "finance"]).await;
        let form_key = key(&get(world, &noor, VOUCHERS).await);
        let until = "2030-01-31T12:00";
        let fields = [("key", form_key.as_str()), ("code", "SPRING-30"), ("kind", "percent"), ("value", "10"), ("valid_until", until)];
        let created = post(world, &noor, VOUCHERS, OWN, &fields).await;
        assert_eq!(created.status, 303, "{}", created.text);
        let page = get(world, &noor, created.header("location")).await.text;
        for shown in ["Jan 31, 2030, 12:00", "America&#x2f;New_York", "value=\"2030-01-31T12:00:00\""] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        let stored: String =
            sqlx::query_scalar("SELECT (valid_until AT TIME ZONE 'UTC')::text FROM vouchers").fetch_one(&world.db).await.unwrap();
        assert_eq!(stored, "2030-01-31 17:00:00");
        // The bank's day is a day there.
        sqlx::query("UPDATE organisations SET gateway = 'external', bank_transfer = '{\"lines\": [\"IBAN GB33BUKB20201555555555\"], \"due_days\": 14}' WHERE short_name = 'northwind'")
            .execute(&world.db).await.unwrap();
        let cart = cart_id(&world.guest_checkout(&ORGANISATIONS[0], EMAIL).await).to_owned();
        let order = format!("/console/northwind/orders/{cart}/");
        let form_key = Uuid::now_v7().to_string();
        let fields = [("key", form_key.as_str()), ("amount", "1"), ("received_on", "2026-01-05"), ("reference", "line 1"), ("currency", "USD")];
        let booked = post(world, &noor, &format!("{order}payment/"), OWN, &fields).await;
        assert_eq!(booked.status, 303, "{}", booked.text);
        let day: String = sqlx::query_scalar("SELECT (received_at AT TIME ZONE 'America/New_York')::text FROM received_payments")
            .fetch_one(&world.db).await.unwrap();
        assert_eq!(day, "2026-01-05 00:00:00");
        let page = get(world, &noor, &order).await.text;
        assert!(page.contains("<dt>January 5, 2026</dt>"), "{page}");
    })
    .await;
}

#[tokio::test]
async fn each_title_says_where_one_is_and_each_page_leads_out() {
    world(with_console(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let noor = staff(world, "northwind", "noor@example.com", &["support", "finance", "manager"]).await;
        for (path, title) in [
            ("", "Start"),
            ("owed/", "Unpaid"),
            ("month/", "Close the month"),
            ("payouts/", "Payouts"),
            ("vouchers/", "Vouchers"),
            ("person/?email=ada@example.com", "ada@example.com · Person"),
            (&*format!("orders/{cart}/"), "Order of ada@example.com"),
            (&*format!("orders/{cart}/move/?position=0"), "Move? · Order of ada@example.com"),
            (&*format!("orders/{cart}/refund/?reason=x"), "Refund? · Order of ada@example.com"),
        ] {
            let page = get(world, &noor, &format!("/console/northwind/{path}")).await;
            let (_, rest) = page.text.split_once("<title>").unwrap();
            let said = rest.split_once("</title>").unwrap().0;
            assert_eq!(said, format!("{title} · Northwind Institute · Console"), "{path}");
            assert!(page.text.contains("Sign out") && page.text.contains("logout"), "{path}: {}", page.text);
        }
        let none =
            get(world, &noor, "/console/northwind/orders/00000000-0000-4000-8000-000000000000/").await.text;
        assert!(
            none.contains("<title>Not found · northwind · Console</title>")
                && none.contains("role=\"search\""),
            "{none}"
        );
    })
    .await;
}
