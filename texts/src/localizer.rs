//! Texts for one reader: messages in the best language that has them, and numbers, money and dates as it writes them.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime};
use fluent_bundle::FluentArgs;
pub use fluent_bundle::FluentValue as Value;
use rust_decimal::Decimal;

use crate::formats;
use crate::language::Language;
use crate::messages::Messages;

/// FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE.
const ISOLATE: char = '\u{2068}';
const END: char = '\u{2069}';

/// LEFT-TO-RIGHT MARK.
const LEFT_TO_RIGHT: char = '\u{200e}';

/// An amount between words from right to left whose currency has Latin letters and a sign, such as `US$`: without a mark, the sign
/// would go to the other side of the letters (UAX #9).
fn with_its_sign(written: &str) -> String {
    let Some(letter) = written.rfind(|character: char| character.is_ascii_alphabetic()) else {
        return written.to_owned();
    };
    let (before, after) = written.split_at(letter + 1);
    let end = after.find(char::is_whitespace).unwrap_or(after.len());
    let (sign, rest) = after.split_at(end);
    if sign.is_empty() { written.to_owned() } else { format!("{before}{sign}{LEFT_TO_RIGHT}{rest}") }
}

/// Returns whether a character is of a block for scripts that are written from right to left, among them its digits, or a mark of
/// that direction.
fn is_right_to_left(character: char) -> bool {
    matches!(character,
        '\u{590}'..='\u{8ff}' | '\u{200f}' | '\u{202b}' | '\u{202e}' | '\u{2067}' | '\u{fb1d}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefe}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Writes for readers of one language.
#[derive(Clone)]
pub struct Localizer<'a> {
    /// The best first; the last has every message.
    pub(crate) messages: Vec<&'a Messages>,
    /// The language of the texts, with the reader's region if they share the language.
    pub(crate) language: Language,
}

impl Localizer<'_> {
    /// The language of the texts: the value of HTML's attribute `lang`.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// `ltr` or `rtl`: the value of HTML's attribute `dir`.
    pub fn direction(&self) -> &'static str {
        self.language.direction()
    }

    /// A message with its arguments: plain text, which HTML has to escape. The key itself if no language has the message,
    /// which a test rules out for the keys of `messages/en.ftl`.
    pub fn message(&self, key: &str, arguments: &[(&str, Value<'_>)]) -> String {
        self.find(key, arguments).unwrap_or_else(|| key.to_owned())
    }

    /// A message whose key is made of a stored word; None if no language has it.
    pub fn find(&self, key: &str, arguments: &[(&str, Value<'_>)]) -> Option<String> {
        let mut values = FluentArgs::with_capacity(arguments.len());
        for (name, value) in arguments {
            // In a language that is written from right to left, the messages isolate each argument.
            values.set(
                *name,
                match value {
                    Value::String(text) if self.direction() == "ltr" => self.isolated(text).into(),
                    value => value.clone(),
                },
            );
        }
        self.messages.iter().find_map(|messages| messages.format(key, &values))
    }

    /// A text that is not of this language, such as a name, in marks that keep it from mixing with its surroundings: a name's
    /// punctuation would go to its other side, and groups of digits would change places (UAX #9). The marks are left out where
    /// they change nothing.
    pub fn isolated(&self, text: &str) -> String {
        match self.direction() == "rtl" || text.chars().any(is_right_to_left) {
            true if !text.is_empty() => format!("{ISOLATE}{text}{END}"),
            _ => text.to_owned(),
        }
    }

    /// A whole number.
    pub fn number(&self, number: i64) -> String {
        formats::whole(self.language.tag(), number).unwrap_or_else(|| number.to_string())
    }

    /// An amount in major units with all of its digits, and the currency by its code of ISO 4217.
    pub fn money(&self, amount: Decimal, currency: &str) -> String {
        let written = formats::money(self.language.tag(), amount, currency);
        let written = written.unwrap_or_else(|| format!("{amount} {currency}"));
        if self.direction() == "rtl" { with_its_sign(&written) } else { written }
    }

    /// An amount without its currency, for a column whose heading names it.
    pub fn amount(&self, amount: Decimal, currency: &str) -> String {
        formats::plain_money(self.language.tag(), amount, currency).unwrap_or_else(|| amount.to_string())
    }

    /// A rate in percent, 25 for a quarter.
    pub fn percent(&self, rate: Decimal) -> String {
        formats::percent(self.language.tag(), rate).unwrap_or_else(|| format!("{} %", rate.normalize()))
    }

    /// The name of a country, by its code of ISO 3166-1.
    pub fn country(&self, code: &str) -> String {
        formats::country(self.language.tag(), code).unwrap_or_else(|| code.to_owned())
    }

    /// The name of a mode, as the shop has it. Paid or not, and with an identity check or not, is the platform's business.
    pub fn mode(&self, slug: &str) -> String {
        let kind = ["unpaid-", "paid-", "no-id-"].iter().find_map(|prefix| slug.strip_prefix(prefix));
        let key = format!("shop-mode-{}", kind.unwrap_or(slug));
        self.find(&key, &[]).unwrap_or_else(|| slug.to_owned())
    }

    /// A day, with its month as a word.
    pub fn date(&self, day: NaiveDate) -> String {
        formats::date(self.language.tag(), day).unwrap_or_else(|| day.to_string())
    }

    /// The month of a day, as a word with the year.
    pub fn month(&self, day: NaiveDate) -> String {
        formats::month(self.language.tag(), day).unwrap_or_else(|| day.format("%Y-%m").to_string())
    }

    /// A day without its year, with its month as a short word.
    pub fn day_of_year(&self, day: NaiveDate) -> String {
        formats::day_of_year(self.language.tag(), day).unwrap_or_else(|| day.format("%m-%d").to_string())
    }

    /// A time of day to the second, with its distance from UTC. Everybody reads it alike.
    pub fn time(&self, at: DateTime<FixedOffset>) -> String {
        match at.offset().local_minus_utc() {
            0 => at.format("%H:%M:%S UTC").to_string(),
            _ => at.format("%H:%M:%S UTC%:z").to_string(),
        }
    }

    /// A day and the time of day at a place, which the text does not name.
    pub fn moment(&self, at: NaiveDateTime) -> String {
        let written = formats::moment(self.language.tag(), at);
        written.unwrap_or_else(|| at.format("%Y-%m-%d %H:%M").to_string())
    }
}
