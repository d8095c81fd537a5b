//! The messages of one language, and what a file of messages may hold.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use intl_memoizer::Memoizable;
use intl_memoizer::concurrent::IntlLangMemoizer;
use unic_langid::LanguageIdentifier;

use crate::formats;
use crate::language::{Language, LanguageError};

/// The messages of one language.
pub(crate) struct Messages {
    pub(crate) language: Language,
    bundle: FluentBundle<FluentResource>,
}

/// An unusable file of messages.
#[derive(Debug, thiserror::Error)]
pub enum TextsError {
    /// The folder or a file in it cannot be read.
    #[error("{0}: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// A file's name is not a language tag.
    #[error("{0}: the name of a file of messages is a language tag, such as pt-BR.ftl")]
    Name(PathBuf),
    /// A file is broken at a line.
    #[error("{file}, line {line}: {fault}")]
    Broken {
        /// The file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// Description of what is wrong.
        fault: String,
    },
}

impl Messages {
    pub(crate) fn new(language: Language) -> Self {
        let tag: LanguageIdentifier = language.to_string().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![tag]);
        // Between right-to-left words, a name or number needs marks that keep its own direction.
        bundle.set_use_isolating(language.direction() == "rtl");
        bundle.set_formatter(Some(number));
        let tag = language.clone();
        // Fails only if the bundle has the function.
        let _ = bundle.add_function(PLURAL, move |values, _| match values {
            [FluentValue::Number(number), ..] => formats::plural(tag.tag(), number.value as i64).into(),
            _ => FluentValue::Error,
        });
        Self { language, bundle }
    }

    /// Adds a file, whose messages replace those of the files before it.
    pub(crate) fn add(&mut self, resource: FluentResource) {
        self.bundle.add_resource_overriding(resource);
    }

    /// A message with its arguments, if the language has it.
    pub(crate) fn format(&self, key: &str, arguments: &FluentArgs<'_>) -> Option<String> {
        let pattern = self.bundle.get_message(key)?.value()?;
        // An argument that the caller forgot stays visible as its name.
        Some(self.bundle.format_pattern(pattern, Some(arguments), &mut Vec::new()).into_owned())
    }
}

/// The function that names the plural form of a number: the library's own choice by a number's form is wrong for some
/// numbers in Arabic, such as 103.
const PLURAL: &str = "PLURAL";

/// A number in a message, as its language writes it.
fn number(value: &FluentValue<'_>, languages: &IntlLangMemoizer) -> Option<String> {
    let FluentValue::Number(number) = value else { return None };
    let language = languages.with_try_get::<Tag, _, _>((), |Tag(tag)| tag.clone()).ok()?;
    formats::whole(language.tag(), number.value as i64)
}

/// The language of a bundle, which the library hands out only in this way.
struct Tag(Language);

impl Memoizable for Tag {
    type Args = ();
    type Error = LanguageError;

    fn construct(tag: LanguageIdentifier, (): ()) -> Result<Self, Self::Error> {
        tag.to_string().parse().map(Self)
    }
}

/// Reads a file of messages.
pub(crate) fn parse(file: &str, source: String) -> Result<FluentResource, TextsError> {
    FluentResource::try_new(source).map_err(|(resource, errors)| {
        let fault = errors.first();
        let before = fault.and_then(|fault| resource.source().get(..fault.pos.start)).unwrap_or_default();
        TextsError::Broken {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            fault: fault.map(|fault| fault.kind.to_string()).unwrap_or_default(),
        }
    })
}

/// The arguments of a message, and whether it chooses a variant by a number without [`PLURAL`].
#[derive(Default, Debug, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) names: BTreeSet<String>,
    chooses_by: Option<String>,
}

/// The messages of a file, each with its arguments.
pub(crate) fn arguments(resource: &FluentResource) -> BTreeMap<String, Arguments> {
    let messages = resource.entries().filter_map(|entry| match entry {
        Entry::Message(message) => Some(message),
        _ => None,
    });
    let arguments = |pattern: Option<&Pattern<&str>>| {
        let mut arguments = Arguments::default();
        pattern.into_iter().for_each(|pattern| collect(pattern, &mut arguments));
        arguments
    };
    messages.map(|message| (message.id.name.to_owned(), arguments(message.value.as_ref()))).collect()
}

/// The arguments in a text.
fn collect(pattern: &Pattern<&str>, found: &mut Arguments) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else { continue };
        match expression {
            Expression::Inline(inline) => found.names.extend(names(inline)),
            Expression::Select { selector, variants } => {
                if let InlineExpression::VariableReference { id } = selector {
                    found.chooses_by = Some(id.name.to_owned());
                }
                found.names.extend(names(selector));
                variants.iter().for_each(|variant| collect(&variant.value, found));
            }
        }
    }
}

/// The argument that an expression shows, or those that it gives to a function.
fn names(expression: &InlineExpression<&str>) -> Vec<String> {
    match expression {
        InlineExpression::VariableReference { id } => vec![id.name.to_owned()],
        InlineExpression::FunctionReference { arguments, .. } => {
            arguments.positional.iter().flat_map(names).collect()
        }
        _ => Vec::new(),
    }
}

/// Refuses messages and arguments that English lacks, which nothing would ever show, and forms that may be wrong.
pub(crate) fn check(
    english: &BTreeMap<String, Arguments>,
    file: &str,
    resource: &FluentResource,
) -> Result<(), TextsError> {
    for (key, Arguments { names, chooses_by }) in arguments(resource) {
        let unknown = english.get(&key).map(|known| names.difference(&known.names).next());
        let fault = match (unknown, chooses_by) {
            (None, _) => format!("there is no message {key}"),
            (Some(Some(name)), _) => format!("the message {key} has no argument ${name}"),
            (Some(None), Some(name)) => format!("choose a form by {PLURAL}(${name}), not by ${name}"),
            (Some(None), None) => continue,
        };
        let is_of =
            |line: &str| line.strip_prefix(&key).is_some_and(|rest| rest.trim_start().starts_with('='));
        let line = resource.source().lines().position(is_of).map_or(1, |line| line + 1);
        return Err(TextsError::Broken { file: file.to_owned(), line, fault });
    }
    Ok(())
}
