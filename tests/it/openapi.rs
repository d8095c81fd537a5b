//! The OpenAPI document, and the page to try the interface. `harness/document.rs` checks every answer that a test
//! reads against the document.

use std::collections::BTreeSet;

use harness::{Reply, Setup, world};
use serde_json::Value;

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
    let official: Value = serde_json::from_str(include_str!("data/openapi-3.1-schema.json")).unwrap();
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
        assert!(operation["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{place}");
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
                let codes = schema.pointer("/allOf/1/properties/code/enum").and_then(Value::as_array);
                assert!(codes.is_some_and(|codes| !codes.is_empty()), "{place} {status}");
            }
        }
    }
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
