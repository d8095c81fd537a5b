//! Expands the short annotations of routes into full OpenAPI: who may call a route, which problems it answers with, and how its answer is
//! cached.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::schemas::LONGEST_TEXT;
use super::write_schemas::{complete, references, set};
use crate::error_code::ErrorCode;

/// The security schemes that identify a learner; any one of them is enough.
const LEARNER: [&str; 3] = ["session", "token", "jwt_cookies"];

/// The extension in which an operation lists its problems: error codes, and the group names that [`codes`] expands.
pub const PROBLEMS: &str = "x-problems";

/// The extension that marks an operation whose problems browsers get as pages.
const PAGES: &str = "x-pages";

/// The complete document, as the api serves it.
pub fn write_out(document: utoipa::openapi::OpenApi) -> Value {
    let mut document = serde_json::to_value(document).unwrap_or_default();
    let mut problem_schemas = BTreeMap::new();
    for operation in operations(&mut document) {
        callers(operation);
        problems(operation, &mut problem_schemas);
        empty_values(operation);
        query_texts(operation);
        caching(operation);
        request_id(operation);
    }
    let sent = sent(&mut document);
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        complete(schemas, sent);
        schemas.extend(problem_schemas);
    }
    document
}

/// All operations of a document.
pub fn operations(document: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    let items = paths.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut);
    items.flat_map(Map::values_mut).filter_map(Value::as_object_mut)
}

/// Expands the short names of callers: `client`, `learner`, `reader` (either), `client_for_learner` (both), `key` (with its
/// scope) and `cart_token`. Any other name means that the operation needs no credential.
fn callers(operation: &mut Map<String, Value>) {
    let stated = operation.get("security").and_then(Value::as_array).cloned().unwrap_or_default();
    let names = stated.iter().flat_map(|one| match one.as_object() {
        Some(one) if !one.is_empty() => one.clone().into_iter().collect(),
        _ => vec![(String::new(), Value::Null)],
    });
    let client = || json!({ "clientapisecret": [] });
    let written: Vec<Value> = names
        .flat_map(|(name, scopes)| match name.as_str() {
            "client" => vec![client()],
            "learner" => LEARNER.map(|scheme| json!({ scheme: [] })).into(),
            "reader" => [client()].into_iter().chain(LEARNER.map(|scheme| json!({ scheme: [] }))).collect(),
            "client_for_learner" => LEARNER.map(|scheme| json!({ "clientapisecret": [], scheme: [] })).into(),
            "key" => vec![json!({ "organisationapikey": scopes })],
            "cart_token" => vec![json!({ "cart_token": [] })],
            _ => vec![json!({})],
        })
        .collect();
    operation.insert("security".into(), written.into());
}

/// The codes that an entry of `x-problems` stands for.
pub fn codes(word: &str) -> Vec<ErrorCode> {
    use ErrorCode::{
        BodyTooLarge, IdempotencyMismatch, InProgress, InternalError, InvalidRequest, RateLimited,
        RequestTimeout, Timeout, Unauthenticated, Unavailable, UnsupportedMediaType,
    };
    match word {
        "called" => vec![Unauthenticated, RateLimited, InternalError, Unavailable],
        "body" => vec![InvalidRequest, RequestTimeout, BodyTooLarge, UnsupportedMediaType],
        "command" => vec![InvalidRequest, InProgress, IdempotencyMismatch, Timeout],
        code => serde_json::from_value(code.into()).into_iter().collect(),
    }
}

/// Describes the problems of an operation, and collects their schemas by name.
fn problems(operation: &mut Map<String, Value>, schemas: &mut BTreeMap<String, Value>) {
    let words = operation.remove(PROBLEMS).unwrap_or_default();
    let as_page = operation.remove(PAGES).is_some();
    let words = words.as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut by_status: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    for code in words.flat_map(codes) {
        let codes = by_status.entry(code.status().as_u16()).or_default();
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    for (status, codes) in by_status {
        let name = problem_name(&codes);
        let mut response = problem(status, &codes, &name);
        schemas.entry(name).or_insert_with(|| problem_schema(status, &codes));
        if as_page && let Some(content) = response.get_mut("content") {
            set(content, "text/html", json!({ "schema": { "type": "string" } }));
        }
        // Prefer the operation's own description to the general one.
        if let Some(own) = responses.get(&status.to_string()).and_then(|own| own.get("description")).cloned()
        {
            set(&mut response, "description", own);
        }
        responses.insert(status.to_string(), response);
    }
}

/// The name of the schema of the problems with these codes, such as `NotFoundProblem`.
fn problem_name(codes: &[ErrorCode]) -> String {
    let names: Vec<String> = codes.iter().map(|code| format!("{code:?}")).collect();
    format!("{}Problem", names.join("Or"))
}

/// A problem with one of these codes. Bounds fix the status, because generators of clients do not merge an integer with a
/// constant.
fn problem_schema(status: u16, codes: &[ErrorCode]) -> Value {
    let status = json!({ "type": "integer", "minimum": status, "maximum": status });
    let code = json!({ "type": "string", "enum": codes });
    let this = json!({ "type": "object", "properties": { "status": status, "code": code } });
    json!({ "allOf": [{ "$ref": "#/components/schemas/Problem" }, this] })
}

fn problem(status: u16, codes: &[ErrorCode], name: &str) -> Value {
    let meanings: Vec<String> = codes
        .iter()
        .map(|code| format!("`{}`: {}.", json!(code).as_str().unwrap_or_default(), code.meaning()))
        .collect();
    let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
    let headers = match status {
        401 => json!({ "WWW-Authenticate": {
            "description": "The kinds of identity that the service accepts.", "required": true,
            "schema": { "type": "string" },
        } }),
        429 | 503 => json!({ "Retry-After": {
            "description": "Seconds to wait before the next attempt.", "required": true,
            "schema": { "type": "integer", "minimum": 1 },
        } }),
        _ => json!({}),
    };
    json!({
        "description": meanings.join("\n\n"),
        "headers": headers,
        "content": { "application/problem+json": { "schema": schema } },
    })
}

/// Allows query parameters without a value, which count as not given.
fn empty_values(operation: &mut Map<String, Value>) {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten().filter(|parameter| parameter["in"] == "query") {
        set(parameter, "allowEmptyValue", true.into());
    }
}

/// Bounds the texts of a query as they are read, where nothing else describes them.
fn query_texts(operation: &mut Map<String, Value>) {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten().filter(|parameter| parameter["in"] == "query") {
        let Some(mut schema) = parameter.get_mut("schema") else { continue };
        if schema.get("items").is_some() {
            schema = &mut schema["items"];
        }
        let is_text =
            schema["type"].as_str() == Some("string") || schema["type"] == json!(["string", "null"]);
        if is_text && ["pattern", "enum", "format"].iter().all(|name| schema.get(name).is_none()) {
            set(schema, "maxLength", LONGEST_TEXT.into());
            set(schema, "pattern", r"^[^\x00]*$".into());
        }
    }
}

/// Adds the answer 304 and the caching headers to every operation that takes `If-None-Match`.
fn caching(operation: &mut Map<String, Value>) {
    let parameters = operation.get("parameters").and_then(Value::as_array);
    if !parameters.is_some_and(|all| all.iter().any(|one| one["name"] == "If-None-Match")) {
        return;
    }
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    let header = |description: &str| {
        json!({
            "description": description, "required": true, "schema": { "type": "string" },
        })
    };
    let headers = json!({
        "ETag": header("A strong validator of this body."),
        "Cache-Control": header("How long the caller may keep the answer: 30 seconds, in a private cache."),
        "Vary": header("The request headers that the body depends on."),
    });
    responses.insert("304".into(), json!({ "description": "The caller's copy is current." }));
    for status in ["200", "304"] {
        if let Some(response) = responses.get_mut(status) {
            set(response, "headers", headers.clone());
        }
    }
}

fn request_id(operation: &mut Map<String, Value>) {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for response in responses.into_iter().flat_map(Map::values_mut) {
        let mut headers = response.get("headers").cloned().unwrap_or_else(|| json!({}));
        let id = json!({
            "description": "Names the request in the service's log.", "required": true,
            "schema": { "type": "string", "format": "uuid" },
        });
        set(&mut headers, "X-Request-Id", id);
        set(response, "headers", headers);
    }
}

/// The names of the schemas that the bodies of requests name.
fn sent(document: &mut Value) -> Vec<String> {
    operations(document).filter_map(|operation| operation.get("requestBody")).flat_map(references).collect()
}
