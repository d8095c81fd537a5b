//! Access by email: grants, removals, pending registrations.

use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY};
use harness::{Reply, Setup, world};
use serde_json::json;

#[tokio::test]
async fn a_grant_to_a_known_address_enrolls_on_the_platform() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let reply = world.enroll(" Ada@Example.com ", PAID_COURSE, "verified").await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert_eq!(reply.json["status"], "success");
        assert_eq!(reply.json["enrollment_state"], "enrolled");
        assert!(reply.json["message"].as_str().unwrap().contains("enrolled"));
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        assert!(world.emails("ada@example.com").await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn an_address_has_no_account_only_once_the_platform_has_said_so() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let path = "/api/user";
        world
            .fault(
                json!({ "target": "platform", "path": path, "kind": "status", "status": 503, "count": 100 }),
            )
            .await;
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        assert_eq!((reply.status, &reply.json["enrollment_state"]), (200, &json!("pending_registration")));
        let message = reply.json["message"].as_str().unwrap();
        assert!(message.starts_with("The course platform has not answered yet"), "{message}");
        world.no_faults().await;
        let reply = world.enroll("bob@example.com", PAID_COURSE, "verified").await;
        assert_eq!((reply.status, &reply.json["enrollment_state"]), (200, &json!("pending_registration")));
        let message = reply.json["message"].as_str().unwrap();
        assert!(message.starts_with("The address has no active account yet"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn a_grant_to_an_unknown_address_waits_and_invites_once() {
    world(Setup::default(), async |world| {
        for _ in 0..3 {
            let reply = world.enroll("new@example.com", PAID_COURSE, "verified").await;
            assert_eq!(reply.json["enrollment_state"], "pending_registration", "{}", reply.text);
        }
        world
            .eventually("the invitation arrives", async |world| {
                !world.emails("new@example.com").await.is_empty()
            })
            .await;
        let emails = world.emails("new@example.com").await;
        assert_eq!(emails.len(), 1);
        let (subject, text) = (emails[0]["subject"].as_str().unwrap(), emails[0]["text"].as_str().unwrap());
        assert!(subject.contains("Northwind"), "{subject}");
        assert!(text.contains("http://store.test/storeapi/registrations/"), "{text}");
        assert!(emails[0]["html"].as_str().unwrap().contains("Create your account"));
        assert!(world.on_platform("new@example.com", PAID_KEY).await.is_none());

        // The link in the mail leads to the organisation's registration page.
        let link = text.split_whitespace().find(|word| word.starts_with("http://store.test")).unwrap();
        let path = link.strip_prefix("http://store.test").unwrap();
        let reply = Reply::read(world.http.get(world.url(path))).await;
        assert_eq!(reply.status, 302);
        assert!(reply.header("location").contains("northwind"), "{}", reply.header("location"));
        let altered = path.replace("registrations/", "registrations/0");
        Reply::read(world.http.get(world.url(&altered))).await.assert_problem(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn an_invitation_is_repeated_after_a_day_at_the_earliest() {
    world(Setup::default(), async |world| {
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        world.clock.advance(chrono::TimeDelta::hours(23));
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        world.clock.advance(chrono::TimeDelta::hours(2));
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        world
            .eventually("two invitations", async |world| world.emails("new@example.com").await.len() == 2)
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_registration_turns_a_pending_enrollment_into_an_enrolled_one() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::default() };
    world(setup, async |world| {
        world.enroll("new@example.com", PAID_COURSE, "professional").await;
        world.enroll("new@example.com", FREE_COURSE, "audit").await;
        world.platform_user("New@Example.com").await;
        world.platform_agrees("new@example.com", PAID_KEY, "professional", true).await;
        world.platform_agrees("new@example.com", FREE_KEY, "audit", true).await;
    })
    .await;
}

#[tokio::test]
async fn an_inactive_account_does_not_receive_a_course() {
    world(Setup::default(), async |world| {
        let user = json!({ "email": "idle@example.com", "active": false, "hint": false });
        world.sim(reqwest::Method::POST, "/_sim/users", Some(user)).await;
        let reply = world.enroll("idle@example.com", PAID_COURSE, "verified").await;
        assert_eq!(reply.json["enrollment_state"], "pending_registration");
    })
    .await;
}

#[tokio::test]
async fn a_removal_unenrolls_on_the_platform_and_can_be_repeated() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        assert_eq!(world.unenroll("ADA@example.com", PAID_COURSE).await.json["enrollment_state"], "removed");
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", false).await;
        let again = world.unenroll("ada@example.com", PAID_COURSE).await;
        assert_eq!((again.status, &again.json["enrollment_state"]), (200, &json!("none")));
        // And back to the first mode.
        assert_eq!(
            world.enroll("ada@example.com", PAID_COURSE, "verified").await.json["enrollment_state"],
            "enrolled"
        );
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_removal_before_registration_cancels_what_was_pending() {
    world(Setup::default(), async |world| {
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        assert_eq!(
            world.unenroll("new@example.com", PAID_COURSE).await.json["enrollment_state"],
            "cancelled"
        );
        let none = world.unenroll("other@example.com", PAID_COURSE).await;
        assert_eq!((none.status, &none.json["enrollment_state"]), (200, &json!("none")));
    })
    .await;
}

#[tokio::test]
async fn a_learner_with_a_certificate_keeps_access() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        let certificate =
            json!({ "email": "ada@example.com", "course_id": PAID_KEY, "status": "downloadable" });
        world.sim(reqwest::Method::POST, "/_sim/certificates", Some(certificate)).await;
        assert_eq!(world.unenroll("ada@example.com", PAID_COURSE).await.json["enrollment_state"], "removed");
        world
            .eventually("the reason is on the record", async |world| {
                let reason: Option<String> = sqlx::query_scalar("SELECT platform_reason FROM enrollments")
                    .fetch_one(&world.db)
                    .await
                    .unwrap();
                reason.is_some_and(|reason| reason.contains("certificate is downloadable"))
            })
            .await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn removing_a_learner_whom_the_platform_never_enrolled_does_not_enroll_them() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.fault(json!({ "target": "platform", "path": "/api/enrollment", "kind": "status", "status": 503, "count": 1000 })).await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        assert_eq!(world.unenroll("ada@example.com", PAID_COURSE).await.json["enrollment_state"], "removed");
        world.no_faults().await;
        synced(world).await;
        assert!(world.on_platform("ada@example.com", PAID_KEY).await.is_none());
    })
    .await;
}

async fn synced(world: &harness::World) {
    world
        .eventually("the platform has confirmed everything", async |world| {
            let queued: i64 =
                sqlx::query_scalar("SELECT count(*) FROM enrollments WHERE platform_state = 'queued'")
                    .fetch_one(&world.db)
                    .await
                    .unwrap();
            queued == 0
        })
        .await;
}

#[tokio::test]
async fn a_partner_may_grant_what_is_for_invited_learners_but_no_expired_mode() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let (mode, key): (String, String) = sqlx::query_as(
            "SELECT m.slug, c.openedx_course_id FROM course_modes m JOIN courses c ON c.id = m.course_id
             WHERE c.id = $1::uuid AND m.expires_at IS NULL LIMIT 1",
        )
        .bind(harness::steps::demo::INVITE_ONLY_COURSE)
        .fetch_one(&world.db)
        .await
        .unwrap();
        let reply = world.enroll("ada@example.com", harness::steps::demo::INVITE_ONLY_COURSE, &mode).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        world.platform_agrees("ada@example.com", &key, &mode, true).await;
        sqlx::query(
            "UPDATE course_modes SET expires_at = now() - interval '1 day' WHERE course_id = $1::uuid",
        )
        .bind(PAID_COURSE)
        .execute(&world.db)
        .await
        .unwrap();
        let reply = world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        reply.assert_problem(400, "unsupported_mode");
    })
    .await;
}

#[tokio::test]
async fn a_learner_who_changed_the_address_keeps_one_enrollment_for_a_course() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::default() };
    world(setup, async |world| {
        let user = world.platform_user("new@example.com").await;
        // The storefront knows the account under its former address; the new address is granted a course while the
        // platform is down.
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        world.platform_agrees("new@example.com", PAID_KEY, "verified", true).await;
        for table in ["learners", "enrollments"] {
            let sql = format!("UPDATE {table} SET email = 'old@example.com'");
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&world.db).await.unwrap();
        }
        world.fault(json!({ "target": "platform", "path": "/api/user", "kind": "status", "status": 500, "count": 2 })).await;
        let reply = world.enroll("new@example.com", PAID_COURSE, "professional").await;
        assert_eq!(reply.json["enrollment_state"], "pending_registration", "{user}");
        world.platform_agrees("new@example.com", PAID_KEY, "professional", true).await;
        let states: Vec<(String, String)> =
            sqlx::query_as("SELECT email, state FROM enrollments ORDER BY created_at").fetch_all(&world.db).await.unwrap();
        let expected = [("old@example.com", "enrolled"), ("new@example.com", "removed")];
        assert_eq!(states, expected.map(|(email, state)| (email.to_owned(), state.to_owned())));
    })
    .await;
}

#[tokio::test]
async fn without_a_service_account_enrolling_says_so() {
    let setup = Setup { worker_args: vec!["--platform-client-id=".into()], ..Setup::default() };
    world(setup, async |world| {
        world.enroll("ada@example.com", PAID_COURSE, "verified").await.assert_problem(500, "not_configured");
        world.unenroll("ada@example.com", PAID_COURSE).await.assert_problem(500, "not_configured");
        let rows: i64 =
            sqlx::query_scalar("SELECT count(*) FROM enrollments").fetch_one(&world.db).await.unwrap();
        assert_eq!(rows, 0);
    })
    .await;
}

#[tokio::test]
async fn every_change_of_an_enrollment_is_in_the_audit_log_which_cannot_be_rewritten() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", FREE_COURSE, "verified").await;
        world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        world.unenroll("ada@example.com", FREE_COURSE).await;
        let log: Vec<(Option<String>, String, String)> =
            sqlx::query_as("SELECT from_state, to_state, detail->>'to_mode' FROM audit_log ORDER BY id")
                .fetch_all(&world.db)
                .await
                .unwrap();
        let log: Vec<_> =
            log.iter().map(|(from, to, mode)| (from.as_deref(), to.as_str(), mode.as_str())).collect();
        assert_eq!(
            log,
            [
                (None, "enrolled", "verified"),
                (Some("enrolled"), "enrolled", "audit"),
                (Some("enrolled"), "removed", "audit"),
            ]
        );
        for change in ["UPDATE audit_log SET actor = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log"] {
            assert!(sqlx::query(change).execute(&world.db).await.is_err(), "{change}");
        }
        synced(world).await;
    })
    .await;
}

#[tokio::test]
async fn an_account_receives_its_courses_when_it_becomes_active() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::default() };
    world(setup, async |world| {
        let user = json!({ "email": "idle@example.com", "active": false, "hint": false });
        world.new_platform_user(user).await;
        world.enroll("idle@example.com", PAID_COURSE, "verified").await;
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
        assert!(world.on_platform("idle@example.com", PAID_KEY).await.is_none());
        world
            .sim(reqwest::Method::POST, "/_sim/users/activate", Some(json!({ "email": "idle@example.com" })))
            .await;
        world.platform_agrees("idle@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn what_was_cancelled_stays_cancelled_when_the_address_registers() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::default() };
    world(setup, async |world| {
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        world.enroll("new@example.com", FREE_COURSE, "audit").await;
        assert_eq!(
            world.unenroll("new@example.com", PAID_COURSE).await.json["enrollment_state"],
            "cancelled"
        );
        world.platform_user("new@example.com").await;
        world.platform_agrees("new@example.com", FREE_KEY, "audit", true).await;
        assert!(world.on_platform("new@example.com", PAID_KEY).await.is_none());
    })
    .await;
}

#[tokio::test]
async fn a_removal_ends_what_the_learner_has_under_every_address() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        // Simulates a grant under a former address, with a pending enrollment under the current one.
        sqlx::query("UPDATE enrollments SET email = 'older@example.com'").execute(&world.db).await.unwrap();
        sqlx::query(
            "INSERT INTO enrollments (id, email, course_id, state, mode, created_at, updated_at)
             SELECT gen_random_uuid(), 'ada@example.com', course_id, 'pending_registration', 'audit', now(), now() FROM enrollments",
        )
        .execute(&world.db)
        .await
        .unwrap();
        assert_eq!(world.unenroll("ada@example.com", PAID_COURSE).await.json["enrollment_state"], "removed");
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM enrollments WHERE state <> 'removed'")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(left, 0);
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", false).await;
    })
    .await;
}

#[tokio::test]
async fn an_address_that_its_learner_left_is_free_for_others() {
    world(Setup::default(), async |world| {
        world.platform_user("old@example.com").await;
        world.enroll("old@example.com", PAID_COURSE, "verified").await;
        world.platform_agrees("old@example.com", PAID_KEY, "verified", true).await;
        // The learner has changed the address; no account has the old one now.
        sqlx::query("UPDATE learners SET email = 'new@example.com'").execute(&world.db).await.unwrap();
        world.sim(reqwest::Method::POST, "/_sim/reset", None).await;
        let reply = world.enroll("old@example.com", PAID_COURSE, "professional").await;
        assert_eq!(reply.json["enrollment_state"], "pending_registration", "{}", reply.text);
        let kept: Vec<(String, String)> =
            sqlx::query_as("SELECT state, mode FROM enrollments ORDER BY state")
                .fetch_all(&world.db)
                .await
                .unwrap();
        let expected = [("enrolled", "verified"), ("pending_registration", "professional")];
        assert_eq!(kept, expected.map(|(state, mode)| (state.to_owned(), mode.to_owned())));
    })
    .await;
}
