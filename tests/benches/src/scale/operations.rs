//! The requests whose latency is compared between the sizes, each made by one caller, one after another.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harness::{ApiProcess, GUEST_CHECKOUT, ORGANISATIONS, Reply, SECRET, World};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use uuid::Uuid;

use crate::checkout::FREE;

/// Learners with a session, spread over all that were loaded.
const LEARNERS: u64 = 500;

pub struct Learner {
    email: String,
    session: String,
    /// Courses that they hold, with their keys; and offers that they do not.
    held: Vec<(Uuid, String)>,
    offers: Vec<(Uuid, String)>,
}

/// Gives some of the loaded learners an account at the simulated platform.
pub async fn learners(world: &World, loaded: u64) -> Vec<Learner> {
    let mut learners = Vec::new();
    for nth in 0..LEARNERS {
        let (id, email): (Uuid, String) =
            sqlx::query_as("SELECT id, email FROM learners WHERE platform_user_id = $1")
                .bind(1_000_000_000 + (nth * (loaded / LEARNERS)).cast_signed())
                .fetch_one(&world.db)
                .await
                .expect("a loaded learner");
        let organisations = ORGANISATIONS.map(|organisation| organisation.short_name);
        let user = json!({ "email": email, "hint": false, "organisations": organisations });
        let user = world.new_platform_user(user).await;
        let user_id = user["user_id"].as_i64().expect("an id");
        sqlx::query(
            "WITH known AS (UPDATE learners SET platform_user_id = $2, username = $3 WHERE id = $1)
             UPDATE carts SET buyer = $2::text WHERE learner_id = $1 AND buyer NOT LIKE 'guest:%'",
        )
        .bind(id)
        .bind(user_id)
        .bind(user["username"].as_str())
        .execute(&world.db)
        .await
        .expect("a learner");
        let held = sqlx::query_as(
            "SELECT c.id, c.openedx_course_id FROM enrollments e JOIN courses c ON c.id = e.course_id
             WHERE e.learner_id = $1 AND e.state = 'enrolled' ORDER BY c.id",
        );
        let offers = sqlx::query_as(
            "SELECT DISTINCT ON (course_id) course_id, slug FROM course_modes WHERE expires_at IS NULL AND course_id NOT IN (
                 SELECT course_id FROM enrollments WHERE learner_id = $1) ORDER BY course_id",
        );
        learners.push(Learner {
            session: format!("sessionid={}", user["sessionid"].as_str().expect("a session")),
            held: held.bind(id).fetch_all(&world.db).await.expect("courses"),
            offers: offers.bind(id).fetch_all(&world.db).await.expect("offers"),
            email,
        });
    }
    learners
}

/// The programs under measurement, with what their callers send.
pub struct Callers<'a> {
    world: &'a World,
    api: ApiProcess,
    _worker: Child,
    learners: Vec<Learner>,
    /// A key of the first organisation.
    key: String,
    free: Value,
    paid: Vec<Value>,
    next: [AtomicUsize; OPERATIONS.len()],
}

/// A request; the second part says how often a run makes it.
pub const OPERATIONS: [(&str, usize); 11] = [
    ("free checkout", 300),
    ("paid checkout", 300),
    ("grant", 300),
    ("removal", 300),
    ("check-enrollment", 500),
    ("fill a learner's cart", 300),
    ("show a learner's cart", 500),
    ("a learner's orders", 500),
    ("an organisation's orders", 100),
    ("its orders of a status", 100),
    ("its orders paid in 60 days", 100),
];

/// Latency in milliseconds.
#[derive(Clone, Copy)]
pub struct Latency {
    pub p50: f64,
    pub p95: f64,
}

impl<'a> Callers<'a> {
    pub async fn start(world: &'a World, learners: Vec<Learner>) -> Self {
        let database = world.worker_args.iter().find(|argument| argument.starts_with("--database-url="));
        let key = Command::new(crate::WORKER)
            .args([
                "keys",
                "create",
                ORGANISATIONS[0].short_name,
                "--name=bench",
                "--scopes=orders",
                "--by=bench",
            ])
            .arg(database.expect("a database"))
            .output()
            .await
            .expect("the worker's program");
        assert!(key.status.success(), "{}", String::from_utf8_lossy(&key.stderr));
        let api = ApiProcess::start(world, crate::API, &[]).await;
        let worker = Command::new(crate::WORKER)
            .args(["--log-filter=off", "run", "--reconcile-every=24h"])
            .args(&world.worker_args)
            .kill_on_drop(true)
            .spawn()
            .expect("the worker's program");
        tokio::time::sleep(Duration::from_secs(2)).await;
        let paid = join_all(ORGANISATIONS.iter().map(|organisation| world.basket(organisation))).await;
        Self {
            world,
            api,
            _worker: worker,
            learners,
            key: String::from_utf8_lossy(&key.stdout).trim().to_owned(),
            free: world.basket(&FREE).await,
            paid,
            next: Default::default(),
        }
    }

    /// Makes each request some of the times that [`OPERATIONS`] says, and returns the latencies.
    pub async fn measure(&self, part: f64) -> Vec<Latency> {
        let mut latencies = Vec::new();
        for (operation, (name, count)) in OPERATIONS.into_iter().enumerate() {
            let mut times = Vec::new();
            for _ in 0..(count as f64 * part) as usize {
                let nth = self.next[operation].fetch_add(1, Ordering::Relaxed);
                let request = self.request(name, nth);
                let begun = Instant::now();
                let reply = Reply::read(request).await;
                times.push(begun.elapsed().as_secs_f64() * 1000.0);
                assert_eq!(reply.status, 200, "{name}: {}", reply.text);
            }
            times.sort_by(f64::total_cmp);
            latencies.push(Latency { p50: times[times.len() / 2], p95: times[times.len() * 95 / 100] });
        }
        // What the commands leave behind, mails and syncs, counts for the statements.
        tokio::time::sleep(Duration::from_secs(3)).await;
        latencies
    }

    fn request(&self, name: &str, nth: usize) -> RequestBuilder {
        let learner = &self.learners[nth % self.learners.len()];
        let round = nth / self.learners.len();
        match name {
            "free checkout" | "paid checkout" => {
                let mut body =
                    if name == "paid checkout" { self.paid[nth % 4].clone() } else { self.free.clone() };
                body["email"] = json!(format!("guest{nth}.{}@example.com", name.replace(' ', "-")));
                self.by_client(GUEST_CHECKOUT, &body)
            }
            "grant" => {
                let (course, mode) = &learner.offers[round];
                let body = json!({ "email": learner.email, "course_id": course, "mode": mode });
                self.by_client("/storeapi/enrollments/client/enroll/", &body)
            }
            "removal" => {
                let body = json!({ "email": learner.email, "course_id": learner.held[round].0 });
                self.by_client("/storeapi/enrollments/client/unenroll/", &body)
            }
            "check-enrollment" => {
                let key = &learner.held[1].1;
                self.by_learner(Method::GET, learner, &format!("/storeapi/discovery/check-enrollment/{key}/"))
            }
            "fill a learner's cart" => {
                let items = &self.paid[0]["items"];
                self.by_learner(Method::PUT, learner, "/storeapi/payment/cart/")
                    .json(&json!({ "items": items }))
            }
            "show a learner's cart" => self.by_learner(Method::GET, learner, "/storeapi/payment/cart/"),
            "a learner's orders" => self.by_learner(Method::GET, learner, "/storeapi/payment/orders/"),
            "an organisation's orders" => self.by_key("limit=20"),
            "its orders of a status" => self.by_key("limit=20&status=held"),
            _ => {
                // A full page at the smaller size, too.
                let from = self.world.clock.now() - chrono::TimeDelta::days(70 + (nth as i64 * 7) % 600);
                let to = from + chrono::TimeDelta::days(60);
                self.by_key(&format!(
                    "limit=20&from={}&to={}",
                    from.format("%Y-%m-%d"),
                    to.format("%Y-%m-%d")
                ))
            }
        }
    }

    fn by_client(&self, path: &str, body: &Value) -> RequestBuilder {
        let request = self.world.http.post(format!("{}{path}", self.api.base));
        request.header("clientapisecret", SECRET).json(body)
    }

    fn by_learner(&self, method: Method, learner: &Learner, path: &str) -> RequestBuilder {
        let request = self.world.http.request(method, format!("{}{path}", self.api.base));
        let request = request.header("clientapisecret", SECRET).header("cookie", &learner.session);
        request.header("orgName", ORGANISATIONS[0].short_name)
    }

    fn by_key(&self, query: &str) -> RequestBuilder {
        let request = self.world.http.get(format!("{}/storeapi/payment/orders/?{query}", self.api.base));
        request.header("organisationapikey", &self.key)
    }
}
