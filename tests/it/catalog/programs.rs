//! The rest of the catalog: programs, tags, outlines, effort, new courses, marketing metadata, banners.

use harness::steps::demo::{FREE_KEY, PAID_KEY, UNKNOWN_ID};
use harness::{Reply, Setup, world};
use serde_json::{Value, json};

const PROGRAMS: &str = "/storeapi/discovery/programs/";
const TAGS: &str = "/storeapi/discovery/tags/";

#[tokio::test]
async fn a_program_in_the_list_and_in_detail_has_every_field() {
    world(Setup::without_workers(), async |world| {
        let list = world.get(&format!("{PROGRAMS}?org=northwind&limit=1&order_by=display_name.asc")).await;
        assert_eq!(list.status, 200, "{}", list.text);
        insta::assert_json_snapshot!("program_list", list.json);
        let id = list.json["programs"][0]["id"].as_str().unwrap();
        let detail = world.get(&format!("/storeapi/discovery/program/{id}/")).await;
        insta::assert_json_snapshot!("program_detail", detail.json);
        world
            .get(&format!("/storeapi/discovery/program/{UNKNOWN_ID}/"))
            .await
            .assert_problem(404, "not_found");
        world
            .get(&format!("/storeapi/discovery/program/{FREE_KEY}/"))
            .await
            .assert_problem(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn programs_are_filtered_searched_ordered_and_paged() {
    world(Setup::without_workers(), async |world| {
        let all = world.get(&format!("{PROGRAMS}?limit=100")).await;
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM programs WHERE is_published")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(all.json["total_count"], count);
        for order in ["created_at.asc", "display_name.desc", "price.asc", "price.desc", "avg_rating.desc"] {
            let whole =
                world.get(&format!("{PROGRAMS}?limit=100&order_by={order}")).await.json["programs"].clone();
            let mut paged = Vec::new();
            for page in 1..=count {
                let reply = world.get(&format!("{PROGRAMS}?limit=2&page={page}&order_by={order}")).await;
                paged.extend(reply.json["programs"].as_array().unwrap().clone());
                assert_eq!(reply.json["has_more"], page * 2 < count);
            }
            assert_eq!(Value::Array(paged), whole, "{order}");
        }
        let first = &all.json["programs"][0];
        for field in ["name", "description", "about"] {
            let part: String = first[field].as_str().unwrap().chars().take(8).collect();
            let found = world.get(&format!("{PROGRAMS}?limit=100&search={}", part.to_uppercase())).await;
            let ids: Vec<_> =
                found.json["programs"].as_array().unwrap().iter().map(|program| &program["id"]).collect();
            assert!(ids.contains(&&first["id"]), "{field}");
        }
        world.get(&format!("{PROGRAMS}?order_by=start.asc")).await.assert_problem(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn a_broken_program_or_child_is_named_and_the_rest_is_shown() {
    world(Setup::without_workers(), async |world| {
        let (program, child): (uuid::Uuid, uuid::Uuid) = sqlx::query_as(
            "SELECT x.program_id, x.course_id FROM program_courses x JOIN programs p ON p.id = x.program_id
             JOIN courses c ON c.id = x.course_id WHERE p.is_published AND c.is_published LIMIT 1",
        )
        .fetch_one(&world.db)
        .await
        .unwrap();
        sqlx::query("UPDATE courses SET currency = 'ZZZ' WHERE id = $1")
            .bind(child)
            .execute(&world.db)
            .await
            .unwrap();
        let other: uuid::Uuid = sqlx::query_scalar(
            "UPDATE programs SET currency = 'ZZZ' WHERE id = (SELECT id FROM programs
             WHERE is_published AND price IS NOT NULL AND id <> $1 LIMIT 1) RETURNING id",
        )
        .bind(program)
        .fetch_one(&world.db)
        .await
        .unwrap();
        let list = world.get(&format!("{PROGRAMS}?limit=100")).await;
        let named: Vec<&Value> =
            list.json["partial_errors"].as_array().unwrap().iter().map(|error| &error["id"]).collect();
        assert!(named.contains(&&json!(child)) && named.contains(&&json!(other)), "{named:?}");
        let detail = world.get(&format!("/storeapi/discovery/program/{program}/")).await;
        assert_eq!(detail.json["partial_errors"][0]["id"], json!(child));
    })
    .await;
}

#[tokio::test]
async fn tags_list_what_carries_them_as_far_as_they_are_asked() {
    world(Setup::without_workers(), async |world| {
        let full = world.get(&format!("{TAGS}?search=statistics")).await;
        assert_eq!(full.status, 200, "{}", full.text);
        insta::assert_json_snapshot!("tags", full.json);
        for (courses, programs) in [(true, false), (false, true), (false, false)] {
            let path = format!("{TAGS}?include_courses={courses}&include_programs={programs}");
            let reply = world.get(&path).await;
            let tags = reply.json["tags"].as_array().unwrap();
            assert_eq!(tags.len(), 25);
            let any = |field: &str| tags.iter().any(|tag| !tag[field].as_array().unwrap().is_empty());
            assert_eq!((any("courses"), any("programs")), (courses, programs));
            let children = tags.iter().flat_map(|tag| tag["programs"].as_array().unwrap());
            assert!(
                children.into_iter().all(|program| program["courses"] == json!([])),
                "the request did not ask for courses"
            );
        }
        world.get(&format!("{TAGS}?include_courses=maybe")).await.assert_problem(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn outlines_are_shown_as_they_were_imported_and_empty_where_there_is_none() {
    world(Setup::without_workers(), async |world| {
        let path = format!("/storeapi/discovery/course-outline/{PAID_KEY}/");
        insta::assert_json_snapshot!("outline", world.get(&path).await.json);
        sqlx::query("DELETE FROM course_contents").execute(&world.db).await.unwrap();
        let empty = world.get(&format!("/storeapi/discovery/course-outline/{FREE_KEY}/")).await;
        assert_eq!(
            (&empty.json["sections"], &empty.json["course_info"]["course_key"]),
            (&json!([]), &json!(FREE_KEY))
        );
        world
            .get("/storeapi/discovery/course-outline/course-v1:a+b+c/")
            .await
            .assert_problem(404, "not_found");
        world.get("/storeapi/discovery/course-outline/abc/").await.assert_problem(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn damaged_contents_are_left_out_and_named_and_the_course_is_still_shown() {
    world(Setup::without_workers(), async |world| {
        sqlx::query(r#"UPDATE course_contents SET outline = '{"sections": 7}', structure = '{"id": "x", "children": {}}'"#)
            .execute(&world.db)
            .await
            .unwrap();
        for (path, part) in [("course", "course_structure"), ("course-outline", "sections")] {
            let reply = world.get(&format!("/storeapi/discovery/{path}/{PAID_KEY}/")).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            assert!(reply.json[part].as_array().is_none_or(Vec::is_empty), "{}", reply.json[part]);
            let error = &reply.json["partial_errors"][0];
            assert_eq!((&error["openedx_course_id"], &error["code"]), (&json!(PAID_KEY), &json!("unreadable_item")));
        }
        let summary = world.get(&format!("/storeapi/discovery/course/{PAID_KEY}/?fields=summary")).await;
        assert_eq!(summary.json["partial_errors"], Value::Null, "the request did not ask for the structure");
    })
    .await;
}

#[tokio::test]
async fn effort_and_newness_are_told_for_the_first_keys() {
    world(Setup::without_workers(), async |world| {
        let (effort, is_new) = ("/storeapi/discovery/courses/effort/", "/storeapi/discovery/courses/is-new/");
        let detail = world.get(&format!("/storeapi/discovery/course/{PAID_KEY}/")).await.json;
        let both = json!({ "course_ids": [PAID_KEY, FREE_KEY, "course-v1:no+such+course"] });
        insta::assert_json_snapshot!("effort", world.post(effort, &both).await.json);
        sqlx::query("UPDATE courses SET flagged_new = true WHERE openedx_course_id = $1").bind(FREE_KEY).execute(&world.db).await.unwrap();
        insta::assert_json_snapshot!("is_new", world.post(is_new, &both).await.json);
        let ids = json!([PAID_KEY, "course-v1:no+such+course", PAID_KEY, "", "nonsense\u{0}", "edX/DemoX/Demo"]);
        for _ in 0..2 {
            let reply = world.post(effort, &json!({ "course_ids": ids })).await;
            assert_eq!(reply.json, json!({
                PAID_KEY: detail["total_minutes"], "course-v1:no+such+course": 0, "": 0, "nonsense\u{0}": 0, "edX/DemoX/Demo": 0,
            }));
        }
        let reply = world.post(is_new, &json!({ "course_ids": ids })).await;
        assert_eq!(reply.json[PAID_KEY], detail["is_new"]);
        assert_eq!(reply.json["course-v1:no+such+course"], false);

        let many: Vec<String> = (0..200).map(|n| format!("course-v1:a+b+{n}")).collect();
        for (path, limit) in [(effort, 50), (is_new, 100)] {
            let reply = world.post(path, &json!({ "course_ids": many })).await;
            let answered = reply.json.as_object().unwrap();
            assert_eq!(answered.len(), limit);
            assert!(many.iter().take(limit).all(|id| answered.contains_key(id)));
            assert_eq!(world.post(path, &json!({ "course_ids": [] })).await.json, json!({}));
            let wrong = world.post(path, &json!({ "course_ids": [1, PAID_KEY, null], "limit": 5 })).await;
            assert_eq!(wrong.assert_problem(400, "invalid_request").faulty_fields(), ["course_ids[0]", "course_ids[2]", "limit"]);
        }
        let day = sqlx::query("UPDATE courses SET created_at = $1, flagged_new = false WHERE openedx_course_id = $2");
        day.bind(world.clock.now() - chrono::TimeDelta::days(29)).bind(PAID_KEY).execute(&world.db).await.unwrap();
        assert_eq!(world.post(is_new, &json!({ "course_ids": [PAID_KEY] })).await.json[PAID_KEY], true);
        world.clock.advance(chrono::TimeDelta::days(2));
        assert_eq!(world.post(is_new, &json!({ "course_ids": [PAID_KEY] })).await.json[PAID_KEY], false);
    })
    .await;
}

#[tokio::test]
async fn marketing_metadata_is_a_bare_array_of_those_who_have_some() {
    world(Setup::without_workers(), async |world| {
        let reply = world.get("/storeapi/discovery/marketing-page-metadata/").await;
        insta::assert_json_snapshot!("marketing", reply.json);
    })
    .await;
}

#[tokio::test]
async fn banners_have_every_field() {
    world(Setup::without_workers(), async |world| {
        insta::assert_json_snapshot!("banners", world.get("/storeapi/banner/list/?org=northwind").await.json);
    })
    .await;
}

#[tokio::test]
async fn banners_run_from_their_start_to_their_end() {
    world(Setup::without_workers(), async |world| {
        let path = "/storeapi/banner/list/";
        sqlx::query("DELETE FROM banners").execute(&world.db).await.unwrap();
        let insert =
            "INSERT INTO banners (id, organisation_id, title, image_url, position, starts_at, ends_at)
             SELECT gen_random_uuid(), o.id, $1, 'https://assets.example.org/b.png', $2, $3, $4
             FROM organisations o WHERE short_name = $5";
        let now = world.clock.now();
        let hours = chrono::TimeDelta::hours;
        for (title, position, start, end, org) in [
            ("always", 2, None, None, "northwind"),
            ("over", 1, None, Some(now - hours(1)), "northwind"),
            ("soon", 0, Some(now + hours(1)), None, "lindgren"),
            ("now", 1, Some(now - hours(1)), Some(now + hours(2)), "lindgren"),
        ] {
            sqlx::query(insert)
                .bind(title)
                .bind(position)
                .bind(start)
                .bind(end)
                .bind(org)
                .execute(&world.db)
                .await
                .unwrap();
        }
        let titles = |reply: Reply| -> Vec<String> {
            let banners = reply.json["banners"].as_array().unwrap().clone();
            banners.iter().map(|banner| banner["title"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(titles(world.get(path).await), ["now", "always"]);
        assert_eq!(titles(world.get(&format!("{path}?org=LINDGREN")).await), ["now"]);
        let banner = world.get(path).await.json["banners"][0].clone();
        let keys: Vec<&String> = banner.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            ["ends_at", "id", "image_url", "link_url", "organisation", "position", "starts_at", "title"]
        );
        // Time passes without a new catalog generation, and the banners still change.
        world.clock.advance(hours(3));
        assert_eq!(titles(world.get(path).await), ["soon", "always"]);
    })
    .await;
}
