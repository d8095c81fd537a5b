//! Moves of a line's access to another course or person. No order of failures may leave a payer without access.

use harness::steps::console::{OWN, get, key as console_key, post, with_console};
use harness::steps::demo::{FREE_COURSE, FREE_KEY};
use harness::steps::learner_cart::learner;
use harness::steps::learner_checkout::checkout;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::steps::refunds::{bought, ledger, order, other_course, refund};
use harness::steps::seats;
use harness::steps::staff::{act, look, staff};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use uuid::Uuid;

const NOOR: &str = "noor@example.com";
const OTHER: &str = "grace@example.com";
const SHOP: &Organisation = &ORGANISATIONS[0];

fn path(cart: &str) -> String {
    format!("/storeapi/support/orders/{cart}/moves/")
}

/// The key of another course that the shop sells, at the price of the first.
pub async fn same_price(world: &World) -> String {
    sqlx::query_scalar(
        "UPDATE course_modes m SET price = (SELECT price FROM course_modes WHERE course_id = $2::uuid AND slug = 'verified')
         FROM courses c WHERE m.course_id = $1::uuid AND m.slug = 'verified' AND c.id = m.course_id RETURNING c.openedx_course_id",
    )
    .bind(other_course(world, SHOP).await)
    .bind(SHOP.course)
    .fetch_one(&world.db)
    .await
    .unwrap()
}

/// An order of one course with an account's access, and a member of the support.
pub async fn sold(world: &World) -> (String, String) {
    world.sell().await;
    world.platform_user(EMAIL).await;
    let (cart, _) = bought(world, SHOP, EMAIL).await;
    world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
    (cart, staff(world, "northwind", NOOR, &["support"]).await)
}

fn to_course(course: &str) -> Value {
    json!({ "position": 0, "to": { "openedx_course_id": course }, "reason": "Wrong run" })
}

fn to_person(email: &str) -> Value {
    json!({ "position": 0, "to": { "email": email }, "reason": "Left the company" })
}

async fn events(world: &World, kind: &str) -> Vec<Value> {
    sqlx::query_scalar("SELECT data FROM events WHERE type = $1 ORDER BY at")
        .bind(kind)
        .fetch_all(&world.db)
        .await
        .unwrap()
}

/// Lets the platform refuse new enrollments in a course as full, or take them again.
async fn refuse_course(world: &World, course: &str, is_full: bool) {
    world.sim(Method::POST, "/_sim/courses", Some(json!({ "course_id": course, "full": is_full }))).await;
}

#[tokio::test]
async fn a_line_moves_to_another_course_and_refunds_follow_it() {
    world(Setup::selling(), async |world| {
        let (cart, noor) = sold(world).await;
        let new = same_price(world).await;
        let moved = act(world, &noor, &path(&cart), &to_course(&new)).await;
        assert_eq!((moved.status, &moved.json["status"]), (202, &json!("waiting")), "{}", moved.text);
        world.platform_agrees(EMAIL, &new, SHOP.mode, true).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        let own = key(world, "northwind", &[Scope::Orders, Scope::Refunds]).await;
        let line = order(world, &own, &cart).await["items"][0].clone();
        assert_eq!(line["enrollment_state"], "enrolled");
        assert_eq!(
            (&line["openedx_course_id"], &line["moved_to"]["openedx_course_id"], &line["moved_to"]["status"]),
            (&json!(SHOP.key), &json!(new), &json!("done"))
        );
        let told = events(world, "enrollment.moved").await;
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(
            (&told[0]["from_openedx_course_id"], &told[0]["openedx_course_id"], &told[0]["to_person"]),
            (&json!(SHOP.key), &json!(new), &json!(false))
        );
        let booked = ledger(world, &cart).await;
        assert_eq!(booked.last(), Some(&("moved".to_owned(), 0)), "{booked:?}");
        let detail = look(world, &noor, &format!("/storeapi/support/orders/{cart}/")).await;
        assert!(detail.text.contains("The access went from"), "{}", detail.text);
        // What was bought before the move can be bought again; what the line gives now is refunded with it.
        let all = refund(world, &own, &cart, &json!({})).await;
        assert_eq!(all.status, 200, "{}", all.text);
        world.platform_agrees(EMAIL, &new, SHOP.mode, false).await;
        world.cart_becomes(&cart, "refunded").await;
    })
    .await;
}

#[tokio::test]
async fn the_old_access_stays_until_the_platform_has_confirmed_the_new_one() {
    world(Setup::selling(), async |world| {
        let (cart, _) = sold(world).await;
        let new = same_price(world).await;
        let support = key(world, "northwind", &[Scope::Support, Scope::Orders]).await;
        refuse_course(world, &new, true).await;
        let ask = async |body: &Value| {
            let request = world.request(Method::POST, &format!("/storeapi/payment/orders/{cart}/moves/"));
            Reply::read(request.header("organisationapikey", &support).json(body)).await
        };
        let moved = ask(&to_course(&new)).await;
        assert_eq!(moved.status, 202, "{}", moved.text);
        world
            .eventually("the platform has refused", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'refused'").await == 1
            })
            .await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        let line = order(world, &support, &cart).await["items"][0].clone();
        assert_eq!(
            (&line["enrollment_state"], &line["moved_to"]["status"]),
            (&json!("refused"), &json!("waiting"))
        );
        assert_eq!(events(world, "enrollment.moved").await, Vec::<Value>::new());
        // Another person, while the first move is refused: that one is withdrawn.
        world.platform_user(OTHER).await;
        let given = ask(&to_person(OTHER)).await;
        assert_eq!(given.status, 202, "{}", given.text);
        world.platform_agrees(OTHER, SHOP.key, SHOP.mode, true).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        let told = events(world, "enrollment.moved").await;
        assert_eq!((told.len(), &told[0]["to_person"]), (1, &json!(true)));
        let line = order(world, &support, &cart).await["items"][0].clone();
        assert_eq!(
            (&line["enrollment_state"], &line["moved_to"]["to_another_person"]),
            (&json!("enrolled"), &json!(true))
        );
    })
    .await;
}

#[tokio::test]
async fn a_retried_enrollment_completes_the_move() {
    world(Setup::selling(), async |world| {
        let (cart, noor) = sold(world).await;
        let new = same_price(world).await;
        refuse_course(world, &new, true).await;
        act(world, &noor, &path(&cart), &to_course(&new)).await;
        // The alert about the payment can be there before the enrollment is refused.
        let refused = "SELECT id FROM enrollments WHERE platform_state = 'refused'";
        let refused = async |world: &World| {
            sqlx::query_scalar::<_, Uuid>(refused).fetch_optional(&world.db).await.unwrap()
        };
        world.eventually("the platform has refused", async |world| refused(world).await.is_some()).await;
        assert!(look(world, &noor, "/storeapi/support/attention/").await.text.contains(&new));
        refuse_course(world, &new, false).await;
        let retry = json!({ "enrollment_id": refused(world).await.unwrap() });
        assert_eq!(act(world, &noor, "/storeapi/support/enrollments/", &retry).await.status, 204);
        world.platform_agrees(EMAIL, &new, SHOP.mode, true).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
    })
    .await;
}

#[tokio::test]
async fn an_unknown_person_is_invited_and_the_payer_keeps_the_access_until_they_register() {
    world(Setup::selling(), async |world| {
        let (cart, noor) = sold(world).await;
        let moved = act(world, &noor, &path(&cart), &to_person(OTHER)).await;
        assert_eq!(moved.status, 202, "{}", moved.text);
        world.eventually("the person is invited", async |world| !world.emails(OTHER).await.is_empty()).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        // A mistyped address does not block the line: another move replaces it, and a move to the present holder withdraws it.
        let typo = act(world, &noor, &path(&cart), &to_person("eve@example.com")).await;
        assert_eq!(typo.status, 202, "{}", typo.text);
        let back = act(world, &noor, &path(&cart), &to_person(EMAIL)).await;
        assert_eq!((back.status, &back.json["status"]), (200, &json!("withdrawn")), "{}", back.text);
        assert_eq!(act(world, &noor, &path(&cart), &to_person(EMAIL)).await.status, 400);
        assert_eq!(act(world, &noor, &path(&cart), &to_person(OTHER)).await.status, 202);
        world.new_platform_user(json!({ "email": OTHER, "hint": true })).await;
        world.platform_agrees(OTHER, SHOP.key, SHOP.mode, true).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        // The payer can buy a place of their own again, and no alert is raised.
        let (second, _) = bought(world, SHOP, EMAIL).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        assert_eq!(world.transaction(&second).await.2, None);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_moved_is_refused_and_nothing_is_written() {
    world(Setup::selling(), async |world| {
        let (cart, noor) = sold(world).await;
        let dearer: String = sqlx::query_scalar("SELECT openedx_course_id FROM courses WHERE id = $1::uuid")
            .bind(other_course(world, SHOP).await)
            .fetch_one(&world.db)
            .await
            .unwrap();
        for (body, field) in [
            (json!({}), "position"),
            (json!({ "position": 0, "to": {} }), "to.openedx_course_id"),
            (json!({ "position": 0, "to": { "email": OTHER, "openedx_course_id": dearer } }), "to.email"),
            (json!({ "position": 7, "to": { "email": OTHER } }), "position"),
            (to_course("course-v1:Unknown+X+1"), "to.openedx_course_id"),
            (to_course(SHOP.key), "to.openedx_course_id"),
            (to_course(ORGANISATIONS[1].key), "to.openedx_course_id"),
            (to_person(EMAIL), "to.email"),
            (to_course(&dearer), "waive"),
        ] {
            let refused = act(world, &noor, &path(&cart), &body).await;
            let fields = refused.assert_problem(400, "invalid_request").faulty_fields();
            assert!(fields.contains(&field), "{body}: {}", refused.text);
        }
        let certificate = json!({ "email": EMAIL, "course_id": SHOP.key, "status": "downloadable" });
        world.sim(Method::POST, "/_sim/certificates", Some(certificate)).await;
        let earned = act(world, &noor, &path(&cart), &to_person(OTHER)).await;
        assert!(earned.assert_problem(403, "forbidden").text.contains("certificate"), "{}", earned.text);
        let fault = json!({ "target": "platform", "path": "certificates", "kind": "status", "status": 503, "count": 9 });
        world.fault(fault).await;
        act(world, &noor, &path(&cart), &to_person(OTHER)).await.assert_problem(503, "unavailable");
        world.no_faults().await;
        let finance = staff(world, "northwind", "fin@example.com", &["finance"]).await;
        act(world, &finance, &path(&cart), &to_person(OTHER)).await.assert_problem(403, "forbidden");
        let foreign = staff(world, "lindgren", "eve@lindgren.example", &["support"]).await;
        act(world, &foreign, &path(&cart), &to_person(OTHER)).await.assert_problem(404, "not_found");
        assert_eq!(count(world, "SELECT count(*) FROM moves").await, 0);
        let certificate = json!({ "email": EMAIL, "course_id": SHOP.key, "status": "notpassing" });
        world.sim(Method::POST, "/_sim/certificates", Some(certificate)).await;
        let mut waived = to_course(&dearer);
        waived["waive"] = json!(true);
        let moved = act(world, &noor, &path(&cart), &waived).await;
        assert_eq!(moved.status, 202, "{}", moved.text);
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
    })
    .await;
}

#[tokio::test]
async fn a_learner_moves_an_own_line_as_long_and_as_often_as_the_organisation_allows() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let user = learner(world, EMAIL).await;
        let new = same_price(world).await;
        let begun = checkout(world, &user, &world.basket(SHOP).await, &[]).await;
        let cart = cart_id(&begun).to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        let ask = async |user: &Value, body: &Value| {
            let request = world.http.post(world.url(&format!("/storeapi/payment/orders/{cart}/moves/")));
            let cookie = format!("sessionid={}", user["sessionid"].as_str().unwrap());
            let request = request.json(body).header("origin", "http://store.test").header("cookie", cookie);
            Reply::read(request.header("idempotency-key", Uuid::now_v7().to_string())).await
        };
        ask(&user, &to_course(&new)).await.assert_problem(403, "forbidden");
        for statement in [
            "UPDATE courses SET starts_at = now() - interval '1 year'",
            "UPDATE organisations SET move_days = 14",
        ] {
            sqlx::query(statement).execute(&world.db).await.unwrap();
        }
        let other = learner(world, OTHER).await;
        ask(&other, &to_course(&new)).await.assert_problem(404, "not_found");
        world.clock.advance(chrono::TimeDelta::days(15));
        let late = ask(&user, &to_course(&new)).await;
        assert!(late.assert_problem(403, "forbidden").text.contains("until"), "{}", late.text);
        world.clock.advance(chrono::TimeDelta::days(-2));
        let moved = ask(&user, &to_course(&new)).await;
        assert_eq!(moved.status, 202, "{}", moved.text);
        world.platform_agrees(EMAIL, &new, SHOP.mode, true).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        let twice = ask(&user, &to_course(SHOP.key)).await;
        assert!(twice.assert_problem(403, "forbidden").text.contains("1 times"), "{}", twice.text);
        sqlx::query("UPDATE organisations SET moves_allowed = 2").execute(&world.db).await.unwrap();
        // Each address without an account gets a mail, so typing errors are few.
        for nth in 0..4 {
            assert_eq!(ask(&user, &to_person(&format!("new{nth}@example.com"))).await.status, 202);
        }
        let many = ask(&user, &to_person("new5@example.com")).await;
        assert!(many.assert_problem(403, "forbidden").text.contains("too often"), "{}", many.text);
        sqlx::query("UPDATE organisations SET moves_allowed = 4").execute(&world.db).await.unwrap();
        // Back to the course that was bought.
        assert_eq!(ask(&user, &to_course(SHOP.key)).await.status, 202);
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        world.platform_agrees(EMAIL, &new, SHOP.mode, false).await;
    })
    .await;
}

#[tokio::test]
async fn a_refund_ends_both_accesses_of_a_move_that_is_not_done() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let (cart, _) = bought(world, SHOP, EMAIL).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        let noor = staff(world, "northwind", NOOR, &["support", "finance"]).await;
        assert_eq!(act(world, &noor, &path(&cart), &to_person(OTHER)).await.status, 202);
        let refunded = act(
            world,
            &noor,
            &format!("/storeapi/support/orders/{cart}/refunds/"),
            &json!({ "reason": "Asked" }),
        )
        .await;
        assert_eq!(refunded.status, 200, "{}", refunded.text);
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        world.new_platform_user(json!({ "email": OTHER, "hint": true })).await;
        world.drain().await;
        assert!(world.on_platform(OTHER, SHOP.key).await.is_none());
        assert_eq!(events(world, "enrollment.moved").await, Vec::<Value>::new());
    })
    .await;
}

#[tokio::test]
async fn support_moves_a_line_in_the_console_after_seeing_what_will_happen() {
    world(with_console(), async |world| {
        let (cart, noor) = sold(world).await;
        let new = same_price(world).await;
        let sam = staff(world, "northwind", "sam@example.com", &["finance", "manager"]).await;
        let page = format!("/console/northwind/orders/{cart}/move/");
        let course = new.replace('+', "%2B");
        let asked = format!("{page}?position=0&course={course}&reason=Wrong+run");
        let shown = get(world, &noor, &asked).await;
        for words in ["The present access stays until", "No money moves", "Noor Haddad", &new] {
            assert!(shown.text.replace("&#x2f;", "/").contains(words), "{words}: {}", shown.text);
        }
        assert_eq!(get(world, &sam, &asked).await.status, 403);
        let both = get(world, &noor, &format!("{asked}&email=a@example.com")).await;
        assert_eq!(both.status, 400, "{}", both.text);
        let form_key = console_key(&shown);
        let mut fields =
            vec![("key", form_key.as_str()), ("position", "0"), ("course", &new), ("reason", "Wrong run")];
        assert_eq!(post(world, &sam, &page, OWN, &fields).await.status, 403);
        assert_eq!(post(world, &noor, &page, "http://evil.test", &fields).await.status, 403);
        let reply = post(world, &noor, &page, OWN, &fields).await;
        let order = format!("/console/northwind/orders/{cart}/?done=move");
        assert_eq!((reply.status, reply.header("location")), (303, order.as_str()), "{}", reply.text);
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        let page_after = get(world, &noor, &order).await;
        assert!(
            page_after.text.contains("The move is under way") && page_after.text.contains("moved to"),
            "{}",
            page_after.text
        );
        // Sent again, it is the same move; without a reason it is none.
        assert_eq!(post(world, &noor, &page, OWN, &fields).await.status, 303);
        assert_eq!(count(world, "SELECT count(*) FROM moves").await, 1);
        fields.pop();
        let reply = post(world, &noor, &page, OWN, &fields).await;
        assert!(reply.status == 400 && reply.text.contains("reason"), "{}", reply.text);
    })
    .await;
}

#[tokio::test]
async fn the_reconciler_completes_a_move_whose_worker_stopped_after_the_confirmation() {
    world(Setup::selling(), async |world| {
        let (cart, noor) = sold(world).await;
        let new = same_price(world).await;
        refuse_course(world, &new, true).await;
        act(world, &noor, &path(&cart), &to_course(&new)).await;
        world
            .eventually("the platform has refused", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'refused'").await == 1
            })
            .await;
        // What the worker stores when the platform confirms, without what it does next.
        let confirmed = "UPDATE enrollments SET platform_state = 'synced', platform_reason = NULL WHERE platform_state = 'refused'";
        sqlx::query(confirmed).execute(&world.db).await.unwrap();
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        assert_eq!(events(world, "enrollment.moved").await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_certificate_that_is_earned_while_a_move_waits_withdraws_it() {
    world(Setup::selling(), async |world| {
        let (cart, noor) = sold(world).await;
        assert_eq!(act(world, &noor, &path(&cart), &to_person(OTHER)).await.status, 202);
        let certificate = json!({ "email": EMAIL, "course_id": SHOP.key, "status": "downloadable" });
        world.sim(Method::POST, "/_sim/certificates", Some(certificate)).await;
        world.new_platform_user(json!({ "email": OTHER, "hint": true })).await;
        world.platform_agrees(OTHER, SHOP.key, SHOP.mode, true).await;
        world.platform_agrees(OTHER, SHOP.key, SHOP.mode, false).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        let own = key(world, "northwind", &[Scope::Orders]).await;
        let line = order(world, &own, &cart).await["items"][0].clone();
        assert_eq!(
            (&line["enrollment_state"], &line["moved_to"]),
            (&json!("enrolled"), &Value::Null),
            "{line}"
        );
        assert_eq!(events(world, "enrollment.moved").await, Vec::<Value>::new());
    })
    .await;
}

#[tokio::test]
async fn a_move_to_another_address_of_the_same_account_comes_to_nothing() {
    world(Setup::selling(), async |world| {
        let (cart, noor) = sold(world).await;
        assert_eq!(act(world, &noor, &path(&cart), &to_person(OTHER)).await.status, 202);
        // The account takes the new address: both are the same person now.
        let change = json!({ "email": EMAIL, "new_email": OTHER });
        world.sim(Method::POST, "/_sim/users/change", Some(change)).await;
        world
            .eventually("the move has come to nothing", async |world| {
                count(world, "SELECT count(*) FROM moves WHERE withdrawn_at IS NOT NULL").await == 1
            })
            .await;
        world.platform_agrees(OTHER, SHOP.key, SHOP.mode, true).await;
        let live = "SELECT count(*) FROM enrollment_grants WHERE cart_id IS NOT NULL AND ended_at IS NULL";
        assert_eq!(count(world, live).await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_seat_stays_with_its_pool() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(OTHER).await;
        seats::bought(world, SHOP, EMAIL, 2).await;
        let seats_key = key(world, "northwind", &[Scope::Seats]).await;
        let pool = seats::pool(world, &seats_key).await;
        seats::assigned(world, &seats_key, &pool, &[OTHER]).await;
        let cart: Uuid = sqlx::query_scalar("SELECT id FROM carts WHERE email = $1")
            .bind(OTHER)
            .fetch_one(&world.db)
            .await
            .unwrap();
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        let refused = act(world, &noor, &path(&cart.to_string()), &to_person("eve@example.com")).await;
        assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["position"]);
    })
    .await;
}

#[tokio::test]
async fn a_free_course_that_was_given_away_can_be_taken_again() {
    world(Setup::selling(), async |world| {
        world.platform_user(EMAIL).await;
        world.platform_user(OTHER).await;
        let seller = harness::steps::demo::organisation(world, "northwind").await;
        let item = json!({ "type": "course", "id": FREE_COURSE, "mode": "audit" });
        let basket = json!({ "organisation_id": seller, "items": [item], "email": EMAIL });
        let first = world.post(GUEST_CHECKOUT, &basket).await;
        assert_eq!(first.status, 200, "{}", first.text);
        world.platform_agrees(EMAIL, FREE_KEY, "audit", true).await;
        let cart = first.json["cart_id"].as_str().unwrap();
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        assert_eq!(act(world, &noor, &path(cart), &to_person(OTHER)).await.status, 202);
        world.platform_agrees(EMAIL, FREE_KEY, "audit", false).await;
        let second = world.post(GUEST_CHECKOUT, &basket).await;
        assert_ne!(second.json["cart_id"], first.json["cart_id"], "{}", second.text);
        world.platform_agrees(EMAIL, FREE_KEY, "audit", true).await;
        world.platform_agrees(OTHER, FREE_KEY, "audit", true).await;
    })
    .await;
}

#[tokio::test]
async fn an_upgrade_that_is_bought_while_a_move_waits_withdraws_it() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let user = learner(world, EMAIL).await;
        let buy = async |mode: &str| {
            let mut basket = world.basket(SHOP).await;
            basket["items"][0]["mode"] = json!(mode);
            let begun = checkout(world, &user, &basket, &[]).await;
            let cart = cart_id(&begun).to_owned();
            world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
            world.platform_agrees(EMAIL, SHOP.key, mode, true).await;
            cart
        };
        let cart = buy(SHOP.mode).await;
        let noor = staff(world, "northwind", NOOR, &["support"]).await;
        assert_eq!(act(world, &noor, &path(&cart), &to_person(OTHER)).await.status, 202);
        buy(SHOP.other_mode).await;
        world.new_platform_user(json!({ "email": OTHER, "hint": true })).await;
        world
            .eventually("the move is withdrawn", async |world| {
                count(world, "SELECT count(*) FROM moves WHERE withdrawn_at IS NOT NULL").await == 1
            })
            .await;
        world.platform_agrees(OTHER, SHOP.key, SHOP.mode, false).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.other_mode, true).await;
        assert_eq!(events(world, "enrollment.moved").await, Vec::<Value>::new());
    })
    .await;
}
