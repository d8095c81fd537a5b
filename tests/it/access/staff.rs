//! The staff of an organisation, whom an operator adds and removes: who they are, and what each role may do at the desk.

use harness::steps::credentials::session;
use harness::steps::organisation_keys::key;
use harness::steps::payments::EMAIL;
use harness::steps::refunds::bought;
use harness::steps::staff::{act, look, staff};
use harness::steps::worker_program::operator;
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const ATTENTION: &str = "/storeapi/support/attention/";

/// Runs `staff`. Returns whether it succeeded, and its output.
async fn command(world: &World, words: &[&str]) -> (bool, String) {
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
    operator(world, &[&["staff"], words].concat(), settings).await
}

#[tokio::test]
async fn an_operator_adds_a_person_who_then_works_at_the_desk_until_removed() {
    world(Setup::without_workers(), async |world| {
        let noor = world.platform_user("noor@example.com").await;
        let cookie = session(&noor);
        look(world, &cookie, ATTENTION).await.assert_problem(403, "forbidden");
        let (done, said) =
            command(world, &["add", "Northwind", "Noor@example.com", "--role", "support"]).await;
        assert!(done && said.contains("added"), "{said}");
        assert_eq!(look(world, &cookie, ATTENTION).await.status, 200);
        let (done, said) =
            command(world, &["add", "northwind", "noor@example.com", "--role", "finance,support"]).await;
        assert!(done && said.contains("replaced"), "{said}");
        let (done, said) =
            command(world, &["add", "northwind", "noor@example.com", "--role", "support,finance"]).await;
        assert!(done && said.contains("already"), "{said}");
        let (done, listed) = command(world, &["list", "northwind", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert!(done, "{listed}");
        assert_eq!(listed[0]["email"], "noor@example.com");
        assert_eq!(listed[0]["roles"], json!(["support", "finance"]));
        let (done, said) = command(world, &["remove", "northwind", "noor@example.com"]).await;
        assert!(done && said.contains("removed"), "{said}");
        look(world, &cookie, ATTENTION).await.assert_problem(403, "forbidden");
        let audited: Vec<String> =
            sqlx::query_scalar("SELECT to_state FROM audit_log WHERE entity = 'staff' ORDER BY id")
                .fetch_all(&world.db)
                .await
                .unwrap();
        assert_eq!(audited, ["added", "changed", "removed"]);
    })
    .await;
}

#[tokio::test]
async fn an_unknown_role_or_address_adds_nobody() {
    world(Setup::without_workers(), async |world| {
        let (done, said) = command(world, &["add", "northwind", "noor@example.com", "--role", "owner"]).await;
        assert!(!done && said.contains("support, finance, manager"), "{said}");
        let (done, said) =
            command(world, &["add", "northwind", "nobody@example.com", "--role", "support"]).await;
        assert!(!done && said.contains("no active account"), "{said}");
        let staff: i64 = sqlx::query_scalar("SELECT count(*) FROM staff").fetch_one(&world.db).await.unwrap();
        assert_eq!(staff, 0);
    })
    .await;
}

#[tokio::test]
async fn who_works_for_two_organisations_names_one_and_sees_it_alone() {
    world(Setup::without_workers(), async |world| {
        let noor = world.platform_user("noor@example.com").await;
        for organisation in ["northwind", "lindgren"] {
            harness::steps::staff::add(world, organisation, &noor, &["support"]).await;
        }
        let cookie = session(&noor);
        look(world, &cookie, ATTENTION).await.assert_problem(400, "organisation_not_found");
        for (name, status) in [("northwind", 200), ("LINDGREN", 200), ("kinabalu", 403), ("nowhere", 403)] {
            let request =
                world.http.get(world.url(ATTENTION)).header("cookie", &cookie).header("orgName", name);
            let reply = Reply::read(request).await;
            assert_eq!(reply.status, status, "{name}: {}", reply.text);
        }
    })
    .await;
}

/// The routes that act, each with a body that it accepts, and the role that it needs.
fn actions(cart: &str) -> Vec<(String, Value, &'static str)> {
    let of = |part: &str| format!("/storeapi/support/orders/{cart}/{part}/");
    let id = uuid::Uuid::now_v7();
    vec![
        (of("receipt"), Value::Null, "support"),
        (of("address"), json!({ "email": "eve@example.com" }), "support"),
        (of("alert"), json!({ "reason": "looked at" }), "support"),
        ("/storeapi/support/mails/".into(), json!({ "mail_id": id }), "support"),
        ("/storeapi/support/enrollments/".into(), json!({ "enrollment_id": id }), "support"),
        (of("moves"), json!({ "position": 0, "to": { "email": "grace@example.com" } }), "support"),
        (of("refunds"), json!({ "items": [0] }), "finance"),
        (
            "/storeapi/support/dead-letters/".into(),
            json!({ "message_id": id, "decision": "replay" }),
            "manager",
        ),
        ("/storeapi/support/endpoints/".into(), json!({ "endpoint_id": id }), "manager"),
        (
            "/storeapi/support/courses/".into(),
            json!({ "openedx_course_id": "course-v1:Unknown+X+1", "hidden": true }),
            "manager",
        ),
        ("/storeapi/support/deliveries/".into(), json!({ "endpoint_id": id, "event_id": id }), "manager"),
    ]
}

#[tokio::test]
async fn each_role_may_look_and_act_as_its_own_and_no_other() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let looks = [
            ATTENTION.to_owned(),
            format!("/storeapi/support/orders/{cart}/"),
            "/storeapi/support/search/?q=ada".to_owned(),
        ];
        for role in ["support", "finance", "manager"] {
            let cookie = staff(world, "northwind", &format!("{role}@example.com"), &[role]).await;
            let other = staff(world, "lindgren", &format!("{role}@lindgren.example"), &[role]).await;
            for path in &looks {
                assert_eq!(look(world, &cookie, path).await.status, 200, "{path} by {role}");
            }
            for (path, body, needed) in actions(&cart) {
                let reply = act(world, &cookie, &path, &body).await;
                assert_eq!(reply.status == 403, role != needed, "{path} by {role}: {}", reply.text);
                // Of another organisation's order, nothing is told.
                let reply = act(world, &other, &path, &body).await;
                let expected: &[u16] = if path.contains("/orders/") { &[404] } else { &[400, 403] };
                assert!(
                    expected.contains(&reply.status),
                    "{path} by another: {} {}",
                    reply.status,
                    reply.text
                );
            }
            look(world, &other, &looks[1]).await.assert_problem(404, "not_found");
        }
        let tool = key(world, "northwind", &[Scope::Support]).await;
        for (path, body, needed) in actions(&cart) {
            let request = world.http.post(world.url(&path)).header("organisationapikey", &tool);
            let request = request.header("idempotency-key", uuid::Uuid::now_v7().to_string());
            let reply = Reply::read(if body.is_null() { request } else { request.json(&body) }).await;
            assert_eq!(reply.status == 403, needed != "support", "{path} by a key: {}", reply.text);
        }
    })
    .await;
}

#[tokio::test]
async fn a_message_that_names_a_person_who_is_not_of_the_staff_does_nothing() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let organisation = harness::steps::demo::organisation(world, "northwind").await;
        let caller = json!({ "staff": { "user_id": 4711, "organisation_id": organisation } });
        let action = json!({ "send_receipt": { "cart_id": cart } });
        let command = json!({ "caller": caller, "action": action, "idempotency": null });
        let answer = world.ask_raw("page.act_at_desk.v1", uuid::Uuid::now_v7(), &command).await;
        assert_eq!(answer["Err"]["code"], "forbidden", "{answer}");
    })
    .await;
}

#[tokio::test]
async fn a_cookie_opens_no_action_for_a_page_of_another_site() {
    world(Setup::without_workers(), async |world| {
        let cookie = staff(world, "northwind", "noor@example.com", &["support"]).await;
        let request = world.http.post(world.url("/storeapi/support/mails/")).header("cookie", &cookie);
        let request = request.header("origin", "http://elsewhere.test");
        Reply::read(request.json(&json!({ "mail_id": uuid::Uuid::now_v7() })))
            .await
            .assert_problem(403, "forbidden");
    })
    .await;
}
