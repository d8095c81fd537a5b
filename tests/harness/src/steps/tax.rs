//! Tax rates and sellers, imported as an operator does.

use serde_json::{Value, json};

use crate::{Organisation, World};

/// Imports records as an operator does.
///
/// # Errors
/// The bad lines.
pub async fn import(world: &World, records: &[Value]) -> Result<(), String> {
    let file = std::env::temp_dir().join(format!("{}-records.jsonl", world.name));
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let imported = worker::catalog::import(&world.db, &file, &world.clock, None).await;
    std::fs::remove_file(&file).unwrap();
    imported.map(|_| ()).map_err(|error| error.to_string())
}

/// The organisation's record in the demo catalog with a seller in this country. `terms` replaces fields of the seller.
pub fn seller(organisation: &Organisation, country: &str, terms: Value) -> Value {
    let records = include_str!("../../../../deploy/demo-catalog/catalog.jsonl").lines();
    let mut records = records.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut record = records
        .find(|record| record["kind"] == "organisation" && record["short_name"] == organisation.short_name)
        .unwrap();
    record["seller"] = json!({
        "legal_name": format!("{} Ltd.", organisation.short_name), "line1": "1 High Street", "city": "Anytown",
        "postal_code": "12345", "country": country, "tax_ids": [{ "name": "VAT ID", "value": "XX123" }],
        "invoice_prefix": "IN", "credit_note_prefix": "CN", "time_zone": "UTC",
    });
    for (field, value) in terms.as_object().unwrap() {
        record["seller"][field] = value.clone();
    }
    record
}

/// A tax rate of the year 2020. `place` is a country, or a country and a state as in `IN/Karnataka`.
pub fn rate(organisation: &Organisation, place: &str, components: &[(&str, f64)]) -> Value {
    let (country, state) =
        place.split_once('/').map_or((place, None), |(country, state)| (country, Some(state)));
    let components: Vec<Value> =
        components.iter().map(|(name, rate)| json!({ "name": name, "rate": rate })).collect();
    json!({
        "kind": "tax_rate", "organisation": organisation.short_name, "country": country, "state": state,
        "valid_from": "2020-01-01", "components": components,
    })
}

/// An amount of an answer in cents.
pub fn cents(value: &Value) -> i64 {
    (value.as_f64().unwrap_or_else(|| panic!("{value} is no number")) * 100.0).round() as i64
}
