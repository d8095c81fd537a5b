//! Staff of an organisation over the routes of its keys: the same answers under the person's name, for one role each, and nothing of
//! another organisation.

use harness::steps::batches::{BATCH, done, id_of};
use harness::steps::demo::organisation;
use harness::steps::invoices::{sell_with_tax, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::count;
use harness::steps::refunds::bought;
use harness::steps::seats;
use harness::steps::staff::{act, look, staff};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use uuid::Uuid;

const VOUCHERS: &str = "/storeapi/vouchers/";
const REPORTS: [&str; 2] = ["ledger", "taxes"];

async fn put(world: &World, cookie: &str, path: &str, body: &Value) -> Reply {
    let request = world.http.request(Method::PUT, world.url(path)).header("cookie", cookie);
    Reply::read(request.header("origin", "http://store.test").json(body)).await
}

/// The members of staff who did something to an entity, in order, with what they did.
async fn on_record(world: &World, entity: &str) -> Vec<String> {
    let acts = "SELECT to_state FROM audit_log WHERE entity = $1 AND actor LIKE 'staff:%' ORDER BY id";
    sqlx::query_scalar(acts).bind(entity).fetch_all(&world.db).await.unwrap()
}

#[tokio::test]
async fn a_manager_keeps_vouchers_as_a_key_does_and_is_on_record() {
    world(Setup::default(), async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["support", "finance"]).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["manager"]).await;
        let terms = json!({ "code": "SPRING-26", "kind": "percent", "value": 10, "max_uses": 5 });
        act(world, &sam, VOUCHERS, &terms).await.assert_problem(403, "forbidden");
        let created = act(world, &noor, VOUCHERS, &terms).await;
        assert_eq!(created.status, 201, "{}", created.text);
        let id = created.json["vouchers"][0]["voucher_id"].as_str().unwrap();
        let (path, changes) = (format!("{VOUCHERS}{id}/"), json!({ "note": "for the fair" }));
        put(world, &sam, &path, &changes).await.assert_problem(403, "forbidden");
        put(world, &eve, &path, &changes).await.assert_problem(404, "not_found");
        look(world, &eve, &path).await.assert_problem(404, "not_found");
        let changed = put(world, &noor, &path, &changes).await;
        assert_eq!(
            (changed.status, &changed.json["note"]),
            (200, &json!("for the fair")),
            "{}",
            changed.text
        );
        let own = key(world, "northwind", &[Scope::Vouchers]).await;
        let listed = look(world, &noor, VOUCHERS).await.json;
        assert_eq!(listed, get(world, VOUCHERS, &own).await.json);
        assert_eq!(listed["total_count"], 1);
        assert_eq!(look(world, &eve, VOUCHERS).await.json["total_count"], 0);
        assert_eq!(on_record(world, "voucher").await, ["created", "changed"]);
    })
    .await;
}

#[tokio::test]
async fn a_message_names_no_stranger_as_a_manager() {
    world(Setup::default(), async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let terms = json!({ "code": "SPRING-26", "kind": "percent", "value": 10, "max_uses": 5 });
        let voucher = act(world, &noor, VOUCHERS, &terms).await.json["vouchers"][0]["voucher_id"].clone();
        let user = async |email: &str| -> i64 {
            let id = "SELECT l.platform_user_id FROM staff s JOIN learners l ON l.id = s.learner_id WHERE s.email = $1";
            sqlx::query_scalar(id).bind(email).fetch_one(&world.db).await.unwrap()
        };
        staff(world, "lindgren", "eve@lindgren.example", &["manager"]).await;
        staff(world, "northwind", "sam@example.com", &["support"]).await;
        let (own, other) = (organisation(world, "northwind").await, organisation(world, "lindgren").await);
        for (who, at) in [
            (user("eve@lindgren.example").await, &other),
            (user("eve@lindgren.example").await, &own),
            (user("sam@example.com").await, &own),
            (4711, &own),
        ] {
            let staff = json!({ "user_id": who, "organisation_id": at });
            let none: [String; 0] = [];
            for (kind, command) in [
                (
                    "page.change_voucher.v1",
                    json!({ "voucher_id": voucher, "staff": staff, "changes": { "note": "taken" }, "idempotency": null }),
                ),
                (
                    "page.revoke_seats.v1",
                    json!({ "voucher_id": voucher, "caller": { "staff": staff }, "emails": none, "idempotency": null }),
                ),
                (
                    "page.submit_batch.v1",
                    json!({ "rows": none, "seats": { "voucher_id": voucher, "caller": { "staff": staff } }, "idempotency": null }),
                ),
            ] {
                let answer = world.ask_raw(kind, Uuid::now_v7(), &command).await;
                assert_eq!(answer["Err"]["code"], "forbidden", "{kind} by {who} at {at}: {answer}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_manager_manages_the_seats_that_others_have_bought() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        seats::bought(world, &ORGANISATIONS[0], "ada@example.com", 3).await;
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["finance"]).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["manager"]).await;
        let list = "/storeapi/seats/";
        let all = look(world, &noor, list).await;
        assert_eq!((all.status, &all.json["total_count"]), (200, &json!(1)), "{}", all.text);
        let pool = all.json["pools"][0].clone();
        let (own, assign, revoke) =
            (seats::path(&pool, ""), seats::path(&pool, "assign/"), seats::path(&pool, "revoke/"));
        let bob = json!({ "emails": ["bob@example.com"] });
        for cookie in [&sam, &eve] {
            look(world, cookie, &own).await.assert_problem(404, "not_found");
            act(world, cookie, &assign, &bob).await.assert_problem(404, "not_found");
        }
        let assigned = act(world, &noor, &assign, &bob).await;
        assert_eq!(assigned.status, 202, "{}", assigned.text);
        world
            .eventually("the seat is assigned", async |world| {
                look(world, &noor, &own).await.json["assignments"]
                    .as_array()
                    .is_some_and(|all| all.len() == 1)
            })
            .await;
        let revoked = act(world, &noor, &revoke, &bob).await;
        assert_eq!(revoked.status, 200, "{}", revoked.text);
        assert_eq!(on_record(world, "voucher").await, ["assigned", "revoked"]);
    })
    .await;
}

#[tokio::test]
async fn finance_reads_the_report_and_the_invoices_and_managers_the_events() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let cart = sold(world, "ada@example.com", json!({ "country": "DE", "name": "Ada" })).await;
        let shop: String = sqlx::query_scalar(
            "SELECT o.short_name FROM carts c JOIN organisations o ON o.id = c.organisation_id WHERE c.id = $1::uuid",
        )
        .bind(&cart)
        .fetch_one(&world.db)
        .await
        .unwrap();
        let elsewhere = if shop == "northwind" { "lindgren" } else { "northwind" };
        let noor = staff(world, &shop, "noor@example.com", &["finance"]).await;
        let max = staff(world, &shop, "max@example.com", &["manager"]).await;
        let eve = staff(world, elsewhere, "eve@example.com", &["finance", "manager"]).await;
        for report in REPORTS {
            let path = format!("/storeapi/reports/{report}/?from=2020-01-01&to=2020-12-31&format=json");
            assert_eq!(look(world, &noor, &path).await.status, 200);
            look(world, &max, &path).await.assert_problem(403, "forbidden");
        }
        let events = "/storeapi/events/";
        let own = look(world, &max, events).await;
        assert!(own.status == 200 && own.text.contains(&cart), "{}", own.text);
        assert!(!look(world, &eve, events).await.text.contains(&cart));
        look(world, &noor, events).await.assert_problem(403, "forbidden");
        world
            .eventually("the invoice is issued", async |world| {
                count(world, "SELECT count(*) FROM documents").await == 1
            })
            .await;
        let document: String =
            sqlx::query_scalar("SELECT id::text FROM documents").fetch_one(&world.db).await.unwrap();
        let document = format!("/storeapi/payment/documents/{document}/");
        // The worker draws an invoice after it has issued it.
        world
            .eventually("finance opens the invoice", async |world| {
                look(world, &noor, &document).await.status == 200
            })
            .await;
        for cookie in [&max, &eve] {
            look(world, cookie, &document).await.assert_problem(404, "not_found");
        }
    })
    .await;
}

#[tokio::test]
async fn who_sells_nothing_sees_what_they_have_bought_as_before() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        bought(world, &ORGANISATIONS[0], "noor@example.com").await;
        let noor = staff(world, "northwind", "noor@example.com", &["support"]).await;
        let seats = Reply::read(
            world
                .http
                .get(world.url("/storeapi/seats/"))
                .header("cookie", &noor)
                .header("orgName", "northwind"),
        )
        .await;
        assert_eq!((seats.status, &seats.json["total_count"]), (200, &json!(0)), "{}", seats.text);
    })
    .await;
}

#[tokio::test]
async fn a_manager_enrolls_a_batch_in_the_courses_of_the_own_organisation_alone() {
    world(Setup::default(), async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["support", "finance"]).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["manager"]).await;
        let course = async |organisation: &str| -> String {
            sqlx::query_scalar(
                "SELECT c.id::text FROM courses c JOIN course_modes m ON m.course_id = c.id AND m.slug = 'audit'
                 JOIN organisations o ON o.id = c.organisation_id WHERE o.short_name = $1 ORDER BY 1 LIMIT 1",
            )
            .bind(organisation)
            .fetch_one(&world.db)
            .await
            .unwrap()
        };
        let (own, other) = (course("northwind").await, course("lindgren").await);
        let rows = json!({ "mode": "audit", "rows": [
            { "email": "ada@example.com", "course_id": own },
            { "email": "ada@example.com", "course_id": other },
            { "email": "bob@example.com", "course_id": other, "action": "unenroll" },
        ] });
        act(world, &sam, BATCH, &rows).await.assert_problem(403, "forbidden");
        let id = id_of(&act(world, &noor, BATCH, &rows).await);
        let batch = done(world, &id).await;
        assert_eq!((&batch["done"], &batch["failed"]), (&json!(1), &json!(2)), "{batch}");
        let path = format!("{BATCH}{id}/");
        let shown = look(world, &noor, &path).await;
        assert_eq!((shown.status, &shown.json["failed"]), (200, &json!(2)), "{}", shown.text);
        look(world, &eve, &path).await.assert_problem(404, "not_found");
        look(world, &sam, &path).await.assert_problem(403, "forbidden");
        // The staff does not see what a trusted partner submits.
        let partners = id_of(&world.post(BATCH, &rows).await);
        assert_eq!(done(world, &partners).await["failed"], json!(0));
        look(world, &noor, &format!("{BATCH}{partners}/")).await.assert_problem(404, "not_found");
        let by: Vec<String> = sqlx::query_scalar(
            "SELECT DISTINCT split_part(a.actor, ':', 1) FROM audit_log a JOIN enrollments e ON e.id = a.entity_id
             WHERE a.entity = 'enrollment' AND e.course_id = $1::uuid AND a.from_state IS NULL",
        )
        .bind(&own)
        .fetch_all(&world.db)
        .await
        .unwrap();
        assert_eq!(by, ["staff"]);
    })
    .await;
}
