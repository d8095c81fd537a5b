//! Faulty requests: the api answers with a problem that names every fault, and writes nothing.

use harness::steps::demo::{FREE_COURSE, FREE_KEY, UNKNOWN_ID};
use harness::{Reply, SECRET, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

const ENROLL: &str = "/storeapi/enrollments/client/enroll/";
const UNENROLL: &str = "/storeapi/enrollments/client/unenroll/";
const CHECKOUT: &str = "/storeapi/discovery/guest/checkout/";

async fn assert_nothing_written(world: &World) {
    let written: i64 = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM enrollments) + (SELECT count(*) FROM carts) + (SELECT count(*) FROM learners)
              + (SELECT count(*) FROM commands) + (SELECT count(*) FROM outbox) + (SELECT count(*) FROM audit_log)",
    )
    .fetch_one(&world.db)
    .await
    .unwrap();
    assert_eq!(written, 0);
}

async fn send(world: &World, path: &str, content_type: &str, body: impl Into<reqwest::Body>) -> Reply {
    Reply::read(world.request(Method::POST, path).header("content-type", content_type).body(body)).await
}

#[tokio::test]
async fn every_faulty_field_is_named() {
    world(Setup::default(), async |world| {
        let reply = world
            .post(ENROLL, &json!({ "email": "no address", "course_id": "x", "price": 1, "is_staff": true }))
            .await;
        let expected = ["email", "course_id", "mode", "is_staff", "price"];
        assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), expected, "{}", reply.text);

        let reply = world.post(UNENROLL, &json!({ "email": 5, "course_id": null, "mode": "audit" })).await;
        assert_eq!(
            reply.assert_problem(400, "invalid_request").faulty_fields(),
            ["email", "course_id", "mode"]
        );

        let items = json!([{ "type": "book", "id": 7, "mode": "audit", "price": 0 }, "x"]);
        let address = json!({ "country": "Sweden", "line1": ["a"], "planet": "Earth" });
        let body =
            json!({ "email": "a@b", "organisation_id": "1", "items": items, "billing_address": address });
        let reply = world.post(CHECKOUT, &body).await;
        assert_eq!(
            reply.assert_problem(400, "invalid_request").faulty_fields(),
            [
                "email",
                "organisation_id",
                "items[0].type",
                "items[0].id",
                "items[0].price",
                "items[1]",
                "billing_address.line1",
                "billing_address.country",
                "billing_address.planet",
            ]
        );
        assert_nothing_written(world).await;
    })
    .await;
}

#[tokio::test]
async fn bodies_that_are_no_json_object_are_refused() {
    world(Setup::default(), async |world| {
        for body in ["", "{", "[]", "null", "\"x\"", "{\"email\": }", "\u{0}", "{\"a\":1}{}"] {
            for path in [ENROLL, UNENROLL, CHECKOUT] {
                send(world, path, "application/json", body).await.assert_problem(400, "invalid_request");
            }
        }
        send(world, ENROLL, "application/json", vec![0xff, 0xfe, b'{'])
            .await
            .assert_problem(400, "invalid_request");
        // Nested deeper than any parser should follow.
        send(world, ENROLL, "application/json", "[".repeat(60_000))
            .await
            .assert_problem(400, "invalid_request");
        send(world, ENROLL, "application/json", format!("{{\"a\":\"{}\"}}", "x".repeat(70_000)))
            .await
            .assert_problem(413, "body_too_large");
        for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
            send(world, ENROLL, content_type, "{}").await.assert_problem(415, "unsupported_media_type");
        }
        let chunks = futures_util::stream::iter((0..80).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1024])));
        send(world, ENROLL, "application/json", reqwest::Body::wrap_stream(chunks))
            .await
            .assert_problem(413, "body_too_large");
        assert_nothing_written(world).await;
    })
    .await;
}

#[tokio::test]
async fn unknown_courses_modes_routes_and_methods_have_their_own_problems() {
    world(Setup::default(), async |world| {
        world.enroll("ada@example.com", UNKNOWN_ID, "verified").await.assert_problem(404, "not_found");
        world.unenroll("ada@example.com", UNKNOWN_ID).await.assert_problem(404, "not_found");
        world.enroll("ada@example.com", FREE_COURSE, "masters").await.assert_problem(400, "unsupported_mode");
        world.enroll("ada@example.com", FREE_COURSE, "gold").await.assert_problem(400, "unsupported_mode");
        world.get("/storeapi/nothing/here").await.assert_problem(404, "not_found");
        world.get("/").await.assert_problem(404, "not_found");
        // A path that leaves no room for one more slash. Written by hand, since HTTP clients refuse to send it. The
        // listener refuses the head before it reads the path.
        let mut socket = tokio::net::TcpStream::connect(world.apis[0].public).await.unwrap();
        let head = format!("GET /{} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "x".repeat(65_533));
        tokio::io::AsyncWriteExt::write_all(&mut socket, head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut socket, &mut answer).await.unwrap();
        let status: String = answer.chars().take(12).collect();
        assert_eq!(status, "HTTP/1.1 431");
        world.get(ENROLL).await.assert_problem(405, "method_not_allowed");
        assert_nothing_written(world).await;
    })
    .await;
}

#[tokio::test]
async fn idempotency_keys_are_short_and_visible() {
    world(Setup::default(), async |world| {
        let body = json!({ "email": "ada@example.com", "course_id": FREE_COURSE, "mode": "audit" });
        for key in ["", "with space", "é", &"x".repeat(256)] {
            let reply =
                Reply::read(world.request(Method::POST, ENROLL).header("Idempotency-Key", key).json(&body))
                    .await;
            assert_eq!(
                reply.assert_problem(400, "invalid_request").faulty_fields(),
                ["Idempotency-Key"],
                "{key}"
            );
        }
        assert_nothing_written(world).await;
    })
    .await;
}

#[tokio::test]
async fn no_backend_without_the_secret_gets_past_the_door() {
    world(Setup::default(), async |world| {
        let routes = [
            (Method::GET, "/storeapi/discovery/courses/?limit=x"),
            (Method::GET, "/storeapi/discovery/course/nonsense/"),
            (Method::GET, "/storeapi/discovery/organisations/?fields=x"),
            (Method::POST, CHECKOUT),
            (Method::POST, ENROLL),
            (Method::POST, UNENROLL),
        ];
        for (method, path) in routes {
            // Each request has other faults too: the api checks credentials first.
            let bare = || world.http.request(method.clone(), world.url(path)).body("{");
            for request in [
                bare(),
                bare().header("clientapisecret", ""),
                bare().header("clientapisecret", "wrong"),
                bare().header("clientapisecret", format!("{SECRET} ")).header("clientapisecret", SECRET),
                bare().header("clientapisecret", SECRET.to_uppercase()),
                bare().header("authorization", format!("Bearer {SECRET}")),
            ] {
                let reply = Reply::read(request).await;
                reply.assert_problem(401, "unauthenticated");
                assert!(!reply.header("www-authenticate").is_empty());
            }
        }
    })
    .await;
}

const OLD: &str = "old-client-secret-old-client-secret";

#[tokio::test]
async fn an_empty_secret_opens_nothing_and_a_rotated_one_still_does() {
    let empty = Setup { api_args: vec!["--client-api-secret=".into()], ..Setup::without_workers() };
    world(empty, async |world| {
        for secret in ["", SECRET, "x"] {
            let request =
                world.http.get(world.url("/storeapi/discovery/courses/")).header("clientapisecret", secret);
            Reply::read(request).await.assert_problem(401, "unauthenticated");
        }
    })
    .await;
    let rotated =
        Setup { api_args: vec![format!("--client-api-secret={SECRET},{OLD}")], ..Setup::without_workers() };
    world(rotated, async |world| {
        for (secret, status) in [(OLD, 200), (SECRET, 200), ("older", 401)] {
            let request =
                world.http.get(world.url("/storeapi/discovery/courses/")).header("clientapisecret", secret);
            assert_eq!(Reply::read(request).await.status, status, "{secret}");
        }
    })
    .await;
}

#[tokio::test]
async fn odd_query_parameters_are_refused_by_name_or_answered() {
    world(Setup::without_workers(), async |world| {
        let list = "/storeapi/discovery/courses/";
        for (query, field) in [
            ("limit=ten", "limit"),
            ("limit=1.5", "limit"),
            ("page=", ""),
            ("page=one", "page"),
            ("page=0x1", "page"),
            ("order_by=price", "order_by"),
            ("order_by=price.up", "order_by"),
            ("order_by=id.asc", "order_by"),
            ("order_by=price.asc;drop", "order_by"),
            ("fields=all", "fields"),
            ("search=a&search=b", "search"),
            ("search=%00", "search"),
            ("search=%", "query"),
            ("search=%ff", "query"),
            ("search=%zz", "query"),
            (&format!("search={}", "x".repeat(1001)), "search"),
            (&format!("tags={}", "x,".repeat(5000)), "tags"),
        ] {
            let reply = world.get(&format!("{list}?{query}")).await;
            if field.is_empty() {
                assert_eq!(reply.status, 200, "{query}");
            } else {
                assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), [field], "{query}");
            }
        }
        for (query, limit, page) in [
            ("limit=0", 1, 1),
            ("limit=-5", 1, 1),
            ("limit=1000", 100, 1),
            ("page=-3", 8, 1),
            ("page=0", 8, 1),
            ("limit=99999999999999999999", 100, 1),
            ("limit=", 8, 1),
            ("utm_source=x&utm_source=y", 8, 1),
        ] {
            let reply = world.get(&format!("{list}?{query}")).await;
            assert_eq!((&reply.json["limit"], &reply.json["page"]), (&json!(limit), &json!(page)), "{query}");
        }
        let far = world.get(&format!("{list}?page=99999999999999999999&limit=100")).await;
        assert_eq!(
            (far.status, &far.json["courses"], &far.json["has_more"]),
            (200, &json!([]), &json!(false))
        );
        for search in ["'", "\"", "%27%20OR%201=1--", "%25", "_", "\\", "%F0%9F%98%80", "a%26b"] {
            let reply = world.get(&format!("{list}?search={search}")).await;
            assert_eq!(reply.status, 200, "{search}: {}", reply.text);
        }
        let all: Value = world.get(list).await.json["total_count"].clone();
        assert_ne!(
            world.get(&format!("{list}?search=_____")).await.json["total_count"],
            all,
            "_ must be literal"
        );
    })
    .await;
}

type Names = &'static [&'static str];

/// Every read with its parameters: integers, enumerated values, texts.
const READS: [(&str, Names, Names, Names); 6] = [
    (
        "/storeapi/discovery/courses/",
        &["limit", "page"],
        &["order_by", "fields"],
        &["search", "org", "tags", "language"],
    ),
    ("/storeapi/discovery/programs/", &["limit", "page"], &["order_by"], &["search", "org", "tags"]),
    ("/storeapi/discovery/tags/", &[], &["include_courses", "include_programs"], &["search"]),
    ("/storeapi/discovery/organisations/", &[], &["fields"], &["search"]),
    ("/storeapi/discovery/course/course-v1:Northwind+DS101+2026/", &[], &["fields"], &[]),
    ("/storeapi/banner/list/", &[], &[], &["org"]),
];

async fn assert_refused(world: &World, path: &str, query: &str, field: &str) {
    let reply = world.get(&format!("{path}?{query}")).await;
    let shown: String = query.chars().take(60).collect();
    assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), [field], "{path}?{shown}");
}

#[tokio::test]
async fn every_parameter_of_every_read_refuses_nonsense_by_name() {
    world(Setup::without_workers(), async |world| {
        let long = "x".repeat(10_000);
        let numbers = ["ten", "1.5", "0x1", "%D9%A3", long.as_str()];
        let words = ["all", "TRUE%20", "'", "%25", long.as_str()];
        let texts = ["%00", long.as_str()];
        for (path, number, word, text) in READS {
            for (names, values) in [(number, &numbers[..]), (word, &words[..]), (text, &texts[..])] {
                for name in names {
                    for value in values {
                        assert_refused(world, path, &format!("{name}={value}"), name).await;
                    }
                    assert_refused(world, path, &format!("{name}=&{name}="), name).await;
                    for broken in ["%", "%zz", "%ff", "%C3%28"] {
                        assert_refused(world, path, &format!("{name}={broken}"), "query").await;
                    }
                    assert_eq!(
                        world.get(&format!("{path}?{name}=")).await.status,
                        200,
                        "{path} {name} empty"
                    );
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn every_searched_text_is_taken_as_it_is() {
    world(Setup::without_workers(), async |world| {
        let odd = [
            "'",
            "\"",
            "%25",
            "_",
            "\\",
            "%F0%9F%98%80",
            "a%26b",
            "%27;DROP%20TABLE%20courses;--",
            "$1",
            "{}",
        ];
        for (path, _, _, text) in READS {
            for name in text {
                for value in odd {
                    let reply = world.get(&format!("{path}?{name}={value}")).await;
                    assert_eq!(reply.status, 200, "{path} {name}={value}: {}", reply.text);
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn bulk_reads_take_any_text_as_an_id_and_refuse_what_is_none() {
    world(Setup::without_workers(), async |world| {
        for (path, limit) in
            [("/storeapi/discovery/courses/effort/", 50), ("/storeapi/discovery/courses/is-new/", 100)]
        {
            let odd = [
                "",
                " ",
                "%",
                "_",
                "'; --",
                "\u{0}",
                "course-v1:a+b+c+branch@x",
                "library-v1:a+b",
                "Org/C/R",
                "\u{1F600}",
            ];
            let reply = world.post(path, &json!({ "course_ids": odd })).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            assert_eq!(reply.json.as_object().unwrap().len(), odd.len());
            let repeats = world.post(path, &json!({ "course_ids": [FREE_KEY, FREE_KEY, FREE_KEY] })).await;
            assert_eq!(repeats.json.as_object().unwrap().len(), 1);
            assert_eq!(world.post(path, &json!({ "course_ids": [] })).await.json, json!({}));
            let many: Vec<String> = (0..limit + 1).map(|n| format!("course-v1:Many+C{n}+R")).collect();
            let reply = world.post(path, &json!({ "course_ids": many })).await;
            let answered = reply.json.as_object().unwrap();
            assert_eq!((answered.len(), answered.contains_key(&many[limit])), (limit, false));
            let long = world.post(path, &json!({ "course_ids": ["x".repeat(10_000)] })).await;
            assert_eq!(long.status, 200, "{}", long.text);
            for (body, field) in [
                (json!({}), "course_ids"),
                (json!({ "course_ids": null }), "course_ids"),
                (json!({ "course_ids": FREE_KEY }), "course_ids"),
                (json!({ "course_ids": [FREE_KEY, 7] }), "course_ids[1]"),
                (json!({ "course_ids": [], "limit": 3 }), "limit"),
            ] {
                let reply = world.post(path, &body).await;
                assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), [field], "{body}");
            }
            send(world, path, "application/json", format!("{{\"course_ids\":[\"{}\"]}}", "x".repeat(66_000)))
                .await
                .assert_problem(413, "body_too_large");
        }
    })
    .await;
}

#[tokio::test]
async fn odd_course_keys_are_refused_or_not_found() {
    world(Setup::without_workers(), async |world| {
        let detail = async |key: &str| world.get(&format!("/storeapi/discovery/course/{key}/")).await;
        for key in [
            "course-v1:Org+C+R+branch@published",
            "edX%2FDemoX%2FDemo_Course",
            "library-v1:Org+Lib",
            "course-v1:Org+Course",
            "course-v1:Org%20Course+X+R",
            "course-v1:Org+C+R+",
            "course-v1:a+b+c%0A",
            "course-v1:Org%252BC+C+R",
            "course-v1:Org+C+R%2Fx",
            "edX%2FDemoX",
            "%ff",
            "x",
        ] {
            detail(key).await.assert_problem(400, "invalid_request");
        }
        detail(&format!("course-v1:O+C+{}", "x".repeat(300))).await.assert_problem(400, "invalid_request");
        for key in ["course-v1:Org+Course+Run", "course-v1:O.r-g~1:x+C_1+R", "course-v1:%C3%96rg+C+R", "%00"]
        {
            detail(key).await.assert_problem(404, "not_found");
        }
        for key in [
            "course-v1:Northwind+DS101+2026",
            "course-v1%3ANorthwind%2BDS101%2B2026",
            "course-v1:Northwind%2bDS101+2026",
        ] {
            assert_eq!(detail(key).await.status, 200, "{key}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_basket_that_cannot_be_sold_is_not_charged() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let organisation = &harness::ORGANISATIONS[0];
        let mut good = world.basket(organisation).await;
        good["email"] = json!("ada@example.com");
        let item = good["items"][0].clone();
        let with = |items: Value| {
            let mut body = good.clone();
            body["items"] = items;
            body
        };
        let sold = |id: &str, mode: &str| json!({ "type": "course", "id": id, "mode": mode });
        // Fields that a client must not send.
        for field in ["price", "total_price", "currency", "discountPct", "quantity", "originalPrice"] {
            let mut priced = item.clone();
            priced[field] = json!(1);
            let reply = world.post(CHECKOUT, &with(json!([priced]))).await;
            let faulty = reply.assert_problem(400, "invalid_request").faulty_fields();
            assert_eq!(faulty, [format!("items[0].{field}")]);
            let mut body = good.clone();
            body[field] = json!(-1);
            let reply = world.post(CHECKOUT, &body).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), [field]);
        }
        // Too many items, no items, duplicate items, an item of another organisation, in another currency, or not for
        // sale.
        let other = harness::ORGANISATIONS[2].course;
        let yen = sold("1f8ce466-c358-43c5-a16e-17bfbea8eb9a", "verified");
        for (items, fields) in [
            (json!([]), vec!["items"]),
            (Value::Array(vec![item.clone(); 51]), vec!["items"]),
            (json!([item, item]), vec!["items[1].id"]),
            (json!([item, sold(other, "verified")]), vec!["items[1].id"]),
            (json!([item, yen]), vec!["items[0]", "items[1]"]),
            (json!([item, sold(harness::steps::demo::UNPUBLISHED_COURSE, "verified")]), vec!["items[1].id"]),
            (json!([sold(organisation.course, "audit")]), vec!["items[0].mode"]),
            (json!([sold(organisation.course, "Verified ")]), vec!["items[0].mode"]),
        ] {
            let reply = world.post(CHECKOUT, &with(items)).await;
            assert_eq!(reply.assert_problem(400, "invalid_items").faulty_fields(), fields, "{}", reply.text);
        }
        let mut huge = good.clone();
        huge["billing_address"] = json!({ "line1": "x".repeat(1024 * 1024) });
        world.post(CHECKOUT, &huge).await.assert_problem(413, "body_too_large");
        assert_nothing_written(world).await;
        assert_eq!(world.sim(Method::GET, "/_sim/payments", None).await, json!([]));
    })
    .await;
}
