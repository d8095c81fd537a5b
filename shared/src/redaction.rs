//! Leaves out of JSON what must not be passed on with it.

use serde_json::Value;

/// Removes the fields with these names, at any depth.
pub fn remove(value: &mut Value, names: &[&str]) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !names.contains(&name.as_str()));
            fields.values_mut().for_each(|value| remove(value, names));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| remove(value, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
