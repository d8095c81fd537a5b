//! Members of closed organisations, which an operator adds and removes.

use harness::steps::credentials::session;
use harness::steps::worker_program::operator;
use harness::{Setup, World, world};
use serde_json::{Value, json};

use crate::sessions::capabilities;

/// Runs `members`. Returns whether it succeeded, and its output.
async fn members(world: &World, words: &[&str]) -> (bool, String) {
    // Only `add` calls the platform.
    let settings: &[&str] = match words.first() {
        Some(&"add") => &[
            "database-url",
            "redis-url",
            "redis-prefix",
            "platform-url",
            "platform-client-id",
            "platform-client-secret",
        ],
        _ => &["database-url"],
    };
    operator(world, &[&["members"], words].concat(), settings).await
}

#[tokio::test]
async fn an_operator_gives_and_takes_claims_on_a_closed_organisation() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        assert_eq!(capabilities(world, &session(&ada)).await, 403);
        // The storefront does not know the learner yet; the command finds the account on the platform.
        let (done, said) = members(world, &["add", "Lindgren", "Ada@example.com"]).await;
        assert!(done && said.contains("added"), "{said}");
        assert_eq!(capabilities(world, &session(&ada)).await, 200);
        let (done, said) = members(world, &["add", "lindgren", "ada@example.com"]).await;
        assert!(done && said.contains("already"), "{said}");
        let (done, listed) = members(world, &["list", "lindgren", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let expected = json!([{ "user_id": ada["user_id"], "username": ada["username"],
            "email": "ada@example.com", "name": ada["name"] }]);
        assert!(done && listed == expected, "{listed}");
        let (done, table) = members(world, &["list", "lindgren"]).await;
        assert!(done && table.contains("ada@example.com"), "{table}");
        let (done, said) = members(world, &["remove", "lindgren", "ada@example.com"]).await;
        assert!(done && said.contains("removed"), "{said}");
        assert_eq!(capabilities(world, &session(&ada)).await, 403);
        let (done, said) = members(world, &["remove", "lindgren", "ada@example.com"]).await;
        assert!(done && said.contains("is not a member"), "{said}");
        let audited: Vec<(String, String)> =
            sqlx::query_as("SELECT actor, to_state FROM audit_log WHERE entity = 'membership' ORDER BY id")
                .fetch_all(&world.db)
                .await
                .unwrap();
        let by_operator = |state: &str| ("operator:Mira".to_owned(), state.to_owned());
        assert_eq!(audited, [by_operator("member"), by_operator("removed")]);
    })
    .await;
}

#[tokio::test]
async fn an_unknown_address_or_organisation_adds_nothing_and_says_so() {
    world(Setup::default(), async |world| {
        world.new_platform_user(json!({ "email": "new@example.com", "active": false, "hint": false })).await;
        for (organisation, email, reason) in [
            ("lindgren", "unknown@example.com", "no active account"),
            ("lindgren", "new@example.com", "no active account"),
            ("nowhere", "unknown@example.com", "no organisation nowhere"),
            ("lindgren", "no-address", "is not an email address"),
        ] {
            let (done, said) = members(world, &["add", organisation, email]).await;
            assert!(!done && said.contains(reason), "{said}");
        }
        world.fault(json!({ "target": "platform", "kind": "status", "status": 503, "count": 10 })).await;
        let (done, said) = members(world, &["add", "lindgren", "later@example.com"]).await;
        assert!(!done && said.contains("unavailable"), "{said}");
        world.no_faults().await;
        let (done, _) = members(world, &["list", "nowhere"]).await;
        assert!(!done);
        let learners: i64 =
            sqlx::query_scalar("SELECT count(*) FROM learners").fetch_one(&world.db).await.unwrap();
        assert_eq!(learners, 0);
    })
    .await;
}
