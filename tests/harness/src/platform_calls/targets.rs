//! The targets of the calls: a simulator, started here with the data of the seeded LMS, or a real LMS.

use std::{process::Stdio, time::Duration};

use reqwest::{Client, Method, Response, redirect::Policy};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::{
    Result, Verdict,
    callers::{Callers, Cookies, Secrets},
    calls::{After, Body, Call, Caller, ClientToken, Lms, Release},
    patterns::compare,
    words::state,
};
use simulators::{Simulators, SimulatorsConfig};

const WORLD: &str = include_str!("world.json");
const BUDGET: Duration = Duration::from_secs(60);
/// More calls in a minute than any throttle of the platform allows.
const REPEATS: usize = 130;

/// The seeded data: the credentials that the targets share with their clients, and the control calls that bring the
/// simulator into the seeded state.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct World {
    secrets: Secrets,
    client_id: String,
    client_secret: String,
    controls: Vec<(String, Value)>,
}

pub struct Target {
    /// Reason why this target cannot answer the calls of a release.
    lacks: Option<String>,
    http: Client,
    base: String,
    callers: Callers,
    kind: Kind,
}

enum Kind {
    Simulator(Simulators),
    Lms(Commands),
}

/// What the suite can run at an LMS.
pub struct Commands {
    /// Reads SQL for the LMS's database from its standard input.
    pub sql: Option<String>,
    /// Resets the LMS to its seed.
    pub reset: Option<String>,
}

impl Target {
    /// Starts a simulator as the target.
    ///
    /// # Errors
    /// The simulator cannot be started or set up.
    pub async fn simulator() -> Result<Self> {
        let world: World = serde_json::from_str(WORLD)?;
        let config = SimulatorsConfig {
            client_id: world.client_id.clone(),
            client_secret: world.client_secret.clone(),
            jwt_secret: world.secrets.jwt_secret.clone(),
            issuer: world.secrets.issuer.clone(),
            audience: world.secrets.audience.clone(),
            ..SimulatorsConfig::default()
        };
        let simulators = simulators::start(config).await?;
        let base = simulators.url("/platform");
        let mut target = Self {
            lacks: None,
            http: client()?,
            base,
            callers: Callers::new(world.secrets),
            kind: Kind::Simulator(simulators),
        };
        target.seed().await?;
        Ok(target)
    }

    async fn seed(&mut self) -> Result<()> {
        let world: World = serde_json::from_str(WORLD)?;
        for (path, body) in &world.controls {
            self.control(path, body).await?;
        }
        Ok(())
    }

    /// Prepares the first call of a release: a platform of that release in the seeded state.
    ///
    /// # Errors
    /// The target cannot be reset.
    pub async fn begin(&mut self, release: Release) -> Result<()> {
        self.callers = Callers::new(self.callers.secrets.clone());
        let reset = match &self.kind {
            Kind::Simulator(_) => {
                self.control("/_sim/reset", &json!({})).await?;
                return self.seed().await;
            }
            Kind::Lms(commands) => commands.reset.clone(),
        };
        let root = self.http.get(format!("{}/api/enrollment/v2/", self.base)).send().await?;
        self.lacks = match reset {
            _ if !root.status().is_success() => Some(format!("this LMS is older than {release:?}")),
            None => Some("needs --lms-reset".to_owned()),
            Some(command) => {
                run(&command, "").await?;
                None
            }
        };
        Ok(())
    }

    /// A target for an LMS seeded as `docs/openedx.md` says.
    ///
    /// # Errors
    /// The HTTP client cannot be built.
    pub fn lms(url: &str, commands: Commands) -> Result<Self> {
        let world: World = serde_json::from_str(WORLD)?;
        let base = url.trim_end_matches('/').to_owned();
        let (http, callers) = (client()?, Callers::new(world.secrets));
        Ok(Self { lacks: None, http, base, callers, kind: Kind::Lms(commands) })
    }

    /// Makes the call, and compares its answer and its effect with the expected ones.
    ///
    /// # Errors
    /// The call cannot be sent, or its set-up fails.
    pub async fn make(&mut self, call: &Call) -> Result<Verdict> {
        if let Some(reason) = self.prepare(call).await? {
            return Ok(Verdict::Skipped(reason));
        }
        let mut answer = self.send(call).await?;
        if call.repeated {
            for _ in 0..REPEATS {
                if answer.status().as_u16() == call.status {
                    break;
                }
                answer = self.send(call).await?;
            }
        }
        let status = answer.status().as_u16();
        let mut differences = self.compare(call, answer).await?;
        let mut states = Vec::new();
        for after in &call.after {
            let seen = self.enrollment(after).await?;
            if seen != after.expected() {
                differences.push(format!("afterwards {} is {seen}, not {}", after.user, after.expected()));
            }
            states.push(seen);
        }
        Ok(if differences.is_empty() {
            Verdict::Agrees(call.seen(status, &states))
        } else {
            Verdict::Differs(differences.join("; "))
        })
    }

    /// Returns the reason why this target cannot prepare the call.
    async fn prepare(&mut self, call: &Call) -> Result<Option<String>> {
        if self.lacks.is_some() {
            return Ok(self.lacks.clone());
        }
        let Some(before) = &call.before else { return Ok(None) };
        let command = match (&self.kind, &before.lms) {
            (Kind::Simulator(_), _) => {
                for (path, body) in &before.simulator {
                    self.control(path, body).await?;
                }
                return Ok(None);
            }
            (Kind::Lms(_), Lms::Nothing) => return Ok(None),
            (Kind::Lms(_), Lms::Impossible(reason)) => return Ok(Some(reason.clone())),
            (Kind::Lms(Commands { sql: None, .. }), Lms::Sql(_)) => {
                return Ok(Some("needs --lms-sql".to_owned()));
            }
            (Kind::Lms(Commands { sql: Some(command), .. }), Lms::Sql(statement)) => (command, statement),
        };
        run(command.0, command.1).await?;
        Ok(None)
    }

    async fn send(&mut self, call: &Call) -> Result<Response> {
        let path = self.with_ids(&call.path).await?;
        loop {
            let url = format!("{}{path}", self.base);
            let mut request = self.http.request(Method::from_bytes(call.method.as_bytes())?, url);
            if !call.accept.is_empty() {
                request = request.header("accept", &call.accept);
            }
            request = match &call.body {
                Some(Body::Json(body)) => request.json(body),
                Some(Body::Merge(body)) => {
                    request.header("content-type", "application/merge-patch+json").body(body.to_string())
                }
                Some(Body::Form(form)) => request.form(form),
                Some(Body::Text(text)) => {
                    request.header("content-type", "application/json").body(text.clone())
                }
                Some(Body::Plain(text)) => request.header("content-type", "text/plain").body(text.clone()),
                None => request,
            };
            let base = self.base.clone();
            let answer = self.callers.prove(&self.http, &base, &call.caller, request).await?.send().await?;
            match self.wait_for(&answer, call.status) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Ok(answer),
            }
        }
    }

    /// The list holds more calls than an LMS answers in a minute.
    fn wait_for(&self, answer: &Response, expected: u16) -> Option<Duration> {
        let throttled = answer.status() == 429 && expected != 429 && matches!(self.kind, Kind::Lms(_));
        let seconds = answer.headers().get("retry-after")?.to_str().ok()?.parse().ok()?;
        throttled.then_some(Duration::from_secs(seconds))
    }

    async fn compare(&self, call: &Call, answer: Response) -> Result<Vec<String>> {
        let mut differences = Vec::new();
        let status = answer.status().as_u16();
        if status != call.status {
            differences.push(format!("status {status}, not {}", call.status));
        }
        for (name, pattern) in &call.headers {
            let value = answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
            // The two targets may have different base paths, and may state their charset differently.
            let path = below(&self.base);
            let value = if path.is_empty() { value.to_owned() } else { value.replace(path, "") };
            let value = value.strip_suffix("; charset=utf-8").unwrap_or(&value);
            let value = value.parse().map_or_else(|_| json!(value), |number: u64| json!(number));
            differences.extend(compare(pattern, &value).err().map(|told| format!("header {name}{told}")));
        }
        let is_page = answer
            .headers()
            .get("content-type")
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
        let text = answer.text().await?;
        let body: Value = match serde_json::from_str(&text) {
            Ok(body) => body,
            Err(_) if text.is_empty() => Value::Null,
            // The wording of an HTML page does not matter to a client.
            Err(_) if is_page => json!("<page>"),
            Err(_) => json!(text),
        };
        if call.answer != json!("<page>") || !is_page {
            differences.extend(compare(&call.answer, &body).err().map(|told| format!("answer{told}")));
        }
        Ok(differences)
    }

    /// The platform's own record, read with the service account.
    async fn enrollment(&mut self, after: &After) -> Result<String> {
        let call = Call {
            name: "after".to_owned(),
            release: Release::default(),
            note: None,
            before: None,
            method: "GET".to_owned(),
            path: format!("/api/enrollment/v1/enrollment/{},{}", after.user, after.course),
            body: None,
            caller: service(),
            accept: "application/json".to_owned(),
            repeated: false,
            status: 200,
            headers: Default::default(),
            answer: Value::Null,
            after: Vec::new(),
        };
        let record = self.send(&call).await?.error_for_status()?.text().await?;
        let record: Value = serde_json::from_str(&record).unwrap_or_default();
        let mode = record.get("mode").and_then(Value::as_str);
        Ok(state(mode.map(|mode| (mode, record.get("is_active") == Some(&Value::Bool(true))))))
    }

    /// Account ids differ between targets.
    async fn with_ids(&mut self, path: &str) -> Result<String> {
        let Some((start, rest)) = path.split_once("{id:") else { return Ok(path.to_owned()) };
        let (email, end) = rest.split_once('}').ok_or("an unclosed {id:")?;
        let request = self.http.get(format!("{}/api/user/v1/accounts", self.base)).query(&[("email", email)]);
        let base = self.base.clone();
        let request = self.callers.prove(&self.http, &base, &service(), request).await?;
        let found: Value = request.send().await?.error_for_status()?.json().await?;
        let id = found.pointer("/0/id").and_then(Value::as_i64).ok_or("the account has no id")?;
        Ok(format!("{start}{id}{end}"))
    }

    async fn control(&mut self, path: &str, body: &Value) -> Result<()> {
        let Kind::Simulator(simulators) = &self.kind else { return Ok(()) };
        let answer = self.http.post(simulators.url(path)).json(body).send().await?;
        let status = answer.status();
        let told = answer.text().await?;
        if !status.is_success() {
            return Err(format!("{path} {body}: {status} {told}").into());
        }
        let told: Value = serde_json::from_str(&told).unwrap_or_default();
        if let (Some(name), Some(session)) = (text(&told, "username"), text(&told, "sessionid")) {
            let mut cookies = Cookies::from([("sessionid".to_owned(), session)]);
            let halves = told.get("jwt_cookies").and_then(Value::as_object).into_iter().flatten();
            cookies.extend(halves.filter_map(|(name, half)| Some((name.clone(), half.as_str()?.to_owned()))));
            self.callers.cookies.insert(name, cookies);
        }
        Ok(())
    }
}

fn text(value: &Value, field: &str) -> Option<String> {
    value.get(field).and_then(Value::as_str).map(str::to_owned)
}

fn service() -> Caller {
    Caller::Client(ClientToken { name: "storefront".into(), opaque: false, asymmetric: false, scheme: None })
}

/// The path of a base URL, without the final slash.
fn below(base: &str) -> &str {
    let host = base.split_once("://").map_or(base, |(_, host)| host);
    host.find('/').and_then(|at| host.get(at..)).unwrap_or_default()
}

fn client() -> Result<Client> {
    // Fails if one is installed already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Ok(Client::builder().redirect(Policy::none()).timeout(BUDGET).build()?)
}

async fn run(command: &str, input: &str) -> Result<()> {
    let mut child = tokio::process::Command::new("sh").args(["-c", command]).stdin(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).await?;
    }
    let status = tokio::time::timeout(BUDGET, child.wait()).await??;
    if status.success() { Ok(()) } else { Err(format!("{command}: {status}").into()) }
}
