//! Events of orders and enrollments: in the feed, and signed at the endpoints of organisations.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use harness::steps::demo::{FREE_COURSE, FREE_KEY};
use harness::steps::events::{endpoint, leave_for_libraries, received};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payment_commands::payments;
use harness::steps::payments::{EMAIL, begun, count};
use harness::steps::refunds::{at_provider, bought, refund};
use harness::steps::worker_program::operator;
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use sqlx::{AssertSqlSafe, Executor};

pub const FEED: &str = "/storeapi/events/";

pub fn id_of(delivery: &Value) -> String {
    delivery["headers"]["webhook-id"].as_str().unwrap().to_owned()
}

pub fn body_of(delivery: &Value) -> Value {
    serde_json::from_str(delivery["body"].as_str().unwrap()).unwrap()
}

/// All events of a feed, page by page. The place after the last one comes with them.
pub async fn read_feed(world: &World, key: &str, mut after: String, limit: u32) -> (Vec<Value>, String) {
    let mut events = Vec::new();
    loop {
        let page = get(world, &format!("{FEED}?limit={limit}&after={after}"), key).await;
        assert_eq!(page.status, 200, "{}", page.text);
        events.extend(page.json["events"].as_array().unwrap().iter().cloned());
        after = page.json["next"].as_str().unwrap().to_owned();
        if page.json["has_more"] == false {
            return (events, after);
        }
    }
}

/// Waits until all events have a position and all deliveries have ended.
pub async fn settled(world: &World) {
    world
        .eventually("all events are delivered", async |world| {
            count(world, "SELECT count(*) FROM events WHERE position IS NULL").await == 0
                && count(world, "SELECT count(*) FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL")
                    .await
                    == 0
        })
        .await;
}

fn types(events: &[Value]) -> BTreeMap<String, usize> {
    let mut types = BTreeMap::new();
    for event in events {
        *types.entry(event["type"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    types
}

#[tokio::test]
async fn a_sale_and_its_refund_are_told_in_the_feed_and_at_the_endpoint() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let organisation = &ORGANISATIONS[0];
        let key = key(world, "northwind", &[Scope::Events, Scope::Refunds]).await;
        let (_, secret) = endpoint(world, "northwind", "crm").await;
        let (cart, _) = bought(world, organisation, EMAIL).await;
        world.platform_agrees(EMAIL, organisation.key, organisation.mode, true).await;
        settled(world).await;
        let refunded = refund(world, &key, &cart, &json!({})).await;
        assert_eq!(refunded.status, 200, "{}", refunded.text);
        world.platform_agrees(EMAIL, organisation.key, organisation.mode, false).await;
        // What another organisation sells is not for it.
        bought(world, &ORGANISATIONS[1], EMAIL).await;
        world.eventually("the platform's verdict is told", async |world| {
            types(&read_feed(world, &key, String::new(), 100).await.0).get("enrollment.changed") == Some(&4)
        })
        .await;
        settled(world).await;

        let (feed, _) = read_feed(world, &key, String::new(), 1).await;
        let expected = [("enrollment.changed", 4), ("order.fulfilled", 1), ("order.paid", 1), ("order.pending", 1), ("order.refunded", 1)];
        assert_eq!(types(&feed), expected.map(|(name, count)| (name.to_owned(), count)).into());
        let one = |kind: &str| feed.iter().find(|event| event["type"] == kind).unwrap()["data"].clone();
        assert_eq!(
            one("order.paid"),
            json!({ "organisation": "northwind", "cart_id": cart, "status": "paid", "total_price": 199, "currency": "USD",
                "language": "en" })
        );
        assert_eq!(
            one("order.refunded"),
            json!({ "organisation": "northwind", "cart_id": cart, "status": "refunded", "refund_id": refunded.json["refund_id"],
                "amount": 199, "refunded_amount": 199, "currency": "USD", "language": "en" })
        );
        let changes: Vec<_> = feed.iter().filter(|event| event["type"] == "enrollment.changed").collect();
        let states = changes.iter().map(|event| {
            let data = &event["data"];
            assert_eq!((&data["email"], &data["openedx_course_id"]), (&json!(EMAIL), &json!(organisation.key)));
            (data["enrollment_state"].as_str().unwrap(), data["platform_state"].as_str().unwrap(), data["version"].as_i64().unwrap())
        });
        let expected = [("enrolled", "queued", 1), ("enrolled", "synced", 2), ("removed", "queued", 3), ("removed", "synced", 4)];
        assert_eq!(states.collect::<Vec<_>>(), expected);

        // The endpoint has got the same, each once.
        let got = received(world, "crm").await;
        let delivered: BTreeMap<String, Value> = got.iter().map(|delivery| (id_of(delivery), body_of(delivery))).collect();
        assert_eq!((delivered.len(), got.len()), (feed.len(), feed.len()));
        for event in &feed {
            let mut event = event.clone();
            let id = event.as_object_mut().unwrap().remove("id").unwrap();
            assert_eq!(delivered[id.as_str().unwrap()], event);
        }
        let headers = &got[0]["headers"];
        assert_eq!(headers["content-type"], "application/json");
        assert!(headers["webhook-signature"].as_str().unwrap().starts_with("v1,"), "{headers}");
        leave_for_libraries(&secret, &got);
    })
    .await;
}

#[tokio::test]
async fn orders_that_close_refunds_that_fail_and_disputes_are_told() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let key = key(world, "lindgren", &[Scope::Events, Scope::Refunds]).await;
        let told = async |kind: &str| {
            let mut found = Value::Null;
            world
                .eventually(&format!("{kind} is told"), async |world| {
                    let feed = read_feed(world, &key, String::new(), 100).await.0;
                    let data =
                        feed.iter().find(|event| event["type"] == kind).map(|event| event["data"].clone());
                    found = data.unwrap_or_default();
                    !found.is_null()
                })
                .await;
            found
        };
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        let (cart, _) = bought(world, &ORGANISATIONS[1], EMAIL).await;
        let asked = refund(world, &key, &cart, &json!({})).await;
        assert_eq!(asked.json["status"], "accepted", "{}", asked.text);
        let id = at_provider(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
        world.sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), Some(json!({ "notify": false }))).await;
        world.clock.advance(TimeDelta::days(1));
        let failed = told("order.refund_failed").await;
        let expected = (&json!(cart), &json!(240), &json!(0), &json!("refunded"));
        assert_eq!(
            (&failed["cart_id"], &failed["amount"], &failed["refunded_amount"], &failed["status"]),
            expected
        );

        let (cart, payment) = bought(world, &ORGANISATIONS[1], "bea@example.com").await;
        world.at_provider("dispute", &payment, json!({ "outcome": "lost", "notify": true })).await;
        let disputed = told("order.disputed").await;
        assert_eq!(
            (&disputed["cart_id"], &disputed["refund_id"], &disputed["amount"]),
            (&json!(cart), &Value::Null, &json!(240))
        );

        let (unpaid, _) = begun(world, &ORGANISATIONS[1], "ida@example.com").await;
        world.clock.advance(TimeDelta::hours(80));
        let closed = told("order.closed").await;
        assert_eq!((&closed["cart_id"], &closed["status"]), (&json!(unpaid), &json!("expired")));
    })
    .await;
}

#[tokio::test]
async fn who_mirrors_orders_by_their_events_has_the_right_status_after_disputes_and_restored_access() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        // Stripe reports a dispute before it is lost; Mollie has taken the money when it reports it.
        for (shop, lost, won) in [
            (&ORGANISATIONS[0], &["opened", "lost"][..], &["appealed", "won"][..]),
            (&ORGANISATIONS[1], &["opened"], &["won"]),
        ] {
            let key = key(world, shop.short_name, &[Scope::Events, Scope::Refunds]).await;
            let (cart, payment) = bought(world, shop, EMAIL).await;
            // The events of the order in the order of the feed; documents follow in their own time and have no status.
            let told = async |world: &World| {
                let feed = read_feed(world, &key, String::new(), 100).await.0;
                let own = feed.iter().filter(|event| {
                    event["data"]["cart_id"] == json!(cart) && event["type"] != "document.issued"
                });
                own.map(|event| (event["type"].clone(), event["data"].clone())).collect::<Vec<_>>()
            };
            let mirrored = async |status: &str| {
                world.cart_becomes(&cart, status).await;
                world
                    .eventually("the status is told", async |world| {
                        told(world).await.last().is_some_and(|(_, data)| data["status"] == status)
                    })
                    .await;
                told(world).await.last().unwrap().clone()
            };
            mirrored("fulfilled").await;
            let decided = async |outcomes: &[&str]| {
                for outcome in outcomes {
                    let dispute = json!({ "outcome": outcome, "notify": true });
                    world.at_provider("dispute", &payment, dispute).await;
                }
            };
            decided(lost).await;
            mirrored("refunded").await;
            let feed = told(world).await;
            let lost = feed.iter().find(|(kind, _)| kind == "order.refunded").unwrap();
            assert_eq!(
                (&lost.1["status"], &lost.1["refund_id"], &lost.1["amount"], &lost.1["refunded_amount"]),
                (&json!("refunded"), &Value::Null, &json!(shop.subunits / 100), &json!(0))
            );
            decided(won).await;
            assert_eq!(mirrored("fulfilled").await.0, "order.fulfilled");
            // A refund that fails, and an operator who restores the access.
            let asked = refund(world, &key, &cart, &json!({})).await;
            assert_eq!(asked.json["status"], "accepted", "{}", asked.text);
            mirrored("refunded").await;
            let id = at_provider(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
            world
                .sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), Some(json!({ "notify": true })))
                .await;
            world
                .eventually("the refund has failed", async |world| world.transaction(&cart).await.1 == 0)
                .await;
            let words = ["restore", &cart, "--reason", "bank details were wrong", "--by", "Mira"];
            let (done, said) = payments(world, &words).await;
            assert!(done, "{said}");
            assert_eq!(mirrored("fulfilled").await.0, "order.fulfilled");
        }
    })
    .await;
}

#[tokio::test]
async fn the_changes_of_an_order_are_in_the_feed_in_their_order_whichever_transaction_began_first() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Events]).await;
        let (cart, _) = begun(world, &ORGANISATIONS[0], EMAIL).await;
        settled(world).await;
        let state = |state: &str| format!("UPDATE carts SET state = '{state}' WHERE id = '{cart}'");
        // No event gets a position until both changes are committed.
        let mut positions = world.db.begin().await.unwrap();
        positions.execute("SELECT FROM event_positions FOR UPDATE").await.unwrap();
        let mut began_first = world.db.begin().await.unwrap();
        began_first.execute("SELECT now()").await.unwrap();
        world.db.execute(AssertSqlSafe(state("paid"))).await.unwrap();
        began_first.execute(AssertSqlSafe(state("fulfilled"))).await.unwrap();
        began_first.commit().await.unwrap();
        positions.rollback().await.unwrap();
        settled(world).await;
        let feed = read_feed(world, &key, String::new(), 100).await.0;
        let kinds: Vec<_> = feed.iter().map(|event| event["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["order.pending", "order.paid", "order.fulfilled"]);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_reader_of_the_feed_misses_nothing_while_it_is_written() {
    world(Setup { workers: 2, ..Setup::default() }, async |world| {
        let key = key(world, "northwind", &[Scope::Events]).await;
        let world = &*world;
        let start = Instant::now();
        let writer = async |writer: usize| {
            let mut nth = 0;
            while start.elapsed() < Duration::from_secs(60) {
                let reply = world.enroll(&format!("w{writer}-{nth}@example.com"), FREE_COURSE, "audit").await;
                assert_eq!(reply.status, 200, "{}", reply.text);
                nth += 1;
            }
            nth
        };
        let written = OnceLock::new();
        let writers = async {
            let counts: Vec<usize> = futures_util::future::join_all((0..16).map(writer)).await;
            written.set(counts.iter().sum()).unwrap();
        };
        let reader = async {
            let (mut seen, mut after) = (Vec::new(), String::new());
            while written.get() != Some(&seen.len()) {
                let (events, next) = read_feed(world, &key, after, 5).await;
                seen.extend(events.iter().map(|event| event["id"].as_str().unwrap().to_owned()));
                after = next;
            }
            seen
        };
        let both = async { tokio::join!(writers, reader).1 };
        let seen =
            tokio::time::timeout(Duration::from_secs(90), both).await.expect("the reader sees every event");
        let stored: Vec<String> = sqlx::query_scalar("SELECT id::text FROM events ORDER BY position")
            .fetch_all(&world.db)
            .await
            .unwrap();
        assert_eq!(seen, stored, "each once, in the order of the positions");
        let (last, highest): (i64, i64) =
            sqlx::query_as("SELECT last, (SELECT max(position) FROM events) FROM event_positions")
                .fetch_one(&world.db)
                .await
                .unwrap();
        let positions = i64::try_from(seen.len()).unwrap();
        assert_eq!((last, highest), (positions, positions), "no position is skipped");
    })
    .await;
}

#[tokio::test]
async fn a_page_of_some_types_looks_through_a_hundred_thousand_events() {
    world(Setup::without_workers(), async |world| {
        let sql = "INSERT INTO events (organisation_id, type, data, position, at)
                   SELECT id, CASE n WHEN 100001 THEN 'order.closed' ELSE 'order.paid' END, jsonb_build_object('cart_id', id, 'status',
                          'expired', 'total_price', 0, 'currency', 'USD', 'language', 'en'), n * 2, now() - interval '1 day'
                   FROM organisations, generate_series(1, 100001) n WHERE short_name = 'northwind';
                   UPDATE event_positions SET last = 200005";
        sqlx::raw_sql(sql).execute(&world.db).await.unwrap();
        let key = key(world, "northwind", &[Scope::Events]).await;
        let rare = format!("{FEED}?types=order.closed");
        let first = get(world, &rare, &key).await;
        assert_eq!((&first.json["events"], &first.json["has_more"]), (&json!([]), &json!(true)), "{}", first.text);
        // The 100,000th event, and when it happened: who waits for 31 days has missed some.
        let next = first.json["next"].as_str().unwrap();
        assert!(next.starts_with("30d40-"), "{next}");
        world.clock.advance(TimeDelta::days(29) + TimeDelta::hours(23));
        let late = get(world, &format!("{rare}&after={next}"), &key).await;
        assert_eq!(late.status, 200, "{}", late.text);
        world.clock.advance(TimeDelta::hours(2));
        assert_eq!(get(world, &format!("{rare}&after={next}"), &key).await.status, 400);
        assert_eq!(late.json["events"].as_array().unwrap().len(), 1, "{}", late.text);
        assert_eq!(late.json["has_more"], false);
        // Without types, nothing is skipped.
        let all = get(world, &format!("{FEED}?limit=1000&after={}", late.json["next"].as_str().unwrap()), &key).await;
        assert_eq!((&all.json["events"], &all.json["has_more"]), (&json!([]), &json!(false)), "{}", all.text);
    })
    .await;
}

#[tokio::test]
async fn the_feed_refuses_what_is_not_its_place_and_shows_an_organisation_its_own() {
    world(Setup::default(), async |world| {
        let own = key(world, "northwind", &[Scope::Events]).await;
        let other = key(world, "lindgren", &[Scope::Events]).await;
        let orders = key(world, "northwind", &[Scope::Orders]).await;
        let empty = get(world, FEED, &own).await;
        assert_eq!(
            (empty.status, &empty.json["events"], &empty.json["has_more"]),
            (200, &json!([]), &json!(false))
        );
        let begin = empty.json["next"].as_str().unwrap().to_owned();
        world.platform_user(EMAIL).await;
        world.enroll(EMAIL, FREE_COURSE, "audit").await;
        world.platform_agrees(EMAIL, FREE_KEY, "audit", true).await;
        world
            .eventually("both are told", async |world| {
                read_feed(world, &own, begin.clone(), 1).await.0.len() == 2
            })
            .await;
        assert_eq!(read_feed(world, &other, String::new(), 1).await.0.len(), 0);
        let changed = get(world, &format!("{FEED}?types=enrollment.changed,order.paid"), &own).await;
        assert_eq!(changed.json["events"].as_array().unwrap().len(), 2);
        let paid = get(world, &format!("{FEED}?types=order.paid"), &own).await;
        assert_eq!(paid.json["events"], json!([]));
        // What a filter has left out is passed, too.
        let next = paid.json["next"].as_str().unwrap();
        assert_eq!(read_feed(world, &own, next.to_owned(), 1).await.0.len(), 0);

        get(world, FEED, &orders).await.assert_problem(403, "forbidden");
        Reply::read(world.request(Method::GET, FEED)).await.assert_problem(401, "unauthenticated");
        let year = (world.clock.now() - TimeDelta::days(32)).timestamp();
        for (query, field) in [
            ("after=nonsense".to_owned(), "after"),
            (format!("after=0-{year:x}"), "after"),
            (format!("after=ffff-{:x}", world.clock.now().timestamp()), "after"),
            ("types=order.sold".to_owned(), "types"),
            ("limit=ten".to_owned(), "limit"),
        ] {
            let refused = get(world, &format!("{FEED}?{query}"), &own).await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), [field], "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn events_are_forgotten_after_thirty_days_and_an_erased_address_at_once() {
    world(Setup::selling(), async |world| {
        let key = key(world, "northwind", &[Scope::Events]).await;
        world.platform_user(EMAIL).await;
        world.enroll(EMAIL, FREE_COURSE, "audit").await;
        world.platform_agrees(EMAIL, FREE_KEY, "audit", true).await;
        settled(world).await;
        let (done, said) = operator(world, &["learners", "erase", EMAIL], &["database-url"]).await;
        assert!(done, "{said}");
        let feed = read_feed(world, &key, String::new(), 100).await.0;
        assert!(!feed.is_empty() && !json!(feed).to_string().contains(EMAIL), "{feed:?}");
        world.clock.advance(TimeDelta::days(33));
        world
            .eventually("they are forgotten", async |world| {
                count(world, "SELECT count(*) FROM events").await == 0
            })
            .await;
        let empty = get(world, FEED, &key).await;
        assert_eq!(empty.json["events"], json!([]));
        // PostgreSQL dates events by its own clock: while this one is ahead, the next would be forgotten at once.
        world.clock.advance(-TimeDelta::days(33));
        // Positions continue.
        world.enroll("new@example.com", FREE_COURSE, "audit").await;
        let after = empty.json["next"].as_str().unwrap().to_owned();
        let mut next = Vec::new();
        world
            .eventually("the next is reported", async |world| {
                next = read_feed(world, &key, after.clone(), 100).await.0;
                !next.is_empty()
            })
            .await;
        assert!(next.iter().all(|event| event.to_string().contains("new@example.com")), "{next:?}");
    })
    .await;
}

/// What a restore makes of the feed: other tables, with the events up to a position and the number of the last one, or without it.
async fn restored(world: &World, last: i64, number: i64) {
    let restore = format!(
        "DELETE FROM events WHERE position > {last};
         CREATE TABLE other (LIKE event_positions INCLUDING ALL);
         DROP TABLE event_positions;
         ALTER TABLE other RENAME TO event_positions;
         INSERT INTO event_positions (last) VALUES ({number});
         GRANT SELECT, UPDATE ON event_positions TO storefront_worker;
         GRANT SELECT ON event_positions TO storefront_api"
    );
    world.db.execute(AssertSqlSafe(restore)).await.unwrap();
}

#[tokio::test]
async fn a_place_in_a_feed_that_was_lost_with_a_restore_is_refused_for_good() {
    world(Setup::default(), async |world| {
        let key = key(world, "northwind", &[Scope::Events]).await;
        let enrolled = async |range: std::ops::Range<u32>| {
            for number in range {
                world.enroll(&format!("p{number}@example.com"), FREE_COURSE, "audit").await;
            }
            world
                .eventually("all have their places", async |world| {
                    count(world, "SELECT count(*) FROM events WHERE position IS NULL").await == 0
                })
                .await;
        };
        let read = async |after: &str| get(world, &format!("{FEED}?after={after}"), &key).await;
        enrolled(0..2).await;
        let (before, kept) = read_feed(world, &key, String::new(), 100).await;
        let last = count(world, "SELECT last FROM event_positions").await;
        for number in [last, 0] {
            enrolled(2..4).await;
            let (_, lost) = read_feed(world, &key, kept.clone(), 100).await;
            restored(world, last, number).await;
            world.unenroll("p0@example.com", FREE_COURSE).await;
            enrolled(10 * u32::from(number == 0) + 10..10 * u32::from(number == 0) + 16).await;
            let refused = read(&lost).await;
            refused.assert_problem(400, "invalid_request");
            assert!(refused.text.contains("was restored"), "{}", refused.text);
            // What was read before is still before.
            let (after, _) = read_feed(world, &key, kept.clone(), 100).await;
            let (all, _) = read_feed(world, &key, String::new(), 100).await;
            assert_eq!(all, [before.clone(), after].concat());
        }
        let (_, present) = read_feed(world, &key, String::new(), 100).await;
        enrolled(40..41).await;
        assert_eq!(read(&present).await.json["events"].as_array().unwrap().len(), 1);
        // Until a restore, places are as an earlier version has given them, which may serve the next request.
        assert_eq!((kept.split('-').count(), present.split('-').count()), (2, 3));
    })
    .await;
}
