//! Batches of enrollments and removals: read as JSON and CSV, done row by row, and through deaths of workers.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use harness::steps::batches::{BATCH, done, id_of, shown, submit_csv};
use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY, UNKNOWN_ID};
use harness::steps::payments::count;
use harness::steps::worker_program::{WorkerProcess, operator};
use harness::{Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

/// Checks that the platform's reason is shown, and that an address gets one invitation to all its courses.
async fn effects_follow(world: &World, id: &str) {
    world.platform_agrees("ada@example.com", FREE_KEY, "verified", true).await;
    world
        .eventually("the platform's state is shown", async |world| {
            shown(world, id, "limit=1").await["rows"][0]["platform_state"] == "synced"
        })
        .await;
    // One invitation names both courses.
    world.eventually("an invitation", async |world| !world.emails("new@example.com").await.is_empty()).await;
    let mails = world.emails("new@example.com").await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    let failed = shown(world, id, "status=failed&limit=2").await;
    assert_eq!((&failed["total_count"], failed["rows"].as_array().unwrap().len()), (&json!(6), 2));
}

#[tokio::test]
async fn a_batch_is_done_row_by_row_and_wrong_rows_fail_alone() {
    world(Setup::selling(), async |world| {
        world.platform_user("ada@example.com").await;
        assert_eq!(world.enroll("bea@example.com", FREE_COURSE, "audit").await.status, 200);
        let body = json!({ "course_id": FREE_COURSE, "mode": "verified", "rows": [
            { "email": "Ada@example.com" },
            { "email": "new@example.com" },
            { "email": "new@example.com", "course_id": PAID_COURSE },
            { "email": "bea@example.com", "action": "unenroll" },
            { "email": "cleo@example.com", "action": "unenroll" },
            { "email": "no address" },
            { "email": "dora@example.com", "mode": "gold" },
            { "email": "dora@example.com", "mode": "honor", "course_id": PAID_COURSE },
            { "email": "dora@example.com", "course_id": UNKNOWN_ID },
            { "email": "emma@example.com" },
            { "email": "emma@example.com", "mode": "audit" },
            { "email": "" },
        ] });
        let submitted = world.post(BATCH, &body).await;
        assert_eq!(submitted.json["total"], 12, "{}", submitted.text);
        let batch = done(world, &id_of(&submitted)).await;
        assert_eq!(
            (&batch["total"], &batch["done"], &batch["failed"]),
            (&json!(12), &json!(6), &json!(6)),
            "{batch}"
        );
        let rows = batch["rows"].as_array().unwrap();
        let states: Vec<Option<&str>> = rows.iter().map(|row| row["enrollment_state"].as_str()).collect();
        let (enrolled, pending) = (Some("enrolled"), Some("pending_registration"));
        let expected = [
            enrolled,
            pending,
            pending,
            Some("cancelled"),
            Some("none"),
            None,
            None,
            None,
            None,
            None,
            pending,
            None,
        ];
        assert_eq!(states, expected);
        let message = |row: usize| rows[row - 1]["message"].as_str().unwrap_or_default().to_owned();
        assert!(message(6).starts_with("email "), "{}", message(6));
        assert_eq!(message(7), "\"gold\" is not an enrollment mode.");
        assert_eq!(message(8), "the course has no mode honor");
        assert_eq!(message(9), "course not found");
        assert_eq!(message(10), "repeated in row 11");
        assert!(message(12).starts_with("email "), "{}", message(12));
        effects_follow(world, batch["batch_id"].as_str().unwrap()).await;
    })
    .await;
}

#[tokio::test]
async fn a_csv_is_taken_with_defaults_and_answered_as_one() {
    world(Setup::selling(), async |world| {
        // As a spreadsheet writes it where the comma is for decimals.
        let csv =
            "\u{feff}Email;MODE\r\nada@example.com;\r\n=cmd@example.com;audit\r\n\"bea, the first\";\r\n"
                .to_owned();
        let submitted = submit_csv(world, &format!("course_id={FREE_COURSE}&mode=verified"), csv).await;
        let id = id_of(&submitted);
        done(world, &id).await;
        let request = world.request(Method::GET, &format!("{BATCH}{id}/")).header("accept", "text/csv");
        let answer = Reply::read(request).await;
        assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8; header=present");
        let lines: Vec<&str> = answer.text.lines().collect();
        assert_eq!(
            lines[0],
            "row,email,course_id,mode,action,status,enrollment_state,platform_state,message"
        );
        assert_eq!(
            lines[1],
            format!("1,ada@example.com,{FREE_COURSE},verified,enroll,done,pending_registration,queued,")
        );
        assert!(lines[2].starts_with("2,'=cmd@example.com,"), "{}", lines[2]);
        assert!(
            lines[3].starts_with("3,\"bea, the first\",") && lines[3].contains(",failed,"),
            "{}",
            lines[3]
        );
        assert_eq!(lines.len(), 4);
        // The same file again does no harm.
        let again = submit_csv(
            world,
            &format!("course_id={FREE_COURSE}&mode=verified"),
            "email\nada@example.com\n".into(),
        )
        .await;
        let batch = done(world, &id_of(&again)).await;
        assert_eq!(batch["rows"][0]["enrollment_state"], "pending_registration");
        assert_eq!(count(world, "SELECT count(*) FROM enrollments WHERE email = 'ada@example.com'").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_row_that_the_platform_refuses_says_why_as_the_route_for_one_address_does() {
    world(Setup::selling(), async |world| {
        world.platform_user("ada@example.com").await;
        world.platform_user("bea@example.com").await;
        world.sim(Method::POST, "/_sim/courses", Some(json!({ "course_id": PAID_KEY, "full": true }))).await;
        let single = world.enroll("bea@example.com", PAID_COURSE, "verified").await;
        let detail =
            single.assert_problem(400, "enrollment_failed").json["detail"].as_str().unwrap().to_owned();
        let reason = detail.split_once(": ").unwrap().1.replace("'bea'", "'ada'");
        let rows = json!([{ "email": "ada@example.com" }, { "email": "new@example.com" }]);
        let body = json!({ "course_id": PAID_COURSE, "mode": "verified", "rows": rows });
        let id = id_of(&world.post(BATCH, &body).await);
        world
            .eventually("the platform has refused", async |world| {
                shown(world, &id, "").await["rows"][0]["platform_state"] == "refused"
            })
            .await;
        let batch = done(world, &id).await;
        let row = &batch["rows"][0];
        assert_eq!(
            (&row["status"], &row["enrollment_state"]),
            (&json!("done"), &json!("enrolled")),
            "{batch}"
        );
        assert_eq!(
            (&row["message"], &batch["rows"][1]["message"]),
            (&json!(reason), &Value::Null),
            "{batch}"
        );
        let request = world.request(Method::GET, &format!("{BATCH}{id}/")).header("accept", "text/csv");
        assert!(Reply::read(request).await.text.contains(&reason));
    })
    .await;
}

#[tokio::test]
async fn a_wrong_shape_is_refused_and_stores_nothing() {
    world(Setup::selling(), async |world| {
        let many = format!("email\n{}", "a@example.com\n".repeat(5_001));
        for (reply, fields) in [
            (submit_csv(world, "", "email,seat\na@example.com,1\n".into()).await, vec!["seat"]),
            (submit_csv(world, "", "email\n".into()).await, vec!["rows"]),
            (submit_csv(world, "", String::new()).await, vec!["email"]),
            (submit_csv(world, "", "email\r\n\"a@example.com\r\n".into()).await, vec!["body"]),
            (
                submit_csv(world, "course_id=x&mode=gold&action=delete", "email\na@example.com\n".into()).await,
                vec!["course_id", "mode", "action"],
            ),
            (
                world
                    .post(
                        BATCH,
                        &json!({ "course_id": 5, "mode": {}, "action": "delete", "rows": [{ "email": "a@example.com" }] }),
                    )
                    .await,
                vec!["course_id", "mode", "action"],
            ),
            (submit_csv(world, "", many).await, vec!["rows"]),
            (world.post(BATCH, &json!({ "rows": [] })).await, vec!["rows"]),
            (
                world.post(BATCH, &json!({ "rows": [{ "email": "a@example.com", "seat": 1 }] })).await,
                vec!["rows[0].seat"],
            ),
        ] {
            reply.assert_problem(400, "invalid_request");
            assert_eq!(reply.faulty_fields(), fields);
        }
        let text = world.request(Method::POST, BATCH).header("content-type", "text/plain").body("email\n");
        Reply::read(text).await.assert_problem(415, "unsupported_media_type");
        submit_csv(world, "", "x".repeat(1024 * 1024 + 1)).await.assert_problem(413, "body_too_large");
        assert_eq!(count(world, "SELECT count(*) FROM batches").await, 0);
        world.get(&format!("{BATCH}{UNKNOWN_ID}/")).await.assert_problem(404, "not_found");
        // A batch is shown for 90 days, and then deleted.
        let id = id_of(
            &submit_csv(
                world,
                &format!("course_id={FREE_COURSE}&mode=audit"),
                "email\na@example.com\n".into(),
            )
            .await,
        );
        done(world, &id).await;
        world.clock.advance(TimeDelta::days(91));
        world.get(&format!("{BATCH}{id}/")).await.assert_problem(404, "not_found");
        world
            .eventually("it is deleted", async |world| {
                count(world, "SELECT count(*) FROM batches").await == 0
            })
            .await;
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn five_thousand_rows_are_done_once_though_workers_die_and_single_grants_are_answered_beside_them() {
    world(Setup { workers: 0, ..Setup::selling() }, async |world| {
        let mut workers = vec![WorkerProcess::start(world), WorkerProcess::start(world)];
        // Five hundred addresses in ten courses each; each second one has an account.
        for learner in (0..500).step_by(2) {
            world.platform_user(&format!("learner{learner}@example.com")).await;
        }
        let courses: Vec<(String, String)> = sqlx::query_as(
            "SELECT DISTINCT ON (course_id) course_id::text, slug FROM course_modes
             WHERE expires_at IS NULL ORDER BY course_id LIMIT 10",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        let mut csv = "email,course_id,mode\n".to_owned();
        for row in 0..5_000 {
            let (course, mode) = &courses[row % 10];
            let mode = if row % 137 == 0 { "gold" } else { mode };
            csv.push_str(&format!("learner{}@example.com,{course},{mode}\n", row / 10));
        }
        let id = id_of(&submit_csv(world, "", csv).await);
        let mut slowest = Duration::ZERO;
        for kill in 0..4 {
            for grant in 0..10 {
                let begun = Instant::now();
                let single = world.enroll(&format!("single{kill}-{grant}@example.com"), FREE_COURSE, "audit").await;
                assert_eq!(single.status, 200, "{}", single.text);
                // The first one waits until a worker has started, or after a killed worker that had it.
                if grant > 0 {
                    slowest = slowest.max(begun.elapsed());
                }
            }
            workers.remove(0);
            workers.push(WorkerProcess::start(world));
        }
        assert!(slowest < Duration::from_secs(5), "{slowest:?}");
        let batch = done(world, &id).await;
        world.drain().await;
        // 37 rows name a mode that there is not.
        assert_eq!((&batch["done"], &batch["failed"]), (&json!(4_963), &json!(37)));
        let granted = "SELECT count(*) FROM enrollments e JOIN enrollment_grants g ON g.enrollment_id = e.id
            WHERE e.email LIKE 'learner%' AND g.ended_at IS NULL";
        assert_eq!(count(world, granted).await, 4_963);
        let audited = "SELECT count(*) FROM audit_log a JOIN enrollments e ON e.id = a.entity_id AND e.email LIKE 'learner%'
            WHERE a.entity = 'enrollment' AND a.from_state IS NULL";
        assert_eq!(count(world, audited).await, 4_963);
        let agreed = "SELECT count(*) FROM batch_rows r JOIN enrollments e ON (e.email, e.course_id) = (r.email, r.course_id)
            WHERE r.state = 'done' AND r.result = e.state";
        assert_eq!(count(world, agreed).await, 4_963);
        platform_has_what_is_on_record(world).await;
    })
    .await;
}

/// Compares each learner's enrollments on the platform with those on record, once these are synced.
async fn platform_has_what_is_on_record(world: &World) {
    let unsynced =
        "SELECT count(*) FROM enrollments WHERE learner_id IS NOT NULL AND platform_state <> 'synced'";
    world
        .eventually_within(Duration::from_secs(300), "all are synced", &mut async |world: &World| {
            count(world, unsynced).await == 0
        })
        .await;
    let records: Vec<(String, Value)> = sqlx::query_as(
        "SELECT e.email, jsonb_agg(jsonb_build_array(c.openedx_course_id, e.mode) ORDER BY c.openedx_course_id)
         FROM enrollments e JOIN courses c ON c.id = e.course_id WHERE e.learner_id IS NOT NULL GROUP BY 1",
    )
    .fetch_all(&world.db)
    .await
    .unwrap();
    assert_eq!(records.len(), 250);
    for (email, record) in records {
        let shown = world.sim(Method::GET, &format!("/_sim/enrollments?email={email}"), None).await;
        let active = shown.as_array().unwrap().iter().filter(|one| one["is_active"] == true);
        let mut there: Vec<Value> = active.map(|one| json!([one["course_id"], one["mode"]])).collect();
        there.sort_by_key(Value::to_string);
        assert_eq!(json!(there), record, "{email}");
    }
}

#[tokio::test]
async fn a_batch_whose_message_is_lost_is_taken_up_and_an_erased_person_is_in_no_batch() {
    world(Setup::selling(), async |world| {
        for statement in [
            "INSERT INTO batches (id, total, created_at, lease_until) VALUES ('00000000-0000-4000-8000-000000000000', 2, now(), now())",
            "INSERT INTO batch_rows (batch_id, row, email, action, course_id, mode, state)
             SELECT '00000000-0000-4000-8000-000000000000', nth, 'ada' || nth || '@example.com', 'enroll', course_id, slug, 'waiting'
             FROM generate_series(1, 2) nth, (SELECT course_id, slug FROM course_modes LIMIT 1) m",
        ] {
            sqlx::query(statement).execute(&world.db).await.unwrap();
        }
        let batch = done(world, UNKNOWN_ID).await;
        assert_eq!((&batch["done"], &batch["rows"][1]["enrollment_state"]), (&json!(2), &json!("pending_registration")));
        // An address that only a batch holds is found.
        let other = submit_csv(world, "", "email,course_id,mode\nbea@example.com,x,audit\n".into()).await;
        let id = id_of(&other);
        assert_eq!(done(world, &id).await["failed"], 1);
        let (erased, said) =
            operator(world, &["learners", "erase", "bea@example.com"], &["database-url"]).await;
        assert!(erased, "{said}");
        assert_eq!(count(world, "SELECT count(*) FROM batch_rows WHERE email LIKE 'bea@%'").await, 0);
    })
    .await;
}
