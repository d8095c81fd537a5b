//! The same bought twice: told to a learner before the charge, and to an operator after a guest's.

use harness::steps::credentials::session;
use harness::steps::demo::{FREE_COURSE, PAID_COURSE, PROGRAM};
use harness::steps::payments::{EMAIL, begun, cart_id, count, reference};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

const SQL_COURSE_KEY: &str = "course-v1:Northwind+SQL.120+2026";

async fn program_basket(world: &World) -> Value {
    let mut body = world.basket(&ORGANISATIONS[0]).await;
    body["items"] = json!([{ "type": "program", "id": PROGRAM, "mode": "verified" }]);
    body
}

async fn buy_program(world: &World, user: &Value) -> Reply {
    let request =
        world.request(Method::POST, "/storeapi/discovery/checkout/").header("cookie", session(user));
    Reply::read(request.json(&program_basket(world).await)).await
}

async fn paid(world: &World, reply: &Reply) -> String {
    let cart = cart_id(reply).to_owned();
    world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    cart
}

#[tokio::test]
async fn a_program_that_a_learner_has_bought_is_free_and_granted_once() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let first = buy_program(world, &ada).await;
        assert_eq!(first.json["total_price"], 349);
        let first = paid(world, &first).await;
        let again = buy_program(world, &ada).await;
        assert_eq!(again.json["status"], "free", "{}", again.text);
        assert_ne!(again.json["cart_id"], first);
        assert_eq!(count(world, "SELECT count(*) FROM enrollment_grants").await, 3);
        let status = world.status(again.json["cart_id"].as_str().unwrap()).await;
        assert_eq!(status["items"][0]["enrollment_state"], "enrolled");
        assert_eq!(status["items"][0]["upgrade_from"], "verified");
        // Its courses are held, too.
        let course = world.learner_checkout(&ORGANISATIONS[0], &ada).await;
        assert_eq!(course.json["status"], "free", "{}", course.text);
    })
    .await;
}

#[tokio::test]
async fn a_paid_program_whose_notice_was_lost_is_not_charged_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let first = buy_program(world, &ada).await;
        let payment = world.payment(cart_id(&first)).await;
        world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
        let again = buy_program(world, &ada).await;
        assert_eq!(again.json["status"], "free", "{}", again.text);
        assert_eq!(world.status(cart_id(&first)).await["status"], "fulfilled");
    })
    .await;
}

#[tokio::test]
async fn a_learner_is_told_before_paying_for_a_program_whose_courses_are_all_held() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let sql: String = sqlx::query_scalar("SELECT id::text FROM courses WHERE openedx_course_id = $1")
            .bind(SQL_COURSE_KEY)
            .fetch_one(&world.db)
            .await
            .unwrap();
        for course in [FREE_COURSE, PAID_COURSE] {
            assert_eq!(world.enroll(EMAIL, course, "verified").await.status, 200);
        }
        // One course is new to the learner: the program keeps its price.
        assert_eq!(buy_program(world, &ada).await.json["total_price"], 349);
        assert_eq!(world.enroll(EMAIL, &sql, "verified").await.status, 200);
        let reply = buy_program(world, &ada).await;
        assert_eq!(reply.assert_problem(400, "invalid_items").faulty_fields(), ["items[0].id"]);
        assert!(reply.text.contains("held"), "{}", reply.text);
    })
    .await;
}

#[tokio::test]
async fn what_was_bought_as_a_guest_counts_for_the_learner_of_the_address() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (guest, payment) = begun(world, &ORGANISATIONS[0], EMAIL).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&guest, "fulfilled").await;
        assert_eq!(world.status(&guest).await["items"][0]["enrollment_state"], "pending_registration");
        // The learner registers and comes at once, before the storefront has heard of it.
        let ada = world.new_platform_user(json!({ "email": EMAIL, "hint": false })).await;
        let upgrade = Organisation { mode: "professional", ..ORGANISATIONS[0] };
        let reply = world.learner_checkout(&upgrade, &ada).await;
        assert_eq!(reply.json["total_price"], 150, "{}", reply.text);
        assert_eq!(reply.json["items_detail"][0]["upgrade_from"], "verified");
        let reply = world.learner_checkout(&ORGANISATIONS[0], &ada).await;
        assert_eq!(reply.json["status"], "free", "{}", reply.text);
    })
    .await;
}

#[tokio::test]
async fn an_unproved_address_has_bought_nothing() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (guest, payment) = begun(world, &ORGANISATIONS[0], EMAIL).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&guest, "fulfilled").await;
        let thief = json!({ "email": EMAIL, "active": false, "hint": false });
        let thief = world.new_platform_user(thief).await;
        let reply = world.learner_checkout(&ORGANISATIONS[0], &thief).await;
        assert_eq!(reply.json["total_price"], 199, "{}", reply.text);
    })
    .await;
}

#[tokio::test]
async fn a_guest_and_the_learner_of_the_address_who_both_pay_raise_an_alert() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let (guest, payment) = begun(world, &ORGANISATIONS[0], EMAIL).await;
        let learner = world.learner_checkout(&ORGANISATIONS[0], &ada).await;
        let learner = paid(world, &learner).await;
        assert_eq!(world.transaction(&learner).await.2, None);
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&guest, "fulfilled").await;
        let alert = world.transaction(&guest).await.2.unwrap_or_default();
        assert!(alert.contains("bought twice") && alert.contains(&learner), "{alert}");
    })
    .await;
}

#[tokio::test]
async fn a_guest_who_buys_a_program_and_its_course_raises_an_alert_and_an_upgrade_does_not() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let mut body = program_basket(world).await;
        body["email"] = json!(EMAIL);
        let program = world.post(GUEST_CHECKOUT, &body).await;
        assert_eq!(program.json["total_price"], 349, "{}", program.text);
        let program = paid(world, &program).await;
        assert_eq!(world.transaction(&program).await.2, None);
        let course = world.guest_checkout(&ORGANISATIONS[0], EMAIL).await;
        let course = paid(world, &course).await;
        let alert = world.transaction(&course).await.2.unwrap_or_default();
        assert!(alert.contains("bought twice") && alert.contains(&program), "{alert}");
        // A learner's upgrade of a course of the program.
        let bob = world.platform_user("bob@example.com").await;
        paid(world, &buy_program(world, &bob).await).await;
        let upgrade = Organisation { mode: "professional", ..ORGANISATIONS[0] };
        let upgrade = world.learner_checkout(&upgrade, &bob).await;
        let upgrade = paid(world, &upgrade).await;
        assert_eq!(world.transaction(&upgrade).await.2, None);
    })
    .await;
}
