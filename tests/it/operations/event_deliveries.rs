//! Deliveries of events to endpoints: their retries and their end, receivers that hang, workers that die, and what operators do.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use harness::steps::demo::FREE_COURSE;
use harness::steps::events::{endpoint, leave_for_libraries, received, webhooks};
use harness::steps::organisation_keys::key;
use harness::steps::payments::count;
use harness::steps::worker_program::WorkerProcess;
use harness::{Setup, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::events::{body_of, id_of, read_feed, settled};

#[tokio::test]
#[ignore = "slow"]
async fn an_event_that_was_not_taken_is_sent_again_until_it_is_or_was_given_up() {
    world(Setup::selling(), async |world| {
        let (id, _) = endpoint(world, "northwind", "crm").await;
        world.fault(json!({ "target": "hook", "kind": "status", "status": 503, "count": 3 })).await;
        world.enroll("new@example.com", FREE_COURSE, "audit").await;
        for attempts in 1..=3 {
            world
                .eventually("the attempt has failed", async |world| {
                    count(world, "SELECT coalesce(sum(attempts), 0)::bigint FROM webhook_deliveries").await
                        == attempts
                })
                .await;
            world.clock.advance(TimeDelta::hours(3));
        }
        settled(world).await;
        let got = received(world, "crm").await;
        assert_eq!(got.len(), 1, "{got:?}");

        world.fault(json!({ "target": "hook", "kind": "status", "status": 404, "count": 1000 })).await;
        world.enroll("new@example.com", FREE_COURSE, "verified").await;
        for (attempts, hours) in (4..).zip([1, 1, 1, 3, 6, 12, 17, 24, 29, 0]) {
            world
                .eventually("the attempt has failed", async |world| {
                    count(world, "SELECT sum(attempts)::bigint FROM webhook_deliveries").await == attempts + 1
                })
                .await;
            world.clock.advance(TimeDelta::hours(hours));
        }
        let given_up =
            "SELECT count(*) FROM webhook_deliveries WHERE attempts = 10 AND next_attempt_at IS NULL";
        assert_eq!(count(world, given_up).await, 1);
        assert_eq!(received(world, "crm").await.len(), 1);
        let (_, listed) = webhooks(world, &["list", "northwind", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(
            (&listed[0]["id"], &listed[0]["given_up"], &listed[0]["waiting"]),
            (&json!(id), &json!(1), &json!(0))
        );
        let failure = listed[0]["last_failure"].as_str().unwrap();
        assert!(failure.starts_with("404 refused on purpose"), "{failure}");
        // Of an answer, 1 KiB is kept.
        assert_eq!(failure.len(), "404 ".len() + 1024);
        // The feed still has it.
        let key = key(world, "northwind", &[Scope::Events]).await;
        assert_eq!(read_feed(world, &key, String::new(), 100).await.0.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn an_endpoint_that_is_gone_or_dead_is_disabled_and_catches_up_once_it_is_enabled() {
    world(Setup::selling(), async |world| {
        let (gone, _) = endpoint(world, "northwind", "gone").await;
        let (dead, _) = endpoint(world, "northwind", "dead").await;
        world
            .fault(json!({ "target": "hook", "path": "gone", "kind": "status", "status": 410, "count": 1 }))
            .await;
        world
            .fault(
                json!({ "target": "hook", "path": "dead", "kind": "status", "status": 500, "count": 1000 }),
            )
            .await;
        world.enroll("new@example.com", FREE_COURSE, "audit").await;
        let disabled = "SELECT count(*) FROM webhook_endpoints WHERE disabled_at IS NOT NULL";
        world
            .eventually("the one that is gone is disabled", async |world| count(world, disabled).await == 1)
            .await;
        world
            .eventually("the dead one is disabled", async |world| {
                world.clock.advance(TimeDelta::hours(4));
                // Each failure is a chance to find it dead.
                world.enroll("new@example.com", FREE_COURSE, "verified").await;
                world.enroll("new@example.com", FREE_COURSE, "audit").await;
                count(world, disabled).await == 2
            })
            .await;
        let (_, listed) = webhooks(world, &["list"]).await;
        assert!(listed.contains("410 Gone") && listed.contains("no event for five days"), "{listed}");
        world.no_faults().await;
        for id in [&gone, &dead] {
            let (done, said) = webhooks(world, &["enable", id]).await;
            assert!(done && said.contains("that it has missed are sent"), "{said}");
            let (done, said) = webhooks(world, &["enable", id]).await;
            assert!(!done && said.contains("no disabled endpoint"), "{said}");
        }
        settled(world).await;
        let key = key(world, "northwind", &[Scope::Events]).await;
        let feed = read_feed(world, &key, String::new(), 1000).await.0;
        let ids: BTreeSet<String> =
            feed.iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect();
        for receiver in ["gone", "dead"] {
            let got: BTreeSet<String> = received(world, receiver).await.iter().map(id_of).collect();
            assert_eq!(got, ids, "{receiver}");
        }
        let audited: i64 = count(world, "SELECT count(*) FROM audit_log WHERE entity = 'endpoint'").await;
        assert_eq!(audited, 6, "set, disabled and enabled, twice");
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_slow_endpoint_gets_four_events_at_once_and_a_replaced_secret_signs_for_a_day() {
    world(Setup::default(), async |world| {
        let (id, _) = endpoint(world, "northwind", "crm").await;
        world.fault(json!({ "target": "hook", "kind": "delay", "delay_ms": 400, "count": 1000 })).await;
        for learner in 0..12 {
            world.enroll(&format!("new{learner}@example.com"), FREE_COURSE, "audit").await;
        }
        settled(world).await;
        let mut at: Vec<chrono::DateTime<chrono::Utc>> = received(world, "crm")
            .await
            .iter()
            .map(|delivery| delivery["at"].as_str().unwrap().parse().unwrap())
            .collect();
        at.sort_unstable();
        assert_eq!(at.len(), 12);
        // Each waits 400 ms at the receiver, so the fifth after any comes later than that.
        let fifth = at.windows(5).map(|five| five[4] - five[0]).min().unwrap();
        assert!(fifth >= TimeDelta::milliseconds(300), "{fifth}");
        world.no_faults().await;

        let (done, said) = webhooks(world, &["rotate", &id]).await;
        assert!(done, "{said}");
        let new = said.lines().find(|line| line.starts_with("whsec_")).unwrap().to_owned();
        world.secrets.lock().unwrap().push(new[6..].to_owned());
        for (hours, learner, signatures) in [(23, "bea@example.com", 2), (2, "cleo@example.com", 1)] {
            world.clock.advance(TimeDelta::hours(hours));
            world.enroll(learner, FREE_COURSE, "audit").await;
            settled(world).await;
            let delivery = received(world, "crm").await.pop().unwrap();
            assert_eq!(body_of(&delivery)["data"]["email"], learner);
            let sent = delivery["headers"]["webhook-signature"].as_str().unwrap();
            assert_eq!(sent.split(' ').count(), signatures, "after {hours} more hours");
        }
    })
    .await;
}

#[tokio::test]
async fn each_event_of_a_backlog_is_delivered_once() {
    world(Setup::default(), async |world| {
        endpoint(world, "northwind", "crm").await;
        let sql = "INSERT INTO events (organisation_id, type, data) SELECT id, 'order.paid', jsonb_build_object('cart_id', n)
                   FROM organisations, generate_series(1, 1000) n WHERE short_name = 'northwind'";
        sqlx::query(sql).execute(&world.db).await.unwrap();
        settled(world).await;
        let got: BTreeSet<String> = received(world, "crm").await.iter().map(id_of).collect();
        let stored: Vec<String> = sqlx::query_scalar("SELECT id::text FROM events").fetch_all(&world.db).await.unwrap();
        assert_eq!(got, stored.into_iter().collect());
        let recorded = "SELECT count(*) FROM webhook_deliveries
                        WHERE (attempts, last_status) = (1, 204) AND delivered_at IS NOT NULL AND last_answer = ''";
        assert_eq!(count(world, recorded).await, 1000);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_receiver_that_hangs_holds_up_no_other_receiver() {
    world(Setup::default(), async |world| {
        endpoint(world, "northwind", "slow").await;
        endpoint(world, "northwind", "good").await;
        world.fault(json!({ "target": "hook", "path": "slow", "kind": "delay", "delay_ms": 10_000, "count": 100 })).await;
        let start = std::time::Instant::now();
        for learner in 0..30 {
            world.enroll(&format!("new{learner}@example.com"), FREE_COURSE, "audit").await;
        }
        world.eventually("the good one has all", async |world| received(world, "good").await.len() == 30).await;
        let took = start.elapsed();
        assert!(took.as_secs() < 10, "{took:?}: the slow one has not answered once by then");
        world.no_faults().await;
    })
    .await;
}

/// A week's events are due at a receiver that refuses each of them.
#[tokio::test]
#[ignore = "slow"]
async fn a_receiver_that_was_down_for_a_week_delays_no_other_receiver() {
    world(Setup::without_workers(), async |world| {
        let (down, _) = endpoint(world, "northwind", "down").await;
        endpoint(world, "northwind", "good").await;
        let week = "WITH happened AS (
                INSERT INTO events (organisation_id, type, data, at, position)
                SELECT id, 'order.paid', jsonb_build_object('cart_id', n), now() - interval '7 days' + n * interval '12 s', n
                FROM organisations, generate_series(1, 50000) n WHERE short_name = 'northwind' RETURNING id, at),
            counted AS (UPDATE event_positions SET last = 50000)
            INSERT INTO webhook_deliveries (endpoint_id, event_id, at, next_attempt_at) SELECT $1::uuid, id, at, at FROM happened";
        sqlx::query(week).bind(&down).execute(&world.db).await.unwrap();
        world.fault(json!({ "target": "hook", "path": "down", "kind": "status", "status": 503, "count": 100_000 })).await;
        world.start_worker().await;
        let tried = "SELECT count(*) FROM webhook_deliveries WHERE attempts > 0 AND delivered_at IS NULL";
        world.eventually("the backlog is being tried", async |world| count(world, tried).await > 0).await;
        for learner in 0..5 {
            let start = std::time::Instant::now();
            world.enroll(&format!("new{learner}@example.com"), FREE_COURSE, "audit").await;
            world
                .eventually("the good one has it", async |world| received(world, "good").await.len() == learner + 1)
                .await;
            let took = start.elapsed();
            assert!(took.as_secs() < 5, "{took:?}");
        }
        let left = "SELECT count(*) FROM webhook_deliveries WHERE attempts = 0";
        assert!(count(world, left).await > 10_000, "the backlog is still there");
        sqlx::query("DELETE FROM webhook_deliveries").execute(&world.db).await.unwrap();
        world.no_faults().await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn events_are_delivered_after_the_broker_was_unavailable_for_longer_than_a_worker_waits_for_its_jobs() {
    world(Setup { proxied: true, ..Setup::default() }, async |world| {
        endpoint(world, "northwind", "crm").await;
        // Longer than the five seconds in which a job can still be acknowledged.
        world.fault(json!({ "target": "hook", "kind": "delay", "delay_ms": 12_000, "count": 1 })).await;
        world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        world
            .eventually("the delivery is under way", async |world| {
                count(world, "SELECT count(*) FROM webhook_endpoints WHERE lease_id IS NOT NULL").await == 1
                    && count(world, "SELECT count(*) FROM outbox").await == 0
            })
            .await;
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        world.amqp().cut();
        world
            .eventually("the delivery has ended", async |world| {
                count(world, "SELECT count(*) FROM webhook_deliveries WHERE delivered_at IS NOT NULL").await
                    == 1
            })
            .await;
        world.amqp().restore();
        world
            .eventually("enrolling works again", async |world| {
                world.enroll("bea@example.com", FREE_COURSE, "audit").await.status == 200
            })
            .await;
        world.eventually("bea's event arrives", async |world| received(world, "crm").await.len() > 1).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn an_attempt_at_an_endpoint_ends_after_fifteen_seconds_without_an_answer() {
    world(Setup::default(), async |world| {
        endpoint(world, "northwind", "crm").await;
        world.fault(json!({ "target": "hook", "kind": "delay", "delay_ms": 60_000, "count": 1 })).await;
        let begun = std::time::Instant::now();
        world.enroll("new@example.com", FREE_COURSE, "audit").await;
        world
            .eventually("the attempt has failed", async |world| {
                count(world, "SELECT count(*) FROM webhook_deliveries WHERE attempts = 1").await == 1
            })
            .await;
        assert!(begun.elapsed().as_secs() >= 15, "{:?}", begun.elapsed());
        let (_, listed) = webhooks(world, &["list", "northwind", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(listed[0]["last_failure"], "no answer within 15 s");
        world.clock.advance(TimeDelta::hours(3));
        settled(world).await;
        let got = received(world, "crm").await;
        let ids: BTreeSet<_> = got.iter().map(id_of).collect();
        assert_eq!((got.len(), ids.len()), (2, 1), "the same event again");
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn workers_that_die_and_a_receiver_that_is_down_lose_no_event() {
    world(Setup { workers: 0, ..Setup::default() }, async |world| {
        endpoint(world, "northwind", "crm").await;
        let mut workers = vec![WorkerProcess::start(world), WorkerProcess::start(world)];
        // The receiver is slow, and down for a while.
        world.fault(json!({ "target": "hook", "kind": "delay", "delay_ms": 30, "count": 40 })).await;
        world.fault(json!({ "target": "hook", "kind": "status", "status": 503, "count": 10 })).await;
        for round in 0..4 {
            for learner in 0..10 {
                let email = format!("new{round}-{learner}@example.com");
                world
                    .eventually("the grant is answered", async |world| {
                        world.enroll(&email, FREE_COURSE, "audit").await.status == 200
                    })
                    .await;
            }
            // Dropped, it is killed.
            workers.remove(0);
            workers.push(WorkerProcess::start(world));
        }
        // What a killed worker had taken is due again after ten minutes, by a clock that the processes do not share.
        sqlx::query(
            "UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL",
        )
        .execute(&world.db)
        .await
        .unwrap();
        settled(world).await;
        let key = key(world, "northwind", &[Scope::Events]).await;
        let feed = read_feed(world, &key, String::new(), 7).await.0;
        let ids: BTreeSet<String> =
            feed.iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect();
        let got: BTreeSet<String> = received(world, "crm").await.iter().map(id_of).collect();
        assert_eq!((ids.len(), feed.len()), (40, 40));
        assert_eq!(got, ids);
        // The look-ups of registrations, too.
        world.drain().await;
        for worker in workers {
            worker.end().await;
        }
    })
    .await;
}

#[tokio::test]
async fn endpoints_lead_to_public_addresses_over_https() {
    let worker_args = vec!["--webhook-allow-private=false".to_owned(), "--reconcile-every=200ms".into()];
    world(Setup { worker_args, ..Setup::default() }, async |world| {
        for (url, reason) in [
            ("http://crm.example/", "https://"),
            ("https://127.0.0.1/", "not public"),
            ("https://[::ffff:192.168.0.1]/", "not public"),
            ("crm", "not a URL"),
        ] {
            let (done, said) = webhooks(world, &["set", "northwind", url]).await;
            assert!(!done && said.contains(reason), "{url}: {said}");
        }
        // A name is looked up when it is connected to.
        let (done, said) =
            webhooks(world, &["set", "northwind", "https://localhost:9/", "--types", "enrollment.changed"])
                .await;
        assert!(done, "{said}");
        let secret = said.lines().find(|line| line.starts_with("whsec_")).unwrap();
        world.secrets.lock().unwrap().push(secret[6..].to_owned());
        world.enroll("new@example.com", FREE_COURSE, "audit").await;
        world
            .eventually("the attempt has failed", async |world| {
                count(world, "SELECT count(*) FROM webhook_deliveries WHERE attempts > 0").await == 1
            })
            .await;
        let (_, listed) = webhooks(world, &["list"]).await;
        assert!(listed.contains("no public address") && listed.contains("failing since"), "{listed}");
        assert_eq!(count(world, "SELECT count(*) FROM webhook_endpoints").await, 1);
    })
    .await;
}

#[tokio::test]
async fn an_operator_tests_rotates_changes_and_removes_an_endpoint() {
    world(Setup::default(), async |world| {
        let (id, old) = endpoint(world, "northwind", "crm").await;
        let (done, said) = webhooks(world, &["test", &id]).await;
        assert!(done && said.contains("204"), "{said}");
        let got = received(world, "crm").await;
        assert_eq!(body_of(&got[0])["type"], "webhooks.test");
        leave_for_libraries(&old, &got);

        let (done, said) = webhooks(world, &["rotate", &id]).await;
        assert!(done, "{said}");
        let new = said.lines().find(|line| line.starts_with("whsec_")).unwrap().to_owned();
        world.secrets.lock().unwrap().push(new[6..].to_owned());
        webhooks(world, &["test", &id]).await;
        let both = received(world, "crm").await.pop().unwrap();
        assert_eq!(both["headers"]["webhook-signature"].as_str().unwrap().split(' ').count(), 2);
        leave_for_libraries(&old, std::slice::from_ref(&both));
        leave_for_libraries(&new, &[both]);

        // For a URL that is set, other types and no new secret.
        let url = world.simulators.url("/_sim/hook/crm");
        let (done, said) = webhooks(world, &["set", "northwind", &url, "--types", "order.paid"]).await;
        assert!(done && !said.contains("whsec_"), "{said}");
        let (_, listed) = webhooks(world, &["list", "--json"]).await;
        assert_eq!(serde_json::from_str::<Value>(&listed).unwrap()[0]["types"], json!(["order.paid"]));
        world.enroll("new@example.com", FREE_COURSE, "audit").await;
        settled(world).await;
        assert_eq!(count(world, "SELECT count(*) FROM webhook_deliveries").await, 0);

        let (done, said) = webhooks(world, &["set", "northwind", &url]).await;
        assert!(done, "{said}");
        let (done, said) = webhooks(world, &["replay", &id, "--since", "2026-01-01T00:00:00Z"]).await;
        assert!(done && said.contains("1 events are sent again"), "{said}");
        settled(world).await;
        assert_eq!(body_of(received(world, "crm").await.last().unwrap())["type"], "enrollment.changed");

        // A redirect is not followed.
        for status in [302, 500] {
            world.fault(json!({ "target": "hook", "kind": "status", "status": status })).await;
            let (done, said) = webhooks(world, &["test", &id]).await;
            assert!(!done && said.contains(&status.to_string()), "{said}");
        }
        let unknown = "00000000-0000-0000-0000-000000000000";
        for words in [
            &["test", unknown][..],
            &["rotate", unknown],
            &["remove", unknown],
            &["replay", unknown, "--since", "2026-01-01T00:00:00Z"],
        ] {
            let (done, said) = webhooks(world, words).await;
            assert!(!done && said.contains("no endpoint"), "{words:?}: {said}");
        }
        let (done, said) = webhooks(world, &["set", "northwind", &url, "--types", "order.sold"]).await;
        assert!(!done && said.contains("is none of order.pending"), "{said}");
        let (done, said) = webhooks(world, &["remove", &id]).await;
        assert!(done && said.trim() == "removed", "{said}");
        assert_eq!(count(world, "SELECT count(*) FROM webhook_secrets").await, 0);
    })
    .await;
}
