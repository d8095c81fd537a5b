//! `catalog sync`: the catalog follows the platform's courses and keeps the fields that the operator owns.

use std::process::Output;

use chrono::TimeDelta;
use harness::steps::worker_program::command;
use harness::{Setup, World, redis_url, world};
use reqwest::Method;
use serde_json::{Value, json};

const LIST: &str = "/storeapi/discovery/courses/?org=northwind&limit=100";
pub(super) const KEY: &str = "course-v1:northwind+C00001+2026";
const NEEDED: [&str; 7] = [
    "database-url",
    "redis-url",
    "redis-prefix",
    "platform-url",
    "platform-client-id",
    "platform-client-secret",
    "platform-calls-per-minute",
];

pub(super) async fn run_sync(world: &World, extra: &[&str]) -> Output {
    let extra = [&["--json", "--catalog-sync-calls-per-minute=0"], extra].concat();
    command(world, &["catalog", "sync"], &NEEDED).args(extra).output().await.unwrap()
}

pub(super) fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no report: {}", String::from_utf8_lossy(&output.stderr)))
}

/// A sync with every option.
pub(super) async fn sync(world: &World) -> Value {
    let output = run_sync(world, &[]).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    report(&output)
}

pub(super) async fn platform(world: &World, change: Value) -> Value {
    world.sim(Method::POST, "/_sim/catalog", Some(change)).await
}

pub(super) async fn import(world: &World, lines: &[Value]) {
    let file = std::env::temp_dir().join(format!("{}.jsonl", world.name));
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(&file, text.join("\n")).unwrap();
    worker::catalog::import(&world.db, &file, &world.clock, None).await.unwrap();
    std::fs::remove_file(&file).unwrap();
}

async fn exported(world: &World, kind: &str) -> Vec<Value> {
    let mut lines = Vec::new();
    worker::catalog::export(&world.db, &mut lines).await.unwrap();
    let records =
        std::str::from_utf8(&lines).unwrap().lines().map(|line| serde_json::from_str(line).unwrap());
    records.filter(|record: &Value| record["kind"] == kind).collect()
}

pub(super) async fn course(world: &World, key: &str) -> Value {
    let courses = exported(world, "course").await;
    courses.into_iter().find(|course| course["openedx_course_id"] == key).unwrap_or_default()
}

pub(super) fn count(report: &Value, what: &str) -> usize {
    report[what].as_array().unwrap().len()
}

async fn listed(world: &World) -> i64 {
    world.get(LIST).await.json["total_count"].as_i64().unwrap()
}

#[tokio::test]
#[ignore = "slow"]
async fn five_hundred_courses_arrive_despite_shifting_pages_throttling_and_failures() {
    world(Setup::without_workers(), async |world| {
        let before = listed(world).await;
        platform(world, json!({ "count": 500, "throttled_lists": 1 })).await;
        // While the sync reads the list, three courses of earlier pages disappear, which shifts three courses onto a
        // page already read, and one course appears, which shifts another one to the next page.
        let gone = [
            "course-v1:northwind+C00003+2026",
            "course-v1:northwind+C00004+2026",
            "course-v1:northwind+C00005+2026",
        ];
        platform(world, json!({ "remove": gone, "after_page": 2 })).await;
        let early = json!({ "course_id": "course-v1:northwind+A+2026" });
        platform(world, json!({ "courses": [early], "after_page": 4 })).await;
        for (path, kind, status) in [
            ("/api/courses/v1/courses", "status", 502),
            ("/api/course_modes", "status", 429),
            ("/api/course_modes", "status", 503),
            ("/api/learning_sequences", "lost_answer", 0),
            ("/api/courses/v1/blocks", "status", 500),
        ] {
            world
                .fault(
                    json!({ "target": "platform", "path": path, "kind": kind, "status": status, "count": 2 }),
                )
                .await;
        }
        let first = sync(world).await;
        assert_eq!((count(&first, "created"), count(&first, "failed")), (498, 0), "{}", first["failed"]);
        assert_eq!(count(&first, "unpublished"), 0);
        assert_eq!(listed(world).await, before + 498);
    })
    .await;
}

#[tokio::test]
async fn the_api_shows_what_the_platform_says() {
    world(Setup::without_workers(), async |world| {
        let described = json!({ "course_id": KEY, "name": "R&D  <b>now</b>", "short_description": "Short", "overview": "<p>Long</p>",
            "effort": "3 hours", "start": "2026-03-01T00:00:00Z", "advertised_start": "Spring 2026",
            "enrollment_end": "2027-01-01T00:00:00Z", "invitation_only": true, "effort_time": 70,
            "modes": [{ "slug": "audit" }, { "slug": "verified", "min_price": 49, "expires_at": "2090-01-01T00:00:00Z" }] });
        platform(world, json!({ "courses": [described] })).await;
        sync(world).await;
        let detail = world.get(&format!("/storeapi/discovery/course/{KEY}/")).await.json;
        assert_eq!(detail["display_name"], "R&D now");
        assert_eq!((&detail["overview"], &detail["effort"]), (&json!("<p>Long</p>"), &json!("3 hours")));
        assert_eq!((&detail["start_display"], &detail["is_invite_only"]), (&json!("Spring 2026"), &json!(true)));
        assert_eq!((&detail["enrollment_end"], &detail["end"]), (&json!("2027-01-01T00:00:00Z"), &Value::Null));
        assert_eq!((&detail["price"], &detail["course_mode"]), (&json!(0), &json!("audit")));
        assert_eq!(detail["available_course_modes"][1]["minPrice"], 49);
        assert_eq!(detail["course_image_url"], "http://lms.test/asset/C00001.jpg");
        // Two units of 70 seconds: 140 seconds in total, rounded up once.
        assert_eq!(detail["total_minutes"], 3);
        assert_eq!(detail["course_structure"]["children"][1]["children"][0]["display_name"], "Lesson 2");
        let outline = world.get(&format!("/storeapi/discovery/course-outline/{KEY}/")).await.json;
        assert_eq!((&outline["total_sections"], &outline["total_subsections"]), (&json!(2), &json!(2)));
        let unit = &outline["sections"][0]["subsections"][0]["units"][0];
        assert_eq!(unit["usage_key"], "block-v1:northwind+C00001+2026+type@vertical+block@v1");
        assert_eq!(outline["course_info"]["course_visibility"], "private");
    })
    .await;
}

#[tokio::test]
async fn a_dry_run_shows_the_difference_and_writes_nothing() {
    world(Setup::without_workers(), async |world| {
        platform(world, json!({ "count": 3 })).await;
        sync(world).await;
        platform(world, json!({ "courses": [{ "course_id": KEY, "name": "Renamed" }, { "course_id": "course-v1:northwind+New+2026" }],
            "remove": ["course-v1:northwind+C00002+2026"] }))
        .await;
        let state = async || -> (i64, String, i64) {
            sqlx::query_as(
                "SELECT (SELECT generation FROM catalog_generation), (SELECT md5(string_agg(c::text, ',' ORDER BY id)) FROM courses c),
                        (SELECT count(*) FROM synced_courses)",
            )
            .fetch_one(&world.db)
            .await
            .unwrap()
        };
        let before = state().await;
        let output = run_sync(world, &["--dry-run"]).await;
        assert!(output.status.success());
        let report = report(&output);
        assert_eq!(report["created"], json!(["course-v1:northwind+New+2026"]));
        assert_eq!(report["unpublished"], json!(["course-v1:northwind+C00002+2026"]));
        let change = &report["changed"][0];
        assert_eq!(change["course"], KEY);
        let name = change["fields"].as_array().unwrap().iter().find(|field| field["field"] == "display_name").unwrap();
        assert_eq!((&name["from"], &name["to"]), (&json!("Course 1"), &json!("Renamed")));
        assert_eq!(state().await, before);
    })
    .await;
}

#[tokio::test]
async fn courses_that_vanish_are_unpublished_and_published_again_when_they_come_back() {
    world(Setup::without_workers(), async |world| {
        let own = listed(world).await;
        platform(world, json!({ "count": 4 })).await;
        sync(world).await;
        let second = "course-v1:northwind+C00002+2026";
        // The operator has unpublished one of the courses that disappear.
        let mut unpublished = course(world, second).await;
        unpublished["is_published"] = json!(false);
        import(world, &[unpublished]).await;
        platform(world, json!({ "remove": [KEY, second] })).await;
        let gone = sync(world).await;
        assert_eq!(
            gone["unpublished"],
            json!([KEY]),
            "the sync leaves courses alone that never came from the platform"
        );
        assert_eq!(listed(world).await, own + 2);
        world.get(&format!("/storeapi/discovery/course/{KEY}/")).await.assert_problem(404, "not_found");
        assert_eq!(count(&sync(world).await, "unpublished"), 0);

        platform(world, json!({ "count": 2 })).await;
        let back = sync(world).await;
        assert_eq!(back["published_again"], json!([KEY]));
        assert_eq!(listed(world).await, own + 3);
        assert_eq!(course(world, second).await["is_published"], false);
    })
    .await;
}

#[tokio::test]
async fn many_courses_do_not_vanish_at_once_unless_the_operator_says_so() {
    world(Setup::without_workers(), async |world| {
        let own = listed(world).await;
        platform(world, json!({ "count": 20 })).await;
        sync(world).await;
        world.sim(Method::POST, "/_sim/reset", None).await;
        let refused = run_sync(world, &[]).await;
        assert!(!refused.status.success());
        assert!(report(&refused)["stopped"].as_str().unwrap().contains("20 of 20"));
        assert_eq!(listed(world).await, own + 20);
        let meant = run_sync(world, &["--unpublish-any"]).await;
        assert_eq!(count(&report(&meant), "unpublished"), 20);
        assert_eq!(listed(world).await, own);
    })
    .await;
}

#[tokio::test]
async fn what_the_operator_owns_survives_a_sync() {
    world(Setup::without_workers(), async |world| {
        platform(world, json!({ "count": 1 })).await;
        sync(world).await;
        let mut edited = course(world, KEY).await;
        let tag = exported(world, "tag").await.remove(0)["name"].clone();
        for (field, value) in [
            ("organisation", json!("lindgren")),
            ("hidden", json!(true)),
            ("is_new", json!(true)),
            ("language", json!("sv")),
            ("tags", json!([tag])),
            ("link_to_course", json!("https://learn.example.com/")),
            ("has_any_active_web_certificate", json!(true)),
            ("created_at", json!("2020-01-01T00:00:00Z")),
            ("reviews", json!([{ "id": "00000000-0000-4000-8000-00000000aaaa", "rating": 4, "title": "t", "comment": "c",
                "author_name": "a", "created_at": "2025-01-01T00:00:00Z" }])),
        ] {
            edited[field] = value;
        }
        edited["modes"][1]["visible"] = json!(false);
        edited["modes"][0]["upsellableCourseModes"] = json!(["verified"]);
        // The sync restores the fields that the platform owns.
        edited["display_name"] = json!("Typed over");
        edited["modes"][1]["minPrice"] = json!(1);
        import(world, &[edited.clone()]).await;
        let report = sync(world).await;
        let fields: Vec<&Value> =
            report["changed"][0]["fields"].as_array().unwrap().iter().map(|field| &field["field"]).collect();
        assert_eq!(fields, ["display_name", "modes"]);
        edited["display_name"] = json!("Course 1");
        edited["modes"][1]["minPrice"] = json!(49);
        assert_eq!(course(world, KEY).await, edited);
        assert_eq!(sync(world).await["unchanged"], 1);
        // An import that brings the old values back counts as a change.
        edited["display_name"] = json!("Typed over");
        edited["modes"][1]["minPrice"] = json!(1);
        import(world, &[edited.clone()]).await;
        assert_eq!(course(world, KEY).await["display_name"], "Typed over");
    })
    .await;
}

#[tokio::test]
async fn the_operator_maps_organisations_and_keeps_prices() {
    world(Setup::without_workers(), async |world| {
        let described = |org: &str| json!({ "course_id": format!("course-v1:{org}+X+2026"), "modes": [{ "slug": "verified", "min_price": 10 }] });
        platform(world, json!({ "courses": [described("NORTHWIND"), described("Mapped"), described("Left.Out"), described("Unknown")] })).await;
        let mappings = [
            json!({ "kind": "platform_organisation", "org": "mapped", "organisation": "lindgren", "prices": "own" }),
            json!({ "kind": "platform_organisation", "org": "Left.Out", "organisation": null, "prices": "platform" }),
        ];
        import(world, &mappings).await;
        assert_eq!(exported(world, "platform_organisation").await, [mappings[1].clone(), mappings[0].clone()]);
        let first = sync(world).await;
        assert_eq!(first["created"], json!(["course-v1:Mapped+X+2026", "course-v1:NORTHWIND+X+2026"]));
        let skipped: Vec<&str> = first["skipped"].as_array().unwrap().iter().map(|one| one["reason"].as_str().unwrap()).collect();
        assert!(skipped[0].contains("leaves out") && skipped[1].contains("no organisation is called \"Unknown\""), "{skipped:?}");
        let mut mapped = course(world, "course-v1:Mapped+X+2026").await;
        assert_eq!((&mapped["organisation"], &mapped["modes"][0]["visible"]), (&json!("lindgren"), &json!(false)));
        mapped["modes"][0]["visible"] = json!(true);
        mapped["modes"][0]["minPrice"] = json!(77.5);
        mapped["modes"][0]["currency"] = json!("EUR");
        import(world, &[mapped.clone()]).await;
        assert_eq!(count(&sync(world).await, "changed"), 0);
        let shown = world.get("/storeapi/discovery/course/course-v1:Mapped+X+2026/").await.json;
        assert_eq!((&shown["price"], &shown["organisation"]), (&json!(77.5), &json!("lindgren")));
    })
    .await;
}

#[tokio::test]
async fn new_courses_wait_for_the_operator_where_the_setting_says_so() {
    world(Setup::without_workers(), async |world| {
        let own = listed(world).await;
        platform(world, json!({ "count": 1, "courses": [{ "course_id": "course-v1:northwind+Hidden+2026", "hidden": true }] })).await;
        run_sync(world, &["--catalog-sync-publish=false"]).await;
        assert_eq!(listed(world).await, own);
        assert_eq!(course(world, KEY).await["is_published"], false);
        platform(world, json!({ "courses": [{ "course_id": "course-v1:northwind+Secret+2026", "hidden": true }] })).await;
        sync(world).await;
        // As on the platform: readable by its key, but not listed.
        assert_eq!(listed(world).await, own);
        assert_eq!(world.get("/storeapi/discovery/course/course-v1:northwind+Secret+2026/").await.status, 200);
        assert_eq!(course(world, KEY).await["is_published"], false, "only the operator publishes");
    })
    .await;
}

#[tokio::test]
async fn a_bad_course_is_reported_and_the_others_continue() {
    world(Setup::without_workers(), async |world| {
        platform(world, json!({ "count": 3, "courses": [
            { "course_id": "course-v1:northwind+Broken+2026", "broken": true },
            { "course_id": "course-v1:northwind+Backwards+2026", "start": "2026-02-01T00:00:00Z", "end": "2026-01-01T00:00:00Z" },
            { "course_id": "course-v1:northwind+Nul+2026", "name": "a\u{0}b" },
            { "course_id": "ccx-v1:northwind+C+2026+ccx@1" },
            { "course_id": "northwind/Old/Course" },
            { "course_id": "course-v1:northwind+Empty+2026", "sections": 0 },
            { "course_id": "course-v1:northwind+Modes+2026", "modes": [{ "slug": "own-mode" }, { "slug": "verified", "currency": "xxq" }, { "slug": "honor" }] },
        ] }))
        .await;
        let output = run_sync(world, &[]).await;
        assert!(!output.status.success());
        let report = report(&output);
        let courses = |what: &str| -> Vec<String> {
            let names = report[what].as_array().unwrap().iter();
            names.map(|one| one["course"].as_str().unwrap_or_else(|| one.as_str().unwrap()).to_owned()).collect()
        };
        let named = |name: &str| format!("course-v1:northwind+{name}+2026");
        assert_eq!(courses("failed"), ["Backwards", "Broken", "Nul"].map(named));
        assert_eq!(courses("skipped"), ["ccx-v1:northwind+C+2026+ccx@1", "northwind/Old/Course"]);
        assert_eq!(courses("created"), ["C00001", "C00002", "C00003", "Empty", "Modes"].map(named));
        assert_eq!(courses("notes"), ["Empty", "Modes", "Modes"].map(named));
        // Without modes, the platform enrolls in audit.
        assert_eq!(course(world, &named("Empty")).await["modes"][0]["modeSlug"], "audit");
        assert_eq!(course(world, &named("Modes")).await["modes"].as_array().unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_platform_that_is_unavailable_unpublishes_nothing() {
    world(Setup::without_workers(), async |world| {
        platform(world, json!({ "count": 12 })).await;
        sync(world).await;
        let before = listed(world).await;
        world.fault(json!({ "target": "platform", "path": "/api/courses/v1/courses/", "kind": "status", "status": 403, "count": 1 })).await;
        let output = run_sync(world, &[]).await;
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains("403"));
        // An account without staff rights sees no hidden courses, so their absence from its list proves nothing.
        let hidden = "course-v1:northwind+Hidden+2026";
        platform(world, json!({ "courses": [{ "course_id": hidden, "hidden": true }] })).await;
        sync(world).await;
        platform(world, json!({ "remove": [hidden] })).await;
        world.fault(json!({ "target": "platform", "path": "/api/course_modes", "kind": "status", "status": 403, "count": 1 })).await;
        let output = run_sync(world, &[]).await;
        assert!(String::from_utf8_lossy(&output.stderr).contains("must be staff"));
        assert_eq!(course(world, hidden).await["is_published"], true);
        // The call fails for every course: the sync stops after several failures in a row.
        world.fault(json!({ "target": "platform", "path": "/api/learning_sequences", "kind": "status", "status": 500, "count": 1000 })).await;
        platform(world, json!({ "remove": [KEY] })).await;
        let output = run_sync(world, &[]).await;
        assert!(!output.status.success());
        assert!(report(&output)["stopped"].as_str().unwrap().contains("in a row"));
        assert_eq!(listed(world).await, before);
    })
    .await;
}

#[tokio::test]
async fn a_sync_that_was_killed_is_finished_by_the_next_one() {
    world(Setup::without_workers(), async |world| {
        platform(world, json!({ "count": 150 })).await;
        let slow = ["catalog", "sync", "--catalog-sync-calls-per-minute=9000"];
        let mut child = command(world, &slow, &NEEDED).spawn().unwrap();
        let synced = async || -> i64 {
            sqlx::query_scalar("SELECT count(*) FROM synced_courses").fetch_one(&world.db).await.unwrap()
        };
        world.eventually("a batch is committed", async |_| synced().await > 0).await;
        child.kill().await.unwrap();
        let before = synced().await;
        assert!(before < 150, "the sync was killed too late");
        sqlx::query("UPDATE leases SET until = now()").execute(&world.db).await.unwrap();
        let report = sync(world).await;
        assert_eq!(count(&report, "created"), 150 - usize::try_from(before).unwrap());
        assert_eq!((&report["unchanged"], synced().await), (&json!(before), 150));
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn the_workers_synchronise_once_in_each_period() {
    let every = ["--catalog-sync-every=1h".to_owned(), "--catalog-sync-calls-per-minute=0".to_owned()];
    let setup = Setup { workers: 2, worker_args: every.to_vec(), ..Setup::default() };
    world(setup, async |world| {
        let finished = async || -> Option<chrono::DateTime<chrono::Utc>> {
            sqlx::query_scalar("SELECT finished_at FROM catalog_sync_state")
                .fetch_optional(&world.db)
                .await
                .unwrap()
        };
        world.eventually("the first sync has ended", async |_| finished().await.is_some()).await;
        let own = listed(world).await;
        platform(world, json!({ "count": 3 })).await;
        let lists = async || platform(world, json!({})).await["calls"]["list"].as_i64().unwrap();
        let before = lists().await;
        world.clock.advance(TimeDelta::minutes(61));
        world.eventually("the new courses are listed", async |world| listed(world).await == own + 3).await;
        world
            .eventually("the second sync has ended", async |_| {
                finished().await.unwrap() > world.clock.now() - TimeDelta::minutes(10)
            })
            .await;
        assert_eq!(lists().await, before + 1);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn an_event_of_the_bus_synchronises_its_course_alone() {
    let stream = format!("bus-{}", uuid::Uuid::now_v7());
    let bus = [
        format!("--event-bus-redis-url={}", redis_url()),
        format!("--event-bus-catalog-stream={stream}"),
        "--catalog-sync-calls-per-minute=0".to_owned(),
    ];
    let setup = Setup { workers: 2, worker_args: bus.to_vec(), ..Setup::default() };
    world(setup, async |world| {
        let mut redis = redis::Client::open(redis_url()).unwrap();
        let mut tell = |kind: &str, data: &[u8]| {
            let mut event = redis::cmd("XADD");
            event.arg(&stream).arg("*").arg("type").arg(kind).arg("event_data").arg(data);
            event.query::<String>(&mut redis).unwrap();
        };
        let own = listed(world).await;
        platform(world, json!({ "count": 2 })).await;
        // The binary form of openedx-events: the key's length (zigzag, so doubled), the key, and bytes that the
        // worker does not read.
        let event = |key: &str| [&[u8::try_from(key.len() * 2).unwrap()], key.as_bytes(), b"\x0aIntro\x00"].concat();
        let info = "org.openedx.content_authoring.course.catalog_info.changed.v1";
        let published = "org.openedx.content_authoring.xblock.published.v1";
        let requested = async || -> i64 {
            sqlx::query_scalar("SELECT count(*) FROM catalog_sync_requests").fetch_one(&world.db).await.unwrap()
        };
        tell(info, b"\xff\xff broken");
        tell(info, &event(KEY));
        tell(published, &event("block-v1:northwind+C00001+2026+type@html+block@h1"));
        world.eventually("one sync request is stored", async |_| requested().await == 1).await;
        assert_eq!(listed(world).await, own, "the sync waits until the platform has settled");
        world.clock.advance(TimeDelta::seconds(61));
        world.eventually("the course is listed", async |world| listed(world).await == own + 1).await;
        world.eventually("the sync request is done", async |_| requested().await == 0).await;
        let calls = platform(world, json!({ "remove": [KEY] })).await["calls"].clone();
        assert_eq!((&calls["list"], &calls["detail"]), (&json!(0), &json!(1)));

        // The worker retries later while the platform is unavailable, and unpublishes a course that the platform no
        // longer has.
        world.fault(json!({ "target": "platform", "path": "/api/courses/", "kind": "status", "status": 503, "count": 4 })).await;
        tell(published, &event("block-v1:northwind+C00001+2026+type@html+block@h1"));
        world.eventually("a sync request is stored", async |_| requested().await == 1).await;
        world.clock.advance(TimeDelta::seconds(61));
        let leased = "SELECT due_at > $1 FROM catalog_sync_requests";
        world.eventually("a worker has taken the request", async |world| {
            let now = world.clock.now() + TimeDelta::minutes(1);
            sqlx::query_scalar(leased).bind(now).fetch_one(&world.db).await.unwrap()
        })
        .await;
        world.clock.advance(TimeDelta::minutes(6));
        world.eventually("the course is gone", async |world| listed(world).await == own).await;
        redis::cmd("DEL").arg(&stream).query::<()>(&mut redis).unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_404_where_modes_should_be_ends_the_sync_and_keeps_the_paid_modes() {
    world(Setup::without_workers(), async |world| {
        platform(world, json!({ "count": 2, "org": "northwind" })).await;
        sync(world).await;
        let before = course(world, KEY).await["modes"].clone();
        let gone = json!({ "target": "platform", "path": "/api/course_modes", "kind": "status", "status": 404, "count": 9 });
        world.fault(gone).await;
        assert!(!run_sync(world, &[]).await.status.success());
        assert_eq!(course(world, KEY).await["modes"], before);
    })
    .await;
}
