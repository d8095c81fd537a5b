//! Synchronising enrollments with the course platform: its limits, slow answers, and changes that were never
//! confirmed.

use std::time::{Duration, Instant};

use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY};
use harness::steps::worker_program::command;
use harness::{Setup, World, world};
use serde_json::{Value, json};
use uuid::Uuid;

/// The platform state and reason that the one enrollment's record holds.
async fn record(world: &World) -> (String, Option<String>) {
    sqlx::query_as("SELECT platform_state, platform_reason FROM enrollments")
        .fetch_one(&world.db)
        .await
        .unwrap()
}

#[tokio::test]
async fn all_workers_together_keep_to_the_platforms_limit() {
    let limit = "--platform-calls-per-minute=600".to_owned();
    let setup = Setup { workers: 2, worker_args: vec![limit], ..Setup::default() };
    world(setup, async |world| {
        let learners: Vec<String> = (0..15).map(|n| format!("learner{n}@example.com")).collect();
        for email in &learners {
            world.platform_user(email).await;
        }
        let start = Instant::now();
        for email in &learners {
            assert_eq!(world.enroll(email, PAID_COURSE, "verified").await.status, 200);
        }
        for email in &learners {
            world.platform_agrees(email, PAID_KEY, "verified", true).await;
        }
        // All workers together make at most one call in a tenth of a second.
        assert!(start.elapsed() >= Duration::from_millis(1_300), "{:?}", start.elapsed());
    })
    .await;
}

#[tokio::test]
async fn a_platform_that_says_too_many_requests_is_given_the_time_it_asks_for() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let path = "/api/enrollment/v1/enrollment";
        world
            .fault(json!({ "target": "platform", "path": path, "kind": "status", "status": 429, "count": 1 }))
            .await;
        let start = Instant::now();
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        // The simulated platform asks for one second. The worker's first retry delay is only a tenth of that.
        assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
        world
            .eventually("the record is confirmed", async |world| {
                record(world).await == ("synced".to_owned(), None)
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn what_the_platform_never_confirmed_is_sent_again_by_the_reconciler() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::default() };
    world(setup, async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        world.eventually("the record is confirmed", async |world| record(world).await.0 == "synced").await;
        // Simulates a lost message about a change.
        sqlx::query(
            "UPDATE enrollments SET mode = 'professional', version = version + 1, platform_state = 'queued'",
        )
        .execute(&world.db)
        .await
        .unwrap();
        tokio::time::sleep(Duration::from_millis(600)).await;
        let seen = world.on_platform("ada@example.com", PAID_KEY).await.unwrap();
        assert_eq!(seen["mode"], "verified", "the reconciler first gives the message its time");
        world.clock.advance(chrono::TimeDelta::minutes(41));
        world.platform_agrees("ada@example.com", PAID_KEY, "professional", true).await;
        world.eventually("the record is confirmed", async |world| record(world).await.0 == "synced").await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_removal_and_a_new_grant_in_quick_succession_end_as_the_record_says() {
    world(Setup { workers: 2, ..Setup::default() }, async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        world.platform_agrees("ada@example.com", FREE_KEY, "audit", true).await;
        let slow = json!({ "target": "platform", "path": "/enrollment/v1", "kind": "delay", "delay_ms": 700, "count": 6 });
        world.fault(slow).await;
        for _ in 0..3 {
            assert_eq!(world.unenroll("ada@example.com", FREE_COURSE).await.json["enrollment_state"], "removed");
            assert_eq!(world.enroll("ada@example.com", FREE_COURSE, "verified").await.json["enrollment_state"], "enrolled");
        }
        world.eventually("the record is confirmed", async |world| record(world).await.0 == "synced").await;
        let seen = world.on_platform("ada@example.com", FREE_KEY).await.unwrap();
        assert_eq!((&seen["mode"], &seen["is_active"]), (&json!("verified"), &json!(true)));
    })
    .await;
}

#[tokio::test]
async fn each_refusal_of_the_platform_is_recorded_with_its_reason() {
    world(Setup::default(), async |world| {
        for (email, course, reason) in [
            ("full@example.com", json!({ "full": true }), "400"),
            ("veto@example.com", json!({ "veto": true }), "403"),
            ("missing@example.com", json!({ "missing": true }), "No course"),
        ] {
            let mut course = course;
            course["course_id"] = json!(PAID_KEY);
            world.sim(reqwest::Method::POST, "/_sim/courses", Some(course)).await;
            world.platform_user(email).await;
            world.enroll(email, PAID_COURSE, "verified").await.assert_problem(400, "enrollment_failed");
            world
                .eventually("the refusal is on the record", async |world| {
                    let row: (String, Option<String>) = sqlx::query_as(
                        "SELECT platform_state, platform_reason FROM enrollments WHERE email = $1",
                    )
                    .bind(email)
                    .fetch_one(&world.db)
                    .await
                    .unwrap();
                    row.0 == "refused" && row.1.is_some_and(|told| told.contains(reason))
                })
                .await;
        }
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_call_that_was_not_answered_holds_up_the_next_one_until_it_cannot_arrive_any_more() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let slow = json!({ "target": "platform", "path": "/enrollment/v1", "kind": "delay", "delay_ms": 6500, "count": 1 });
        world.fault(slow).await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        let lease = "SELECT sync_lease_until FROM enrollments";
        tokio::time::sleep(Duration::from_millis(5600)).await;
        let held: Option<chrono::DateTime<chrono::Utc>> =
            sqlx::query_scalar(lease).fetch_one(&world.db).await.unwrap();
        assert!(held.is_some(), "the platform may still be working on the call");
        world.unenroll("ada@example.com", PAID_COURSE).await;
        world.clock.advance(chrono::TimeDelta::seconds(31));
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", false).await;
        world.eventually("the record is confirmed", async |world| record(world).await.0 == "synced").await;
    })
    .await;
}

#[tokio::test]
async fn access_that_the_learner_has_from_elsewhere_is_kept() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let synced = async || {
            world.eventually("the record leaves the queued state", async |world| record(world).await.0 != "queued").await;
            record(world).await
        };
        // A course granted, downgraded, and upgraded again by the learner on the platform.
        world.enroll("ada@example.com", PAID_COURSE, "professional").await;
        synced().await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        synced().await;
        let token = world.sim_service_token().await;
        let raised = json!({ "user": "ada", "mode": "professional", "is_active": true, "course_details": { "course_id": PAID_KEY } });
        let url = world.simulators.url("/platform/api/enrollment/v1/enrollment");
        let reply = world.http.post(url).header("authorization", format!("JWT {token}")).json(&raised).send().await.unwrap();
        assert_eq!(reply.status(), 200);
        world.unenroll("ada@example.com", PAID_COURSE).await;
        let (state, reason) = synced().await;
        assert_eq!(state, "refused");
        assert!(reason.unwrap().contains("access kept"));
        let seen = world.on_platform("ada@example.com", PAID_KEY).await.unwrap();
        assert_eq!((&seen["mode"], &seen["is_active"]), (&json!("professional"), &json!(true)));
    })
    .await;
}

#[tokio::test]
async fn a_learner_whose_account_is_gone_is_refused_with_the_reason() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        world.platform_agrees("ada@example.com", FREE_KEY, "audit", true).await;
        world.sim(reqwest::Method::POST, "/_sim/reset", None).await;
        // While the platform cannot look up the address, the account on record counts.
        let away =
            json!({ "target": "platform", "path": "/accounts", "kind": "status", "status": 503, "count": 1 });
        world.fault(away).await;
        let reply = world.enroll("ada@example.com", FREE_COURSE, "verified").await;
        reply.assert_problem(400, "enrollment_failed");
        assert!(record(world).await.1.unwrap().starts_with("406"));
    })
    .await;
}

#[tokio::test]
async fn the_backlog_is_measured() {
    let setup = Setup { worker_args: vec!["--reconcile-every=100ms".into()], ..Setup::default() };
    world(setup, async |world| {
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        world.clock.advance(chrono::TimeDelta::hours(1));
        let url = format!("http://{}/metrics", world.workers[0].internal);
        world
            .eventually("the metrics have the expected values", async |world| {
                let metrics = world.http.get(&url).send().await.unwrap().text().await.unwrap();
                let value = |name: &str| -> Option<f64> {
                    let line = metrics.lines().find(|line| {
                        line.starts_with(name) && line.contains(r#"what="enrollments_pending_registration""#)
                    })?;
                    line.rsplit(' ').next()?.parse().ok()
                };
                value("storefront_waiting{") == Some(1.0)
                    && value("storefront_waiting_oldest_seconds{").is_some_and(|age| age >= 3600.0)
            })
            .await;
    })
    .await;
}

/// Runs an operator command that must succeed; returns its output.
async fn printed(world: &World, words: &[&str], settings: &[&str]) -> String {
    let output = command(world, words, settings).output().await.unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const QUEUE: [&str; 3] = ["amqp-url", "queue-prefix", "retry-delays"];

#[tokio::test]
async fn an_operator_sees_the_whole_history_of_an_address() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        world.enroll("ada@example.com", PAID_COURSE, "professional").await;
        world.unenroll("ada@example.com", PAID_COURSE).await;
        world.eventually("the record is confirmed", async |world| record(world).await.0 == "synced").await;
        let shown = printed(world, &["enrollments", "show", "Ada@example.com"], &["database-url"]).await;
        for part in
            [PAID_KEY, "removed", "professional", "synced", "partner", "removed by the partner", "client"]
        {
            assert!(shown.contains(part), "{part} in\n{shown}");
        }
        let json =
            printed(world, &["enrollments", "show", "ada@example.com", "--json"], &["database-url"]).await;
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["changes"].as_array().unwrap().len(), 3);
        assert_eq!(
            (&json["enrollments"][0]["state"], &json["grants"][0]["ended_reason"]),
            (&json!("removed"), &json!("removed by the partner"))
        );
        let unknown =
            printed(world, &["enrollments", "show", "unknown@example.com"], &["database-url"]).await;
        assert!(unknown.contains("Enrollments: none"), "{unknown}");
    })
    .await;
}

#[tokio::test]
async fn an_operator_looks_at_dead_messages_and_replays_or_drops_them() {
    world(Setup::default(), async |world| {
        // The worker dead-letters a mail that the server refuses permanently, with the reason.
        let refuse = json!({ "target": "smtp", "kind": "status", "status": 550, "count": 2 });
        world.fault(refuse).await;
        world.enroll("one@example.com", PAID_COURSE, "verified").await;
        world.enroll("two@example.com", PAID_COURSE, "verified").await;
        let list = async || -> Vec<Value> {
            serde_json::from_str(&printed(world, &["dead", "list", "--json"], &QUEUE).await).unwrap()
        };
        world.eventually("both mails are dead-lettered", async |_| list().await.len() == 2).await;
        assert!(list().await.iter().all(|letter| letter.get("body").is_none()), "no bodies unless asked for");
        let bodies = printed(world, &["dead", "list", "--json", "--bodies"], &QUEUE).await;
        assert!(!bodies.contains("example.com"), "{bodies}");
        let letters: Vec<Value> = serde_json::from_str(&bodies).unwrap();
        let mails: Vec<(String, String)> =
            sqlx::query_as("SELECT id::text, recipient FROM mails").fetch_all(&world.db).await.unwrap();
        let mail = |email: &str| &mails.iter().find(|(_, recipient)| recipient == email).unwrap().0;
        let to = |email: &str| {
            let is_to = |letter: &&Value| letter["body"] == json!({ "mail_id": mail(email) });
            letters.iter().find(is_to).unwrap()["id"].as_str().unwrap()
        };
        let table = printed(world, &["dead", "list"], &QUEUE).await;
        assert!(
            table.contains(to("one@example.com")) && table.contains("550") && table.contains("email.send.v1"),
            "{table}"
        );
        assert!(!table.contains(mail("one@example.com")), "{table}");
        let table = printed(world, &["dead", "list", "--bodies"], &QUEUE).await;
        assert!(table.contains("mail_id"), "{table}");
        let shown: Value =
            serde_json::from_str(&printed(world, &["dead", "show", to("two@example.com")], &QUEUE).await)
                .unwrap();
        assert_eq!(shown["body"]["mail_id"], mail("two@example.com").as_str());
        let settings = [&QUEUE[..], &["database-url"]].concat();
        // A command of the test's own, whose caller soon stops waiting.
        let (command, unreadable) = (Uuid::now_v7(), json!({}));
        let asked = world.ask_raw("enrollment.grant.v1", command, &unreadable);
        let _ = tokio::time::timeout(Duration::from_millis(500), asked).await;
        world.eventually("the command is dead-lettered", async |_| list().await.len() == 3).await;
        let replay = ["dead", "replay", &command.to_string(), "--by=rosa"];
        assert_eq!(printed(world, &replay, &settings).await, "0 replayed\n");
        assert_eq!(list().await.len(), 3);
        let replay = ["dead", "replay", to("one@example.com"), "--by=rosa"];
        assert_eq!(printed(world, &replay, &settings).await, "1 replayed\n");
        world
            .eventually("the mail arrives after all", async |world| {
                world.emails("one@example.com").await.len() == 1
            })
            .await;
        assert_eq!(list().await.len(), 2);
        let drop = ["dead", "drop", "--all", "--by=rosa"];
        assert_eq!(printed(world, &drop, &settings).await, "2 dropped\n");
        assert!(list().await.is_empty() && world.emails("two@example.com").await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn an_operator_reconciles_by_hand_and_looks_first() {
    world(Setup::default(), async |world| {
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        world.platform_user("new@example.com").await;
        let all: Vec<String> = world
            .worker_args
            .iter()
            .filter_map(|argument| Some(argument.split_once('=')?.0.trim_start_matches('-').to_owned()))
            .collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let dry = printed(world, &["reconcile", "--once", "--dry-run"], &all).await;
        assert!(dry.contains("enrollments_pending_registration"), "{dry}");
        assert!(world.on_platform("new@example.com", PAID_KEY).await.is_none());
        let done: Value =
            serde_json::from_str(&printed(world, &["reconcile", "--once", "--json"], &all).await).unwrap();
        assert_eq!(done["registered addresses resolved"], 1);
        world.platform_agrees("new@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}
