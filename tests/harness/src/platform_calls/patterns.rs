//! Compares an answer with a pattern. A pattern is JSON with these placeholders:
//! - `"<text>"`, `"<number>"`, `"<bool>"` and `"<time>"` match any value of that type; `"<text or null>"` and
//!   `"<time or null>"` match null too. `"<text>"` also works within a string.
//! - `{"<each>": pattern}` matches an array whose elements all match.
//! - `{"<jwt>": pattern}` matches a signed token with this header and these claims.
//! - `{"<shape>": name, …}` is a named shape with some of its fields replaced.
//! - `"<more>"` as a key allows fields that the pattern does not list.

use std::collections::BTreeMap;

use chrono::DateTime;
use jsonwebtoken::{dangerous::insecure_decode_claims, decode_header};
use serde_json::{Map, Value, json};

const SHAPES: &str = include_str!("shapes.json");

/// Compares `found` with `pattern`; `Err` says where and how they differ.
pub fn compare(pattern: &Value, seen: &Value) -> Result<(), String> {
    at("", pattern, seen)
}

fn at(place: &str, pattern: &Value, seen: &Value) -> Result<(), String> {
    let differs = || Err(format!("{place}: expected {pattern}, got {seen}"));
    match (pattern, seen) {
        (Value::String(text), _) if text.contains('<') => {
            if placeholder(text, seen) {
                Ok(())
            } else {
                differs()
            }
        }
        (Value::Object(fields), _) if fields.contains_key("<each>") => each(place, fields, seen),
        (Value::Object(fields), _) if fields.contains_key("<jwt>") => {
            let token = seen.as_str().and_then(opened).ok_or_else(|| format!("{place}: no JWT: {seen}"))?;
            at(&format!("{place}.jwt"), fields.get("<jwt>").unwrap_or(&Value::Null), &token)
        }
        (Value::Object(fields), _) if fields.contains_key("<shape>") => at(place, &shape(fields)?, seen),
        (Value::Object(fields), Value::Object(seen)) => object(place, fields, seen),
        (Value::Array(patterns), Value::Array(all)) if patterns.len() == all.len() => {
            let mut pairs = patterns.iter().zip(all).enumerate();
            pairs.try_for_each(|(n, (pattern, seen))| at(&format!("{place}[{n}]"), pattern, seen))
        }
        _ if pattern == seen => Ok(()),
        _ => differs(),
    }
}

fn placeholder(pattern: &str, seen: &Value) -> bool {
    let is_time = |text: &str| DateTime::parse_from_rfc3339(text).is_ok();
    match (pattern, seen) {
        ("<number>", _) => seen.is_number(),
        ("<bool>", _) => seen.is_boolean(),
        ("<time or null>" | "<text or null>", Value::Null) => true,
        ("<time>" | "<time or null>", Value::String(text)) => is_time(text),
        ("<text or null>", Value::String(_)) => true,
        (_, Value::String(text)) => match pattern.split_once("<text>") {
            Some((start, end)) => {
                text.len() >= start.len() + end.len() && text.starts_with(start) && text.ends_with(end)
            }
            None => pattern == text,
        },
        _ => false,
    }
}

fn each(place: &str, fields: &Map<String, Value>, seen: &Value) -> Result<(), String> {
    let pattern = fields.get("<each>").unwrap_or(&Value::Null);
    let all = seen.as_array().filter(|all| !all.is_empty());
    let all = all.ok_or_else(|| format!("{place}: expected elements, got {seen}"))?;
    all.iter().enumerate().try_for_each(|(n, one)| at(&format!("{place}[{n}]"), pattern, one))
}

fn object(place: &str, fields: &Map<String, Value>, seen: &Map<String, Value>) -> Result<(), String> {
    for (name, pattern) in fields.iter().filter(|(name, _)| *name != "<more>") {
        let value = seen.get(name).ok_or_else(|| format!("{place}: {name} is missing"))?;
        at(&format!("{place}.{name}"), pattern, value)?;
    }
    let unknown = seen.keys().find(|name| !fields.contains_key(*name));
    match unknown {
        Some(name) if !fields.contains_key("<more>") => Err(format!("{place}: unexpected {name}")),
        _ => Ok(()),
    }
}

/// Header and claims, not verified: the call that uses the token tests its signature.
fn opened(token: &str) -> Option<Value> {
    let claims: Value = insecure_decode_claims(token).ok()?;
    let header = serde_json::to_value(decode_header(token).ok()?).ok()?;
    Some(json!({"alg": header.get("alg"), "kid": header.get("kid"), "claims": claims}))
}

fn shape(fields: &Map<String, Value>) -> Result<Value, String> {
    let shapes: BTreeMap<String, Value> = serde_json::from_str(SHAPES).map_err(|error| error.to_string())?;
    let name = fields.get("<shape>").and_then(Value::as_str).unwrap_or_default();
    let mut shape = shapes.get(name).cloned().ok_or_else(|| format!("there is no shape {name}"))?;
    let replaced = fields.iter().filter(|(field, _)| *field != "<shape>");
    if let Some(shape) = shape.as_object_mut() {
        shape.extend(replaced.map(|(field, pattern)| (field.clone(), pattern.clone())));
    }
    Ok(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_wants_every_field_and_no_other() {
        let pattern = json!({"id": "<number>", "since": "<time or null>", "name": "a<text>z"});
        let good = json!({"id": 4, "since": "2026-01-02T03:04:05.123456Z", "name": "abcz"});
        assert_eq!(compare(&pattern, &good), Ok(()));
        for (field, value) in [("id", json!("4")), ("since", json!("today")), ("name", json!("az "))] {
            let mut bad = good.clone();
            bad[field] = value;
            assert!(compare(&pattern, &bad).unwrap_err().contains(field));
        }
        let mut more = good.clone();
        more["more"] = json!(1);
        assert!(compare(&pattern, &more).is_err());
        let mut open = pattern.clone();
        open["<more>"] = json!(true);
        assert_eq!(compare(&open, &more), Ok(()));
        assert!(compare(&pattern, &json!({"id": 4, "since": null})).is_err());
    }

    #[test]
    fn elements_are_compared_one_by_one() {
        assert!(compare(&json!([1, 2]), &json!([1])).is_err());
        assert_eq!(compare(&json!({"<each>": {"slug": "<text>"}}), &json!([{"slug": "audit"}])), Ok(()));
        assert!(compare(&json!({"<each>": {"slug": "<text>"}}), &json!([{"slug": 1}])).is_err());
        assert!(compare(&json!({"<each>": "<text>"}), &json!([])).is_err());
    }
}
