//! The log lines of requests and jobs: one for each, with who, what, how long and how it ended, and each failure once.

use std::fs::File;
use std::time::Duration;

use harness::steps::demo::PAID_COURSE;
use harness::steps::worker_program::{SETTINGS, command};
use harness::{Setup, World, logged, world};
use serde_json::json;

const LIST: &str = "/storeapi/discovery/courses/";

/// The lines that name this id.
fn about(id: &str) -> Vec<String> {
    logged(id).into_iter().filter(|line| line.contains("request ended")).collect()
}

/// The only line of a request.
fn line(id: &str) -> String {
    let lines = about(id);
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines.into_iter().next().unwrap()
}

fn reading(share: &str) -> Setup {
    Setup { api_args: vec![format!("--log-reads={share}")], proxied: true, ..Setup::without_workers() }
}

#[tokio::test]
async fn a_share_of_the_reads_is_logged_with_who_what_and_how_long() {
    for (share, level) in [("1", " INFO "), ("0", " DEBUG ")] {
        world(reading(share), async |world| {
            let reply = world.get(LIST).await;
            let line = line(reply.header("x-request-id"));
            assert!(line.contains(level), "{line}");
            for part in ["method=GET", &format!("route=\"{LIST}\""), "status=200", "caller=\"client\""] {
                assert!(line.contains(part), "{part}: {line}");
            }
            for field in ["seconds=0.", "trace_id=", "span_id=", "outcome=\"answered\""] {
                assert!(line.contains(field), "{field}: {line}");
            }
        })
        .await;
    }
}

#[tokio::test]
async fn the_line_names_the_callers_role_and_no_more() {
    world(reading("1"), async |world| {
        let user = world.platform_user("grace@example.com").await;
        let learner = format!("sessionid={}", user["sessionid"].as_str().unwrap());
        let anonymous = world.http.get(world.url(LIST)).send().await.unwrap();
        let learner = world.http.get(world.url(LIST)).header("cookie", learner).send().await.unwrap();
        for (answer, status, role) in [(anonymous, 401, "anonymous"), (learner, 200, "learner")] {
            assert_eq!(answer.status(), status);
            let line = line(answer.headers()["x-request-id"].to_str().unwrap());
            assert!(line.contains(&format!("caller=\"{role}\"")) && !line.contains("grace"), "{line}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_read_that_fails_is_logged_once_with_its_cause() {
    world(reading("0"), async |world| {
        world.postgres().cut();
        let reply = world.get(&format!("{LIST}?search=unheard")).await;
        reply.assert_problem(503, "unavailable");
        let line = line(reply.header("x-request-id"));
        for part in [" WARN ", "outcome=\"failed\"", "reason=\"database unavailable: "] {
            assert!(line.contains(part), "{part}: {line}");
        }
        let trace = line.split("trace_id=").nth(1).unwrap().split(' ').next().unwrap();
        assert_eq!(logged("database unavailable").len(), logged("reason=\"database unavailable").len());
        assert_eq!(logged(trace).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_command_without_an_answer_is_one_line_that_says_so() {
    let setup = Setup { api_args: vec!["--ask-deadline=1s".into()], ..Setup::without_workers() };
    world(setup, async |world| {
        // A caller that hangs up.
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let body = json!({ "email": "ada@example.com", "course_id": PAID_COURSE, "mode": "verified" });
        let request =
            world.request(reqwest::Method::POST, "/storeapi/enrollments/client/enroll/").json(&body);
        let request = request.header("traceparent", format!("00-{trace}-00f067aa0ba902b7-00"));
        assert!(request.timeout(Duration::from_millis(300)).send().await.unwrap_err().is_timeout());
        world.eventually("its line", async |_| about(trace).len() == 1).await;
        assert!(line(trace).contains("outcome=\"abandoned\""), "{}", line(trace));

        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        let line = line(reply.header("x-request-id"));
        for part in ["method=POST", "caller=\"client\"", "outcome=\"failed\"", "no answer from the worker"] {
            assert!(line.contains(part), "{part}: {line}");
        }
        forget(world).await;
    })
    .await;
}

/// Takes the command that no worker has taken.
async fn forget(world: &World) {
    for queue in world.topology().queues() {
        while world.take_message(&queue).await.is_some() {}
    }
}

#[tokio::test]
async fn a_job_is_one_line_and_one_that_fails_says_why_without_addresses() {
    world(Setup::default(), async |world| {
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        let request = reply.header("x-request-id");
        let of_request = |line: &String| line.contains("job ended") && line.contains("enrollment.grant.v1");
        world
            .eventually("the job's line", async |_| {
                logged(request).iter().filter(|l| of_request(l)).count() == 1
            })
            .await;
        world.drain().await;
        let lines: Vec<_> = logged(request).into_iter().filter(of_request).collect();
        assert_eq!(lines.len(), 1, "{lines:?}");
        for part in
            ["queue=\"enrollment\"", "caller=\"client\"", "outcome=\"done\"", "attempt=0", "seconds=0."]
        {
            assert!(lines[0].contains(part), "{part}: {}", lines[0]);
        }

        // A command with a body that no worker can read.
        let id = uuid::Uuid::now_v7().to_string();
        let body = json!({ "email": 7, "name": "ada@example.com" }).to_string();
        world.publish_raw("enrollment.grant.v1", &id, body.as_bytes()).await;
        world.expected_dead = 1;
        world
            .eventually("its line", async |_| logged(&id).iter().any(|line| line.contains("job ended")))
            .await;
        let lines: Vec<_> = logged(&id).into_iter().filter(|line| line.contains(" ERROR ")).collect();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("outcome=\"dead\"") && !lines[0].contains("ada@"), "{}", lines[0]);
    })
    .await;
}

#[tokio::test]
async fn no_line_is_lost_when_one_module_is_logged_in_detail() {
    world(Setup::without_workers(), async |world| {
        let path = std::env::temp_dir().join(format!("{}.log", world.name));
        let settings = [SETTINGS, &["platform-url"]].concat();
        let filter = "--log-filter=info,storefront_worker::enrollment=debug";
        let mut worker = command(world, &[filter, "run", "--worker-internal-listen=127.0.0.1:0"], &settings);
        let mut worker = worker.stdout(File::create(&path).unwrap()).kill_on_drop(true).spawn().unwrap();
        const GRANTS: usize = 10;
        for learner in 0..GRANTS {
            let reply = world.enroll(&format!("learner{learner}@example.com"), PAID_COURSE, "verified").await;
            assert_eq!(reply.status, 200, "{}", reply.text);
        }
        // The invitations go out before the worker ends.
        world.drain().await;
        harness::terminate(worker.id().unwrap());
        assert!(worker.wait().await.unwrap().success());
        let logged = std::fs::read_to_string(&path).unwrap();
        let lines =
            logged.lines().filter(|line| line.contains("job ended") && line.contains("enrollment.grant.v1"));
        assert_eq!(lines.count(), GRANTS, "{logged}");
        std::fs::remove_file(path).unwrap();
    })
    .await;
}
