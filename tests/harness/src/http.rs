//! HTTP calls to the api and to the simulators' control interface.

use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{SECRET, World, document};

/// The worker's time limit for all platform calls of one sync together.
const CALLS: Duration = Duration::from_secs(15);

/// The longest that a client repeats a request: longer than any outage that a test makes.
const OUTAGE: Duration = Duration::from_secs(10 * 60);

/// An HTTP answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub json: Value,
    pub text: String,
}

impl Reply {
    /// Sends a request and reads its answer; an answer of the api must match the OpenAPI document.
    pub async fn read(request: RequestBuilder) -> Self {
        Self::try_read(request).await.expect("an answer")
    }

    /// As [`Reply::read`], where the server may be unreachable.
    ///
    /// # Errors
    /// The server gave no answer.
    pub async fn try_read(request: RequestBuilder) -> reqwest::Result<Self> {
        let (client, request) = request.build_split();
        let request = request?;
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let sent = request.body().and_then(|body| body.as_bytes()).map(<[u8]>::to_vec);
        let response = client.execute(request).await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await?;
        let reply = Self { status, headers, json: serde_json::from_str(&text).unwrap_or(Value::Null), text };
        document::check(&method, &path, sent.as_deref(), &reply);
        Ok(reply)
    }

    /// Repeats a read, or a request with an idempotency key, until its answer is final, as a client does.
    pub async fn repeat(request: impl Fn() -> RequestBuilder) -> Self {
        let begun = Instant::now();
        loop {
            let reply = Self::try_read(request()).await;
            match &reply {
                Ok(answer) if answer.status < 500 && answer.status != 409 => {
                    return reply.expect("an answer");
                }
                _ => assert!(begun.elapsed() < OUTAGE, "no final answer within {OUTAGE:?}: {reply:?}"),
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// The value of a header; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("a readable header"))
    }

    /// Asserts a problem document with this status and code, and returns the reply.
    pub fn assert_problem(&self, status: u16, code: &str) -> &Self {
        assert_eq!((self.status, &self.json["code"]), (status, &json!(code)), "{}", self.text);
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(self.json["status"], status);
        assert_eq!(self.json["request_id"], self.header("x-request-id"));
        assert!(
            self.json["detail"].is_string()
                && self.json["title"].is_string()
                && self.json["type"].is_string()
        );
        self
    }

    /// The names of the fields that the problem lists.
    pub fn faulty_fields(&self) -> Vec<&str> {
        let errors = self.json["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        errors.iter().map(|error| error["field"].as_str().expect("a field")).collect()
    }
}

impl World {
    /// The URL of a path of the first api.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.apis[0].public)
    }

    /// A request with the client secret.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, self.url(path)).header("clientapisecret", SECRET)
    }

    /// GETs a path of the first api with the client secret.
    pub async fn get(&self, path: &str) -> Reply {
        Reply::read(self.request(Method::GET, path)).await
    }

    /// POSTs JSON to the first api with the client secret.
    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        Reply::read(self.request(Method::POST, path).json(body)).await
    }

    /// The same under an idempotency key until the answer is final, for one of so many callers that some may be refused.
    pub async fn post_patiently(&self, path: &str, body: &Value) -> Reply {
        let key = Uuid::new_v4().to_string();
        Reply::repeat(|| self.request(Method::POST, path).json(body).header("Idempotency-Key", &key)).await
    }

    /// Grants the address a course in this mode, as a partner.
    pub async fn enroll(&self, email: &str, course: &str, mode: &str) -> Reply {
        let body = json!({ "email": email, "course_id": course, "mode": mode });
        self.post("/storeapi/enrollments/client/enroll/", &body).await
    }

    /// Takes the course from the address, as a partner.
    pub async fn unenroll(&self, email: &str, course: &str) -> Reply {
        self.post("/storeapi/enrollments/client/unenroll/", &json!({ "email": email, "course_id": course }))
            .await
    }

    /// Calls the control interface of the simulators; the call must succeed.
    pub async fn sim(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        let request = self.http.request(method, self.simulators.url(path));
        let reply = Reply::read(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await;
        assert!(reply.status < 300, "{path}: {}", reply.text);
        reply.json
    }

    /// Creates a user on the platform.
    pub async fn platform_user(&self, email: &str) -> Value {
        self.new_platform_user(json!({ "email": email, "hint": false })).await
    }

    /// Creates a user from a full description. The user's credentials must not appear in any log.
    pub async fn new_platform_user(&self, user: Value) -> Value {
        let user = self.sim(Method::POST, "/_sim/users", Some(user)).await;
        for field in ["sessionid", "bearer", "jwt"] {
            self.secrets.lock().expect("secrets").extend(user[field].as_str().map(str::to_owned));
        }
        let halves = user["jwt_cookies"].as_object().into_iter().flat_map(|cookies| cookies.values());
        let halves = halves.filter_map(|half| half.as_str()).map(str::to_owned);
        self.secrets.lock().expect("secrets").extend(halves);
        user
    }

    /// A token of the platform's service account, for calls that change the platform without the worker.
    pub async fn sim_service_token(&self) -> String {
        self.sim_token("storefront-worker", "demo-platform-secret").await
    }

    /// A token of a service account of the platform.
    pub async fn sim_token(&self, client_id: &str, client_secret: &str) -> String {
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", client_id),
            ("client_secret", client_secret),
            ("token_type", "jwt"),
        ];
        let request = self.http.post(self.simulators.url("/platform/oauth2/access_token")).form(&form);
        Reply::read(request).await.json["access_token"].as_str().expect("a token").to_owned()
    }

    /// Adds a fault to the next matching calls to a simulator.
    pub async fn fault(&self, fault: Value) {
        self.sim(Method::POST, "/_sim/faults", Some(fault)).await;
    }

    /// Removes all remaining faults.
    pub async fn no_faults(&self) {
        self.sim(Method::DELETE, "/_sim/faults", None).await;
    }

    /// The mails that the simulated mail server received for this address.
    pub async fn emails(&self, to: &str) -> Vec<Value> {
        let emails =
            self.sim(Method::GET, &format!("/_sim/emails?to={}", to.replace('+', "%2B")), None).await;
        emails.as_array().cloned().unwrap_or_default()
    }

    /// The platform's enrollment of an address in a course: `{course_id, mode, is_active, calls}`.
    pub async fn on_platform(&self, email: &str, course_key: &str) -> Option<Value> {
        let path = format!("/_sim/enrollments?email={}", email.replace('+', "%2B"));
        let all = self.sim(Method::GET, &path, None).await;
        all.as_array()?.iter().find(|enrollment| enrollment["course_id"] == course_key).cloned()
    }

    /// Waits until the platform has the enrollment in this mode and state.
    pub async fn platform_agrees(&self, email: &str, course_key: &str, mode: &str, active: bool) {
        let mut leases_end = Instant::now() + CALLS;
        self.eventually(&format!("the platform has {course_key} {mode} active={active}"), async |world| {
            if Instant::now() > leases_end {
                world.end_sync_leases().await;
                leases_end += CALLS;
            }
            let seen = world.on_platform(email, course_key).await;
            seen.is_some_and(|seen| seen["mode"] == mode && seen["is_active"] == active)
        })
        .await;
    }

    /// Ends the leases that calls without an answer have left to expire. On a busy machine a call can take longer than the worker
    /// waits, and the clock of a test stands still.
    async fn end_sync_leases(&self) {
        let ended = "UPDATE enrollments SET sync_lease_until = NULL WHERE sync_lease_until IS NOT NULL";
        sqlx::query(ended).execute(&self.db).await.expect("no lease");
    }
}

/// The cookie of a session that the platform does not know. It has the platform's form: others are refused without a call.
pub fn unknown_session() -> String {
    let random = || uuid::Uuid::new_v4().simple().to_string();
    let (payload, signature) = (random() + &random() + &random(), random() + &random());
    format!("sessionid=1|{}|{}|{}:1vLmZa:{}", random(), &random()[..12], &payload[..88], &signature[..43])
}
