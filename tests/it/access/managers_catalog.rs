//! What managers change of their organisation's courses: what buyers see, and prices that are the organisation's own.

use harness::steps::console::{OWN, get, key as form_key, post, with_console};
use harness::steps::demo::{PAID_COURSE, PAID_KEY};
use harness::steps::payments::count;
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
