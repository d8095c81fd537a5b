//! The catalog at two sizes. Measures each read warm, beside the same bytes from memory, from Redis and from a file,
//! and cold, with a new generation before each request. Also measures the api's memory and its statements per read,
//! and draws a plot.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::header;
use axum::routing::get;
use bytes::Bytes;
use harness::{ApiProcess, SECRET, Setup, World, free_port, world};
use redis::AsyncTypedCommands;
use simulators::generator;
use tokio::process::{Child, Command};

use crate::load::{Load, wrk};
use crate::plot;

const SIZES: [u32; 2] = [1_000, 100_000];
const COLD: usize = 60;

/// The figures of one read at one catalog size.
pub struct Measured {
    pub name: &'static str,
    pub courses: u32,
    pub warm: Load,
    pub memory: Load,
    pub redis: Load,
    pub file: Load,
    pub cold_p50: f64,
    pub cold_p99: f64,
    pub statements: f64,
}

pub async fn run() {
    let mut all = Vec::new();
    for courses in SIZES {
        let setup = Setup { apis: 0, workers: 0, empty_catalog: true, own_queues: true, ..Setup::default() };
        world(setup, async |world| all.extend(measure(world, courses).await)).await;
    }
    report(&all);
    let plot = Path::new("target/catalog-latency.svg");
    std::fs::write(plot, plot::latency(&all)).expect("target is writable");
    println!("latency by catalog size: {}", plot.display());
}

async fn measure(world: &mut World, courses: u32) -> Vec<Measured> {
    import(world, courses).await;
    let api = ApiProcess::start(world, crate::API, &[]).await;
    let reads = reads(courses);
    let mut measured = Vec::new();
    for (name, path) in reads {
        let url = format!("{}{path}", api.base);
        let body = Bytes::from(fetch(world, &url).await);
        let baselines = Baselines::start(world, body).await;
        let (warm, memory) = compare(&url, &baselines.memory).await;
        let (redis, file) = (wrk(&baselines.redis).await, wrk(&baselines.file).await);
        let (cold_p50, cold_p99, statements) = cold(world, &url).await;
        measured.push(Measured { name, courses, warm, memory, redis, file, cold_p50, cold_p99, statements });
    }
    println!(
        "{courses} courses: api uses {} MiB after the run, {} MiB at most",
        api.memory("VmRSS"),
        api.memory("VmHWM")
    );
    measured
}

/// The median of three rounds; in each round the targets take turns.
async fn compare(ours: &str, baseline: &str) -> (Load, Load) {
    let mut rounds = Vec::new();
    for _ in 0..3 {
        rounds.push((wrk(ours).await, wrk(baseline).await));
    }
    rounds.sort_by(|a, b| (a.0.per_second / a.1.per_second).total_cmp(&(b.0.per_second / b.1.per_second)));
    rounds[1]
}

fn reads(courses: u32) -> Vec<(&'static str, String)> {
    let rare = generator::rare_words().nth(7).expect("a rare word");
    vec![
        ("list of 8", "/storeapi/discovery/courses/".to_owned()),
        (
            "100, search, tags",
            "/storeapi/discovery/courses/?limit=100&search=practical&tags=history,film,law".to_owned(),
        ),
        ("search", format!("/storeapi/discovery/courses/?search={rare}")),
        ("detail", format!("/storeapi/discovery/course/{}/", generator::course_key(courses, courses / 2))),
        ("programs", "/storeapi/discovery/programs/".to_owned()),
    ]
}

/// Writes a generated catalog to a temporary file.
fn catalog_file(name: &str, courses: u32) -> PathBuf {
    let path = std::env::temp_dir().join(format!("{name}-{courses}.jsonl"));
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a temporary file"));
    generator::write_catalog(&mut file, courses, 1).expect("written");
    path
}

async fn import(world: &World, courses: u32) {
    let file = catalog_file(&world.name, courses);
    let start = Instant::now();
    let imported = worker::catalog::import(&world.db, &file, &world.clock, None).await.expect("imported");
    println!("{courses} courses imported in {:.1} s: {imported}", start.elapsed().as_secs_f64());
    std::fs::remove_file(file).expect("removed");
    sqlx::query("VACUUM ANALYZE").execute(&world.db).await.expect("analyzed");
}

async fn fetch(world: &World, url: &str) -> Vec<u8> {
    let response = world.http.get(url).header("clientapisecret", SECRET).send().await.expect("an answer");
    assert_eq!(response.status(), 200, "{url}");
    response.bytes().await.expect("a body").to_vec()
}

/// Latencies in milliseconds with a new generation before each request, and the api's statements per request.
async fn cold(world: &World, url: &str) -> (f64, f64, f64) {
    let (mut times, before) = (Vec::new(), statements(world).await);
    for _ in 0..COLD {
        raise_generation(world).await;
        let start = Instant::now();
        fetch(world, url).await;
        times.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    let after = statements(world).await;
    times.sort_by(f64::total_cmp);
    // Minus the statement that raised the generation.
    let statements = (after - before) as f64 / COLD as f64 - 1.0;
    (times[times.len() / 2], times[times.len() * 99 / 100], statements)
}

/// Raises the catalog generation and notifies the api as an import does, without changing the catalog.
pub async fn raise_generation(world: &World) {
    let raised = "UPDATE catalog_generation SET generation = generation + 1 RETURNING generation";
    let generation: i64 = sqlx::query_scalar(raised).fetch_one(&world.db).await.expect("raised");
    let mut redis = redis_client().get_multiplexed_async_connection().await.expect("redis");
    redis.set(format!("{}:catalog:generation", world.name), generation).await.expect("copied");
    // Redis pushes the change to the api within a quarter of a millisecond.
    tokio::time::sleep(Duration::from_millis(5)).await;
}

/// Committed transactions: each statement of the api is one. An idle backend reports its last ones after ten seconds.
async fn statements(world: &World) -> i64 {
    tokio::time::sleep(Duration::from_secs(11)).await;
    sqlx::query_scalar("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
        .fetch_one(&world.db)
        .await
        .expect("statistics")
}

fn redis_client() -> redis::Client {
    redis::Client::open(harness::redis_url()).expect("a client")
}

/// Serves the same bytes from memory, from Redis through the api's Redis client, and as a file from nginx.
struct Baselines {
    memory: String,
    redis: String,
    file: String,
    folder: PathBuf,
    _nginx: Child,
}

impl Baselines {
    async fn start(world: &World, body: Bytes) -> Self {
        let folder = std::env::temp_dir().join(&world.name);
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("body.json"), &body).expect("written");
        let mut manager = redis_client().get_connection_manager().await.expect("redis");
        let key = format!("{}:bench", world.name);
        manager.set(&key, body.as_ref()).await.expect("kept");
        let json = || [(header::CONTENT_TYPE, "application/json")];
        let from_redis = move || {
            let (mut manager, key) = (manager.clone(), key.clone());
            async move {
                (json(), redis::AsyncCommands::get::<_, Vec<u8>>(&mut manager, key).await.expect("kept"))
            }
        };
        let from_memory = move || std::future::ready((json(), body.clone()));
        let router = Router::new().route("/memory", get(from_memory)).route("/redis", get(from_redis));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let port = free_port();
        let nginx = nginx(&folder, port);
        tokio::time::sleep(Duration::from_millis(300)).await;
        Self {
            memory: format!("{base}/memory"),
            redis: format!("{base}/redis"),
            file: format!("http://127.0.0.1:{port}/body.json"),
            folder,
            _nginx: nginx,
        }
    }
}

impl Drop for Baselines {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn nginx(folder: &Path, port: u16) -> Child {
    let root = folder.display();
    let config = format!(
        "daemon off; worker_processes 2; pid {root}/pid; error_log {root}/error.log; events {{}}
         http {{ access_log off; sendfile on; keepalive_requests 100000000; types {{ application/json json; }}
         client_body_temp_path {root}; proxy_temp_path {root}; fastcgi_temp_path {root}; uwsgi_temp_path {root};
         scgi_temp_path {root}; server {{ listen 127.0.0.1:{port}; root {root}; }} }}"
    );
    std::fs::write(folder.join("nginx.conf"), config).expect("written");
    Command::new("nginx")
        .arg("-c")
        .arg(folder.join("nginx.conf"))
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("nginx, as tests/bench finds it")
}

fn report(all: &[Measured]) {
    println!(
        "{:>8}  {:<18} {:>9} {:>7} {:>7}  {:>6} {:>6} {:>6}  {:>8} {:>8}  {:>10}",
        "courses",
        "read",
        "warm/s",
        "p50",
        "p99",
        "÷mem",
        "÷redis",
        "÷file",
        "cold p50",
        "cold p99",
        "statements"
    );
    for m in all {
        let ratio = |base: Load| m.warm.per_second / base.per_second;
        println!(
            "{:>8}  {:<18} {:>9.0} {:>7.2} {:>7.2}  {:>6.2} {:>6.2} {:>6.2}  {:>8.2} {:>8.2}  {:>10.1}",
            m.courses,
            m.name,
            m.warm.per_second,
            m.warm.p50,
            m.warm.p99,
            ratio(m.memory),
            ratio(m.redis),
            ratio(m.file),
            m.cold_p50,
            m.cold_p99,
            m.statements
        );
        println!(
            "{:>8}  {:<18} {:>9.0} {:>7.2} {:>7.2}",
            "", "  from memory", m.memory.per_second, m.memory.p50, m.memory.p99
        );
    }
}
