//! Guest checkout of free baskets.

use harness::steps::demo::{
    FREE_COURSE, FREE_KEY, INVITE_ONLY_COURSE, PAID_COURSE, PROGRAM, UNKNOWN_ID, UNPUBLISHED_COURSE,
    organisation,
};
use harness::{Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

const PATH: &str = "/storeapi/discovery/guest/checkout/";

async fn basket(world: &World, email: &str, items: Value) -> Value {
    json!({ "email": email, "organisation_id": organisation(world, "northwind").await, "items": items })
}

fn free_item() -> Value {
    json!({ "type": "course", "id": FREE_COURSE, "mode": "audit" })
}

async fn count(world: &World, table: &'static str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&world.db).await.unwrap()
}

#[tokio::test]
async fn a_free_basket_enrolls_a_known_address() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let reply = world.post(PATH, &basket(world, "ada@example.com", json!([free_item()])).await).await;
        assert_eq!((reply.status, &reply.json["status"]), (200, &json!("free")), "{}", reply.text);
        world.platform_agrees("ada@example.com", FREE_KEY, "audit", true).await;
        let (id, state): (uuid::Uuid, String) =
            sqlx::query_as("SELECT id, state FROM carts").fetch_one(&world.db).await.unwrap();
        assert_eq!(
            (reply.json["cart_id"].as_str().unwrap(), state.as_str()),
            (id.to_string().as_str(), "fulfilled")
        );
    })
    .await;
}

#[tokio::test]
async fn a_free_basket_of_an_unknown_address_is_held_until_it_registers() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::default() };
    world(setup, async |world| {
        let body = basket(world, "new@example.com", json!([free_item()])).await;
        let reply = world.post(PATH, &body).await;
        assert_eq!((reply.status, &reply.json["status"]), (200, &json!("free")), "{}", reply.text);
        world
            .eventually("a registration link", async |world| world.emails("new@example.com").await.len() == 1)
            .await;
        // The same basket again joins the pending attempt.
        assert_eq!(world.post(PATH, &body).await.json["cart_id"], reply.json["cart_id"]);
        assert_eq!(count(world, "carts").await, 1);
        world.platform_user("new@example.com").await;
        world.platform_agrees("new@example.com", FREE_KEY, "audit", true).await;
        let state: String = sqlx::query_scalar("SELECT state FROM carts").fetch_one(&world.db).await.unwrap();
        assert_eq!(state, "fulfilled");
        assert_eq!(world.emails("new@example.com").await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_free_grant_never_lowers_what_a_partner_gave() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", FREE_COURSE, "verified").await;
        world.post(PATH, &basket(world, "ada@example.com", json!([free_item()])).await).await;
        let mode: String =
            sqlx::query_scalar("SELECT mode FROM enrollments").fetch_one(&world.db).await.unwrap();
        assert_eq!(mode, "verified");
        world.platform_agrees("ada@example.com", FREE_KEY, "verified", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_paid_basket_needs_a_configured_gateway() {
    world(Setup::default(), async |world| {
        let items = json!([free_item(), { "type": "course", "id": PAID_COURSE, "mode": "verified" }]);
        let reply = world.post(PATH, &basket(world, "ada@example.com", items).await).await;
        reply.assert_problem(500, "not_configured");
        assert_eq!((count(world, "carts").await, count(world, "outbox").await), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn items_that_cannot_be_bought_are_named_one_by_one() {
    world(Setup::default(), async |world| {
        let course = |id: &str, mode: &str| json!({ "type": "course", "id": id, "mode": mode });
        let items = json!([
            free_item(),
            course(UNKNOWN_ID, "audit"),
            course(UNPUBLISHED_COURSE, "verified"),
            course(INVITE_ONLY_COURSE, "verified"),
            course(PAID_COURSE, "audit"),
            { "type": "program", "id": UNKNOWN_ID, "mode": "verified" },
        ]);
        let reply = world.post(PATH, &basket(world, "ada@example.com", items).await).await;
        reply.assert_problem(400, "invalid_items");
        let expected = ["items[1].id", "items[2].id", "items[3].id", "items[4].mode", "items[5].id"];
        assert_eq!(reply.faulty_fields(), expected, "{}", reply.text);

        let twice = json!([free_item(), { "type": "course", "id": FREE_COURSE, "mode": "verified" }]);
        let reply = world.post(PATH, &basket(world, "ada@example.com", twice).await).await;
        assert_eq!(reply.assert_problem(400, "invalid_items").faulty_fields(), ["items[1].id"]);
        for items in [json!([]), Value::Array(vec![free_item(); 51])] {
            world
                .post(PATH, &basket(world, "a@example.com", items).await)
                .await
                .assert_problem(400, "invalid_items");
        }
        let unknown_mode = json!([{ "type": "course", "id": FREE_COURSE, "mode": "gold" }]);
        let reply = world.post(PATH, &basket(world, "a@example.com", unknown_mode).await).await;
        assert_eq!(reply.assert_problem(400, "invalid_items").faulty_fields(), ["items[0].mode"]);
        assert_eq!(count(world, "carts").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_basket_belongs_to_a_known_organisation_and_holds_only_its_items() {
    world(Setup::default(), async |world| {
        let mut body = basket(world, "ada@example.com", json!([free_item()])).await;
        body["organisation_id"] = json!(organisation(world, "lindgren").await);
        world.post(PATH, &body).await.assert_problem(400, "invalid_items");
        body["organisation_id"] = json!(UNKNOWN_ID);
        let reply = world.post(PATH, &body).await;
        reply.assert_problem(400, "organisation_not_found");
        assert_eq!(reply.json["detail"], "Organisation not found");
    })
    .await;
}

#[tokio::test]
async fn prices_follow_the_country_that_the_trusted_backend_names() {
    world(Setup::default(), async |world| {
        // Where a discount of 100 % applies, it makes a paid basket free.
        sqlx::query("UPDATE pricing_policy_countries SET percent_off = 100 WHERE country = 'IN'")
            .execute(&world.db)
            .await
            .unwrap();
        let items = json!([{ "type": "course", "id": PAID_COURSE, "mode": "verified" }]);
        let body = basket(world, "ada@example.com", items).await;
        world.post(PATH, &body).await.assert_problem(500, "not_configured");
        let request = world.request(Method::POST, PATH).header("X-Visitor-Country", "in").json(&body);
        let reply = Reply::read(request).await;
        assert_eq!((reply.status, &reply.json["status"]), (200, &json!("free")), "{}", reply.text);
        let (original, discount, price): (i64, String, i64) =
            sqlx::query_as("SELECT original_price, discount_pct::text, price FROM cart_items")
                .fetch_one(&world.db)
                .await
                .unwrap();
        assert_eq!((original, discount.as_str(), price), (19900, "100.00", 0));
        let request = world.request(Method::POST, PATH).header("X-Visitor-Country", "India").json(&body);
        assert_eq!(
            Reply::read(request).await.assert_problem(400, "invalid_request").faulty_fields(),
            ["X-Visitor-Country"]
        );
    })
    .await;
}

#[tokio::test]
async fn carts_move_only_along_their_edges() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        world.post(PATH, &basket(world, "ada@example.com", json!([free_item()])).await).await;
        let error = sqlx::query("UPDATE carts SET state = 'open'").execute(&world.db).await.unwrap_err();
        assert_eq!(error.as_database_error().unwrap().constraint(), Some("carts_moves"));
    })
    .await;
}

#[tokio::test]
async fn equal_checkouts_at_once_join_one_attempt() {
    world(Setup { workers: 2, ..Setup::default() }, async |world| {
        world.platform_user("ada@example.com").await;
        for email in ["new@example.com", "ada@example.com"] {
            let body = basket(world, email, json!([free_item()])).await;
            let replies = futures_util::future::join_all((0..8).map(|_| world.post(PATH, &body))).await;
            for reply in &replies {
                assert_eq!((reply.status, &reply.json), (200, &replies[0].json), "{}", reply.text);
            }
        }
        assert_eq!(count(world, "carts").await, 2);
    })
    .await;
}

#[tokio::test]
async fn what_a_partner_cancelled_can_be_checked_out_again() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::default() };
    world(setup, async |world| {
        let body = basket(world, "new@example.com", json!([free_item()])).await;
        let first = world.post(PATH, &body).await;
        assert_eq!(
            world.unenroll("new@example.com", FREE_COURSE).await.json["enrollment_state"],
            "cancelled"
        );
        let second = world.post(PATH, &body).await;
        assert_ne!(first.json["cart_id"], second.json["cart_id"]);
        let states: Vec<String> =
            sqlx::query_scalar("SELECT state FROM carts ORDER BY id").fetch_all(&world.db).await.unwrap();
        assert_eq!(states, ["cancelled", "held"]);
        world.platform_user("new@example.com").await;
        world.platform_agrees("new@example.com", FREE_KEY, "audit", true).await;
    })
    .await;
}

#[tokio::test]
async fn an_idempotency_key_gives_the_same_answer_from_another_country() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let body = basket(world, "ada@example.com", json!([free_item()])).await;
        let send = async |country: &str| {
            let request = world.request(Method::POST, PATH).header("Idempotency-Key", "k").json(&body);
            Reply::read(request.header("X-Visitor-Country", country)).await
        };
        let first = send("SE").await;
        assert_eq!(first.status, 200, "{}", first.text);
        world.unenroll("ada@example.com", FREE_COURSE).await;
        assert_eq!(send("SE").await.json, first.json);
        assert_eq!(send("IN").await.json, first.json);
        assert_eq!(count(world, "carts").await, 1);
        let country: Option<String> =
            sqlx::query_scalar("SELECT country::text FROM carts").fetch_one(&world.db).await.unwrap();
        assert_eq!(country.as_deref(), Some("SE"), "the first header counts");
    })
    .await;
}

#[tokio::test]
async fn a_program_leads_to_its_published_courses_in_its_mode() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let owner: String = sqlx::query_scalar("SELECT organisation_id::text FROM programs WHERE id = $1::uuid")
            .bind(PROGRAM)
            .fetch_one(&world.db)
            .await
            .unwrap();
        sqlx::query("UPDATE programs SET price = 0, price_order = 0 WHERE id = $1::uuid")
            .bind(PROGRAM)
            .execute(&world.db)
            .await
            .unwrap();
        let courses: Vec<(String, String)> = sqlx::query_as(
            "SELECT c.id::text, c.openedx_course_id FROM program_courses p JOIN courses c ON c.id = p.course_id
             WHERE p.program_id = $1::uuid AND c.is_published",
        )
        .bind(PROGRAM)
        .fetch_all(&world.db)
        .await
        .unwrap();
        let program = json!({ "type": "program", "id": PROGRAM, "mode": "verified" });
        let request = |items: Value| json!({ "email": "ada@example.com", "organisation_id": owner, "items": items });
        // A course that the program already contains, and a mode that the program's courses do not have.
        let twice = json!([{ "type": "course", "id": courses[0].0, "mode": "verified" }, program]);
        let reply = world.post(PATH, &request(twice)).await;
        assert_eq!(reply.assert_problem(400, "invalid_items").faulty_fields(), ["items[1].id"]);
        let other_mode = json!([{ "type": "program", "id": PROGRAM, "mode": "masters" }]);
        let reply = world.post(PATH, &request(other_mode)).await;
        assert_eq!(reply.assert_problem(400, "invalid_items").faulty_fields(), ["items[0].mode"]);

        let reply = world.post(PATH, &request(json!([program]))).await;
        assert_eq!((reply.status, &reply.json["status"]), (200, &json!("free")), "{}", reply.text);
        for (_, key) in &courses {
            world.platform_agrees("ada@example.com", key, "verified", true).await;
        }
        // A program's line lists its courses as bought, even when the program changes later.
        sqlx::query("DELETE FROM program_courses WHERE course_id = $1::uuid")
            .bind(&courses[0].0)
            .execute(&world.db)
            .await
            .unwrap();
        let cart = reply.json["cart_id"].as_str().unwrap();
        assert_eq!(world.status(cart).await["items"][0]["enrollment_state"], "enrolled");
        assert_eq!(world.unenroll("ada@example.com", &courses[0].0).await.status, 200);
        assert_eq!(world.status(cart).await["items"][0]["enrollment_state"], "removed");
        // A course of another organisation makes the program unsellable.
        sqlx::query("INSERT INTO program_courses VALUES ($1::uuid, $2::uuid, 99)")
            .bind(PROGRAM)
            .bind(&courses[0].0)
            .execute(&world.db)
            .await
            .unwrap();
        sqlx::query("UPDATE courses SET organisation_id = (SELECT id FROM organisations WHERE short_name = 'lindgren') WHERE id = $1::uuid")
            .bind(&courses[0].0)
            .execute(&world.db)
            .await
            .unwrap();
        let reply = world.post(PATH, &request(json!([program]))).await;
        assert_eq!(reply.assert_problem(400, "invalid_items").faulty_fields(), ["items[0].id"]);
    })
    .await;
}

#[tokio::test]
async fn closed_courses_cannot_be_bought_and_hidden_ones_can() {
    world(Setup::default(), async |world| {
        world.platform_user("ada@example.com").await;
        let body = basket(world, "ada@example.com", json!([free_item()])).await;
        for closed in [
            "ends_at = now() - interval '1 day', starts_at = NULL",
            "enrollment_start = now() + interval '1 day', enrollment_end = NULL",
            "enrollment_start = NULL, enrollment_end = now() - interval '1 day'",
        ] {
            let open = "starts_at = NULL, ends_at = NULL, enrollment_start = NULL, enrollment_end = NULL";
            for change in [open, closed] {
                let sql = format!("UPDATE courses SET {change} WHERE id = '{FREE_COURSE}'");
                sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&world.db).await.unwrap();
            }
            let reply = world.post(PATH, &body).await;
            assert_eq!(reply.assert_problem(400, "invalid_items").faulty_fields(), ["items[0].id"], "{closed}");
        }
        let open = "UPDATE courses SET hidden = true, ends_at = NULL, enrollment_start = NULL, enrollment_end = NULL";
        sqlx::query(open).execute(&world.db).await.unwrap();
        assert_eq!(world.post(PATH, &body).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_held_basket_of_which_a_part_was_cancelled_is_made_anew() {
    world(Setup::default(), async |world| {
        let second: uuid::Uuid = sqlx::query_scalar(
            "SELECT m.course_id FROM course_modes m JOIN courses c ON c.id = m.course_id JOIN organisations o ON o.id = c.organisation_id
             WHERE o.short_name = 'northwind' AND m.price = 0 AND m.visible AND m.expires_at IS NULL AND c.is_published AND NOT c.is_invite_only
               AND (c.ends_at IS NULL OR c.ends_at > now()) AND (c.enrollment_end IS NULL OR c.enrollment_end > now())
               AND (c.enrollment_start IS NULL OR c.enrollment_start < now()) AND c.id <> $1::uuid AND m.slug = 'audit' LIMIT 1",
        )
        .bind(FREE_COURSE)
        .fetch_one(&world.db)
        .await
        .unwrap();
        let items = json!([free_item(), { "type": "course", "id": second, "mode": "audit" }]);
        let body = basket(world, "new@example.com", items).await;
        let first = world.post(PATH, &body).await;
        assert_eq!(first.status, 200, "{}", first.text);
        assert_eq!(world.unenroll("new@example.com", FREE_COURSE).await.json["enrollment_state"], "cancelled");
        let again = world.post(PATH, &body).await;
        assert_eq!((again.status, &again.json["status"]), (200, &json!("free")), "{}", again.text);
        assert_ne!(again.json["cart_id"], first.json["cart_id"]);
        let pending: i64 = sqlx::query_scalar("SELECT count(*) FROM enrollments WHERE state = 'pending_registration'")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(pending, 2);
    })
    .await;
}
