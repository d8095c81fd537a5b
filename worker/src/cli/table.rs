//! What an operator reads: tables on the terminal, JSON for programs.

use chrono::{DateTime, SecondsFormat, Utc};
use comfy_table::{ContentArrangement, Table, presets};

/// Prints rows under their heading, or says that there are none.
pub fn print<const N: usize>(title: &str, heading: [&str; N], rows: Vec<[String; N]>) {
    if rows.is_empty() {
        println!("{title}: none");
        return;
    }
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(heading).add_rows(rows);
    println!("{title}\n{table}");
}

pub fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

pub fn optional(at: Option<DateTime<Utc>>) -> String {
    at.map(moment).unwrap_or_default()
}
