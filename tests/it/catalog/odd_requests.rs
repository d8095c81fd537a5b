//! Requests that are rare, odd or expensive take little memory and hold up no others.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harness::steps::demo::PAID_COURSE;
use harness::steps::generation::raise_in_redis;
use harness::steps::payments::waiting_for;
use harness::{Reply, Setup, World, redis_url, world};
use reqwest::Method;
use serde_json::{Map, Value, json};

const LIST: &str = "/storeapi/discovery/courses/";

/// The payloads in Redis whose key contains a text.
async fn payloads(world: &World, text: &str) -> Vec<String> {
    let client = redis::Client::open(redis_url()).unwrap();
    let mut redis = client.get_multiplexed_async_connection().await.unwrap();
    let pattern = format!("{}:base:*", world.name);
    let keys: Vec<String> = redis::cmd("KEYS").arg(pattern).query_async(&mut redis).await.unwrap();
    keys.into_iter().filter(|key| key.contains(text) && !key.ends_with(":lock")).collect()
}

/// Reads a path in another encoding than [`World::get`], so that the process has no body for it.
async fn get_compressed(world: &World, path: &str) -> u16 {
    let request = world.request(Method::GET, path).header("accept-encoding", "gzip");
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
#[ignore = "slow"]
async fn rare_payloads_take_memory_in_redis_from_their_second_request_on() {
    world(Setup::without_workers(), async |world| {
        assert_eq!(world.get(&format!("{LIST}?limit=3")).await.status, 200);
        assert_eq!(payloads(world, "limit: 3").await.len(), 1);
        for (path, text) in [
            (format!("{LIST}?search=data"), "search: \"data\""),
            (format!("{LIST}?limit=1&page=11"), "offset: 10"),
            ("/storeapi/discovery/programs/?search=data".to_owned(), "programs-total"),
            ("/storeapi/discovery/tags/?search=data".to_owned(), ":tags:"),
            ("/storeapi/discovery/organisations/?search=north".to_owned(), ":organisations:"),
            ("/storeapi/banner/list/?org=northwind".to_owned(), ":banners:"),
        ] {
            assert_eq!(world.get(&path).await.status, 200, "{path}");
            assert!(payloads(world, text).await.is_empty(), "{path}");
            // Payloads outlive their first request in the process, too, for a second.
            tokio::time::sleep(Duration::from_millis(1100)).await;
            assert_eq!(get_compressed(world, &path).await, 200, "{path}");
            assert!(!payloads(world, text).await.is_empty(), "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn payloads_over_128_kib_stay_in_the_process() {
    world(Setup::without_workers(), async |world| {
        let path = "/storeapi/discovery/course/course-v1:Northwind+DS210+2026/";
        let overview = "UPDATE courses SET overview = $1 WHERE id = $2::uuid";
        for (length, stored) in [(100_000, 1), (140_000, 0)] {
            sqlx::query(overview)
                .bind("x".repeat(length))
                .bind(PAID_COURSE)
                .execute(&world.db)
                .await
                .unwrap();
            let raise = "UPDATE catalog_generation SET generation = generation + 1 RETURNING generation";
            let generation: i64 = sqlx::query_scalar(raise).fetch_one(&world.db).await.unwrap();
            raise_in_redis(world, generation).await;
            world
                .eventually("the change is served", async |world| {
                    world.get(path).await.json["overview"].as_str().map(str::len) == Some(length)
                })
                .await;
            assert_eq!(
                payloads(world, &format!(":base:{generation}:course:")).await.len(),
                stored,
                "{length}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_miss_is_remembered_for_a_while_and_a_catalog_change_ends_it() {
    world(Setup::without_workers(), async |world| {
        let hide = async |hidden: bool| {
            let sql = "UPDATE courses SET is_published = $1 WHERE id = $2::uuid";
            sqlx::query(sql).bind(!hidden).bind(PAID_COURSE).execute(&world.db).await.unwrap();
        };
        hide(true).await;
        let paths = ["course", "course-outline"]
            .map(|kind| format!("/storeapi/discovery/{kind}/course-v1:Northwind+DS210+2026/"));
        for path in &paths {
            world.get(path).await.assert_problem(404, "not_found");
        }
        // A change that raises no generation, so that only a look-up in the database would find it.
        hide(false).await;
        for path in &paths {
            world.get(path).await.assert_problem(404, "not_found");
        }
        let raise = "UPDATE catalog_generation SET generation = generation + 1 RETURNING generation";
        let generation: i64 = sqlx::query_scalar(raise).fetch_one(&world.db).await.unwrap();
        raise_in_redis(world, generation).await;
        for path in &paths {
            world.eventually("the course is shown", async |world| world.get(path).await.status == 200).await;
        }
    })
    .await;
}

#[tokio::test]
async fn searches_that_no_index_serves_leave_connections_to_all_other_reads() {
    let pool = "--database-pool=4".to_owned();
    world(Setup { api_args: vec![pool], ..Setup::without_workers() }, async |world| {
        world.get(LIST).await;
        let mut lock = world.db.begin().await.unwrap();
        sqlx::query("LOCK TABLE courses IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();
        let searches: Vec<_> = ["a", "b", "ab", "zz", "%20c", "é"]
            .iter()
            .map(|search| {
                let request = world.request(Method::GET, &format!("{LIST}?search={search}"));
                tokio::spawn(Reply::read(request))
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(500)).await;
        // Two of the four connections wait for the lock; the others answer.
        let start = Instant::now();
        assert_eq!(world.get("/storeapi/discovery/organisations/").await.status, 200);
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        tokio::time::sleep(Duration::from_millis(1500)).await;
        lock.rollback().await.unwrap();
        let (mut answered, mut refused) = (0, 0);
        for search in searches {
            let reply = search.await.unwrap();
            match reply.status {
                200 => answered += 1,
                _ => {
                    assert_eq!(reply.assert_problem(503, "unavailable").header("retry-after"), "1");
                    refused += 1;
                }
            }
        }
        assert_eq!((answered, refused), (2, 4));
    })
    .await;
}

#[tokio::test]
async fn readiness_does_not_depend_on_the_connections_of_requests() {
    let pool = "--database-pool=2".to_owned();
    world(Setup { api_args: vec![pool], ..Setup::without_workers() }, async |world| {
        world.get(LIST).await;
        let mut lock = world.db.begin().await.unwrap();
        sqlx::query("LOCK TABLE courses IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();
        let reads: Vec<_> = (2..8)
            .map(|limit| {
                let request = world.request(Method::GET, &format!("{LIST}?limit={limit}"));
                tokio::spawn(Reply::read(request))
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(300)).await;
        for _ in 0..3 {
            let ready =
                Reply::read(world.http.get(format!("http://{}/readyz", world.apis[0].internal))).await;
            assert_eq!((ready.status, &ready.json["database"]), (200, &json!(true)));
        }
        lock.rollback().await.unwrap();
        join_all(reads).await;
    })
    .await;
}

#[tokio::test]
async fn a_problem_lists_at_most_100_faults() {
    world(Setup::without_workers(), async |world| {
        let body: Map<String, Value> = (0..5000).map(|nth| (format!("f{nth}"), json!(0))).collect();
        let reply = world.post("/storeapi/discovery/guest/checkout/", &body.into()).await;
        assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields().len(), 100);
    })
    .await;
}

#[tokio::test]
async fn the_openapi_document_is_rendered_once_and_not_sent_again() {
    world(Setup::without_workers(), async |world| {
        let url = world.url("/storeapi/openapi.json");
        let first = Reply::read(world.http.get(&url)).await;
        let tag = first.header("etag").to_owned();
        assert_eq!((first.status, first.header("vary")), (200, "accept-encoding"));
        let same = Reply::read(world.http.get(&url).header("if-none-match", &tag)).await;
        assert_eq!((same.status, same.text.as_str(), same.header("etag")), (304, "", tag.as_str()));
        let compressed = world.http.get(&url).header("accept-encoding", "gzip").send().await.unwrap();
        assert_eq!(compressed.headers()["content-encoding"], "gzip");
        assert_ne!(compressed.headers()["etag"].to_str().unwrap(), tag);
        assert!(compressed.bytes().await.unwrap().len() * 4 < first.text.len());

        // Answers take less time than renderings, on whatever machine.
        let start = Instant::now();
        (0..10).for_each(|_| drop(api::openapi_document().to_string()));
        let (rendering, start) = (start.elapsed(), Instant::now());
        for _ in 0..10 {
            assert_eq!(Reply::read(world.http.get(&url).header("if-none-match", &tag)).await.status, 304);
        }
        assert!(start.elapsed() < rendering, "{:?} and {rendering:?}", start.elapsed());
    })
    .await;
}

#[tokio::test]
async fn searches_whose_callers_hang_up_keep_their_turns_at_the_database() {
    world(Setup::without_workers(), async |world| {
        let mut lock = world.db.begin().await.unwrap();
        sqlx::query("LOCK courses IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();
        let two = ["xy", "xz"].map(|search| {
            let request = world.request(Method::GET, &format!("{LIST}?search={search}"));
            tokio::spawn(Reply::read(request))
        });
        world.eventually("two wait", async |world| waiting_for(world, "courses").await == 2).await;
        two.iter().for_each(|search| search.abort());
        for letter in 'a'..='d' {
            let path = format!("{LIST}?search=x{letter}");
            let asked = tokio::time::timeout(Duration::from_millis(200), world.get(&path)).await;
            assert!(asked.is_err(), "{path}");
        }
        assert_eq!(waiting_for(world, "courses").await, 2);
        lock.rollback().await.unwrap();
        world
            .eventually("the next one has a turn", async |world| {
                world.get(&format!("{LIST}?search=xx")).await.status == 200
            })
            .await;
    })
    .await;
}
