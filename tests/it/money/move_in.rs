//! `move-in ecommerce`: what another shop has sold becomes a record here, once, whatever interrupts it.

use harness::steps::former_shop::{Export, OldOrder, SITE, finding, move_in, moved_cart, sales, section};
use harness::steps::invoices::{SHOP, sell_with_tax};
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{entry, ledger, order};
use harness::steps::worker_program::operator;
use harness::{Setup, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

/// What acts by itself has written since the world began.
const ACTS: &str = "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM documents_due) + (SELECT count(*) FROM documents)
    + (SELECT count(*) FROM outbox) + (SELECT count(*) FROM mails) + (SELECT count(*) FROM enrollments)
    + (SELECT count(*) FROM enrollment_grants) + (SELECT count(*) FROM cart_courses)
    + (SELECT count(*) FROM transactions WHERE next_check_at IS NOT NULL OR alert IS NOT NULL OR state NOT IN ('succeeded', 'refunded'))
    + (SELECT count(*) FROM refunds WHERE state <> 'succeeded' OR next_check_at IS NOT NULL)
    + (SELECT count(*) FROM carts WHERE state NOT IN ('fulfilled', 'refunded'))";

#[tokio::test]
async fn a_dry_run_reports_by_year_currency_and_state_and_writes_nothing() {
    world(Setup::without_workers(), async |world| {
        let mut export = sales(5000);
        // The sale of a coupon is not an order.
        export.row(json!({ "t": "product", "id": 40, "class": "coupon", "title": "A coupon", "partner_id": 1, "sku": "C", "price": "0.00", "currency": "USD" }));
        export.order(&OldOrder { product: 40, ..OldOrder::of(5, 7) });
        export.row(json!({ "t": "basket", "id": 9, "site_id": 2, "user_id": 7, "status": "Frozen", "created": "2024-04-05T10:00:00.000000Z", "skus": "SKU11" }));
        export.row(json!({ "t": "answer", "basket_id": 9, "processor": "stripe", "reference": "pi_9" }));
        export.row(json!({ "t": "program_offer", "id": 2, "name": "Path", "partner_id": 1, "program": "a4f1", "benefit": "x.PercentageDiscount", "value": "10.00" }));
        let (done, said) = move_in(world, &export, &[]).await;
        assert!(done, "{said}");
        let orders = section(&said, "orders");
        let of = |year: &str, what: &str| {
            let row = orders.iter().find(|row| row["year"] == year && row["what"] == what).unwrap();
            [&row["orders"], &row["total"], &row["discount"], &row["debited"], &row["refunded"]].map(|cell| cell.as_str().unwrap().to_owned())
        };
        assert_eq!(of("2021", "purchases"), ["3", "260.75", "186.25", "260.75", "111.75"]);
        assert_eq!(of("2016", "purchases"), ["1", "149.00", "0.00", "149.00", "0.00"]);
        assert_eq!(of("2021", "coupon sales")[..2], ["1", "149.00"]);
        let refunds = section(&said, "refunds");
        assert_eq!((&refunds[0]["state"], &refunds[1]["state"]), (&json!("Complete"), &json!("Open")), "{said}");
        assert_eq!(finding(&said, "refund", "OLD-100003").unwrap(), "Open 149.00: it is not paid back yet");
        assert_eq!(finding(&said, "basket", "OLD-100009").unwrap(), "stripe pi_9 was paid, and no order was placed: SKU11");
        let offer = "10.00 percent off all courses of program a4f1: the catalog has no such program";
        assert_eq!(finding(&said, "program offer", "Path").as_deref(), Some(offer));
        assert!(said.contains("nothing was written; 4 orders are new"), "{said}");
        assert_eq!(count(world, "SELECT (SELECT count(*) FROM carts) + (SELECT count(*) FROM learners)").await, 0);
    })
    .await;
}

#[tokio::test]
async fn orders_become_records_with_their_days_and_nothing_acts_on_them() {
    world(Setup::selling(), async |world| {
        // A seller, whose sales have documents, and who lets learners refund.
        sell_with_tax(world).await;
        let known = world.new_platform_user(json!({ "email": EMAIL, "hint": false })).await;
        let user_id = known["user_id"].as_i64().unwrap();
        world.drain().await;
        let before = count(world, ACTS).await;
        let (done, said) = move_in(world, &sales(user_id), &["--apply"]).await;
        assert!(done && said.contains("4 orders were written; their totals"), "{said}");

        let paid = moved_cart(world, "OLD-100001").await;
        assert_eq!(ledger(world, &paid).await, [entry("captured", 14_900)]);
        let returned = moved_cart(world, "OLD-100002").await;
        assert_eq!(ledger(world, &returned).await, [entry("captured", 11_175), entry("refunded", -11_175)]);
        let days = "SELECT count(*) FROM ledger WHERE at IN ('2021-03-04T10:00Z', '2016-12-31T23:30Z')
                    OR kind = 'refunded' AND at = '2021-03-10T10:00Z'";
        assert_eq!(count(world, days).await, 4);

        let own = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let shown = order(world, &own, &returned).await;
        assert_eq!(
            (&shown["former_shop"], &shown["reference"]),
            (&json!(SITE), &json!("OLD-100002")),
            "{shown}"
        );
        assert_eq!(
            (&shown["status"], &shown["total_price"], &shown["refunded_amount"]),
            (&json!("refunded"), &json!(111.75), &json!(111.75))
        );
        let line = &shown["items"][0];
        assert_eq!(
            (&line["originalPrice"], &line["voucher_discount"], &line["price"]),
            (&json!(149), &json!(37.25), &json!(111.75)),
            "{line}"
        );
        assert_eq!(shown["metadata"]["processor"], "paypal");
        let shown = order(world, &own, &paid).await;
        assert_eq!(
            (&shown["standing"]["summary"], &shown["standing"]["access"]),
            (&json!("complete"), &json!("none"))
        );
        assert_eq!(shown["items"][0]["refundable_until"], Value::Null);
        let open = order(world, &own, &moved_cart(world, "OLD-100003").await).await;
        assert_eq!((&open["metadata"]["refund"], &open["refunds"]), (&json!("Open 149.00"), &json!([])));
        let free = order(world, &own, &moved_cart(world, "OLD-100004").await).await;
        assert_eq!(
            (&free["standing"]["payment"], &free["gateway"], &free["paid_at"]),
            (&json!("free"), &Value::Null, &Value::Null)
        );

        // Rounds of the reconciler have passed.
        world.drain().await;
        assert_eq!(count(world, ACTS).await, before);
        let (done, said) = move_in(world, &sales(user_id), &["--apply"]).await;
        assert!(done && said.contains("0 orders were written"), "{said}");
        assert_eq!(count(world, "SELECT count(*) FROM ledger").await, 4);
    })
    .await;
}

#[tokio::test]
async fn people_are_those_of_the_platform_today_and_the_retired_stay_retired() {
    world(Setup::without_workers(), async |world| {
        let mut export = Export::default();
        export.user(7, 5007, "Ada@Example.com");
        export.user(8, 5008, "ada@example.com");
        export.row(json!({ "t": "user", "id": 9, "username": "gone", "lms_id": 5009 }));
        export.platform(json!({ "t": "account", "id": 5009, "username": "retired__user_1", "email": null, "name": null, "retired": 1 }));
        // Known by name alone, from a tracking context, and without an id anywhere.
        export.row(json!({ "t": "user", "id": 10, "username": "by_name" }));
        export.platform(json!({ "t": "account", "id": 5010, "username": "by_name", "email": "bo@example.com", "name": "Bo", "retired": 0 }));
        export.row(json!({ "t": "user", "id": 11, "username": "traced", "tracking": "{\"lms_user_id\": 5011, \"ip\": \"10.0.0.1\"}" }));
        export.platform(json!({ "t": "account", "id": 5011, "username": "new_name", "email": "cy@example.com", "name": "Cy", "retired": 0 }));
        export.row(json!({ "t": "user", "id": 12, "username": "nobody" }));
        for user in 7..=12 {
            export.order(&OldOrder::of(user, user));
        }
        export.order(&OldOrder::of(13, 99));
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        assert!(done, "{said}");
        let rows: Vec<(String, String, String)> = sqlx::query_as(
            "SELECT c.reference, c.buyer, c.email FROM carts c WHERE c.former_shop IS NOT NULL ORDER BY 1",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        let buyer = |n: usize| (rows[n].1.as_str(), rows[n].2.as_str());
        assert_eq!(buyer(0), ("5007", "ada@example.com"));
        assert!(buyer(1).0 == "5008" && buyer(1).1.ends_with("@moved.invalid"), "two people stay two: {rows:?}");
        assert!(buyer(2).0.starts_with("erased-") && buyer(2).1.ends_with("@erased.invalid"), "{rows:?}");
        assert_eq!((buyer(3), buyer(4)), (("5010", "bo@example.com"), ("5011", "cy@example.com")));
        assert!(buyer(5).1.ends_with("@erased.invalid") && buyer(6).1.ends_with("@erased.invalid"), "{rows:?}");
        let reason = |who: &str| finding(&said, "person", who).unwrap_or_default();
        assert_eq!(reason("gone"), "is retired at the course platform");
        assert_eq!(reason("nobody"), "has no account at the course platform");
        assert_eq!(reason("OLD-100013"), "its person is not on record there");
        assert_eq!(count(world, "SELECT count(*) FROM learners").await, 4);

        // Who is erased here is not written down again by a later run.
        let (done, said) = operator(world, &["learners", "erase", "bo@example.com"], &["database-url"]).await;
        assert!(done, "{said}");
        export.refund(10, "Complete", "149.00");
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        assert!(done, "{said}");
        let erased = "SELECT count(*) FROM carts WHERE reference = 'OLD-100010' AND email LIKE 'erased-%' AND metadata IS NULL AND state = 'refunded'";
        assert_eq!(count(world, erased).await, 1);
        assert_eq!(count(world, "SELECT count(*) FROM learners WHERE email = 'bo@example.com' OR username = 'by_name'").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_second_run_brings_what_is_new_and_what_has_changed() {
    world(Setup::without_workers(), async |world| {
        let mut export = Export::default();
        export.user(7, 5007, EMAIL);
        export.order(&OldOrder::of(1, 7));
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        assert!(done, "{said}");
        let id = moved_cart(world, "OLD-100001").await;
        export.refund(1, "Revocation Error", "149.00");
        export.order(&OldOrder::of(2, 7));
        export.change("order", |order| order["status"] = json!("Fulfillment Error"));
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        assert!(done && said.contains("2 orders were written"), "{said}");
        assert_eq!(ledger(world, &id).await, [entry("captured", 14_900), entry("refunded", -14_900)]);
        let labels: Value = sqlx::query_scalar("SELECT metadata FROM carts WHERE id = $1::uuid").bind(&id).fetch_one(&world.db).await.unwrap();
        assert_eq!(labels, json!({ "processor": "paypal", "status": "Fulfillment Error" }));
        assert!(finding(&said, "refund", "OLD-100001").unwrap().contains("may still be enrolled"), "{said}");

        // A refund whose person was deleted is in the payment's books alone.
        export.change("payment", |payment| {
            if payment["order_id"] == 2 {
                payment["refunded"] = json!("49.00");
            }
        });
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        assert!(done && said.contains("1 orders were written"), "{said}");
        let part = moved_cart(world, "OLD-100002").await;
        assert_eq!(ledger(world, &part).await, [entry("captured", 14_900), entry("refunded", -4_900)]);
        assert_eq!(count(world, "SELECT refunded FROM cart_items i JOIN carts c ON c.id = i.cart_id WHERE c.reference = 'OLD-100002'").await, 4_900);
        assert_eq!(finding(&said, "refund", "OLD-100002").unwrap(), "the payment gave back 49.00, its refunds 0");
    })
    .await;
}

#[tokio::test]
async fn a_run_that_dies_leaves_whole_orders_and_the_next_one_goes_on() {
    world(Setup::without_workers(), async |world| {
        let mut export = Export::default();
        export.user(7, 5007, EMAIL);
        for id in 1..=700 {
            export.order(&OldOrder::of(id, 7));
        }
        for statement in [
            "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the run dies'; END $$",
            "CREATE TRIGGER die BEFORE INSERT ON ledger FOR EACH ROW WHEN (NEW.provider_reference = 'PAYID-650') EXECUTE FUNCTION die()",
        ] {
            sqlx::query(statement).execute(&world.db).await.unwrap();
        }
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        assert!(!done && said.contains("the run dies"), "{said}");
        let whole = "SELECT count(*) FROM carts c JOIN cart_items i ON i.cart_id = c.id JOIN ledger l ON l.cart_id = c.id";
        assert_eq!((count(world, "SELECT count(*) FROM carts").await, count(world, whole).await), (600, 600));
        sqlx::query("DROP TRIGGER die ON ledger").execute(&world.db).await.unwrap();
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        assert!(done && said.contains("100 orders were written"), "{said}");
        assert_eq!(count(world, whole).await, 700);
    })
    .await;
}

#[tokio::test]
async fn two_runs_at_once_are_one() {
    world(Setup::without_workers(), async |world| {
        let mut other = world.db.acquire().await.unwrap();
        let lock = "SELECT pg_advisory_lock(hashtextextended('storefront move-in', 0))";
        sqlx::query(lock).execute(&mut *other).await.unwrap();
        let (done, said) = move_in(world, &sales(5000), &[]).await;
        assert!(!done && said.contains("another move-in is running"), "{said}");
        other.close().await.unwrap();
        let (done, said) = move_in(world, &sales(5000), &[]).await;
        assert!(done, "{said}");
    })
    .await;
}
