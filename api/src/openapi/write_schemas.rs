//! Completes the schemas of the OpenAPI document: which fields are always present, and which bodies take no others.

use serde_json::{Map, Value, json};

/// Completes all schemas. `sent`: the names of those that the bodies of requests name.
pub fn complete(schemas: &mut Map<String, Value>, sent: Vec<String>) {
    schemas.values_mut().for_each(merge);
    close(schemas, sent);
    schemas.values_mut().for_each(fields);
    optional_parts(schemas);
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

/// The names of the schemas that a value names.
pub fn references(value: &Value) -> Vec<String> {
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

/// Sets a field of an object.
pub fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}
