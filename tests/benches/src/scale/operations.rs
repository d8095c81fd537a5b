//! The requests whose latency is compared between the sizes, each made by one caller, one after another.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harness::steps::organisation_keys::key;
use harness::steps::staff::staff;
use harness::{ApiProcess, GUEST_CHECKOUT, ORGANISATIONS, Reply, SECRET, World};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use tokio::process::{Child, Command};
use uuid::Uuid;

use super::Figure;
use crate::checkout::FREE;

/// Learners with a session, spread over all that were loaded.
const LEARNERS: i64 = 500;

pub struct Learner {
    email: String,
    session: String,
    /// Courses that they hold, with their keys; and offers that they do not.
    held: Vec<(Uuid, String)>,
    offers: Vec<(Uuid, String)>,
}

/// Gives some of the loaded learners an account at the simulated platform: the buyer of many, and buyers of one course.
pub async fn learners(world: &World) -> Vec<Learner> {
    let loaded: Vec<(Uuid, String)> = sqlx::query_as(
        "SELECT l.id, l.email FROM learners l
         WHERE l.username = 'learner0' OR l.username <> 'learner0' AND EXISTS (SELECT FROM enrollments WHERE learner_id = l.id)
         ORDER BY l.username <> 'learner0', l.id LIMIT $1",
    )
    .bind(LEARNERS + 1)
    .fetch_all(&world.db)
    .await
    .expect("loaded learners");
    let mut learners = Vec::new();
    for (id, email) in loaded {
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
             WHERE e.learner_id = $1 AND e.state = 'enrolled' ORDER BY c.id LIMIT 1",
        );
        let offers = sqlx::query_as(
            // Of the platform's courses.
            "SELECT DISTINCT ON (m.course_id) m.course_id, m.slug FROM course_modes m JOIN courses c ON c.id = m.course_id
             WHERE m.expires_at IS NULL AND c.openedx_course_id NOT LIKE 'course-v1:Big+%' AND NOT EXISTS (
                 SELECT FROM enrollments e WHERE e.learner_id = $1 AND e.course_id = m.course_id) ORDER BY m.course_id LIMIT 1",
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
    /// A key of the shop, and the session of its staff.
    key: String,
    staff: String,
    free: Value,
    paid: Vec<Value>,
    next: [AtomicUsize; OPERATIONS.len()],
}

/// A request; the second part says how often a run makes it.
pub const OPERATIONS: [(&str, usize); 13] = [
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
    ("many: quote", 30),
    ("many: checkout", 30),
];

impl<'a> Callers<'a> {
    pub async fn start(world: &'a World, learners: Vec<Learner>) -> Self {
        let shop = ORGANISATIONS[0].short_name;
        let scopes = [
            Scope::Orders,
            Scope::Refunds,
            Scope::Reports,
            Scope::Events,
            Scope::Vouchers,
            Scope::Seats,
            Scope::Support,
        ];
        let key = key(world, shop, &scopes).await;
        let staff = staff(world, shop, "fay@example.com", &["support", "finance", "manager"]).await;
        let api = ApiProcess::start(world, crate::API, &["--console=true"]).await;
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
            key,
            staff,
            free: world.basket(&FREE).await,
            paid,
            next: Default::default(),
        }
    }

    /// Makes each request some of the times that [`OPERATIONS`] says, and returns the latencies.
    pub async fn measure(&self, part: f64) -> Vec<Figure> {
        let mut figures = Vec::new();
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
            figures.push(Figure::new(name, times));
        }
        // What the commands leave behind, mails and syncs, counts for the statements.
        tokio::time::sleep(Duration::from_secs(3)).await;
        figures
    }

    /// Measures the time from payments, as the provider reports them, until their orders are fulfilled: of the buyer of many, and of one
    /// with one order.
    pub async fn pay(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        for (name, learner) in
            [("many: payment until access", &self.learners[0]), ("payment until access", &self.learners[1])]
        {
            let courses: Vec<Uuid> = sqlx::query_scalar(
                "SELECT id FROM courses c WHERE openedx_course_id LIKE 'course-v1:Big+%' AND NOT EXISTS (
                     SELECT FROM enrollments e WHERE e.email = $1 AND e.course_id = c.id) LIMIT 5",
            )
            .bind(&learner.email)
            .fetch_all(&self.world.db)
            .await
            .expect("courses");
            let mut times = Vec::new();
            for course in courses {
                let mut body = self.paid[0].clone();
                body["items"] = json!([{ "type": "course", "id": course, "mode": "verified" }]);
                let request = self.by_learner(Method::POST, learner, "/storeapi/discovery/checkout/");
                let checkout = Reply::read(request.json(&body)).await;
                assert_eq!(checkout.status, 200, "{name}: {}", checkout.text);
                let payment = self.world.payment_told(&checkout).await;
                let begun = Instant::now();
                self.world.at_provider("pay", &payment, json!({})).await;
                while !self.is_fulfilled(&checkout).await {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
                times.push(begun.elapsed().as_secs_f64() * 1000.0);
            }
            figures.push(Figure::new(name, times));
        }
        figures
    }

    async fn is_fulfilled(&self, checkout: &Reply) -> bool {
        let state = sqlx::query_scalar::<_, String>("SELECT state FROM carts WHERE id = $1::uuid");
        let state = state.bind(checkout.json["cart_id"].as_str()).fetch_one(&self.world.db).await;
        state.expect("an order") == "fulfilled"
    }

    fn request(&self, name: &str, nth: usize) -> RequestBuilder {
        // The first one is the buyer of many.
        let learner = &self.learners[1 + nth % (self.learners.len() - 1)];
        match name {
            "many: quote" | "many: checkout" => {
                let path = if name == "many: quote" {
                    "/storeapi/discovery/quote/"
                } else {
                    "/storeapi/discovery/checkout/"
                };
                self.by_learner(Method::POST, &self.learners[0], path).json(&self.paid[0])
            }
            "free checkout" | "paid checkout" => {
                let mut body =
                    if name == "paid checkout" { self.paid[nth % 4].clone() } else { self.free.clone() };
                body["email"] = json!(format!("guest{nth}.{}@example.com", name.replace(' ', "-")));
                self.by_client(GUEST_CHECKOUT, &body)
            }
            "grant" => {
                let (course, mode) = &learner.offers[0];
                let body = json!({ "email": learner.email, "course_id": course, "mode": mode });
                self.by_client("/storeapi/enrollments/client/enroll/", &body)
            }
            "removal" => {
                let body = json!({ "email": learner.email, "course_id": learner.offers[0].0 });
                self.by_client("/storeapi/enrollments/client/unenroll/", &body)
            }
            "check-enrollment" => {
                let key = &learner.held[0].1;
                self.by_learner(Method::GET, learner, &format!("/storeapi/discovery/check-enrollment/{key}/"))
            }
            "fill a learner's cart" => {
                let items = &self.paid[0]["items"];
                self.by_learner(Method::PUT, learner, "/storeapi/payment/cart/")
                    .json(&json!({ "items": items }))
            }
            "show a learner's cart" => self.by_learner(Method::GET, learner, "/storeapi/payment/cart/"),
            "a learner's orders" => self.by_learner(Method::GET, learner, "/storeapi/payment/orders/"),
            "an organisation's orders" => self.by_key("payment/orders/?limit=20"),
            "its orders of a status" => self.by_key("payment/orders/?limit=20&status=held"),
            _ => {
                // A full page at the smaller size, too.
                let from = self.world.clock.now() - chrono::TimeDelta::days(70 + (nth as i64 * 7) % 600);
                let to = from + chrono::TimeDelta::days(60);
                self.by_key(&format!(
                    "payment/orders/?limit=20&from={}&to={}",
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

    /// A request with the shop's key; the path is below `/storeapi/`.
    pub fn by_key(&self, path: &str) -> RequestBuilder {
        self.world
            .http
            .get(format!("{}/storeapi/{path}", self.api.base))
            .header("organisationapikey", &self.key)
    }

    /// A request of the shop's staff; a path without a slash at its begin is below `/storeapi/`.
    pub fn by_staff(&self, path: &str) -> RequestBuilder {
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/storeapi/{path}") };
        let request = self.world.http.get(format!("{}{path}", self.api.base));
        request.header("cookie", &self.staff).header("orgName", ORGANISATIONS[0].short_name)
    }

    /// A request of the buyer of many.
    pub fn by_many(&self, path: &str) -> RequestBuilder {
        let request = self.world.http.get(format!("{}/storeapi/{path}", self.api.base));
        request.header("cookie", &self.learners[0].session).header("orgName", ORGANISATIONS[0].short_name)
    }

    /// The address of the buyer of many.
    pub fn many(&self) -> &str {
        &self.learners[0].email
    }
}
