//! Checks every answer of the api against its OpenAPI document: the document must describe the status, the content
//! type, the headers and the body, and the body may have no undocumented field.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::http::Reply;

static DOCUMENT: LazyLock<Document> = LazyLock::new(Document::new);

struct Document {
    paths: Map<String, Value>,
    /// The document's schemas without additional properties: see [`close`].
    schemas: Value,
    /// By the schema, most often a reference that many routes have, and whether formats count.
    compiled: Mutex<HashMap<(String, bool), Arc<Validator>>>,
}

/// Fails the test if the document does not describe this answer. Answers for an unknown path or an unsupported method
/// pass, since the document cannot describe them.
pub fn check(method: &Method, path: &str, request: Option<&[u8]>, reply: &Reply) {
    let Some((template, item)) = DOCUMENT.item(path) else { return };
    let name = if *method == Method::HEAD { "get".to_owned() } else { method.as_str().to_lowercase() };
    let Some(operation) = item.get(&name) else { return };
    let place = format!("{method} {template} {}", reply.status);
    let response = &operation["responses"][reply.status.to_string()];
    assert!(response.is_object(), "{place} is not documented: {}", reply.text);
    for (header, described) in response["headers"].as_object().into_iter().flatten() {
        assert!(described["required"] == false || !reply.header(header).is_empty(), "{place} lacks {header}");
    }
    if *method != Method::HEAD {
        DOCUMENT.check_body(&place, &response["content"], reply);
    }
    let content = &operation["requestBody"]["content"]["application/json"];
    if let (Some(request), 200..300) = (request, reply.status)
        && content.is_object()
        && let Ok(request) = serde_json::from_slice(request)
    {
        // The api accepts more forms of an address than the `email` format: surrounding blanks, and letters beyond
        // ASCII.
        let formats = false;
        DOCUMENT.check_value(&format!("{place}: request"), &content["schema"], &request, formats);
    }
}

impl Document {
    fn new() -> Self {
        let mut document = api::openapi_document();
        let mut schemas = document["components"]["schemas"].take();
        for schema in schemas.as_object_mut().into_iter().flat_map(Map::values_mut) {
            close(schema, false);
        }
        let Value::Object(paths) = document["paths"].take() else { panic!("the document has no paths") };
        Self { paths, schemas, compiled: Mutex::default() }
    }

    /// The path's template and its entry in the document.
    fn item(&self, path: &str) -> Option<(&str, &Value)> {
        let path = format!("{}/", path.trim_end_matches('/'));
        let fits = |template: &str| {
            let (mut wanted, mut found) = (template.split('/'), path.split('/'));
            let same =
                |wanted: &str, found: &str| wanted == found || (wanted.starts_with('{') && !found.is_empty());
            loop {
                match (wanted.next(), found.next()) {
                    (Some(wanted), Some(found)) if same(wanted, found) => {}
                    (None, None) => return true,
                    _ => return false,
                }
            }
        };
        self.paths
            .iter()
            .find(|(template, _)| fits(template))
            .map(|(template, item)| (template.as_str(), item))
    }

    fn check_body(&self, place: &str, content: &Value, reply: &Reply) {
        let Some(types) = content.as_object() else {
            assert_eq!(reply.text, "", "{place} has no body in the document");
            return;
        };
        let media_type = reply.header("content-type").split(';').next().unwrap_or_default();
        let described = types.get(media_type);
        let described = described.unwrap_or_else(|| panic!("{place} is not documented as {media_type:?}"));
        if media_type.ends_with("json") {
            self.check_value(&format!("{place} {media_type}"), &described["schema"], &reply.json, true);
        }
    }

    fn check_value(&self, place: &str, schema: &Value, value: &Value, formats: bool) {
        let key = (schema.to_string(), formats);
        let known = self.compiled.lock().expect("compiled").get(&key).cloned();
        let validator = known.unwrap_or_else(|| {
            let validator = Arc::new(self.compile(schema, formats));
            self.compiled.lock().expect("compiled").insert(key, Arc::clone(&validator));
            validator
        });
        let faults: Vec<String> =
            validator.iter_errors(value).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{place} is not as documented:\n{}\n{value:#}", faults.join("\n"));
    }

    fn compile(&self, schema: &Value, formats: bool) -> Validator {
        let mut schema = schema.clone();
        close(&mut schema, true);
        let whole = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "allOf": [schema],
            "components": { "schemas": self.schemas },
        });
        let options = jsonschema::options().should_validate_formats(formats);
        options
            .build(&whole)
            .unwrap_or_else(|fault| panic!("a schema of the document cannot be used: {fault}"))
    }
}

/// Forbids undocumented fields in a schema. The document itself allows them, since clients must accept fields of
/// later versions. A schema that is a part of a composition stays open; the composed schema is closed instead.
fn close(schema: &mut Value, is_whole: bool) {
    let Some(schema) = schema.as_object_mut() else { return };
    let composed = ["properties", "$ref", "allOf", "anyOf", "oneOf"];
    let has_fields = composed.iter().any(|keyword| schema.contains_key(*keyword));
    for part in ["allOf", "anyOf", "oneOf"] {
        for part in schema.get_mut(part).and_then(Value::as_array_mut).into_iter().flatten() {
            close(part, false);
        }
    }
    for property in
        schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut)
    {
        close(property, true);
    }
    for values in ["items", "additionalProperties"] {
        if let Some(values) = schema.get_mut(values) {
            close(values, true);
        }
    }
    if is_whole && has_fields && !schema.contains_key("additionalProperties") {
        schema.insert("unevaluatedProperties".into(), false.into());
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::*;

    const PROBE: &str = "/storeapi/discovery/user/";

    fn answer(path: &str, status: u16, body: &Value) {
        let headers = [
            ("cache-control", "no-cache"),
            ("content-type", "application/json"),
            ("etag", "\"1\""),
            ("vary", "accept-encoding"),
            ("x-request-id", "0198c0de-0000-7000-8000-000000000000"),
        ];
        let headers = headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let reply = Reply {
            status,
            headers: HeaderMap::from_iter(headers),
            json: body.clone(),
            text: body.to_string(),
        };
        check(&Method::GET, path, None, &reply);
    }

    #[test]
    fn an_answer_as_documented_passes_and_so_does_an_unknown_route() {
        answer(PROBE, 200, &json!({ "authenticated": false }));
        answer("/storeapi/discovery/nothing/", 404, &json!({ "no": "problem" }));
    }

    #[test]
    #[should_panic(expected = "is not documented")]
    fn an_undocumented_status_fails() {
        answer(PROBE, 418, &json!({ "authenticated": false }));
    }

    #[test]
    #[should_panic(expected = "is not documented as")]
    fn an_undocumented_content_type_fails() {
        answer("/storeapi/docs/", 200, &json!("a page"));
    }

    #[test]
    #[should_panic(expected = "lacks WWW-Authenticate")]
    fn a_header_that_is_not_there_fails() {
        answer(PROBE, 401, &json!({ "code": "unauthenticated" }));
    }

    #[test]
    #[should_panic(expected = "is not as documented")]
    fn a_value_of_another_type_fails() {
        answer(PROBE, 200, &json!({ "authenticated": "no" }));
    }

    #[test]
    #[should_panic(expected = "is not as documented")]
    fn an_undocumented_field_fails() {
        answer(PROBE, 200, &json!({ "authenticated": false, "shoe_size": 43 }));
    }

    /// One course of a list, with the fields of `fields=light` and those given.
    fn listed(more: &Value) {
        let mut course = json!({
            "id": "e90c8dfd-1757-4985-a549-8c3455a7996b", "openedx_course_id": "course-v1:N+D+1", "display_name": "D",
            "display_image": null, "short_description": "", "price": null, "originalPrice": null, "currency": null,
            "discountPct": 0, "course_mode": null, "start": null, "end": null, "org": "n", "org_name": "N",
            "org_logo_url": null, "org_favicon_url": null, "tags": [], "is_invite_only": false, "is_published": true,
            "avg_rating": null, "review_count": 0,
        });
        course.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let page = json!({
            "courses": [course], "total_count": 1, "has_more": false, "limit": 8, "page": 1, "offset": 0,
        });
        let course_list = json!({ "$ref": "#/components/schemas/CourseList" });
        DOCUMENT.check_value("a list", &course_list, &page, true);
    }

    fn full() -> Value {
        json!({
            "overview": "", "effort": null, "enrollment_start": null, "enrollment_end": null,
            "certificate_available_date": null, "has_any_active_web_certificate": false, "link_to_course": null,
            "language": null, "self_paced": true, "number": "D", "course_video_url": null,
            "available_course_modes": [], "is_new": false,
        })
    }

    #[test]
    fn a_listed_course_has_all_fields_of_a_full_list_or_none() {
        listed(&json!({}));
        listed(&full());
        for name in full().as_object().unwrap().keys() {
            let mut some = full();
            some.as_object_mut().unwrap().remove(name);
            assert!(std::panic::catch_unwind(|| listed(&some)).is_err(), "without {name}");
            let alone = json!({ name.as_str(): full()[name] });
            assert!(std::panic::catch_unwind(|| listed(&alone)).is_err(), "{name} alone");
        }
    }

    #[test]
    #[should_panic(expected = "is not as documented")]
    fn a_field_that_no_list_has_fails() {
        listed(&json!({ "shoe_size": 43 }));
    }

    #[test]
    #[should_panic(expected = "is not as documented")]
    fn a_null_where_the_document_leaves_a_field_out_fails() {
        answer(PROBE, 200, &json!({ "authenticated": false, "email": null }));
    }
}
