//! Calls of the storefront API, as a trusted backend makes them. Each page can show the calls that it made.

use std::sync::{Mutex, PoisonError};

use reqwest::Method;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;

use crate::Shop;
use crate::visitor::Visitor;

/// The calls of one page.
pub struct Storefront<'a> {
    shop: &'a Shop,
    visitor: &'a Visitor,
    calls: Mutex<Vec<Call>>,
}

/// A call and its answer, as the page shows them: with the names of the credentials and not their values.
#[derive(Clone, Serialize)]
pub struct Call {
    method: String,
    path: String,
    headers: Vec<String>,
    body: Option<String>,
    status: u16,
    answer: String,
}

type Header = (&'static str, String);

/// Answer of the API.
pub struct Answer {
    pub status: u16,
    pub body: Value,
}

impl Answer {
    /// In place of the API's answer: the visitor has asked too often.
    pub fn too_many() -> Self {
        Self { status: 429, body: Value::Null }
    }

    /// There is nothing under the address.
    pub fn missing() -> Self {
        Self { status: 404, body: Value::Null }
    }

    pub fn is_ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The kind of a fault, by which pages say what has happened. The sentences of the API are for developers.
    pub fn kind(&self) -> &'static str {
        match (self.status, self.body["code"].as_str()) {
            (_, Some("enrollment_failed")) => "enrollment",
            (401, _) => "link",
            (403, _) => "forbidden",
            (404, _) => "missing",
            (429, _) => "busy",
            // A redirect, too: it is not followed. 409: the first request is still being worked on.
            (300..=399 | 409 | 500.., _) => "unavailable",
            _ => "refused",
        }
    }
}

/// The key under which a request is the same one: of a form that has a key of its own, and that says the same. Who goes back and
/// changes the form sends another request.
pub fn key(once: &str, body: &Value) -> String {
    let digest = Sha256::digest(body.to_string());
    let digest: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{once}-{digest}")
}

/// A JSON text; empty if it is another value.
pub fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl<'a> Storefront<'a> {
    pub fn new(shop: &'a Shop, visitor: &'a Visitor) -> Self {
        Self { shop, visitor, calls: Mutex::default() }
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads something that every visitor of the same country sees.
    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Answer {
        self.call(Method::GET, path, query, None, &self.client()).await
    }

    /// Returns how many items a list has. The page shows of the answer only that.
    pub async fn count(&self, path: &str, query: &[(&str, &str)]) -> Option<i64> {
        let (answer, call) = self.ask(Method::GET, path, query, None, &self.client()).await;
        let total = answer.body["total_count"].as_i64();
        self.note(call.map(|call| Call { answer: pretty(&json!({ "total_count": total })), ..call }));
        total
    }

    /// Returns whether the visitor's session is a learner's; None if the API cannot tell now.
    pub async fn is_signed_in(&self) -> Option<bool> {
        let headers = [self.client(), self.learner()].concat();
        let answer = self.call(Method::GET, "/storeapi/discovery/user/", &[], None, &headers).await;
        (answer.is_ok() || answer.status == 401).then(|| answer.body["authenticated"] == true)
    }

    /// Reads something of the signed-in learner with one organisation. Without the client secret, which opens the orders of every
    /// learner: the API shows a learner their own alone.
    pub async fn get_own(&self, path: &str, query: &[(&str, &str)], organisation: &str) -> Answer {
        let mut headers = self.learner();
        headers.push(("orgName", organisation.to_owned()));
        self.call(Method::GET, path, query, None, &headers).await
    }

    /// Returns what the signed-in learner has with each organisation: the organisation's name, and the list's field.
    /// Without those with which the learner has none.
    ///
    /// # Errors
    /// The answer, if it is a fault.
    pub async fn of_all_organisations(
        &self,
        path: &str,
        field: &str,
    ) -> Result<Vec<(String, Value)>, Answer> {
        let organisations = self.get("/storeapi/discovery/organisations/", &[("fields", "basic")]).await;
        if !organisations.is_ok() {
            return Err(organisations);
        }
        let mut found = Vec::new();
        for organisation in organisations.body["organisations"].as_array().into_iter().flatten() {
            let list = self.get_own(path, &[("limit", "100")], &word(&organisation["short_name"])).await;
            // A closed organisation refuses those who are no members: they have nothing with it.
            if !list.is_ok() && list.status != 403 {
                return Err(list);
            }
            if list.body[field].as_array().is_some_and(|rows| !rows.is_empty()) {
                found.push((word(&organisation["name"]), list.body[field].clone()));
            }
        }
        Ok(found)
    }

    /// Reads seats, for the learner who bought them or for the holder of the mailed link, whose `token` is in `query`.
    pub async fn get_seats(&self, path: &str, query: &[(&str, &str)]) -> Answer {
        let headers = self.learner();
        self.call(Method::GET, path, query, None, &headers).await
    }

    /// Changes seats, for the same callers; an empty `token` means the learner.
    pub async fn post_seats(&self, path: &str, token: &str, body: &Value, once: &str) -> Answer {
        let mut headers = [self.client(), self.learner()].concat();
        headers.push(("idempotency-key", key(once, body)));
        self.call(Method::POST, path, &[("token", token)], Some(body), &headers).await
    }

    /// Acts for a guest; with `once`, a repetition finds the first result.
    pub async fn post(&self, path: &str, body: &Value, once: &str) -> Answer {
        let headers = [self.client(), vec![("idempotency-key", once.to_owned())]].concat();
        self.call(Method::POST, path, &[], Some(body), &headers).await
    }

    /// The same for the signed-in learner.
    pub async fn post_own(&self, path: &str, body: &Value, once: &str) -> Answer {
        let mut headers = [self.client(), self.learner()].concat();
        headers.push(("idempotency-key", once.to_owned()));
        self.call(Method::POST, path, &[], Some(body), &headers).await
    }

    /// The client secret, and for whom it is used: the API limits each visitor, and hands a guest's payment to no other one.
    fn client(&self) -> Vec<Header> {
        vec![
            ("clientapisecret", self.shop.settings.client_api_secret.clone()),
            ("x-visitor-address", self.visitor.peer.address.to_string()),
            ("x-visitor-id", self.visitor.peer.id.to_string()),
        ]
    }

    fn learner(&self) -> Vec<Header> {
        let session = self.visitor.session.iter();
        session.map(|session| ("cookie", format!("sessionid={session}"))).collect()
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<&Value>,
        headers: &[Header],
    ) -> Answer {
        let (answer, call) = self.ask(method, path, query, body, headers).await;
        self.note(call);
        answer
    }

    fn note(&self, call: Option<Call>) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).extend(call);
    }

    /// Calls the API. Returns its answer, and how a page shows the call if it was made.
    async fn ask(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<&Value>,
        headers: &[Header],
    ) -> (Answer, Option<Call>) {
        let settings = &self.shop.settings;
        let Ok(mut url) = Url::parse(&format!("{}{path}", settings.storefront_url)) else {
            return (Answer { status: 500, body: Value::Null }, None);
        };
        // A part of the path that a visitor wrote must not lead elsewhere, since the client secret goes with it.
        if url.path() != path {
            return (Answer::missing(), None);
        }
        let given = query.iter().filter(|(_, value)| !value.is_empty());
        if given.clone().next().is_some() {
            url.query_pairs_mut().extend_pairs(given);
        }
        let mut request = self.shop.client.request(method.clone(), url.clone());
        request = request.header("accept", "application/json");
        let mut shown = Vec::new();
        if let Some(country) = &self.visitor.country {
            request = request.header("x-visitor-country", country);
            shown.push(format!("x-visitor-country: {country}"));
        }
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            request = request.header(*name, value);
            shown.push(match *name {
                "clientapisecret" => "clientapisecret: …".to_owned(),
                "cookie" => "cookie: sessionid=…".to_owned(),
                "x-visitor-id" => "x-visitor-id: …".to_owned(),
                name => format!("{name}: {value}"),
            });
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = match request.send().await {
            Ok(response) => {
                let status = response.status().as_u16();
                Answer { status, body: response.json().await.unwrap_or(Value::Null) }
            }
            Err(_) => Answer { status: 502, body: Value::Null },
        };
        let call = Call {
            method: method.to_string(),
            path: without_token(&url[url::Position::BeforePath..]),
            headers: shown,
            body: body.map(pretty),
            status: answer.status,
            answer: pretty(&masked(&answer.body)),
        };
        // What a visitor wrote into an address names nothing that exists.
        let is_misread = method == Method::GET && answer.status == 400;
        (if is_misread { Answer::missing() } else { answer }, Some(call))
    }
}

/// A copy without what opens something: secrets of payments, and the signatures of links.
fn masked(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                (name.clone(), if name.ends_with("client_secret") { json!("…") } else { masked(value) })
            })
            .collect(),
        Value::Array(values) => values.iter().map(masked).collect(),
        Value::String(text) => json!(without_token(text)),
        _ => value.clone(),
    }
}

/// A URL without the signature that it may hold.
fn without_token(text: &str) -> String {
    let Some((before, token)) = text.split_once("token=") else { return text.to_owned() };
    let after = token.split_once('&').map(|(_, after)| format!("&{after}")).unwrap_or_default();
    format!("{before}token=…{after}")
}

/// JSON over several lines; a long one is cut.
fn pretty(value: &Value) -> String {
    const LONGEST: usize = 6_000;
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}\n…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
