//! Expands the short annotations of routes and types into full OpenAPI: who may call a route, which problems it answers
//! with, how its answer is cached, and which fields are always present.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::schemas::LONGEST_TEXT;
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
        schemas.values_mut().for_each(merge);
        close(schemas, sent);
        for schema in schemas.values_mut() {
            fields(schema);
        }
        optional_parts(schemas);
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

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
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

/// Makes a plain object of a struct with flattened fields, if all of them are described `inline`: generators of clients do not read
/// a composition in a request, and only a plain object can be closed.
fn merge(schema: &mut Value) {
    let Some(parts) = schema.get_mut("allOf").and_then(Value::as_array_mut) else { return };
    parts.iter_mut().for_each(merge);
    if parts.iter().any(|part| part.get("properties").is_none()) {
        return;
    }
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in parts {
        properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    let Some(schema) = schema.as_object_mut() else { return };
    schema.remove("allOf");
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
}

/// The names of the schemas that the bodies of requests name.
fn sent(document: &mut Value) -> Vec<String> {
    operations(document).filter_map(|operation| operation.get("requestBody")).flat_map(references).collect()
}

/// The names of the schemas that a value names.
fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let name = fields.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
            name.map(str::to_owned).into_iter().chain(fields.values().flat_map(references)).collect()
        }
        Value::Array(values) => values.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// Closes the objects of requests: the service refuses a field that it does not know.
fn close(schemas: &mut Map<String, Value>, mut sent: Vec<String>) {
    while let Some(name) = sent.pop() {
        let Some(schema) = schemas.get_mut(&name) else { continue };
        if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
            set(schema, "additionalProperties", false.into());
            sent.extend(references(schema));
        }
    }
}

/// Completes the schemas of answers: marks nullable fields as required. Leaves requests, which forbid additional
/// properties, unchanged.
fn fields(schema: &mut Value) {
    let is_request = schema["additionalProperties"] == false;
    let properties = schema.get("properties").and_then(Value::as_object);
    let nullable: Vec<Value> = properties
        .into_iter()
        .flatten()
        .filter(|(_, property)| !is_request && is_nullable(property))
        .map(|(name, _)| name.as_str().into())
        .collect();
    if !nullable.is_empty() {
        let mut required = schema["required"].as_array().cloned().unwrap_or_default();
        required.extend(nullable);
        set(schema, "required", required.into());
    }
    for part in schema.get_mut("allOf").and_then(Value::as_array_mut).into_iter().flatten() {
        fields(part);
    }
}

/// Makes the fields of each flattened `Option` optional: an answer has all of them or none. They become plain optional
/// properties, which every generator of clients reads, and `dependentRequired` ties them together.
fn optional_parts(schemas: &mut Map<String, Value>) {
    let parts = schemas.values_mut().filter_map(|schema| schema.get_mut("allOf")?.as_array_mut()).flatten();
    let mut optional = Vec::new();
    for part in parts.filter(|part| is_nullable(part)) {
        let mut options = part["oneOf"].as_array().into_iter().flatten();
        if let Some(reference) = options.find_map(|option| option["$ref"].as_str()) {
            optional.extend(reference.rsplit('/').next().map(str::to_owned));
            *part = json!({ "$ref": reference });
        }
    }
    for name in &optional {
        if let Some(schema) = schemas.get_mut(name) {
            together(schema);
        }
    }
}

/// Requires either all properties of a schema or none.
fn together(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else { return };
    schema.remove("required");
    let names: Vec<String> = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::keys)
        .cloned()
        .collect();
    let Some((first, others)) = names.split_first() else { return };
    let mut ties = Map::from_iter(others.iter().map(|other| (other.clone(), json!([first]))));
    ties.insert(first.clone(), others.into());
    schema.insert("dependentRequired".into(), ties.into());
}

fn is_nullable(schema: &Value) -> bool {
    let has_null =
        |types: &Value| types.as_array().is_some_and(|types| types.iter().any(|one| one == "null"));
    let options = schema["oneOf"].as_array().into_iter().flatten();
    has_null(&schema["type"]) || options.into_iter().any(|option| option["type"] == "null")
}
