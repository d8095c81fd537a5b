//! Catalog reads: the list with all its parameters, the details, the organisations, and how the api caches them.

use std::io::Read;

use harness::steps::credentials::session;
use harness::steps::demo::{FREE_KEY, PAID_KEY};
use harness::{Reply, Setup, World, world};
use serde_json::{Value, json};

const LIST: &str = "/storeapi/discovery/courses/";

fn column<'a>(reply: &'a Reply, field: &str) -> Vec<&'a Value> {
    reply.json["courses"].as_array().unwrap().iter().map(|course| &course[field]).collect()
}

async fn all(world: &World, query: &str) -> Reply {
    let reply = world.get(&format!("{LIST}?limit=100&{query}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply
}

#[tokio::test]
async fn a_light_and_a_full_item_have_every_field() {
    world(Setup::without_workers(), async |world| {
        // `is_new` depends on the current day; this course's creation date is far in the past.
        world.clock.advance(chrono::TimeDelta::days(365));
        for fields in ["light", "full"] {
            let reply = world
                .get(&format!("{LIST}?org=northwind&limit=2&order_by=display_name.asc&fields={fields}"))
                .await;
            insta::assert_json_snapshot!(format!("list_{fields}"), reply.json);
        }
    })
    .await;
}

#[tokio::test]
async fn the_list_shows_what_is_published_and_not_hidden() {
    world(Setup::without_workers(), async |world| {
        let reply = all(world, "").await;
        let expected: i64 =
            sqlx::query_scalar("SELECT count(*) FROM courses WHERE is_published AND NOT hidden")
                .fetch_one(&world.db)
                .await
                .unwrap();
        assert_eq!(reply.json["total_count"], expected);
        assert_eq!(column(&reply, "id").len(), usize::try_from(expected).unwrap());
        assert!(column(&reply, "is_published").iter().all(|published| **published == true));
        assert!(
            column(&reply, "is_invite_only").iter().any(|invite| **invite == true),
            "invite-only ones are listed"
        );
    })
    .await;
}

#[tokio::test]
async fn pages_never_overlap_whatever_the_order() {
    world(Setup::without_workers(), async |world| {
        for field in ["created_at", "display_name", "start", "end", "price", "avg_rating"] {
            for direction in ["asc", "desc"] {
                let order = format!("order_by={field}.{direction}");
                let whole = all(world, &order).await;
                let whole: Vec<Value> = column(&whole, "id").into_iter().cloned().collect();
                let mut paged = Vec::new();
                for page in 1.. {
                    let reply = world.get(&format!("{LIST}?limit=7&page={page}&{order}")).await;
                    paged.extend(column(&reply, "id").into_iter().cloned());
                    assert_eq!(reply.json["offset"], (page - 1) * 7);
                    if reply.json["has_more"] == false {
                        break;
                    }
                }
                assert_eq!(paged, whole, "{order}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn orders_put_missing_values_last() {
    world(Setup::without_workers(), async |world| {
        for field in ["start", "end", "price", "avg_rating"] {
            for direction in ["asc", "desc"] {
                let reply = all(world, &format!("order_by={field}.{direction}")).await;
                let values = column(&reply, field);
                let first_null = values.iter().position(|value| value.is_null()).unwrap_or(values.len());
                assert!(
                    values[first_null..].iter().all(|value| value.is_null()),
                    "{field}.{direction}: {values:?}"
                );
                let number = |value: &Value| {
                    value.as_f64().map_or_else(|| value.to_string(), |n| format!("{n:020.3}"))
                };
                let mut sorted: Vec<String> =
                    values[..first_null].iter().map(|value| number(value)).collect();
                let shown = sorted.clone();
                sorted.sort();
                if direction == "desc" {
                    sorted.reverse();
                }
                assert_eq!(shown, sorted, "{field}.{direction}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn filters_combine_and_tolerate_case_blanks_and_repeats() {
    world(Setup::without_workers(), async |world| {
        let lindgren = all(world, "org=lindgren").await;
        assert!(column(&lindgren, "org").iter().all(|org| **org == "lindgren"));
        let name = column(&lindgren, "org_name")[0].as_str().unwrap().to_uppercase();
        let by_name = all(world, &format!("org={},%20,,LINDGREN", urlencode(&name))).await;
        assert_eq!(by_name.json["courses"], lindgren.json["courses"]);
        let two = all(world, "org=lindgren,saraswati").await;
        assert!(two.json["total_count"].as_i64() > lindgren.json["total_count"].as_i64());
        assert_eq!(all(world, "org=nowhere").await.json["total_count"], 0);

        let tagged = all(world, "").await;
        let tag = column(&tagged, "tags").iter().find_map(|tags| tags[0].as_str()).unwrap().to_owned();
        let reply = all(world, &format!("tags={},no-such-tag", urlencode(&tag.to_uppercase()))).await;
        assert!(reply.json["total_count"].as_i64().unwrap() > 0);
        assert!(column(&reply, "tags").iter().all(|tags| tags.as_array().unwrap().contains(&json!(tag))));
        let both = all(world, &format!("tags={}&org=lindgren", urlencode(&tag))).await;
        assert!(column(&both, "org").iter().all(|org| **org == "lindgren"));
    })
    .await;
}

#[tokio::test]
async fn courses_are_filtered_by_whole_codes_of_languages() {
    world(Setup::without_workers(), async |world| {
        let everything = all(world, "fields=full").await;
        let count = |languages: &[&str]| {
            let shown = column(&everything, "language");
            shown.iter().filter(|code| languages.iter().any(|language| ***code == *language)).count()
        };
        // One page of one item: totals and pages come from the cache, each under all of the request's filters.
        for _ in 0..2 {
            for (query, languages) in [
                ("sv", &["sv"][..]),
                ("de", &["de"][..]),
                ("sv,%20,,SV,de", &["sv", "de"][..]),
                ("PT-br", &["pt-BR"][..]),
                ("ja,xx", &["ja"][..]),
            ] {
                let found = all(world, &format!("fields=full&language={query}")).await;
                let codes = column(&found, "language");
                assert!(
                    codes.iter().all(|code| languages.contains(&code.as_str().unwrap())),
                    "{query}: {codes:?}"
                );
                assert_eq!(
                    (codes.len(), &found.json["total_count"]),
                    (count(languages), &json!(codes.len()))
                );
                assert!(!codes.is_empty(), "{query}");
                let first = world.get(&format!("{LIST}?limit=1&fields=full&language={query}")).await;
                assert_eq!(first.json["total_count"], codes.len(), "{query}");
                assert_eq!(first.json["courses"][0], found.json["courses"][0], "{query}");
            }
        }
        // No listed course is in Chinese: the only one is hidden.
        for none in ["pt", "xx", "s_", "sv%25", "*", "null", "zh-Hans"] {
            let found = all(world, &format!("language={none}")).await;
            assert_eq!(
                (&found.json["total_count"], &found.json["courses"]),
                (&json!(0), &json!([])),
                "{none}"
            );
        }
        for unset in ["language=", "language=,%20,"] {
            let found = all(world, &format!("fields=full&{unset}")).await;
            assert_eq!(found.json, everything.json, "{unset}");
        }
        let one = all(world, "language=hi,sv&org=saraswati").await;
        assert!(column(&one, "org").iter().all(|org| **org == "saraswati"));
        assert_eq!(all(world, "language=hi&org=nowhere").await.json["total_count"], 0);
        // Programs have no such filter.
        let programs = "/storeapi/discovery/programs/";
        assert_eq!(world.get(&format!("{programs}?language=sv")).await.json, world.get(programs).await.json);
    })
    .await;
}

#[tokio::test]
async fn search_finds_parts_of_names_and_texts_in_any_case() {
    world(Setup::without_workers(), async |world| {
        let course = world.get(&format!("/storeapi/discovery/course/{FREE_KEY}/")).await.json;
        for field in ["display_name", "short_description", "overview"] {
            let text = course[field].as_str().unwrap();
            let part: String = text.chars().filter(|c| !c.is_control()).skip(3).take(12).collect();
            let reply = all(world, &format!("search={}", urlencode(&part.to_uppercase()))).await;
            assert!(column(&reply, "id").contains(&&course["id"]), "{field}: {part}");
        }
        assert_eq!(all(world, "search=zzzznothing").await.json["total_count"], 0);
    })
    .await;
}

#[tokio::test]
async fn detail_has_every_field_and_a_summary_leaves_the_structure_out() {
    world(Setup::without_workers(), async |world| {
        world.clock.advance(chrono::TimeDelta::days(365));
        let path = format!("/storeapi/discovery/course/{PAID_KEY}/");
        let full = world.get(&path).await;
        insta::assert_json_snapshot!("detail", full.json);
        assert!(full.json["total_minutes"].as_i64().unwrap() > 0);
        let summary = world.get(&format!("{path}?fields=summary")).await;
        assert_eq!(
            (&summary.json["course_structure"], &summary.json["total_minutes"]),
            (&Value::Null, &json!(0))
        );
        assert_eq!(summary.json["reviews"], full.json["reviews"]);
        // Without the final slash, and as a HEAD request.
        assert_eq!(world.get(path.trim_end_matches('/')).await.json, full.json);
        let head = Reply::read(world.request(reqwest::Method::HEAD, &path)).await;
        assert_eq!((head.status, head.text.as_str()), (200, ""));
    })
    .await;
}

#[tokio::test]
async fn hidden_courses_are_reachable_by_key_and_unpublished_ones_are_not() {
    world(Setup::without_workers(), async |world| {
        let key = async |condition: &'static str| -> String {
            let sql = format!("SELECT openedx_course_id FROM courses WHERE {condition} LIMIT 1");
            sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&world.db).await.unwrap()
        };
        let hidden = key("hidden AND is_published").await;
        assert_eq!(world.get(&format!("/storeapi/discovery/course/{hidden}/")).await.status, 200);
        assert!(!column(&all(world, "").await, "openedx_course_id").contains(&&json!(hidden)));
        let unpublished = key("NOT is_published").await;
        world
            .get(&format!("/storeapi/discovery/course/{unpublished}/"))
            .await
            .assert_problem(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn regional_prices_follow_the_visitors_country() {
    world(Setup::without_workers(), async |world| {
        let price = async |country: &str| {
            let path = format!("/storeapi/discovery/course/{PAID_KEY}/");
            let reply =
                Reply::read(world.request(reqwest::Method::GET, &path).header("X-Visitor-Country", country))
                    .await;
            let json = reply.json;
            [
                json["price"].clone(),
                json["originalPrice"].clone(),
                json["discountPct"].clone(),
                json["currency"].clone(),
            ]
        };
        assert_eq!(price("SE").await, [json!(199), json!(199), json!(0), json!("USD")]);
        // 33.33 % off 199 is 132.6733, rounded half-up.
        assert_eq!(price("br").await, [json!(132.67), json!(199), json!(33.33), json!("USD")]);
    })
    .await;
}

#[tokio::test]
async fn organisations_are_listed_basic_or_full_and_searched() {
    world(Setup::without_workers(), async |world| {
        let path = "/storeapi/discovery/organisations/";
        let full = world.get(path).await;
        insta::assert_json_snapshot!("organisations_full", full.json);
        insta::assert_json_snapshot!(
            "organisations_basic",
            world.get(&format!("{path}?fields=basic")).await.json
        );
        let count = |reply: &Reply| reply.json["organisations"].as_array().unwrap().len();
        // Only basic mode searches short names.
        sqlx::query("UPDATE organisations SET name = 'Another name' WHERE short_name = 'kinabalu'")
            .execute(&world.db)
            .await
            .unwrap();
        assert_eq!(count(&world.get(&format!("{path}?search=KINABALU")).await), 0);
        assert_eq!(count(&world.get(&format!("{path}?fields=basic&search=KINABALU")).await), 1);
        world.get(&format!("{path}?fields=some")).await.assert_problem(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn reads_carry_a_strong_etag_and_answer_304_to_those_who_have_it() {
    world(Setup::without_workers(), async |world| {
        let get = |header: &'static str, value: String| {
            Reply::read(world.request(reqwest::Method::GET, LIST).header(header, value))
        };
        let first = world.get(LIST).await;
        let etag = first.header("etag").to_owned();
        assert!(etag.starts_with('"') && etag.len() > 10);
        assert_eq!(first.header("cache-control"), "private, max-age=30");
        assert!(first.header("vary").contains("x-visitor-country"));
        let same = get("If-None-Match", format!("\"other\", {etag}")).await;
        assert_eq!((same.status, same.text.as_str(), same.header("etag")), (304, "", etag.as_str()));
        assert_eq!(get("If-None-Match", "\"other\"".into()).await.status, 200);
        let mut tags = vec![etag];
        for (accepted, encoding) in [("gzip", "gzip"), ("gzip, deflate, br", "br")] {
            let request = world.request(reqwest::Method::GET, LIST).header("Accept-Encoding", accepted);
            let compressed = request.send().await.unwrap();
            assert_eq!(compressed.headers()["content-encoding"], encoding);
            let etag = compressed.headers()["etag"].to_str().unwrap().to_owned();
            assert!(!tags.contains(&etag), "{etag}");
            tags.push(etag);
            let mut plain = String::new();
            let bytes = compressed.bytes().await.unwrap();
            assert!(bytes.len() < first.text.len());
            let read = match encoding {
                "br" => brotli::Decompressor::new(&*bytes, 4096).read_to_string(&mut plain),
                _ => flate2::read::GzDecoder::new(&*bytes).read_to_string(&mut plain),
            };
            read.unwrap();
            assert_eq!(plain, first.text);
        }
    })
    .await;
}

#[tokio::test]
async fn an_item_that_cannot_be_shown_is_named_and_the_list_succeeds() {
    world(Setup::without_workers(), async |world| {
        sqlx::query("UPDATE courses SET currency = 'ZZZ' WHERE openedx_course_id = $1")
            .bind(PAID_KEY)
            .execute(&world.db)
            .await
            .unwrap();
        let reply = all(world, "").await;
        let errors = reply.json["partial_errors"].as_array().unwrap();
        assert_eq!((errors.len(), &errors[0]["openedx_course_id"]), (1, &json!(PAID_KEY)));
        assert!(errors[0]["message"].as_str().unwrap().contains("ZZZ"));
        assert!(!column(&reply, "openedx_course_id").contains(&&json!(PAID_KEY)));
        let shown = i64::try_from(column(&reply, "id").len()).unwrap();
        assert_eq!(reply.json["total_count"], shown + 1);
    })
    .await;
}

/// The paid course's record in the demo catalog.
pub fn paid_course() -> Value {
    record_of(|record| record["kind"] == "course" && record["openedx_course_id"] == PAID_KEY)
}

/// The first record of the demo catalog that matches.
pub fn record_of(matches: impl Fn(&Value) -> bool) -> Value {
    let catalog = include_str!("../../../deploy/demo-catalog/catalog.jsonl");
    let mut records = catalog.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.find(matches).unwrap()
}

#[tokio::test]
async fn what_is_not_there_is_said_at_once_however_often_it_is_asked() {
    world(Setup::without_workers(), async |world| {
        for _ in 0..3 {
            let start = std::time::Instant::now();
            world
                .get("/storeapi/discovery/course/course-v1:no+such+course/")
                .await
                .assert_problem(404, "not_found");
            // A replica waits up to half a second while another one loads the payload; here no replica is loading it.
            assert!(start.elapsed() < std::time::Duration::from_millis(400));
        }
    })
    .await;
}

#[tokio::test]
async fn names_are_found_in_any_case_whatever_their_letters() {
    world(Setup::without_workers(), async |world| {
        let file = std::env::temp_dir().join(format!("{}.jsonl", world.name));
        let mut record = paid_course();
        record["tags"] = json!(["İstatistik", "ΟΔΥΣΣΕΥΣ", "Écologie"]);
        let tags = ["İstatistik", "ΟΔΥΣΣΕΥΣ", "écologie"]
            .map(|name| json!({ "kind": "tag", "name": name }).to_string());
        std::fs::write(&file, format!("{}\n{record}\n", tags.join("\n"))).unwrap();
        worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap();
        for tag in ["İstatistik", "ΟΔΥΣΣΕΥΣ", "οδυσσευσ", "ÉCOLOGIE"] {
            let found = all(world, &format!("tags={}", urlencode(tag))).await;
            assert_eq!(found.json["total_count"], 1, "{tag}");
            assert_eq!(column(&found, "tags")[0].as_array().unwrap().len(), 3);
        }
        // Importing the course alone again: its tags resolve by name to the existing ones.
        std::fs::write(&file, record.to_string()).unwrap();
        let again = worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap();
        assert_eq!(again.changed, 0);
        std::fs::remove_file(&file).unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_internal_port_tells_whether_it_lives_and_what_it_does() {
    world(Setup::default(), async |world| {
        world.get(LIST).await;
        for internal in [world.apis[0].internal, world.workers[0].internal] {
            let get =
                async |path: &str| Reply::read(world.http.get(format!("http://{internal}{path}"))).await;
            assert_eq!(get("/livez").await.status, 200);
            assert_eq!(get("/readyz").await.status, 200);
            let metrics = get("/metrics").await;
            assert!(metrics.text.contains("storefront_request_seconds_bucket"), "{}", metrics.text);
            assert!(metrics.text.contains(r#"route="/storeapi/discovery/courses/""#));
        }
        Reply::read(world.http.request("BREW".parse().unwrap(), world.url(LIST)))
            .await
            .assert_problem(405, "method_not_allowed");
        let metrics = Reply::read(world.http.get(format!("http://{}/metrics", world.apis[0].internal))).await;
        assert!(!metrics.text.contains("BREW"));
    })
    .await;
}

#[tokio::test]
async fn every_metric_of_the_api_says_what_it_measures() {
    world(Setup::without_workers(), async |world| {
        // The course platform never redirects the api: it raises an alert, which has a metric of its own.
        let ada = world.platform_user("ada@example.com").await;
        let redirect =
            json!({ "target": "platform", "path": "/api/user/v1/me", "kind": "status", "status": 301 });
        world.fault(redirect).await;
        let reply = world.http.get(world.url(LIST)).header("cookie", session(&ada));
        Reply::read(reply).await.assert_problem(503, "unavailable");
        let url = format!("http://{}/metrics", world.apis[0].internal);
        let metrics = Reply::read(world.http.get(url)).await.text;
        let served: Vec<&str> =
            metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
        for metric in ["storefront_request_seconds", "storefront_alerts_total"] {
            assert!(served.contains(&metric), "{metric}: {metrics}");
        }
        for metric in served {
            assert!(metrics.contains(&format!("# HELP {metric} ")), "{metric}: {metrics}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_payload_that_is_no_longer_fresh_is_served_while_the_database_is_unavailable() {
    world(Setup { proxied: true, ..Setup::without_workers() }, async |world| {
        let path = format!("/storeapi/discovery/course/{PAID_KEY}/");
        let before = world.get(&path).await;
        // The payload is old enough to be reloaded; for another visitor country the process caches no finished body.
        world.clock.advance(chrono::TimeDelta::seconds(400));
        tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
        world.postgres().cut();
        let stale =
            Reply::read(world.request(reqwest::Method::GET, &path).header("X-Visitor-Country", "SE")).await;
        assert_eq!((stale.status, &stale.json), (200, &before.json), "{}", stale.text);
        world.postgres().restore();
    })
    .await;
}

fn urlencode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
