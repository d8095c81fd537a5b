//! What managers change of their organisation's courses: what buyers see, and prices that are the organisation's own.

use harness::steps::console::{OWN, get, key as form_key, post, with_console};
use harness::steps::demo::{PAID_COURSE, PAID_KEY};
use harness::steps::payments::count;
use harness::steps::refunds::bought;
use harness::steps::staff::{act, look, staff};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

const COURSES: &str = "/storeapi/support/courses/";

async fn listed(world: &World) -> bool {
    let page = Reply::read(world.request(Method::GET, "/storeapi/discovery/courses/?limit=100")).await;
    assert_eq!(page.status, 200, "{}", page.text);
    page.text.contains(PAID_KEY)
}

async fn price(world: &World) -> Value {
    let key = PAID_KEY.replace('+', "%2B");
    let path = format!("/storeapi/discovery/course/{key}/");
    let detail = Reply::read(world.request(Method::GET, &path)).await.json;
    let modes = detail["available_course_modes"].as_array().unwrap().clone();
    modes.into_iter().find(|mode| mode["modeSlug"] == "verified").unwrap()["minPrice"].clone()
}

#[tokio::test]
async fn a_manager_changes_what_buyers_see_and_pay() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let own = look(world, &noor, &format!("{COURSES}?text=ds210")).await;
        assert_eq!(
            (&own.json["courses"][0]["openedx_course_id"], &own.json["courses"][0]["is_published"]),
            (&json!(PAID_KEY), &json!(true)),
            "{}",
            own.text
        );
        let change = async |body: Value| act(world, &noor, COURSES, &body).await;
        let hide = change(json!({ "openedx_course_id": PAID_KEY, "hidden": true })).await;
        assert_eq!(hide.status, 204, "{}", hide.text);
        world.eventually("no list has it", async |world| !listed(world).await).await;
        let show = json!({ "openedx_course_id": PAID_KEY, "hidden": false, "mode": "verified", "price": 149.5 });
        assert_eq!(change(show).await.status, 204);
        world.eventually("the list has it again", async |world| listed(world).await).await;
        world.eventually("the detail has the new price", async |world| price(world).await == json!(149.5)).await;
        let quote = world.guest_checkout(&ORGANISATIONS[0], "ada@example.com").await;
        assert_eq!(quote.json["total_price"], json!(149.5), "{}", quote.text);
        let kept = "SELECT count(*) FROM audit_log WHERE entity = 'catalog' AND to_state = 'changed' AND actor LIKE 'staff:%'";
        assert_eq!(count(world, kept).await, 2);
    })
    .await;
}

#[tokio::test]
async fn a_manager_sets_prices_that_hold_for_a_time() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let change = async |mode: &str, prices: Value| {
            let body = json!({ "openedx_course_id": PAID_KEY, "mode": mode, "dated_prices": prices });
            act(world, &noor, COURSES, &body).await
        };
        let later = "2999-01-01T00:00:00Z";
        for (prices, field) in [
            (json!([{ "price": 1 }]), "dated_prices[0].name"),
            (json!([{ "name": "x", "price": "1" }]), "dated_prices[0].price"),
            (json!([{ "name": "x", "until": "tomorrow", "price": 1 }]), "dated_prices[0].until"),
            (json!([{ "name": "x", "price": 1, "uses": 3 }]), "dated_prices[0].uses"),
            (json!([{ "name": "x", "price": 199 }]), "dated_prices"),
            (json!([{ "name": "x", "price": 1.001 }]), "dated_prices"),
            (json!([{ "name": "x", "percent_off": 101 }]), "dated_prices"),
            (json!([{ "name": "x", "from": later, "until": later, "price": 1 }]), "dated_prices"),
            (
                json!([{ "name": "x", "price": 1 }, { "name": "x", "until": later, "price": 2 }]),
                "dated_prices",
            ),
            (json!([{ "name": "x", "until": "2020-01-01T00:00:00Z", "price": 1 }]), "dated_prices"),
            (json!({ "name": "x", "price": 1 }), "dated_prices"),
        ] {
            let refused = change("verified", prices).await;
            assert_eq!(
                refused.assert_problem(400, "invalid_request").faulty_fields(),
                [field],
                "{}",
                refused.text
            );
        }
        assert_eq!(count(world, "SELECT count(*) FROM course_modes WHERE dated_prices <> '[]'").await, 0);
        let prices = json!([{ "name": "Early bird", "until": later, "percent_off": 12.5 }]);
        assert_eq!(change("verified", prices.clone()).await.status, 204);
        let own = look(world, &noor, &format!("{COURSES}?text=ds210")).await.json;
        let modes = own["courses"][0]["modes"].as_array().unwrap();
        let verified = modes.iter().find(|mode| mode["mode"] == "verified").unwrap();
        assert_eq!((&verified["price"], &verified["dated_prices"]), (&json!(199), &prices));
        let total = async |email: &str| {
            world.guest_checkout(&ORGANISATIONS[0], email).await.json["total_price"].clone()
        };
        assert_eq!(total("ada@example.com").await, json!(174.13));
        assert_eq!(change("verified", json!([])).await.status, 204);
        assert_eq!(total("bob@example.com").await, json!(199));
        // What it cost before is remembered for the lowest price before a reduction.
        assert_eq!(count(world, "SELECT count(*) FROM former_prices WHERE price = 19900").await, 2);
    })
    .await;
}

#[tokio::test]
async fn what_is_not_the_managers_is_refused_and_stays() {
    world(Setup::default(), async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["manager"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["support", "finance"]).await;
        let of = |more: Value| {
            let mut body = json!({ "openedx_course_id": PAID_KEY });
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            body
        };
        for (more, field) in [
            (json!({ "price": 1 }), "mode"),
            (json!({ "visible": false }), "mode"),
            (json!({ "mode": "honor", "price": 1 }), "mode"),
            (json!({ "mode": "verified", "price": 1.001 }), "price"),
            (json!({ "mode": "verified", "price": -1 }), "price"),
            (json!({ "is_published": "no" }), "is_published"),
        ] {
            let refused = act(world, &noor, COURSES, &of(more)).await;
            assert_eq!(
                refused.assert_problem(400, "invalid_request").faulty_fields(),
                [field],
                "{}",
                refused.text
            );
        }
        let hide = of(json!({ "hidden": true }));
        let foreign = act(world, &eve, COURSES, &hide).await;
        assert_eq!(foreign.assert_problem(400, "invalid_request").faulty_fields(), ["openedx_course_id"]);
        act(world, &sam, COURSES, &hide).await.assert_problem(403, "forbidden");
        look(world, &sam, COURSES).await.assert_problem(403, "forbidden");
        assert!(!look(world, &eve, &format!("{COURSES}?limit=100")).await.text.contains(PAID_KEY));
        // The course platform sets the price of what it synchronises.
        sqlx::query("INSERT INTO synced_courses (course_id, synced_at) VALUES ($1::uuid, now())")
            .bind(PAID_COURSE)
            .execute(&world.db)
            .await
            .unwrap();
        let priced = of(json!({ "mode": "verified", "price": 1 }));
        let refused = act(world, &noor, COURSES, &priced).await;
        assert!(
            refused.assert_problem(400, "invalid_request").text.contains("course platform"),
            "{}",
            refused.text
        );
        sqlx::query("INSERT INTO platform_organisations (org, prices) VALUES ('NORTHWIND', 'own')")
            .execute(&world.db)
            .await
            .unwrap();
        assert_eq!(act(world, &noor, COURSES, &priced).await.status, 204);
    })
    .await;
}

#[tokio::test]
async fn the_console_shows_the_catalog_and_changes_it() {
    world(with_console(), async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["support", "finance"]).await;
        let path = "/console/northwind/catalog/";
        assert_eq!(get(world, &sam, path).await.status, 403);
        let page = get(world, &noor, &format!("{path}?text=DS210")).await;
        assert!(page.text.contains("on sale") && page.text.contains("Price in USD"), "{}", page.text);
        let key = form_key(&page);
        let hide = [("key", key.as_str()), ("course", PAID_KEY), ("is_published", "yes"), ("hidden", "yes")];
        assert_eq!(post(world, &sam, path, OWN, &hide).await.status, 403);
        let reply = post(world, &noor, path, OWN, &hide).await;
        let course = "course-v1%3ANorthwind%2BDS210%2B2026";
        let next = format!("{path}?text={course}&open={course}&done=catalog");
        assert_eq!((reply.status, reply.header("location")), (303, next.as_str()), "{}", reply.text);
        let page = get(world, &noor, &next).await;
        assert!(
            page.text.contains("in no list") && page.text.contains("The course is changed"),
            "{}",
            page.text
        );
        let key = uuid::Uuid::now_v7().to_string();
        let fields = |price| {
            [
                ("key", key.as_str()),
                ("course", PAID_KEY),
                ("mode", "verified"),
                ("visible", "yes"),
                ("price_before", "199.0"),
                ("price", price),
            ]
        };
        let wrong = post(world, &noor, path, OWN, &fields("1,000")).await;
        assert!(wrong.status == 400 && wrong.text.contains("is not clear"), "{}", wrong.text);
        assert_eq!(post(world, &noor, path, OWN, &fields("149.50")).await.status, 303);
        let page = get(world, &noor, &next).await;
        assert!(page.text.contains("value=\"149.5\""), "{}", page.text);
    })
    .await;
}

#[tokio::test]
async fn the_console_adds_dated_prices_and_takes_them_out() {
    world(with_console(), async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let path = "/console/northwind/catalog/";
        let shown = format!("{path}?text=DS210");
        let send = async |more: &[(&str, &str)]| {
            let key = uuid::Uuid::now_v7().to_string();
            let of = [("key", key.as_str()), ("course", PAID_KEY), ("mode", "verified"), ("currency", "USD")];
            post(world, &noor, path, OWN, &[&of[..], more].concat()).await
        };
        let early = [
            ("dated", "add"),
            ("name", "Spring"),
            ("price", "149,50"),
            ("percent_off", ""),
            ("from", ""),
            ("until", "2999-01-31T23:59"),
        ];
        assert_eq!(send(&early).await.status, 303);
        let half = [
            ("dated", "add"),
            ("name", "Half"),
            ("price", ""),
            ("percent_off", "50"),
            ("from", "2998-01-31T00:00:00"),
            ("until", ""),
        ];
        assert_eq!(send(&half).await.status, 303);
        let page = get(world, &noor, &shown).await;
        for part in [
            "Dated prices (2)",
            "Spring",
            "$149.50",
            "until Jan 31, 2999, 23:59",
            "−50%",
            "from Jan 31, 2998",
        ] {
            assert!(page.text.contains(part), "{part} is missing: {}", page.text);
        }
        let faulty = send(&[("dated", "add"), ("name", "Dear"), ("price", "500")]).await;
        assert!(faulty.status == 400 && faulty.text.contains("not below the full one"), "{}", faulty.text);
        // What a colleague has taken out meanwhile is not something else.
        let remove = [("dated", "remove"), ("name", "Spring"), ("place", "0")];
        assert_eq!(send(&remove).await.status, 303);
        assert_eq!(send(&remove).await.status, 400);
        let page = get(world, &noor, &shown).await;
        assert!(!page.text.contains("Spring") && page.text.contains("Half"), "{}", page.text);
    })
    .await;
}

/// Kuwaiti dinars have three decimals (ISO 4217).
#[tokio::test]
async fn a_price_of_three_decimals_is_taken_as_the_form_shows_it() {
    world(with_console(), async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let priced = "UPDATE course_modes m SET currency = 'KWD', price = 10005 FROM courses c
                      WHERE c.id = m.course_id AND c.openedx_course_id = $1 AND m.slug = 'verified'";
        sqlx::query(priced).bind(PAID_KEY).execute(&world.db).await.unwrap();
        let path = "/console/northwind/catalog/";
        let page = get(world, &noor, &format!("{path}?text={PAID_KEY}")).await;
        for part in ["name=\"currency\" value=\"KWD\"", "value=\"10.005\""] {
            assert!(page.text.contains(part), "{part} is missing: {}", page.text);
        }
        let key = form_key(&page);
        let change = async |price: &str| {
            let fields = [
                ("key", key.as_str()),
                ("course", PAID_KEY),
                ("mode", "verified"),
                ("currency", "KWD"),
                ("visible", "yes"),
                ("price_before", "10.005"),
                ("price", price),
            ];
            post(world, &noor, path, OWN, &fields).await
        };
        // A thousand to one writer, and one dinar to another.
        assert_eq!(change("1,000").await.status, 400);
        assert_eq!(change("12.345").await.status, 303);
        let price = "SELECT count(*) FROM course_modes WHERE currency = 'KWD' AND price = 12345";
        assert_eq!(count(world, price).await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_manager_sees_who_waits_in_numbers_and_puts_an_address_first() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..with_console() };
    world(setup, async |world| {
        world.sell().await;
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let page = get(world, &noor, "/console/northwind/catalog/?text=ds210").await;
        assert!(!page.text.contains("Waiting list"), "{}", page.text);
        let waiting = "INSERT INTO waiting_list (id, course_id, email, state, joined_at)
                       SELECT gen_random_uuid(), $1::uuid, 'waiting' || n || '@example.com', 'waiting', now() + n * interval '1 second'
                       FROM generate_series(1, 3) n";
        sqlx::query("UPDATE courses SET capacity = 1").execute(&world.db).await.unwrap();
        bought(world, &ORGANISATIONS[0], "ada@example.com").await;
        sqlx::query(waiting).bind(PAID_COURSE).execute(&world.db).await.unwrap();
        let own = look(world, &noor, &format!("{COURSES}?text=ds210")).await;
        let numbers = json!({ "waiting": 3, "offered": 0, "bought": 0, "lapsed": 0 });
        assert_eq!(own.json["courses"][0]["waiting_list"], numbers);

        let page = get(world, &noor, "/console/northwind/catalog/?text=ds210").await;
        assert!(page.text.contains("Waiting: 3; offered a place: 0;"), "{}", page.text);
        let unknown = json!({ "openedx_course_id": PAID_KEY, "email": "unknown@example.com" });
        let refused = act(world, &noor, &format!("{COURSES}waiting-list/first/"), &unknown).await;
        refused.assert_problem(400, "invalid_request");
        assert_eq!(refused.faulty_fields(), ["email"]);
        let key = form_key(&page);
        let form = [("key", &*key), ("course", PAID_KEY), ("first", "yes"), ("email", "waiting3@example.com")];
        assert_eq!(post(world, &noor, "/console/northwind/catalog/", OWN, &form).await.status, 303);
        sqlx::query("UPDATE courses SET capacity = 2").execute(&world.db).await.unwrap();
        let offered = "SELECT count(*) FROM waiting_list WHERE state = 'offered' AND email = 'waiting3@example.com'";
        world.eventually("the first is offered a place", async |world| count(world, offered).await == 1).await;
    })
    .await;
}
