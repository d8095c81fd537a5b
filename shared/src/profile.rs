//! Profile of a learner's account at the course platform, as its accounts API writes it.

use serde::{Deserialize, Deserializer};
use texts::Language;

/// The first of the languages that a profile lists, each as `{"code": "pt-br"}`. The LMS writes some scripts with an underscore
/// (`zh_HANS`), and leaves the list out of answers to callers who may not see it.
///
/// # Errors
/// The list is not one of objects with a code.
pub fn first_language<'de, D: Deserializer<'de>>(list: D) -> Result<Option<Language>, D::Error> {
    #[derive(Deserialize)]
    struct Proficiency {
        code: Option<String>,
    }
    let list: Option<Vec<Proficiency>> = Option::deserialize(list)?;
    let codes = list.into_iter().flatten().filter_map(|proficiency| proficiency.code);
    Ok(codes.filter_map(|code| code.replace('_', "-").parse().ok()).next())
}
