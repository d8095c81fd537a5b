//! Functions that the forms of the console share.

use serde_json::{Map, Value, json};
use shared::money::Currency;

use crate::error::{ApiError, ApiResult};
use crate::extract::{ConsoleForm, Fields, ReadFields};

/// Reads some fields of a form as the body of the route that does the same.
pub fn read<T: ReadFields>(form: &ConsoleForm, names: &[&str]) -> ApiResult<T> {
    let fields = names.iter().map(|name| ((*name).to_owned(), json!(form.text(name)))).collect();
    Fields::read_object(Value::Object(fields), "").map_err(ApiError::InvalidRequest)
}

/// Some fields of a form as an object, without those that were left empty.
pub fn given(form: &ConsoleForm, names: &[&str]) -> Map<String, Value> {
    let given = names.iter().filter(|name| !form.text(name).is_empty());
    given.map(|name| ((*name).to_owned(), json!(form.text(name)))).collect()
}

/// A number of a form as a number; a comma may stand for the point. Forms with amounts say their `currency`.
pub fn number(form: &ConsoleForm, name: &str) -> ApiResult<Value> {
    let text = form.text(name);
    // "1,000" and "1.000" are a thousand to one writer and one to another. Amounts with three decimals are shown with a point.
    let has_three = form.text("currency").parse().is_ok_and(|currency: Currency| currency.digits() == 3);
    let is_clear = |decimals: &str| decimals.len() != 3 || has_three && text.contains('.');
    if text.split_once([',', '.']).is_some_and(|(_, decimals)| !is_clear(decimals)) {
        return Err(ApiError::invalid(name, "is not clear: write 1000 for a thousand, and 1.00 for one"));
    }
    let number: Result<Value, _> = serde_json::from_str(&text.replace(',', "."));
    let number = number.ok().filter(Value::is_number);
    number.ok_or_else(|| ApiError::invalid(name, "is not a number, such as 12.50"))
}
