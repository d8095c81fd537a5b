//! The turns of batches at the platform: they leave calls to buyers and to each other, and wait while the platform is
//! unavailable.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use harness::steps::batches::{done, id_of, submit_csv};
use harness::steps::demo::{FREE_COURSE, FREE_KEY, PROGRAM};
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, count};
use harness::steps::seats::assigned;
use harness::steps::vouchers::{VOUCHERS, keyed};
use harness::{Setup, World, world};
use reqwest::Method;
use serde_json::json;
use shared::organisation_key::Scope;

const WAITING: &str = "SELECT count(*) FROM batch_syncs";

async fn count_of(world: &World, select: &str) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(select)).fetch_one(&world.db).await.unwrap()
}

#[tokio::test]
#[ignore = "slow"]
async fn batches_together_leave_calls_to_single_grants() {
    // A call each 100 ms; for batches each 133 ms, and two for a removal.
    let worker_args = vec!["--reconcile-every=200ms".into(), "--platform-calls-per-minute=600".into()];
    world(Setup { worker_args, ..Setup::default() }, async |world| {
        let courses: Vec<String> = sqlx::query_scalar(
            "SELECT course_id::text FROM course_modes WHERE slug = 'audit' AND expires_at IS NULL ORDER BY 1 LIMIT 2",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        for learner in 0..20 {
            world.platform_user(&format!("learner{learner}@example.com")).await;
        }
        world.platform_user("ada@example.com").await;
        let batches = async |action: &str| {
            let rows: String = (0..20).map(|learner| format!("learner{learner}@example.com\n")).collect();
            let mut ids = Vec::new();
            for course in &courses {
                let query = format!("course_id={course}&mode=audit&action={action}");
                ids.push(id_of(&submit_csv(world, &query, format!("email\n{rows}")).await));
            }
            for id in ids {
                assert_eq!(done(world, &id).await["done"], 20);
            }
        };
        let begun = Instant::now();
        batches("enroll").await;
        world.eventually("the batches had their turns", async |world| count(world, WAITING).await == 0).await;
        // The relay catches up two seconds of 40 times 133 ms at most.
        assert!(begun.elapsed() > Duration::from_millis(3_100), "{:?}", begun.elapsed());
        let unsynced = "SELECT count(*) FROM enrollments WHERE platform_state <> 'synced'";
        world.eventually("the batches are synced", async |world| count(world, unsynced).await == 0).await;
        let begun = Instant::now();
        batches("unenroll").await;
        // Single calls do not wait for the turn of a batch, not even for what waits in it.
        let last = world.unenroll("learner19@example.com", &courses[1]).await;
        assert_eq!((last.status, &last.json["enrollment_state"]), (200, &"none".into()), "{}", last.text);
        let own = format!("{unsynced} AND email = 'learner19@example.com' AND course_id = '{}'", courses[1]);
        world.eventually("the single removal is synced", async |world| count_of(world, &own).await == 0).await;
        let single = world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        assert_eq!(single.status, 200, "{}", single.text);
        let own = "SELECT count(*) FROM enrollments WHERE email LIKE 'ada@%' AND platform_state = 'synced'";
        assert_eq!(count(world, own).await, 1, "the answer has waited for the platform");
        assert!(count(world, unsynced).await > 10, "the batches are still being synced");
        world.eventually("the batches had their turns", async |world| count(world, WAITING).await == 0).await;
        assert!(begun.elapsed() > Duration::from_millis(8_300), "{:?}", begun.elapsed());
        world.eventually("the removals are synced", async |world| count(world, unsynced).await == 0).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_short_batch_does_not_wait_for_the_end_of_a_long_one() {
    // A call for batches each 267 ms.
    let worker_args = vec!["--reconcile-every=200ms".into(), "--platform-calls-per-minute=300".into()];
    world(Setup { worker_args, ..Setup::default() }, async |world| {
        for learner in 0..60 {
            world.platform_user(&format!("learner{learner}@example.com")).await;
        }
        let submit = async |learners: std::ops::Range<u8>| {
            let rows: String = learners.map(|learner| format!("learner{learner}@example.com\n")).collect();
            let query = format!("course_id={FREE_COURSE}&mode=audit");
            let id = id_of(&submit_csv(world, &query, format!("email\n{rows}")).await);
            assert_eq!(done(world, &id).await["failed"], 0);
            id
        };
        let long = submit(0..58).await;
        let short = submit(58..60).await;
        let unsynced = async |batch: &str| {
            let left = format!(
                "SELECT count(*) FROM batch_rows r JOIN enrollments e ON e.id = r.enrollment_id
                 WHERE r.batch_id = '{batch}' AND e.platform_state <> 'synced'"
            );
            count_of(world, &left).await
        };
        // A single grant of what waits in a batch does not wait, and the reconciler leaves the others to their turn.
        let last = world.enroll("learner57@example.com", FREE_COURSE, "audit").await;
        assert_eq!(last.status, 200, "{}", last.text);
        world.platform_agrees("learner57@example.com", FREE_KEY, "audit", true).await;
        world.clock.advance(TimeDelta::hours(1));
        world.eventually("the short batch is synced", async |_| unsynced(&short).await == 0).await;
        assert!(unsynced(&long).await > 5, "{} of the long batch are left", unsynced(&long).await);
        let patience = Duration::from_secs(60);
        let synced = &mut async |_: &World| unsynced(&long).await == 0;
        world.eventually_within(patience, "the long batch is synced", synced).await;
        world.eventually("no sync waits", async |world| count(world, WAITING).await == 0).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn batches_wait_while_the_platform_is_unavailable_and_continue_after_it() {
    let worker_args = vec!["--reconcile-every=200ms".into(), "--platform-calls-per-minute=600".into()];
    world(Setup { worker_args, ..Setup::default() }, async |world| {
        for learner in 0..60 {
            world.platform_user(&format!("learner{learner}@example.com")).await;
        }
        let away = json!({ "target": "platform", "path": "/api/enrollment", "kind": "status", "status": 503, "count": 10_000 });
        world.fault(away).await;
        let rows: String = (0..60).map(|learner| format!("learner{learner}@example.com\n")).collect();
        let batch = submit_csv(world, &format!("course_id={FREE_COURSE}&mode=audit"), format!("email\n{rows}")).await;
        done(world, &id_of(&batch)).await;
        // Time for all of them.
        tokio::time::sleep(Duration::from_secs(8)).await;
        assert!(count(world, WAITING).await > 20, "{} wait", count(world, WAITING).await);
        world.no_faults().await;
        // What is in retry holds up the others for a minute.
        world.clock.advance(TimeDelta::minutes(1));
        let unsynced = "SELECT count(*) FROM enrollments WHERE platform_state <> 'synced'";
        let patience = Duration::from_secs(60);
        let synced = &mut async |world: &World| count(world, unsynced).await == 0;
        world.eventually_within(patience, "the batch is synced", synced).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn seats_in_a_program_wait_for_the_turns_of_their_batch() {
    // A call for batches each 667 ms.
    let worker_args = vec!["--platform-calls-per-minute=120".into()];
    world(Setup { worker_args, ..Setup::selling() }, async |world| {
        let emails = ["ada@example.com", "bea@example.com", "cleo@example.com"];
        for email in emails {
            world.platform_user(email).await;
        }
        let key = key(world, "northwind", &[Scope::Vouchers, Scope::Seats]).await;
        let item = json!({ "type": "program", "id": PROGRAM, "mode": "verified" });
        let terms = json!({ "kind": "seat", "item": item, "email": EMAIL, "max_uses": 3 });
        let pool = keyed(world, Method::POST, VOUCHERS, &key, &terms).await;
        assert_eq!(pool.status, 201, "{}", pool.text);
        let begun = Instant::now();
        let rows = assigned(world, &key, &pool.json["vouchers"][0], &emails).await;
        assert!(rows.iter().all(|row| row["enrollment_state"] == "enrolled"), "{rows:?}");
        let syncs = count(world, "SELECT count(*) FROM enrollments").await;
        assert!(syncs >= 6, "three addresses have {syncs} courses");
        assert!(count(world, WAITING).await > 0, "all were synced at once");
        let alike = "SELECT count(*) - count(DISTINCT rank) FROM batch_syncs";
        assert_eq!(count(world, alike).await, 0, "each sync has a turn of its own");
        world.eventually("all had their turns", async |world| count(world, WAITING).await == 0).await;
        // The relay catches up two seconds at most.
        let least = 667 * (u64::try_from(syncs).unwrap() - 1) - 2_000;
        assert!(begun.elapsed() >= Duration::from_millis(least), "{:?}", begun.elapsed());
        let unsynced = "SELECT count(*) FROM enrollments WHERE platform_state <> 'synced'";
        world.eventually("all are synced", async |world| count(world, unsynced).await == 0).await;
    })
    .await;
}
