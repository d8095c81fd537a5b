//! Answers of a real LMS, and how the worker handles them. The simulator gives the same answers (`tests/platform`).

use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY};
use harness::{Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

const ENROLLMENT: &str = "/api/enrollment/v1/enrollment";

async fn control(world: &World, path: &str, body: Value) {
    world.sim(Method::POST, path, Some(body)).await;
}

/// The platform state, mode and reason that the one enrollment's record holds.
async fn record(world: &World) -> (String, String, Option<String>) {
    sqlx::query_as("SELECT platform_state, mode, platform_reason FROM enrollments")
        .fetch_one(&world.db)
        .await
        .unwrap()
}

async fn synced(world: &World, mode: &str) {
    world
        .eventually("the platform agrees", async |world| {
            record(world).await == ("synced".to_owned(), mode.to_owned(), None)
        })
        .await;
}

/// Sets the enrollment on the platform, as the learner or a platform operator could.
async fn at_platform(world: &World, username: &str, mode: &str, is_active: bool) {
    let token = world.sim_service_token().await;
    let body = json!({ "user": username, "mode": mode, "is_active": is_active, "course_details": { "course_id": PAID_KEY } });
    let url = world.simulators.url("/platform/api/enrollment/v1/enrollment");
    let reply = world
        .http
        .post(url)
        .header("authorization", format!("JWT {token}"))
        .json(&body)
        .send()
        .await
        .unwrap();
    assert_eq!(reply.status(), 200);
}

#[tokio::test]
async fn a_certificate_without_a_web_view_keeps_the_access_and_no_certificate_does_not() {
    world(Setup::default(), async |world| {
        for (email, certified) in [("ada@example.com", true), ("grace@example.com", false)] {
            world.platform_user(email).await;
            world.enroll(email, PAID_COURSE, "verified").await;
            world.platform_agrees(email, PAID_KEY, "verified", true).await;
            if certified {
                let certificate = json!({ "email": email, "course_id": PAID_KEY, "status": "downloadable", "web_view": false });
                control(world, "/_sim/certificates", certificate).await;
            }
            world.unenroll(email, PAID_COURSE).await;
        }
        world.platform_agrees("grace@example.com", PAID_KEY, "verified", false).await;
        world
            .eventually("the reason is on the record", async |world| {
                let reason: Option<String> = sqlx::query_scalar(
                    "SELECT platform_reason FROM enrollments WHERE email = 'ada@example.com'",
                )
                .fetch_one(&world.db)
                .await
                .unwrap();
                reason.is_some_and(|reason| reason.contains("certificate"))
            })
            .await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_redirect_or_a_missing_right_makes_enrollments_wait_and_refuses_none() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        synced(world, "verified").await;
        for (wrong, fixed) in [
            (json!({ "restricted": true }), json!({ "restricted": false })),
            (json!({ "staff": false }), json!({ "staff": true })),
        ] {
            control(world, "/_sim/client", wrong.clone()).await;
            let mode = if record(world).await.1 == "verified" { "professional" } else { "verified" };
            let reply = world.enroll("ada@example.com", PAID_COURSE, mode).await;
            assert_eq!((reply.status, &reply.json["enrollment_state"]), (200, &json!("enrolled")), "{wrong}");
            let reply = world.enroll("new@example.com", FREE_COURSE, "audit").await;
            assert_eq!(reply.json["enrollment_state"], "pending_registration");
            world.unenroll("new@example.com", FREE_COURSE).await;
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            let ada = "SELECT platform_state FROM enrollments WHERE email = 'ada@example.com'";
            let state: String = sqlx::query_scalar(ada).fetch_one(&world.db).await.unwrap();
            assert_eq!(state, "queued", "{wrong}");
            control(world, "/_sim/client", fixed).await;
            world.platform_agrees("ada@example.com", PAID_KEY, mode, true).await;
            assert!(world.emails("new@example.com").await.is_empty(), "the platform never said that the address is unknown");
            sqlx::query("DELETE FROM enrollment_grants g USING enrollments e WHERE e.id = g.enrollment_id AND e.email = 'new@example.com'")
                .execute(&world.db).await.unwrap();
            sqlx::query("DELETE FROM enrollments WHERE email = 'new@example.com'").execute(&world.db).await.unwrap();
        }
        let redirect = json!({ "target": "platform", "path": "/api/certificates", "kind": "status", "status": 301, "count": 2 });
        world.fault(redirect).await;
        world.unenroll("ada@example.com", PAID_COURSE).await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", false).await;
    })
    .await;
}

#[tokio::test]
async fn a_400_for_a_learner_who_is_in_is_no_refusal() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let lost = json!({ "target": "platform", "path": ENROLLMENT, "kind": "lost_answer", "count": 1 });
        world.fault(lost).await;
        // The call takes the last seat, its answer is lost, and the LMS refuses the retry.
        control(world, "/_sim/courses", json!({ "course_id": PAID_KEY, "seats": 1 })).await;
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        synced(world, "verified").await;
        world.platform_user("grace@example.com").await;
        let reply = world.enroll("grace@example.com", PAID_COURSE, "verified").await;
        reply.assert_problem(400, "enrollment_failed");
        assert!(world.on_platform("grace@example.com", PAID_KEY).await.is_none());
    })
    .await;
}

#[tokio::test]
async fn paid_access_comes_back_and_is_upgraded_in_a_mode_that_expired_at_the_platform() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        synced(world, "verified").await;
        let modes = json!([{ "slug": "audit" },
            { "slug": "verified", "expires_at": "2026-01-01T00:00:00Z" },
            { "slug": "professional", "expires_at": "2026-01-01T00:00:00Z" }]);
        control(world, "/_sim/courses", json!({ "course_id": PAID_KEY, "modes": modes })).await;
        world.unenroll("ada@example.com", PAID_COURSE).await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", false).await;
        // A new grant in the mode that the platform's record already has.
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        synced(world, "verified").await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        // A grant that upgrades an active enrollment.
        let reply = world.enroll("ada@example.com", PAID_COURSE, "professional").await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        world.platform_agrees("ada@example.com", PAID_KEY, "professional", true).await;
        // A mode that the course does not offer: the learner keeps the earlier one.
        control(world, "/_sim/courses", json!({ "course_id": PAID_KEY, "modes": ["audit", "professional"] }))
            .await;
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        reply.assert_problem(400, "enrollment_failed");
        world.platform_agrees("ada@example.com", PAID_KEY, "professional", true).await;
        // The platform's enrollment is inactive and in another mode than the grant.
        control(world, "/_sim/courses", json!({ "course_id": PAID_KEY, "modes": modes })).await;
        at_platform(world, "ada", "professional", false).await;
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn an_account_that_was_renamed_is_found_by_its_id() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        synced(world, "verified").await;
        control(world, "/_sim/users/change", json!({ "email": "ada@example.com", "username": "countess" }))
            .await;
        // The platform answers "no record" for the old username; the worker must not take this for unenrolled.
        world.unenroll("ada@example.com", PAID_COURSE).await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", false).await;
        control(world, "/_sim/users/change", json!({ "email": "ada@example.com", "username": "lovelace" }))
            .await;
        // The look-up of the address fails, so that the worker learns of the change only from the 406.
        let away =
            json!({ "target": "platform", "path": "/accounts", "kind": "status", "status": 503, "count": 1 });
        world.fault(away).await;
        let reply = world.enroll("ada@example.com", PAID_COURSE, "professional").await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        world.platform_agrees("ada@example.com", PAID_KEY, "professional", true).await;
        let name: String =
            sqlx::query_scalar("SELECT username FROM learners").fetch_one(&world.db).await.unwrap();
        assert_eq!(name, "lovelace");
    })
    .await;
}

#[tokio::test]
async fn a_known_address_that_moved_to_another_account_enrolls_the_new_one() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        control(
            world,
            "/_sim/users/change",
            json!({ "email": "ada@example.com", "new_email": "countess@example.com" }),
        )
        .await;
        let reply = world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        assert_eq!(reply.json["enrollment_state"], "pending_registration", "no account has the address now");
        control(
            world,
            "/_sim/users",
            json!({ "email": "ada@example.com", "username": "another", "hint": true }),
        )
        .await;
        let reply = world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        assert_eq!(reply.json["enrollment_state"], "enrolled");
        world.platform_agrees("ada@example.com", FREE_KEY, "audit", true).await;
        world.platform_agrees("countess@example.com", PAID_KEY, "verified", true).await;
        assert!(world.on_platform("countess@example.com", FREE_KEY).await.is_none());
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn an_account_that_the_lms_cannot_enroll_alerts_once_and_is_tried_ever_less_often() {
    let setup = Setup { worker_args: vec!["--reconcile-every=50ms".into()], ..Setup::default() };
    world(setup, async |world| {
        let failures = async || -> i32 {
            sqlx::query_scalar("SELECT sync_failures FROM enrollments").fetch_one(&world.db).await.unwrap()
        };
        world.new_platform_user(json!({ "email": "ada@example.com", "profile": false, "hint": false })).await;
        let reply = world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        assert_eq!((reply.status, &reply.json["enrollment_state"]), (200, &json!("enrolled")));
        world.eventually("five tries have failed", async |_| failures().await == 5).await;
        // No retry message is left in the queues; the reconciler retries when the retry delay ends.
        tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
        assert_eq!((failures().await, record(world).await.0.as_str()), (5, "queued"));
        world.clock.advance(chrono::TimeDelta::minutes(81));
        world.eventually("the reconciler has tried again", async |_| failures().await == 6).await;
        control(world, "/_sim/users/change", json!({ "email": "ada@example.com", "profile": true })).await;
        world.clock.advance(chrono::TimeDelta::minutes(161));
        world.platform_agrees("ada@example.com", FREE_KEY, "audit", true).await;
        world.eventually("the failure count is reset", async |_| failures().await == 0).await;
    })
    .await;
}

#[tokio::test]
async fn an_address_that_differs_by_an_accent_is_another_one() {
    let setup = Setup {
        worker_args: vec!["--reconcile-every=100ms".into()],
        api_args: vec!["--mail-smtputf8=true".into()],
        ..Setup::default()
    };
    world(setup, async |world| {
        // The simulated mail server refuses the invitation.
        world.expected_dead = 1;
        world.platform_user("jose@example.com").await;
        let reply = world.enroll("josé@example.com", FREE_COURSE, "audit").await;
        assert_eq!(reply.json["enrollment_state"], "pending_registration", "{}", reply.text);
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        assert!(world.on_platform("jose@example.com", FREE_KEY).await.is_none());
    })
    .await;
}
