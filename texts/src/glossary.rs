//! The messages use the terms of `texts/glossary.md`.

use std::collections::BTreeMap;

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};

use crate::files::{BUNDLED, CONSOLE, Texts};
use crate::localizer::Value;
use crate::messages::parse;

const GLOSSARY: &str = include_str!("../glossary.md");

/// The rows of the table below a heading, each as its cells.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let part = GLOSSARY.split("\n## ").find(|part| part.lines().next() == Some(heading));
    let lines = part.unwrap_or_else(|| panic!("the glossary lacks {heading}")).lines();
    let rows = lines.filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The terms of a cell.
fn terms(cell: &str) -> Vec<String> {
    cell.split(',').map(|term| term.trim().to_lowercase()).filter(|term| !term.is_empty()).collect()
}

/// Returns whether a text has a term that is not a part of a longer word.
fn has(text: &str, term: &str) -> bool {
    let is_end = |character: Option<char>| !character.is_some_and(char::is_alphanumeric);
    text.match_indices(term).any(|(at, _)| {
        is_end(text[..at].chars().next_back()) && is_end(text[at + term.len()..].chars().next())
    })
}

/// Text of a message, each of its variants in a row. An argument is written as in the file.
fn written(pattern: &Pattern<&str>, text: &mut String) {
    for element in &pattern.elements {
        match element {
            PatternElement::TextElement { value } => text.push_str(value),
            PatternElement::Placeable {
                expression: Expression::Inline(InlineExpression::VariableReference { id }),
            } => text.push_str(&format!("{{ ${} }}", id.name)),
            PatternElement::Placeable { expression: Expression::Select { variants, .. } } => {
                for variant in variants {
                    written(&variant.value, text);
                    text.push('\n');
                }
            }
            PatternElement::Placeable { .. } => {}
        }
    }
}

/// All messages of a language, in small letters.
fn messages(language: &str) -> BTreeMap<String, String> {
    let sources = BUNDLED.iter().chain(CONSOLE).filter(|(tag, _)| *tag == language);
    let mut messages = BTreeMap::new();
    for (_, source) in sources {
        for entry in parse(language, (*source).to_owned()).unwrap().entries() {
            let Entry::Message(message) = entry else { continue };
            let mut text = String::new();
            written(message.value.as_ref().unwrap(), &mut text);
            messages.insert(message.id.name.to_owned(), text.to_lowercase());
        }
    }
    messages
}

#[test]
fn each_language_calls_what_the_law_names_by_its_term() {
    let concepts = rows("Concepts");
    assert!(concepts.len() > 6);
    let mut faults = Vec::new();
    for (language, _) in BUNDLED {
        let messages = messages(language);
        let rows = rows(language);
        let named: Vec<&str> = rows.iter().map(|row| row[0]).collect();
        assert_eq!(named, concepts.iter().map(|row| row[0]).collect::<Vec<_>>(), "{language}");
        for (row, concept) in rows.iter().zip(&concepts) {
            for key in concept[2].split(',').map(|key| key.trim().trim_matches('`')) {
                let text = messages.get(key).unwrap_or_else(|| panic!("{language} lacks {key}"));
                if !terms(row[1]).iter().any(|term| has(text, term)) {
                    faults.push(format!("{language}: {key} lacks {}: {text}", row[1]));
                }
            }
            for term in terms(row[2]) {
                let wrong = messages.iter().filter(|(_, text)| has(text, &term));
                faults.extend(wrong.map(|(key, text)| format!("{language}: {key} has {term}: {text}")));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_plural_counts_what_it_speaks_of() {
    let texts = Texts::bundled().unwrap();
    for (language, one, two) in [
        ("de", "1 von 5 Plätzen frei", "2 von 5 Plätzen frei"),
        ("en", "1 of 5 seats left", "2 of 5 seats left"),
        ("es", "Queda 1 plaza de 5", "Quedan 2 plazas de 5"),
        ("fr", "1 place libre sur 5", "2 places libres sur 5"),
        ("hi", "5 में से 1 सीट शेष", "5 में से 2 सीटें शेष"),
        ("pt-BR", "1 vaga livre de 5", "2 vagas livres de 5"),
        ("sv", "1 av 5 platser kvar", "2 av 5 platser kvar"),
    ] {
        let localizer = texts.localizer(&language.parse().unwrap(), &[]);
        for (left, expected) in [(1, one), (2, two)] {
            let values = [("left", Value::from(left)), ("seats", Value::from(5))];
            assert_eq!(localizer.message("shop-seats-left", &values), expected, "{language}");
        }
    }
    let hindi = texts.console(&["hi".parse().unwrap()]);
    let taken = |used: i64| hindi.message("pool-taken", &[("used", used.into()), ("seats", 5.into())]);
    assert_eq!([taken(1), taken(2)], ["5 में से 1 सीट भरी है", "5 में से 2 सीटें भरी हैं"]);
    let arabic = texts.localizer(&"ar".parse().unwrap(), &[]);
    let courses = |count: i64| arabic.message("shop-courses-count", &[("count", count.into())]);
    assert_eq!([courses(1), courses(2)], ["دورة واحدة", "دورتان"]);
    assert!(courses(3).ends_with("دورات") && courses(11).ends_with("دورة"));
}
