//! The visitor's language: chosen by the switch, else by the browser, and the functions with which templates write texts,
//! amounts and dates in it.

use chrono::{DateTime, Utc};
use minijinja::value::{Kwargs, Rest};
use minijinja::{Environment, Value};
use texts::{Language, Localizer, Texts};

/// Languages by their own names, for the switch and for what courses are taught in.
const NAMES: [(&str, &str); 16] = [
    ("ar", "العربية"),
    ("de", "Deutsch"),
    ("en", "English"),
    ("es", "Español"),
    ("fr", "Français"),
    ("hi", "हिन्दी"),
    ("id", "Bahasa Indonesia"),
    ("it", "Italiano"),
    ("ja", "日本語"),
    ("ms", "Bahasa Melayu"),
    ("nl", "Nederlands"),
    ("pt", "Português"),
    ("pt-BR", "Português (Brasil)"),
    ("sv", "Svenska"),
    ("zh", "中文"),
    ("zh-Hans", "简体中文"),
];

/// The most languages of a browser that are looked at.
const MOST: usize = 20;

/// A language's own name, or its tag.
pub fn name(tag: &str) -> &str {
    let of = |tag: &str| NAMES.iter().find(|(known, _)| *known == tag).map(|(_, name)| *name);
    let language = tag.split('-').next().unwrap_or_default();
    of(tag).or_else(|| of(language)).unwrap_or(tag)
}

/// The language of this tag, if the shop has its texts.
pub fn spoken(texts: &Texts, tag: &str) -> Option<Language> {
    let wanted: Language = tag.trim().parse().ok()?;
    let found = texts.localizer(&wanted, &[]).language().to_string();
    let alone = |tag: &str| tag.split('-').next().unwrap_or_default().to_owned();
    (alone(&found) == alone(&wanted.to_string())).then_some(wanted)
}

/// The first language of `Accept-Language`, by its weights, that the shop has.
pub fn accepted(texts: &Texts, header: &str) -> Option<Language> {
    let mut wanted: Vec<(f32, &str)> = header
        .split(',')
        .take(MOST)
        .filter_map(|entry| {
            let (tag, rest) = entry.split_once(';').unwrap_or((entry, ""));
            let weight = rest.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.parse().ok())?;
            (weight > 0.0).then_some((weight, tag))
        })
        .collect();
    // A stable sort: of the same weight, the first.
    wanted.sort_by(|one, other| other.0.total_cmp(&one.0));
    wanted.into_iter().find_map(|(_, tag)| spoken(texts, tag))
}

/// Gives templates the functions that write in a language.
pub fn install(templates: &mut Environment<'_>, words: &Localizer<'static>) {
    let of = words.clone();
    templates
        .add_function("t", move |key: &str, _: Rest<Value>, arguments: Kwargs| message(&of, key, &arguments));
    let of = words.clone();
    templates.add_filter("money", move |amount: f64, currency: &str| {
        of.money(exact(amount, digits(currency)), currency)
    });
    let of = words.clone();
    templates.add_filter("day", move |time: &str| {
        let day = time.get(..10).and_then(|day| day.parse().ok());
        day.map_or_else(|| time.to_owned(), |day| of.date(day))
    });
    let of = words.clone();
    // An instant, whose time the buyer's own zone may have on another day.
    templates.add_filter("moment", move |time: &str| {
        let at = time.parse::<DateTime<Utc>>();
        at.map_or_else(|_| time.to_owned(), |at| format!("{} UTC", of.moment(at.naive_utc())))
    });
    let of = words.clone();
    // A rating such as 4.3; the currency only says how a plain number is written.
    templates.add_filter("number", move |number: f64| match number.fract() == 0.0 {
        true => of.number(number as i64),
        false => of.amount(exact(number, 1), "USD"),
    });
    let of = words.clone();
    templates.add_filter("percent", move |rate: f64| of.percent(exact(rate, 2)));
    let of = words.clone();
    templates.add_filter("mode", move |slug: &str| {
        // Paid or not, and with an identity check or not, is the platform's business.
        let kind = ["unpaid-", "paid-", "no-id-"].iter().find_map(|prefix| slug.strip_prefix(prefix));
        of.message(&format!("shop-mode-{}", kind.unwrap_or(slug)), &[])
    });
    templates.add_global("lang", words.language().to_string());
    templates.add_filter("language", |tag: &str| name(tag).to_owned());
}

fn message(words: &Localizer<'_>, key: &str, arguments: &Kwargs) -> Result<String, minijinja::Error> {
    let mut given = Vec::new();
    for name in arguments.args() {
        let value: Value = arguments.get(name)?;
        let value = match i64::try_from(value.clone()) {
            Ok(number) => texts::Value::from(number),
            Err(_) => texts::Value::from(value.to_string()),
        };
        given.push((name, value));
    }
    Ok(words.message(key, &given))
}

/// The API's amounts are numbers in major units, without the zeros at their end.
fn exact(amount: f64, digits: usize) -> rust_decimal::Decimal {
    format!("{amount:.digits$}").parse().unwrap_or_default()
}

/// The digits of a currency's minor unit.
fn digits(currency: &str) -> usize {
    match currency {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX" | "VND"
        | "VUV" | "XAF" | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn each_message_that_a_template_names_exists() {
        let (texts, english) = (Texts::bundled().unwrap(), Language::english());
        let localizer = texts.localizer(&english, &[]);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
        let mut named = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let template = std::fs::read_to_string(&path).unwrap();
            for call in template.split("t(\"").skip(1) {
                let Some((key, rest)) = call.split_once('"') else { continue };
                // A key that is put together has its end elsewhere.
                if !key.starts_with(char::is_alphabetic) || rest.starts_with(" ~") {
                    continue;
                }
                named += 1;
                assert_ne!(localizer.message(key, &[]), key, "{}", path.display());
            }
        }
        assert!(named > 100, "{named}");
    }
}
