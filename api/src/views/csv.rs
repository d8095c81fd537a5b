//! Rows of CSV (RFC 4180).
//!
//! Why: `docs/decisions/csv-numbers.md`

use std::fmt::Display;

/// One cell of a row.
pub enum Cell {
    /// A text that others wrote.
    Text(String),
    /// A number, a date, an id or a word that the service wrote.
    Value(String),
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Empty for None.
    pub fn optional_text(text: Option<String>) -> Self {
        Self::Text(text.unwrap_or_default())
    }

    pub fn value(value: impl Display) -> Self {
        Self::Value(value.to_string())
    }

    /// Empty for None.
    pub fn optional(value: Option<impl Display>) -> Self {
        Self::Value(value.map(|value| value.to_string()).unwrap_or_default())
    }

    fn push(&self, line: &mut String) {
        match self {
            Self::Value(value) => line.push_str(value),
            Self::Text(text) => push_quoted(&defused(text), line),
        }
    }
}

/// Puts an apostrophe in front of what a spreadsheet would take for a formula, and run. Where decimal commas are written, a cell
/// begins after each semicolon and line break, too.
fn defused(text: &str) -> String {
    let is_formula = |cell: &str| cell.trim_start_matches([' ', '"']).starts_with(['=', '+', '-', '@']);
    let cells = text.split_inclusive([';', '\r', '\n']);
    cells.map(|cell| if is_formula(cell) { format!("'{cell}") } else { cell.to_owned() }).collect()
}

fn push_quoted(text: &str, line: &mut String) {
    if text.contains(['"', ',', '\r', '\n']) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}

/// Adds a row with its line break.
pub fn push_row(csv: &mut String, cells: impl IntoIterator<Item = Cell>) {
    for (index, cell) in cells.into_iter().enumerate() {
        if index > 0 {
            csv.push(',');
        }
        cell.push(csv);
    }
    csv.push_str("\r\n");
}

/// The header row.
pub fn header(columns: &[&str]) -> String {
    format!("{}\r\n", columns.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_where_they_must_be_and_never_read_as_formulas() {
        let mut csv = header(&["a", "b"]);
        let texts = [
            "plain",
            "=1+1",
            "+1",
            "-1",
            "@x",
            "a,b",
            "say \"x\"",
            "two\nlines",
            "=\"a\",b",
            "a; =1;b",
            "a\n=1",
            "",
        ];
        push_row(
            &mut csv,
            texts.map(Cell::text).into_iter().chain([Cell::value(-1.5), Cell::optional(None::<i64>)]),
        );
        let expected = "a,b\r\nplain,'=1+1,'+1,'-1,'@x,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"'=\"\"a\"\",b\",a;' =1;b,\"a\n'=1\",,-1.5,\r\n";
        assert_eq!(csv, expected);
    }
}
