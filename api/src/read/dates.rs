//! Reads query parameters that hold dates and times.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::extract::{Params, with_plus};
use crate::queries::ledger::Edge;

/// The finest step of the database's clock.
const TICK: TimeDelta = TimeDelta::microseconds(1);

/// A range of time: from its start on, and before its end; None where it is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub from: Option<DateTime<Utc>>,
    pub before: Option<DateTime<Utc>>,
}

impl PartialSchema for Edge {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String);
        text.pattern(Some(r"^\d{4}-\d{2}-\d{2}([Tt ].+)?$")).examples(["2026-01-31"]).into()
    }
}

impl ToSchema for Edge {}

/// Reads `from` and `to`, each a date (its whole day in UTC) or an RFC 3339 time, both inclusive. Empty counts as not
/// given.
pub fn span(params: &mut Params) -> Option<Span> {
    let from = optional(params, "from", |text| date(text).map(midnight).or_else(|| moment(text)));
    let before = optional(params, "to", |text| {
        let after_day = |date: NaiveDate| date.succ_opt().map(midnight);
        date(text).and_then(after_day).or_else(|| moment(text)?.checked_add_signed(TICK))
    });
    let span = Span { from: from?, before: before? };
    if let Span { from: Some(from), before: Some(before) } = span
        && before <= from
    {
        params.error("to", "is before from");
        return None;
    }
    Some(span)
}

fn optional(
    params: &mut Params,
    name: &str,
    read: impl Fn(&str) -> Option<DateTime<Utc>>,
) -> Option<Option<DateTime<Utc>>> {
    let text = params.text(name);
    if text.is_empty() {
        return Some(None);
    }
    let at = read(&text);
    if at.is_none() {
        params.error(name, fault(&text, read));
    }
    at.map(Some)
}

/// Reads a required date or RFC 3339 time.
pub fn required_edge(params: &mut Params, name: &str) -> Option<Edge> {
    if !params.is_given(name) {
        params.error(name, "is required");
        return None;
    }
    let text = params.text(name);
    let end = |text: &str| date(text).map(Edge::Day).or_else(|| moment(text).map(Edge::Time));
    let read = end(&text);
    // An empty text is a fault that is recorded already.
    if read.is_none() && !text.is_empty() {
        params.error(name, fault(&text, end));
    }
    read
}

/// Reads a required date.
pub fn required_day(params: &mut Params, name: &str) -> Option<NaiveDate> {
    match required_edge(params, name)? {
        Edge::Day(day) => Some(day),
        Edge::Time(_) => {
            params.error(name, "is a time, but has to be a date like 2026-01-31");
            None
        }
    }
}

/// Reason why this is not an end of a range.
fn fault<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> &'static str {
    match read(&with_plus(text)) {
        Some(_) => "has a blank where the + of the offset was: send it as %2B",
        None => "is neither a date like 2026-01-31 nor an RFC 3339 time",
    }
}

/// The first moment of a day in UTC.
fn midnight(date: NaiveDate) -> DateTime<Utc> {
    date.and_time(NaiveTime::MIN).and_utc()
}

/// A date in exactly this form: the parser itself takes others too, such as `2026-1-5`.
fn date(text: &str) -> Option<NaiveDate> {
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    (text.len() == 10 && date.format("%Y-%m-%d").to_string() == text).then_some(date)
}

fn moment(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc())
}
