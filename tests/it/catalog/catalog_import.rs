//! Changes of the catalog by imports and expired modes, and when readers see them.

use harness::steps::demo::PAID_KEY;
use harness::{Reply, Setup, World, world};
use serde_json::json;

use crate::catalog::paid_course;

#[tokio::test]
async fn an_import_is_pushed_to_every_replica() {
    // Without workers: the import itself notifies Redis, as the command line does.
    world(Setup { apis: 2, ..Setup::without_workers() }, async |world| {
        let name = async |replica: usize| {
            let url = format!("http://{}/storeapi/discovery/course/{PAID_KEY}/", world.apis[replica].public);
            let reply = Reply::read(world.http.get(url).header("clientapisecret", harness::SECRET)).await;
            reply.json["display_name"].clone()
        };
        assert_eq!(name(0).await, name(1).await);
        let file = std::env::temp_dir().join(format!("{}.jsonl", world.name));
        let redis = redis::Client::open(harness::redis_url()).unwrap();
        let generations = worker::Generations::new(redis, shared::keys::Keys::new(&world.name));
        for round in 0..10 {
            let renamed = format!("Renamed {round}");
            let mut record = paid_course();
            record["display_name"] = json!(renamed);
            std::fs::write(&file, record.to_string()).unwrap();
            let imported = worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap();
            assert_eq!((imported.records, imported.changed), (1, 1));
            generations.publish(imported.generation.unwrap()).await.unwrap();
            // Redis pushes the change to the replicas, which by themselves would ask after five seconds.
            let within = std::time::Duration::from_secs(2);
            let mut is_shown = async |_: &World| name(0).await == renamed && name(1).await == renamed;
            world.eventually_within(within, &renamed, &mut is_shown).await;
        }
        // A second import changes nothing, so it writes nothing.
        let again = worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap();
        assert_eq!((again.changed, again.generation), (0, None));
        std::fs::remove_file(&file).unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_price_moves_on_when_its_mode_expires() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::default() };
    world(setup, async |world| {
        let shown = async || {
            let json = world.get(&format!("/storeapi/discovery/course/{PAID_KEY}/")).await.json;
            (json["price"].clone(), json["course_mode"].clone(), json["available_course_modes"].as_array().unwrap().len())
        };
        assert_eq!(shown().await, (json!(199), json!("verified"), 2));
        sqlx::query("UPDATE course_modes m SET expires_at = $1 FROM courses c WHERE c.id = m.course_id AND slug = 'verified' AND c.openedx_course_id = $2")
            .bind(world.clock.now() + chrono::TimeDelta::hours(1))
            .bind(PAID_KEY)
            .execute(&world.db)
            .await
            .unwrap();
        sqlx::query("UPDATE courses SET next_mode_expiry = $1 WHERE openedx_course_id = $2")
            .bind(world.clock.now() + chrono::TimeDelta::hours(1))
            .bind(PAID_KEY)
            .execute(&world.db)
            .await
            .unwrap();
        world.clock.advance(chrono::TimeDelta::hours(2));
        world.eventually("the other mode's price is shown", async |_| {
            shown().await == (json!(349), json!("professional"), 1)
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn importing_an_export_changes_nothing() {
    world(Setup::without_workers(), async |world| {
        let mut exported = Vec::new();
        let count = worker::catalog::export(&world.db, &mut exported).await.unwrap();
        assert_eq!(count, 129);
        let file = std::env::temp_dir().join(format!("{}.jsonl", world.name));
        std::fs::write(&file, &exported).unwrap();
        let imported = worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap();
        assert_eq!((imported.records, imported.changed), (129, 0));
        // Importing the export into an empty catalog gives the same catalog.
        sqlx::raw_sql(harness::EMPTY_CATALOG).execute(&world.db).await.unwrap();
        worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap();
        let mut again = Vec::new();
        worker::catalog::export(&world.db, &mut again).await.unwrap();
        assert!(again == exported);
        std::fs::remove_file(&file).unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_import_with_bad_lines_names_each_and_changes_nothing() {
    world(Setup::without_workers(), async |world| {
        let lines = [
            r#"{"kind":"tag","name":"Never seen"}"#,
            "not json",
            r#"{"kind":"planet"}"#,
            r#"{"kind":"tag","name":"x","colour":"red"}"#,
            r#"{"kind":"pricing_policy","organisation":"nowhere","enabled":true,"countries":[]}"#,
            r#"{"kind":"pricing_policy","organisation":"northwind","enabled":true,"countries":[{"country":"IN","percent_off":101}]}"#,
            r#"{"kind":"exchange_rate","base":"USD","quote":"usd","rate":"1"}"#,
            r#"{"kind":"tag","name":"Never seen"}"#,
            r#"{"kind":"exchange_rate","base":"USD","quote":"SEK","rate":"99999999999"}"#,
            r#"{"kind":"pricing_policy","organisation":"northwind","enabled":true,"countries":[{"country":"IN","percent_off":1},{"country":"in","percent_off":2}]}"#,
            r#"{"kind":"tax_rate","organisation":"northwind","country":"CA","state":"Québec","valid_from":"2026-01-01","components":[{"name":"QST","rate":9.975}]}"#,
            r#"{"kind":"tax_rate","organisation":"northwind","country":"CA","state":"qc","valid_from":"2026-01-01","components":[{"name":"QST","rate":9.975}]}"#,
            r#"{"kind":"tax_rate","organisation":"northwind","country":"CA","state":"CA-QC","valid_from":"2026-01-01","components":[{"name":"QST","rate":9.975}]}"#,
        ];
        let file = std::env::temp_dir().join(format!("{}.jsonl", world.name));
        std::fs::write(&file, [lines.join("\n").as_bytes(), b"\n\xff\xfe\n"].concat()).unwrap();
        let error = worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap_err();
        let worker::catalog::ImportError::BadLines(bad) = error else { panic!("{error}") };
        let numbers: Vec<usize> = bad.shown.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14], "{bad}");
        assert!(bad.to_string().contains("colour") && bad.to_string().contains("nowhere"), "{bad}");
        let tags: i64 = sqlx::query_scalar("SELECT count(*) FROM tags WHERE name = 'Never seen'").fetch_one(&world.db).await.unwrap();
        assert_eq!(tags, 0);
        std::fs::remove_file(&file).unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_organisation_states_the_days_in_which_learners_may_refund() {
    world(Setup::without_workers(), async |world| {
        let mut exported = Vec::new();
        worker::catalog::export(&world.db, &mut exported).await.unwrap();
        let exported = String::from_utf8(exported).unwrap();
        let line = exported
            .lines()
            .find(|line| line.contains("\"northwind\"") && line.contains("return_url"))
            .unwrap();
        let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
        let file = std::env::temp_dir().join(format!("{}.jsonl", world.name));
        for (days, stored) in
            [(json!(14), Some(14)), (json!(0), Some(0)), (json!(3650), Some(3650)), (json!(null), None)]
        {
            record["refund_days"] = days;
            std::fs::write(&file, record.to_string()).unwrap();
            worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap();
            let kept: Option<i32> =
                sqlx::query_scalar("SELECT refund_days FROM organisations WHERE short_name = 'northwind'")
                    .fetch_one(&world.db)
                    .await
                    .unwrap();
            assert_eq!(kept, stored);
            let mut again = Vec::new();
            worker::catalog::export(&world.db, &mut again).await.unwrap();
            std::fs::write(&file, &again).unwrap();
            let imported = worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap();
            assert_eq!(imported.changed, 0, "the export has it as it was imported");
        }
        for days in [-1, 3651] {
            record["refund_days"] = json!(days);
            std::fs::write(&file, record.to_string()).unwrap();
            let error = worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap_err();
            assert!(error.to_string().contains(&format!("refund_days {days} is not 0 to 3650")), "{error}");
        }
        std::fs::remove_file(&file).unwrap();
    })
    .await;
}

fn mode(slug: &str, price: &str, expires: Option<&str>, visible: bool) -> serde_json::Value {
    json!({"modeSlug": slug, "modeDisplayName": slug, "minPrice": price, "currency": "USD",
        "expirationDatetime": expires, "visible": visible})
}

fn review(rating: u8) -> serde_json::Value {
    json!({"id": uuid::Uuid::now_v7(), "rating": rating, "title": "t", "comment": "c", "author_name": "a",
        "created_at": "2026-01-01T00:00:00Z"})
}

#[tokio::test]
async fn an_import_gives_new_and_changed_courses_their_price_and_rating() {
    world(Setup::without_workers(), async |world| {
        let file = std::env::temp_dir().join(format!("{}.jsonl", world.name));
        let import = async |records: &[serde_json::Value]| {
            let lines: Vec<String> = records.iter().map(|record| record.to_string()).collect();
            std::fs::write(&file, lines.join("\n")).unwrap();
            worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap().changed
        };
        let derived =
            async |key: &str| -> (Option<i64>, Option<String>, Option<String>, Option<String>, i32) {
                sqlx::query_as(
                    "SELECT price, course_mode, next_mode_expiry::date::text, avg_rating::text, review_count
                 FROM courses WHERE openedx_course_id = $1",
                )
                .bind(key)
                .fetch_one(&world.db)
                .await
                .unwrap()
            };
        let mut changed = paid_course();
        for field in ["outline", "course_structure"] {
            changed[field] = json!(null);
        }
        changed["modes"] = json!([
            mode("audit", "0", None, false),
            mode("honor", "1", Some("2020-01-01T00:00:00Z"), true),
            mode("verified", "49.99", Some("2100-01-01T00:00:00Z"), true),
            mode("professional", "49.99", None, true),
        ]);
        let mut new = changed.clone();
        let new_key = "course-v1:Northwind+NEW+1";
        new["id"] = json!(uuid::Uuid::now_v7());
        new["openedx_course_id"] = json!(new_key);
        for record in [&mut changed, &mut new] {
            record["reviews"] = json!([review(4), review(5)]);
        }
        assert_eq!(import(&[changed.clone(), new.clone()]).await, 2);
        let expected = (
            Some(4999),
            Some("professional".to_owned()),
            Some("2100-01-01".to_owned()),
            Some("4.5".to_owned()),
            2,
        );
        for key in [PAID_KEY, new_key] {
            assert_eq!(derived(key).await, expected, "{key}");
        }
        // A review may move to a course that comes later in the file.
        new["reviews"] = json!([review(1), changed["reviews"][0]]);
        changed["reviews"] = json!([]);
        changed["modes"] = json!([]);
        assert_eq!(import(&[changed, new]).await, 2);
        assert_eq!(derived(PAID_KEY).await, (None, None, None, None, 0));
        assert_eq!(derived(new_key).await.3, Some("2.5".to_owned()));
        std::fs::remove_file(&file).unwrap();
    })
    .await;
}

/// The number of courses whose tag ids are not those of their tags.
async fn with_other_tag_ids(world: &World) -> i64 {
    sqlx::query_scalar(
        "SELECT count(*) FROM courses c
         WHERE tag_ids <> array(SELECT tag_id FROM course_tags t WHERE t.course_id = c.id ORDER BY tag_id)",
    )
    .fetch_one(&world.db)
    .await
    .unwrap()
}

#[tokio::test]
async fn a_search_with_tags_finds_a_course_by_the_tags_of_its_last_import() {
    world(Setup::without_workers(), async |world| {
        let file = std::env::temp_dir().join(format!("{}.jsonl", world.name));
        let mut course = paid_course();
        course["display_name"] = json!("Tagged anew");
        let tags = ["Tag one", "Tag two", "Tag three"];
        let defined = tags.map(|name| json!({"kind": "tag", "name": name}).to_string()).join("\n");
        for (search, carried) in
            [("tagged", &tags[..2]), ("AGGED", &tags[1..]), ("tagged anew", &[]), ("ta", &tags[..1])]
        {
            course["tags"] = json!(carried);
            course["number"] = json!(search);
            std::fs::write(&file, format!("{defined}\n{course}\n")).unwrap();
            worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap();
            assert_eq!(with_other_tag_ids(world).await, 0);
            for tag in tags {
                let path =
                    format!("/storeapi/discovery/courses/?search={search}&tags={tag}").replace(' ', "%20");
                let expected = i32::from(carried.contains(&tag));
                world
                    .eventually("the api serves the import", async |world| {
                        world.get(&path).await.json["total_count"] == expected
                    })
                    .await;
                let found = world.get(&path).await.json;
                assert_eq!(found["courses"].as_array().unwrap().len(), expected as usize, "{path}");
            }
        }
        std::fs::remove_file(&file).unwrap();
    })
    .await;
}

#[tokio::test]
async fn tag_ids_follow_every_write_to_the_tags_of_courses() {
    world(Setup::without_workers(), async |world| {
        assert_eq!(with_other_tag_ids(world).await, 0);
        let tagged: i64 = sqlx::query_scalar("SELECT count(*) FROM courses WHERE tag_ids <> '{}'")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert!(tagged > 1, "the demo catalog has tags");
        for write in [
            "DELETE FROM course_tags WHERE tag_id IN (SELECT min(id) FROM tags)",
            "DELETE FROM course_tags WHERE course_id IN (SELECT id FROM courses ORDER BY id LIMIT 3)",
            "INSERT INTO course_tags SELECT c.id, t.id FROM courses c, tags t ON CONFLICT DO NOTHING",
        ] {
            sqlx::query(write).execute(&world.db).await.unwrap();
            assert_eq!(with_other_tag_ids(world).await, 0, "{write}");
        }
    })
    .await;
}
