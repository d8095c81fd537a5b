//! Start and stop of the programs, and how they wait for what is not there yet.

use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use harness::steps::demo::FREE_COURSE;
use harness::steps::worker_program::{SETTINGS, WorkerProcess, command, operator};
use harness::{ApiProcess, Reply, Setup, World, free_port, world};
use serde_json::json;
use shared::messages::Queue;
use tokio::process::Command;

const API: &str = env!("CARGO_BIN_EXE_storefront-api-under-test");
const WORKER: &str = env!("CARGO_BIN_EXE_storefront-worker-under-test");
const LIST: &str = "/storeapi/discovery/courses/";

fn without_programs() -> Setup {
    Setup { apis: 0, ..Setup::without_workers() }
}

/// Takes the commands away that no worker has answered.
async fn forget_commands(world: &World) {
    while world.take_message(&world.topology().queue(Queue::Enrollment)).await.is_some() {}
}

#[tokio::test]
async fn a_replica_that_stops_is_not_ready_closes_connections_and_finishes_its_requests() {
    world(without_programs(), async |world| {
        let settings = ["--shutdown-delay=2s", "--shutdown-grace=10s", "--ask-deadline=4s"];
        let mut api = ApiProcess::start(world, API, &settings).await;
        let list = world.http.get(format!("{}{LIST}", api.base)).header("clientapisecret", harness::SECRET);
        let ready = world.http.get(format!("{}/readyz", api.internal));
        let before = Reply::read(list.try_clone().unwrap()).await;
        assert!(!before.headers.contains_key("connection"), "{:?}", before.headers);

        // No worker answers this one, so that it lasts longer than the delay.
        let slow = world.http.post(format!("{}/storeapi/enrollments/client/enroll/", api.base));
        let slow = slow.header("clientapisecret", harness::SECRET).json(&json!({
            "email": "ada@example.com", "course_id": FREE_COURSE, "mode": "audit"
        }));
        let slow = tokio::spawn(Reply::read(slow));
        tokio::time::sleep(Duration::from_millis(300)).await;
        let stopped = Instant::now();
        api.terminate();
        world
            .eventually("the replica is not ready", async |_| {
                let ready = Reply::read(ready.try_clone().unwrap()).await;
                ready.status == 503 && ready.json["draining"] == true
            })
            .await;
        let answer = Reply::read(list.try_clone().unwrap()).await;
        assert_eq!((answer.status, answer.header("connection")), (200, "close"));
        assert_eq!(slow.await.unwrap().status, 504);
        assert!(api.ended().await, "the program failed");
        assert!(stopped.elapsed() > Duration::from_secs(3), "{:?}", stopped.elapsed());
        forget_commands(world).await;
    })
    .await;
}

#[tokio::test]
async fn the_grace_ends_requests_that_take_too_long() {
    world(without_programs(), async |world| {
        let mut api = ApiProcess::start(world, API, &["--shutdown-grace=500ms"]).await;
        let slow = world.http.post(format!("{}/storeapi/enrollments/client/enroll/", api.base));
        let slow = slow.header("clientapisecret", harness::SECRET).json(&json!({
            "email": "ada@example.com", "course_id": FREE_COURSE, "mode": "audit"
        }));
        let slow = tokio::spawn(slow.send());
        tokio::time::sleep(Duration::from_millis(300)).await;
        let stopped = Instant::now();
        api.terminate();
        assert!(api.ended().await, "the program failed");
        // The program ends its wait with 504, if the answer still gets out.
        let answer = slow.await.unwrap();
        assert!(answer.as_ref().map_or(true, |answer| answer.status() == 504), "{answer:?}");
        assert!(stopped.elapsed() < Duration::from_secs(8), "{:?}", stopped.elapsed());
        forget_commands(world).await;
    })
    .await;
}

#[tokio::test]
async fn the_programs_wait_for_the_schema_that_they_were_built_for() {
    world(without_programs(), async |world| {
        let last = shared::schema::MIGRATIONS.iter().last().unwrap();
        sqlx::query("DELETE FROM _sqlx_migrations WHERE version = $1")
            .bind(last.version)
            .execute(&world.db)
            .await
            .unwrap();
        world.configure(vec!["--ask-deadline=2s".into()], Vec::new());
        world.start_api().await;
        let worker = WorkerProcess::start(world);
        let ready = world.http.get(format!("http://{}/readyz", world.apis[0].internal));
        let refused = Reply::read(ready.try_clone().unwrap()).await;
        assert_eq!((refused.status, &refused.json["schema"]), (503, &json!(false)));
        assert_eq!(world.enroll("ada@example.com", FREE_COURSE, "audit").await.status, 504);

        sqlx::query(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                     VALUES ($1, '', true, '', 0), (99999999999999, 'of a newer program', true, '', 0)",
        )
        .bind(last.version)
        .execute(&world.db)
        .await
        .unwrap();
        world
            .eventually("the worker consumes", async |world| {
                world.enroll("ada@example.com", FREE_COURSE, "audit").await.status == 200
            })
            .await;
        assert_eq!(Reply::read(ready).await.status, 200);
        // This one finishes what the killed one has begun.
        drop(worker);
        world.start_worker().await;
    })
    .await;
}

/// Writes that a migration was applied, as another version of the program would.
async fn applied(world: &World, version: i64, success: bool) {
    let row = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
               VALUES ($1, 'of a newer program', $2, 'f00d', 0)";
    sqlx::query(row).bind(version).bind(success).execute(&world.db).await.unwrap();
}

/// The order of a pod, whose init container migrates, and of Compose, whose worker and api wait for a `migrate` that succeeds.
#[tokio::test]
async fn a_program_that_was_rolled_back_migrates_and_becomes_ready() {
    world(without_programs(), async |world| {
        applied(world, 99_999_999_999_998, true).await;
        applied(world, 99_999_999_999_999, true).await;
        let owner = format!("--database-url={}", world.owner_url);
        let (done, said) = operator(world, &["migrate", &owner], &[]).await;
        assert!(done && said.contains("2 migrations of a newer version"), "{said}");

        let internal = format!("127.0.0.1:{}", free_port());
        let listen = format!("--worker-internal-listen={internal}");
        let settings = [SETTINGS, &["platform-url"]].concat();
        let mut worker = command(world, &["run", &listen], &settings);
        let _worker = worker.stdout(Stdio::null()).kill_on_drop(true).spawn().unwrap();
        let api = ApiProcess::start(world, API, &[]).await;
        let ready = world.http.get(format!("http://{internal}/readyz"));
        world
            .eventually("the worker is ready", async |_| {
                let answer = Reply::try_read(ready.try_clone().unwrap()).await;
                answer.is_ok_and(|answer| answer.status == 200)
            })
            .await;
        let ready = Reply::read(world.http.get(format!("{}/readyz", api.internal))).await;
        assert_eq!(ready.status, 200, "{}", ready.text);
    })
    .await;
}

#[tokio::test]
async fn a_changed_migration_and_one_that_has_failed_are_refused() {
    world(without_programs(), async |world| {
        let owner = format!("--database-url={}", world.owner_url);
        let migrate = async || operator(world, &["migrate", &owner], &[]).await;
        let last = shared::schema::MIGRATIONS.iter().last().unwrap();
        let checksum = "UPDATE _sqlx_migrations SET checksum = $2 WHERE version = $1";
        let store = async |bytes: &[u8]| {
            sqlx::query(checksum).bind(last.version).bind(bytes).execute(&world.db).await.unwrap()
        };
        store(b"f00d").await;
        let (done, said) = migrate().await;
        assert!(!done && said.contains(&last.version.to_string()) && said.contains("modified"), "{said}");
        store(&last.checksum).await;
        assert!(migrate().await.0);

        applied(world, 99_999_999_999_999, false).await;
        let (done, said) = migrate().await;
        assert!(!done && said.contains("99999999999999 is partially applied"), "{said}");
    })
    .await;
}

async fn run(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    Command::new(program).args(arguments).envs(environment.iter().copied()).output().await.unwrap()
}

#[tokio::test]
async fn each_program_says_its_version_and_commit() {
    for program in [API, WORKER] {
        let said = String::from_utf8(run(program, &["--version"], &[]).await.stdout).unwrap();
        assert!(said.contains(concat!(env!("CARGO_PKG_VERSION"), " (commit ")), "{said}");
    }
}

#[tokio::test]
async fn a_program_names_all_wrong_settings_at_once() {
    let secret = format!("--link-secret={}", harness::LINK_SECRET);
    let wrong = ["--api-listen=nowhere", "--log-format=xml", "--link-secret=short", "--redis-url=x"];
    let output = run(API, &wrong, &[]).await;
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    for part in ["--api-listen", "--log-format", "LINK_SECRET", "--database-url", "--platform-url"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("short\n") && !said.contains("'short'"), "{said}");

    // Each value has the right form here, and cannot be used.
    let wrong = [
        "--database-url=x",
        "--catalog-database-url=x",
        "--redis-url=x",
        "--amqp-url=amqp://127.0.0.1,http://127.0.0.1",
        "--platform-url=http://lms.example",
        "--notification-keys=zz",
        "--identity-keys=zz",
        &secret,
    ];
    let output = run(API, &wrong, &[]).await;
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in [
        "DATABASE_URL:",
        "CATALOG_DATABASE_URL:",
        "REDIS_URL:",
        "AMQP_URL:",
        "PLATFORM_URL:",
        "NOTIFICATION_KEYS:",
        "IDENTITY_KEYS:",
    ] {
        assert!(said.contains(&format!("\n  {part}")), "{part}: {said}");
    }
}

#[tokio::test]
async fn a_broken_file_of_messages_is_refused_with_its_line() {
    let folder = std::env::temp_dir().join(format!("texts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let settings = [
        "--database-url=postgres://127.0.0.1/x",
        "--platform-url=https://lms.example",
        &format!("--link-secret={}", harness::LINK_SECRET),
        &format!("--mail-texts={}", folder.display()),
    ];
    for (messages, fault) in [
        ("order-total = Summe\norder-tax = Steuer }\n", "de.ftl, line 2"),
        ("order-total = Summe\n\norder-sum = Summe\n", "de.ftl, line 3: there is no message order-sum"),
    ] {
        std::fs::write(folder.join("de.ftl"), messages).unwrap();
        let worker = [&["run"], &settings[..]].concat();
        for (program, settings) in [(API, &settings[..]), (WORKER, &worker)] {
            let output = run(program, settings, &[]).await;
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(
                !output.status.success() && said.contains("MAIL_TEXTS:") && said.contains(fault),
                "{said}"
            );
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_machine_without_certificates_of_authorities_is_told_so() {
    let good = [
        "--database-url=postgres://127.0.0.1/x",
        "--platform-url=https://lms.example",
        &format!("--link-secret={}", harness::LINK_SECRET),
    ];
    let nowhere = [("SSL_CERT_FILE", "/nonexistent/file"), ("SSL_CERT_DIR", "/nonexistent")];
    let output = run(API, &good, &nowhere).await;
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.to_lowercase().contains("ca certificates"), "{said}");
}

#[tokio::test]
async fn the_nodes_of_the_broker_are_tried_in_turn_and_servers_see_the_pods_name() {
    world(Setup::without_workers(), async |world| {
        let url = world.api_args.iter().find(|argument| argument.starts_with("--amqp-url=")).unwrap().clone();
        let nodes = url.replacen('=', "=amqp://guest:guest@127.0.0.1:1/%2f,", 1);
        world.configure(vec![nodes.clone()], vec![nodes]);
        world.start_worker().await;
        let _api = ApiProcess::start(world, API, &[&url]).await;
        let names = "SELECT count(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND application_name LIKE 'storefront-api% on pod-1'";
        let seen: i64 = sqlx::query_scalar(names).fetch_one(&world.db).await.unwrap();
        assert!(seen > 0, "no connection has the pod's name");
        world.start_api().await;
        assert_eq!(world.enroll("ada@example.com", FREE_COURSE, "audit").await.status, 200);
    })
    .await;
}

/// As a worker that was killed in a round leaves it, with this many seconds to go.
async fn leave_leases(world: &World, seconds: f64) {
    sqlx::query(
        "INSERT INTO leases (name, holder, until)
         SELECT name, gen_random_uuid(), now() + make_interval(secs => $1)
         FROM unnest(ARRAY['reconcile payments', 'reconcile others', 'reconcile erasure']) AS name",
    )
    .bind(seconds)
    .execute(&world.db)
    .await
    .unwrap();
}

#[tokio::test]
async fn a_killed_reconciler_has_a_successor_once_its_lease_has_ended() {
    world(Setup::without_workers(), async |world| {
        leave_leases(world, 4.0).await;
        let settings = &[SETTINGS, &["platform-url"]].concat();
        let once = async |world: &World| operator(world, &["reconcile", "--once"], settings).await;
        let (done, said) = once(world).await;
        assert!(!done && said.contains("another worker is reconciling"), "{said}");
        let left = "SELECT count(*) FROM leases";
        world
            .eventually("the successor does all parts, and gives its leases back", async |world| {
                once(world).await.0
                    && sqlx::query_scalar(left).fetch_one(&world.db).await.is_ok_and(|left: i64| left == 0)
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_round_that_takes_long_keeps_its_lease() {
    let worker_args = vec!["--reconcile-every=200ms".to_owned()];
    world(Setup { worker_args, ..Setup::default() }, async |world| {
        let mut lock = world.db.begin().await.unwrap();
        sqlx::query("LOCK TABLE carts IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();
        let lease =
            "SELECT extract(epoch FROM until)::float8, holder, extract(epoch FROM until - now())::float8
             FROM leases WHERE name = 'reconcile payments'";
        let held = async |world: &World| -> Option<(f64, uuid::Uuid, f64)> {
            sqlx::query_as(lease).fetch_optional(&world.db).await.unwrap()
        };
        world.eventually("a round waits", async |world| held(world).await.is_some()).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (until, holder, left) = held(world).await.unwrap();
        // So long it takes until another worker takes over from a killed one.
        assert!(left <= 30.0, "{left} s");
        world
            .eventually("the lease is renewed", async |world| {
                held(world).await.is_some_and(|now| now.1 == holder && now.0 > until + 1.0)
            })
            .await;
        lock.rollback().await.unwrap();
    })
    .await;
}
