//! The enrollment API's versions: the same outcomes from each, and a platform that changes from one to the other.

use futures_util::future::join_all;
use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY};
use harness::{Setup, World, world};
use reqwest::Method;
use serde_json::json;

async fn control(world: &World, path: &str, body: serde_json::Value) {
    world.sim(Method::POST, path, Some(body)).await;
}

/// Lets the platform have these versions: `v1`, `v2` or `both`.
async fn has(world: &World, versions: &str) {
    control(world, "/_sim/platform", json!({ "enrollment_api": versions })).await;
}

/// The platform state and reason on the record of an address.
async fn record(world: &World, email: &str) -> (String, Option<String>) {
    sqlx::query_as("SELECT platform_state, platform_reason FROM enrollments WHERE email = $1")
        .bind(email)
        .fetch_one(&world.db)
        .await
        .unwrap()
}

async fn ends(world: &World, email: &str, state: &str, reason: Option<&str>) {
    world
        .eventually(&format!("{email} is {state}"), async |world| {
            let (found, said) = record(world, email).await;
            found == state && said.as_deref().map(|said| said.split_once(": ").unwrap().1) == reason
        })
        .await;
}

async fn misconfigurations(world: &World) -> f64 {
    world.metric(r#"storefront_alerts_total{what="platform_configuration"}"#).await.unwrap()
}

#[tokio::test]
async fn both_versions_have_the_same_outcomes_and_a_refusal_of_one_learner_touches_no_other() {
    for versions in ["v1", "both", "v2"] {
        world(Setup::default(), async |world| {
            has(world, versions).await;
            for (email, course, reason) in [
                ("veto@example.com", json!({ "veto": true }), "Enrollment was prevented by the operator."),
                ("missing@example.com", json!({ "missing": true }), "No course 'KEY' found for enrollment"),
                (
                    "full@example.com",
                    json!({ "full": true }),
                    "An error occurred while creating the new course enrollment for user 'full' in course 'KEY'",
                ),
            ] {
                let mut course = course;
                course["course_id"] = json!(PAID_KEY);
                control(world, "/_sim/courses", course).await;
                world.platform_user(email).await;
                world.enroll(email, PAID_COURSE, "verified").await.assert_problem(400, "enrollment_failed");
                ends(world, email, "refused", Some(&reason.replace("KEY", PAID_KEY))).await;
                assert!(world.on_platform(email, PAID_KEY).await.is_none(), "{versions}");
            }
            control(world, "/_sim/courses", json!({ "course_id": PAID_KEY, "embargo": true })).await;
            world.platform_user("far@example.com").await;
            let reply = world.enroll("far@example.com", PAID_COURSE, "verified").await;
            reply.assert_problem(400, "enrollment_failed");
            assert!(reply.json["detail"].as_str().unwrap().contains("Users from this location"));

            control(world, "/_sim/courses", json!({ "course_id": PAID_KEY })).await;
            world.platform_user("ada@example.com").await;
            assert_eq!(world.enroll("ada@example.com", PAID_COURSE, "verified").await.status, 200);
            world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
            ends(world, "ada@example.com", "synced", None).await;
            // The look-up of the address fails, so that only the platform's refusal tells that the account has another name.
            let rename = json!({ "email": "ada@example.com", "username": "lovelace" });
            control(world, "/_sim/users/change", rename).await;
            world.fault(json!({ "target": "platform", "path": "/accounts", "kind": "status", "status": 503 })).await;
            assert_eq!(world.enroll("ada@example.com", PAID_COURSE, "professional").await.status, 200);
            world.platform_agrees("ada@example.com", PAID_KEY, "professional", true).await;
            world.unenroll("ada@example.com", PAID_COURSE).await;
            world.platform_agrees("ada@example.com", PAID_KEY, "professional", false).await;
            assert_eq!(misconfigurations(world).await, 0.0, "{versions}");
        })
        .await;
    }
}

#[tokio::test]
async fn an_account_that_is_gone_is_a_refusal_and_a_service_account_without_rights_is_none_in_v2() {
    world(Setup::default(), async |world| {
        has(world, "v2").await;
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        ends(world, "ada@example.com", "synced", None).await;
        for (wrong, fixed, mode) in [
            (json!({ "restricted": true }), json!({ "restricted": false }), "verified"),
            (json!({ "staff": false }), json!({ "staff": true }), "audit"),
        ] {
            let before = misconfigurations(world).await;
            control(world, "/_sim/client", wrong).await;
            let reply = world.enroll("ada@example.com", FREE_COURSE, mode).await;
            assert_eq!((reply.status, &reply.json["enrollment_state"]), (200, &json!("enrolled")));
            world
                .eventually("an alert is raised", async |world| misconfigurations(world).await > before)
                .await;
            assert_eq!(record(world, "ada@example.com").await, ("queued".to_owned(), None));
            control(world, "/_sim/client", fixed).await;
            world.platform_agrees("ada@example.com", FREE_KEY, mode, true).await;
            ends(world, "ada@example.com", "synced", None).await;
        }
        // The simulator forgets the account, and its versions.
        control(world, "/_sim/reset", json!({})).await;
        has(world, "v2").await;
        world
            .fault(json!({ "target": "platform", "path": "/accounts", "kind": "status", "status": 503 }))
            .await;
        let reply = world.enroll("ada@example.com", FREE_COURSE, "verified").await;
        reply.assert_problem(400, "enrollment_failed");
        ends(world, "ada@example.com", "refused", Some("The user ada does not exist.")).await;
    })
    .await;
}

#[tokio::test]
async fn rights_that_come_back_between_a_refusal_and_the_look_after_it_leave_no_learner_refused() {
    // Once the account has its rights, the platform refuses each change to an expired mode with 400, which has a way of its own.
    let expired = json!({ "slug": "verified", "expires_at": "2026-01-01T00:00:00Z" });
    for (versions, mode) in
        [("v1", json!("verified")), ("v2", json!("verified")), ("v1", expired.clone()), ("v2", expired)]
    {
        world(Setup::default(), async |world| {
            has(world, versions).await;
            world.platform_user("ada@example.com").await;
            world.enroll("ada@example.com", FREE_COURSE, "audit").await;
            ends(world, "ada@example.com", "synced", None).await;
            control(world, "/_sim/courses", json!({ "course_id": FREE_KEY, "modes": ["audit", mode] })).await;
            // The change alone is refused: the account can read the record.
            world
                .fault(json!({ "target": "platform", "path": "/api/enrollment", "kind": "status", "status": 403 }))
                .await;
            assert_eq!(world.enroll("ada@example.com", FREE_COURSE, "verified").await.status, 200);
            world.platform_agrees("ada@example.com", FREE_KEY, "verified", true).await;
            ends(world, "ada@example.com", "synced", None).await;
            assert_eq!(misconfigurations(world).await, 0.0, "{versions}");
        })
        .await;
    }
}

#[tokio::test]
async fn upgrades_of_the_platform_under_load_lose_no_enrollment_and_make_none_twice() {
    world(Setup { workers: 2, ..Setup::default() }, async |world| {
        let learners: Vec<String> = (0..60).map(|n| format!("learner{n}@example.com")).collect();
        for email in &learners {
            world.platform_user(email).await;
        }
        let path = "/api/enrollment";
        let fault = async |status: u16, count: u32| {
            let fault =
                json!({ "target": "platform", "path": path, "kind": "status", "status": status, "count": count });
            world.fault(fault).await;
        };
        // Before, during and after: old and new servers answer, a proxy has none, a page takes the place of the API, and what
        // answers 200 is not the API. Then the upgrade is undone, and made again.
        let steps = [("v1", None), ("both", None), ("v2", Some(503)), ("v2", Some(404)), ("v1", Some(200)), ("v2", None)];
        for ((versions, broken), learners) in steps.into_iter().zip(learners.chunks(10)) {
            if let Some(status) = broken {
                fault(status, 6).await;
            }
            has(world, versions).await;
            let granted = learners.iter().map(|email| world.enroll(email, PAID_COURSE, "verified"));
            for reply in join_all(granted).await {
                assert_eq!((reply.status, &reply.json["enrollment_state"]), (200, &json!("enrolled")));
            }
        }
        for email in &learners {
            ends(world, email, "synced", None).await;
            let seen = world.on_platform(email, PAID_KEY).await.unwrap();
            assert_eq!((&seen["is_active"], &seen["calls"]), (&json!(true), &json!(1)), "{email}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_version_by_the_settings_is_kept() {
    let set = |version: &str| vec![format!("--platform-enrollment-api={version}")];
    world(Setup { worker_args: set("v2"), ..Setup::default() }, async |world| {
        world.platform_user("ada@example.com").await;
        assert_eq!(world.enroll("ada@example.com", PAID_COURSE, "verified").await.status, 200);
        world.eventually("an alert is raised", async |world| misconfigurations(world).await > 0.0).await;
        assert_eq!(record(world, "ada@example.com").await, ("queued".to_owned(), None));
        has(world, "both").await;
        ends(world, "ada@example.com", "synced", None).await;
    })
    .await;
}
