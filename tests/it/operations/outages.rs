//! Bursts of grants and removals while workers die and servers become unreachable. In the end every command has taken
//! effect exactly once, and the course platform's records equal the storefront's. The small bursts run with every
//! test; `tests/faults` runs the full ones on servers started for them.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use harness::steps::demo::{PAID_COURSE, PAID_KEY};
use harness::steps::worker_program::WorkerProcess;
use harness::{Setup, World, setting, world};
use serde_json::json;

/// Number of concurrent callers.
const CALLERS: usize = 48;

/// Each learner is granted the course and loses it in turn, `commands_each` commands in all; every third learner has
/// no account.
#[derive(Clone, Copy)]
struct Burst {
    learners: usize,
    commands_each: usize,
}

const SMALL: Burst = Burst { learners: 60, commands_each: 3 };
const FULL: Burst = Burst { learners: 400, commands_each: 5 };

fn email(learner: usize) -> String {
    format!("learner{learner}@example.com")
}

fn has_account(learner: usize) -> bool {
    !learner.is_multiple_of(3)
}

/// Sends one learner's commands in sequence. No answer may contradict an earlier one.
async fn run_learner(world: &World, burst: Burst, learner: usize) {
    let email = email(learner);
    for round in 0..burst.commands_each {
        let grants = round % 2 == 0;
        let mut body = json!({ "email": email, "course_id": PAID_COURSE });
        if grants {
            body["mode"] = json!("verified");
        }
        let route = if grants { "enroll" } else { "unenroll" };
        let reply = world.post_patiently(&format!("/storeapi/enrollments/client/{route}/"), &body).await;
        let state = reply.json["enrollment_state"].as_str().unwrap_or_default();
        // If the platform did not answer in time, the address is pending although it has an account.
        let allowed: &[&str] = match (grants, has_account(learner)) {
            (true, true) => &["enrolled", "pending_registration"],
            (true, false) => &["pending_registration"],
            (false, true) => &["removed", "cancelled"],
            (false, false) => &["cancelled"],
        };
        assert!(reply.status == 200 && allowed.contains(&state), "{email} {route}: {}", reply.text);
    }
}

/// Runs the burst beside the disturbance and prints the outcome. Workers that the disturbance returns keep running
/// until every command has its answer.
async fn survive(
    name: &str,
    setup: Setup,
    burst: Burst,
    crashes: usize,
    disturb: impl AsyncFn(&World) -> Vec<WorkerProcess>,
) {
    let more = ["--reconcile-every=500ms"].map(str::to_owned);
    let setup = Setup { worker_args: [setup.worker_args.as_slice(), &more].concat(), ..setup };
    world(setup, async |world| {
        for learner in (0..burst.learners).filter(|learner| has_account(*learner)) {
            world.platform_user(&email(learner)).await;
        }
        let start = Instant::now();
        let commands = async {
            let learners = (0..burst.learners).map(|learner| run_learner(world, burst, learner));
            futures_util::stream::iter(learners).buffer_unordered(CALLERS).collect::<Vec<()>>().await;
        };
        let ((), workers) = tokio::join!(commands, disturb(world));
        let answered = start.elapsed();
        drop(workers);
        if world.workers.is_empty() {
            // This worker stays alive, to finish what the killed ones left.
            world.start_worker().await;
        }
        let (lost, doubled) = (lost(world, burst).await, doubled(world, burst).await);
        agree(world, burst).await;
        let agreed = start.elapsed();
        println!(
            "| {name} | {} | {lost} | {doubled} | {:.0} s | {:.0} s |",
            burst.learners * burst.commands_each,
            answered.as_secs_f64(),
            agreed.as_secs_f64()
        );
        assert_eq!((lost, doubled), (0, 0));
        check_mails(world, burst, crashes).await;
    })
    .await;
}

/// Number of answered commands whose answer is not stored.
async fn lost(world: &World, burst: Burst) -> i64 {
    let kept: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM commands WHERE idempotency_key IS NOT NULL AND answer IS NOT NULL",
    )
    .fetch_one(&world.db)
    .await
    .unwrap();
    i64::try_from(burst.learners * burst.commands_each).unwrap() - kept
}

/// Number of changes beyond the one that each command makes.
async fn doubled(world: &World, burst: Burst) -> i64 {
    let changes: i64 =
        sqlx::query_scalar("SELECT count(*) FROM audit_log WHERE entity = 'enrollment' AND actor = 'client'")
            .fetch_one(&world.db)
            .await
            .unwrap();
    changes - i64::try_from(burst.learners * burst.commands_each).unwrap()
}

/// Waits until every enrollment on the platform equals the storefront's record.
async fn agree(world: &World, burst: Burst) {
    let is_enrolled = burst.commands_each % 2 == 1;
    let all = async |world: &World| {
        for learner in 0..burst.learners {
            let seen = world.on_platform(&email(learner), PAID_KEY).await;
            let active = seen.as_ref().is_some_and(|seen| seen["is_active"] == true);
            if active != (is_enrolled && has_account(learner)) {
                return false;
            }
        }
        let queued =
            "SELECT count(*) FROM enrollments WHERE platform_state = 'queued' AND learner_id IS NOT NULL";
        let queued: i64 = sqlx::query_scalar(queued).fetch_one(&world.db).await.unwrap();
        queued == 0
    };
    world
        .eventually_within(Duration::from_secs(120), "the platform agrees", &mut async |world: &World| {
            all(world).await
        })
        .await;
    let states: Vec<(String, i64)> =
        sqlx::query_as("SELECT state, count(*) FROM enrollments GROUP BY 1 ORDER BY 1")
            .fetch_all(&world.db)
            .await
            .unwrap();
    let known = i64::try_from((0..burst.learners).filter(|learner| has_account(*learner)).count()).unwrap();
    let unknown = i64::try_from(burst.learners).unwrap() - known;
    let expected: Vec<(String, i64)> = match is_enrolled {
        true => vec![("enrolled".into(), known), ("pending_registration".into(), unknown)],
        false => vec![("removed".into(), known + unknown)],
    };
    assert_eq!(states, expected);
}

/// Each address without an account gets one invitation. A worker that died between SMTP and its commit may have sent
/// it again, at most once for each crash and under the same Message-ID.
async fn check_mails(world: &World, burst: Burst, crashes: usize) {
    for learner in (0..burst.learners).filter(|learner| !has_account(*learner)) {
        // A mail that a killed worker had claimed is sent once that claim has run out, after 30 s.
        let sent = &mut async |world: &World| !world.emails(&email(learner)).await.is_empty();
        world.eventually_within(Duration::from_secs(60), "the invitation is sent", sent).await;
        let mails = world.emails(&email(learner)).await;
        let ids: std::collections::HashSet<&str> =
            mails.iter().map(|mail| mail["message_id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), 1, "{}: {} mails", email(learner), mails.len());
        assert!(mails.len() <= 1 + crashes, "{}: {} mails", email(learner), mails.len());
    }
}

fn killed_workers() -> Setup {
    Setup { api_args: vec!["--ask-deadline=4s".into()], ..Setup::without_workers() }
}

/// Runs two workers; every second it kills one of them and starts another one.
async fn kill_workers(world: &World, kills: usize) -> Vec<WorkerProcess> {
    let mut workers = [WorkerProcess::start(world), WorkerProcess::start(world)];
    for kill in 0..kills {
        tokio::time::sleep(Duration::from_secs(1)).await;
        workers[kill % 2] = WorkerProcess::start(world);
    }
    workers.into()
}

async fn platform_trouble(world: &World) -> Vec<WorkerProcess> {
    for kind in [
        json!({ "target": "platform", "kind": "status", "status": 500, "count": 40 }),
        json!({ "target": "platform", "kind": "delay", "delay_ms": 3000, "count": 20 }),
        json!({ "target": "platform", "path": "/enrollment/v1", "kind": "lost_answer", "count": 40 }),
        json!({ "target": "platform", "path": "/enrollment/v1", "kind": "status", "status": 429, "count": 5 }),
    ] {
        world.fault(kind).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Vec::new()
}

#[tokio::test]
#[ignore = "slow"]
async fn workers_killed_in_a_burst_lose_nothing_and_do_nothing_twice() {
    survive("workers killed, one a second (small)", killed_workers(), SMALL, 3, async |world| {
        kill_workers(world, 3).await
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_platform_that_fails_is_slow_and_loses_answers_agrees_in_the_end() {
    survive(
        "platform: 500, slow, lost answers, 429 (small)",
        Setup { workers: 2, ..Setup::default() },
        SMALL,
        0,
        platform_trouble,
    )
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn connections_that_are_cut_in_a_burst_lose_nothing() {
    let limit = "--platform-calls-per-minute=60000".to_owned();
    let deadline = "--ask-deadline=4s".to_owned();
    let setup = Setup {
        workers: 2,
        api_args: vec![deadline],
        worker_args: vec![limit],
        proxied: true,
        ..Setup::default()
    };
    survive("connections to broker, database and Redis cut (small)", setup, SMALL, 3, async |world| {
        for proxy in [world.amqp(), world.postgres(), world.redis()] {
            tokio::time::sleep(Duration::from_millis(150)).await;
            proxy.cut();
            tokio::time::sleep(Duration::from_millis(500)).await;
            proxy.restore();
        }
        Vec::new()
    })
    .await;
}

/// Stops one of the servers that `tests/faults` started, hard, and starts it again.
async fn restart(server: &str) {
    let script = setting("FAULTS_SCRIPT", "");
    assert!(!script.is_empty(), "only servers that tests/faults has started may be restarted");
    let status = tokio::process::Command::new(script).args(["--restart", server]).status().await.unwrap();
    assert!(status.success(), "{server}");
}

#[tokio::test]
#[ignore = "minutes long: run by tests/faults"]
async fn full_workers_killed() {
    survive("workers killed, one a second", killed_workers(), FULL, 20, async |world| {
        kill_workers(world, 20).await
    })
    .await;
}

#[tokio::test]
#[ignore = "minutes long: run by tests/faults"]
async fn full_platform_trouble() {
    survive(
        "platform: 500, slow, lost answers, 429",
        Setup { workers: 2, ..Setup::default() },
        FULL,
        0,
        async |world| {
            for _ in 0..4 {
                platform_trouble(world).await;
            }
            Vec::new()
        },
    )
    .await;
}

#[tokio::test]
#[ignore = "restarts servers: run by tests/faults"]
async fn full_broker_restarted() {
    let setup = Setup { workers: 2, api_args: vec!["--ask-deadline=4s".into()], ..Setup::default() };
    survive("broker killed and restarted, twice", setup, FULL, 2, async |_| {
        for _ in 0..2 {
            tokio::time::sleep(Duration::from_secs(3)).await;
            restart("rabbitmq").await;
        }
        Vec::new()
    })
    .await;
}

#[tokio::test]
#[ignore = "restarts servers: run by tests/faults"]
async fn full_database_restarted() {
    let setup = Setup { workers: 2, api_args: vec!["--ask-deadline=4s".into()], ..Setup::default() };
    survive("PostgreSQL killed and restarted, three times", setup, FULL, 3, async |_| {
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_secs(2)).await;
            restart("postgresql").await;
        }
        Vec::new()
    })
    .await;
}

#[tokio::test]
#[ignore = "restarts servers: run by tests/faults"]
async fn full_redis_restarted() {
    survive(
        "Redis killed and restarted, empty",
        Setup { workers: 2, ..Setup::default() },
        FULL,
        0,
        async |_| {
            for _ in 0..3 {
                tokio::time::sleep(Duration::from_secs(1)).await;
                restart("redis").await;
            }
            Vec::new()
        },
    )
    .await;
}
