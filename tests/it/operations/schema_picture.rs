//! The picture of the tables by topic, `docs/schema.svg`: topics from `docs/schema.md`, references from the database.

use std::fmt::Write as _;

use sqlx::PgPool;

/// A topic with its tables, in the order of the document.
pub struct Topic {
    pub name: String,
    pub tables: Vec<String>,
}

/// A table and one that it refers to.
type Reference = (String, String);

const ROW: usize = 24;
const TITLE: usize = 40;
const COLUMN: usize = 600;
const GAP: usize = 20;
const CHARACTER: usize = 7;
/// Where the references of a table begin.
const REFERENCES: usize = 214;

/// A dark and a light colour for each topic.
const COLOURS: [(&str, &str); 9] = [
    ("#1d4e89", "#dbe8f5"),
    ("#7b3f00", "#f3e5d8"),
    ("#555555", "#ececec"),
    ("#1b6e3c", "#dcf0e3"),
    ("#8a2c6d", "#f5e0ef"),
    ("#9c2a2a", "#f8dfdf"),
    ("#0f6b6b", "#d9f0f0"),
    ("#6b5b00", "#f4efd2"),
    ("#4b3fa0", "#e5e2f7"),
];

/// Reads the topics from the section `Tables` of the document: each has a heading and the names of its tables.
pub fn topics(document: &str) -> Vec<Topic> {
    let section = document.split("\n## Tables\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let topic = |text: &str| {
        let tables = text.split('`').skip(1).step_by(2).map(str::to_owned);
        Topic { name: text.lines().next().unwrap().to_owned(), tables: tables.collect() }
    };
    section.split("\n### ").skip(1).map(topic).collect()
}

/// Reads which table refers to which other one.
pub async fn references(db: &PgPool) -> Vec<Reference> {
    sqlx::query_as(
        "SELECT DISTINCT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
         WHERE contype = 'f' AND conrelid <> confrelid ORDER BY 1, 2",
    )
    .fetch_all(db)
    .await
    .unwrap()
}

/// Draws the topics in two columns of about the same height. A table's references have the colours of their topics.
pub fn draw(topics: &[Topic], references: &[Reference]) -> String {
    let height = |topic: &Topic| TITLE + topic.tables.len() * ROW + GAP;
    let half = topics.iter().map(height).sum::<usize>() / 2;
    let (mut shapes, mut tops, mut used) = (String::new(), [GAP, GAP], 0);
    for (nth, topic) in topics.iter().enumerate() {
        let column = usize::from(used + height(topic) / 2 > half);
        used += height(topic);
        let place = (GAP + column * (COLUMN + GAP), tops[column]);
        draw_topic(&mut shapes, place, nth, topics, references);
        tops[column] += height(topic);
    }
    let (width, height) = (2 * COLUMN + 3 * GAP, tops[0].max(tops[1]));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"12\">\n\
         <title>The tables by topic, each with the tables that it refers to</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{shapes}</svg>\n"
    )
}

fn draw_topic(
    shapes: &mut String,
    (left, top): (usize, usize),
    nth: usize,
    topics: &[Topic],
    references: &[Reference],
) {
    let (topic, (dark, light)) = (&topics[nth], COLOURS[nth % COLOURS.len()]);
    let height = TITLE + topic.tables.len() * ROW;
    let name = &topic.name;
    writeln!(
        shapes,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{COLUMN}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\" stroke=\"{dark}\"/>\n\
         <text x=\"{}\" y=\"{}\" fill=\"{dark}\" font-size=\"15\" font-weight=\"bold\" font-family=\"sans-serif\">{name}</text>",
        left + 12,
        top + 24
    )
    .unwrap();
    for (row, table) in topic.tables.iter().enumerate() {
        let line = top + TITLE + row * ROW - 6;
        label(shapes, (left + 12, line), table, (dark, light));
        let mut right = left + REFERENCES;
        for (_, to) in references.iter().filter(|(from, _)| from == table) {
            if right == left + REFERENCES {
                writeln!(
                    shapes,
                    "<text x=\"{}\" y=\"{}\" fill=\"#555555\">→</text>",
                    right - 2 * CHARACTER,
                    line + 14
                )
                .unwrap();
            }
            let of = topics.iter().position(|topic| topic.tables.contains(to)).unwrap();
            label(shapes, (right, line), to, COLOURS[of % COLOURS.len()]);
            right += (to.len() + 4) * CHARACTER;
        }
    }
}

fn label(shapes: &mut String, (left, top): (usize, usize), name: &str, (dark, light): (&str, &str)) {
    let width = (name.len() + 2) * CHARACTER;
    writeln!(
        shapes,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"20\" rx=\"4\" fill=\"{light}\"/>\
         <text x=\"{}\" y=\"{}\" fill=\"{dark}\" textLength=\"{}\">{name}</text>",
        left + CHARACTER,
        top + 14,
        name.len() * CHARACTER
    )
    .unwrap();
}
