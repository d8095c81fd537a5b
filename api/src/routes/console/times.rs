//! Times on the console's pages, which are those of the organisation. The database alone knows its zone, and a page shows its times only
//! once it is rendered: the filters of the templates leave marks, which one statement resolves for the whole page.

use chrono::{DateTime, FixedOffset, NaiveDateTime, SecondsFormat, Utc};
use minijinja::Environment;
use texts::Localizer;

use crate::error::ApiResult;
use crate::extract::AtConsole;
use crate::queries::zones;
use crate::state::App;

/// The ends of a mark: characters for private use, which no font shows.
const BEGIN: char = '\u{f8f0}';
const END: char = '\u{f8f1}';

/// Forms of a time: the names of the filters.
const FORMS: [&str; 4] = ["when", "day_of", "iso_day", "local"];

/// A time of a place, as a browser's field has it; its page may leave the seconds out.
const FIELD: [&str; 2] = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"];

/// Adds the filters that write a time of the organisation: with its day, the day alone, and both as a browser's fields have them.
pub fn add_filters(templates: &mut Environment<'_>) {
    for form in FORMS {
        templates.add_filter(form, move |at: &str| format!("{BEGIN}{form} {at}{END}"));
    }
}

/// A text of a page: as it is, or a time in one of the forms.
enum Piece<'a> {
    Text(&'a str),
    Time { form: &'a str, at: DateTime<Utc> },
}

fn pieces(html: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for (nth, part) in html.split(BEGIN).enumerate() {
        let (mark, text) = if nth == 0 { ("", part) } else { part.split_once(END).unwrap_or(("", part)) };
        let time =
            mark.split_once(' ').and_then(|(form, at)| Some((form, DateTime::parse_from_rfc3339(at).ok()?)));
        pieces.push(match time {
            Some((form, at)) => Piece::Time { form, at: at.to_utc() },
            None => Piece::Text(mark),
        });
        pieces.push(Piece::Text(text));
    }
    pieces
}

/// Writes the times of a rendered page.
pub async fn write(app: &App, at: &AtConsole, html: &str, localizer: &Localizer<'_>) -> ApiResult<String> {
    let pieces = pieces(html);
    let times =
        pieces.iter().filter_map(|piece| if let Piece::Time { at, .. } = piece { Some(*at) } else { None });
    let local = zones::local(&app.db, &at.zone, &times.collect::<Vec<_>>()).await?;
    let mut local = local.into_iter();
    let written = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => (*text).to_owned(),
        Piece::Time { form, .. } => local.next().map_or_else(String::new, |at| in_form(form, at, localizer)),
    });
    Ok(written.collect())
}

fn in_form(form: &str, at: DateTime<FixedOffset>, localizer: &Localizer<'_>) -> String {
    match form {
        "day_of" => localizer.date(at.date_naive()),
        "iso_day" => at.date_naive().to_string(),
        "local" => at.format(FIELD[0]).to_string(),
        _ => localizer.moment(at.naive_local()),
    }
}

/// Reads a time of the organisation, as a browser's field has it, as RFC 3339; what is not one stays as it is.
pub async fn read(app: &App, at: &AtConsole, text: &str) -> ApiResult<String> {
    let shown = FIELD.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    match shown {
        Some(shown) => {
            let time = zones::at(&app.db, &at.zone, shown).await?;
            Ok(time.to_rfc3339_opts(SecondsFormat::Secs, true))
        }
        None => Ok(text.to_owned()),
    }
}
