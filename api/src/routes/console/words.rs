//! Functions and filters of the console's templates: messages, and values as the reader's language writes them.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use minijinja::value::{Kwargs, Object, from_args};
use minijinja::{Environment, Error, ErrorKind, State, Value};
use rust_decimal::Decimal;
use shared::money::Currency;
use texts::{Language, Localizer, Texts};

use crate::views::desk::words::plain;

/// The reader's language: the function `t` of the templates, which their filters look up.
pub struct Words {
    pub texts: Texts,
    /// The reader's languages, the best first.
    pub languages: Vec<Language>,
}

impl Words {
    /// The name of the function in templates.
    pub const NAME: &str = "t";

    pub fn localizer(&self) -> Localizer<'_> {
        self.texts.console(&self.languages)
    }

    /// The time since then, in its largest unit.
    fn age(&self, at: DateTime<Utc>, now: DateTime<Utc>) -> String {
        let minutes = (now - at).num_minutes();
        let (key, number) = match minutes {
            ..1 => ("console-age-now", 0),
            1..60 => ("console-age-minutes", minutes),
            60..1_440 => ("console-age-hours", minutes / 60),
            _ => ("console-age-days", minutes / 1_440),
        };
        self.localizer().message(key, &[("n", number.into())])
    }

    fn money(&self, amount: f64, currency: &str) -> String {
        let digits = currency.parse::<Currency>().map_or(2, Currency::digits);
        let written = format!("{amount:.*}", usize::try_from(digits).unwrap_or(2));
        match written.parse::<Decimal>() {
            Ok(amount) => self.localizer().money(amount, currency),
            Err(_) => format!("{written} {currency}"),
        }
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Words").field("languages", &self.languages).finish_non_exhaustive()
    }
}

impl Object for Words {
    /// A message by its key, with its arguments by their names.
    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, arguments: &[Value]) -> Result<Value, Error> {
        let (key, named) = from_args::<(&str, Kwargs)>(arguments)?;
        let argument = |name| {
            let value: Value = named.peek(name)?;
            match value.as_i64().filter(|_| value.is_integer()) {
                Some(number) => Ok((name, number.into())),
                None if value.is_undefined() || value.is_none() => {
                    Err(broken(format!("the message {key} gets no {name}")))
                }
                None => Ok((name, value.to_string().into())),
            }
        };
        let values = named.args().map(argument).collect::<Result<Vec<_>, Error>>()?;
        let message = self.localizer().find(key, &values);
        message.map(Value::from).ok_or_else(|| broken(format!("there is no message {key}")))
    }
}

fn broken(detail: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, detail)
}

/// Adds the filters that write in the reader's language.
pub fn add_filters(templates: &mut Environment<'_>) {
    templates.add_filter("day", |state: &State<'_, '_>, day: &str| {
        let words = of(state)?;
        Ok::<_, Error>(day.parse().map_or_else(|_| day.to_owned(), |day| words.localizer().date(day)))
    });
    templates.add_filter("month", |state: &State<'_, '_>, day: &str| {
        let words = of(state)?;
        Ok::<_, Error>(day.parse().map_or_else(|_| day.to_owned(), |day| words.localizer().month(day)))
    });
    templates.add_filter("age", |state: &State<'_, '_>, at: &str, now: &str| {
        let words = of(state)?;
        Ok::<_, Error>(moment(at).zip(moment(now)).map_or_else(String::new, |(at, now)| words.age(at, now)))
    });
    templates.add_filter("money", |state: &State<'_, '_>, amount: f64, currency: &str| {
        Ok::<_, Error>(of(state)?.money(amount, currency))
    });
    templates.add_filter("percent", |state: &State<'_, '_>, rate: &Value| {
        let rate: Decimal = rate.to_string().parse().map_err(|_| broken(format!("{rate} is no rate")))?;
        Ok::<_, Error>(of(state)?.localizer().percent(rate))
    });
    templates.add_filter("plain", |state: &State<'_, '_>, word: &str, kind: &str| {
        Ok::<_, Error>(plain(&of(state)?.localizer(), word, kind))
    });
}

/// The reader's language of the page that is rendered.
fn of(state: &State<'_, '_>) -> Result<Arc<Words>, Error> {
    let words = state.lookup(Words::NAME).and_then(|words| words.downcast_object::<Words>());
    words.ok_or_else(|| broken("the page has no language".to_owned()))
}

fn moment(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc())
}
