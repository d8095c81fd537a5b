//! The waiting list of a full course: a place that becomes free is held for the next address, and for no other.

use chrono::TimeDelta;
use futures_util::future::join_all;
use harness::steps::credentials::session;
use harness::steps::demo::{FREE_COURSE, PAID_COURSE, UNKNOWN_ID, organisation};
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::steps::refunds::bought;
use harness::steps::worker_program::{WorkerProcess, operator};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

use crate::places::{assert_sold_out, limit};
use crate::voucher_holds::pay;

const SHOP: &Organisation = &ORGANISATIONS[0];
const PATH: &str = "/storeapi/discovery/waiting-list/";
const BOB: &str = "bob@example.com";
const EVE: &str = "eve@example.com";

fn setup() -> Setup {
    Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::selling() }
}

/// A guest's request to join the list.
async fn join(world: &World, email: &str) -> Reply {
    world.post(PATH, &json!({ "course_id": SHOP.course, "email": email, "language": "en" })).await
}

async fn learner_joins(world: &World, user: &Value) -> Reply {
    let request = world.request(Method::POST, PATH).header("cookie", session(user));
    Reply::read(request.json(&json!({ "course_id": SHOP.course }))).await
}

/// The newest mail with this in its subject.
async fn mail(world: &World, email: &str, subject: &str) -> Value {
    let mut found = Value::Null;
    world
        .eventually(subject, async |world| {
            let mails = world.emails(email).await;
            let newest = mails.into_iter().rfind(|mail| mail["subject"].as_str().unwrap().contains(subject));
            found = newest.unwrap_or_default();
            !found.is_null()
        })
        .await;
    found
}

/// The query of the page to which a mail leads.
fn query(mail: &Value) -> String {
    let text = mail["text"].as_str().unwrap();
    let link = text.split_whitespace().find(|word| word.contains("/waiting-list/?token=")).unwrap();
    link.split_once('?').unwrap().1.to_owned()
}

async fn open(world: &World, query: &str) -> String {
    let request = world.http.get(world.url(&format!("{PATH}?{query}"))).header("accept", "text/html");
    let page = request.header("accept-language", "en").send().await.unwrap();
    assert_eq!(page.status(), 200);
    page.text().await.unwrap()
}

async fn answer(world: &World, query: &str, answer: &str) -> String {
    let request = world.http.post(world.url(&format!("{PATH}page/?{query}"))).header("accept", "text/html");
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let page = request.body(format!("answer={answer}")).send().await.unwrap();
    assert_eq!(page.status(), 200);
    page.text().await.unwrap()
}

/// A guest who has confirmed the address.
async fn waits(world: &World, email: &str) {
    assert_eq!(join(world, email).await.json, json!({ "status": "confirmation_sent" }));
    let query = query(&mail(world, email, "please confirm").await);
    assert!(open(world, &query).await.contains("Yes, put me on the list"));
    assert!(answer(world, &query, "confirm").await.contains("You are on the waiting list"));
    is(world, "waiting", 1, email).await;
}

async fn entries(world: &World, state: &str) -> i64 {
    let sql = "SELECT count(*) FROM waiting_list WHERE state = $1";
    sqlx::query_scalar(sql).bind(state).fetch_one(&world.db).await.unwrap()
}

async fn is(world: &World, state: &str, number: i64, what: &str) {
    let what = format!("{what}: {number} {state}");
    world.eventually(&what, async |world| entries(world, state).await == number).await;
}

/// The code that an address is offered.
async fn code(world: &World, email: &str) -> String {
    let mail = mail(world, email, "A place is free").await;
    let text = mail["text"].as_str().unwrap();
    assert!(text.contains("/storeapi/payment/buy/?course=course-v1"), "{text}");
    let code = text.split_once("voucher=").unwrap().1;
    code.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap().to_owned()
}

async fn checkout(world: &World, email: &str, code: Option<&str>) -> Reply {
    let mut body = world.basket(SHOP).await;
    (body["email"], body["voucher"]) = (json!(email), json!(code));
    world.post(GUEST_CHECKOUT, &body).await
}

#[tokio::test]
async fn a_free_place_is_held_for_the_next_address_and_for_no_other() {
    world(setup(), async |world| {
        world.sell().await;
        limit(world, SHOP.course, 1).await;
        let (_, payment) = bought(world, SHOP, "first@example.com").await;
        // An address that has not confirmed gets nothing; a learner's needs no mail.
        assert_eq!(join(world, EVE).await.status, 202);
        waits(world, BOB).await;
        let ada = world.platform_user(EMAIL).await;
        assert_eq!(learner_joins(world, &ada).await.json, json!({ "status": "waiting" }));
        is(world, "waiting", 2, "the learner").await;
        mail(world, EMAIL, "on the waiting list").await;

        world.at_provider("refund", &payment, json!({})).await;
        let offered = code(world, BOB).await;
        is(world, "offered", 1, "one place").await;
        assert_sold_out(&checkout(world, EVE, None).await);
        assert_sold_out(&checkout(world, BOB, None).await);
        let stolen = checkout(world, EVE, Some(&offered)).await;
        stolen.assert_problem(400, "invalid_request");
        assert_eq!(stolen.faulty_fields(), ["voucher"]);
        let query = query(&mail(world, BOB, "A place is free").await);
        assert!(open(world, &query).await.contains(&format!("voucher={offered}")));

        let reply = checkout(world, BOB, Some(&offered)).await;
        assert_eq!((reply.status, &reply.json["total_price"]), (200, &json!(199)), "{}", reply.text);
        let cart = cart_id(&reply).to_owned();
        // What a checkout has is not declined any more.
        answer(world, &query, "leave").await;
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        is(world, "bought", 1, "the first").await;
        is(world, "waiting", 1, "the learner").await;
        let named = "SELECT count(*) FROM waiting_list WHERE email = 'bob@example.com'";
        assert_eq!(count(world, named).await, 0);
        assert!(open(world, &query).await.contains("not on the waiting list"));
    })
    .await;
}

#[tokio::test]
async fn a_place_that_lapses_or_is_declined_goes_to_the_next() {
    world(setup(), async |world| {
        world.sell().await;
        limit(world, SHOP.course, 1).await;
        let (_, payment) = bought(world, SHOP, "first@example.com").await;
        for (nth, email) in (1..).zip([BOB, EVE, "zoe@example.com"]) {
            assert_eq!(join(world, email).await.status, 202);
            let query = query(&mail(world, email, "please confirm").await);
            answer(world, &query, "confirm").await;
            is(world, "waiting", nth, email).await;
        }
        world.at_provider("refund", &payment, json!({})).await;
        let offered = code(world, BOB).await;
        world.clock.advance(TimeDelta::hours(49));
        code(world, EVE).await;
        is(world, "lapsed", 1, "the first").await;
        checkout(world, BOB, Some(&offered)).await.assert_problem(400, "invalid_request");
        let query = query(&mail(world, EVE, "A place is free").await);
        assert!(answer(world, &query, "leave").await.contains("not on the waiting list"));
        code(world, "zoe@example.com").await;
        is(world, "declined", 1, "the second").await;
        // More places than people: the others are for everyone.
        limit(world, SHOP.course, 3).await;
        assert_eq!(checkout(world, "late@example.com", None).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn one_address_waits_once_and_is_forgotten_when_it_is_erased() {
    world(setup(), async |world| {
        world.sell().await;
        let refused = join(world, BOB).await;
        refused.assert_problem(400, "invalid_request");
        assert_eq!(refused.faulty_fields(), ["course_id"], "the course has places");
        limit(world, SHOP.course, 1).await;
        bought(world, SHOP, "first@example.com").await;
        let unknown = json!({ "course_id": UNKNOWN_ID, "email": BOB });
        world.post(PATH, &unknown).await.assert_problem(404, "not_found");
        let nameless = world.post(PATH, &json!({ "course_id": PAID_COURSE })).await;
        assert_eq!(nameless.faulty_fields(), ["email"]);

        waits(world, BOB).await;
        world.clock.advance(TimeDelta::minutes(61));
        assert_eq!(join(world, BOB).await.status, 202);
        mail(world, BOB, "on the waiting list").await;
        // Who has a place needs none, and the answer does not tell.
        assert_eq!(join(world, "first@example.com").await.status, 202);
        world.drain().await;
        assert_eq!(count(world, "SELECT count(*) FROM waiting_list").await, 1);
        limit(world, SHOP.course, 2).await;
        is(world, "offered", 1, "a place of more").await;
        let (done, said) = operator(world, &["learners", "erase", BOB], &["database-url"]).await;
        assert!(done, "{said}");
        assert_eq!(count(world, "SELECT count(*) FROM waiting_list").await, 0);
        assert_eq!(checkout(world, EVE, None).await.status, 200, "the place is for everyone again");
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn thirty_places_go_to_thirty_of_a_hundred_who_wait_whoever_else_buys() {
    let setup = Setup {
        api_args: vec!["--asks-in-flight=400".into(), "--ask-deadline=60s".into()],
        worker_args: vec!["--reconcile-every=200ms".into()],
        ..Setup::default()
    };
    world(setup, async |world| {
        limit(world, FREE_COURSE, 1).await;
        let northwind = organisation(world, "northwind").await;
        let free = async |email: String, code: Option<String>| {
            let items = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
            let body = json!({ "email": email, "organisation_id": northwind, "items": items, "voucher": code });
            world.post_patiently(GUEST_CHECKOUT, &body).await
        };
        assert_eq!(free("first@example.com".into(), None).await.status, 200);
        let waiting = "INSERT INTO waiting_list (id, course_id, email, state, joined_at)
                       SELECT gen_random_uuid(), $1::uuid, 'waiting' || n || '@example.com', 'waiting', now() + n * interval '1 second'
                       FROM generate_series(1, 100) n";
        sqlx::query(waiting).bind(FREE_COURSE).execute(&world.db).await.unwrap();
        let mut workers = vec![WorkerProcess::start(world)];
        limit(world, FREE_COURSE, 31).await;
        let others = join_all((0..300).map(|nth| free(format!("buyer{nth}@example.com"), None)));
        let deaths = async {
            for _ in 0..3 {
                tokio::time::sleep(std::time::Duration::from_millis(400)).await;
                workers.remove(0);
                workers.push(WorkerProcess::start(world));
            }
        };
        let (others, ()) = tokio::join!(others, deaths);
        others.iter().for_each(assert_sold_out);
        is(world, "offered", 30, "the places").await;
        let offers = "SELECT w.email, v.code FROM waiting_list w JOIN vouchers v ON v.id = w.voucher_id WHERE w.state = 'offered'";
        let offers: Vec<(String, String)> = sqlx::query_as(offers).fetch_all(&world.db).await.unwrap();
        assert!(offers.iter().all(|(email, _)| {
            let nth = email.trim_start_matches("waiting").split('@').next().unwrap();
            nth.parse::<i32>().unwrap() <= 30
        }));
        let taken = join_all(offers.into_iter().map(|(email, code)| free(email, Some(code)))).await;
        assert!(taken.iter().all(|reply| reply.status == 200));
        is(world, "bought", 30, "the places").await;
        is(world, "waiting", 70, "the others").await;
        assert_eq!(count(world, "SELECT count(*) FROM enrollments").await, 31);
    })
    .await;
}

/// As `voucher_holds` has it for other vouchers: a use that has ended comes back with the buyer, and its place with it.
#[tokio::test]
async fn a_place_in_an_unpaid_checkout_is_counted_for_as_long_as_it_is_held() {
    world(setup(), async |world| {
        world.sell().await;
        limit(world, SHOP.course, 1).await;
        let (_, payment) = bought(world, SHOP, "first@example.com").await;
        waits(world, BOB).await;
        world.at_provider("refund", &payment, json!({})).await;
        let offered = code(world, BOB).await;
        let cart = cart_id(&checkout(world, BOB, Some(&offered)).await).to_owned();
        // The others wait behind it.
        let behind = "INSERT INTO waiting_list (id, course_id, email, state, joined_at)
                      VALUES (gen_random_uuid(), $1::uuid, 'eve@example.com', 'waiting', now())";
        sqlx::query(behind).bind(SHOP.course).execute(&world.db).await.unwrap();
        world.clock.advance(TimeDelta::minutes(61));
        let released = "SELECT count(*) FROM voucher_uses WHERE state = 'released'";
        world.eventually("the use is released", async |world| count(world, released).await == 1).await;
        world.clock.advance(TimeDelta::minutes(60));
        assert_eq!(cart_id(&checkout(world, BOB, Some(&offered)).await), cart, "the same attempt");
        // Some rounds of the reconciler.
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        assert_eq!((entries(world, "offered").await, entries(world, "waiting").await), (1, 1));
        assert_sold_out(&checkout(world, "late@example.com", None).await);
        // The buyer's own quote holds, as long as the offer does.
        let mut quoted = world.basket(SHOP).await;
        quoted["voucher"] = json!(offered);
        let quote = world.post("/storeapi/discovery/quote/", &quoted).await;
        assert_eq!((quote.status, &quote.json["total_price"]), (200, &json!(199)), "{}", quote.text);
        pay(world, &cart).await;
        is(world, "bought", 1, "the first").await;
        assert_eq!(entries(world, "waiting").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_place_whose_free_order_is_undone_goes_to_the_next_and_its_code_to_no_other() {
    world(setup(), async |world| {
        limit(world, FREE_COURSE, 1).await;
        let northwind = organisation(world, "northwind").await;
        let free = async |email: &str, code: Option<&str>| {
            let items = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
            let body = json!({ "email": email, "organisation_id": northwind, "items": items, "voucher": code });
            world.post(GUEST_CHECKOUT, &body).await
        };
        let (done, said) = {
            assert_eq!(free("first@example.com", None).await.status, 200);
            let waiting = "INSERT INTO waiting_list (id, course_id, email, state, joined_at)
                           SELECT gen_random_uuid(), $1::uuid, n || '@example.com', 'waiting', now() FROM unnest(ARRAY['bob', 'eve']) n";
            sqlx::query(waiting).bind(FREE_COURSE).execute(&world.db).await.unwrap();
            operator(world, &["learners", "erase", "first@example.com"], &["database-url"]).await
        };
        assert!(done, "{said}");
        let next = async |world: &World| {
            is(world, "offered", 1, "the next").await;
            let sql = "SELECT w.email, v.code FROM waiting_list w JOIN vouchers v ON v.id = w.voucher_id WHERE w.state = 'offered'";
            sqlx::query_as::<_, (String, String)>(sql).fetch_one(&world.db).await.unwrap()
        };
        let (email, code) = next(world).await;
        assert_eq!(free(&email, Some(&code)).await.status, 200);
        is(world, "bought", 1, "the next").await;
        assert_eq!(free(&email, Some(&code)).await.status, 200, "sent again, it is the same order");
        let (done, said) = operator(world, &["learners", "erase", &email], &["database-url"]).await;
        assert!(done, "{said}");
        let (second, other) = next(world).await;
        assert_ne!((&second, &other), (&email, &code));
        free("thief@example.com", Some(&code)).await.assert_problem(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn a_course_that_is_not_sold_offers_no_place_and_one_that_has_ended_ends_its_list() {
    world(setup(), async |world| {
        world.sell().await;
        limit(world, SHOP.course, 1).await;
        let (cart, payment) = bought(world, SHOP, "first@example.com").await;
        waits(world, BOB).await;
        // Asked again within the hour, no second mail goes out.
        assert_eq!(join(world, BOB).await.status, 202);
        let set = async |columns: &str| {
            let sql = format!("UPDATE courses SET {columns} WHERE id = '{}'", SHOP.course);
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&world.db).await.unwrap();
        };
        set("enrollment_end = now() - interval '1 day'").await;
        world.at_provider("refund", &payment, json!({})).await;
        world.cart_becomes(&cart, "refunded").await;
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        assert_eq!((entries(world, "offered").await, entries(world, "waiting").await), (0, 1));
        join(world, EVE).await.assert_problem(404, "not_found");
        set("ends_at = now() - interval '1 day'").await;
        is(world, "left", 1, "the course has ended").await;
        let asked = world.emails(BOB).await;
        let asked = asked.iter().filter(|mail| mail["subject"].as_str().unwrap().contains("waiting list"));
        assert_eq!(asked.count(), 0);
    })
    .await;
}
