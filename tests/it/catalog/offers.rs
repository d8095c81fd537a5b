//! What courses cost, as pages of other hosts read it: without a credential, for the visitor's country, and as the quote says.

use harness::steps::credentials::session;
use harness::steps::demo::{INVITE_ONLY_COURSE, PAID_COURSE, PAID_KEY, UNPUBLISHED_COURSE};
use harness::steps::payments::EMAIL;
use harness::steps::tax::{cents, import, rate, seller};
use harness::{ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

const PATH: &str = "/storeapi/discovery/offers/";

/// A course with the mode audit alone.
const FREE_KEY: &str = "course-v1:Northwind+HIS170+2024";

fn path(keys: &[&str]) -> String {
    let query: Vec<String> = keys.iter().map(|key| format!("course={}", key.replace('+', "%2B"))).collect();
    format!("{PATH}?{}", query.join("&"))
}

/// Reads offers as a page on another host does, for a visitor whose country is unknown.
async fn read(world: &World, keys: &[&str]) -> Reply {
    Reply::read(world.http.get(world.url(&path(keys))).header("origin", "https://apps.example.com")).await
}

/// Reads the only offer for a visitor from here.
async fn seen_from(world: &World, key: &str, country: &str) -> Value {
    let request = world.request(Method::GET, &path(&[key])).header("X-Visitor-Country", country);
    let reply = Reply::read(request).await;
    assert_eq!(reply.json["offers"].as_array().map(Vec::len), Some(1), "{}", reply.text);
    reply.json["offers"][0].clone()
}

async fn key_of(world: &World, course: &str) -> String {
    sqlx::query_scalar("SELECT openedx_course_id FROM courses WHERE id = $1::uuid")
        .bind(course)
        .fetch_one(&world.db)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_page_of_any_origin_reads_offers_and_learns_nothing_of_who_is_signed_in() {
    world(Setup::selling(), async |world| {
        let anonymous = read(world, &[PAID_KEY, FREE_KEY, "course-v1:No+Such+Course", PAID_KEY]).await;
        assert_eq!(anonymous.status, 200, "{}", anonymous.text);
        let offers = anonymous.json["offers"].as_array().unwrap();
        let keys: Vec<&str> = offers.iter().map(|one| one["openedx_course_id"].as_str().unwrap()).collect();
        assert_eq!(keys, [PAID_KEY, FREE_KEY]);
        assert_eq!(offers[1]["modes"], json!([]), "what is free needs no page for buying");
        let modes: Vec<&str> = offers[0]["modes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|mode| mode["mode_slug"].as_str().unwrap())
            .collect();
        assert_eq!(modes, ["verified", "professional"]);

        let ada = world.platform_user(EMAIL).await;
        for (name, value) in [
            ("cookie", session(&ada)),
            ("cookie", "sessionid=1|broken|form".to_owned()),
            ("authorization", format!("Bearer {}", ada["bearer"].as_str().unwrap())),
            ("authorization", "JWT broken".to_owned()),
        ] {
            let request = world.http.get(world.url(&path(&[FREE_KEY, PAID_KEY])));
            let known =
                Reply::read(request.header("origin", "https://evil.example").header(name, value)).await;
            assert_eq!((known.status, &known.json), (200, &anonymous.json));
            assert_eq!(known.header("access-control-allow-origin"), "*");
            assert_eq!(known.header("access-control-allow-credentials"), "");
            assert_eq!(known.header("set-cookie"), "");
        }
        assert!(anonymous.header("cache-control").contains("private"));
        // No other route of the catalog lets such a page read it.
        let list = Reply::read(world.request(Method::GET, "/storeapi/discovery/courses/")).await;
        assert_eq!((list.status, list.header("access-control-allow-origin")), (200, ""));
    })
    .await;
}

/// Asserts that a visitor from here is offered the organisation's course for what the quote then asks.
async fn is_quoted(world: &World, shop: &Organisation, country: &str) -> Value {
    let offer = seen_from(world, shop.key, country).await;
    let basket = world.basket(shop).await;
    let mode = basket["items"][0]["mode"].as_str().unwrap();
    let of_mode = offer["modes"].as_array().unwrap().iter().find(|one| one["mode_slug"] == mode);
    let offered = of_mode.unwrap_or_else(|| panic!("{offer}")).clone();
    let request =
        world.request(Method::POST, "/storeapi/discovery/quote/").header("X-Visitor-Country", country);
    let quote = Reply::read(request.json(&basket)).await.json;
    assert_eq!(cents(&offered["price"]), cents(&quote["total_price"]), "{country} {offered} {quote}");
    let taxed = offered["tax"] == "included";
    assert_eq!(taxed, quote["tax"].as_f64().is_some_and(|tax| tax > 0.0), "{country} {offered} {quote}");
    offered
}

#[tokio::test]
async fn the_price_is_the_one_that_the_quote_asks_with_tax_and_discount_in_each_country() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let [on_top, included, by_state, untaxed] = &ORGANISATIONS;
        let exclusive = json!({ "prices_include_tax": false });
        import(
            world,
            &[
                seller(on_top, "FR", exclusive.clone()),
                rate(on_top, "FR", &[("TVA", 20.0)]),
                rate(on_top, "SE", &[("Moms", 25.0)]),
                rate(on_top, "IN", &[("CGST", 9.0), ("SGST", 9.0)]),
                rate(on_top, "BR", &[("none", 0.0)]),
                seller(included, "DE", json!({ "prices_include_tax": true })),
                rate(included, "DE", &[("USt", 19.0)]),
                seller(by_state, "IN", exclusive),
                rate(by_state, "US/NY", &[("Sales tax", 8.875)]),
            ],
        )
        .await
        .unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for country in ["FR", "MC", "SE", "IN", "BR", "DE", "NG", "JP", ""] {
            for shop in [on_top, included, untaxed] {
                let offered = is_quoted(world, shop, country).await;
                let is_discounted = offered["discount_pct"] != json!(0);
                assert_eq!(is_discounted, offered["price"] != offered["original_price"], "{offered}");
                seen.insert((offered["tax"].to_string(), is_discounted));
            }
        }
        assert_eq!(seen.len(), 4, "{seen:?}");
        // Nobody knows the state before there is an address.
        let american = seen_from(world, by_state.key, "US").await["modes"][0].clone();
        assert_eq!((&american["tax"], &american["tax_pct"]), (&json!("excluded"), &Value::Null));
        let french = is_quoted(world, on_top, "MC").await;
        assert_eq!((&french["tax"], &french["tax_pct"]), (&json!("included"), &json!(20)));
    })
    .await;
}

#[tokio::test]
async fn a_course_is_offered_as_sold_out_or_closed_and_never_for_sale_when_the_quote_would_refuse_it() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let state = async |key: &str| seen_from(world, key, "SE").await["availability"].clone();
        assert_eq!(state(PAID_KEY).await, "open");
        assert_eq!(state(&key_of(world, INVITE_ONLY_COURSE).await).await, "closed");
        let hidden = read(world, &[&key_of(world, UNPUBLISHED_COURSE).await]).await;
        assert_eq!(hidden.json["offers"], json!([]));
        world.platform_user(EMAIL).await;
        let taken = world.enroll(EMAIL, PAID_COURSE, "verified").await;
        assert_eq!(taken.status, 200, "{}", taken.text);
        for (change, expected) in [
            ("capacity = 1", "sold_out"),
            ("capacity = 2", "open"),
            ("enrollment_end = '2000-01-01'", "closed"),
            ("enrollment_end = NULL, enrollment_start = '2100-01-01'", "closed"),
            ("enrollment_start = NULL, ends_at = '2000-01-01'", "closed"),
        ] {
            let change = format!("WITH changed AS (UPDATE courses SET {change} WHERE id = $1::uuid) UPDATE catalog_generation SET generation = generation + 1");
            sqlx::query(sqlx::AssertSqlSafe(change)).bind(PAID_COURSE).execute(&world.db).await.unwrap();
            world
                .eventually("the change shows", async |_| state(PAID_KEY).await == expected)
                .await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_program_is_offered_with_its_courses_and_its_link_opens_the_page_that_sells_it() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (course, program, name): (String, String, String) = sqlx::query_as(
            "SELECT c.openedx_course_id, p.id::text, p.name FROM programs p JOIN program_courses x ON x.program_id = p.id
             JOIN courses c ON c.id = x.course_id JOIN course_modes m ON m.course_id = c.id AND m.price > 0
             WHERE p.is_published AND p.price > 0 AND NOT p.is_invite_only ORDER BY p.id, x.position LIMIT 1",
        )
        .fetch_one(&world.db)
        .await
        .unwrap();
        let offer = seen_from(world, &course, "SE").await;
        let programs = offer["programs"].as_array().unwrap();
        let offered = programs.iter().find(|one| one["id"] == program.as_str()).unwrap_or_else(|| panic!("{offer}"));
        assert_eq!(offered["name"], name.as_str());

        let mode = offered["mode_slug"].as_str().unwrap();
        let ada = session(&world.platform_user(EMAIL).await);
        let open = async |query: String| {
            let request = world.http.get(world.url(&format!("/storeapi/payment/buy/?{query}")));
            Reply::read(request.header("accept", "text/html").header("cookie", &ada)).await
        };
        let page = open(format!("program={program}&mode={mode}")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert!(page.text.contains(&name), "{}", page.text);
        for wrong in [format!("program={program}"), format!("program=none&mode={mode}"), format!("program={PAID_COURSE}&mode={mode}")] {
            assert_eq!(open(wrong.clone()).await.status, 404, "{wrong}");
        }
        // A program with a course that nobody can buy now is not offered.
        sqlx::query("WITH changed AS (UPDATE courses SET is_invite_only = true WHERE openedx_course_id = $1) UPDATE catalog_generation SET generation = generation + 1")
            .bind(&course)
            .execute(&world.db)
            .await
            .unwrap();
        world
            .eventually("the program is gone", async |_| seen_from(world, &course, "SE").await["programs"] == json!([]))
            .await;
    })
    .await;
}

#[tokio::test]
async fn one_address_reads_offers_so_often_a_minute_and_no_more_than_fifty_at_once() {
    let setup = Setup { api_args: vec!["--rate-limit-per-minute=3".to_owned()], ..Setup::without_workers() };
    world(setup, async |world| {
        let many: Vec<&str> = std::iter::repeat_n(PAID_KEY, 51).collect();
        let refused = read(world, &many).await;
        assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["course"]);
        assert_eq!(read(world, &many[..50]).await.status, 200);
        assert_eq!(read(world, &[]).await.json, json!({ "offers": [] }));
        while read(world, &[PAID_KEY]).await.status == 200 {}
        read(world, &[PAID_KEY]).await.assert_problem(429, "rate_limited");
    })
    .await;
}
