//! The demo's walk: requests that a storefront sends to the api, one by one, and the resulting records of the course
//! platform and the mailbox (both simulated). It uses HTTP only and knows nothing of the services' internals.

mod learner;
mod paid;
mod seats;

use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use reqwest::{Client, Method, RequestBuilder, header::CONTENT_TYPE};
use serde_json::{Value, json};

/// Time that the platform and the mailbox may take to show the effect of an answer.
const PATIENCE: Duration = Duration::from_secs(10);
const SHOWN_LINES: usize = 14;
const SHOWN_COLUMNS: usize = 120;
const ENROLL: &str = "/storeapi/enrollments/client/enroll/";
const UNENROLL: &str = "/storeapi/enrollments/client/unenroll/";
const CHECKOUT: &str = "/storeapi/discovery/guest/checkout/";

struct Walk {
    client: Client,
    api: String,
    simulators: String,
    secret: String,
    /// A key of the organisation `kinabalu`; empty if the walk is to leave out what needs it.
    key: String,
    /// A key of the organisation `ateneo`, which takes its payments itself; empty as above.
    payments_key: String,
    /// The signed-in learner's `Cookie` header; empty while no learner is signed in.
    cookie: String,
    passed: u32,
    failed: u32,
}

/// `status` is 0 if no answer came; the body then holds the error.
#[derive(Default)]
struct Answer {
    status: u16,
    content_type: String,
    body: Value,
}

/// A course as the list shows it, and the mode to buy or grant.
struct Offer {
    id: String,
    key: String,
    name: String,
    organisation: String,
    mode: String,
}

#[tokio::main]
async fn main() -> reqwest::Result<ExitCode> {
    // reqwest uses the process-wide TLS provider; an error means that one is installed already.
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = Client::builder().timeout(Duration::from_secs(15)).build()?;
    let setting = |name, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let api = setting("DEMO_API", "http://127.0.0.1:8080");
    let simulators = setting("DEMO_SIM", "http://127.0.0.1:8090");
    let secret = setting("CLIENT_API_SECRET", "demo-client-secret-demo-client-secret");
    let key = setting("ORGANISATION_KEY", "");
    let payments_key = setting("PAYMENTS_KEY", "");
    let mut walk = Walk {
        client,
        api,
        simulators,
        secret,
        key,
        payments_key,
        cookie: String::new(),
        passed: 0,
        failed: 0,
    };
    walk.everything().await;
    println!("\ndemo: {} passed, {} failed", walk.passed, walk.failed);
    Ok(if walk.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Walk {
    async fn everything(&mut self) {
        let offers = self.list().await;
        let [first, second, ..] = offers.as_slice() else { return };
        self.search(first).await;
        self.detail(first).await;
        let organisation = self.organisation(first).await;
        self.refusals().await;
        // New addresses for each run, so that the walk can run again while the demo stays up.
        let run = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis());
        let known = format!("ada.{run}@example.org");
        let unknown = format!("grace.{run}@example.org");
        self.checkout(&known, &unknown, first, &organisation).await;
        self.enroll(&known, &unknown, second).await;
        self.unenroll(&known, &unknown, second).await;
        self.list_of_enrollments(run, second).await;
        self.outcome(&known, &unknown, first, second).await;
        self.paid(&format!("alan.{run}@example.org")).await;
        self.transfer(&format!("luisa.{run}@example.org")).await;
        self.signed_in(&format!("mary.{run}@example.org"), first, &organisation).await;
    }

    async fn list_of_enrollments(&mut self, run: u128, offer: &Offer) {
        heading("A partner enrolls a batch of addresses; a wrong one fails alone");
        let rows = json!([{"email": format!("list1.{run}@example.org")}, {"email": format!("list2.{run}@example.org")},
            {"email": "no address"}]);
        let body = json!({"course_id": offer.id, "mode": offer.mode, "rows": rows});
        let answer = self.post("/storeapi/enrollments/client/batch/", body).await;
        self.check("202, a batch", answer.status == 202);
        let batch = format!("/storeapi/enrollments/client/batch/{}/", text(&answer.body, "batch_id"));
        let is_done = |batch: &Value| {
            let number = |name: &str| batch.get(name).and_then(Value::as_u64);
            (text(batch, "status"), number("done"), number("failed")) == ("done", Some(2), Some(1))
        };
        self.eventually_one(&batch, "200, done: two rows, and one failed", is_done).await;
    }

    async fn list(&mut self) -> Vec<Offer> {
        heading("The course list for a storefront's front page");
        let answer = self.get("/storeapi/discovery/courses/?limit=3").await;
        self.check("200 and three courses", answer.status == 200 && rows(&answer.body, "courses").len() == 3);
        heading("The course list with all fields and modes; the walk picks its free courses from it");
        let answer = self.get("/storeapi/discovery/courses/?fields=full&limit=100").await;
        let offers: Vec<Offer> = rows(&answer.body, "courses")
            .iter()
            .filter_map(|course| offer(course, |price| price == 0.0))
            .collect();
        self.check("200, at least two free courses open now", answer.status == 200 && offers.len() > 1);
        offers
    }

    async fn search(&mut self, offer: &Offer) {
        heading("A search with a filter and an order");
        let word = offer.name.split(|c: char| !c.is_ascii_alphanumeric()).max_by_key(|word| word.len());
        let (word, organisation) = (word.unwrap_or_default(), &offer.organisation);
        let query = format!("search={word}&org={organisation}&order_by=display_name.asc&limit=5");
        let answer = self.get(&format!("/storeapi/discovery/courses/?{query}")).await;
        let courses = rows(&answer.body, "courses");
        let fitting = !courses.is_empty() && courses.iter().all(|one| text(one, "org") == *organisation);
        self.check(&format!("200, courses of {organisation} only"), answer.status == 200 && fitting);
    }

    async fn detail(&mut self, offer: &Offer) {
        heading("One course, by its key on the course platform");
        let key = offer.key.replace(':', "%3A").replace('+', "%2B");
        let answer = self.get(&format!("/storeapi/discovery/course/{key}/")).await;
        let same = answer.says("openedx_course_id", &offer.key) && answer.says("id", &offer.id);
        self.check("200 and the requested course", same);
    }

    /// Finds the organisation's id, which a checkout needs.
    async fn organisation(&mut self, offer: &Offer) -> String {
        heading("The organisations");
        let answer = self.get("/storeapi/discovery/organisations/?fields=basic").await;
        let mut all = rows(&answer.body, "organisations").iter();
        let own = all.find(|one| text(one, "short_name") == offer.organisation);
        self.check("200, the course's organisation among them", answer.status == 200 && own.is_some());
        own.map_or("", |own| text(own, "id")).to_owned()
    }

    async fn refusals(&mut self) {
        heading("A course that does not exist");
        let answer = self.get("/storeapi/discovery/course/course-v1%3ANobody%2BNothing%2B1900/").await;
        self.check("404 as application/problem+json, code not_found", answer.refuses(404, "not_found"));
        heading("The catalog without the client secret");
        let secret = std::mem::take(&mut self.secret);
        let answer = self.get("/storeapi/discovery/courses/").await;
        self.secret = secret;
        self.check("401, code unauthenticated", answer.refuses(401, "unauthenticated"));
    }

    async fn checkout(&mut self, known: &str, unknown: &str, offer: &Offer, organisation: &str) {
        heading("A learner registers on the course platform");
        // A hint announces a registration to the storefront; this account must be found without one.
        let answer =
            self.post("/_sim/users", json!({"email": known, "name": "Ada Lovelace", "hint": false})).await;
        self.check("200 or 201", matches!(answer.status, 200 | 201));
        let items = json!([{"type": "course", "id": offer.id, "mode": offer.mode}]);
        let basket = |email| json!({"email": email, "organisation_id": organisation, "items": items});
        heading("A guest checkout of a free course, for the registered address");
        let answer = self.post(CHECKOUT, basket(known)).await;
        self.check("200, status free", answer.says("status", "free"));
        self.platform(known, "an active enrollment", |held| active(held, offer) == Some(true)).await;
        heading("The same checkout for an address without an account");
        let answer = self.post(CHECKOUT, basket(unknown)).await;
        self.check("200, status free", answer.says("status", "free"));
        let mails = format!("/_sim/emails?to={unknown}");
        self.eventually(&mails, "one mail with a link to register", |mails| mails.len() == 1).await;
    }

    async fn enroll(&mut self, known: &str, unknown: &str, offer: &Offer) {
        let grant = |email| json!({"email": email, "course_id": offer.id, "mode": offer.mode});
        heading("A partner enrolls the registered address in another course");
        let first = self.post(ENROLL, grant(known)).await;
        self.check_state(&first, "enrolled");
        self.platform(known, "an active enrollment", |held| active(held, offer) == Some(true)).await;
        heading("The partner repeats the same request");
        let again = self.post(ENROLL, grant(known)).await;
        self.check("the same answer as before", again.status == first.status && again.body == first.body);
        self.platform(known, "still one enrollment for each of the two courses", |held| held.len() == 2)
            .await;
        heading("A partner enrolls an address without an account");
        let answer = self.post(ENROLL, grant(unknown)).await;
        self.check_state(&answer, "pending_registration");
    }

    async fn unenroll(&mut self, known: &str, unknown: &str, offer: &Offer) {
        let removal = |email| json!({"email": email, "course_id": offer.id});
        heading("The partner removes the registered address from the course");
        let answer = self.post(UNENROLL, removal(known)).await;
        self.check_state(&answer, "removed");
        self.platform(known, "an inactive enrollment", |held| active(held, offer) == Some(false)).await;
        heading("The partner cancels the enrollment that waits for a registration");
        let answer = self.post(UNENROLL, removal(unknown)).await;
        self.check_state(&answer, "cancelled");
    }

    async fn outcome(&mut self, known: &str, unknown: &str, kept: &Offer, removed: &Offer) {
        heading("The platform's enrollments at the end");
        let both = |held: &[Value]| active(held, kept) == Some(true) && active(held, removed) == Some(false);
        self.platform(known, "the free course active, the partner's course inactive", both).await;
        self.platform(unknown, "no enrollment for the address without an account", <[Value]>::is_empty).await;
    }

    async fn get(&self, path: &str) -> Answer {
        println!("→ GET {path}");
        ask(self.request(Method::GET, path)).await.shown()
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        println!("→ POST {path}\n  {body}");
        ask(self.request(Method::POST, path).json(&body)).await.shown()
    }

    async fn get_with_key(&self, path: &str) -> Answer {
        println!("→ GET {path}");
        let request = self.client.get(format!("{}{path}", self.api));
        ask(request.header("organisationapikey", &self.key)).await.shown()
    }

    /// A write with the organisation's key, which is not repeated.
    async fn post_with_key(&self, path: &str, body: Value) -> Answer {
        self.post_with(&self.key, path, body).await
    }

    async fn post_with(&self, key: &str, path: &str, body: Value) -> Answer {
        println!("→ POST {path}\n  {body}");
        let request = self.client.post(format!("{}{path}", self.api));
        // Some routes refuse any body.
        let request = if body.is_null() { request } else { request.json(&body) };
        let once = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
        let request = request.header("organisationapikey", key).header("idempotency-key", once.to_string());
        ask(request).await.shown()
    }

    async fn post_nothing(&self, path: &str) -> Answer {
        println!("→ POST {path}");
        ask(self.request(Method::POST, path)).await.shown()
    }

    async fn put(&self, path: &str, body: Value) -> Answer {
        println!("→ PUT {path}\n  {body}");
        ask(self.request(Method::PUT, path).json(&body)).await.shown()
    }

    async fn platform(&mut self, email: &str, expected: &str, fits: impl Fn(&[Value]) -> bool) {
        let expected = format!("on the platform: {expected}");
        self.eventually(&format!("/_sim/enrollments?email={email}"), &expected, fits).await;
    }

    async fn eventually(&mut self, path: &str, expected: &str, fits: impl Fn(&[Value]) -> bool) {
        self.eventually_one(path, expected, |body| body.as_array().is_some_and(|rows| fits(rows))).await;
    }

    /// Repeats the request until the answer fits or `PATIENCE` ends, and shows the last answer: effects follow the
    /// api's answer with a short delay.
    async fn eventually_one(&mut self, path: &str, expected: &str, fits: impl Fn(&Value) -> bool) {
        println!("→ GET {path}");
        let end = tokio::time::Instant::now() + PATIENCE;
        loop {
            let answer = ask(self.request(Method::GET, path)).await;
            let fitting = answer.status == 200 && fits(&answer.body);
            if fitting || tokio::time::Instant::now() >= end {
                answer.shown();
                return self.check(expected, fitting);
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Only the api gets the client secret.
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        if path.starts_with("/_sim/") {
            return self.client.request(method, format!("{}{path}", self.simulators));
        }
        let request = self.client.request(method, format!("{}{path}", self.api));
        let request = if self.cookie.is_empty() { request } else { request.header("cookie", &self.cookie) };
        if self.secret.is_empty() { request } else { request.header("clientapisecret", &self.secret) }
    }

    fn check_state(&mut self, answer: &Answer, state: &str) {
        self.check(&format!("200, enrollment_state {state}"), answer.says("enrollment_state", state));
    }

    fn check(&mut self, expected: &str, holds: bool) {
        *(if holds { &mut self.passed } else { &mut self.failed }) += 1;
        println!("{} {expected}", if holds { "PASS" } else { "FAIL, expected:" });
    }
}

impl Answer {
    fn says(&self, name: &str, value: &str) -> bool {
        self.status == 200 && text(&self.body, name) == value
    }

    fn refuses(&self, status: u16, code: &str) -> bool {
        let problem = self.content_type.starts_with("application/problem+json");
        problem && self.status == status && text(&self.body, "code") == code
    }

    fn shown(self) -> Self {
        println!("← {} {}", self.status, self.content_type);
        let pretty = format!("{:#}", self.body);
        for line in pretty.lines().take(SHOWN_LINES) {
            println!("  {}", line.chars().take(SHOWN_COLUMNS).collect::<String>());
        }
        if let hidden @ 1.. = pretty.lines().count().saturating_sub(SHOWN_LINES) {
            println!("  … {hidden} more lines");
        }
        self
    }
}

async fn ask(request: RequestBuilder) -> Answer {
    read(request).await.unwrap_or_else(|error| Answer { body: error.to_string().into(), ..Answer::default() })
}

async fn read(request: RequestBuilder) -> reqwest::Result<Answer> {
    let response = request.send().await?;
    let status = response.status().as_u16();
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_owned();
    let text = response.text().await?;
    Ok(Answer { status, content_type, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) })
}

fn heading(text: &str) {
    println!("\n── {text}");
}

/// The course as an offer, if any learner may take it now and it has a visible mode whose price fits.
fn offer(course: &Value, fits: impl Fn(f64) -> bool) -> Option<Offer> {
    let now = DateTime::<Utc>::from(SystemTime::now());
    let moment = |name| DateTime::parse_from_rfc3339(text(course, name)).ok();
    let begun = moment("enrollment_start").is_none_or(|start| start <= now);
    let over = ["enrollment_end", "end"].iter().any(|name| moment(name).is_some_and(|end| end <= now));
    if !begun || over || course.get("is_invite_only") != Some(&Value::Bool(false)) {
        return None;
    }
    let fits = |mode: &&Value| mode.get("minPrice").and_then(Value::as_f64).is_some_and(&fits);
    let mode = rows(course, "available_course_modes").iter().find(fits)?;
    let [id, key, name, organisation] =
        ["id", "openedx_course_id", "display_name", "org"].map(|name| text(course, name).to_owned());
    Some(Offer { id, key, name, organisation, mode: text(mode, "modeSlug").to_owned() })
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn rows<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns whether the platform's enrollment in the course is active; `None` without an enrollment.
fn active(held: &[Value], offer: &Offer) -> Option<bool> {
    let record = held.iter().find(|one| text(one, "course_id") == offer.key)?;
    record.get("is_active").and_then(Value::as_bool)
}
