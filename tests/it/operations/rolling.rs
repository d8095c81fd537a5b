//! A rollout as an orchestrator does it: three apis and two workers are replaced one by one under reads and grants, behind a
//! proxy that keeps its connections. `tests/rolling` runs this.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use harness::steps::demo::PAID_COURSE;
use harness::steps::worker_program::WorkerProcess;
use harness::{ApiProcess, SECRET, Setup, World, free_port, world};
use reqwest::Method;
use serde_json::json;

const API: &str = env!("CARGO_BIN_EXE_storefront-api-under-test");
const LIST: &str = "/storeapi/discovery/courses/?limit=5";

const READERS: usize = 8;
const GRANTERS: usize = 4;

/// Time that an orchestrator takes from a replica's signal until the proxy sends it no more requests.
const LAG: Duration = Duration::from_secs(1);

/// nginx before the apis, with connections to each that stay open, and without a second try at another one.
struct Nginx {
    folder: PathBuf,
    port: u16,
}

impl Nginx {
    fn start(apis: &[&ApiProcess]) -> Self {
        let folder = std::env::temp_dir().join(format!("nginx-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir(&folder).unwrap();
        let nginx = Self { folder, port: free_port() };
        nginx.configure(apis);
        nginx.run(&[]);
        nginx
    }

    fn configure(&self, apis: &[&ApiProcess]) {
        let servers: String = apis
            .iter()
            .map(|api| format!("server {} max_fails=0;\n", api.base.replace("http://", "")))
            .collect();
        let (folder, port) = (self.folder.display(), self.port);
        let text = format!(
            "daemon on;\npid {folder}/pid;\nerror_log {folder}/log;\nworker_processes 1;\nevents {{}}\nhttp {{\n\
             access_log off;\nclient_body_temp_path {folder};\nproxy_temp_path {folder};\n\
             fastcgi_temp_path {folder};\nuwsgi_temp_path {folder};\nscgi_temp_path {folder};\n\
             upstream apis {{\n{servers}keepalive 32;\n}}\n\
             server {{\nlisten 127.0.0.1:{port};\nlocation / {{\nproxy_pass http://apis;\nproxy_http_version 1.1;\n\
             proxy_set_header Connection \"\";\nproxy_next_upstream off;\n}}\n}}\n}}\n"
        );
        std::fs::write(self.folder.join("nginx.conf"), text).unwrap();
    }

    fn run(&self, more: &[&str]) {
        let file = self.folder.join("nginx.conf");
        let done = Command::new("nginx").arg("-c").arg(file).args(more).stderr(Stdio::null()).status();
        assert!(done.unwrap().success(), "nginx {more:?}");
    }

    /// Sends requests to these apis from now on.
    fn lead_to(&self, apis: &[&ApiProcess]) {
        self.configure(apis);
        self.run(&["-s", "reload"]);
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.run(&["-s", "stop"]);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Answers that the callers saw.
#[derive(Default)]
struct Seen {
    reads: AtomicUsize,
    grants: AtomicUsize,
    failed: AtomicUsize,
    faults: Mutex<BTreeSet<String>>,
}

impl Seen {
    /// Sends a request. The answers of nginx are none that the api's document describes.
    async fn send(&self, kind: &AtomicUsize, request: reqwest::RequestBuilder) {
        let answer = async { request.send().await?.error_for_status()?.bytes().await };
        match answer.await {
            Ok(_) => kind.fetch_add(1, Ordering::Relaxed),
            Err(error) => {
                self.faults.lock().unwrap().insert(error.without_url().to_string());
                self.failed.fetch_add(1, Ordering::Relaxed)
            }
        };
    }
}

async fn call(base: &str, seen: &Seen, is_over: &AtomicBool) {
    // nginx closes its clients' idle connections when it gets a new configuration, which is not what is measured here.
    let http = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
    let read = async || {
        while !is_over.load(Ordering::Relaxed) {
            let request = http.get(format!("{base}{LIST}")).header("clientapisecret", SECRET);
            seen.send(&seen.reads, request).await;
        }
    };
    let grant = async |caller: usize| {
        for number in 0.. {
            if is_over.load(Ordering::Relaxed) {
                return;
            }
            let email = format!("learner{caller}.{number}@example.com");
            let body = json!({ "email": email, "course_id": PAID_COURSE, "mode": "verified" });
            let request = http.request(Method::POST, format!("{base}/storeapi/enrollments/client/enroll/"));
            let request = request.header("clientapisecret", SECRET).header("idempotency-key", &email);
            seen.send(&seen.grants, request.json(&body)).await;
        }
    };
    tokio::join!(join_all((0..READERS).map(|_| read())), join_all((0..GRANTERS).map(grant)));
}

/// Replaces each api, and then each worker.
async fn roll(world: &World, nginx: &Nginx, apis: &mut [ApiProcess], settings: &[&str]) {
    for at in 0..apis.len() {
        let new = ApiProcess::start(world, API, settings).await;
        let with_new: Vec<&ApiProcess> = apis.iter().chain([&new]).collect();
        nginx.lead_to(&with_new);
        tokio::time::sleep(LAG).await;
        let mut old = std::mem::replace(&mut apis[at], new);
        old.terminate();
        tokio::time::sleep(LAG).await;
        nginx.lead_to(&apis.iter().collect::<Vec<_>>());
        assert!(old.ended().await, "the program failed");
    }
}

/// Rolls everything out under load, and returns what the callers saw.
async fn rollout(delay: &str) -> Seen {
    let (seen, setup) = (Seen::default(), Setup { apis: 0, ..Setup::without_workers() });
    world(setup, async |world| {
        let delay = format!("--shutdown-delay={delay}");
        let settings = [delay.as_str(), "--shutdown-grace=20s"];
        let mut workers = vec![WorkerProcess::start(world), WorkerProcess::start(world)];
        let mut apis = Vec::new();
        for _ in 0..3 {
            apis.push(ApiProcess::start(world, API, &settings).await);
        }
        let nginx = Nginx::start(&apis.iter().collect::<Vec<_>>());
        let (base, is_over) = (format!("http://127.0.0.1:{}", nginx.port), AtomicBool::new(false));
        let rolling = async {
            tokio::time::sleep(LAG).await;
            roll(world, &nginx, &mut apis, &settings).await;
            for worker in &mut workers {
                let new = WorkerProcess::start(world);
                tokio::time::sleep(LAG).await;
                std::mem::replace(worker, new).end().await;
            }
            tokio::time::sleep(LAG).await;
            is_over.store(true, Ordering::Relaxed);
        };
        tokio::join!(call(&base, &seen, &is_over), rolling);
        drop(workers);
        // This worker stays alive, to finish what the others left.
        world.start_worker().await;
        let count = async |sql: &'static str| -> usize {
            let count: i64 = sqlx::query_scalar(sql).fetch_one(&world.db).await.unwrap();
            usize::try_from(count).unwrap()
        };
        let grants = seen.grants.load(Ordering::Relaxed);
        let kept = count("SELECT count(*) FROM enrollments WHERE state <> 'removed'").await;
        let changes =
            count("SELECT count(*) FROM audit_log WHERE entity = 'enrollment' AND actor = 'client'").await;
        println!(
            "| delay {delay} | {} reads | {grants} grants | {} failed | {} lost | {} doubled |",
            seen.reads.load(Ordering::Relaxed),
            seen.failed.load(Ordering::Relaxed),
            grants.saturating_sub(kept),
            changes.saturating_sub(kept)
        );
        assert!(kept >= grants, "{} answered grants are not there", grants - kept);
        assert_eq!(changes, kept, "a grant had two effects");
    })
    .await;
    seen
}

#[tokio::test]
#[ignore = "needs nginx, and takes a minute: run by tests/rolling"]
async fn full_rollout_with_a_delay_fails_no_request() {
    let seen = rollout("3s").await;
    assert_eq!(seen.failed.load(Ordering::Relaxed), 0, "{:?}", seen.faults);
    assert!(seen.grants.load(Ordering::Relaxed) > 20 && seen.reads.load(Ordering::Relaxed) > 100);
}

/// The test above can fail: without the delay, the proxy finds replicas that have gone.
#[tokio::test]
#[ignore = "needs nginx, and takes a minute: run by tests/rolling"]
async fn full_rollout_without_a_delay_fails_requests() {
    assert!(rollout("0s").await.failed.load(Ordering::Relaxed) > 0);
}
