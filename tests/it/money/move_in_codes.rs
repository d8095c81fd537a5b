//! Codes of a former shop: those that still have uses become vouchers and seats, with what is left of them.

use harness::steps::demo::PROGRAM;
use harness::steps::former_shop::{DATA, Export, OldOrder, WRITING, finding, move_in, section};
use harness::steps::learner_cart::{CART, learner, send};
use harness::steps::payments::{EMAIL, count};
use harness::{Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

/// A coupon of 25 percent off the course of [`WRITING`], with these terms.
fn coupon(id: i64, code: &str, terms: Value) -> Value {
    let mut row = json!({
        "t": "code", "id": id, "code": code, "usage": "Multi-use", "from": "2020-01-01T00:00:00.000000Z", "until": "2035-01-01T00:00:00.000000Z",
        "orders": 0, "offer_id": id, "applications": 0, "most": null, "kind": "Percentage", "value": "25.00", "range_id": 1, "coupon_id": 40,
        "coupon": "Spring", "partner_id": 1,
    });
    row.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
    row
}

fn export(user_id: i64) -> Export {
    let mut export = Export::default();
    export.user(7, user_id, EMAIL);
    export.row(json!({ "t": "product", "id": 40, "class": "coupon", "title": "Spring", "partner_id": 1, "sku": "C", "price": "0.00", "currency": "USD" }));
    export.row(json!({ "t": "range", "id": 1, "product_id": WRITING.1 }));
    export
}

async fn voucher(world: &World, code: &str) -> Value {
    let row = "SELECT to_jsonb(v) || jsonb_build_object('courses', (SELECT count(*) FROM voucher_scope s WHERE s.voucher_id = v.id))
               FROM vouchers v WHERE code = $1";
    sqlx::query_scalar(row).bind(code).fetch_optional(&world.db).await.unwrap().unwrap_or_default()
}

#[tokio::test]
async fn codes_keep_their_limits_dates_and_courses_and_count_what_was_used() {
    world(Setup::without_workers(), async |world| {
        let mut export = export(5000);
        export.row(coupon(1, "SPRING25", json!({ "most": 50, "applications": 2 })));
        export.row(coupon(2, "TENOFF", json!({ "kind": "Absolute", "value": "10.50" })));
        export.row(coupon(3, "ONLYONE", json!({ "usage": "Single use", "orders": 0, "most": 7 })));
        export.row(coupon(4, "ONCE", json!({ "usage": "Once per customer", "most": 3, "applications": 1 })));
        export.order(&OldOrder { product: WRITING.1, paid: "51.75", before: "69.00", ..OldOrder::of(1, 7) });
        export.row(json!({ "t": "code_use", "id": 1, "code_id": 4, "order_id": 1 }));
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        assert!(done, "{said}");
        assert_eq!(
            count(world, "SELECT count(*) FROM vouchers").await,
            0,
            "codes move at a moment of their own"
        );
        let (done, said) = move_in(world, &export, &["--apply", "--codes"]).await;
        assert!(done && said.contains("4 codes were written"), "{said}");

        let spring = voucher(world, "SPRING25").await;
        assert_eq!(
            (&spring["max_uses"], &spring["uses"], &spring["courses"], &spring["campaign"]),
            (&json!(50), &json!(2), &json!(1), &json!("Spring"))
        );
        assert_eq!(
            (&spring["percent"], &spring["valid_until"]),
            (&json!(25.0), &json!("2035-01-01T00:00:00+00:00")),
            "{spring}"
        );
        let ten = voucher(world, "TENOFF").await;
        assert_eq!((&ten["amount"], &ten["max_uses"]), (&json!(1050), &json!(10_000)), "{ten}");
        assert_eq!(voucher(world, "ONLYONE").await["max_uses"], 1);
        let once = voucher(world, "ONCE").await;
        assert_eq!((&once["max_uses_per_buyer"], &once["uses"]), (&json!(1), &json!(1)));
        let (done, said) = move_in(world, &export, &["--apply", "--codes"]).await;
        assert!(done && said.contains("0 codes were written"), "{said}");
    })
    .await;
}

#[tokio::test]
async fn a_code_of_the_former_shop_is_redeemed_and_not_by_whom_it_has_served() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (used, new) = (learner(world, EMAIL).await, learner(world, "bo@example.com").await);
        let mut export = export(used["user_id"].as_i64().unwrap());
        export.row(coupon(4, "ONCE", json!({ "usage": "Once per customer", "most": 3, "applications": 1 })));
        export.order(&OldOrder { product: WRITING.1, paid: "51.75", before: "69.00", ..OldOrder::of(1, 7) });
        export.row(json!({ "t": "code_use", "id": 1, "code_id": 4, "order_id": 1 }));
        let (done, said) = move_in(world, &export, &["--apply", "--codes"]).await;
        assert!(done, "{said}");
        let course: String = sqlx::query_scalar("SELECT id::text FROM courses WHERE openedx_course_id = $1")
            .bind(WRITING.0)
            .fetch_one(&world.db)
            .await
            .unwrap();
        let body =
            json!({ "items": [{ "type": "course", "id": course, "mode": "verified" }], "voucher": "once" });
        let put =
            async |user: &Value| send(world, user, "northwind", Method::PUT, CART, Some(body.clone())).await;
        let taken = put(&new).await;
        assert_eq!((taken.status, &taken.json["total_price"]), (200, &json!(51.75)), "{}", taken.text);
        let again = put(&used).await;
        assert!(
            again.text.contains("voucher") && again.json["total_price"] != json!(51.75),
            "{}",
            again.text
        );
    })
    .await;
}

#[tokio::test]
async fn an_enrollment_code_bought_there_gives_its_seat_here() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (buyer, student) = (learner(world, EMAIL).await, learner(world, "bo@example.com").await);
        let mut export = export(buyer["user_id"].as_i64().unwrap());
        export.order(&OldOrder { product: 13, before: "207.00", paid: "207.00", quantity: 3, ..OldOrder::of(1, 7) });
        for (id, code, uses) in [(1, "6JDSFQX6PPLN7YX6", 0), (2, "4ASTBG34N33LKWTU", 1), (3, "5LUDWE4T7Q7PGPOW", 0)] {
            let terms = json!({ "usage": "Single use", "orders": uses, "value": "100.00", "line_id": 10, "coupon": null, "coupon_id": null, "partner_id": null });
            export.row(coupon(id, code, terms));
        }
        let (done, said) = move_in(world, &export, &["--apply", "--codes"]).await;
        assert!(done && said.contains("2 codes were written"), "{said}");
        let codes = section(&said, "codes");
        assert!(codes.iter().any(|row| row["what"] == "used up" && row["codes"] == "1"), "{said}");
        let seat = voucher(world, "6JDSFQX6PPLN7YX6").await;
        assert_eq!((&seat["kind"], &seat["mode"], &seat["email"], &seat["max_uses"]), (&json!("seat"), &json!("verified"), &json!(EMAIL), &json!(1)));

        let course: String = sqlx::query_scalar("SELECT id::text FROM courses WHERE openedx_course_id = $1").bind(WRITING.0).fetch_one(&world.db).await.unwrap();
        let body = json!({ "items": [{ "type": "course", "id": course, "mode": "verified" }], "voucher": "6JDSFQX6PPLN7YX6" });
        let filled = send(world, &student, "northwind", Method::PUT, CART, Some(body)).await;
        assert_eq!((filled.status, &filled.json["total_price"]), (200, &json!(0)), "{}", filled.text);
        let answer = send(world, &student, "northwind", Method::POST, harness::steps::learner_cart::CHECKOUT, None).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        world.eventually("the seat is taken", async |world| {
            count(world, "SELECT count(*) FROM enrollments WHERE mode = 'verified' AND state = 'enrolled'").await == 1
        })
        .await;
    })
    .await;
}

/// Codes that no voucher is like: their terms, and the reason that the report gives.
fn inexpressible() -> Vec<(&'static str, Value, &'static str)> {
    let seat = |order: i64| json!({ "usage": "Single use", "value": "100.00", "line_id": order * 10, "coupon_id": null, "partner_id": null });
    vec![
        ("ÄRZTE20", json!({}), "a code here has 3 to 40 letters A to Z, digits, - and _"),
        (
            "THANKYOUFORTHELONGESTCODEOFTHISWHOLESHOP2026",
            json!({}),
            "a code here has 3 to 40 letters A to Z, digits, - and _",
        ),
        (
            "DOMAINS",
            json!({ "domains": "partner.example.com" }),
            "it is for addresses of partner.example.com alone",
        ),
        (
            "QUERY",
            json!({ "query": "org:(Nova)" }),
            "only the discovery service knows its courses: org:(Nova)",
        ),
        ("CATALOG", json!({ "catalog": 7 }), "only the discovery service knows its courses: catalog 7"),
        ("PERSON", json!({ "usage": "Multi-use-per-Customer" }), "only one person may use it, several times"),
        ("ODDUSAGE", json!({ "usage": "Sometimes" }), "its usage is Sometimes"),
        (
            "PROGRAM",
            json!({ "program": "a4f1c0de7d304c3e9b6e2f60a1c5b001", "range_id": null }),
            "the catalog has no program a4f1c0de7d304c3e9b6e2f60a1c5b001",
        ),
        ("UNKNOWN", json!({ "range_id": 2 }), "the catalog has no course course-v1:X+Y+Z"),
        ("NORANGE", json!({ "range_id": null }), "it names no courses"),
        ("EMPTY", json!({ "range_id": 9 }), "it names no courses"),
        (
            "ONEMODE",
            json!({ "range_id": 3 }),
            "it is not for professional of course-v1:Northwind+DS210+2026, and a voucher is for all modes of a course",
        ),
        ("TAKEN", json!({}), "there is a voucher with this code"),
        ("TWOOFFERS", json!({}), "it has several offers"),
        ("NOSELLER", json!({ "partner_id": null }), "its seller is unknown"),
        ("NOVALUE", json!({ "value": null }), "its discount is unknown"),
        ("TOOMUCH", json!({ "value": "120.00" }), "120.00 percent is more than 100"),
        ("EUROS", json!({ "kind": "Absolute", "coupon_id": 41 }), "its amount is not in USD"),
        ("FINER", json!({ "kind": "Absolute", "value": "10.505" }), "its amount has more decimals than USD"),
        ("LEFTOUT", seat(1), "its order is left out"),
        ("GIVENBACK", seat(2), "its line was refunded"),
        ("NOMODE", seat(3), "the catalog does not have its course in its mode"),
    ]
}

#[tokio::test]
async fn what_a_voucher_cannot_say_is_listed_by_code() {
    world(Setup::without_workers(), async |world| {
        let mut export = export(5000);
        for (id, class, course, certificate) in [(14, "seat", "course-v1:X+Y+Z", "verified"), (15, "seat", "course-v1:Northwind+DS210+2026", "verified"), (22, "enrollment-code", WRITING.0, "honor")] {
            export.row(json!({ "t": "product", "id": id, "class": class, "title": "x", "course": course, "partner_id": 1, "sku": format!("X{id}"), "currency": "USD", "certificate": certificate }));
        }
        export.row(json!({ "t": "range", "id": 2, "product_id": 14 }));
        export.row(json!({ "t": "range", "id": 3, "product_id": 15 }));
        export.row(json!({ "t": "product", "id": 41, "class": "coupon", "title": "Lente", "partner_id": 1, "sku": "D", "price": "0.00", "currency": "EUR" }));
        // Enrollment codes of an order that is left out, of one that was paid back, and of a mode that the catalog lacks.
        for (id, product) in [(1, 13), (2, 13), (3, 22)] {
            export.order(&OldOrder { product, ..OldOrder::of(id, 7) });
        }
        export.set(1, "payment", &json!({ "order_id": 999 }));
        export.refund(2, "Complete", "149.00");
        let cases = inexpressible();
        for (id, (code, terms, _)) in (100..).zip(&cases) {
            export.row(coupon(id, code, terms.clone()));
            if *code == "TWOOFFERS" {
                export.row(coupon(id, code, json!({ "offer_id": 7 })));
            }
        }
        // Of these, nothing is to be said.
        export.row(coupon(20, "OVER", json!({ "until": "2021-01-01T00:00:00.000000Z" })));
        export.row(coupon(21, "USEDUP", json!({ "most": 2, "applications": 2 })));
        sqlx::query(
            "INSERT INTO vouchers (id, organisation_id, code, kind, percent, currency, valid_from, created_at)
             SELECT gen_random_uuid(), id, 'TAKEN', 'percent', 10, currency, now(), now() FROM organisations WHERE short_name = 'northwind'",
        )
        .execute(&world.db)
        .await
        .unwrap();
        let (done, said) = move_in(world, &export, &["--apply", "--codes", "--leave-out"]).await;
        assert!(done && said.contains("0 codes were written"), "{said}");
        for (code, _, reason) in &cases {
            assert_eq!(finding(&said, "code", code).as_deref(), Some(*reason), "{said}");
        }
        assert_eq!(section(&said, "findings").iter().filter(|row| row["kind"] == "code").count(), cases.len(), "{said}");
        assert_eq!(count(world, "SELECT count(*) FROM vouchers").await, 1);
    })
    .await;
}

#[tokio::test]
async fn the_catalog_file_has_what_the_catalog_lacks_and_can_be_imported() {
    world(Setup::without_workers(), async |world| {
        let mut export = export(5000);
        export.row(json!({ "t": "product", "id": 14, "class": "seat", "title": "Seat in Towns", "course": "Nova/HIST1/2016_T1", "course_name": "Towns", "partner_id": 1, "sku": "F8C2A30", "price": "49.00", "currency": "USD", "certificate": "verified", "verified_id": 1, "expires": "2016-12-31T00:00:00.000000Z" }));
        export.row(json!({ "t": "product", "id": 15, "class": "course-entitlement", "title": "Any run of Towns", "course": null, "partner_id": 1, "sku": "2A675B0", "price": "95.00", "currency": "USD", "certificate": "verified" }));
        export.order(&OldOrder { product: 14, ..OldOrder::of(1, 7) });
        export.order(&OldOrder { product: 15, ..OldOrder::of(2, 7) });
        export.order(&OldOrder { product: DATA.1, ..OldOrder::of(3, 7) });
        let file = std::env::temp_dir().join(format!("{}.catalog", world.name));
        let path = file.to_str().unwrap();
        let (done, said) = move_in(world, &export, &["--catalog", path]).await;
        assert!(done && said.contains("2 courses and programs are in"), "{said}");
        let records: Vec<Value> = std::fs::read_to_string(&file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&records[0]["openedx_course_id"], &records[0]["modes"][0]["sku"]), (&json!("course-v1:Nova+HIST1_2016_T1+former"), &json!("F8C2A30")), "{records:?}");
        assert_eq!((&records[0]["modes"][0]["minPrice"], &records[0]["is_published"]), (&json!(49.0), &json!(false)));
        assert_eq!(records[1]["openedx_course_id"], "course-v1:old+2A675B0+former");
        let (done, said) = move_in(world, &export, &["--catalog", path]).await;
        assert!(!done && said.contains("exists already"), "{said}");
        let imported = harness::steps::worker_program::operator(world, &["catalog", "import", path], &["database-url", "redis-url", "redis-prefix"]).await;
        assert!(imported.0 && imported.1.contains("2 changed"), "{}", imported.1);
        std::fs::remove_file(&file).unwrap();
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        assert!(done && said.contains("3 orders were written"), "{said}");
    })
    .await;
}

#[tokio::test]
async fn a_discount_on_a_program_becomes_its_price_in_the_catalog_file() {
    world(Setup::without_workers(), async |world| {
        let mut export = export(5000);
        let [path, flat, unclear, none] = [1, 2, 3, 4].map(|n| format!("a4f1c0de-7d30-4c3e-9b6e-2f60a1c5b00{n}"));
        let data = PROGRAM.to_owned();
        let (two, clear) = ("course-v1:Northwind+DS210+2026", "course-v1:Northwind+SQL.120+2026");
        for (id, course) in [(&path, clear), (&flat, clear), (&unclear, two)] {
            for statement in [
                "INSERT INTO programs (id, organisation_id, name, description, about, achievements, is_invite_only, is_published, created_at)
                 SELECT $1::uuid, id, 'Path', 'd', 'a', 'x', false, true, now() FROM organisations WHERE short_name = 'northwind' AND $2 <> ''",
                "INSERT INTO program_courses (program_id, course_id, position)
                 SELECT $1::uuid, id, 1 FROM courses WHERE openedx_course_id IN ('course-v1:Northwind+DS101+2026', $2)",
            ] {
                sqlx::query(statement).bind(id).bind(course).execute(&world.db).await.unwrap();
            }
        }
        let over = json!({ "until": "2021-12-31T00:00:00.000000Z" });
        // What the shop has of each, and what becomes of it. The courses of the first two cost 149.00 and 79.99.
        let cases = [
            ("Ten", &path, "Percentage", "10.00", json!({}), "10.00 percent", "the catalog file has the price 206.10 USD"),
            ("Off", &flat, "Absolute", "15.00", json!({ "status": "Open" }), "15.00 USD", "the catalog file has the price 213.99 USD"),
            ("Two", &unclear, "Percentage", "10.00", json!({}), "10.00 percent", "course-v1:Northwind+DS210+2026 does not have one paid mode in USD"),
            ("Old", &path, "Percentage", "50.00", over, "50.00 percent", "it is not valid today"),
            ("Shut", &flat, "Percentage", "50.00", json!({ "status": "Suspended" }), "50.00 percent", "it is not valid today"),
            ("New", &none, "Percentage", "50.00", json!({}), "50.00 percent", "the catalog has no such program"),
            ("Has", &data, "Percentage", "50.00", json!({}), "50.00 percent", "the program has a price"),
        ];
        for (id, (name, program, benefit, value, more, ..)) in (1..).zip(&cases) {
            let mut row = json!({ "t": "program_offer", "id": id, "name": name, "partner_id": 1, "program": program.replace('-', ""), "benefit": format!("x.{benefit}Discount"), "value": value });
            row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            export.row(row);
        }
        let file = std::env::temp_dir().join(format!("{}.programs", world.name));
        let path_of_file = file.to_str().unwrap();
        let (done, said) = move_in(world, &export, &["--catalog", path_of_file]).await;
        assert!(done && said.contains("2 courses and programs are in"), "{said}");
        for (name, program, _, _, _, discount, fate) in &cases {
            let reason = format!("{discount} off all courses of program {}: {fate}", program.replace('-', ""));
            assert_eq!(finding(&said, "program offer", name), Some(reason), "{said}");
        }
        let imported = harness::steps::worker_program::operator(world, &["catalog", "import", path_of_file], &["database-url", "redis-url", "redis-prefix"]).await;
        assert!(imported.0, "{}", imported.1);
        std::fs::remove_file(&file).unwrap();
        let prices = "SELECT sum(price)::bigint FROM programs WHERE description = 'd'";
        assert_eq!(count(world, prices).await, 20_610 + 21_399);
    })
    .await;
}
