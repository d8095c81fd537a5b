//! Texts that buyers, learners and staff read, in their language: messages, numbers, money and dates. Knows no HTTP, database or
//! mail: the api, the worker and shops can use it.
//!
//! ```
//! let texts = storefront_texts::Texts::bundled()?;
//! let german = texts.localizer(&"de".parse()?, &[]);
//! assert_eq!(german.message("order-total", &[]), "Gesamtbetrag");
//! assert_eq!(german.money("1234.50".parse()?, "EUR"), "1.234,50\u{a0}€");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(missing_docs)]

mod files;
mod formats;
#[cfg(test)]
mod glossary;
mod language;
mod localizer;
mod messages;
#[cfg(test)]
mod tests;

pub use files::Texts;
pub use language::{Language, LanguageError};
pub use localizer::{Localizer, Value};
pub use messages::TextsError;
