//! Servers that become unreachable, and workers that die in the middle of a job.

use std::time::{Duration, Instant};

use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY};
use harness::steps::generation::{generation_in_redis, raise_in_redis};
use harness::steps::payments::{count, waiting_for};
use harness::{Reply, Setup, world};
use reqwest::Method;
use serde_json::json;
use shared::queue::Publisher;
use shared::settings::QueueSettings;
use shared::tls::TlsSettings;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const LIST: &str = "/storeapi/discovery/courses/";

#[tokio::test]
async fn without_the_broker_commands_are_refused_within_a_second_and_work_again_when_it_is_back() {
    world(Setup { proxied: true, ..Setup::default() }, async |world| {
        world.platform_user("ada@example.com").await;
        world.amqp().cut();
        world
            .eventually("the api answers 503 without the broker", async |world| {
                world.enroll("ada@example.com", PAID_COURSE, "verified").await.status == 503
            })
            .await;
        let start = Instant::now();
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        reply.assert_problem(503, "unavailable");
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        assert_eq!(world.get(LIST).await.status, 200, "reads need no broker");
        world.amqp().restore();
        world
            .eventually("enrolling works again", async |world| {
                world.enroll("ada@example.com", PAID_COURSE, "verified").await.status == 200
            })
            .await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_broker_that_falls_silent_is_left_and_found_again() {
    world(
        Setup { proxied: true, api_args: vec!["--ask-deadline=1s".into()], ..Setup::default() },
        async |world| {
            world.platform_user("ada@example.com").await;
            world.amqp().silence();
            world.enroll("ada@example.com", PAID_COURSE, "verified").await.assert_problem(504, "timeout");
            world.amqp().restore();
            // After two missed heartbeats of five seconds, the services reconnect.
            let mut works = async |world: &harness::World| {
                world.enroll("ada@example.com", PAID_COURSE, "verified").await.status == 200
            };
            world.eventually_within(Duration::from_secs(40), "enrolling works again", &mut works).await;
            world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        },
    )
    .await;
}

/// As after a failover of Redis, whose new master has not got the last write of the old one.
#[tokio::test]
async fn an_older_catalog_generation_in_redis_is_not_believed() {
    world(Setup::without_workers(), async |world| {
        let path = "/storeapi/discovery/course/course-v1:Northwind+DS210+2026/";
        let name = async || world.get(path).await.json["display_name"].as_str().map(str::to_owned);
        let before = name().await;
        let change = "WITH course AS (UPDATE courses SET display_name = 'Renamed' WHERE id = $1::uuid)
            UPDATE catalog_generation SET generation = generation + 1 RETURNING generation";
        let generation: i64 =
            sqlx::query_scalar(change).bind(PAID_COURSE).fetch_one(&world.db).await.unwrap();
        raise_in_redis(world, generation).await;
        world.eventually("the new name is served", async |_| name().await != before).await;
        raise_in_redis(world, generation - 1).await;
        for _ in 0..50 {
            assert_eq!(name().await.as_deref(), Some("Renamed"));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(generation_in_redis(world).await, generation, "the api did not raise it again");
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_broker_that_confirms_nothing_holds_no_caller_for_long_and_is_left() {
    world(Setup { proxied: true, ..Setup::without_workers() }, async |world| {
        let url = world.worker_args.iter().find_map(|setting| setting.strip_prefix("--amqp-url=")).unwrap();
        // The heartbeat does not notice the silence.
        let settings =
            QueueSettings { amqp_url: format!("{url}?heartbeat=60").into(), ..world.queue_settings() };
        let (tls, stop) = (TlsSettings::default(), CancellationToken::new());
        let publisher = Publisher::start(&settings, &tls, "test", None, stop.clone());
        publisher.until_up().await;
        world.amqp().silence();
        let begun = Instant::now();
        let publish = |_| publisher.reply("nowhere", Uuid::now_v7(), Vec::new());
        let sent = futures_util::future::join_all((0..1200).map(publish)).await;
        assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
        assert!(sent.iter().all(Result::is_err));
        // The connection stays silent; new ones pass.
        world.amqp().restore();
        let mut works = async |_: &harness::World| publish(0).await.is_ok();
        world.eventually_within(Duration::from_secs(30), "the connection is replaced", &mut works).await;
        stop.cancel();
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_database_server_that_vanishes_during_a_statement_of_the_relay_stops_no_messages_for_good() {
    let through_the_relay = vec!["--platform-verdict-wait=0s".to_owned()];
    world(Setup { proxied: true, worker_args: through_the_relay, ..Setup::default() }, async |world| {
        world.platform_user("ada@example.com").await;
        // Only the relay reads this table. Its next look waits for the lock, and then for an answer that never comes.
        let mut lock = world.db.begin().await.unwrap();
        sqlx::query("LOCK batch_pace IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();
        world.eventually("the relay looks", async |world| waiting_for(world, "batch_pace").await == 1).await;
        world.postgres().silence();
        tokio::time::sleep(Duration::from_millis(200)).await;
        lock.rollback().await.unwrap();
        world.postgres().restore();
        let mut works = async |world: &harness::World| {
            world.enroll("ada@example.com", PAID_COURSE, "verified").await.status == 200
        };
        world.eventually_within(Duration::from_secs(20), "enrolling works again", &mut works).await;
        let relayed = async |world: &harness::World| count(world, "SELECT count(*) FROM outbox").await == 0;
        world.eventually_within(Duration::from_secs(45), "the outbox is empty", &mut { relayed }).await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn without_redis_reads_still_answer() {
    world(Setup { proxied: true, ..Setup::without_workers() }, async |world| {
        let before = world.get(LIST).await;
        world.redis().cut();
        for path in [LIST.to_owned(), format!("{LIST}?limit=3"), format!("/storeapi/discovery/course/{PAID_KEY}/")] {
            let start = Instant::now();
            let reply = world.get(&path).await;
            assert_eq!(reply.status, 200, "{path}: {}", reply.text);
            assert!(start.elapsed() < Duration::from_millis(500), "{path}: {:?}", start.elapsed());
        }
        assert_eq!(world.get(LIST).await.json, before.json);
        let ready = Reply::read(world.http.get(format!("http://{}/readyz", world.apis[0].internal))).await;
        assert_eq!((ready.status, &ready.json["redis"]), (200, &json!(false)));
        world.redis().restore();
        world.eventually("redis is used again", async |world| {
            world.get(&format!("{LIST}?limit=5")).await;
            Reply::read(world.http.get(format!("http://{}/readyz", world.apis[0].internal))).await.json["redis"] == true
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn without_the_database_requests_are_refused_and_the_api_stays_ready() {
    world(Setup { proxied: true, ..Setup::default() }, async |world| {
        world.postgres().cut();
        let ready = format!("http://{}/readyz", world.apis[0].internal);
        world.get(LIST).await.assert_problem(503, "unavailable");
        // An outage of the database must not take all replicas away: reads of their caches still work.
        for _ in 0..3 {
            let reply = Reply::read(world.http.get(&ready)).await;
            assert_eq!((reply.status, &reply.json["database"]), (200, &json!(false)));
        }
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        reply.assert_problem(503, "unavailable");
        assert_eq!(reply.header("retry-after"), "1");
        world.postgres().restore();
        world.eventually("reads answer again", async |world| world.get(LIST).await.status == 200).await;
        assert_eq!(Reply::read(world.http.get(&ready)).await.status, 200);
        world
            .eventually("enrolling works again", async |world| {
                world.enroll("ada@example.com", PAID_COURSE, "verified").await.status == 200
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_platform_that_fails_delays_the_sync_and_not_the_answer() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        // From here on the storefront knows the learner's account.
        world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        world.platform_agrees("ada@example.com", FREE_KEY, "audit", true).await;
        world.fault(json!({ "target": "platform", "kind": "status", "status": 500, "count": 4 })).await;
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        assert_eq!((reply.status, &reply.json["enrollment_state"]), (200, &json!("enrolled")));
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn an_address_that_the_platform_cannot_judge_is_pending_and_not_invited_until_it_can() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.fault(json!({ "target": "platform", "path": "/api/user", "kind": "status", "status": 500, "count": 1000 })).await;
        for email in ["ada@example.com", "new@example.com"] {
            let reply = world.enroll(email, PAID_COURSE, "verified").await;
            assert_eq!(reply.json["enrollment_state"], "pending_registration", "{}", reply.text);
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert!(world.emails("new@example.com").await.is_empty());
        world.no_faults().await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        world.eventually("the unknown one is invited", async |world| world.emails("new@example.com").await.len() == 1).await;
        assert!(world.emails("ada@example.com").await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_slow_platform_does_not_hold_an_answer_up() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world
            .fault(json!({ "target": "platform", "path": "/api/user", "kind": "delay", "delay_ms": 4000 }))
            .await;
        let start = Instant::now();
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        assert_eq!(reply.json["enrollment_state"], "pending_registration");
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_lost_answer_of_the_platform_is_asked_for_again() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world
            .fault(
                json!({ "target": "platform", "path": "/enrollment/v1", "kind": "lost_answer", "count": 2 }),
            )
            .await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        world
            .eventually("the platform has confirmed", async |world| {
                let state: String = sqlx::query_scalar("SELECT platform_state FROM enrollments")
                    .fetch_one(&world.db)
                    .await
                    .unwrap();
                state == "synced"
            })
            .await;
        let seen = world.on_platform("ada@example.com", PAID_KEY).await.unwrap();
        assert_eq!(
            (&seen["mode"], &seen["is_active"], &seen["calls"]),
            (&json!("verified"), &json!(true), &json!(3))
        );
    })
    .await;
}

#[tokio::test]
async fn what_the_platform_refuses_for_good_is_recorded_and_not_tried_for_ever() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let full = json!({ "course_id": PAID_KEY, "full": true });
        world.sim(Method::POST, "/_sim/courses", Some(full)).await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        world
            .eventually("the refusal is on the record", async |world| {
                let (state, reason): (String, Option<String>) =
                    sqlx::query_as("SELECT platform_state, platform_reason FROM enrollments")
                        .fetch_one(&world.db)
                        .await
                        .unwrap();
                state == "refused" && reason.is_some_and(|reason| reason.starts_with("400"))
            })
            .await;
        // The cause of the refusal is gone, and the partner sends the grant again.
        world.sim(Method::POST, "/_sim/courses", Some(json!({ "course_id": PAID_KEY }))).await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_worker_that_is_told_to_stop_finishes_what_it_holds() {
    world(Setup::default(), async |world| {
        world.fault(json!({ "target": "smtp", "kind": "delay", "delay_ms": 1500 })).await;
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        world
            .eventually("the mail is on its way", async |world| {
                let taken = "SELECT count(*) FROM mails WHERE leased_until IS NOT NULL";
                let taken: i64 = sqlx::query_scalar(taken).fetch_one(&world.db).await.unwrap();
                taken == 1
            })
            .await;
        world.workers.remove(0).shutdown().await;
        assert_eq!(world.emails("new@example.com").await.len(), 1);
        world.start_worker().await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(world.emails("new@example.com").await.len(), 1, "the mail must not be sent again");
    })
    .await;
}
