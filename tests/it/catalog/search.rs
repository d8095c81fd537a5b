//! Search with what users type: without accents, in upper or lower case, and in any Unicode composition.

use harness::steps::demo::{FREE_COURSE, FREE_KEY};
use harness::{Setup, World, world};
use serde_json::Value;

async fn found(world: &World, path: &str, list: &str, name: &str, search: &str) -> Vec<String> {
    let encoded: String = search.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let separator = if path.contains('?') { '&' } else { '?' };
    let reply = world.get(&format!("{path}{separator}search={encoded}")).await;
    assert_eq!(reply.status, 200, "{search}: {}", reply.text);
    let items = reply.json[list].as_array().unwrap().iter();
    items.map(|item| item[name].as_str().unwrap().to_owned()).collect()
}

async fn set(world: &World, sql: &'static str, value: &str) {
    sqlx::query(sql).bind(value).execute(&world.db).await.unwrap();
}

/// A name, texts that must match it, and texts that must not.
const NAME: &str = "Crème Brûlée für Anfänger, 50% Zucker";
const SAME: [&str; 7] = [
    "Crème Brûlée",
    "creme brulee",
    "CRÈME BRÛLÉE",
    // Letters with combining accents, as some keyboards and file systems write them.
    "Cre\u{300}me Bru\u{302}le\u{301}e",
    "ｃｒｅｍｅ ｂｒｕｌｅｅ",
    "anfanger",
    "50%",
];
const OTHER: [&str; 4] = ["creme  brulee", "50_", "5％ ", "crème brûlées"];

#[tokio::test]
async fn courses_are_found_without_regard_to_accents_and_composition() {
    world(Setup::without_workers(), async |world| {
        let path = "/storeapi/discovery/courses/?limit=100";
        for column in [
            "UPDATE courses SET display_name = $1, short_description = '', overview = '' WHERE id = '28b0b164-7eb3-4aba-aac1-d7498b344ed4'",
            "UPDATE courses SET display_name = 'x', short_description = $1 WHERE id = '28b0b164-7eb3-4aba-aac1-d7498b344ed4'",
            "UPDATE courses SET short_description = '', overview = $1 WHERE id = '28b0b164-7eb3-4aba-aac1-d7498b344ed4'",
        ] {
            // The stored text may have combining accents too.
            for stored in [NAME, "Cre\u{300}me Bru\u{302}le\u{301}e fu\u{308}r Anfa\u{308}nger, 50% Zucker"] {
                set(world, column, stored).await;
                sqlx::query("UPDATE catalog_generation SET generation = generation + 1")
                    .execute(&world.db)
                    .await
                    .unwrap();
                // The api learns of the new generation from Redis or from the database, a moment later.
                world
                    .eventually("the api serves the change", async |world| {
                        found(world, path, "courses", "id", SAME[1]).await == [FREE_COURSE]
                    })
                    .await;
                for search in SAME {
                    assert_eq!(found(world, path, "courses", "id", search).await, [FREE_COURSE], "{search}");
                }
                for search in OTHER {
                    assert!(found(world, path, "courses", "id", search).await.is_empty(), "{search}");
                }
            }
        }
        // Marks that distinguish words stay: a Devanagari vowel sign is not an accent.
        let all = found(world, path, "courses", "openedx_course_id", "").await;
        assert!(all.iter().any(|key| key == FREE_KEY));
    })
    .await;
}

#[tokio::test]
async fn marks_that_are_part_of_a_word_count() {
    world(Setup::without_workers(), async |world| {
        let path = "/storeapi/discovery/courses/?limit=100";
        set(world, "UPDATE courses SET display_name = $1, short_description = '', overview = '' WHERE id = '28b0b164-7eb3-4aba-aac1-d7498b344ed4'", "हिन्दी ガラス 한국어")
            .await;
        for search in ["हिन्दी", "ガラス", "カ\u{3099}ラス", "한국", "\u{1112}\u{1161}\u{11ab}국"] {
            assert_eq!(found(world, path, "courses", "id", search).await, [FREE_COURSE], "{search}");
        }
        for search in ["हनद", "カラス", "하국"] {
            assert!(found(world, path, "courses", "id", search).await.is_empty(), "{search}");
        }
    })
    .await;
}

#[tokio::test]
async fn programs_tags_and_organisations_are_found_in_the_same_way() {
    world(Setup::without_workers(), async |world| {
        for sql in [
            "UPDATE programs SET about = $1 WHERE id = (SELECT id FROM programs WHERE is_published ORDER BY id LIMIT 1)",
            "UPDATE tags SET name = $1 WHERE id = (SELECT min(id) FROM tags)",
            "UPDATE organisations SET name = $1 WHERE short_name = 'northwind'",
        ] {
            set(world, sql, NAME).await;
        }
        let program: String =
            sqlx::query_scalar("SELECT id::text FROM programs WHERE is_published ORDER BY id LIMIT 1")
                .fetch_one(&world.db)
                .await
                .unwrap();
        let basic = "/storeapi/discovery/organisations/?fields=basic";
        for search in SAME {
            let programs = found(world, "/storeapi/discovery/programs/", "programs", "id", search).await;
            assert_eq!(programs, [program.as_str()], "{search}");
            let tags = "/storeapi/discovery/tags/?include_courses=0&include_programs=0";
            assert_eq!(found(world, tags, "tags", "tag", search).await, [NAME], "{search}");
            for path in ["/storeapi/discovery/organisations/", basic] {
                let named = found(world, path, "organisations", "short_name", search).await;
                assert_eq!(named, ["northwind"], "{search}");
            }
        }
        for search in OTHER {
            let tags = found(world, "/storeapi/discovery/tags/", "tags", "tag", search).await;
            let programs = found(world, "/storeapi/discovery/programs/", "programs", "id", search).await;
            assert!(tags.is_empty() && programs.is_empty(), "{search}");
        }
        assert_eq!(found(world, basic, "organisations", "short_name", "NORTHW").await, ["northwind"]);
        // The organisation filter matches a whole name, in any Unicode composition.
        let by_name = "/storeapi/discovery/courses/?org=Cre%CC%80me%20Bru%CC%82le%CC%81e%20fu%CC%88r%20Anfa%CC%88nger";
        let reply = world.get(by_name).await;
        assert_eq!(reply.json["total_count"], Value::from(0), "the filter holds only the part of the name before its comma");
        set(world, "UPDATE organisations SET name = $1 WHERE short_name = 'northwind'", "Brûlée").await;
        let reply = world.get("/storeapi/discovery/courses/?org=Bru%CC%82le%CC%81e").await;
        assert!(reply.json["total_count"].as_i64().unwrap() > 0, "{}", reply.text);
    })
    .await;
}

/// The payloads of lists that were in no cache.
async fn loaded(world: &World) -> String {
    let metrics = world.http.get(format!("http://{}/metrics", world.apis[0].internal)).send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    let counter = r#"storefront_cache_reads_total{level="redis",what="payloads",outcome="miss"}"#;
    metrics.lines().find(|line| line.starts_with(counter)).unwrap().to_owned()
}

#[tokio::test]
async fn a_search_in_another_case_or_with_spaces_around_it_is_the_same_cached_answer() {
    world(Setup::without_workers(), async |world| {
        for (path, filter, other) in [
            ("discovery/courses", "search=data", "search=+DaTa+"),
            ("discovery/programs", "search=data", "search=DATA"),
            ("discovery/tags", "search=data", "search=dAtA%20"),
            ("discovery/organisations", "search=north", "search=NORTH"),
            ("discovery/courses", "org=northwind,lindgren", "org=LINDGREN,Northwind"),
            ("discovery/courses", "tags=data,rust", "tags=Rust,DATA"),
            ("discovery/courses", "language=en,sv", "language=sv,EN"),
            ("banner/list", "org=northwind", "org=NorthWind"),
        ] {
            let first = world.get(&format!("/storeapi/{path}/?{filter}")).await;
            let before = loaded(world).await;
            let second = world.get(&format!("/storeapi/{path}/?{other}")).await;
            assert_eq!((first.status, &second.text), (200, &first.text), "{path}?{other}");
            assert_eq!(loaded(world).await, before, "{path}?{other}");
        }
    })
    .await;
}
