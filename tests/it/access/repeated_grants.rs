//! Grants that are repeated, one after the other and at once, with and without an idempotency key.

use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE};
use harness::{Reply, Setup, world};
use serde_json::json;
use uuid::Uuid;

#[tokio::test]
async fn granting_again_updates_the_mode_and_makes_no_second_record() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        let reply = world.enroll("ada@example.com", FREE_COURSE, "verified").await;
        assert_eq!(reply.json["enrollment_state"], "enrolled");
        world.platform_agrees("ada@example.com", FREE_KEY, "verified", true).await;
        world.enroll("ada@example.com", FREE_COURSE, "audit").await;
        world.platform_agrees("ada@example.com", FREE_KEY, "audit", true).await;
        let (rows, grants): (i64, i64) = sqlx::query_as(
            "SELECT (SELECT count(*) FROM enrollments), (SELECT count(*) FROM enrollment_grants WHERE ended_at IS NULL)",
        )
        .fetch_one(&world.db)
        .await
        .unwrap();
        assert_eq!((rows, grants), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn fifty_equal_grants_at_once_make_one_record_and_one_email() {
    world(Setup { workers: 2, ..Setup::default() }, async |world| {
        let grants = (0..50).map(|_| world.enroll("crowd@example.com", PAID_COURSE, "verified"));
        let replies = futures_util::future::join_all(grants).await;
        for reply in &replies {
            assert_eq!((reply.status, &reply.json), (200, &replies[0].json), "{}", reply.text);
        }
        world
            .eventually("the invitation arrives", async |world| {
                !world.emails("crowd@example.com").await.is_empty()
            })
            .await;
        let rows: i64 =
            sqlx::query_scalar("SELECT count(*) FROM enrollments").fetch_one(&world.db).await.unwrap();
        assert_eq!(rows, 1);
        assert_eq!(world.emails("crowd@example.com").await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn the_same_idempotency_key_gives_the_same_answer_whatever_happened_in_between() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let keyed = async |email: &str, path: &str, body: serde_json::Value| {
            let request =
                world.request(reqwest::Method::POST, path).header("Idempotency-Key", email).json(&body);
            Reply::read(request).await
        };
        let body = json!({ "email": "ada@example.com", "course_id": PAID_COURSE, "mode": "verified" });
        let first = keyed("key-1", "/storeapi/enrollments/client/enroll/", body.clone()).await;
        assert_eq!(first.json["enrollment_state"], "enrolled");
        world.unenroll("ada@example.com", PAID_COURSE).await;
        let second = keyed("key-1", "/storeapi/enrollments/client/enroll/", body).await;
        assert_eq!(second.json, first.json);
        let live: i64 = sqlx::query_scalar("SELECT count(*) FROM enrollment_grants WHERE ended_at IS NULL")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(live, 0, "the repeat must not grant again");

        let other = json!({ "email": "bob@example.com", "course_id": PAID_COURSE, "mode": "verified" });
        keyed("key-1", "/storeapi/enrollments/client/enroll/", other)
            .await
            .assert_problem(422, "idempotency_mismatch");
        // The worker stores refusals as answers too, and an idempotency key belongs to one route.
        let unknown = json!({ "email": "ada@example.com", "course_id": Uuid::nil(), "mode": "verified" });
        keyed("key-2", "/storeapi/enrollments/client/enroll/", unknown.clone())
            .await
            .assert_problem(404, "not_found");
        keyed("key-2", "/storeapi/enrollments/client/enroll/", unknown)
            .await
            .assert_problem(404, "not_found");
        let removal = json!({ "email": "ada@example.com", "course_id": PAID_COURSE });
        assert_eq!(keyed("key-1", "/storeapi/enrollments/client/unenroll/", removal).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_key_that_is_being_worked_on_is_refused() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.fault(json!({ "target": "platform", "path": "/api/user", "kind": "delay", "delay_ms": 1500, "count": 1 })).await;
        let body = json!({ "email": "ada@example.com", "course_id": PAID_COURSE, "mode": "verified" });
        let send = || {
            let path = "/storeapi/enrollments/client/enroll/";
            Reply::read(world.request(reqwest::Method::POST, path).header("Idempotency-Key", "k").json(&body))
        };
        let (first, second) = tokio::join!(send(), async {
            tokio::time::sleep(std::time::Duration::from_millis(500)).await;
            send().await
        });
        assert_eq!(first.status, 200, "{}", first.text);
        second.assert_problem(409, "in_progress");
        assert_eq!(send().await.json, first.json);
    })
    .await;
}

#[tokio::test]
async fn a_key_whose_command_died_is_taken_over_when_its_lease_ends() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let body = json!({ "email": "ada@example.com", "course_id": PAID_COURSE, "mode": "verified" });
        let path = "/storeapi/enrollments/client/enroll/";
        let send = || {
            Reply::read(world.request(reqwest::Method::POST, path).header("Idempotency-Key", "k").json(&body))
        };
        let first = send().await;
        // Simulates a worker that died before its commit.
        sqlx::query("UPDATE commands SET answer = NULL, lease_until = $1")
            .bind(world.clock.now() + chrono::TimeDelta::seconds(30))
            .execute(&world.db)
            .await
            .unwrap();
        send().await.assert_problem(409, "in_progress");
        world.clock.advance(chrono::TimeDelta::seconds(31));
        assert_eq!(send().await.json, first.json);
    })
    .await;
}
