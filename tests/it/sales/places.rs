//! Courses with a capacity: no more places are sold than there are, and what ends an order gives its places back.

use chrono::TimeDelta;
use futures_util::future::join_all;
use harness::steps::demo::{FREE_COURSE, FREE_KEY, organisation};
use harness::steps::generation::raise_in_redis;
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use serde_json::{Value, json};

use crate::voucher_holds::pay;

const BOB: &str = "bob@example.com";

pub async fn limit(world: &World, course: &str, capacity: i32) {
    sqlx::query("UPDATE courses SET capacity = $2 WHERE id = $1::uuid")
        .bind(course)
        .bind(capacity)
        .execute(&world.db)
        .await
        .unwrap();
    // As an import does, so that no api shows what it has cached.
    let raised = "UPDATE catalog_generation SET generation = generation + 1 RETURNING generation";
    let generation: i64 = sqlx::query_scalar(raised).fetch_one(&world.db).await.unwrap();
    raise_in_redis(world, generation).await;
}

pub fn assert_sold_out(reply: &Reply) {
    reply.assert_problem(400, "invalid_items");
    assert_eq!(reply.faulty_fields(), ["items[0].id"]);
    assert!(reply.json["errors"][0]["message"].as_str().unwrap().ends_with("is sold out"), "{}", reply.text);
}

async fn free(world: &World, email: &str, organisation: &str) -> Reply {
    let items = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
    let body = json!({ "email": email, "organisation_id": organisation, "items": items });
    world.post_patiently(GUEST_CHECKOUT, &body).await
}

#[tokio::test]
async fn three_hundred_buyers_of_thirty_places_get_thirty() {
    let setup = Setup {
        api_args: vec!["--asks-in-flight=400".into(), "--ask-deadline=60s".into()],
        ..Setup::default()
    };
    world(setup, async |world| {
        limit(world, FREE_COURSE, 30).await;
        let northwind = organisation(world, "northwind").await;
        let emails: Vec<String> = (0..300).map(|nth| format!("buyer{nth}@example.com")).collect();
        let replies = join_all(emails.iter().map(|email| free(world, email, &northwind))).await;
        let sold = replies.iter().filter(|reply| reply.status == 200).count();
        replies.iter().filter(|reply| reply.status != 200).for_each(assert_sold_out);
        assert_eq!(sold, 30);
        assert_eq!(count(world, "SELECT count(*) FROM carts WHERE state <> 'open'").await, 30);
        // Who has a place gets the same answer again.
        let (first, _) = emails.iter().zip(&replies).find(|(_, reply)| reply.status == 200).unwrap();
        assert_eq!(free(world, first, &northwind).await.status, 200);
    })
    .await;
}

/// Checks the places that the detail shows, once the api knows the generation.
pub async fn shows(world: &World, key: &str, places: Value) {
    world
        .eventually("the detail shows the places", async |world| {
            let detail = world.get(&format!("/storeapi/discovery/course/{key}/")).await;
            assert_eq!(detail.status, 200, "{}", detail.text);
            detail.json["places_left"] == places
        })
        .await;
}

#[tokio::test]
async fn the_last_place_comes_back_with_an_expired_hold() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation: &Organisation = &ORGANISATIONS[0];
        shows(world, organisation.key, Value::Null).await;
        limit(world, organisation.course, 1).await;
        let (ada, bob) = (world.platform_user(EMAIL).await, world.platform_user(BOB).await);
        let first = world.learner_checkout(organisation, &ada).await;
        let cart = cart_id(&first).to_owned();
        assert_sold_out(&world.learner_checkout(organisation, &bob).await);
        assert_eq!(cart_id(&world.learner_checkout(organisation, &ada).await), cart, "the same attempt");
        // A buyer who does not pay loses the place, as a voucher's use; who then pays all the same has bought it.
        world.clock.advance(TimeDelta::minutes(61));
        let second = world.learner_checkout(organisation, &bob).await;
        assert_eq!(second.status, 200, "{}", second.text);
        pay(world, &cart).await;
        pay(world, cart_id(&second)).await;
        limit(world, organisation.course, 2).await;
        shows(world, organisation.key, json!(0)).await;
        assert_sold_out(
            &world.learner_checkout(organisation, &world.platform_user("eve@example.com").await).await,
        );
    })
    .await;
}

#[tokio::test]
async fn the_last_place_comes_back_with_a_refund() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation: &Organisation = &ORGANISATIONS[0];
        limit(world, organisation.course, 1).await;
        let (ada, bob) = (world.platform_user(EMAIL).await, world.platform_user(BOB).await);
        let cart = cart_id(&world.learner_checkout(organisation, &ada).await).to_owned();
        let payment = world.payment(&cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        assert_sold_out(&world.learner_checkout(organisation, &bob).await);
        world.at_provider("refund", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "refunded").await;
        limit(world, organisation.course, 1).await;
        shows(world, organisation.key, json!(1)).await;
        assert_eq!(world.learner_checkout(organisation, &bob).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn an_upgrade_takes_no_place_and_seats_take_as_many_as_they_are() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let ada = world.platform_user(EMAIL).await;
        let cart = cart_id(&world.learner_checkout(organisation, &ada).await).to_owned();
        let payment = world.payment(&cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        limit(world, organisation.course, 1).await;
        let upgrade = Organisation { mode: "professional", ..ORGANISATIONS[0] };
        let reply = world.learner_checkout(&upgrade, &ada).await;
        assert_eq!((reply.status, &reply.json["items_detail"][0]["upgrade_from"]), (200, &json!("verified")));
        let seats = async |number: i32| {
            let mut body = world.basket(organisation).await;
            body["items"][0]["seats"] = json!(number);
            body["email"] = json!(BOB);
            world.post(GUEST_CHECKOUT, &body).await
        };
        limit(world, organisation.course, 5).await;
        assert_sold_out(&seats(5).await);
        assert_eq!(seats(4).await.status, 200);
        shows(world, organisation.key, json!(0)).await;
    })
    .await;
}

#[tokio::test]
async fn a_quote_and_a_cart_say_that_a_course_is_sold_out() {
    world(Setup::default(), async |world| {
        let northwind = organisation(world, "northwind").await;
        limit(world, FREE_COURSE, 1).await;
        assert_eq!(free(world, EMAIL, &northwind).await.status, 200);
        shows(world, FREE_KEY, json!(0)).await;
        let items = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
        let quote = world
            .post("/storeapi/discovery/quote/", &json!({ "organisation_id": northwind, "items": items }))
            .await;
        assert_sold_out(&quote);
        let bob = harness::steps::learner_cart::learner(world, BOB).await;
        let cart = harness::steps::learner_cart::items(&[(FREE_COURSE, "audit")]);
        let put = harness::steps::learner_cart::send(
            world,
            &bob,
            "northwind",
            reqwest::Method::PUT,
            "/storeapi/payment/cart/",
            Some(cart),
        );
        assert_sold_out(&put.await);
    })
    .await;
}
