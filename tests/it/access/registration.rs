//! Registrations on the platform: the webhook, the event bus and the reconciler, all ending in one grant.

use chrono::TimeDelta;
use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY, organisation};
use harness::{HINT_TOKEN, Reply, Setup, World, redis_url, world};
use reqwest::Method;
use serde_json::{Value, json};

fn event(email: &str) -> Value {
    json!({
        "openedx_events.learning.data.UserData":
            { "id": 42, "is_active": true, "pii": { "username": "ada", "email": email, "name": "Ada L" } },
        "event_metadata": { "event_type": "org.openedx.learning.student.registration.completed.v1", "minorversion": 0 },
    })
}

async fn hint(world: &World, token: &str, content_type: &str, body: String) -> Reply {
    let url = world.url(&format!("/storeapi/platform/registrations/{token}/"));
    Reply::read(world.http.post(url).header("content-type", content_type).body(body)).await
}

/// Creates what waits for an address: a pending enrollment and a held cart.
async fn waiting(world: &World, email: &str) {
    world.enroll(email, PAID_COURSE, "professional").await;
    let items = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
    let organisation = organisation(world, "northwind").await;
    let body = json!({ "email": email, "organisation_id": organisation, "items": items });
    world.post("/storeapi/discovery/guest/checkout/", &body).await;
}

async fn granted(world: &World, email: &str) {
    world.platform_agrees(email, PAID_KEY, "professional", true).await;
    world.platform_agrees(email, FREE_KEY, "audit", true).await;
    let cart: String = sqlx::query_scalar("SELECT state FROM carts WHERE email = $1")
        .bind(email)
        .fetch_one(&world.db)
        .await
        .unwrap();
    assert_eq!(cart, "fulfilled");
}

/// Number of enrollments resolved according to the audit log: one for each, however many sources announced the
/// registration.
async fn resolved(world: &World) -> i64 {
    sqlx::query_scalar(
        "SELECT count(*) FROM audit_log WHERE from_state = 'pending_registration' AND to_state = 'enrolled'",
    )
    .fetch_one(&world.db)
    .await
    .unwrap()
}

#[tokio::test]
async fn a_hint_resolves_what_waits_for_the_address_at_once() {
    world(Setup::default(), async |world| {
        let form = "openedx_events.learning.data.UserData_id=42\
            &openedx_events.learning.data.UserData_pii_email=By.Form%40example.com&event_metadata_event_type=x";
        for (email, content_type, body) in [
            ("by.json@example.com", "application/json", event("By.JSON@example.com").to_string()),
            ("by.form@example.com", "application/x-www-form-urlencoded", form.to_owned()),
        ] {
            waiting(world, email).await;
            // Too early: the platform does not know the account yet.
            assert_eq!(hint(world, HINT_TOKEN, content_type, body.clone()).await.status, 202);
            world.platform_user(email).await;
            let reply = hint(world, HINT_TOKEN, content_type, body).await;
            assert_eq!((reply.status, reply.text.as_str()), (202, ""));
            granted(world, email).await;
        }
    })
    .await;
}

#[tokio::test]
async fn the_simulated_platforms_own_hint_is_understood() {
    world(Setup::default(), async |world| {
        let url = world.url(&format!("/storeapi/platform/registrations/{HINT_TOKEN}/"));
        world.simulators.set_hint_url(Some(url));
        waiting(world, "new@example.com").await;
        world.new_platform_user(json!({ "email": "new@example.com", "hint": true })).await;
        granted(world, "new@example.com").await;
    })
    .await;
}

#[tokio::test]
async fn a_hint_without_the_token_or_an_address_does_nothing() {
    world(Setup { proxied: true, ..Setup::without_workers() }, async |world| {
        let good = event("new@example.com").to_string();
        for token in ["wrong", "x", "%00", "%ff"] {
            let status = hint(world, token, "application/json", good.clone()).await.status;
            assert!([400, 404].contains(&status), "{token}: {status}");
        }
        hint(world, "wrong", "application/json", "{".into()).await.assert_problem(404, "not_found");
        for body in
            ["", "{}", "null", "[1]", "email=new@example.com", "{\"email\":\"new@example.com\"}", "\u{0}"]
        {
            hint(world, HINT_TOKEN, "application/json", body.into())
                .await
                .assert_problem(400, "invalid_request");
        }
        let invalid = event("not an address").to_string();
        hint(world, HINT_TOKEN, "application/json", invalid).await.assert_problem(400, "invalid_request");
        let large = "x".repeat(70_000);
        hint(world, HINT_TOKEN, "application/json", large).await.assert_problem(413, "body_too_large");
        world.amqp().cut();
        world
            .eventually("the api answers 503 to hints without the broker", async |world| {
                hint(world, HINT_TOKEN, "application/json", good.clone()).await.status == 503
            })
            .await;
    })
    .await;
    let closed = Setup { api_args: vec!["--registration-hint-token=".into()], ..Setup::without_workers() };
    world(closed, async |world| {
        let good = event("new@example.com").to_string();
        for token in ["", "x", HINT_TOKEN] {
            hint(world, token, "application/json", good.clone()).await.assert_problem(404, "not_found");
        }
    })
    .await;
}

#[tokio::test]
async fn many_who_say_so_at_once_resolve_an_address_once() {
    let setup = Setup { workers: 2, worker_args: vec!["--reconcile-every=50ms".into()], ..Setup::default() };
    world(setup, async |world| {
        for round in 0..5 {
            let email = format!("new{round}@example.com");
            waiting(world, &email).await;
            world.platform_user(&email).await;
            let body = event(&email).to_string();
            let hints = (0..4).map(|_| hint(world, HINT_TOKEN, "application/json", body.clone()));
            for reply in futures_util::future::join_all(hints).await {
                assert_eq!(reply.status, 202);
            }
            granted(world, &email).await;
        }
        assert_eq!(resolved(world).await, 10);
        let calls = world.on_platform("new0@example.com", PAID_KEY).await.unwrap()["calls"].clone();
        assert_eq!(calls, 1);
    })
    .await;
}

#[tokio::test]
async fn a_registration_for_which_nothing_waits_is_neither_looked_up_nor_stored() {
    world(Setup::default(), async |world| {
        world.platform_user("stranger@example.com").await;
        world.fault(json!({ "target": "platform", "kind": "delay", "delay_ms": 1, "count": 100 })).await;
        let body = event("stranger@example.com").to_string();
        assert_eq!(hint(world, HINT_TOKEN, "application/json", body).await.status, 202);
        world.drain().await;
        let asked = world.sim(Method::GET, "/_sim/faults", None).await;
        assert_eq!(asked[0]["count"], 100, "the platform was asked");
        let stored: i64 = sqlx::query_scalar(
            "SELECT (SELECT count(*) FROM learners) + (SELECT count(*) FROM commands) + (SELECT count(*) FROM inbox)
                  + (SELECT count(*) FROM outbox)",
        )
        .fetch_one(&world.db)
        .await
        .unwrap();
        assert_eq!(stored, 0);
        // It is known as soon as something is granted to it.
        world.enroll("stranger@example.com", PAID_COURSE, "professional").await;
        world.platform_agrees("stranger@example.com", PAID_KEY, "professional", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_hint_that_keeps_failing_leaves_no_dead_letter() {
    let setup = Setup { worker_args: vec!["--reconcile-every=1h".into()], ..Setup::default() };
    world(setup, async |world| {
        waiting(world, "ada@example.com").await;
        world.platform_user("ada@example.com").await;
        world.fault(json!({ "target": "platform", "kind": "status", "status": 500, "count": 1000 })).await;
        let body = event("ada@example.com").to_string();
        hint(world, HINT_TOKEN, "application/json", body.clone()).await;
        let delayed = world.topology().retry_delay(2);
        world.eventually("it is retried", async |world| world.ready_messages(&delayed).await == 1).await;
        world.drain().await;
        assert_eq!(world.ready_messages(&world.topology().dead()).await, 0);
        world.sim(Method::DELETE, "/_sim/faults", None).await;
        world
            .eventually("a later hint resolves the address", async |world| {
                hint(world, HINT_TOKEN, "application/json", body.clone()).await;
                resolved(world).await == 2
            })
            .await;
        granted(world, "ada@example.com").await;
    })
    .await;
}

/// The bytes of openedx-events for a registration: 42, true, ada, ada@example.com, Ada L.
fn registration_of_ada() -> Vec<u8> {
    [&[0x54, 0x01, 0x06][..], b"ada\x1eada@example.com\x0aAda L"].concat()
}

fn announce(stream: &str) {
    let mut redis = redis::Client::open(redis_url()).unwrap();
    let mut event = redis::cmd("XADD");
    event.arg(stream).arg("*").arg("type").arg("org.openedx.learning.student.registration.completed.v1");
    event.arg("event_data").arg(registration_of_ada()).query::<String>(&mut redis).unwrap();
}

#[tokio::test]
async fn a_first_start_does_not_read_the_registrations_of_the_past() {
    let setup = Setup { worker_args: vec!["--reconcile-every=1h".into()], ..Setup::default() };
    world(setup, async |world| {
        let stream = format!("bus-{}", uuid::Uuid::now_v7());
        waiting(world, "ada@example.com").await;
        world.platform_user("ada@example.com").await;
        announce(&stream);
        world.worker_args.push(format!("--event-bus-redis-url={}", redis_url()));
        world.worker_args.push(format!("--event-bus-stream={stream}"));
        world.start_worker().await;
        let mut redis = redis::Client::open(redis_url()).unwrap();
        world
            .eventually("the group exists", async |_| {
                let groups =
                    redis::cmd("XINFO").arg("GROUPS").arg(&stream).query::<Vec<redis::Value>>(&mut redis);
                groups.is_ok_and(|groups| groups.len() == 1)
            })
            .await;
        tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
        assert_eq!(resolved(world).await, 0);
        announce(&stream);
        granted(world, "ada@example.com").await;
        redis::cmd("DEL").arg(&stream).query::<()>(&mut redis).unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_registration_on_the_event_bus_resolves_the_address() {
    let stream = format!("bus-{}", uuid::Uuid::now_v7());
    let bus = [format!("--event-bus-redis-url={}", redis_url()), format!("--event-bus-stream={stream}")];
    let setup = Setup { workers: 2, worker_args: bus.to_vec(), ..Setup::default() };
    world(setup, async |world| {
        let mut redis = redis::Client::open(redis_url()).unwrap();
        let mut add = |kind: &str, data: &[u8]| {
            let mut event = redis::cmd("XADD");
            event
                .arg(&stream)
                .arg("*")
                .arg("type")
                .arg(kind)
                .arg("id")
                .arg("629f9892")
                .arg("event_data")
                .arg(data);
            event.query::<String>(&mut redis).unwrap();
        };
        waiting(world, "ada@example.com").await;
        world.platform_user("ada@example.com").await;
        let registration = "org.openedx.learning.student.registration.completed.v1";
        add("org.openedx.learning.certificate.created.v1", b"whatever");
        add(registration, b"\xff\xff broken");
        add(registration, &registration_of_ada());
        granted(world, "ada@example.com").await;
        assert_eq!(resolved(world).await, 2);
        let pending: redis::Value =
            redis::cmd("XPENDING").arg(&stream).arg("storefront").query(&mut redis).unwrap();
        let redis::Value::Array(pending) = pending else { panic!("{pending:?}") };
        assert_eq!(pending[0], redis::Value::Int(0), "every event is acknowledged");
        redis::cmd("DEL").arg(&stream).query::<()>(&mut redis).unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_link_that_is_followed_twice_leads_there_twice_and_grants_nothing() {
    world(Setup::default(), async |world| {
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        world
            .eventually("the invitation arrives", async |world| {
                world.emails("new@example.com").await.len() == 1
            })
            .await;
        let mail = world.emails("new@example.com").await.remove(0);
        let text = mail["text"].as_str().unwrap();
        let link = text.split_whitespace().find_map(|word| word.strip_prefix("http://store.test")).unwrap();
        for _ in 0..2 {
            let reply = Reply::read(world.http.request(Method::GET, world.url(link))).await;
            assert_eq!(reply.status, 302);
        }
        // It opens nothing secret, so it does not end: no mail follows, and the place waits.
        world.clock.advance(chrono::TimeDelta::days(400));
        let reply = Reply::read(world.http.request(Method::GET, world.url(link))).await;
        assert_eq!(reply.status, 302, "{}", reply.text);
        // One that a mail program has cut is a page in a browser.
        let cut = world.http.get(world.url(&link[..link.len() - 3])).header("accept", "text/html");
        let page = Reply::read(cut).await;
        assert!(page.status == 404 && page.text.contains("<html"), "{}", page.text);
        let state: String =
            sqlx::query_scalar("SELECT state FROM enrollments").fetch_one(&world.db).await.unwrap();
        assert_eq!(state, "pending_registration");
    })
    .await;
}

#[tokio::test]
async fn addresses_that_cannot_be_resolved_yet_do_not_keep_later_ones_waiting() {
    let setup = Setup { worker_args: vec!["--reconcile-every=100ms".into()], ..Setup::default() };
    world(setup, async |world| {
        // More addresses than the reconciler looks up in one round, each due again in every round.
        sqlx::query(
            "INSERT INTO enrollments (id, email, course_id, state, mode, unresolved, invited_at, created_at, updated_at)
             SELECT gen_random_uuid(), 'early' || n || '@example.com', $1::uuid, 'pending_registration', 'audit', true,
                    now(), now(), now() FROM generate_series(1, 450) AS n",
        )
        .bind(FREE_COURSE)
        .execute(&world.db)
        .await
        .unwrap();
        world.enroll("zoe@example.com", PAID_COURSE, "verified").await;
        world.platform_user("zoe@example.com").await;
        world.platform_agrees("zoe@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}

/// Makes this many addresses wait in a free course since some time before now.
async fn waits_since(world: &World, name: &str, count: i32, before: TimeDelta) {
    sqlx::query(
        "INSERT INTO enrollments (id, email, course_id, state, mode, unresolved, invited_at, created_at, updated_at)
         SELECT gen_random_uuid(), $2 || n || '@example.com', $1::uuid, 'pending_registration', 'audit', false, $3, $3, $3
         FROM generate_series(1, $4) n",
    )
    .bind(FREE_COURSE)
    .bind(name)
    .bind(world.clock.now() - before)
    .bind(count)
    .execute(&world.db)
    .await
    .unwrap();
}

const MANY: u64 = 100_000;

/// Lets the platform count its searches.
async fn count_searches(world: &World) {
    let search = json!({ "target": "platform", "path": "search_emails", "kind": "delay", "delay_ms": 1, "count": MANY });
    world.fault(search).await;
}

async fn searches(world: &World) -> u64 {
    MANY - world.sim(Method::GET, "/_sim/faults", None).await[0]["count"].as_u64().unwrap()
}

/// Waits for some rounds of the reconciler.
async fn rounds(world: &World) {
    let done = async |world: &World| {
        let rounds = r#"storefront_reconciliations_total{part="others",outcome="done"}"#;
        world.metric(rounds).await.unwrap_or_default()
    };
    let before = done(world).await;
    world.eventually("there were ten rounds", async |world| done(world).await >= before + 10.0).await;
}

/// Addresses that never register would otherwise cost the platform a search in each round, for good.
#[tokio::test]
async fn an_address_is_looked_for_more_rarely_the_longer_it_waits() {
    let setup = Setup { worker_args: vec!["--reconcile-every=50ms".into()], ..Setup::without_workers() };
    world(setup, async |world| {
        waits_since(world, "old", 5, TimeDelta::days(40)).await;
        waits_since(world, "new", 5, TimeDelta::hours(16)).await;
        count_searches(world).await;
        world.start_worker().await;
        rounds(world).await;
        assert_eq!(searches(world).await, 1, "the first one is for all that wait");
        for email in ["old3@example.com", "old4@example.com", "new3@example.com"] {
            world.platform_user(email).await;
        }
        // An eighth of 16 hours, and some more.
        world.clock.advance(TimeDelta::minutes(150));
        world.platform_agrees("new3@example.com", FREE_KEY, "audit", true).await;
        rounds(world).await;
        let after = searches(world).await;
        assert!((2..=3).contains(&after), "{after} searches");
        // A hint acts at once.
        assert_eq!(
            hint(world, HINT_TOKEN, "application/json", event("old4@example.com").to_string()).await.status,
            202
        );
        world.platform_agrees("old4@example.com", FREE_KEY, "audit", true).await;
        assert!(world.on_platform("old3@example.com", FREE_KEY).await.is_none());
        world.clock.advance(TimeDelta::hours(24));
        world.platform_agrees("old3@example.com", FREE_KEY, "audit", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_search_that_the_platform_refused_is_made_up_for() {
    let setup = Setup { worker_args: vec!["--reconcile-every=50ms".into()], ..Setup::without_workers() };
    world(setup, async |world| {
        waits_since(world, "old", 5, TimeDelta::days(40)).await;
        world.fault(json!({ "target": "platform", "path": "search_emails", "kind": "status", "status": 500, "count": MANY })).await;
        world.start_worker().await;
        world.eventually("searches fail", async |world| searches(world).await > 5).await;
        world.platform_user("old3@example.com").await;
        world.no_faults().await;
        world.platform_agrees("old3@example.com", FREE_KEY, "audit", true).await;
    })
    .await;
}

/// The platform reports a registration before the account is active.
#[tokio::test]
async fn a_hint_about_an_account_that_is_not_active_yet_is_repeated() {
    let setup = Setup {
        worker_args: vec!["--reconcile-every=1h".into(), "--platform-require-active=true".into()],
        ..Setup::without_workers()
    };
    world(setup, async |world| {
        waits_since(world, "old", 1, TimeDelta::days(40)).await;
        world.start_worker().await;
        let user = json!({ "email": "old1@example.com", "active": false, "hint": false });
        world.new_platform_user(user).await;
        hint(world, HINT_TOKEN, "application/json", event("old1@example.com").to_string()).await;
        let delayed = world.topology().retry_delay(2);
        world.eventually("it is retried", async |world| world.ready_messages(&delayed).await == 1).await;
        world
            .sim(
                Method::POST,
                "/_sim/users/change",
                Some(json!({ "email": "old1@example.com", "active": true })),
            )
            .await;
        hint(world, HINT_TOKEN, "application/json", event("old1@example.com").to_string()).await;
        world.platform_agrees("old1@example.com", FREE_KEY, "audit", true).await;
    })
    .await;
}

/// The platform's limit is for enrollments: searches for those who may never come take nothing of it.
#[tokio::test]
async fn addresses_that_wait_take_nothing_of_the_platforms_limit() {
    let worker_args = vec!["--reconcile-every=50ms".into(), "--platform-calls-per-minute=1".into()];
    world(Setup { worker_args, ..Setup::without_workers() }, async |world| {
        waits_since(world, "old", 5_000, TimeDelta::days(40)).await;
        count_searches(world).await;
        world.start_worker().await;
        world.eventually("all are searched", async |world| searches(world).await >= 10).await;
        world.platform_user("buyer@example.com").await;
        world.enroll("buyer@example.com", FREE_COURSE, "audit").await;
        world.platform_agrees("buyer@example.com", FREE_KEY, "audit", true).await;
    })
    .await;
}
