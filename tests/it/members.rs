//! Members of closed organisations, which an operator adds and removes.

use harness::{Reply, Setup, World, world};
use serde_json::{Value, json};

use crate::credentials::session;

/// Whether the operator command succeeded, and its output.
async fn operator(world: &World, command: &[&str]) -> (bool, String) {
    // Only `add` calls the platform.
    let names: &[&str] = match command.get(1) {
        Some(&"add") => &["database-url", "redis-url", "redis-prefix", "platform-url", "platform-client"],
        _ => &["database-url"],
    };
    let wanted = |argument: &&String| names.iter().any(|name| argument.starts_with(&format!("--{name}")));
    let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_storefront-worker-under-test"))
        .arg("--log-filter=off")
        .args(command)
        .args(world.worker_args.iter().filter(wanted))
        .output()
        .await
        .unwrap();
    (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

async fn capabilities(world: &World, user: &Value) -> u16 {
    let request = world.http.get(world.url("/storeapi/payment/capabilities/")).header("orgName", "lindgren");
    Reply::read(request.header("cookie", session(user))).await.status
}

#[tokio::test]
async fn an_operator_gives_and_takes_claims_on_a_closed_organisation() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        assert_eq!(capabilities(world, &ada).await, 403);
        // The storefront does not know the learner yet; the command finds the account on the platform.
        let (done, said) = operator(world, &["members", "add", "Lindgren", "Ada@example.com"]).await;
        assert!(done && said.contains("added"), "{said}");
        assert_eq!(capabilities(world, &ada).await, 200);
        let (done, said) = operator(world, &["members", "add", "lindgren", "ada@example.com"]).await;
        assert!(done && said.contains("already"), "{said}");
        let (done, listed) = operator(world, &["members", "list", "lindgren", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let expected = json!([{ "user_id": ada["user_id"], "username": ada["username"],
            "email": "ada@example.com", "name": ada["name"] }]);
        assert!(done && listed == expected, "{listed}");
        let (done, table) = operator(world, &["members", "list", "lindgren"]).await;
        assert!(done && table.contains("ada@example.com"), "{table}");
        let (done, said) = operator(world, &["members", "remove", "lindgren", "ada@example.com"]).await;
        assert!(done && said.contains("removed"), "{said}");
        assert_eq!(capabilities(world, &ada).await, 403);
        let (done, said) = operator(world, &["members", "remove", "lindgren", "ada@example.com"]).await;
        assert!(done && said.contains("is no member"), "{said}");
        let audited: Vec<(String, String)> =
            sqlx::query_as("SELECT actor, to_state FROM audit_log WHERE entity = 'membership' ORDER BY id")
                .fetch_all(&world.db)
                .await
                .unwrap();
        let by_operator = |state: &str| ("operator".to_owned(), state.to_owned());
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
            let (done, said) = operator(world, &["members", "add", organisation, email]).await;
            assert!(!done && said.contains(reason), "{said}");
        }
        world.fault(json!({ "target": "platform", "kind": "status", "status": 503, "count": 10 })).await;
        let (done, said) = operator(world, &["members", "add", "lindgren", "later@example.com"]).await;
        assert!(!done && said.contains("unavailable"), "{said}");
        world.no_faults().await;
        let (done, _) = operator(world, &["members", "list", "nowhere"]).await;
        assert!(!done);
        let learners: i64 =
            sqlx::query_scalar("SELECT count(*) FROM learners").fetch_one(&world.db).await.unwrap();
        assert_eq!(learners, 0);
    })
    .await;
}
