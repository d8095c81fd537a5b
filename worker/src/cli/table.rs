//! Prints tables on the terminal. Commands print their JSON themselves.

use chrono::{DateTime, SecondsFormat, Utc};
use comfy_table::{ContentArrangement, Table, presets};
use shared::command_line::say;

/// Prints a titled table, or `{title}: none` without rows.
pub fn print<const N: usize>(title: &str, heading: [&str; N], rows: Vec<[String; N]>) {
    print_rows(title, &heading, rows);
}

/// Like [`print`], for rows whose number of cells the compiler does not know.
pub fn print_rows<R: IntoIterator<Item = String>>(
    title: &str,
    heading: &[&str],
    rows: impl IntoIterator<Item = R>,
) {
    let mut rows = rows.into_iter().peekable();
    if rows.peek().is_none() {
        say(format_args!("{title}: none"));
        return;
    }
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(heading.to_vec());
    for row in rows {
        table.add_row(row.into_iter().collect::<Vec<_>>());
    }
    say(format_args!("{title}\n{table}"));
}

/// RFC 3339, in whole seconds.
pub fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Like [`moment`]; empty for None.
pub fn optional(at: Option<DateTime<Utc>>) -> String {
    at.map(moment).unwrap_or_default()
}
