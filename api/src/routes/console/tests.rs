//! The templates of the console leave every word to the messages, which exist, with the arguments that they get.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use shared::staff::Role;
use shared::words::{EnrollmentOutcome, RefundStatus};
use strum::VariantNames;
use texts::{Localizer, Texts};

use super::page::FILES;
use super::problem::refusal_key;
use crate::queries::months::GapReason;
use crate::views::standing::Summary;
use crate::words::{BatchRowStatus, MovementKind, PayoutStatus, WithdrawalStatus};

/// Attributes of an element that a person reads besides its content.
const READ: [&str; 5] = ["aria-label", "title", "placeholder", "alt", "data-label"];

/// Examples in empty fields, which are the same in every language.
const EXAMPLES: [&str; 5] = [
    "email&#10;ada@example.com",
    "course-v1:Northwind+ENG101+2026",
    "course-v1:Org+Course+Run",
    "honor",
    "https://crm.example/storefront",
];

/// A part of a template: its own text, an expression that is shown, or a statement.
#[derive(Debug, PartialEq)]
enum Part<'a> {
    Text(&'a str),
    Shown(&'a str),
    Statement(&'a str),
}

fn parts(template: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(start) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        let (before, tag) = rest.split_at(start);
        let is_shown = tag.starts_with("{{");
        let end = tag.find(if is_shown { "}}" } else { "%}" }).expect("the end of a tag");
        let inside = &tag[2..end];
        parts.extend([
            Part::Text(before),
            if is_shown { Part::Shown(inside) } else { Part::Statement(inside) },
        ]);
        rest = &tag[end + 2..];
    }
    parts.push(Part::Text(rest));
    parts
}

/// A template with each tag of the template language as a letter that no language has.
fn markup(template: &str) -> String {
    parts(template).iter().map(|part| if let Part::Text(text) = part { text } else { "\u{fffc}" }).collect()
}

/// The words of a template that a person would read in English in every language.
fn own_words(template: &str) -> Vec<String> {
    let mut words = Vec::new();
    for piece in markup(template).split('<') {
        let (tag, text) = piece.split_once('>').unwrap_or(("", piece));
        words.push(text.to_owned());
        for name in READ {
            let value = tag.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split_once('"'));
            words.extend(
                value.map(|(value, _)| value.to_owned()).filter(|value| !EXAMPLES.contains(&value.as_str())),
            );
        }
    }
    words.retain(|text| text.contains(char::is_alphabetic));
    words
}

/// The texts in quotes of an expression, each with what stands before it.
fn literals(expression: &str) -> Vec<(&str, &str)> {
    let pieces: Vec<&str> = expression.split('"').collect();
    pieces.chunks(2).filter_map(|pair| Some((pair[0], *pair.get(1)?))).collect()
}

/// The calls of `t` in an expression: each key, with the names of its arguments.
fn calls(expression: &str) -> Vec<(&str, BTreeSet<String>)> {
    let starts = expression.match_indices("t(\"").filter(|(at, _)| {
        !expression[..*at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
    });
    starts.map(|(at, start)| call(&expression[at + start.len()..])).collect()
}

fn call(rest: &str) -> (&str, BTreeSet<String>) {
    let (key, rest) = rest.split_once('"').expect("the end of a key");
    let (mut depth, mut names, mut word) = (1, BTreeSet::new(), String::new());
    for letter in rest.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '=' if depth == 1 => drop(names.insert(word.clone())),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        word = if letter.is_alphanumeric() || letter == '_' {
            word + &letter.to_string()
        } else {
            String::new()
        };
    }
    (key, names)
}

/// The messages in English, each with the names of its arguments. The console's own come before those that buyers read as well.
fn english() -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut messages = messages_of(include_str!("../../../../texts/messages/en.ftl"));
    messages.extend(messages_of(include_str!("../../../../texts/messages/console/en.ftl")));
    messages
}

fn messages_of(file: &'static str) -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut messages = BTreeMap::new();
    let mut key = "";
    for line in file.lines() {
        let value = match line.split_once(" =") {
            Some((name, value)) if line.starts_with(char::is_alphabetic) => {
                key = name;
                value
            }
            _ if line.starts_with('#') => continue,
            _ => line,
        };
        let names: &mut BTreeSet<String> = messages.entry(key).or_default();
        names.extend(value.split('$').skip(1).map(|rest| {
            rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect::<String>()
        }));
    }
    messages
}

#[test]
fn a_template_has_no_words_of_its_own() {
    for (name, template) in FILES {
        assert_eq!(own_words(template), Vec::<String>::new(), "{name}");
    }
    let english = r#"<p title="{{ t("x") }}">{{ n }} of {{ m }}</p><a aria-label="Open {{ x }}">–</a>"#;
    assert_eq!(own_words(english), ["\u{fffc} of \u{fffc}", "Open \u{fffc}"]);
}

#[test]
fn an_expression_shows_no_words_but_messages() {
    let messages = english();
    let is_known = |before: &str, text: &str| {
        let is_name = before.ends_with('[') || before.ends_with("namespace(");
        let is_message = messages.contains_key(text)
            || messages.keys().any(|key| key.starts_with(text) || key.ends_with(text));
        is_name || is_message || !text.contains(char::is_alphabetic)
    };
    for (name, template) in FILES {
        let mut before = String::new();
        for part in parts(template) {
            match part {
                Part::Text(text) => before = text.to_owned(),
                // A class, a hidden value or a link, which no reader sees.
                Part::Shown(_)
                    if before.ends_with("=\"")
                        && !READ.iter().any(|read| before.ends_with(&format!("{read}=\""))) => {}
                Part::Shown(_) if before.ends_with("class=\"tag ") => {}
                Part::Shown(shown) => {
                    for (code, text) in literals(shown) {
                        assert!(is_known(code, text), "{name}: {shown}");
                    }
                }
                Part::Statement(_) => {}
            }
        }
    }
}

#[test]
fn each_message_of_a_template_exists_and_gets_its_arguments() {
    let messages = english();
    assert_eq!(messages["console-of"], ["part", "whole"].map(str::to_owned).into());
    let mut found = 0;
    for (name, template) in FILES {
        for part in parts(template) {
            let (Part::Shown(code) | Part::Statement(code)) = part else { continue };
            for (key, arguments) in calls(code) {
                found += 1;
                assert_eq!(messages.get(key), Some(&arguments), "{name}: {key}");
            }
        }
    }
    assert!(found > 400, "{found}");
}

#[test]
fn each_stored_word_has_a_message() {
    let texts = Texts::bundled().unwrap();
    let english: Localizer<'_> = texts.console(&[]);
    let roles: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
    for (kind, words) in [
        ("standing", Summary::VARIANTS),
        ("row-status", BatchRowStatus::VARIANTS),
        ("withdrawal-status", WithdrawalStatus::VARIANTS),
        ("role", &roles),
        ("access-status", &[EnrollmentOutcome::VARIANTS, &["refused"]].concat()),
        (
            "payment-status",
            &["created", "processing", "succeeded", "failed", "cancelled", "superseded", "refunded"],
        ),
        ("refund-status", RefundStatus::VARIANTS),
        ("dispute-status", &["open", "won", "lost"]),
        ("movement", MovementKind::VARIANTS),
        ("payout-status", PayoutStatus::VARIANTS),
        ("month-gap", GapReason::VARIANTS),
    ] {
        for word in words {
            let key = format!("{kind}-{}", word.replace('_', "-"));
            assert!(english.find(&key, &[]).is_some(), "{key}");
        }
    }
}

/// The texts in quotes of the sources of the programs, which hold what they refuse with.
fn said_by_programs() -> BTreeSet<String> {
    let mut folders = ["../../api/src", "../../worker", "../../shared/src"]
        .map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder))
        .to_vec();
    let mut said = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(entry).unwrap();
                said.extend(
                    text.lines().flat_map(|line| line.split('"').skip(1).step_by(2)).map(refusal_key),
                );
            }
        }
    }
    said
}

#[test]
fn each_sentence_about_a_refusal_is_about_one_that_a_program_makes() {
    let (said, messages) = (said_by_programs(), english());
    let refusals: Vec<_> = messages.keys().filter(|key| key.starts_with("refusal-")).collect();
    assert!(refusals.len() > 20);
    for refusal in refusals {
        assert!(said.contains(*refusal), "{refusal}");
    }
}
