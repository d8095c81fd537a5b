//! The OpenAPI document, and the page to try the interface. `harness/document.rs` checks every answer that a test
//! reads against the document.

use std::collections::{BTreeMap, BTreeSet};

use harness::steps::credentials::session;
use harness::steps::demo::UNKNOWN_ID;
use harness::steps::organisation_keys::key;
use harness::steps::payments::begun;
use harness::{HINT_TOKEN, ORGANISATIONS, Reply, SECRET, Setup, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

/// Each operation: its name for failure messages, its path, and its entry in the document.
fn operations(document: &Value) -> impl Iterator<Item = (String, &str, &Value)> {
    document["paths"].as_object().unwrap().iter().flat_map(|(path, item)| {
        let operations = item.as_object().unwrap().iter();
        operations.map(move |(method, operation)| (format!("{method} {path}"), path.as_str(), operation))
    })
}

/// Calls back with every object of the document and its location.
fn walk(value: &Value, place: &str, seen: &mut impl FnMut(&str, &serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            seen(place, object);
            object.iter().for_each(|(name, value)| walk(value, &format!("{place}/{name}"), seen));
        }
        Value::Array(values) => values.iter().for_each(|value| walk(value, &format!("{place}/-"), seen)),
        _ => {}
    }
}

#[test]
fn the_document_is_valid_openapi_and_its_schemas_are_valid_json_schema() {
    let document = api::openapi_document();
    let official: Value = serde_json::from_str(include_str!("../data/openapi-3.1-schema.json")).unwrap();
    let validator = jsonschema::options().should_validate_formats(true).build(&official).unwrap();
    let faults: Vec<String> =
        validator.iter_errors(&document).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let mut schemas = 0;
    walk(&document, "", &mut |place, object| {
        let named = place.starts_with("/components/schemas/") && place.matches('/').count() == 3;
        let schema = if named { Some(Value::Object(object.clone())) } else { object.get("schema").cloned() };
        let Some(schema) = schema else { return };
        schemas += 1;
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{place}: {schema:#}");
    });
    assert!(schemas > 100, "{schemas}");
}

#[test]
fn references_resolve_names_are_unique_and_nothing_is_left_undescribed() {
    let document = api::openapi_document();
    walk(&document, "", &mut |place, object| {
        if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
            assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{place}: {reference}");
        }
        assert!(object.keys().all(|name| !name.starts_with("x-")), "{place}");
    });
    let mut names = BTreeSet::new();
    for (place, path, operation) in operations(&document) {
        let name = operation["operationId"].as_str().unwrap();
        assert!(names.insert(name), "two operations have the id {name}");
        for text in ["summary", "description"] {
            assert!(operation[text].as_str().is_some_and(|text| !text.is_empty()), "{place} has no {text}");
        }
        let in_path = |parameter: &&Value| parameter["in"] == "path";
        let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        let declared: BTreeSet<&str> =
            parameters.iter().filter(in_path).map(|parameter| parameter["name"].as_str().unwrap()).collect();
        let named: BTreeSet<&str> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        assert_eq!(declared, named, "{place}");
        for described in parameters.iter().chain(operation["responses"].as_object().unwrap().values()) {
            let description = described["description"].as_str().unwrap_or_default();
            assert!(description.ends_with('.'), "{place}: {described}");
        }
        let bodies = operation["responses"].as_object().unwrap().values().chain(operation.get("requestBody"));
        for (media_type, content) in bodies.filter_map(|body| body.get("content")?.as_object()).flatten() {
            assert!(content["schema"].is_object(), "{place} has no schema for {media_type}");
        }
    }
    assert!(names.len() > 25, "{names:?}");
}

#[test]
fn each_text_of_a_query_is_described_as_it_is_read() {
    let document = api::openapi_document();
    let mut texts = 0;
    for (place, _, operation) in operations(&document) {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        for parameter in parameters.filter(|parameter| parameter["in"] == "query") {
            let schema = parameter["schema"].get("items").unwrap_or(&parameter["schema"]);
            let is_text = schema["type"] == "string" || schema["type"] == json!(["string", "null"]);
            if !is_text || schema.get("enum").or(schema.get("format")).is_some() {
                continue;
            }
            texts += 1;
            let accepts = |text: &str| jsonschema::validator_for(schema).unwrap().is_valid(&json!(text));
            assert!(!accepts("a\0b") && !accepts(&"x".repeat(1_001)), "{place}: {parameter}");
        }
    }
    assert!(texts > 10, "{texts}");
}

#[test]
fn requests_are_closed_and_every_problem_is_named() {
    let document = api::openapi_document();
    for (place, _, operation) in operations(&document) {
        let reference = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        if let Some(reference) = reference.as_str() {
            let schema = document.pointer(reference.trim_start_matches('#')).unwrap();
            assert_eq!(schema["additionalProperties"], false, "{place}");
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            if status.starts_with(['4', '5']) {
                let schema = &response["content"]["application/problem+json"]["schema"];
                let reference = schema["$ref"].as_str().unwrap_or_else(|| panic!("{place} {status}"));
                let schema = document.pointer(reference.trim_start_matches('#')).unwrap();
                let this = &schema["allOf"][1]["properties"];
                assert_eq!(this["status"]["minimum"].to_string(), *status, "{place}");
                assert_eq!(this["status"]["maximum"].to_string(), *status, "{place}");
                assert!(
                    this["code"]["enum"].as_array().is_some_and(|codes| !codes.is_empty()),
                    "{place} {status}"
                );
            }
        }
    }
}

/// The route for browsers' reports, which refuses none: they would send it again.
const REPORTS: &str = "post /storeapi/payment/violations/";

/// Every handler of a write reads its body, if only to see that there is none: it may be too slow or encoded.
#[test]
fn each_write_documents_how_its_body_may_be_refused() {
    let document = api::openapi_document();
    let mut writes = 0;
    for (place, _, operation) in operations(&document) {
        if place.starts_with("get ") {
            assert!(operation["requestBody"].is_null(), "{place}");
            continue;
        }
        if place == REPORTS {
            continue;
        }
        writes += 1;
        let with_a_body = operation["requestBody"].is_object().then_some("413");
        for status in ["400", "408", "415"].into_iter().chain(with_a_body) {
            assert!(operation["responses"][status].is_object(), "{place} lacks {status}");
        }
    }
    assert!(writes > 15, "{writes}");
}

/// The harness checks each answer against the document.
#[tokio::test]
async fn every_write_refuses_a_body_that_it_cannot_read_as_documented() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let northwind = ORGANISATIONS.iter().find(|one| one.short_name == "northwind").unwrap();
        let (cart, _) = begun(world, northwind, "ada@example.com").await;
        let key =
            key(world, "northwind", &[Scope::Orders, Scope::Refunds, Scope::Vouchers, Scope::Seats]).await;
        let cookie = session(&world.platform_user("lin@example.com").await);
        let huge = format!("{{\"a\":\"{}\"}}", "x".repeat(1024 * 1024));
        let bodies = [
            ("text/plain", "identity", "{}"),
            ("application/json", "gzip", "{}"),
            ("application/json", "identity", &huge),
        ];
        let document = api::openapi_document();
        let mut answers = BTreeMap::new();
        for (place, path, operation) in
            operations(&document).filter(|(place, ..)| !place.starts_with("get ") && place != REPORTS)
        {
            let filled = path.replace("{cart_id}", &cart).replace("{voucher_id}", UNKNOWN_ID);
            let filled = filled.replace("{token}", HINT_TOKEN).replace("{gateway}", "stripe");
            let url = world.url(&filled.replace("{organisation}", "northwind"));
            let method: Method = place.split(' ').next().unwrap().to_uppercase().parse().unwrap();
            for (content_type, encoding, body) in bodies {
                let request = world.http.request(method.clone(), &url).body(body.to_owned());
                let request =
                    request.header("content-type", content_type).header("content-encoding", encoding);
                let request = request.header("idempotency-key", "k").header("orgName", "northwind");
                let request = match operation["security"].to_string() {
                    callers if callers.contains("organisationapikey") => {
                        request.header("organisationapikey", &key)
                    }
                    callers if callers.contains("session") => {
                        request.header("clientapisecret", SECRET).header("cookie", &cookie)
                    }
                    _ => request.header("clientapisecret", SECRET),
                };
                let reply = Reply::read(request).await;
                assert!((400..500).contains(&reply.status), "{place}: {}", reply.text);
                answers.entry(path).or_insert_with(Vec::new).push(reply.status);
            }
        }
        assert_eq!(answers["/storeapi/payment/orders/{cart_id}/refunds/"], [415, 415, 413]);
        assert_eq!(answers["/storeapi/payment/checkout/"], [400, 415, 400]);
        let refused = answers.values().filter(|statuses| statuses[1] == 415).count();
        assert!(refused > 12, "{answers:?}");
    })
    .await;
}

/// Refuses what generators of clients cannot read: see `tests/clients`.
#[test]
fn each_shape_of_an_answer_is_a_complete_object_with_a_name() {
    let document = api::openapi_document();
    let is_named = |part: &Value| part["$ref"].is_string();
    walk(&document, "", &mut |place, object| {
        assert!(!object.contains_key("anyOf"), "{place}");
        let parts = |keyword: &str| object.get(keyword).and_then(Value::as_array).into_iter().flatten();
        let is_null = |part: &Value| part["type"] == "null";
        assert!(parts("oneOf").all(|part| is_named(part) || is_null(part)), "{place}: {object:?}");
        // An object may extend others, but is no choice by itself.
        for part in parts("allOf") {
            let extended =
                part["$ref"].as_str().and_then(|name| document.pointer(name.trim_start_matches('#')));
            assert!(extended.unwrap_or(part)["oneOf"].is_null(), "{place}: {part}");
        }
        let keywords = ["properties", "additionalProperties"];
        let is_described = keywords.iter().any(|keyword| object.contains_key(*keyword));
        let is_type = object.get("type").is_some_and(|kind| kind == "object");
        assert!(!is_type || is_described, "{place} has no properties: {object:?}");
    });
    assert_eq!(document["servers"][0]["url"], "/");
}

#[tokio::test]
async fn the_openapi_document_is_as_reviewed() {
    world(Setup::without_workers(), async |world| {
        let reply = Reply::read(world.http.get(world.url("/storeapi/openapi.json"))).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.json["openapi"].as_str().map(|version| &version[..3]), Some("3.1"));
        insta::assert_json_snapshot!(reply.json);
    })
    .await;
}

#[tokio::test]
async fn the_docs_page_loads_everything_from_here() {
    world(Setup::without_workers(), async |world| {
        let get = async |path: &str| Reply::read(world.http.get(world.url(path))).await;
        let page = get("/storeapi/docs/").await;
        assert_eq!(page.status, 200);
        assert!(page.header("content-security-policy").starts_with("default-src 'self'"));
        let assets: Vec<&str> =
            page.text.split('"').filter(|part| part.ends_with(".js") || part.ends_with(".css")).collect();
        assert!(assets.len() >= 3, "{assets:?}");
        for asset in assets {
            // Absolute paths: the page works the same without its final slash.
            assert!(asset.starts_with("/storeapi/docs/"), "{asset}");
            assert_eq!(get(asset).await.status, 200, "{asset}");
        }
        assert_eq!(get("/storeapi/docs").await.text, page.text);
        assert!(get("/storeapi/docs/swagger-initializer.js").await.text.contains("/storeapi/openapi.json"));
        get("/storeapi/docs/nothing.js").await.assert_problem(404, "not_found");
    })
    .await;
}
