//! Tells whether a browser that opens a link sent the request, and so expects a page.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use texts::{Language, Localizer, Texts};

use super::conditional::weight_of;

/// Languages of a header that are read.
const MOST_LANGUAGES: usize = 20;

/// Preference for HTML over JSON. Browsers have it when they open a link; scripts and other clients, which accept
/// anything or JSON, do not.
#[derive(Clone, Debug)]
pub struct WantsPage {
    pub is_wanted: bool,
    /// The browser's languages, the preferred one first: of pages that belong to no order.
    pub languages: Vec<Language>,
}

impl WantsPage {
    /// Texts in the first of these languages that has some, else in one of the browser's, else in English.
    pub fn localizer<'a, 'l>(
        &self,
        texts: &'a Texts,
        better: impl IntoIterator<Item = &'l Language>,
    ) -> Localizer<'a> {
        let mut languages: Vec<Language> = better.into_iter().cloned().collect();
        languages.extend(self.languages.iter().cloned());
        languages.push(Language::english());
        texts.localizer(&languages.remove(0), &languages)
    }
}

impl<S: Sync> FromRequestParts<S> for WantsPage {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let named = |name| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let languages = named(header::ACCEPT_LANGUAGE).map(preferred).unwrap_or_default();
        Ok(Self { is_wanted: named(header::ACCEPT).is_some_and(wants_page), languages })
    }
}

/// The known languages, the one with the highest weight first.
fn preferred(accept_language: &str) -> Vec<Language> {
    let weighed = |named: &str| {
        let tag = named.split(';').next().unwrap_or_default().trim();
        let weight = weight_of(named, tag).unwrap_or(0.0);
        Some((weight, tag.parse::<Language>().ok()?)).filter(|(weight, _)| *weight > 0.0)
    };
    let mut languages: Vec<(f32, Language)> =
        accept_language.split(',').take(MOST_LANGUAGES).filter_map(weighed).collect();
    languages.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    languages.into_iter().map(|(_, language)| language).collect()
}

fn wants_page(accept: &str) -> bool {
    let weight = |media_type| weight_of(accept, media_type).unwrap_or(0.0);
    weight("text/html") > weight("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_languages_of_a_browser_are_those_that_it_prefers() {
        for (header, expected) in [
            ("sv", "sv"),
            ("de-AT,de;q=0.9,en;q=0.8", "de-AT de en"),
            ("en;q=0.5, hi;q=0.9, *;q=0.1", "hi en"),
            ("*, xx, fr;q=0.1", "fr"),
            ("ar;q=0", ""),
            ("", ""),
        ] {
            let languages: Vec<String> = preferred(header).iter().map(Language::to_string).collect();
            assert_eq!(languages.join(" "), expected, "{header}");
        }
    }

    #[test]
    fn a_page_is_in_the_first_language_that_has_texts() {
        let texts = Texts::bundled().unwrap();
        let language = |tag: &str| tag.parse::<Language>().unwrap();
        for (better, header, expected) in [
            (&["ar"][..], "de", "ar"),
            (&["ja", "fr"], "de", "fr"),
            (&["ja"], "ja, de;q=0.9", "de"),
            (&[], "de-AT", "de-AT"),
            (&[], "ja", "en"),
            (&[], "", "en"),
        ] {
            let better: Vec<Language> = better.iter().map(|tag| language(tag)).collect();
            let wanted = WantsPage { is_wanted: true, languages: preferred(header) };
            assert_eq!(wanted.localizer(&texts, &better).language(), &language(expected), "{header}");
        }
    }

    #[test]
    fn browsers_that_open_a_link_want_a_page_and_other_clients_do_not() {
        for yes in ["text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"] {
            assert!(wants_page(yes), "{yes}");
        }
        for no in [
            "",
            "*/*",
            "application/json",
            "application/json, text/html;q=0.9",
            "text/html;q=0",
            "text/plain",
        ] {
            assert!(!wants_page(no), "{no}");
        }
    }
}
