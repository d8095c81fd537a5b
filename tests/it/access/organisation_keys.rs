//! Keys of an organisation: what an operator does with them, and what they open.

use harness::steps::organisation_keys::{get, id, keep_secret, key, revoke};
use harness::steps::worker_program::operator;
use harness::{Reply, SECRET, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const ORDERS: &str = "/storeapi/payment/orders/";
const REPORT: &str = "/storeapi/reports/ledger/?from=2026-01-01&to=2026-01-31&format=json";

async fn keys(world: &World, words: &[&str]) -> (bool, String) {
    operator(world, &[&["keys"], words].concat(), &["database-url"]).await
}

#[tokio::test]
async fn a_key_is_printed_once_opens_what_it_may_and_is_dead_once_it_is_revoked() {
    world(Setup::without_workers(), async |world| {
        let (done, said) =
            keys(world, &["create", "Northwind", "--name", "Back office", "--may", "reports,orders,reports"])
                .await;
        assert!(done, "{said}");
        let key = said.lines().find(|line| line.starts_with("sk_")).unwrap().to_owned();
        keep_secret(world, &key);
        assert_eq!((key.len(), said.matches(&key).count()), (59, 1), "{said}");

        let (done, listed) = keys(world, &["list", "northwind", "--json"]).await;
        let mut listed: Value = serde_json::from_str(&listed).unwrap();
        assert!(done && listed[0]["created_at"].is_string());
        listed[0]["created_at"].take();
        let expected = json!([{ "id": id(&key), "organisation": "northwind", "name": "Back office",
            "scopes": ["orders", "reports"], "created_at": null, "revoked_at": null }]);
        assert_eq!(listed, expected);
        let (_, table) = keys(world, &["list"]).await;
        assert!(table.contains(id(&key)) && !table.contains(&key[16..]), "{table}");
        let (_, none) = keys(world, &["list", "lindgren"]).await;
        assert!(none.contains("none"), "{none}");

        assert_eq!(get(world, ORDERS, &key).await.status, 200);
        assert_eq!(get(world, REPORT, &key).await.status, 200);

        let (done, said) = keys(world, &["revoke", id(&key)]).await;
        assert!(done && said.trim() == "revoked", "{said}");
        for path in [ORDERS, REPORT] {
            let refused = get(world, path, &key).await;
            refused.assert_problem(401, "unauthenticated");
            assert!(refused.header("www-authenticate").contains("organisationapikey"));
        }
        let (done, said) = keys(world, &["revoke", id(&key)]).await;
        assert!(done && said.contains("before"), "{said}");
        let (_, table) = keys(world, &["list", "northwind", "--json"]).await;
        assert!(table.contains("\"revoked_at\": \"2"), "{table}");

        let audited: Vec<(String, Option<String>, String, String)> = sqlx::query_as(
            "SELECT a.actor, a.from_state, a.to_state, a.detail ->> 'key' FROM audit_log a
             JOIN organisations o ON o.id = a.entity_id WHERE a.entity = 'key' AND o.short_name = 'northwind' ORDER BY a.id",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        let entry = |from: Option<&str>, to: &str| {
            ("operator:Mira".to_owned(), from.map(str::to_owned), to.to_owned(), id(&key).to_owned())
        };
        assert_eq!(audited, [entry(None, "valid"), entry(Some("valid"), "revoked")]);
    })
    .await;
}

#[tokio::test]
async fn a_key_that_cannot_be_made_or_found_is_refused_with_the_reason() {
    world(Setup { apis: 0, ..Setup::without_workers() }, async |world| {
        let long = "x".repeat(101);
        for (words, reason) in [
            (&["create", "nowhere", "--name", "x", "--scopes", "orders"][..], "no organisation nowhere"),
            (&["create", "northwind", "--name", "x", "--scopes", "orders,all"], "is none of orders, refunds"),
            (&["create", "northwind", "--name", "x", "--scopes", ""], "is none of"),
            (&["create", "northwind", "--name", "x"], "--scopes"),
            (&["create", "northwind", "--scopes", "orders"], "--name"),
            (&["create", "northwind", "--name", "  ", "--scopes", "orders"], "1 to 100 characters"),
            (&["create", "northwind", "--name", &long, "--scopes", "orders"], "1 to 100 characters"),
            (&["list", "nowhere"], "no organisation nowhere"),
            (&["revoke", "0123456789ab"], "no key 0123456789ab"),
            (&["revoke", "0123"], "12 hexadecimal digits"),
        ] {
            let (done, said) = keys(world, words).await;
            assert!(!done && said.contains(reason), "{words:?}: {said}");
        }
        let kept: i64 = sqlx::query_scalar(
            "SELECT (SELECT count(*) FROM organisation_keys) + (SELECT count(*) FROM audit_log)",
        )
        .fetch_one(&world.db)
        .await
        .unwrap();
        assert_eq!(kept, 0);
    })
    .await;
}

#[tokio::test]
async fn a_wrong_key_opens_nothing_and_a_right_one_only_what_it_may() {
    world(Setup::without_workers(), async |world| {
        let orders = key(world, "northwind", &[Scope::Orders]).await;
        let reports = key(world, "northwind", &[Scope::Reports]).await;
        // The id of one key with the secret of another, and secrets that differ in one letter or in their form.
        let mixed = format!("sk_{}_{}", id(&orders), &reports[16..]);
        let last = if orders.ends_with('A') { 'E' } else { 'A' };
        let altered = format!("{}{last}", &orders[..orders.len() - 1]);
        for wrong in [
            "",
            "sk_",
            SECRET,
            &mixed,
            &altered,
            &orders[3..],
            &orders[..orders.len() - 1],
            &orders.to_uppercase(),
        ] {
            let refused = get(world, ORDERS, wrong).await;
            refused.assert_problem(401, "unauthenticated");
            assert!(refused.header("www-authenticate").contains("organisationapikey"), "{wrong}");
        }
        let twice = world.http.get(world.url(ORDERS)).header("organisationapikey", &orders);
        let twice = Reply::read(twice.header("organisationapikey", &orders)).await;
        twice.assert_problem(401, "unauthenticated");
        // The content of `Authorization` is the platform's.
        let bearer = world.http.get(world.url(ORDERS)).header("authorization", format!("Bearer {orders}"));
        Reply::read(bearer.header("orgName", "northwind")).await.assert_problem(401, "unauthenticated");

        let refused = get(world, ORDERS, &reports).await;
        refused.assert_problem(403, "forbidden");
        assert_eq!(refused.json["detail"], "The key lacks the scope orders.");
        get(world, REPORT, &orders).await.assert_problem(403, "forbidden");
        // Beside a client secret, both must be valid. The client secret alone opens no route for keys.
        let beside = world.request(Method::GET, ORDERS).header("organisationapikey", &orders);
        assert_eq!(Reply::read(beside).await.status, 200);
        let wrong = world.http.get(world.url(ORDERS)).header("clientapisecret", "wrong");
        Reply::read(wrong.header("organisationapikey", &orders)).await.assert_problem(401, "unauthenticated");
        let wrong = world.request(Method::GET, ORDERS).header("organisationapikey", &mixed);
        Reply::read(wrong).await.assert_problem(401, "unauthenticated");
        world.get(ORDERS).await.assert_problem(401, "unauthenticated");
        world.get(REPORT).await.assert_problem(401, "unauthenticated");
        // A valid key that a handler has seen is in no log: the harness searches for its secret.
        revoke(world, &orders).await;
        get(world, ORDERS, &orders).await.assert_problem(401, "unauthenticated");
    })
    .await;
}
