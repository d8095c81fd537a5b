//! A grant waits for the platform's verdict where it can, and two jobs for one address do not block each other.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

async fn course(world: &World, course: Value) {
    world.sim(Method::POST, "/_sim/courses", Some(course)).await;
}

async fn check_enrollment(world: &World, user: &Value, key: &str) -> Reply {
    let path = format!("/storeapi/discovery/check-enrollment/{key}/");
    let session = format!("sessionid={}", user["sessionid"].as_str().unwrap());
    Reply::read(world.request(Method::GET, &path).header("cookie", session)).await
}

#[tokio::test]
async fn what_the_platform_refuses_is_answered_with_its_reason_and_counts_as_not_enrolled() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        course(world, json!({ "course_id": PAID_KEY, "full": true })).await;
        let body = json!({ "email": "ada@example.com", "course_id": PAID_COURSE, "mode": "verified" });
        let ask = async || {
            let request = world.request(Method::POST, "/storeapi/enrollments/client/enroll/");
            Reply::read(request.header("idempotency-key", "k1").json(&body)).await
        };
        let reply = ask().await;
        reply.assert_problem(400, "enrollment_failed");
        assert!(
            reply.json["detail"].as_str().unwrap().contains("creating the new course enrollment"),
            "{}",
            reply.text
        );
        let again = ask().await;
        assert_eq!(
            (again.status, &again.json["detail"]),
            (400, &reply.json["detail"]),
            "the same key gives the same answer"
        );
        assert_eq!(
            check_enrollment(world, &ada, PAID_KEY).await.json,
            json!({ "enrolled": false, "mode": null })
        );

        // A new grant sends a new call to the platform.
        course(world, json!({ "course_id": PAID_KEY })).await;
        assert_eq!(world.enroll("ada@example.com", PAID_COURSE, "verified").await.status, 200);
        let calls = world.on_platform("ada@example.com", PAID_KEY).await.unwrap()["calls"].clone();
        assert_eq!(calls, 1, "the grant's job calls the platform; no later message repeats the call");
        assert_eq!(
            check_enrollment(world, &ada, PAID_KEY).await.json,
            json!({ "enrolled": true, "mode": "verified" })
        );
    })
    .await;
}

#[tokio::test]
async fn a_grant_does_not_wait_when_it_must_not_or_cannot() {
    let never = Setup { worker_args: vec!["--platform-verdict-wait=0".into()], ..Setup::default() };
    world(never, async |world| {
        world.platform_user("ada@example.com").await;
        course(world, json!({ "course_id": PAID_KEY, "full": true })).await;
        assert_eq!(world.enroll("ada@example.com", PAID_COURSE, "verified").await.status, 200);
    })
    .await;
    // One call in 30 s: the first grant makes it, and the second one finds the limit used up.
    let throttled = Setup { worker_args: vec!["--platform-calls-per-minute=2".into()], ..Setup::default() };
    world(throttled, async |world| {
        world.platform_user("ada@example.com").await;
        world.platform_user("grace@example.com").await;
        course(world, json!({ "course_id": PAID_KEY, "full": true })).await;
        let limit = "SELECT platform_state FROM enrollments WHERE email = 'grace@example.com'";
        world.sim(Method::POST, "/_sim/courses", Some(json!({ "course_id": FREE_KEY }))).await;
        let start = Instant::now();
        assert_eq!(world.enroll("ada@example.com", FREE_COURSE, "audit").await.status, 200);
        assert_eq!(world.enroll("grace@example.com", PAID_COURSE, "verified").await.status, 200);
        let state: String = sqlx::query_scalar(limit).fetch_one(&world.db).await.unwrap();
        assert_eq!(state, "queued");
        assert!(start.elapsed() < Duration::from_secs(20), "the second grant must not wait for the limit");
        sqlx::query("UPDATE enrollments SET platform_state = 'synced'").execute(&world.db).await.unwrap();
    })
    .await;
}

/// As after the clock of Redis has gone back by an hour, or after a failover to a server whose clock is behind.
#[tokio::test]
async fn a_slot_at_the_platform_that_a_later_clock_has_given_holds_nobody_up() {
    let throttled = Setup { worker_args: vec!["--platform-calls-per-minute=120".into()], ..Setup::default() };
    world(throttled, async |world| {
        world.platform_user("ada@example.com").await;
        let client = redis::Client::open(harness::redis_url()).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let (seconds, _): (i64, i64) = redis::cmd("TIME").query_async(&mut connection).await.unwrap();
        let later = (seconds + 3600) * 1000;
        let mut set = redis::cmd("HSET");
        set.arg(format!("{}:platform:turns", world.name)).arg("slot:storefront-worker").arg(later + 1000);
        set.arg("written").arg(later).query_async::<()>(&mut connection).await.unwrap();
        let start = Instant::now();
        assert_eq!(world.enroll("ada@example.com", PAID_COURSE, "verified").await.status, 200);
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    })
    .await;
}

#[tokio::test]
async fn a_platform_that_takes_its_time_holds_up_the_answer_for_so_long_and_agrees_later() {
    let setup = Setup { worker_args: vec!["--platform-verdict-wait=200ms".into()], ..Setup::default() };
    world(setup, async |world| {
        world.platform_user("ada@example.com").await;
        let slow = json!({ "target": "platform", "path": "/enrollment/v1", "kind": "delay", "delay_ms": 1500, "count": 1 });
        world.fault(slow).await;
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        assert_eq!((reply.status, &reply.json["enrollment_state"]), (200, &json!("enrolled")));
        let state: String =
            sqlx::query_scalar("SELECT platform_state FROM enrollments").fetch_one(&world.db).await.unwrap();
        assert_eq!(state, "queued", "the grant is answered before the platform answers");
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        let calls = world.on_platform("ada@example.com", PAID_KEY).await.unwrap()["calls"].clone();
        assert_eq!(calls, 1);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn grants_and_removals_of_one_address_at_the_same_time_are_all_answered() {
    world(Setup { workers: 2, ..Setup::default() }, async |world| {
        world.platform_user("ada@example.com").await;
        let world = &*world;
        for _ in 0..5 {
            let calls = (0..16).map(async |n| match n % 3 {
                0 => world.unenroll("ada@example.com", FREE_COURSE).await,
                1 => world.enroll("ada@example.com", FREE_COURSE, "verified").await,
                _ => world.enroll("ada@example.com", FREE_COURSE, "audit").await,
            });
            for reply in join_all(calls).await {
                assert_eq!(reply.status, 200, "{}", reply.text);
            }
        }
        assert_eq!(world.enroll("ada@example.com", FREE_COURSE, "audit").await.status, 200);
        world.platform_agrees("ada@example.com", FREE_KEY, "audit", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_the_database_aborts_is_run_again_without_telling_the_caller() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        for statement in [
            "CREATE SEQUENCE conflicts",
            "CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 IF nextval('conflicts') = 1 THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF;
                 IF nextval('conflicts') = 3 THEN RAISE EXCEPTION 'serialization' USING ERRCODE = '40001'; END IF;
                 RETURN NEW; END $$",
            "CREATE TRIGGER conflict BEFORE INSERT ON enrollment_grants FOR EACH ROW EXECUTE FUNCTION conflict()",
        ] {
            sqlx::query(statement).execute(&world.db).await.unwrap();
        }
        let reply = world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        let tries: i64 = sqlx::query_scalar("SELECT last_value FROM conflicts").fetch_one(&world.db).await.unwrap();
        assert!(tries >= 4, "two aborted transactions, then success: {tries}");
    })
    .await;
}

#[tokio::test]
async fn a_refusal_comes_in_time_under_the_platforms_own_limit() {
    let setup = Setup { worker_args: vec!["--platform-calls-per-minute=110".into()], ..Setup::default() };
    world(setup, async |world| {
        world.platform_user("ada@example.com").await;
        course(world, json!({ "course_id": PAID_KEY, "full": true })).await;
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        reply.assert_problem(400, "enrollment_failed");
    })
    .await;
}

#[tokio::test]
async fn a_repeat_while_the_platform_is_judging_is_told_to_wait_and_gets_the_same_answer_after() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        course(world, json!({ "course_id": PAID_KEY, "full": true })).await;
        let slow = json!({ "target": "platform", "path": "/enrollment/v1", "kind": "delay", "delay_ms": 900, "count": 1 });
        world.fault(slow).await;
        let world = &*world;
        let body = json!({ "email": "ada@example.com", "course_id": PAID_COURSE, "mode": "verified" });
        let ask = async || {
            let request = world.request(Method::POST, "/storeapi/enrollments/client/enroll/");
            Reply::read(request.header("idempotency-key", "k1").json(&body)).await
        };
        let early = async {
            world
                .eventually("the first answer is stored", async |world| {
                    let stored: Option<bool> =
                        sqlx::query_scalar("SELECT answer IS NOT NULL FROM commands WHERE idempotency_key = 'k1'")
                            .fetch_optional(&world.db)
                            .await
                            .unwrap();
                    stored == Some(true)
                })
                .await;
            ask().await
        };
        let (first, early) = tokio::join!(ask(), early);
        early.assert_problem(409, "in_progress");
        first.assert_problem(400, "enrollment_failed");
        ask().await.assert_problem(400, "enrollment_failed");
    })
    .await;
}

#[tokio::test]
async fn what_the_platform_refused_is_not_held_and_costs_its_full_price() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let ada = world.platform_user("ada@example.com").await;
        course(world, json!({ "course_id": organisation.key, "full": true })).await;
        world
            .enroll("ada@example.com", organisation.course, organisation.mode)
            .await
            .assert_problem(400, "enrollment_failed");
        let reply = world.learner_checkout(organisation, &ada).await;
        assert_eq!((reply.status, &reply.json["status"]), (200, &json!("success")), "{}", reply.text);
        assert_eq!(reply.json["items_detail"][0]["upgrade_from"], Value::Null);
    })
    .await;
}
